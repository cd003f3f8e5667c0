//! Gravity (Clavet et al. 2005, Algorithm 1, lines 1-3).

use crate::world::FluidWorld;

/// `v += dt g s`, where `s` is the class's gravity scale.
pub fn apply_gravity(world: &mut FluidWorld) {
    let classes = &world.coefficients.classes;
    let particles = &mut world.particles;
    for (velocity, class) in particles.velocity.iter_mut().zip(&particles.class) {
        *velocity += classes[class.index()].gravity_impulse;
    }
}
