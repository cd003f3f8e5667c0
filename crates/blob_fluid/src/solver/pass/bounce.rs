//! Walls that reflect particles, for solvers that let them.

use crate::boundary::chunk_loads::Loads;
use crate::boundary::container::container_of;
use crate::boundary::free_disc::FreeDiscs;
use crate::boundary::near::Near;
use crate::boundary::solids::Solids;
use crate::parallel::executor::Executor;
use crate::particles::arrays::Particles;
use crate::solver::coefficients::Coefficients;
use crate::solver::pass::containment::{MovedParticle, for_each_moved, lost_on_impact};

/// How the walls of convex containers reflect.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Bounce {
    /// Fraction of the normal speed that a particle keeps.
    pub restitution: f32,
    /// How far beyond a wall a particle is left alone, in world units.
    pub dead_zone: f32,
}

/// Moves particles that are beyond a wall by more than the dead zone back inside, and reflects
/// their normal velocity.
pub(crate) fn bounce(
    particles: &mut Particles,
    boundary: &mut Solids,
    loads: &mut Loads,
    free: &FreeDiscs,
    how: Bounce,
    coefficients: &Coefficients,
    executor: &dyn Executor,
) {
    let reflect = |solids: &Solids, _: &Near, particle: MovedParticle| {
        let MovedParticle {
            coefficients, velocity, previous_position, position, displacement, ..
        } = particle;
        let Some(container) = container_of(&solids.containers, previous_position) else {
            return;
        };
        let time_step = coefficients.time_step;
        let inset = 0.4 * how.dead_zone;
        container.near_walls(*position, 0.0, |wall| {
            if wall.distance >= -how.dead_zone {
                return;
            }
            let travel = (velocity - wall.velocity) * time_step + *displacement;
            let along = travel.dot(wall.normal);
            let tangential = travel - wall.normal * along;
            *position += wall.normal * (inset - wall.distance);
            let unsticking = coefficients.unsticking_speed * time_step;
            let turned = (-along).max(0.0) * (1.0 + how.restitution);
            *displacement += wall.normal * (turned + unsticking);
            let hit = (-along).max(0.0) / (coefficients.speed_unit * time_step);
            let friction = wall.properties.friction.unwrap_or(0.0);
            *displacement -= tangential * lost_on_impact(friction, hit);
        });
    };
    for_each_moved(particles, boundary, loads, free, coefficients, executor, reflect);
}
