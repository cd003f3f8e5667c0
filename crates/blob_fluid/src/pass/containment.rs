//! Walls and colliders (Clavet et al. 2005, Algorithm 1, line 16, and Algorithm 6).

use crate::coefficients::Coefficients;
use crate::collider::Collider;
use crate::container::{Container, container_of};
use crate::parameters::Wall;
use crate::particle::Particles;
use crate::surface::NearSurface;
use crate::world::FluidWorld;

/// How often a particle between several surfaces is put from one onto another before it is left
/// where it came from.
const ROUNDS: u32 = 4;

/// Keeps every particle inside the container it was in before the substep, and out of colliders.
///
/// A particle that met a surface is moved onto it, and its velocity follows: it loses the speed with
/// which it would have gone on beyond, relative to the surface, and along with it of the tangential
/// speed as much as the surface's friction says: `I = v_n - mu v_t`. Reflecting walls snap a particle
/// inside and turn its normal speed around instead. Either may send it back inside ("unsticking").
pub fn contain(world: &mut FluidWorld) {
    match world.coefficients.wall {
        Some(Wall::Reflect { restitution, .. }) => {
            keep_inside(world, false);
            reflect(world, restitution);
        }
        _ => keep_inside(world, true),
    }
    world.grid_is_current = false;
}

/// Moves particles beyond a surface onto it: of colliders, and of `walls` of containers as well.
///
/// The velocity follows by no more than cancels the speed into the surface plus V0, so that a lone
/// particle which a jumping container leaves outside comes back slowly. Liquid that such a jump
/// packs together at the wall spreads again as fast as pressure drives it, which is bounded.
pub(crate) fn keep_inside(world: &mut FluidWorld, walls: bool) {
    let (coefficients, particles) = (&world.coefficients, &mut world.particles);
    let solids = &world.solids;
    for place in 0..particles.position.len() {
        let home = particles.previous_position[place];
        let container = container_of(&solids.containers, home).filter(|_| walls);
        if solids.colliders.is_empty() {
            let Some(container) = container else { return };
            stay(coefficients, particles, place, container);
            continue;
        }
        // Out of one surface may be into another.
        let conflicts = |particles: &mut Particles| {
            let mut deepest = keep_out(coefficients, particles, place, &solids.colliders);
            if let Some(container) = container {
                deepest = deepest.max(stay(coefficients, particles, place, container));
            }
            deepest > coefficients.coincidence
        };
        if (0..ROUNDS).all(|_| conflicts(particles)) {
            particles.position[place] = home;
            particles.displacement[place] = -particles.velocity[place] * coefficients.time_step;
        }
    }
}

/// Moves a particle beyond a container's walls onto them; returns how far it was beyond.
fn stay(
    coefficients: &Coefficients,
    particles: &mut Particles,
    place: usize,
    container: &Container,
) -> f32 {
    let mut deepest = 0.0_f32;
    container.near_walls(particles.position[place], 0.0, |near| {
        meet(coefficients, particles, place, &near);
        particles.position[place] -= near.normal * near.distance;
        deepest = deepest.max(-near.distance);
    });
    deepest
}

/// Moves a particle inside colliders, or that passed through one, onto their surfaces; returns how
/// far it was beyond.
fn keep_out(
    coefficients: &Coefficients,
    particles: &mut Particles,
    place: usize,
    colliders: &[Collider],
) -> f32 {
    let mut deepest = 0.0_f32;
    for collider in colliders {
        let (before, after) = (particles.previous_position[place], particles.position[place]);
        if let Some((stopped, near)) = collider.stop(before, after, coefficients.time_step) {
            meet(coefficients, particles, place, &near);
            particles.position[place] = stopped;
            deepest = deepest.max(-near.distance);
        }
    }
    deepest
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
        // Along with as much of the normal speed.
        let part = (followed / -along).min(1.0);
        *displacement -= (travel - near.normal * along) * (friction * part);
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
