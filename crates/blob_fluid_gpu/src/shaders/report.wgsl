// What a report holds: counts, the spread of the particles, and impacts.

//# spread
// The distribution of particles: their number, mean position, sums of squares and of products of
// their offsets from the mean, and the box around them. Two distributions are merged without loss
// of precision far from the origin (Chan, Golub and LeVeque 1979): d = m_b - m_a, S = S_a + S_b +
// d^2 n_a n_b/n.

struct Spread {
    mean: vec2f,
    squares: vec2f,
    low: vec2f,
    high: vec2f,
    product: f32,
    count: u32,
}

fn spread_of_none() -> Spread {
    let far = vec2f(3e38);
    return Spread(vec2f(0.0), vec2f(0.0), far, -far, 0.0, 0u);
}

fn spread_of_one(p: vec2f) -> Spread {
    return Spread(p, vec2f(0.0), p, p, 0.0, 1u);
}

fn merged(a: Spread, b: Spread) -> Spread {
    if a.count == 0u { return b; }
    if b.count == 0u { return a; }
    let count = a.count + b.count;
    let part = f32(b.count) / f32(count);
    let weight = f32(a.count) * part;
    let d = b.mean - a.mean;
    return Spread(a.mean + d * part, a.squares + b.squares + d * d * weight,
        min(a.low, b.low), max(a.high, b.high), a.product + b.product + d.x * d.y * weight, count);
}

var<workgroup> spreads: array<Spread, 256>;

// Merges the spreads of all threads, in a fixed order. Every thread must call it.
fn merge_workgroup(local: u32, own: Spread) -> Spread {
    spreads[local] = own;
    workgroupBarrier();
    for (var half = 128u; half > 0u; half = half >> 1u) {
        if local < half { spreads[local] = merged(spreads[local], spreads[local + half]); }
        workgroupBarrier();
    }
    return spreads[0];
}

//# tallies
// The counts for the host's reports. `spread`, `compressed`, `awake`, `heated`, `oldest`, `in_one`,
// `in_two` and `classes` restart in each tick; the others count from the beginning on.

struct Tallies {
    quarantined: atomic<u32>,
    out_of_bounds: atomic<u32>,
    expired: atomic<u32>,
    drained: atomic<u32>,
    spread: Spread,
    recycled: atomic<u32>,
    // Number of particles that a drain, or recycling, has found.
    found: atomic<u32>,
    // Number of compressed particles.
    compressed: atomic<u32>,
    // Number of particles that do not sleep.
    awake: atomic<u32>,
    // Number of particles in tiles in which heat changed a temperature.
    heated: atomic<u32>,
    // The complement of the lowest id in play.
    oldest: atomic<u32>,
    // Largest number of particles of a column, and of two adjacent columns.
    in_one: atomic<u32>,
    in_two: atomic<u32>,
    // Number of particles in play, by class.
    classes: array<atomic<u32>, 256>,
    // Number of drained particles, by class and channel.
    channels: array<array<atomic<u32>, 64>, 256>,
}

//# summarise
// The end of a tick. Particles beyond the kill bounds and those whose lifetime is over go out of
// play. All others are counted by class. Each work group finds the spread of 2048 particles, and
// tiles count particles that are not at rest.

@group(0) @binding(1) var<storage, read_write> particles: array<Particle>;
@group(0) @binding(2) var<storage, read_write> tallies: Tallies;
@group(0) @binding(3) var<storage, read_write> partial: array<Spread>;
@group(0) @binding(4) var<storage, read_write> tiles: array<Tile>;
// Temperature and exposure, and place of rest.
@group(0) @binding(5) var<storage, read_write> extras: array<vec2f>;

var<workgroup> of_class: array<atomic<u32>, 256>;
var<workgroup> compressed: atomic<u32>;
var<workgroup> awake: atomic<u32>;
var<workgroup> heated: atomic<u32>;
var<workgroup> oldest: atomic<u32>;

@compute @workgroup_size(256)
fn summarise(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3u) {
    atomicStore(&of_class[local], 0u);
    if local == 0u {
        atomicStore(&compressed, 0u);
        atomicStore(&awake, 0u);
        atomicStore(&heated, 0u);
        atomicStore(&oldest, 0u);
    }
    workgroupBarrier();
    var spread = spread_of_none();
    for (var k = 0u; k < 8u; k++) {
        let i = group.x * 2048u + k * 256u + local;
        if i >= params.count { continue; }
        let kind = particles[i].kind;
        let position = particles[i].position;
        if (kind & OUT_OF_PLAY) != 0u {
            if (kind & COUNTED) == 0u {
                atomicAdd(&tallies.quarantined, 1u);
                particles[i].kind = kind | COUNTED;
            }
            continue;
        }
        let sound = within(position, params.reach);
        let inside = all(position >= params.kill_low) && all(position <= params.kill_high);
        let dies = (kind >> LIFE_SHIFT) & LIFE_MASK;
        let over = dies != 0u && ((params.now - dies) & LIFE_MASK) <= LIFE_MASK / 2u;
        if over || (sound && !inside) {
            if over { atomicAdd(&tallies.expired, 1u); } else { atomicAdd(&tallies.out_of_bounds, 1u); }
            particles[i].kind = kind | OUT_OF_PLAY | COUNTED;
            // The removal leaves a gap.
            if params.still_speed > 0.0 { atomicStore(&tiles[tile_of(position)].disturbed, 1u); }
            continue;
        }
        atomicAdd(&of_class[kind & CLASS], 1u);
        atomicMax(&oldest, ~particles[i].id);
        if particles[i].relative_density > params.compressed_from { atomicAdd(&compressed, 1u); }
        if params.still_speed == 0.0 {
            atomicAdd(&awake, 1u);
        } else if (kind & ASLEEP) == 0u {
            atomicAdd(&awake, 1u);
            count_unrest(i, position, particles[i].velocity, (kind & UNSORTED) != 0u);
        } else if params.first_rest != 0u {
            // With heat, the weight of sleeping particles changes as well.
            atomicAdd(&tiles[tile_of(position)].all, 1u);
        }
        if params.still_speed > 0.0 && params.first_rest != 0u {
            if atomicLoad(&tiles[tile_of(position)].heated) != 0u { atomicAdd(&heated, 1u); }
        }
        if sound { spread = merged(spread, spread_of_one(position)); }
    }
    let all_of_group = merge_workgroup(local, spread);
    if local == 0u {
        partial[group.x] = all_of_group;
        let found = atomicLoad(&compressed);
        if found > 0u { atomicAdd(&tallies.compressed, found); }
        let not_asleep = atomicLoad(&awake);
        if not_asleep > 0u { atomicAdd(&tallies.awake, not_asleep); }
        let warming = atomicLoad(&heated);
        if warming > 0u { atomicAdd(&tallies.heated, warming); }
        atomicMax(&tallies.oldest, atomicLoad(&oldest));
    }
    let count = atomicLoad(&of_class[local]);
    if count > 0u { atomicAdd(&tallies.classes[local], count); }
}

//# conclude
// Merges the spreads of the work groups of `summarise` into one. One work group.

@group(0) @binding(1) var<storage, read> partial: array<Spread>;
@group(0) @binding(2) var<storage, read_write> tallies: Tallies;

@compute @workgroup_size(256)
fn conclude(@builtin(local_invocation_index) local: u32) {
    var spread = spread_of_none();
    let length = (params.count + 2047u) / 2048u;
    for (var index = local; index < length; index += 256u) {
        spread = merged(spread, partial[index]);
    }
    let all_of_them = merge_workgroup(local, spread);
    if local == 0u { tallies.spread = all_of_them; }
}

//# impacts
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
