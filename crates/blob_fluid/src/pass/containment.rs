//! Walls and colliders (Clavet et al. 2005, Algorithm 1, line 16, and Algorithm 6).

use crate::coefficients::Coefficients;
use crate::container::container_of;
use crate::parameters::Wall;
use crate::particle::Particles;
use crate::surface::NearSurface;
use crate::world::FluidWorld;

/// Keeps every particle inside the container it was in before the substep, and out of colliders.
///
/// A particle that met a surface is moved onto it and loses its speed into it, relative to the
/// surface: `I = v_n - mu v_t`, the normal part whole and of the tangential part as much as the
/// surface's friction says. Reflecting walls snap a particle inside and turn its normal speed
/// around instead. Either may send it back inside ("unsticking").
pub fn contain(world: &mut FluidWorld) {
    match world.coefficients.wall {
        Some(Wall::Reflect { restitution, .. }) => {
            keep_out(world);
            reflect(world, restitution);
        }
        _ => keep_inside(world),
    }
    world.grid_is_current = false;
}

/// Moves particles beyond a surface onto it.
///
/// The velocity follows by no more than cancels the speed into the surface plus V0, so that a lone
/// particle which a jumping container leaves outside comes back slowly. Liquid that such a jump
/// packs together at the wall spreads again as fast as pressure drives it, which is bounded.
pub(crate) fn keep_inside(world: &mut FluidWorld) {
    keep_out(world);
    let (coefficients, particles) = (&world.coefficients, &mut world.particles);
    for place in 0..particles.position.len() {
        let home = particles.previous_position[place];
        let Some(container) = container_of(&world.solids.containers, home) else {
            return;
        };
        container.near_walls(particles.position[place], 0.0, |near| {
            meet(coefficients, particles, place, &near);
            particles.position[place] -= near.normal * near.distance;
        });
    }
}

/// Moves particles inside colliders, or that passed through one, onto its surface.
fn keep_out(world: &mut FluidWorld) {
    let (coefficients, particles) = (&world.coefficients, &mut world.particles);
    for collider in &world.solids.colliders {
        for place in 0..particles.position.len() {
            let (before, after) = (particles.previous_position[place], particles.position[place]);
            if let Some((stopped, near)) = collider.stop(before, after, coefficients.time_step) {
                meet(coefficients, particles, place, &near);
                particles.position[place] = stopped;
            }
        }
    }
}

/// Lets the velocity of a particle follow from its meeting a surface.
fn meet(coefficients: &Coefficients, particles: &mut Particles, place: usize, near: &NearSurface) {
    let time_step = coefficients.time_step;
    let displacement = &mut particles.displacement[place];
    let travel = (particles.velocity[place] - near.velocity) * time_step + *displacement;
    let along = travel.dot(near.normal);
    let ejection = coefficients.ejection_speed * time_step;
    let followed = (-near.distance).min((-along).max(0.0) + ejection);
    *displacement += near.normal * (followed + coefficients.unsticking_speed * time_step);
    if let Some(friction) = near.surface.friction
        && along < 0.0
    {
        *displacement -= (travel - near.normal * along) * friction;
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
        let Some(container) = container_of(&world.solids.containers, home) else {
            return;
        };
        container.near_walls(particles.position[place], 0.0, |wall| {
            if wall.distance >= -coefficients.dead_zone {
                return;
            }
            let displacement = &mut particles.displacement[place];
            let travel = (particles.velocity[place] - wall.velocity) * time_step + *displacement;
            let along = travel.dot(wall.normal);
            let tangential = travel - wall.normal * along;
            particles.position[place] += wall.normal * (inset - wall.distance);
            let unsticking = coefficients.unsticking_speed * time_step;
            let turned = (-along).max(0.0) * (1.0 + restitution);
            *displacement += wall.normal * (turned + unsticking);
            *displacement -= tangential * wall.surface.friction.unwrap_or(0.0);
        });
    }
}
