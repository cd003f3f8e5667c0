//! Drag that brings a pool to rest. It is not in Clavet et al. 2005. Viscosity alone does not stop
//! a pool from sloshing.

use glam::Vec2;

use crate::boundary::solids::{Loads, Solids};
use crate::parallel::executor::{CHUNK, LONG_CHUNK, PerChunk};
use crate::parallel::instructions::positive;
use crate::particles::arrays::idle;
use crate::solver::coefficients::Coefficients;
use crate::solver::substeps::Columns;
use crate::{Executor, Particles};

/// Drag on all particles and calm drag on slow particles, both implicit. `v - u` is divided by
/// `1 + dt c`, where `u` is the velocity of the [bed](Columns::bed) below the liquid. So liquid in
/// a moving tank comes to rest relative to the tank. The bed receives the reaction.
///
/// The calm drag fades as `(1 - |v - u|/v_calm)^2`. Without gravity, both are 0.
pub(crate) fn apply_damping(
    particles: &mut Particles,
    boundary: &mut Solids,
    loads: &mut Loads,
    columns: &Columns,
    coefficients: &Coefficients,
    executor: &dyn Executor,
) {
    if coefficients.drag <= 0.0 && coefficients.calm_drag <= 0.0 {
        return;
    }
    let damping_factor = |velocity: Vec2| {
        let slowness = positive(1.0 - velocity.length() * coefficients.inverse_calm_speed);
        let drag = coefficients.drag + coefficients.calm_drag * slowness * slowness;
        1.0 / (1.0 + drag)
    };
    let Particles { velocity, activity, tick_start, position, class, .. } = particles;
    let count = velocity.len();
    if !columns.has_moving_beds() {
        executor.for_each_chunk(&mut velocity[..], LONG_CHUNK, |index, velocities| {
            let start = index * LONG_CHUNK;
            if idle(&activity[start..start + velocities.len()]) {
                return;
            }
            velocities.iter_mut().for_each(|velocity| *velocity *= damping_factor(*velocity));
        });
        return;
    }
    let solids = &*boundary;
    loads.begin_pass(count.div_ceil(CHUNK));
    let changed = (&mut velocity[..], PerChunk::new(&mut loads.chunks, count, CHUNK));
    executor.for_each_chunk(changed, CHUNK, |index, (velocities, loads)| {
        let loads = loads.item();
        let start = index * CHUNK;
        if idle(&activity[start..start + velocities.len()]) {
            return;
        }
        for (particle, velocity) in (start..).zip(velocities) {
            let bed = columns.bed(tick_start[particle]);
            let relative = *velocity - bed.velocity;
            let new_velocity = bed.velocity + relative * damping_factor(relative);
            if let Some((index, collider)) = solids.measured_collider(bed.collider) {
                let mass = coefficients.classes[class[particle].index()].mass;
                loads.add(index, collider, position[particle], (new_velocity - *velocity) * mass);
            }
            *velocity = new_velocity;
        }
    });
    loads.end_pass(boundary);
}
