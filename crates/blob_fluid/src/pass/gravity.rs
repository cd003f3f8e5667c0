//! Gravity (Clavet et al. 2005, Algorithm 1, lines 1-3).

use crate::world::FluidWorld;

/// `v += dt g s`, where `s` is the class's gravity scale, less `expansion (T - T_ambient)` of it
/// where heat makes it lighter.
pub fn apply_gravity(world: &mut FluidWorld) {
    let classes = &world.coefficients.classes;
    let particles = &mut world.particles;
    for (velocity, class) in particles.velocity.iter_mut().zip(&particles.class) {
        *velocity += classes[class.index()].gravity_impulse;
    }
    if classes.iter().all(|class| class.expansion == 0.0) {
        return;
    }
    let ambient = world.coefficients.ambient_temperature;
    let warmth = particles.temperature.iter().map(|temperature| temperature - ambient);
    for ((velocity, class), warmth) in
        particles.velocity.iter_mut().zip(&particles.class).zip(warmth)
    {
        let class = &classes[class.index()];
        *velocity -= class.gravity_impulse * (class.expansion * warmth).clamp(-2.0, 2.0);
    }
}
