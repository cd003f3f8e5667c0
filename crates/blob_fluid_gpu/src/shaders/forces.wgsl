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
