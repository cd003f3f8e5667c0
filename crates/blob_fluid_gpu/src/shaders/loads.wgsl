// The loads of the liquid on colliders, and bodies that yield to them.

//# bearers
// The bearers of the liquid's loads on colliders. The buffer contains, in this order:
// - a head: the place of the first moving body, the number of moving bodies, the number of bearers,
//   the place of the first bearer; steps per impulse and per angular impulse, the remaining
//   fraction of an offset after a substep, and the place of the first change,
// - for each collider with a load its slot: the number of its bearer, and the centre of mass in the
//   collider's frame,
// - the bearers,
// - the changes: for each substep and bearer, the host's change of velocity and angular velocity at
//   the beginning of the substep.

// Number of entries of a bearer. They contain the steps of impulse and angular impulse that the
// host had applied before the tick, as three 64-bit numbers; 1/mass along each axis; 1/moment of
// inertia; the distance of the farthest corner from the centre of mass; the number of substeps
// before the tick; the steps that the host applies in each substep; and padding.
const BEARER: u32 = 4u;

// Number of words of a bearer in `loads`. They contain three 64-bit sums, the lower half first; the
// offset from the host's pose, before and after the substep; the motion in addition to that of the
// host; the number of substeps; 64-bit sums over the attached masses; the change of motion that
// these share; the factor on the masses; and padding. The sums are of the mass, of the mass times
// the offset, and of the mass times its square, in interaction radii.
const LOAD: u32 = 32u;
const BEFORE: u32 = 6u;
const AFTER: u32 = 9u;
const MORE: u32 = 12u;
const SUBSTEPS: u32 = 15u;
const MASS: u32 = 16u;
const CHANGE: u32 = 24u;
const FACTOR: u32 = 27u;

// The slot of a body's collider; 0 without a load.
fn slot_of(body: Body) -> u32 { return body.flags >> 8u; }

// A pose, shifted by an offset of the bearer.
fn shifted(pose: vec4f, slot: u32, offset: vec3f) -> vec4f {
    let centre = centre_of_mass(slot, pose);
    let by = vec4f(offset.xy, cos(offset.z), sin(offset.z));
    return vec4f(centre + to_world(by, pose.xy - centre), normalize(turned(by, pose.zw)));
}

// The centre of mass of a collider's bearer.
fn centre_of_mass(slot: u32, pose: vec4f) -> vec2f {
    return to_world(pose, bitcast<vec2f>(bearers[slot].yz));
}

//# sums
// Adds an integer to a 64-bit sum.
fn add_steps(at: u32, steps: f32) {
    if steps == 0.0 { return; }
    let size = abs(steps);
    let upper = floor(size * 0x1p-32);
    var high = u32(upper);
    var low = u32(size - upper * 0x1p32);
    if steps < 0.0 {
        low = ~low + 1u;
        high = ~high + select(0u, 1u, low == 0u);
    }
    let before = atomicAdd(&sums[at], low);
    high += select(0u, 1u, before + low < low);
    if high != 0u { atomicAdd(&sums[at + 1u], high); }
}

//# loads
// The loads on colliders: the reactions of their impulses on particles. The sums are of integers,
// so their order does not matter.

// Adds the impulse that a body with this pose has given to a particle at a point.
fn bear(body: Body, pose: vec4f, point: vec2f, given: vec2f) {
    let slot = slot_of(body);
    if slot == 0u { return; }
    let lever = point - centre_of_mass(slot, pose);
    let impulse = round(-given * bitcast<f32>(bearers[1].x));
    let angular = round((lever.y * given.x - lever.x * given.y) * bitcast<f32>(bearers[1].y));
    if !within(impulse, 0x1p62) || !within(vec2f(angular), 0x1p62) { return; }
    let at = LOAD * bearers[slot].x;
    add_steps(at, impulse.x);
    add_steps(at + 2u, impulse.y);
    add_steps(at + 4u, angular);
}

//# no_loads
// `displace` calls `contain` only without measured loads, so this does nothing.
fn bear(body: Body, pose: vec4f, point: vec2f, given: vec2f) {}

//# bear_loads
// Passes with measured loads: the walls' pressure on colliders, and the end of `displace`, which
// omits it then.

@group(0) @binding(1) var<storage, read> sorted: array<Particle>;
@group(0) @binding(2) var<storage, read_write> particles: array<Particle>;
@group(0) @binding(3) var<storage, read> states: array<vec4f>;
@group(0) @binding(4) var<storage, read> starts: array<u32>;
// Classes, then pairs of classes.
@group(0) @binding(5) var<storage, read> tables: array<vec4f>;
@group(0) @binding(6) var<storage, read> solids: array<vec4u>;
@group(0) @binding(7) var<storage, read> bearers: array<vec4u>;
@group(0) @binding(8) var<storage, read_write> sums: array<atomic<u32>>;

// Whether particles may sleep. Otherwise the compiler removes the code.
override SLEEP: bool = true;

@compute @workgroup_size(64)
fn bear_loads(@builtin(global_invocation_id) at: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let i = index_of(at, groups);
    if i >= starts[params.cells] { return; }
    var particle = particles[i];
    // Sleeping particles keep their positions.
    if SLEEP && (particle.kind & ASLEEP) != 0u { return; }
    let home = sorted[i].position;
    if may_have_walls(home) { press_on_colliders(home, states[i].zw, particle.kind & CLASS); }
    contain(&particle, home, false);
    particle.velocity += particle.displacement / params.time_step;
    particles[i] = particle;
}

fn press_on_colliders(p: vec2f, pressure: vec2f, class_index: u32) {
    let own = class_at(class_index);
    var near = find_walls(p, class_index, false);
    var attracted = vec2f(0.0);
    // Only tension attracts.
    let attracts = pressure.x < 0.0 || pressure.y < 0.0;
    for (var number = 0u; attracts && number < near.count; number++) {
        if is_out_of_sight(&near, number) { continue; }
        attracted += push_of_wall(shown_wall(&near, number, p), pressure, own).attracted;
    }
    let held = part_of_attraction(attracted, own);
    let momentum = own.mass / params.time_step;
    for (var number = 0u; number < near.count; number++) {
        if is_out_of_sight(&near, number) { continue; }
        let wall = near.walls[number];
        let shown = shown_wall(&near, number, p);
        let push = push_of_wall(shown, pressure, own);
        var given = push.pushed + push.attracted * held - shown.slope * push.against_slope;
        // The nearer wall itself bears its contribution to the slope.
        for (var rank = 0u; rank < near.count; rank++) {
            let index = near.order[rank];
            if index == number { break; }
            let nearer = near.walls[index];
            if is_out_of_sight(&near, index) || !share_liquid(wall, nearer) { continue; }
            let others = fade_in_of(wall) * part_of_others(&near, number, index);
            let of_nearer = slope_of_nearer(wall, nearer, others, p) * -push.against_slope;
            given -= of_nearer;
            bear_wall(nearer, p, of_nearer * momentum);
        }
        bear_wall(wall, p, given * momentum);
    }
}

fn bear_wall(wall: NearWall, p: vec2f, given: vec2f) {
    if wall.body == NONE { return; }
    let body = body_at(wall.body);
    bear(body, body.later, p, given);
}

//# yield
// Bodies yield to the liquid within a tick. The host moves them with known loads from some ticks
// ago and an estimate of the later ones. The actual loads are known here. The difference is a
// motion in addition to the host's, and its sum is an offset, which fades.

@group(0) @binding(1) var<storage, read> bearers: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> loads: array<u32>;
@group(0) @binding(3) var<storage, read_write> solids: array<vec4u>;

// Steps of the actual load, without the steps that the host had applied.
fn steps_beyond(at: u32, known: vec2u) -> f32 {
    let low = loads[at] - known.x;
    return signed(vec2u(low, loads[at + 1u] - known.y - select(0u, 1u, loads[at] < known.x)));
}

// Converts a 64-bit integer.
fn signed(halves: vec2u) -> f32 {
    var low = halves.x;
    var high = halves.y;
    let negative = (high >> 31u) != 0u;
    if negative {
        low = ~low + 1u;
        high = ~high + select(0u, 1u, low == 0u);
    }
    let size = f32(high) * 0x1p32 + f32(low);
    return select(size, -size, negative);
}

fn limited(way: vec2f, most: f32) -> vec2f {
    let long = length(way);
    if long > most { return way * (most / long); }
    return way;
}

fn three_at(at: u32) -> vec3f {
    return bitcast<vec3f>(vec3u(loads[at], loads[at + 1u], loads[at + 2u]));
}

fn keep_three(at: u32, numbers: vec3f) {
    let bits = bitcast<vec3u>(numbers);
    for (var k = 0u; k < 3u; k++) { loads[at + k] = bits[k]; }
}

// The properties of a bearer that yields.
struct Bearer { record: u32, first: u32, inverse_mass: vec2f, inverse_inertia: f32, farthest: f32, substep: u32 }

fn bearer_at(number: u32) -> Bearer {
    let record = bearers[0].w + BEARER * number;
    let first = LOAD * number;
    let three = bearers[record + 2u];
    let inertia = bitcast<vec2f>(three.xy);
    let inverse_mass = bitcast<vec2f>(bearers[record + 1u].zw);
    return Bearer(record, first, inverse_mass, inertia.x, inertia.y, loads[first + SUBSTEPS] - three.z);
}

// The host's change of motion at the beginning of the substep.
fn change_by_host(bearer: Bearer, number: u32) -> vec3f {
    return bitcast<vec3f>(bearers[bearers[1].w + bearer.substep * bearers[0].z + number].xyz);
}

// A change of motion by an impulse and an angular impulse, in steps.
fn change_by(bearer: Bearer, steps: vec3f) -> vec3f {
    return vec3f(steps.xy / bitcast<f32>(bearers[1].x) * bearer.inverse_mass,
        steps.z / bitcast<f32>(bearers[1].y) * bearer.inverse_inertia);
}

// The steps that the host applies in each substep.
fn steps_per_substep(bearer: Bearer) -> vec3f { return bitcast<vec3f>(bearers[bearer.record + 3u].xyz); }

fn limited_motion(motion: vec3f, fastest: f32, farthest: f32) -> vec3f {
    return vec3f(limited(motion.xy, fastest), clamp(motion.z, -fastest / farthest, fastest / farthest));
}

// The motion from the difference between the actual load and the host's.
fn motion_beyond(bearer: Bearer) -> vec3f {
    let one = bearers[bearer.record];
    let two = bearers[bearer.record + 1u];
    let first = bearer.first;
    let given = vec3f(steps_beyond(first, one.xy), steps_beyond(first + 2u, one.zw), steps_beyond(first + 4u, two.xy));
    let beyond = given - steps_per_substep(bearer) * f32(bearer.substep);
    return limited_motion(change_by(bearer, beyond), params.most_push, bearer.farthest);
}

// The change of a bearer's motion by loads, gravity and contacts alone. One thread for each bearer.
@compute @workgroup_size(64)
fn find_changes(@builtin(global_invocation_id) at: vec3u) {
    if at.x >= bearers[0].z { return; }
    let bearer = bearer_at(at.x);
    let first = bearer.first;
    let change = change_by_host(bearer, at.x) + motion_beyond(bearer) - three_at(first + MORE);
    keep_three(first + CHANGE, change);
    for (var k = 0u; k < 8u; k++) { loads[first + MASS + k] = 0u; }
}

fn sum_at(at: u32) -> f32 { return signed(vec2u(loads[at], loads[at + 1u])); }

// The change together with the attached masses: dV = dV_0 - M^-1 A dV for both axes and the angle,
// where A is their mass matrix. The masses are scaled so that the body together with them is at
// least `attached_mass` times as heavy as they were. For a fixed centre the same applies to the
// moments of inertia. One thread for each bearer.
@compute @workgroup_size(64)
fn share_changes(@builtin(global_invocation_id) at: vec3u) {
    if at.x >= bearers[0].z { return; }
    let bearer = bearer_at(at.x);
    let first = bearer.first;
    let unit = 1.0 / (bitcast<f32>(bearers[1].x) * params.speed_unit);
    let mass = sum_at(first + MASS) * unit;
    let moment = vec2f(sum_at(first + MASS + 2u), sum_at(first + MASS + 4u)) * (unit * params.interaction_radius);
    let second = sum_at(first + MASS + 6u) * (unit * params.interaction_radius * params.interaction_radius);
    // The lightness of the body relative to the wanted mass.
    var lightness = max(bearer.inverse_mass.x, bearer.inverse_mass.y) * params.attached_mass * mass;
    if lightness == 0.0 { lightness = bearer.inverse_inertia * params.attached_mass * second; }
    if lightness <= 1.0 {
        loads[first + FACTOR] = 0u;
        return;
    }
    let factor = params.attached_mass * (1.0 - 1.0 / lightness);
    loads[first + FACTOR] = bitcast<u32>(factor);
    let alone = three_at(first + CHANGE);
    let share = 1.0 / (1.0 + bearer.inverse_mass * (factor * mass));
    let levers = vec2f(-moment.y, moment.x) * factor;
    let straight = alone.xy * share;
    let coupling = levers * bearer.inverse_mass * share;
    let stiffness = 1.0 + bearer.inverse_inertia * (factor * second - dot(levers, coupling));
    let angular = (alone.z - bearer.inverse_inertia * dot(levers, straight)) / stiffness;
    keep_three(first + CHANGE, vec3f(straight - coupling * angular, angular));
}

// One thread for each bearer.
@compute @workgroup_size(64)
fn move_bearers(@builtin(global_invocation_id) at: vec3u) {
    if at.x >= bearers[0].z { return; }
    let bearer = bearer_at(at.x);
    let first = bearer.first;
    let motion = motion_beyond(bearer);
    loads[first + SUBSTEPS]++;
    let farthest = bearer.farthest;

    let before = three_at(first + AFTER);
    let moved = before * bitcast<f32>(bearers[1].z) + motion * params.time_step;
    // The bins allow no larger offset.
    let most = 0.5 * params.interaction_radius;
    let after = vec3f(limited(moved.xy, most), clamp(moved.z, -most / farthest, most / farthest));
    keep_three(first + BEFORE, before);
    keep_three(first + AFTER, after);
    keep_three(first + MORE, motion);
}

// One thread for each moving body.
@compute @workgroup_size(64)
fn shift_bodies(@builtin(global_invocation_id) at: vec3u) {
    if at.x >= bearers[0].y { return; }
    let address = bearers[0].x + 4u * at.x;
    let body = body_at(address);
    let slot = slot_of(body);
    if slot == 0u { return; }
    let first = LOAD * bearers[slot].x;
    let more = three_at(first + MORE);
    let later = shifted(body.later, slot, three_at(first + AFTER));
    let arm = later.xy - (centre_of_mass(slot, body.later) + three_at(first + AFTER).xy);
    let velocity = body.motion.xy + more.xy + more.z * vec2f(-arm.y, arm.x);
    solids[address] = bitcast<vec4u>(shifted(body.earlier, slot, three_at(first + BEFORE)));
    solids[address + 1u] = bitcast<vec4u>(later);
    solids[address + 2u] = bitcast<vec4u>(vec4f(velocity, body.motion.z + more.z, body.motion.w));
}

//# added_mass
// The added mass of bodies. Particles that touch a body share its change of motion in a substep. So
// a body that is lighter than the displaced liquid is not thrown about. The attached masses are
// summed as integers, so the order of sums does not matter.

@group(0) @binding(1) var<storage, read_write> particles: array<Particle>;
// The tables begin with the classes.
@group(0) @binding(2) var<storage, read> tables: array<vec4f>;
@group(0) @binding(3) var<storage, read> solids: array<vec4u>;
@group(0) @binding(4) var<storage, read> bearers: array<vec4u>;
@group(0) @binding(5) var<storage, read_write> sums: array<atomic<u32>>;

fn three_of(at: u32) -> vec3f {
    return bitcast<vec3f>(vec3u(atomicLoad(&sums[at]), atomicLoad(&sums[at + 1u]), atomicLoad(&sums[at + 2u])));
}

// Visits the bodies that a particle touches. Without `gives` it adds the masses that would be
// attached to massless bodies. With `gives` the particle takes its share of their changes of
// motion. Returns the particle's velocity.
fn touch(particle: Particle, gives: bool) -> vec2f {
    let p = particle.position;
    let class_index = particle.kind & CLASS;
    let jump_depth = bitcast<f32>(solids[6].x);
    let table = table_at(1u);
    var velocity = particle.velocity;
    for (var number = 0u; number < 2u; number++) {
        var range = vec2u(table.everywhere, table.everywhere_end);
        if number == 1u { range = entries_at(table, p); }
        var first = range.x;
        while first < range.y {
            let owner = body_of(word(first));
            let end = end_of_body(first, range.y);
            let body = body_at(owner);
            let slot = slot_of(body);
            if slot != 0u && stops(body, class_index) {
                let row = LOAD * bearers[slot].x;
                // The pose before the substep.
                let pose = shifted(body.earlier, slot, three_of(row + AFTER));
                let nearest = nearest_of(first, end, body.flags, to_local(pose, p));
                let behind = nearest.distance < 0.0 && (body.flags & ONE_WAY) != 0u;
                if nearest.distance < params.interaction_radius && nearest.distance >= -jump_depth && !behind {
                    let closeness = 1.0 - max(nearest.distance, 0.0) * params.inverse_radius;
                    let mass = closeness * mass_of(class_index);
                    let offset = p - centre_of_mass(slot, pose);
                    if gives {
                        velocity += give(body, pose, row, p, offset, mass) / mass_of(class_index);
                    } else {
                        attach(row, offset * params.inverse_radius, mass);
                    }
                }
            }
            first = end;
        }
    }
    return velocity;
}

fn attach(row: u32, offset: vec2f, mass: f32) {
    let steps = mass * params.speed_unit * bitcast<f32>(bearers[1].x);
    add_steps(row + MASS, round(steps));
    add_steps(row + MASS + 2u, round(steps * offset.x));
    add_steps(row + MASS + 4u, round(steps * offset.y));
    add_steps(row + MASS + 6u, round(steps * dot(offset, offset)));
}

// The momentum that a particle receives.
fn give(body: Body, pose: vec4f, row: u32, p: vec2f, offset: vec2f, mass: f32) -> vec2f {
    let change = three_of(row + CHANGE);
    let factor = bitcast<f32>(atomicLoad(&sums[row + FACTOR]));
    let given = (change.xy + change.z * vec2f(-offset.y, offset.x)) * (factor * mass);
    bear(body, pose, p, given);
    return given;
}

fn is_awake(particle: Particle) -> bool {
    return (particle.kind & (OUT_OF_PLAY | ASLEEP)) == 0u && within(particle.position, params.reach);
}

@compute @workgroup_size(64)
fn attach_masses(@builtin(global_invocation_id) at: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let i = index_of(at, groups);
    if i < params.count && is_awake(particles[i]) { _ = touch(particles[i], false); }
}

@compute @workgroup_size(64)
fn give_changes(@builtin(global_invocation_id) at: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let i = index_of(at, groups);
    if i < params.count && is_awake(particles[i]) { particles[i].velocity = touch(particles[i], true); }
}
