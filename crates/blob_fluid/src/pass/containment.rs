//! Containers' walls (Clavet et al. 2005, Algorithm 1, line 16: collisions).

use glam::Vec2;

use crate::container::container_of;
use crate::parameters::Wall;
use crate::world::FluidWorld;

/// Keeps every particle inside the container it was in before the substep.
///
/// Ghost walls are inelastic: a particle beyond one is moved to it and loses its outward speed.
/// Reflecting walls snap it inside and turn its normal speed around. Either may send a particle
/// that touches the wall back inside ("unsticking").
pub fn contain(world: &mut FluidWorld) {
    match world.coefficients.wall {
        Some(Wall::Reflect { restitution, .. }) => reflect(world, restitution),
        _ => keep_inside(world),
    }
    world.grid_is_current = false;
}

/// Moves particles beyond a wall onto it.
///
/// The velocity follows by no more than cancels the outward speed, so that liquid which a moved
/// container leaves far outside comes back without a burst.
pub(crate) fn keep_inside(world: &mut FluidWorld) {
    let coefficients = &world.coefficients;
    let particles = &mut world.particles;
    let time_step = coefficients.time_step;
    for place in 0..particles.position.len() {
        let home = particles.previous_position[place];
        let Some(container) = container_of(&world.containers, home) else {
            return;
        };
        let position = particles.position[place];
        let offset = container.project(position) - position;
        if offset == Vec2::ZERO {
            continue;
        }
        let distance = offset.length();
        let inward = offset / distance;
        let displacement = &mut particles.displacement[place];
        let outward_travel = -(particles.velocity[place] * time_step + *displacement).dot(inward);
        let ejection = coefficients.ejection_speed * time_step;
        let followed = distance.min(outward_travel.max(0.0) + ejection);
        particles.position[place] = position + offset;
        *displacement += inward * (followed + coefficients.unsticking_speed * time_step);
    }
}

/// Snaps particles beyond the dead zone inside and reflects their normal velocity.
fn reflect(world: &mut FluidWorld, restitution: f32) {
    let coefficients = &world.coefficients;
    let particles = &mut world.particles;
    let time_step = coefficients.time_step;
    let inset = 0.4 * coefficients.dead_zone;
    for place in 0..particles.position.len() {
        let home = particles.previous_position[place];
        let Some(container) = container_of(&world.containers, home) else {
            return;
        };
        container.near_walls(particles.position[place], 0.0, |wall| {
            if wall.distance >= -coefficients.dead_zone {
                return;
            }
            let displacement = &mut particles.displacement[place];
            let travel = particles.velocity[place] * time_step + *displacement;
            let outward = -travel.dot(wall.normal);
            particles.position[place] += wall.normal * (inset - wall.distance);
            let unsticking = coefficients.unsticking_speed * time_step;
            let turned = outward.max(0.0) * (1.0 + restitution);
            *displacement += wall.normal * (turned + unsticking);
        });
    }
}
