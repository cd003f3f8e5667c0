//! Sorts the arrays of particles in the order of the grid's cells.

use std::ops::Range;

use glam::Vec2;

use crate::parallel::executor::LONG_CHUNK;
use crate::particles::arrays::Activity;
use crate::solver::neighbours::grid::Order;
use crate::{ClassId, Executor, Grain, ParticleId, Particles};

impl Particles {
    /// Puts the particles into a new order. It skips arrays that only sleep needs if `may_sleep` is
    /// false, and scalars of ranges whose values are all equal.
    pub(crate) fn reorder(
        &mut self,
        order: Order,
        may_sleep: bool,
        scratch: &mut ReorderScratch,
        executor: &dyn Executor,
    ) {
        let Some(any) = self.id.first().copied() else { return };
        let count = self.len();
        for vectors in &mut scratch.vectors {
            vectors.resize(count, Vec2::ZERO);
        }
        for scalars in &mut scratch.scalars {
            scalars.resize(count, 0.0);
        }
        scratch.classes.resize(count, ClassId(0));
        scratch.ids.resize(count, any);
        scratch.activity.resize(count, Activity::Awake);
        scratch.grains.resize(self.grains.len(), Grain::default());
        scratch.paints.resize(self.paints.amounts.len(), [0.0; 3]);
        for range in order.changed {
            self.gather(range.clone(), &order.old[range.clone()], may_sleep, scratch, executor);
        }
        let [a, b, c, d, e, f] = &mut scratch.vectors;
        let [temperature, exposure, rest_temperature, rest_time, relative_density, pressure] =
            &mut scratch.scalars;
        take_over(&mut self.position, a, order);
        take_over(&mut self.previous_position, b, order);
        take_over(&mut self.tick_start, c, order);
        take_over(&mut self.velocity, d, order);
        take_over(&mut self.displacement, e, order);
        take_over(&mut self.class, &mut scratch.classes, order);
        take_over(&mut self.id, &mut scratch.ids, order);
        let rest = may_sleep.then_some((&mut self.rest_temperature, rest_temperature));
        let often_equal = [(&mut self.temperature, temperature), (&mut self.exposure, exposure)];
        for (scalars, sorted) in often_equal.into_iter().chain(rest) {
            for range in order.changed {
                if differ(&scalars[range.clone()]) {
                    let old = &order.old[range.clone()];
                    executor.for_each_chunk(
                        &mut sorted[range.clone()],
                        LONG_CHUNK,
                        |index, sorted| pick(sorted, scalars, &old[index * LONG_CHUNK..]),
                    );
                    scalars[range.clone()].copy_from_slice(&sorted[range.clone()]);
                }
            }
        }
        if !self.pressure.is_empty() {
            take_over(&mut self.pressure, pressure, order);
        }
        if !self.grains.is_empty() {
            take_over(&mut self.grains, &mut scratch.grains, order);
        }
        if !self.paints.amounts.is_empty() {
            take_over(&mut self.paints.amounts, &mut scratch.paints, order);
        }
        take_over(&mut self.relative_density, relative_density, order);
        if may_sleep {
            take_over(&mut self.rest_position, f, order);
            take_over(&mut self.rest_time, rest_time, order);
            take_over(&mut self.activity, &mut scratch.activity, order);
        }
        for particle in order.changed.iter().cloned().flatten() {
            self.indices[self.id[particle].slot as usize] = particle as u32;
        }
    }

    /// Copies a range of the particles into the buffers, in the new order. `order` holds the old indices.
    fn gather(
        &self,
        range: Range<usize>,
        order: &[u32],
        may_sleep: bool,
        scratch: &mut ReorderScratch,
        executor: &dyn Executor,
    ) {
        let count = self.len();
        let [a, b, c, d, e, rest_positions] =
            scratch.vectors.each_mut().map(|all| &mut all[range.clone()]);
        let into = (
            (a, b, c, d, e),
            (&mut scratch.classes[range.clone()], &mut scratch.ids[range.clone()]),
        );
        let from = (
            &self.position[..count],
            &self.previous_position[..count],
            &self.tick_start[..count],
            &self.velocity[..count],
            &self.displacement[..count],
        );
        let (classes, ids) = (&self.class[..count], &self.id[..count]);
        executor.for_each_chunk(into, LONG_CHUNK, |index, ((a, b, c, d, e), into)| {
            let order = &order[index * LONG_CHUNK..];
            // The arrays are read together, so that the processor overlaps the memory reads.
            let vectors = order.iter().zip(a).zip(b).zip(c).zip(d).zip(e);
            for (((((old, a), b), c), d), e) in vectors {
                let old = *old as usize;
                (*a, *b, *c) = (from.0[old], from.1[old], from.2[old]);
                (*d, *e) = (from.3[old], from.4[old]);
            }
            for ((old, class), id) in order.iter().zip(into.0).zip(into.1) {
                let old = *old as usize;
                (*class, *id) = (classes[old], ids[old]);
            }
        });
        let [_, _, _, rest_time, relative_density, pressure] =
            scratch.scalars.each_mut().map(|all| &mut all[range.clone()]);
        if may_sleep {
            let into = (rest_positions, rest_time, &mut scratch.activity[range.clone()]);
            executor.for_each_chunk(
                into,
                LONG_CHUNK,
                |index, (rest_positions, rest_time, activity)| {
                    let order = &order[index * LONG_CHUNK..];
                    pick(rest_positions, &self.rest_position, order);
                    pick(rest_time, &self.rest_time, order);
                    pick(activity, &self.activity, order);
                },
            );
        }
        if !self.grains.is_empty() {
            let grains = &mut scratch.grains[range.clone()];
            executor.for_each_chunk(grains, LONG_CHUNK, |index, grains| {
                pick(grains, &self.grains, &order[index * LONG_CHUNK..]);
            });
        }
        if !self.paints.amounts.is_empty() {
            let paints = &mut scratch.paints[range.clone()];
            executor.for_each_chunk(paints, LONG_CHUNK, |index, paints| {
                pick(paints, &self.paints.amounts, &order[index * LONG_CHUNK..]);
            });
        }
        let keeps = !self.pressure.is_empty();
        let into = (relative_density, pressure);
        executor.for_each_chunk(into, LONG_CHUNK, |index, (relative_density, pressure)| {
            let order = &order[index * LONG_CHUNK..];
            pick(relative_density, &self.relative_density, order);
            if keeps {
                pick(pressure, &self.pressure, order);
            }
        });
    }
}

/// Replaces the values in the changed ranges by the sorted ones.
fn take_over<T: Copy>(values: &mut Vec<T>, sorted: &mut Vec<T>, order: Order) {
    match order.changed {
        [all] if all.len() == values.len() => std::mem::swap(values, sorted),
        some => {
            for range in some {
                values[range.clone()].copy_from_slice(&sorted[range.clone()]);
            }
        }
    }
}

/// Whether the values differ.
fn differ(values: &[f32]) -> bool {
    values.iter().fold(false, |differ, value| differ | (*value != values[0]))
}

/// Buffers that sorting reuses.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReorderScratch {
    vectors: [Vec<Vec2>; 6],
    scalars: [Vec<f32>; 6],
    classes: Vec<ClassId>,
    ids: Vec<ParticleId>,
    activity: Vec<Activity>,
    grains: Vec<Grain>,
    paints: Vec<[f32; 3]>,
}

fn pick<T: Copy>(into: &mut [T], from: &[T], order: &[u32]) {
    for (new, old) in into.iter_mut().zip(order) {
        *new = from[*old as usize];
    }
}

// Moving a particle to another place without changing its handle.

impl Particles {
    /// Moves a particle to another place. It keeps its handle, class, temperature, paint, exposure,
    /// life and tag; all other values are those of a new particle. Returns whether it slept.
    pub(crate) fn relocate(&mut self, index: usize, position: Vec2, velocity: Vec2) -> bool {
        self.mark_moved();
        self.order.renew();
        self.position[index] = position;
        self.previous_position[index] = position;
        self.tick_start[index] = position;
        self.velocity[index] = velocity;
        self.displacement[index] = Vec2::ZERO;
        self.rest_time[index] = 0.0;
        self.rest_position[index] = position;
        // A temperature that is not finite is about to be quarantined.
        let temperature = self.temperature[index];
        self.rest_temperature[index] = if temperature.is_finite() { temperature } else { 0.0 };
        self.relative_density[index] = 1.0;
        if let Some(pressure) = self.pressure.get_mut(index) {
            *pressure = 0.0;
        }
        if let Some(grain) = self.grains.get_mut(index) {
            *grain = Grain::at(position);
        }
        self.paints.rests = false;
        self.slots[self.id[index].slot() as usize].new = true;
        self.any_new = true;
        std::mem::replace(&mut self.activity[index], Activity::Awake) < Activity::Awake
    }
}
