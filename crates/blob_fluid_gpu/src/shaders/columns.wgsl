// Columns of liquid: their depth, for automatic substeps, and their beds.

//# columns
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

//# depth
// The depth of the deepest column. A column ends at an empty bin. It also ends where liquid falls
// faster than the mean by more than the speed after a free fall through a bin.

@group(0) @binding(3) var<storage, read_write> tallies: Tallies;

var<workgroup> counts: array<u32, 256>;
var<workgroup> falls: array<f32, 256>;

// The mean speed along gravity. One work group.
@compute @workgroup_size(256)
fn sum_columns(@builtin(local_invocation_index) local: u32) {
    let all = params.bins.x * params.bins.y;
    var count = 0u;
    var fall = 0.0;
    for (var index = local; index < all; index += 256u) {
        count += atomicLoad(&bins[index].count);
        fall += f32(atomicLoad(&bins[index].falling));
    }
    counts[local] = count;
    falls[local] = fall;
    workgroupBarrier();
    for (var half = 128u; half > 0u; half = half >> 1u) {
        if local < half {
            counts[local] += counts[local + half];
            falls[local] += falls[local + half];
        }
        workgroupBarrier();
    }
    if local == 0u { atomicStore(&bins[all].falling, i32(round(falls[0] / f32(max(counts[0], 1u))))); }
}

// Number of particles of a bin that press on the ones below.
fn pressing(column: u32, row: u32, fastest: f32) -> u32 {
    let index = (column % params.bins.x) * params.bins.y + row;
    let count = atomicLoad(&bins[index].count);
    if f32(atomicLoad(&bins[index].falling)) > fastest * f32(count) { return 0u; }
    return min(count, params.fullest);
}

// One thread for each column.
@compute @workgroup_size(64)
fn measure_depth(@builtin(global_invocation_id) at: vec3u) {
    let column = at.x;
    if column >= params.bins.x { return; }
    let fastest = f32(atomicLoad(&bins[params.bins.x * params.bins.y].falling)) + FALL;
    var one = 0u;
    var two = 0u;
    var most = vec2u(0u);
    for (var row = 0u; row < params.bins.y; row++) {
        let own = pressing(column, row, fastest);
        let both = own + pressing(column + 1u, row, fastest);
        one = select(0u, one + own, own > 0u);
        two = select(0u, two + both, both > 0u);
        most = max(most, vec2u(one, two));
    }
    atomicMax(&tallies.in_one, most.x);
    atomicMax(&tallies.in_two, most.y);
}

//# beds
// The bed of each column, which is the solid that the liquid stands on, and the damping relative to it. Liquid over a
// solid inside the column belongs to that solid. The bed takes the reaction of the damping.

// The tables begin with the classes.
@group(0) @binding(3) var<storage, read> tables: array<vec4f>;
@group(0) @binding(4) var<storage, read> solids: array<vec4u>;
@group(0) @binding(5) var<storage, read> bearers: array<vec4u>;
@group(0) @binding(6) var<storage, read_write> sums: array<atomic<u32>>;

// Least cosine of the angle at which a floor is tilted.
const STEEPEST_FLOOR: f32 = 0.5;

// Whether there is a floor, after which part of a way, and the body; NONE for a container that stands.
struct Floor { found: bool, time: f32, body: u32 }

@compute @workgroup_size(64)
fn find_ends(@builtin(global_invocation_id) at: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let i = index_of(at, groups);
    if i >= params.count || !takes_part(particles[i]) { return; }
    let place = place_of(particles[i].position);
    // The depth equals the counted one, within rounding.
    if place.depth + 1u >= atomicLoad(&bins[place.bin].deepest) {
        atomicMax(&bins[place.bin].lowest, ~particles[i].id);
    }
    if ~place.depth + 1u >= atomicLoad(&bins[place.bin].shallowest) {
        atomicMax(&bins[place.bin].highest, ~particles[i].id);
    }
}

// The lowest particle of a column searches its bed. The highest particle of a bin searches a floor below it.
@compute @workgroup_size(64)
fn find_beds(@builtin(global_invocation_id) at: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let i = index_of(at, groups);
    if i >= params.count || !takes_part(particles[i]) { return; }
    let place = place_of(particles[i].position);
    let class_index = particles[i].kind & CLASS;
    if atomicLoad(&bins[place.bin].highest) == ~particles[i].id {
        find_floor(place, particles[i].position, class_index);
    }
    if atomicLoad(&bins[place.bin].lowest) != ~particles[i].id { return; }
    let goes_on = place.row + 1u < params.bins.y && atomicLoad(&bins[place.bin + 1u].count) > 0u;
    if goes_on { return; }
    let found = bed_at(particles[i].position, class_index);
    bins[place.bin].bed = found.x;
    bins[place.bin].base = found.y;
}

// Finds the floor in a bin below its highest particle. What lies on a floor is up to a spacing above it, perhaps in the next
// bin.
fn find_floor(place: Place, p: vec2f, class_index: u32) {
    let depth = f32(place.depth - 1u) / DEPTHS;
    let spacing = params.particle_spacing * params.inverse_radius;
    let way = 1.0 - depth + spacing;
    let end = p + params.down * (way * params.interaction_radius);
    let met = floor_below(p, end, class_index);
    if !met.found { return; }
    bins[place.bin].upper = met.body;
    bins[place.bin].floor = u32((depth + way * met.time) * DEPTHS) + 1u;
}

// The wall through which a way leaves the container: its normal, and after which part of the way; 2 for nowhere.
fn leave_container(p: vec2f, q: vec2f) -> vec3f {
    var first = vec3f(0.0, 0.0, 2.0);
    if params.container == 2u {
        let offset = p - params.centre;
        let way = q - p;
        let squared = dot(way, way);
        let towards = dot(offset, way);
        let radius = params.half_size.x;
        let time = (sqrt(towards * towards + squared * (radius * radius - dot(offset, offset))) - towards) / squared;
        return vec3f(-(offset + way * time) / radius, time);
    }
    let count = own_walls();
    for (var k = 0u; k < count; k++) {
        let before = own_wall(p, k);
        let after = own_wall(q, k).z;
        if after >= 0.0 || after >= before.z { continue; }
        let time = max(before.z, 0.0) / (before.z - after);
        if time < first.z { first = vec3f(before.xy, time); }
    }
    return first;
}

fn rises(normal: vec2f) -> bool { return -dot(normal, params.down) > STEEPEST_FLOOR; }

// The first body that a way down meets at the beginning of the substep. One that it only grazes does not count, and a way of
// at most two bins has all pieces near its ends.
fn floor_below(p: vec2f, q: vec2f, class_index: u32) -> Floor {
    var nearest = Floor(false, 2.0, NONE);
    let wall = leave_container(p, q);
    if wall.z <= 1.0 && rises(wall.xy) { nearest = Floor(true, wall.z, NONE); }
    for (var number = 0u; number < 6u; number++) {
        let table = table_at(number / 3u);
        var range = vec2u(table.everywhere, table.everywhere_end);
        if number % 3u == 1u { range = entries_at(table, p); }
        if number % 3u == 2u { range = entries_at(table, q); }
        var first = range.x;
        while first < range.y {
            let owner = body_of(word(first));
            let body = body_at(owner);
            let last = end_of_body(first, range.y);
            if stops(body, class_index) || (body.flags & HOLDS) != 0u {
                let start = to_local(body.earlier, p);
                let end = to_local(body.earlier, q);
                var met = no_hit();
                for (var entry = first; entry < last; entry++) {
                    let found = meet_piece(word(entry), body, start, end);
                    if found.time < met.time { met = found; }
                }
                if met.time <= 1.0 && met.time < nearest.time && rises(turned(body.earlier, met.normal)) {
                    nearest = Floor(true, met.time, owner);
                }
            }
            first = last;
        }
    }
    return nearest;
}

// The nearest solid within the radius of a point, otherwise the container; and the container. A container that is a standing
// box or disc is NONE.
fn bed_at(p: vec2f, class_index: u32) -> vec2u {
    let jump_depth = bitcast<f32>(solids[6].x);
    var home = NONE;
    var to_home = container_depth(p);
    var bed = NONE;
    var nearest = params.interaction_radius;
    for (var number = 0u; number < 4u; number++) {
        let table = table_at(number >> 1u);
        var range = vec2u(table.everywhere, table.everywhere_end);
        if (number & 1u) != 0u { range = entries_at(table, p); }
        var first = range.x;
        while first < range.y {
            let owner = body_of(word(first));
            let end = end_of_body(first, range.y);
            let body = body_at(owner);
            let found = nearest_of(first, end, body.flags, to_local(body.earlier, p));
            if (body.flags & HOLDS) != 0u {
                home = owner;
                to_home = min(to_home, found.distance);
            } else if stops(body, class_index) {
                let behind = found.distance < 0.0 && (body.flags & ONE_WAY) != 0u;
                if found.distance < nearest && found.distance >= -jump_depth && !behind {
                    nearest = found.distance;
                    bed = owner;
                }
            }
            first = end;
        }
    }
    return vec2u(select(bed, home, bed == NONE || to_home <= nearest), home);
}

// How far above the centre of a body, against gravity, liquid belongs to it: by its own size if it takes load. The damping of
// a deep column would turn a small body below it back and forth.
fn crest_of(bed: u32) -> f32 {
    if bed == NONE { return -1e30; }
    let body = body_at(bed);
    if slot_of(body) == 0u { return -1e30; }
    return dot(body.earlier.xy - params.column_origin, params.down) - body.motion.w;
}

// Bins take over the bed of the bins below, from the bottom up. One thread for each column.
@compute @workgroup_size(64)
fn settle_beds(@builtin(global_invocation_id) at: vec3u) {
    if at.x >= params.bins.x { return; }
    var stands = false;
    var below = NONE;
    var base = NONE;
    var home = NONE;
    for (var row = params.bins.y; row > 0u; row--) {
        let index = at.x * params.bins.y + row - 1u;
        if atomicLoad(&bins[index].count) == 0u {
            stands = false;
            continue;
        }
        if !stands {
            below = bins[index].bed;
            home = bins[index].base;
            base = home;
        }
        let lowest = params.first_bin.y + i32(row - 1u);
        if (f32(lowest) + f32(atomicLoad(&bins[index].deepest)) / DEPTHS) * params.interaction_radius < crest_of(below) {
            below = base;
            base = home;
        }
        bins[index].bed = below;
        if bins[index].floor > 0u {
            let upper = bins[index].upper;
            if crest_of(below) < crest_of(upper) { base = below; }
            below = upper;
        }
        bins[index].base = base;
        stands = true;
    }
}

@compute @workgroup_size(64)
fn damp(@builtin(global_invocation_id) at: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let i = index_of(at, groups);
    if i >= params.count || !takes_part(particles[i]) { return; }
    let kind = particles[i].kind;
    if (kind & (ASLEEP | PREDICTED)) == ASLEEP { return; }
    let place = place_of(particles[i].position);
    var bed = bins[place.bin].bed;
    if place.depth < bins[place.bin].floor { bed = bins[place.bin].upper; }
    let depth = dot(particles[i].position - params.column_origin, params.down);
    if depth < crest_of(bed) { bed = bins[place.bin].base; }
    let velocity = particles[i].velocity;
    if bed == NONE {
        particles[i].velocity = damped(velocity);
        return;
    }
    let body = body_at(bed);
    let of_bed = body.motion.xy;
    let after = of_bed + damped(velocity - of_bed);
    particles[i].velocity = after;
    bear(body, body.earlier, particles[i].position, (after - velocity) * mass_of(kind & CLASS));
}
