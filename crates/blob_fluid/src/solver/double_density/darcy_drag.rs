//! The drag between grains and the liquid that seeps through them, by Darcy's law.

use std::ops::Range;

use fearless_simd::prelude::*;
use glam::Vec2;

use crate::parallel::executor::{CHUNK, Executor, LONG_CHUNK, PerChunk, chunk_of};
use crate::parallel::instructions::{self, Instructions, LaneKernel};
use crate::parallel::lanes::{
    LaneMask, LaneVector, Lanes, gather, gather_points, load, splat, store,
};
use crate::particles::arrays::{Activity, takes_part};
use crate::solver::double_density::chunk_neighbours::ChunkNeighbours;
use crate::solver::double_density::coefficients::Frozen;
use crate::solver::double_density::seepage::{SeepageRow, SeepageRows, neighbours_at_rest};
use crate::solver::neighbours::blocks::{BlockLanes, ClassLanes};

/// The density of the powder around the liquid particle of each pair.
struct PackingLanes<S: Instructions> {
    is_grain: LaneMask<S>,
    /// For each particle of the block, the sum of `q` times the drag of its partners.
    drag: LaneVector<S>,
    /// The sum of `q` in packed powder.
    neighbours: LaneVector<S>,
}

impl<S: Instructions> PackingLanes<S> {
    #[inline(always)]
    fn of(instructions: S, frozen: &Frozen, drag_sums: &[f32], particles: &Range<usize>) -> Self {
        let Frozen { particles: all, coefficients, pressure, .. } = *frozen;
        let grains = |class: usize| f32::from(u8::from(pressure.classes[class].grains.is_some()));
        let grains = ClassLanes::of(S::WIDTH, particles, all.class).map(grains);
        let ratio = coefficients.interaction_radius / coefficients.particle_spacing;
        Self {
            is_grain: load(instructions, &grains).simd_gt(splat(instructions, 0.0)),
            drag: load(instructions, &gather(particles, drag_sums, |drag| *drag)),
            neighbours: splat(instructions, neighbours_at_rest(ratio)),
        }
    }

    /// Twice the relative density of the powder around the liquid particle of each pair, at most 1; 0 for pairs that do
    /// not share their space. The rates are those of the drags that the other particle exerts on the block and vice
    /// versa; `other` is its drag sum.
    #[inline(always)]
    fn packing_factor(
        &self,
        [on_block, by_block]: [LaneVector<S>; 2],
        other: f32,
    ) -> LaneVector<S> {
        let instructions = self.drag.token();
        let (zero, one) = (splat(instructions, 0.0), splat(instructions, 1.0));
        let of_liquid = self.is_grain.select(splat(instructions, other), self.drag);
        let packed = self.is_grain.select(by_block, on_block) * self.neighbours;
        let density = (of_liquid + of_liquid) / packed;
        packed.simd_gt(zero).select(instructions.smaller(density, one), zero)
    }

    /// 1 plus the exchange of the liquid particle and of the grain of such a pair with all their neighbours.
    #[inline(always)]
    fn exchange_denominator(&self, packed: LaneVector<S>, other: f32) -> LaneVector<S> {
        let other = splat(self.drag.token(), other);
        let of_liquid = self.is_grain.select(other, self.drag);
        let of_grain = self.is_grain.select(self.drag, other);
        splat(self.drag.token(), 1.0) + packed * of_liquid + of_grain
    }
}

/// Inputs of the drag.
#[derive(Clone, Copy)]
pub(super) struct DragInputs<'a> {
    pub frozen: Frozen<'a>,
    /// One item per particle: the sum of `q` times the drag of its partners.
    pub drag_sums: &'a [f32],
    /// One item per chunk.
    pub neighbours: &'a [ChunkNeighbours],
}

/// Adds the drag between grains and the liquid that seeps through them to the displacements of a substep:
/// `sum_j k_ij (u_j - u_i)`, where `u` is the total displacement of a particle in the substep and
///
/// `k_ij = q D_ij s/(1 + s sum q D + sum q D)`
///
/// with the sums of the liquid and of the grain. `s` is twice the relative density of the powder around the liquid, at
/// most 1, which it reaches at the surface of packed powder: a single grain hardly holds liquid back. The scheme is
/// implicit: no drag, however large, reverses a particle's motion. `m_i k_ij = m_j k_ji` conserves momentum.
pub(super) fn apply_darcy_drag(
    inputs: DragInputs,
    seepage_rows: &mut [SeepageRows],
    total_displacements: &mut Vec<Vec2>,
    displacements: &mut [Vec2],
    executor: &dyn Executor,
) {
    let DragInputs { frozen, neighbours, .. } = inputs;
    let all = frozen.particles;
    let time_step = frozen.coefficients.time_step;
    total_displacements.resize(all.len(), Vec2::ZERO);
    executor.for_each_chunk(
        &mut total_displacements[..],
        LONG_CHUNK,
        |index, total_displacements| {
            let start = index * LONG_CHUNK;
            let moved = all.velocity[start..].iter().zip(&all.displacement[start..]);
            let moved = moved.zip(&displacements[start..]).zip(&all.activity[start..]);
            for (total, (((velocity, before), offset), activity)) in
                total_displacements.iter_mut().zip(moved)
            {
                let moves = *activity == Activity::Awake;
                *total = if moves { *velocity * time_step + *before + *offset } else { Vec2::ZERO };
            }
        },
    );
    let total_displacements = &total_displacements[..];
    let seepage = &frozen.pressure.seepage;
    let seepage_rows = PerChunk::new(seepage_rows, all.len(), CHUNK);
    executor.for_each_chunk((displacements, seepage_rows), CHUNK, |index, outputs| {
        let (displacements, seepage_rows) = outputs;
        let chunk = chunk_of(index, displacements.len());
        let start = chunk.start;
        if !takes_part(&all.activity[chunk], Activity::Awake) {
            return;
        }
        let seepage_rows = seepage_rows.item();
        seepage_rows.prepare(frozen.coefficients.classes.len());
        for (particles, neighbour_indices, properties) in neighbours[index].blocks(start) {
            if !properties.has_seepage
                || !takes_part(&all.activity[particles.clone()], Activity::Awake)
            {
                continue;
            }
            let block = DragOfBlock {
                inputs: &inputs,
                seepage: seepage_rows.of(seepage, all.class, properties.classes, &particles),
                total_displacements,
                particles: &particles,
                neighbour_indices,
            };
            let (x, y) = instructions::run(block);
            for (lane, particle) in particles.enumerate() {
                if all.activity[particle] == Activity::Awake {
                    displacements[particle - start] += Vec2::new(x[lane], y[lane]);
                }
            }
        }
    });
}

/// Computes the change of the displacement of each particle of a block.
struct DragOfBlock<'a> {
    inputs: &'a DragInputs<'a>,
    /// Seepage between the block's particles and each class near it.
    seepage: &'a [SeepageRow],
    total_displacements: &'a [Vec2],
    particles: &'a Range<usize>,
    neighbour_indices: &'a [u32],
}

impl LaneKernel for DragOfBlock<'_> {
    type Output = (Lanes, Lanes);

    #[inline(always)]
    fn run<S: Instructions>(self, instructions: S) -> (Lanes, Lanes) {
        let Self {
            inputs: DragInputs { frozen, drag_sums, .. },
            seepage,
            total_displacements,
            particles,
            neighbour_indices,
        } = self;
        let Frozen { particles: all, coefficients, .. } = *frozen;
        let splat = |number: f32| splat(instructions, number);
        let positions = all.position;
        let classes = &all.class[..positions.len()];
        let (total_displacements, drag_sums) =
            (&total_displacements[..positions.len()], &drag_sums[..positions.len()]);
        let packing = PackingLanes::of(instructions, frozen, drag_sums, particles);
        let (own_x, own_y) = gather_points(instructions, particles, total_displacements);
        let (mut sum_x, mut sum_y) = (splat(0.0), splat(0.0));
        let lanes = BlockLanes::of(instructions, coefficients, particles, positions);
        lanes.for_each(
            [neighbour_indices.iter().map(|index| *index as usize)],
            #[inline(always)]
            |index, pair| {
                let rates = &seepage[classes[index].index()].drag_rates;
                let [on_block, by_block] =
                    [&rates.on_block, &rates.by_block].map(|lanes| load(instructions, lanes));
                let packed = packing.packing_factor([on_block, by_block], drag_sums[index]);
                let denominator = packing.exchange_denominator(packed, drag_sums[index]);
                let drag = pair.closeness * on_block * (packed / denominator);
                let displacement = total_displacements[index];
                sum_x += drag * (splat(displacement.x) - own_x);
                sum_y += drag * (splat(displacement.y) - own_y);
            },
        );
        (store(sum_x), store(sum_y))
    }
}
