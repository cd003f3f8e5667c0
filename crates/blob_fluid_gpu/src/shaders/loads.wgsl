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
