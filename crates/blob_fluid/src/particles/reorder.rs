//! Sorts the arrays of particles in the order of the grid's cells.

use glam::Vec2;

use crate::parallel::chunks::LONG_CHUNK;
use crate::parallel::executor::Executor;
use crate::particles::activity::Activity;
use crate::particles::arrays::Particles;
use crate::particles::id::ParticleId;
use crate::settings::class::ClassId;

impl Particles {
    /// Puts the particles into a new order: `order[new]` is the old index. Arrays that only sleep
    /// needs are left as they are while nothing sleeps, and so are arrays whose values are all
    /// equal.
    pub(crate) fn reorder<E: Executor>(
        &mut self,
        order: &[u32],
        may_sleep: bool,
        scratch: &mut ReorderScratch,
        executor: &E,
    ) {
        let Some(any) = self.id.first().copied() else { return };
        let count = order.len();
        for vectors in &mut scratch.vectors {
            vectors.resize(count, Vec2::ZERO);
        }
        for scalars in &mut scratch.scalars {
            scalars.resize(count, 0.0);
        }
        scratch.classes.resize(count, ClassId(0));
        scratch.ids.resize(count, any);
        let [a, b, c, d, e] = &mut scratch.vectors;
        let into = (
            (&mut a[..], &mut b[..], &mut c[..], &mut d[..], &mut e[..]),
            (&mut scratch.classes[..], &mut scratch.ids[..]),
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
            // The arrays are read together, so that the processor waits for several memory reads at
            // the same time.
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
        std::mem::swap(&mut self.position, a);
        std::mem::swap(&mut self.previous_position, b);
        std::mem::swap(&mut self.tick_start, c);
        std::mem::swap(&mut self.velocity, d);
        std::mem::swap(&mut self.displacement, e);
        std::mem::swap(&mut self.class, &mut scratch.classes);
        std::mem::swap(&mut self.id, &mut scratch.ids);
        for scalars in [&mut self.temperature, &mut self.exposure] {
            if scalars.iter().fold(false, |differ, scalar| differ | (*scalar != scalars[0])) {
                let sorted = &mut scratch.scalars[0];
                executor.for_each_chunk(&mut sorted[..], LONG_CHUNK, |index, sorted| {
                    pick(sorted, scalars, &order[index * LONG_CHUNK..]);
                });
                std::mem::swap(scalars, sorted);
            }
        }
        if may_sleep {
            let [rest_positions, ..] = &mut scratch.vectors;
            let [rest_time, relative_density] = &mut scratch.scalars;
            scratch.activity.resize(count, Activity::Awake);
            let into = (
                &mut rest_positions[..],
                &mut rest_time[..],
                &mut relative_density[..],
                &mut scratch.activity[..],
            );
            executor.for_each_chunk(
                into,
                LONG_CHUNK,
                |index, (rest_positions, rest_time, relative_density, activity)| {
                    let order = &order[index * LONG_CHUNK..];
                    pick(rest_positions, &self.rest_position, order);
                    pick(rest_time, &self.rest_time, order);
                    pick(relative_density, &self.relative_density, order);
                    pick(activity, &self.activity, order);
                },
            );
            std::mem::swap(&mut self.rest_position, rest_positions);
            std::mem::swap(&mut self.rest_time, rest_time);
            std::mem::swap(&mut self.relative_density, relative_density);
            std::mem::swap(&mut self.activity, &mut scratch.activity);
        }
        for (particle, id) in self.id.iter().enumerate() {
            self.indices[id.slot as usize] = particle as u32;
        }
    }
}

/// Buffers that sorting reuses.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReorderScratch {
    vectors: [Vec<Vec2>; 5],
    scalars: [Vec<f32>; 2],
    classes: Vec<ClassId>,
    ids: Vec<ParticleId>,
    activity: Vec<Activity>,
}

fn pick<T: Copy>(into: &mut [T], from: &[T], order: &[u32]) {
    for (new, old) in into.iter_mut().zip(order) {
        *new = from[*old as usize];
    }
}
