//! The drags that bring a pool to rest. Not in the paper: plain viscosity alone lets it rock on.

use crate::container::container_of;
use crate::kernel::positive;
use crate::world::FluidWorld;

/// Drag on everything, drag on slow particles, and drag along walls, all implicit:
/// `v /= 1 + dt c`.
///
/// The calm drag fades as `(1 - |v|/v_calm)^2`; wall friction acts on the tangential velocity and
/// fades as `1 - 2 d/h`. All are off while gravity is zero.
pub fn apply_damping(world: &mut FluidWorld) {
    let coefficients = &world.coefficients;
    let particles = &mut world.particles;
    if coefficients.drag > 0.0 || coefficients.calm_drag > 0.0 {
        for velocity in &mut particles.velocity {
            let slowness = positive(1.0 - velocity.length() * coefficients.inverse_calm_speed);
            let drag = coefficients.drag + coefficients.calm_drag * slowness * slowness;
            *velocity /= 1.0 + drag;
        }
    }
    if coefficients.wall_friction > 0.0 {
        let reach = 0.5 * coefficients.interaction_radius;
        for (velocity, position) in particles.velocity.iter_mut().zip(&particles.position) {
            let Some(container) = container_of(&world.containers, *position) else {
                return;
            };
            container.near_walls(*position, reach, |wall| {
                let tangent = wall.normal.perp();
                let closeness = 1.0 - positive(wall.distance) / reach;
                let drag = coefficients.wall_friction * closeness;
                *velocity -= tangent * (velocity.dot(tangent) * drag / (1.0 + drag));
            });
        }
    }
}
