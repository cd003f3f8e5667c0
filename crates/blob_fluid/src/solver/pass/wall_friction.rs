//! The friction and the stickiness of walls (Clavet et al. 2005, Algorithm 6 and section 6.1).

use crate::boundary::near::{NearWalls, WallProbe};
use crate::boundary::solid::NearWall;
use crate::boundary::solids::{FreeDiscs, Loads, Solids};
use crate::parallel::executor::{CHUNK, PerChunk};
use crate::particles::arrays::idle;
use crate::solver::coefficients::Coefficients;
use crate::{ClassId, Executor, Particles};

/// Friction: the tangential velocity relative to the wall is divided by `1 + dt c (1 - d/reach)`
/// for `d < reach`. A wall with its own friction `mu` has `c = mu/(1 - mu)` per T0 within one
/// particle spacing, where liquid touches it. Other walls have the wall friction of
/// [`Settling`](crate::Settling) within half an interaction radius. It does not act on grains of
/// powder, which have Coulomb friction in the relaxation.
///
/// Stickiness: `v -= dt k_stick d (1 - d/d_stick) n` for `d < d_stick`.
///
/// [`FluidPass::Contain`](crate::FluidPass::Contain) applies the impulse on impact.
pub(crate) fn apply_wall_friction(
    particles: &mut Particles,
    boundary: &mut Solids,
    loads: &mut Loads,
    free_discs: &FreeDiscs,
    coefficients: &Coefficients,
    executor: &dyn Executor,
) {
    let solids = &*boundary;
    let has_friction = coefficients.wall_friction > 0.0
        || solids.wall_properties().any(|wall| wall.friction.is_some());
    let has_stickiness = solids.wall_properties().any(|wall| wall.stickiness > 0.0);
    if solids.is_empty() || !(has_friction || has_stickiness) {
        return;
    }
    let radius = coefficients.interaction_radius;
    let reach = if has_stickiness { radius } else { 0.5 * radius };
    let count = particles.len();
    loads.begin_pass(count.div_ceil(CHUNK));
    let (positions, activity) = (&particles.position, &particles.activity);
    let classes = &particles.class;
    let changed = (&mut particles.velocity[..], PerChunk::new(&mut loads.chunks, count, CHUNK));
    executor.for_each_chunk(changed, CHUNK, |index, (velocities, loads)| {
        let loads = loads.item();
        let start = index * CHUNK;
        let range = start..start + velocities.len();
        let positions = &positions[range.clone()];
        if idle(&activity[range.clone()]) {
            return;
        }
        let exposed = free_discs.find_exposed(range, count, solids, reach, [positions; 2]);
        let mut buffer = NearWalls::NONE;
        solids.for_each_group_at(positions, exposed, reach, |group, candidates| {
            for offset in group.filter(|offset| exposed.contains(*offset)) {
                let (position, class) = (positions[offset], classes[start + offset]);
                let velocity = &mut velocities[offset];
                let probe = WallProbe { container_point: position, point: position, class };
                solids.for_each_wall(candidates, probe, reach, &mut buffer, |wall| {
                    let before = *velocity;
                    let tangent = wall.normal.perp();
                    let tangential_speed = (*velocity - wall.velocity).dot(tangent);
                    *velocity -= tangent * (tangential_speed * friction(coefficients, class, wall));
                    *velocity -= wall.normal * stickiness(coefficients, wall);
                    if let Some((index, collider)) = solids.measured_collider(wall.collider) {
                        let mass = coefficients.classes[class.index()].mass;
                        loads.add(index, collider, position, (*velocity - before) * mass);
                    }
                });
            }
        });
    });
    loads.end_pass(boundary);
}

/// Fraction of its tangential velocity that a particle loses.
fn friction(coefficients: &Coefficients, class: ClassId, wall: &NearWall) -> f32 {
    let reach = match wall.properties.friction {
        None => 0.5 * coefficients.interaction_radius,
        Some(_) => coefficients.particle_spacing,
    };
    let closeness = 1.0 - wall.distance.max(0.0) / reach;
    if closeness <= 0.0 {
        return 0.0;
    }
    match wall.properties.friction {
        None if coefficients.classes[class.index()].powder_wall_friction.is_some() => 0.0,
        None => {
            let drag = coefficients.wall_friction * closeness;
            drag / (1.0 + drag)
        }
        Some(friction) => {
            let drag = friction * coefficients.per_time_unit * closeness;
            // Friction 1 stops the tangential motion at once, whatever the time step.
            if friction < 1.0 { drag / (1.0 - friction + drag) } else { 1.0 }
        }
    }
}

/// Largest `dt^2 k` of stickiness. Beyond it, a particle would overshoot the wall.
pub(crate) const STABLE_STICKINESS: f32 = 0.25;

/// Speed towards the wall that a particle gains.
fn stickiness(coefficients: &Coefficients, wall: &NearWall) -> f32 {
    let reach = wall.properties.stick_distance * coefficients.particle_spacing;
    let reach = reach.min(coefficients.interaction_radius);
    if wall.distance <= 0.0 || wall.distance >= reach {
        return 0.0;
    }
    let stiffness =
        wall.properties.stickiness * coefficients.per_time_unit * coefficients.per_time_unit;
    let speed_per_distance = stiffness.min(STABLE_STICKINESS) / coefficients.time_step;
    speed_per_distance * wall.distance * (1.0 - wall.distance / reach)
}
