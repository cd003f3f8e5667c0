// Regions, and what acts in them: forces, impulses, drains and sensors; also recycling, which removes as drains do.

//# region
// Regions: a shape with a pose. From the index of a region on, `regions` contains:
// - its kind, the index and the number of further entries, the depth at which a force has full strength;
// - its centre, the direction of its own x axis;
// - the corners of a box around it;
// - four sizes.
// Further entries are edges (both ends), or four pixels each.

const EVERYWHERE: u32 = 0u;
const CIRCLE: u32 = 1u;
const RECTANGLE: u32 = 2u;
const CAPSULE: u32 = 3u;
const HALF_PLANE: u32 = 4u;
const POLYGON: u32 = 5u;
const POLYLINE: u32 = 6u;
const PIXELS: u32 = 7u;

// Number of entries of a region, before those of its force, drain or sensor.
const REGION: u32 = 4u;

fn numbers(index: u32) -> vec4f { return bitcast<vec4f>(regions[index]); }

fn to_region(at: u32, p: vec2f) -> vec2f {
    let pose = numbers(at + 1u);
    let offset = p - pose.xy;
    return vec2f(dot(offset, pose.zw), dot(offset, vec2f(-pose.w, pose.z)));
}

// Distance to the nearest edge.
fn edge_distance(first: u32, count: u32, p: vec2f) -> f32 {
    var squared = 3e38;
    for (var k = 0u; k < count; k++) {
        let edge = numbers(first + k);
        let way = edge.zw - edge.xy;
        let along = clamp(dot(p - edge.xy, way) / dot(way, way), 0.0, 1.0);
        let apart = p - (edge.xy + way * along);
        squared = min(squared, dot(apart, apart));
    }
    return sqrt(squared);
}

// Whether an odd number of edges is to the right.
fn enclosed(first: u32, count: u32, p: vec2f) -> bool {
    var inside = false;
    for (var k = 0u; k < count; k++) {
        let edge = numbers(first + k);
        if (edge.y > p.y) != (edge.w > p.y) {
            let along = (p.y - edge.y) / (edge.w - edge.y);
            inside = inside != (p.x < edge.x + (edge.z - edge.x) * along);
        }
    }
    return inside;
}

fn pixel(first: u32, index: u32) -> f32 { return bitcast<f32>(regions[first + index / 4u][index % 4u]); }

// Distances are interpolated between the centres of pixels, and continued beyond them.
fn pixel_distance(at: u32, p: vec2f) -> f32 {
    let first = regions[at].y;
    let size = numbers(at + 3u).xy;
    let pixels = regions[at + 3u].zw;
    let half_size = 0.5 * (vec2f(pixels) - 1.0) * size;
    let inner = clamp(p, -half_size, half_size);
    let position = (inner + half_size) / size;
    let lowest = min(vec2u(position), pixels - 2u);
    let part = position - vec2f(lowest);
    let index = lowest.y * pixels.x + lowest.x;
    let above = index + pixels.x;
    let low = mix(pixel(first, index), pixel(first, index + 1u), part.x);
    let high = mix(pixel(first, above), pixel(first, above + 1u), part.x);
    return mix(low, high, part.y) + length(p - inner);
}

// Distance of a point, in the region's own coordinates, to its edge; negative inside.
fn region_distance(at: u32, p: vec2f) -> f32 {
    let head = regions[at];
    let size = numbers(at + 3u);
    switch head.x {
        case CIRCLE: { return length(p) - size.x; }
        case RECTANGLE: {
            let over = abs(p) - size.xy;
            return length(max(over, vec2f(0.0))) + min(max(over.x, over.y), 0.0);
        }
        case CAPSULE: {
            return length(p - vec2f(0.0, clamp(p.y, -size.x, size.x))) - size.y;
        }
        case HALF_PLANE: { return dot(p, size.xy); }
        case POLYGON: {
            let distance = edge_distance(head.y, head.z, p);
            return select(distance, -distance, enclosed(head.y, head.z, p));
        }
        case POLYLINE: { return edge_distance(head.y, head.z, p) - size.x; }
        case PIXELS: { return pixel_distance(at, p); }
        default: { return -3e38; }
    }
}

fn region_contains(at: u32, p: vec2f) -> bool {
    let kind = regions[at].x;
    if kind == EVERYWHERE { return true; }
    let around = numbers(at + 2u);
    if any(p < around.xy) || any(p > around.zw) { return false; }
    let local = to_region(at, p);
    if kind == POLYGON { return enclosed(regions[at].y, regions[at].z, local); }
    return region_distance(at, local) <= 0.0;
}

// Whether the set of classes at an index, of two entries, contains a class.
fn has_class(at: u32, class_index: u32) -> bool {
    let words = regions[at + class_index / 128u];
    return ((words[(class_index / 32u) % 4u] >> (class_index % 32u)) & 1u) == 1u;
}

//# forces
// v += dt f: attraction, swirl, acceleration, then drag towards a wind and grip along a conveyor,
// with the strength f of the falloff. A limit applies to the acceleration by all forces together.
//
// The entries of a force after its region:
// - classes (two entries);
// - centre of attraction and swirl, attraction, swirl;
// - acceleration, wind;
// - drag, grip, speed of the conveyor, falloff;
// - direction of the conveyor, heat.

// Whether forces exist. Otherwise the compiler removes the code.
override FORCES: bool = true;

// Number of entries of a force.
const FORCE: u32 = 10u;
const CONSTANT: u32 = 0u;
const LINEAR: u32 = 1u;

// Strength at a point, 0 to 1.
fn force_strength(at: u32, falloff: u32, p: vec2f) -> f32 {
    let head = regions[at];
    if head.x == EVERYWHERE { return 1.0; }
    if head.x == CIRCLE {
        let radius = numbers(at + 3u).x;
        let offset = numbers(at + 1u).xy - p;
        let ratio = dot(offset, offset) / (radius * radius);
        if ratio >= 1.0 { return 0.0; }
        if falloff == CONSTANT { return 1.0; }
        if falloff == LINEAR { return 1.0 - sqrt(ratio); }
        return 1.0 - ratio;
    }
    if !region_contains(at, p) { return 0.0; }
    let full = bitcast<f32>(head.w);
    if falloff == CONSTANT || full < 0.0 { return 1.0; }
    let depth = clamp(-region_distance(at, to_region(at, p)) / max(full, 1e-37), 0.0, 1.0);
    if falloff == LINEAR { return depth; }
    return 1.0 - (1.0 - depth) * (1.0 - depth);
}

fn apply_force(at: u32, time: f32, p: vec2f, velocity: vec2f, class_index: u32) -> vec2f {
    if !has_class(at + REGION, class_index) { return velocity; }
    let rates = numbers(at + REGION + 4u);
    let strength = force_strength(at, regions[at + REGION + 4u].w, p);
    if strength == 0.0 { return velocity; }
    let around = numbers(at + REGION + 2u);
    let offset = around.xy - p;
    let distance = length(offset);
    let direction = select(vec2f(0.0), offset / distance, distance > 1e-37);
    let push = numbers(at + REGION + 3u);
    var v = velocity + direction * (around.z * strength * time);
    v += (push.xy - vec2f(-direction.y, direction.x) * around.w) * (strength * time);
    if rates.x > 0.0 { v = push.zw + (v - push.zw) / (1.0 + rates.x * strength * time); }
    if rates.y > 0.0 {
        let along = numbers(at + REGION + 5u).xy;
        let lag = rates.z - dot(v, along);
        v += along * (lag * (1.0 - 1.0 / (1.0 + rates.y * strength * time)));
    }
    return v;
}

// The first entry holds the number of forces.
fn apply_forces(p: vec2f, velocity: vec2f, class_index: u32) -> vec2f {
    if !FORCES { return velocity; }
    let count = regions[0].x;
    var v = velocity;
    for (var k = 0u; k < count; k++) {
        v = apply_force(1u + k * FORCE, params.time_step, p, v, class_index);
    }
    let speed = length(v);
    if speed > params.most_impulse {
        let most = max(params.most_impulse, length(velocity));
        if speed > most { v *= most / speed; }
    }
    return v;
}

// T += dt f: the heat of all forces.
fn heat_of_forces(p: vec2f, class_index: u32) -> f32 {
    var sum = 0.0;
    if !FORCES { return sum; }
    let count = regions[0].x;
    for (var k = 0u; k < count; k++) {
        sum += heat_of_force(1u + k * FORCE, params.time_step, p, class_index);
    }
    return sum;
}

fn heat_of_force(at: u32, time: f32, p: vec2f, class_index: u32) -> f32 {
    let heat = numbers(at + REGION + 5u).z;
    if heat == 0.0 || !has_class(at + REGION, class_index) { return 0.0; }
    return heat * force_strength(at, regions[at + REGION + 4u].w, p) * time;
}

//# impulse
// Applies a force once, for a second.

@group(0) @binding(1) var<storage, read_write> particles: array<Particle>;
@group(0) @binding(2) var<storage, read> regions: array<vec4u>;
// Without temperatures this is another buffer, and the force has no heat.
@group(0) @binding(3) var<storage, read_write> warmth: array<vec2f>;

@compute @workgroup_size(64)
fn apply_impulse(@builtin(global_invocation_id) at: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let i = index_of(at, groups);
    if i >= params.count { return; }
    let kind = particles[i].kind;
    let p = particles[i].position;
    if (kind & OUT_OF_PLAY) != 0u || !within(p, 3e38) { return; }
    let heat = heat_of_force(1u, 1.0, p, kind & CLASS);
    if heat != 0.0 { warmth[i].x += heat; }
    particles[i].velocity = apply_force(1u, 1.0, p, particles[i].velocity, kind & CLASS);
}

//# find_drained
// Finds the particles in a drain's region. The record of a drain is its region, its classes (two
// entries), the largest number to remove, and the channel that counts them.

@group(0) @binding(1) var<storage, read> particles: array<Particle>;
@group(0) @binding(2) var<storage, read> regions: array<vec4u>;
// The found particles: bits of the squared distance, and index. It uses the memory of a later pass.
@group(0) @binding(3) var<storage, read_write> found: array<vec2u>;
@group(0) @binding(4) var<storage, read_write> tallies: Tallies;

@compute @workgroup_size(64)
fn find_drained(@builtin(global_invocation_id) at: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let i = index_of(at, groups);
    if i >= params.count { return; }
    let kind = particles[i].kind;
    let p = particles[i].position;
    if (kind & OUT_OF_PLAY) != 0u || !within(p, params.reach) { return; }
    if !has_class(REGION, kind & CLASS) || !region_contains(0u, p) { return; }
    let offset = p - numbers(1u).xy;
    // The bits of non-negative numbers have the order of the numbers.
    found[atomicAdd(&tallies.found, 1u)] = vec2u(bitcast<u32>(dot(offset, offset)), i);
}

//# remove_drained
// Removes the found particles nearest to the centre of the region. At equal distances lower ids
// come first. When the oldest particles make room for others, distance does not count.

@group(0) @binding(1) var<storage, read_write> particles: array<Particle>;
// The drain's record. Its third number after the classes marks recycling, which has no region.
@group(0) @binding(2) var<storage, read> regions: array<vec4u>;
@group(0) @binding(3) var<storage, read_write> found: array<vec2u>;
@group(0) @binding(4) var<storage, read_write> tallies: Tallies;
@group(0) @binding(5) var<storage, read_write> tiles: array<Tile>;

var<workgroup> histogram: array<atomic<u32>, 256>;
// The number of particles that are still to be chosen, and the digits of the last chosen one.
var<workgroup> remaining: u32;
var<workgroup> last: array<u32, 8>;

// The digits of a particle: four of the distance, then four of the id, the highest digit first.
fn digit_of(one: vec2u, digit: u32) -> u32 {
    var number = one.x;
    if digit >= 4u { number = particles[one.y].id; }
    return (number >> (24u - 8u * (digit % 4u))) & 0xffu;
}

// -1, 0 or 1 if its first digits are lower than, equal to or higher than those of the last.
fn compared(one: vec2u, digits: u32) -> i32 {
    for (var digit = 0u; digit < digits; digit++) {
        let own = digit_of(one, digit);
        if own != last[digit] { return select(-1, 1, own > last[digit]); }
    }
    return 0;
}

// One work group. It finds the last particle to be removed digit by digit.
@compute @workgroup_size(256)
fn remove_drained(@builtin(local_invocation_index) local: u32) {
    let count = atomicLoad(&tallies.found);
    if local == 0u { remaining = min(regions[REGION + 2u].x, count); }
    workgroupBarrier();
    let none = remaining == 0u;
    let recycles = regions[REGION + 2u].z != 0u;
    for (var digit = 0u; digit < 8u; digit++) {
        atomicStore(&histogram[local], 0u);
        workgroupBarrier();
        for (var k = local; k < count; k += 256u) {
            let one = found[k];
            if compared(one, digit) == 0 { atomicAdd(&histogram[digit_of(one, digit)], 1u); }
        }
        workgroupBarrier();
        if local == 0u {
            var own = 0u;
            while own < 255u && atomicLoad(&histogram[own]) < remaining {
                remaining -= atomicLoad(&histogram[own]);
                own++;
            }
            last[digit] = own;
        }
        workgroupBarrier();
    }
    if local == 0u { atomicStore(&tallies.found, 0u); }
    if none { return; }
    for (var k = local; k < count; k += 256u) {
        let one = found[k];
        if compared(one, 8u) <= 0 {
            let kind = particles[one.y].kind;
            particles[one.y].kind = kind | OUT_OF_PLAY | COUNTED;
            if recycles {
                atomicAdd(&tallies.recycled, 1u);
            } else {
                atomicAdd(&tallies.drained, 1u);
                atomicAdd(&tallies.channels[kind & CLASS][regions[REGION + 2u].y % 64u], 1u);
            }
            // The removal leaves a gap.
            if params.still_speed > 0.0 { atomicStore(&tiles[tile_of(particles[one.y].position)].disturbed, 1u); }
        }
    }
}

//# recycle
// Finds the oldest particles, which have the lowest ids. It counts all particles in ranges of ids.
// Then it finds the particles in the ranges up to that of the last one to be removed.
// `remove_drained` removes the lowest of them.

@group(0) @binding(1) var<storage, read> particles: array<Particle>;
// The record of a drain, with the shift from an id to its range, and an id below which few
// particles are left.
@group(0) @binding(2) var<storage, read> regions: array<vec4u>;
// The found particles: 0, because distance does not count, and index. It uses the memory of a later pass.
@group(0) @binding(3) var<storage, read_write> found: array<vec2u>;
@group(0) @binding(4) var<storage, read_write> tallies: Tallies;
// Number of particles in each range of ids.
@group(0) @binding(5) var<storage, read_write> ages: array<atomic<u32>, 256>;

var<workgroup> of_range: array<atomic<u32>, 256>;
// The range of the last one to be removed.
var<workgroup> last_range: u32;

fn range_of(id: u32) -> u32 {
    let first = regions[REGION + 3u].x;
    return min((max(id, first) - first) >> regions[REGION + 2u].w, 255u);
}

fn in_play(i: u32) -> bool {
    return i < params.count && (particles[i].kind & OUT_OF_PLAY) == 0u;
}

@compute @workgroup_size(256)
fn count_ages(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
) {
    atomicStore(&of_range[local], 0u);
    workgroupBarrier();
    let i = (group.x + group.y * groups.x) * 256u + local;
    if in_play(i) { atomicAdd(&of_range[range_of(particles[i].id)], 1u); }
    workgroupBarrier();
    let count = atomicLoad(&of_range[local]);
    if count > 0u { atomicAdd(&ages[local], count); }
}

@compute @workgroup_size(256)
fn find_oldest(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
) {
    if local == 0u {
        var missing = regions[REGION + 2u].x;
        var range = 0u;
        while range < 255u && atomicLoad(&ages[range]) < missing {
            missing -= atomicLoad(&ages[range]);
            range++;
        }
        last_range = range;
    }
    workgroupBarrier();
    let i = (group.x + group.y * groups.x) * 256u + local;
    if in_play(i) && range_of(particles[i].id) <= last_range {
        found[atomicAdd(&tallies.found, 1u)] = vec2u(0u, i);
    }
}

//# sense
// Sensors: number of particles of each class in a region, the sum of their velocities, and the
// number that have entered since the sensor was created. There is one thread for each particle,
// which visits all sensors. The sums are of integers, so their order does not matter: velocities
// are counted in steps.
//
// After the head, each sensor has its region, then its classes (two entries).

struct Sensed {
    // The steps along x, then along y, each a 64-bit number with its lower half first.
    steps: array<atomic<u32>, 4>,
    // Number of particles inside, by class.
    classes: array<atomic<u32>, 256>,
}

@group(0) @binding(1) var<storage, read> particles: array<Particle>;
// The head: number of sensors, words of a row of `inside`, steps per speed, largest number of steps
// of a particle.
@group(0) @binding(2) var<storage, read> regions: array<vec4u>;
// A row for each sensor, with a bit for each id: whether its particle was inside.
@group(0) @binding(3) var<storage, read_write> inside: array<atomic<u32>>;
// Number of particles that have entered.
@group(0) @binding(4) var<storage, read_write> entered: array<atomic<u32>>;
@group(0) @binding(5) var<storage, read_write> sensed: array<Sensed>;

// Number of entries of a sensor.
const SENSOR: u32 = REGION + 2u;

// Counts of a work group for one sensor.
var<workgroup> of_class: array<atomic<u32>, 256>;
var<workgroup> came: atomic<u32>;
var<workgroup> across: atomic<i32>;
var<workgroup> up: atomic<i32>;

fn add_steps(sensor: u32, part: u32, steps: i32) {
    if steps == 0 { return; }
    let low = bitcast<u32>(steps);
    let before = atomicAdd(&sensed[sensor].steps[part], low);
    // The upper half of a negative number consists of ones.
    let high = select(0u, 0xffffffffu, steps < 0) + select(0u, 1u, before + low < low);
    if high != 0u { atomicAdd(&sensed[sensor].steps[part + 1u], high); }
}

@compute @workgroup_size(256)
fn sense(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
) {
    let i = (group.x + group.y * groups.x) * 256u + local;
    var in_play = false;
    var own: Particle;
    if i < params.count {
        own = particles[i];
        in_play = (own.kind & OUT_OF_PLAY) == 0u && within(own.position, params.reach);
    }
    let class_index = own.kind & CLASS;
    let bit = 1u << (own.id % 32u);
    let most = f32(regions[0].w);
    let velocity = clamp(own.velocity * bitcast<f32>(regions[0].z), vec2f(-most), vec2f(most));
    let steps = select(vec2i(0), vec2i(round(velocity)), within(own.velocity, params.fastest));

    let count = regions[0].x;
    for (var sensor = 0u; sensor < count; sensor++) {
        let at = 1u + sensor * SENSOR;
        if in_play {
            let is_inside = has_class(at + REGION, class_index) && region_contains(at, own.position);
            let word = sensor * regions[0].y + own.id / 32u;
            let was_inside = (atomicLoad(&inside[word]) & bit) != 0u;
            if is_inside {
                atomicAdd(&of_class[class_index], 1u);
                atomicAdd(&across, steps.x);
                atomicAdd(&up, steps.y);
                if !was_inside {
                    atomicOr(&inside[word], bit);
                    atomicAdd(&came, 1u);
                }
            } else if was_inside {
                atomicAnd(&inside[word], ~bit);
            }
        }
        workgroupBarrier();
        let counted = atomicExchange(&of_class[local], 0u);
        if counted > 0u { atomicAdd(&sensed[sensor].classes[local], counted); }
        if local == 0u {
            let new_ones = atomicExchange(&came, 0u);
            if new_ones > 0u { atomicAdd(&entered[sensor], new_ones); }
            add_steps(sensor, 0u, atomicExchange(&across, 0));
            add_steps(sensor, 2u, atomicExchange(&up, 0));
        }
        workgroupBarrier();
    }
}
