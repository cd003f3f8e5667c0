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
