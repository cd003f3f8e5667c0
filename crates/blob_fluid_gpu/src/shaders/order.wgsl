// Moves each particle to its place: its cell's start plus the number of lower ids in the cell. Ids
// are unique, so the order does not depend on the order of arrival.

@group(0) @binding(1) var<storage, read> keys: array<vec2u>;
@group(0) @binding(2) var<storage, read> starts: array<u32>;
@group(0) @binding(3) var<storage, read> slots: array<u32>;
@group(0) @binding(4) var<storage, read> particles: array<Particle>;
@group(0) @binding(5) var<storage, read_write> sorted: array<Particle>;
@group(0) @binding(6) var<storage, read_write> positions: array<vec2f>;
// Temperature and exposure, and place of rest.
@group(0) @binding(7) var<storage, read> extras: array<vec2f>;
@group(0) @binding(8) var<storage, read_write> sorted_extras: array<vec2f>;

// Whether particles have extras. Otherwise the compiler removes the code.
override EXTRAS: bool = true;

@compute @workgroup_size(64)
fn order(@builtin(global_invocation_id) at: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let i = index_of(at, groups);
    if i >= params.count { return; }
    let particle = particles[i];
    let cell = keys[i].x;
    let start = starts[cell];
    let end = starts[cell + 1u];
    if cell == params.cells {
        // The order of particles out of play does not matter, and there may be many.
        sorted[start + keys[i].y] = particle;
        return;
    }
    var rank = 0u;
    if end - start <= CROWDED_FROM {
        for (var slot = start; slot < end; slot++) {
            rank += select(0u, 1u, slots[slot] < particle.id);
        }
    } else {
        // Crowded cells are sorted already.
        var beyond = end - start;
        while rank < beyond {
            let middle = (rank + beyond) / 2u;
            if slots[start + middle] < particle.id { rank = middle + 1u; } else { beyond = middle; }
        }
    }
    sorted[start + rank] = particle;
    if EXTRAS { sorted_extras[start + rank] = extras[i]; }
    if EXTRAS && params.first_rest != 0u {
        sorted_extras[params.first_rest + start + rank] = extras[params.first_rest + i];
    }
    // The y coordinate is the number of remaining particles in the cell, at most 2^24, so that
    // others can skip them.
    let alone = vec2f(ALONE, f32(min(end - start - rank - 1u, 0x1000000u)));
    positions[start + rank] = select(particle.position, alone, rank >= params.most_in_cell);
}
