// Finds the tiles that were unsettled in the last tick: a particle moves there, or more than a
// quarter of the particles is faster than liquid at rest. It also updates the fraction of particles
// that have left their places, over about the settling time. A tile settles again if particles were
// removed or changed their class, or if heat has changed their weight.

@group(0) @binding(1) var<storage, read_write> tiles: array<Tile>;
// The number of boxes, and whether all tiles wake; then the corners of each box in which liquid wakes.
@group(0) @binding(2) var<storage, read> woken: array<vec4f>;

@compute @workgroup_size(64)
fn choose_tiles(@builtin(global_invocation_id) at: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let index = index_of(at, groups);
    if index >= params.tile_columns * tile_rows() { return; }
    let all = atomicExchange(&tiles[index].all, 0u);
    let fast = atomicExchange(&tiles[index].fast, 0u);
    let moving = atomicExchange(&tiles[index].moving, 0u);
    let left = atomicExchange(&tiles[index].left, 0u);
    let share = 1.0 / f32(UNSETTLED_SHARE);
    // Unrest decays from 1 to `share` in the settling time.
    let fading = pow(share, params.tick / params.settling_time);
    var unrest = min(tiles[index].unrest * fading + f32(left) / f32(max(all, 1u)), 1.0);
    atomicStore(&tiles[index].heated, 0u);
    let weights = f32(atomicExchange(&tiles[index].weights, 0)) / WEIGHT_STEPS;
    var drifted = tiles[index].drifted + weights / f32(max(all, 1u));
    let tips = abs(drifted) > params.weight_drift;
    if tips { drifted = 0.0; }
    tiles[index].drifted = drifted;
    let disturbed = atomicExchange(&tiles[index].disturbed, 0u) != 0u;
    if disturbed || tips || is_woken(index) { unrest = 1.0; }
    tiles[index].unrest = unrest;
    tiles[index].is_unsettled = u32(moving > 0u || (fast > 0u && fast * UNSETTLED_SHARE >= all));
}

fn is_woken(index: u32) -> bool {
    if woken[0].y != 0.0 { return true; }
    let column = index % params.tile_columns;
    let row = index / params.tile_columns;
    let count = u32(woken[0].x);
    for (var k = 1u; k <= count; k++) {
        let low = tile_of(woken[k].xy);
        let high = tile_of(woken[k].zw);
        let columns = vec2u(low, high) % params.tile_columns;
        let rows = vec2u(low, high) / params.tile_columns;
        if column >= columns.x && column <= columns.y && row >= rows.x && row <= rows.y { return true; }
    }
    return false;
}
