// Whether heat may reduce the weight of particles. Otherwise the compiler removes the code.
override HEAT: bool = true;

fn mass_of(class_index: u32) -> f32 { return classes[class_index].mass; }

// v += dt g s, without the fraction of the weight that `warm` has found to be lost.
fn apply_gravity(velocity: vec2f, class_index: u32, number: u32) -> vec2f {
    var v = velocity + classes[class_index].gravity_impulse;
    if HEAT { v -= classes[class_index].gravity_impulse * bitcast<f32>(keys[number].x); }
    return v;
}
