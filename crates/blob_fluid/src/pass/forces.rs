//! Forces at a place (interaction, Clavet et al. 2005, section 6.2).

use crate::world::FluidWorld;

/// `v += dt a (1 - (r/R)^2) r_hat` towards each force's centre, then its drag, then its heat.
pub fn apply_forces(world: &mut FluidWorld) {
    let time_step = world.coefficients.time_step;
    let particles = &mut world.particles;
    for force in &world.forces {
        for (place, position) in particles.position.iter().enumerate() {
            if let Some((strength, offset)) = force.strength(*position) {
                let direction = offset.normalize_or_zero();
                let velocity = &mut particles.velocity[place];
                *velocity += direction * (force.acceleration * strength * time_step);
                *velocity /= 1.0 + force.drag * strength * time_step;
                particles.temperature[place] += force.heat * strength * time_step;
            }
        }
    }
}
