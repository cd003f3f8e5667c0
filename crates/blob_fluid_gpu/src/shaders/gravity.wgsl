fn mass_of(class_index: u32) -> f32 { return classes[class_index].mass; }

// v += dt g s
fn apply_gravity(velocity: vec2f, class_index: u32) -> vec2f {
    return velocity + classes[class_index].gravity_impulse;
}
