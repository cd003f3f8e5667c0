// Columns of liquid along gravity, in square bins. Bins are as wide as the interaction radius and
// aligned with gravity. Distant bins may share an entry.

@group(0) @binding(1) var<storage, read_write> particles: array<Particle>;
// Column by column, from the top down. The last one contains sums over all bins.
@group(0) @binding(2) var<storage, read_write> bins: array<Bin>;

struct Bin {
    count: atomic<u32>,
    // Sum of the particles' speeds along gravity, in steps. In the last bin it is the mean.
    falling: atomic<i32>,
    // Depth of the lowest particle in the bin, in parts of 2^24, plus 1; and the complement of its id.
    deepest: atomic<u32>,
    lowest: atomic<u32>,
    // The complements of the depth of the highest particle and of its id.
    shallowest: atomic<u32>,
    highest: atomic<u32>,
    // The body below the liquid, or NONE.
    bed: u32,
    // The bed of the liquid above the floor, and how far down the floor is; 0 if there is none.
    upper: u32,
    floor: u32,
    // The bed of the liquid above the crest of these beds.
    base: u32,
}

// Steps of speed per speed after a free fall through a bin, and the limit of steps for a particle.
const FALL: f32 = 256.0;
const MOST_FALL: f32 = 4096.0;

// Parts of a bin in which depths within it are counted.
const DEPTHS: f32 = 0x1p24;

struct Place { bin: u32, row: u32, depth: u32 }

fn place_of(p: vec2f) -> Place {
    // Differences are exact even far from the origin.
    let offset = (p - params.column_origin) * params.inverse_radius;
    let depth = dot(offset, params.down);
    let across = dot(offset, vec2f(-params.down.y, params.down.x));
    let size = vec2i(params.bins);
    let bin = vec2i(clamp(floor(vec2f(across, depth)), vec2f(-1e9), vec2f(1e9)));
    let place = vec2u((((bin - params.first_bin) % size) + size) % size);
    return Place(place.x * params.bins.y + place.y, place.y, u32((depth - floor(depth)) * DEPTHS) + 1u);
}

fn takes_part(particle: Particle) -> bool {
    return (particle.kind & OUT_OF_PLAY) == 0u && within(particle.position, params.reach);
}

@compute @workgroup_size(64)
fn count_columns(@builtin(global_invocation_id) at: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let i = index_of(at, groups);
    if i >= params.count { return; }
    let particle = particles[i];
    if !takes_part(particle) { return; }
    let place = place_of(particle.position);
    atomicAdd(&bins[place.bin].count, 1u);
    atomicMax(&bins[place.bin].deepest, place.depth);
    atomicMax(&bins[place.bin].shallowest, ~place.depth);
    if !within(particle.velocity, params.fastest) { return; }
    let free_fall = sqrt(2.0 * length(params.gravity) * params.interaction_radius);
    let steps = dot(particle.velocity, params.down) * (FALL / free_fall);
    atomicAdd(&bins[place.bin].falling, i32(round(clamp(steps, -MOST_FALL, MOST_FALL))));
}
