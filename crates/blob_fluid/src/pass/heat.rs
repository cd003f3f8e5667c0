//! Heat: conduction between particles, from surfaces, and to the surroundings. Not in the paper.

use crate::bounds::Bounds;
use crate::class::ClassId;
use crate::class_table::ClassTable;
use crate::executor::Executor;
use crate::grid::{Block, LANES};
use crate::instructions::{self, LaneKernel};
use crate::kernel::positive;
use crate::pass::hash::refresh_grid;
use crate::pass::pair::{ClassLanes, Lanes, gather};
use crate::pass::{CHUNK, LONG_CHUNK};
use crate::world::FluidWorld;

/// How many particles at no distance a surface counts as when it warms one that touches it.
const SURFACE_CONTACTS: f32 = 6.0;

/// `T_i += dt sum_j kappa_ij m_j/(m_i + m_j) q (T_j - T_i)`, which keeps `sum m T`; then the heat of
/// surfaces within half an interaction radius, and `dT/dt = cooling (T_ambient - T)`, both implicit.
///
/// `kappa_ij` is the harmonic mean of both classes' conductivities, of which only as much acts as is
/// stable. Where liquid is packed so tightly that this is still too much, a particle takes the whole
/// difference to its neighbours' mean and no more: nothing gets hotter than the hottest around it.
pub fn exchange_heat<E: Executor>(world: &mut FluidWorld, executor: &E) {
    if !world.coefficients.conductivities.is_empty() {
        refresh_grid(world, executor);
        conduct(world, executor);
        if world.solids.any_heats() {
            heat_by_surfaces(world, executor);
        }
    }
    let coefficients = &world.coefficients;
    if coefficients.classes.iter().any(|class| class.cooling > 0.0) {
        let ambient = coefficients.ambient_temperature;
        let classes = &world.particles.class;
        let temperatures = &mut world.particles.temperature[..];
        executor.for_each_chunk(temperatures, LONG_CHUNK, |index, temperatures| {
            let classes = &classes[index * LONG_CHUNK..];
            for (temperature, class) in temperatures.iter_mut().zip(classes) {
                let rate = coefficients.classes[class.index()].cooling;
                *temperature += (ambient - *temperature) * (rate / (1.0 + rate));
            }
        });
    }
}

fn conduct<E: Executor>(world: &mut FluidWorld, executor: &E) {
    let mut after = std::mem::take(&mut world.scratch.scalars);
    after.clear();
    after.extend_from_slice(&world.particles.temperature);
    let frozen = &*world;
    executor.for_each_chunk(&mut after[..], CHUNK, |chunk_index, chunk| {
        let start = chunk_index * CHUNK;
        let mut rates = [[0.0; LANES]; ClassTable::MAX_CLASSES];
        let mut blocks = frozen.grid.blocks(start..start + chunk.len());
        while let Some(block) = blocks.following() {
            let class_count = frozen.coefficients.classes.len();
            let classes: &[ClassId] = frozen.particles.classes();
            let own_classes = ClassLanes::of(&block.particles, classes);
            for (other, rate) in rates[..class_count].iter_mut().enumerate() {
                let conductivities = &frozen.coefficients.conductivities;
                *rate = own_classes.map(|own| conductivities[own * class_count + other]);
            }
            let gains = GainsOfBlock { world: frozen, block, rates: &rates };
            let (weights, gains) = instructions::run(gains);
            for (lane, place) in block.particles.clone().enumerate() {
                chunk[place - start] += gains[lane] / weights[lane].max(1.0);
            }
        }
    });
    world.scratch.scalars = std::mem::replace(&mut world.particles.temperature, after);
}

/// Sums of the pairs' weights and of what they exchange, for each particle of a block.
struct GainsOfBlock<'a> {
    world: &'a FluidWorld,
    block: &'a Block,
    /// Of the block's particles against every class.
    rates: &'a [Lanes; ClassTable::MAX_CLASSES],
}

impl LaneKernel for GainsOfBlock<'_> {
    type Output = (Lanes, Lanes);

    #[inline(always)]
    fn run(self) -> (Lanes, Lanes) {
        let Self { world, block, rates } = self;
        let coefficients = &world.coefficients;
        let positions = world.particles.positions();
        let temperatures = world.particles.temperatures();
        let classes: &[ClassId] = world.particles.classes();
        let class_count = coefficients.classes.len();
        let x = gather(&block.particles, positions, |own| own.x);
        let y = gather(&block.particles, positions, |own| own.y);
        let own = gather(&block.particles, temperatures, |own| *own);
        // The particle is its own neighbour, which exchanges nothing.
        let own_classes = ClassLanes::of(&block.particles, classes);
        let itself = own_classes.map(|own| coefficients.conductivities[own * (class_count + 1)]);
        let (mut weights, mut gains) = (itself.map(|rate| -rate), [0.0; LANES]);
        for span in block.spans() {
            let others = positions[span.clone()].iter().zip(&temperatures[span.clone()]);
            for ((position, temperature), class) in others.zip(&classes[span]) {
                let rate = &rates[class.index()];
                for lane in 0..LANES {
                    let (dx, dy) = (position.x - x[lane], position.y - y[lane]);
                    let distance = (dx * dx + dy * dy).sqrt();
                    let q = positive(1.0 - distance * coefficients.inverse_radius);
                    let weight = q * rate[lane];
                    weights[lane] += weight;
                    gains[lane] += weight * (temperature - own[lane]);
                }
            }
        }
        (weights, gains)
    }
}

fn heat_by_surfaces<E: Executor>(world: &mut FluidWorld, executor: &E) {
    let FluidWorld { coefficients, particles, solids, .. } = world;
    let reach = 0.5 * coefficients.interaction_radius;
    let (positions, classes) = (&particles.position, &particles.class);
    executor.for_each_chunk(&mut particles.temperature[..], CHUNK, |index, temperatures| {
        let start = index * CHUNK;
        let positions = &positions[start..start + temperatures.len()];
        let bounds_of = |part| Bounds::of(&positions[part]);
        let Some(chunk) = solids.near_chunk(positions.len(), bounds_of, reach) else { return };
        solids.for_each_group(&chunk, |group, near| {
            for offset in group {
                let (position, class) = (positions[offset], classes[start + offset]);
                let conductivity = coefficients.classes[class.index()].conductivity;
                solids.visit(near, (position, position, class), reach, |near| {
                    if let Some(of_surface) = near.surface.temperature {
                        let closeness = 1.0 - positive(near.distance) / reach;
                        let rate = SURFACE_CONTACTS * conductivity * closeness;
                        temperatures[offset] +=
                            (of_surface - temperatures[offset]) * (rate / (1.0 + rate));
                    }
                });
            }
        });
    });
}
