//! Crowded particles, whose viscosity must be reduced for stability.

use fearless_simd::prelude::*;

use crate::Executor;
use crate::parallel::executor::{CHUNK, PerChunk, chunk_of};
use crate::parallel::instructions::{
    self, Instructions, LaneKernel, Lanes, block_width, splat, store,
};
use crate::particles::arrays::{Activity, ParticleView, takes_part};
use crate::solver::coefficients::Coefficients;
use crate::solver::double_density::chunk_neighbours::{BlockProperties, ChunkNeighbours};
use crate::solver::double_density::coefficients::{STABLE_EXCHANGE, ViscosityCoefficients};
use crate::solver::double_density::displacements::{Sweep, ViscosityRow, ViscosityRows};
use crate::solver::neighbours::blocks::{Block, BlockLanes, ClassLanes};

/// Factors that reduce the exchange of crowded particles in a sweep of viscosity.
///
/// A sweep reads frozen velocities. Let `w_ij` be the largest fraction of its velocity that particle `i` transfers to
/// `j`, and `W = sum_j w_ij q r_hat r_hat^T`. Velocity differences grow where the largest eigenvalue of `W` is above 2.
/// That happens where particles are several times too dense, or with a large [limit](crate::Viscosity::limit). There a
/// particle's factor is 2 divided by this eigenvalue, and a pair takes the smaller factor of its two particles. So its
/// exchange stays antisymmetric.
#[derive(Clone, Debug, Default)]
pub(crate) struct Crowding {
    factors: Vec<f32>,
    has_crowded: bool,
}

impl Crowding {
    /// One factor per particle, at most 1; empty if all factors are 1.
    pub(super) fn exchange_factors(&self) -> &[f32] {
        if self.has_crowded { &self.factors } else { &[] }
    }

    /// Whether any particle is so dense that the factors must be computed. `relative_density` must belong to the
    /// current positions.
    pub(super) fn may_be_needed(
        particles: ParticleView,
        relative_density: &[f32],
        viscosity: &ViscosityCoefficients,
    ) -> bool {
        let classes = particles.class.chunks(CHUNK).zip(relative_density.chunks(CHUNK));
        particles.activity.chunks(CHUNK).zip(classes).any(|(activity, (classes, densities))| {
            let mut chunk = activity.iter().zip(classes).zip(densities);
            takes_part(activity, Activity::Awake)
                && chunk.any(|((activity, class), density)| {
                    *density > viscosity.crowding_density[class.index()]
                        && *activity == Activity::Awake
                })
        })
    }
}

impl Sweep<'_> {
    /// Computes the factors of all particles: 1 for particles that are not awake or have no partner near. Also builds
    /// neighbour lists for the blocks with partners, for this sweep and for later ones.
    pub(super) fn compute_crowding(
        self,
        crowding: &mut Crowding,
        rows: &mut Vec<ViscosityRows>,
        neighbours: &mut Vec<ChunkNeighbours>,
        executor: &dyn Executor,
    ) {
        let Self { particles, grid, presence, viscosity, coefficients, number } = self;
        let Crowding { factors, has_crowded } = crowding;
        let count = particles.len();
        factors.clear();
        factors.resize(count, 1.0);
        let chunk_rows = PerChunk::resized(rows, count, CHUNK);
        let into = (&mut factors[..], chunk_rows, PerChunk::resized(neighbours, count, CHUNK));
        executor.for_each_chunk(into, CHUNK, |index, (factors, rows, neighbours)| {
            let (rows, neighbours) = (rows.item(), neighbours.item());
            rows.prepare(coefficients.classes.len());
            neighbours.clear();
            let chunk = chunk_of(index, factors.len());
            let start = chunk.start;
            let mut blocks = grid.blocks(chunk);
            while let Some(block) = blocks.next() {
                let classes = presence.in_ranges(block.spans());
                let indices = &block.particles;
                if !self.has_partners(indices, classes) {
                    neighbours.lists.end_block(block, 0, BlockProperties::default());
                    continue;
                }
                let own = &ClassLanes::of(block_width(), indices, particles.class);
                let rows =
                    rows.of_block(own, classes, |other| viscosity.row(own, other, number, |_| 1.0));
                let neighbour_indices = neighbours.lists.reserve(block);
                let crowding =
                    CrowdingOfBlock { particles, coefficients, block, rows, neighbour_indices };
                let (max_eigenvalues, neighbour_count) = instructions::run(crowding);
                neighbours.lists.end_block(
                    block,
                    neighbour_count,
                    BlockProperties { classes, ..BlockProperties::default() },
                );
                for (lane, index) in indices.clone().enumerate() {
                    if self.is_awake(index) {
                        factors[index - start] =
                            STABLE_EXCHANGE / max_eigenvalues[lane].max(STABLE_EXCHANGE);
                    }
                }
            }
        });
        *has_crowded = factors.iter().any(|factor| *factor < 1.0);
    }
}

/// Computes the largest eigenvalue for each particle of a block, and finds the block's neighbours.
struct CrowdingOfBlock<'a> {
    particles: ParticleView<'a>,
    coefficients: &'a Coefficients,
    block: &'a Block,
    rows: &'a [ViscosityRow],
    /// Indices of the block's neighbours.
    neighbour_indices: &'a mut [u32],
}

impl LaneKernel for CrowdingOfBlock<'_> {
    /// The eigenvalues, and the number of neighbours.
    type Output = (Lanes, usize);

    #[inline(always)]
    fn run<S: Instructions>(self, instructions: S) -> (Lanes, usize) {
        let Self { particles, coefficients, block, rows, neighbour_indices } = self;
        let splat = |number: f32| splat(instructions, number);
        let min_squared_distance =
            splat(coefficients.coincidence_distance * coefficients.coincidence_distance);
        // The sum of the weights (the trace), and the traceless part of the matrix.
        let mut sum = splat(0.0);
        let (mut along_x, mut across) = (splat(0.0), splat(0.0));
        let (positions, classes) = (particles.position, particles.class);
        let lanes = BlockLanes::of(instructions, coefficients, &block.particles, positions);
        let mut neighbour_count = 0;
        for span in block.spans() {
            let others = positions[span.clone()].iter().zip(&classes[span.clone()]);
            for (index, (position, class)) in span.zip(others) {
                let pair = lanes.pairs_with(*position);
                neighbour_indices[neighbour_count] = index as u32;
                neighbour_count += usize::from(pair.any_in_radius);
                let weight = pair.closeness * rows[class.index()].max_exchange(instructions);
                // Coincident particles, including the particle itself, count in all directions.
                let turned = weight / instructions.larger(min_squared_distance, pair.squared);
                sum += weight;
                along_x += turned * (pair.dx * pair.dx - pair.dy * pair.dy);
                across += turned * (splat(2.0) * pair.dx * pair.dy);
            }
        }
        let split = (along_x * along_x + across * across).sqrt();
        (store(splat(0.5) * (sum + split)), neighbour_count)
    }
}
