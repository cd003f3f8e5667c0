// Counts the particles of a tile that are not at rest, and the tiles on the path of fast ones.

// Largest number of steps on a path.
const MOST_ON_A_WAY: f32 = 32.0;

fn count_unrest(i: u32, p: vec2f, velocity: vec2f, unsorted: bool) {
    let here = tile_of(p);
    atomicAdd(&tiles[here].all, 1u);
    // A NaN counts as having left as well.
    let rest = params.first_rest + i;
    if !(length(p - extras[rest]) <= params.drift) {
        extras[rest] = p;
        atomicAdd(&tiles[here].left, 1u);
    }
    if unsorted { atomicAdd(&tiles[here].moving, 1u); }
    let speed = length(velocity);
    if speed <= params.still_speed { return; }
    atomicAdd(&tiles[here].fast, 1u);
    if speed <= params.moving_speed { return; }
    let way = velocity * params.tick;
    let steps = clamp(ceil(length(way) * params.inverse_radius), 1.0, MOST_ON_A_WAY);
    for (var step = 0.0; step <= steps; step += 1.0) {
        atomicAdd(&tiles[tile_of(p + way * (step / steps))].moving, 1u);
    }
}
