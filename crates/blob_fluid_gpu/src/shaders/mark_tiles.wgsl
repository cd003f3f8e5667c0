// Marks of the tiles: 4 for unsettled liquid, decreasing by 1 per tile of distance, down to 0.

@group(0) @binding(1) var<storage, read_write> tiles: array<Tile>;
@group(0) @binding(2) var<storage, read_write> marks: array<u32>;

@compute @workgroup_size(64)
fn mark_tiles(@builtin(global_invocation_id) at: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let index = index_of(at, groups);
    let columns = i32(params.tile_columns);
    let rows = i32(tile_rows());
    let place = vec2i(i32(index) % columns, i32(index) / columns);
    if place.y >= rows { return; }
    var mark = 0;
    for (var y = max(place.y - 3, 0); y <= min(place.y + 3, rows - 1); y++) {
        for (var x = max(place.x - 3, 0); x <= min(place.x + 3, columns - 1); x++) {
            let away = max(abs(x - place.x), abs(y - place.y));
            if 4 - away > mark && !is_settled(y * columns + x) { mark = 4 - away; }
        }
    }
    marks[index] = u32(mark);
}

fn is_settled(index: i32) -> bool {
    return tiles[index].is_unsettled == 0u && tiles[index].unrest * f32(UNSETTLED_SHARE) < 1.0;
}
