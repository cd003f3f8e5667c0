//! Densities, and the pressures that follow from them.

use std::marker::PhantomData;

use fearless_simd::prelude::*;

use crate::parallel::chunks::{CHUNK, chunk_of};
use crate::parallel::executor::Executor;
use crate::parallel::instructions::{self, Instructions, LaneKernel};
use crate::parallel::lanes::{LANES, LaneCounts, Lanes, splat};
use crate::parallel::slices::PerChunk;
use crate::particles::activity::{Activity, takes_part};
use crate::solver::neighbours::blocks::Block;
use crate::solver::neighbours::grid::Grid;
use crate::solver::neighbours::pair_lanes::BlockLanes;
use crate::solver::pair_forces::frozen::{Frozen, Pressures};
use crate::solver::pair_forces::kernels::Kernels;
use crate::solver::pair_forces::walls::{WallDensities, WallPush};

/// Computes the densities and pressures of all particles from the frozen positions, and finds the
/// walls near them: `delta_i = sum_j W(r_ij)`, the particle itself included, and
/// `P = m c^2 (delta - delta_0)`, which is at least `-tension` times `m c^2 delta_0`.
pub(super) fn find_pressures<K: Kernels>(
    frozen: Frozen,
    grid: &Grid,
    relative_density: &mut [f32],
    pressures: &mut Vec<Pressures>,
    walls: &mut Vec<Vec<WallPush>>,
    executor: &dyn Executor,
) {
    let count = frozen.particles.len();
    pressures.resize(count, Pressures::default());
    walls.resize_with(count.div_ceil(CHUNK), Vec::new);
    let found = (&mut pressures[..], relative_density, PerChunk::new(walls, count, CHUNK));
    executor.for_each_chunk(found, CHUNK, |index, (pressures, relative, walls)| {
        let walls = walls.item();
        walls.clear();
        let chunk = chunk_of(index, pressures.len());
        if takes_part(&frozen.particles.activity[chunk.clone()], Activity::Pressing) {
            let behind = WallDensities::find::<K>(&frozen, chunk.clone(), walls);
            let mut blocks = grid.blocks(chunk.clone());
            while let Some(block) = blocks.next() {
                let range = block.particles.start - chunk.start..block.particles.end - chunk.start;
                let into = (&mut pressures[range.clone()], &mut relative[range.clone()]);
                pressures_of_block::<K>(&frozen, block, behind.of_block(&range), into);
            }
        } else {
            pressures.fill(Pressures::default());
        }
    });
    let pressures = &pressures[..];
    let chunk_walls = (0..count, PerChunk::new(walls, count, CHUNK));
    executor.for_each_chunk(chunk_walls, CHUNK, |_, (_, walls)| {
        walls.item().iter_mut().for_each(|wall| wall.find_displacement(&frozen, pressures));
    });
}

/// Computes the pressures of a block's particles.
fn pressures_of_block<K: Kernels>(
    frozen: &Frozen,
    block: &Block,
    behind_walls: (Lanes, Lanes),
    (pressures, relative): (&mut [Pressures], &mut [f32]),
) {
    let Frozen { particles, coefficients, pairs, .. } = *frozen;
    if !takes_part(&particles.activity[block.particles.clone()], Activity::Pressing) {
        pressures.fill(Pressures::default());
        return;
    }
    let (sums, near_sums, coincident) =
        instructions::run(DensitiesOfBlock::<K> { frozen, block, kernels: PhantomData });
    for (lane, index) in block.particles.clone().enumerate() {
        let class = particles.class[index].index();
        let (densities, mass) = (pairs.classes[class], coefficients.classes[class].mass);
        let density = K::DENSITY_FACTOR * sums[lane] + behind_walls.0[lane];
        let near_density = K::NEAR_DENSITY_FACTOR * near_sums[lane] + behind_walls.1[lane];
        let excess = (density - densities.zero_pressure).max(-densities.tension);
        pressures[lane] = Pressures {
            far: mass * pairs.stiffness.far * excess,
            near: mass * pairs.stiffness.near * near_density,
            inverse_density: 1.0 / density,
            // Every particle coincides with itself.
            coincides: coincident[lane] > 1,
        };
        relative[lane] = densities.relative(density, pairs.own_density);
    }
}

/// Sums the kernels over the candidates of a block's particles, and counts those that coincide.
struct DensitiesOfBlock<'a, K> {
    frozen: &'a Frozen<'a>,
    block: &'a Block,
    kernels: PhantomData<K>,
}

impl<K: Kernels> LaneKernel for DensitiesOfBlock<'_, K> {
    type Output = (Lanes, Lanes, [i32; LANES]);

    #[inline(always)]
    fn run<S: Instructions>(self, instructions: S) -> Self::Output {
        let Frozen { particles, coefficients, .. } = *self.frozen;
        let (block, positions) = (self.block, particles.position);
        let lanes = BlockLanes::of(instructions, coefficients, &block.particles, positions);
        let (mut sum, mut near_sum) = (splat(instructions, 0.0), splat(instructions, 0.0));
        let mut coincident = LaneCounts::splat(instructions, 0);
        for span in block.spans() {
            for position in &positions[span] {
                let pair = lanes.pairs_with(*position);
                sum += K::density(pair.closeness);
                if K::HAS_NEAR {
                    near_sum += K::near_density(pair.closeness);
                }
                // A true lane holds -1.
                coincident -= pair.coincide.to_vector();
            }
        }
        (sum.into(), near_sum.into(), coincident.into())
    }
}
