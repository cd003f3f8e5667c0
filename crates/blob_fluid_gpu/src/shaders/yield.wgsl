// Bodies yield to the liquid within a tick. The host moves them with the loads that it knows of, which are those of some
// ticks ago and a guess of what came since. What the liquid has really given is known here: the difference is
// a motion on top of the host's, and what this motion adds up to is an offset, which fades.

@group(0) @binding(1) var<storage, read> bearers: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> loads: array<u32>;
@group(0) @binding(3) var<storage, read_write> solids: array<vec4u>;

// Steps that were given, without those that the host had let it have.
fn steps_beyond(at: u32, known: vec2u) -> f32 {
    var low = loads[at] - known.x;
    var high = loads[at + 1u] - known.y - select(0u, 1u, loads[at] < known.x);
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

// A thread for each bearer.
@compute @workgroup_size(64)
fn move_bearers(@builtin(global_invocation_id) at: vec3u) {
    if at.x >= bearers[0].z { return; }
    let record = bearers[0].w + BEARER * at.x;
    let one = bearers[record];
    let two = bearers[record + 1u];
    let three = bearers[record + 2u];
    let four = bitcast<vec3f>(bearers[record + 3u].xyz);
    let inertia = bitcast<vec2f>(three.xy);
    let first = LOAD * at.x;
    // What the host lets it have in this substep stands for what the liquid will.
    let substep = f32(loads[first + SUBSTEPS] - three.z);
    loads[first + SUBSTEPS]++;
    let impulse = vec2f(steps_beyond(first, one.xy), steps_beyond(first + 2u, one.zw)) - four.xy * substep;
    let angular = steps_beyond(first + 4u, two.xy) - four.z * substep;
    let farthest = inertia.y;
    let fastest = params.most_push;
    let velocity = limited(impulse / bitcast<f32>(bearers[1].x) * bitcast<vec2f>(two.zw), fastest);
    let turn = clamp(angular / bitcast<f32>(bearers[1].y) * inertia.x, -fastest / farthest, fastest / farthest);

    let before = three_at(first + AFTER);
    let moved = before * bitcast<f32>(bearers[1].z) + vec3f(velocity, turn) * params.time_step;
    // As far as the bins reach.
    let most = 0.5 * params.radius;
    let after = vec3f(limited(moved.xy, most), clamp(moved.z, -most / farthest, most / farthest));
    keep_three(first + BEFORE, before);
    keep_three(first + AFTER, after);
    keep_three(first + MORE, vec3f(velocity, turn));
}

fn shifted(pose: vec4f, slot: u32, offset: vec3f) -> vec4f {
    let centre = centre_of_mass(slot, pose);
    let by = vec4f(offset.xy, cos(offset.z), sin(offset.z));
    return vec4f(centre + to_world(by, pose.xy - centre), normalize(turned(by, pose.zw)));
}

// A thread for each body that moves.
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
