//! Viscosity (Clavet et al. 2005, Algorithm 5): all sweeps except the one of the relaxation.

use std::ops::Range;

use fearless_simd::prelude::*;
use glam::Vec2;

use crate::parallel::executor::{CHUNK, PerChunk, chunk_of};
use crate::parallel::instructions::{
    self, Instructions, LaneKernel, Lanes, block_width, gather, gather_points, load, splat, store,
};
use crate::particles::arrays::ParticleView;
use crate::solver::coefficients::Coefficients;
use crate::solver::double_density::DoubleDensity;
use crate::solver::double_density::chunk_neighbours::ChunkNeighbours;
use crate::solver::double_density::crowding::Crowding;
use crate::solver::double_density::displacements::{Sweep, ViscosityRow, ViscosityRows};
use crate::solver::neighbours::blocks::{BlockLanes, ClassLanes};
use crate::solver::neighbours::hash::{Neighbours, refresh};
use crate::{Executor, Liquid};

/// Exchanges velocity along each pair: `v_i -= I m_j/(m_i + m_j) r_hat`, with
/// `u = (v_i - v_j) . r_hat` and `I = q u (min(dt (sigma + beta u), limit) [u > 0] + dt linear)`.
///
/// One sweep over the pairs is part of [`FluidPass::RelaxDensity`](crate::FluidPass::RelaxDensity), which visits the
/// pairs anyway. It moves particles by `dt` times the exchanged velocity, and the velocities follow from the
/// displacements. If one sweep is not stable for a liquid, it needs more sweeps, each for a fraction of `dt`. This pass
/// makes the additional sweeps.
///
/// Every sweep reads velocities that were frozen before it. The grid must be valid for the positions, so if the last
/// substep moved particles after hashing, they are hashed again. Coincident pairs have no direction and exchange
/// nothing. Crowded particles exchange less: see [`Crowding`].
pub(crate) fn apply_viscosity(
    liquid: &mut Liquid,
    neighbours: &mut Neighbours,
    work: &mut DoubleDensity,
    coefficients: &Coefficients,
    executor: &dyn Executor,
) {
    let sweeps = work.viscosity.sweeps();
    if sweeps < 2 {
        return;
    }
    refresh(liquid, neighbours, coefficients, executor);
    let DoubleDensity {
        viscosity,
        viscosity_rows,
        velocities: new_velocities,
        crowding,
        neighbours: neighbour_lists,
        ..
    } = work;
    let particles = &mut liquid.particles;
    let (grid, presence) = neighbours.with_presence(particles, coefficients.classes.len());
    for number in 1..sweeps {
        new_velocities.clear();
        new_velocities.extend_from_slice(&particles.velocity);
        let (view, ..) = particles.view_and_computed();
        let sweep = Sweep { particles: view, grid, presence, viscosity, coefficients, number };
        if number == 1 {
            sweep.compute_crowding(crowding, viscosity_rows, neighbour_lists, executor);
        }
        sweep.exchange(new_velocities, viscosity_rows, neighbour_lists, crowding, 1.0, executor);
        std::mem::swap(&mut particles.velocity, new_velocities);
    }
}

impl Sweep<'_> {
    /// Subtracts the velocity that each particle loses, times `factor`, from its item of `from`. `neighbours` are the
    /// lists that [`compute_crowding`](Self::compute_crowding) has built.
    pub(super) fn exchange(
        self,
        from: &mut [Vec2],
        rows: &mut [ViscosityRows],
        neighbours: &[ChunkNeighbours],
        crowding: &Crowding,
        factor: f32,
        executor: &dyn Executor,
    ) {
        let Self { particles, viscosity, coefficients, number, .. } = self;
        let exchange_factors = crowding.exchange_factors();
        let chunk_rows = PerChunk::new(rows, from.len(), CHUNK);
        executor.for_each_chunk((from, chunk_rows), CHUNK, |index, (from, rows)| {
            let start = chunk_of(index, from.len()).start;
            let rows = rows.item();
            rows.prepare(coefficients.classes.len());
            for (indices, neighbour_indices, properties) in neighbours[index].lists.blocks(start) {
                let classes = properties.classes;
                if !self.has_partners(&indices, classes) {
                    continue;
                }
                let own = &ClassLanes::of(block_width(), &indices, particles.class);
                let rows =
                    rows.of_block(own, classes, |other| viscosity.row(own, other, number, |_| 1.0));
                let viscosity = ViscosityOfBlock {
                    particles,
                    coefficients,
                    indices: &indices,
                    neighbour_indices,
                    rows,
                    exchange_factors,
                };
                let (x, y) = if exchange_factors.is_empty() {
                    instructions::run(WithCrowds::<false>(viscosity))
                } else {
                    instructions::run(WithCrowds::<true>(viscosity))
                };
                for (lane, index) in indices.clone().enumerate() {
                    // Sleeping particles keep their items, whatever the width of the block.
                    if self.is_awake(index) {
                        from[index - start] -= Vec2::new(x[lane], y[lane]) * factor;
                    }
                }
            }
        });
    }
}

/// Computes the velocity that each particle of a block loses.
struct ViscosityOfBlock<'a> {
    particles: ParticleView<'a>,
    coefficients: &'a Coefficients,
    indices: &'a Range<usize>,
    /// Indices of all neighbours of the block's particles.
    neighbour_indices: &'a [u32],
    /// One row per class, valid for the classes near the block.
    rows: &'a [ViscosityRow],
    /// See [`Crowding::exchange_factors`].
    exchange_factors: &'a [f32],
}

/// With or without the factors of crowded particles.
struct WithCrowds<'a, const CROWDS: bool>(ViscosityOfBlock<'a>);

impl<const CROWDS: bool> LaneKernel for WithCrowds<'_, CROWDS> {
    type Output = (Lanes, Lanes);

    #[inline(always)]
    fn run<S: Instructions>(self, instructions: S) -> (Lanes, Lanes) {
        let Self(ViscosityOfBlock {
            particles,
            coefficients,
            indices,
            neighbour_indices,
            rows,
            exchange_factors,
        }) = self;
        let splat = |number: f32| splat(instructions, number);
        let positions = particles.position;
        let velocities = &particles.velocity[..positions.len()];
        let classes = &particles.class[..positions.len()];
        let velocity = gather_points(instructions, indices, velocities);
        let own_factors = if CROWDS {
            load(instructions, &gather(indices, exchange_factors, |factor| *factor))
        } else {
            splat(1.0)
        };
        let lanes = BlockLanes::of(instructions, coefficients, indices, positions);
        let (mut sum_x, mut sum_y) = (splat(0.0), splat(0.0));
        lanes.for_each(
            [neighbour_indices.iter().map(|index| *index as usize)],
            #[inline(always)]
            |index, pair| {
                let inverse = pair.coincident.select(splat(0.0), splat(1.0) / pair.distance);
                let approach = pair.approach(velocity, velocities[index]) * inverse;
                let row = &rows[classes[index].index()];
                let mut along = row.add_to::<S>(splat(0.0), approach) * (pair.closeness * inverse);
                if CROWDS {
                    along *= instructions.smaller(splat(exchange_factors[index]), own_factors);
                }
                sum_x += along * pair.dx;
                sum_y += along * pair.dy;
            },
        );
        (store(sum_x), store(sum_y))
    }
}
