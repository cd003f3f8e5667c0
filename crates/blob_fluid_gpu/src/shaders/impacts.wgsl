// Impacts: the energy of the changes of velocity in a tick, without gravity, summed in squares.
// Hashing finds the squares. The sums are of integers, so their order does not matter.

@group(0) @binding(1) var<storage, read> particles: array<Particle>;
@group(0) @binding(2) var<storage, read> classes: array<Class>;
// Smallest counted square of a change, the side of a square, steps per energy, and the number of substeps.
@group(0) @binding(3) var<storage, read> watched: array<vec4f>;
// For each id, its velocity at the end of the last tick; zeros for a new particle.
@group(0) @binding(4) var<storage, read_write> before: array<vec2u>;
// For each square: its key, the energy of the hardest impact with the particle's class, and three
// 64-bit sums. The sums are of energy, and of energy times the offset from the lower corner, in
// parts of the side.
@group(0) @binding(5) var<storage, read_write> sums: array<atomic<u32>>;

const SQUARES: u32 = 1024u;
const WORDS: u32 = 8u;
const MOST_PROBES: u32 = 64u;
const PARTS: f32 = 256.0;

// The place of a square; SQUARES if the table is full.
fn place_of(key: u32) -> u32 {
    var place = (key * 2654435761u) >> 22u;
    for (var probe = 0u; probe < MOST_PROBES; probe++) {
        var known = atomicLoad(&sums[WORDS * place]);
        for (var k = 0u; k < 8u && known == 0u; k++) {
            let swapped = atomicCompareExchangeWeak(&sums[WORDS * place], 0u, key);
            known = select(swapped.old_value, key, swapped.exchanged);
        }
        if known == key { return place; }
        place = (place + 1u) % SQUARES;
    }
    return SQUARES;
}

// The bits of a velocity, with -0 in place of 0, so that they differ from those of a new particle.
fn kept(velocity: vec2f) -> vec2u {
    return select(bitcast<vec2u>(velocity), vec2u(0x80000000u), velocity == vec2f(0.0));
}

@compute @workgroup_size(64)
fn find_impacts(@builtin(global_invocation_id) at: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let i = index_of(at, groups);
    if i >= params.count { return; }
    let particle = particles[i];
    if (particle.kind & OUT_OF_PLAY) != 0u { return; }
    let earlier = before[particle.id];
    before[particle.id] = kept(particle.velocity);
    let sound = within(particle.velocity, params.fastest) && within(particle.position, params.reach);
    if !sound || all(earlier == vec2u(0u)) { return; }
    let own = classes[particle.kind & CLASS];
    let fallen = own.gravity_impulse * watched[0].w;
    let change = particle.velocity - bitcast<vec2f>(earlier) - fallen;
    let squared = dot(change, change);
    // A particle held up against gravity also changes its velocity, but this is not an impact.
    if !(squared > watched[0].x && squared > dot(fallen, fallen)) { return; }
    let energy = 0.5 * own.mass * squared;
    let square = particle.position / watched[0].y;
    let corner = clamp(floor(square), vec2f(-32767.0), vec2f(32767.0));
    let shifted = vec2u(vec2i(corner) + 0x8000);
    let place = place_of(shifted.x | (shifted.y << 16u));
    if place == SQUARES { return; }
    let first = WORDS * place;
    atomicMax(&sums[first + 1u], (bitcast<u32>(energy) & 0xffffff00u) | (particle.kind & CLASS));
    let steps = max(round(energy * watched[0].z), 1.0);
    if !within(vec2f(steps), 0x1p50) { return; }
    let offset = clamp(square - corner, vec2f(0.0), vec2f(1.0));
    add_steps(first + 2u, steps);
    add_steps(first + 4u, round(steps * offset.x * PARTS));
    add_steps(first + 6u, round(steps * offset.y * PARTS));
}
