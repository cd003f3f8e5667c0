//! The exchange of paint between neighbours. Not in the paper.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::liquid::state::{Liquid, heat_moved};
use crate::parallel::executor::{CHUNK, Executor};
use crate::parallel::instructions::{self, Instructions, LaneKernel};
use crate::parallel::lanes::{LANES, Lanes, gather, load, splat};
use crate::particles::arrays::Particles;
use crate::settings::class_table::ClassTable;
use crate::solver::coefficients::Coefficients;
use crate::solver::neighbours::blocks::{Block, BlockLanes, ClassLanes, ClassPresence};
use crate::solver::neighbours::grid::Grid;
use crate::solver::neighbours::hash::{Neighbours, refresh};

/// Largest fraction of paint that a pair exchanges at distance 0. In liquid at rest the weights of a
/// particle's neighbours (`sum q`) have the sum 15, so that together they replace nine tenths of its paint.
const MOST_EXCHANGED: f32 = 0.06;

/// Buffers of [`mix_paint`].
#[derive(Clone, Debug, Default)]
pub(crate) struct PaintBuffers {
    /// `[i * classes + j]`: the fraction that a pair of these classes exchanges at distance 0.
    rates: Vec<f32>,
    after: Vec<[f32; 3]>,
    /// The sum of the weights of each particle's pairs.
    weights: Vec<f32>,
    /// For each particle, the largest factor, 0 to 1, on the exchange of its pairs.
    limits: Vec<f32>,
}

/// Exchanges the mixed amounts of each colour every 0.3 T0:
/// `c_i += dt/2 sum_j kappa_ij q (c_j - c_i)`. The gain of one particle of a pair is bit-identical
/// to the loss of the other, so that sums change only by rounding.
///
/// In liquid so dense that a particle would give away more than all of its paint, its pairs exchange less, by
/// the same factor for both particles. So no particle gets brighter than its brightest neighbour.
pub(crate) fn mix_paint(
    liquid: &mut Liquid,
    neighbours: &mut Neighbours,
    buffers: &mut PaintBuffers,
    coefficients: &Coefficients,
    executor: &dyn Executor,
) {
    let paints = &mut liquid.particles.paints;
    if paints.amounts.is_empty() {
        return;
    }
    if coefficients.paint_diffusions.is_empty() {
        paints.rests = true;
        return;
    }
    paints.waited += coefficients.time_step;
    if paints.waited < coefficients.paint_interval {
        return;
    }
    let time = std::mem::take(&mut paints.waited);
    refresh(liquid, neighbours, coefficients, executor);
    let particles = &mut liquid.particles;
    let PaintBuffers { rates, after, weights, limits } = buffers;
    rates.clear();
    let all = coefficients.paint_diffusions.iter();
    rates.extend(all.map(|diffusion| (diffusion * time).min(MOST_EXCHANGED)));
    weights.clear();
    weights.resize(particles.len(), 0.0);
    let (grid, presence) = neighbours.with_presence(particles, coefficients.classes.len());
    let sweep = Sweep { particles, grid, presence, coefficients, rates, limits: &[] };
    let [mut moves, crowded] = sweep.run(after, weights, executor);
    if crowded {
        limits.clear();
        limits.extend(weights.iter().map(|weight| 1.0 / weight.max(1.0)));
        [moves, _] = Sweep { limits, ..sweep }.run(after, weights, executor);
    }
    let paints = &mut particles.paints;
    std::mem::swap(&mut paints.amounts, after);
    paints.rests = !moves;
}

/// A sweep over all pairs.
#[derive(Clone, Copy)]
struct Sweep<'a> {
    particles: &'a Particles,
    grid: &'a Grid,
    presence: &'a ClassPresence,
    coefficients: &'a Coefficients,
    rates: &'a [f32],
    /// A factor for each particle; empty if no particle's pairs are limited.
    limits: &'a [f32],
}

impl Sweep<'_> {
    /// Computes the mixed amounts after the exchange, and the sum of weights of each particle's pairs.
    /// Returns whether any amount changed noticeably, and whether any sum of weights exceeds 1.
    fn run(
        self,
        after: &mut Vec<[f32; 3]>,
        weights: &mut [f32],
        executor: &dyn Executor,
    ) -> [bool; 2] {
        let Self { particles, grid, presence, coefficients, rates, .. } = self;
        after.clone_from(&particles.paints.amounts);
        let found = [const { AtomicBool::new(false) }; 2];
        let into = (&mut after[..], weights);
        executor.for_each_chunk(into, CHUNK, |chunk_index, (after, weights)| {
            let start = chunk_index * CHUNK;
            let mut class_rates = [[0.0; LANES]; ClassTable::MAX_CLASSES];
            let (mut moves, mut crowded) = (false, false);
            let mut blocks = grid.blocks(start..start + after.len());
            while let Some(block) = blocks.next() {
                let classes = ClassLanes::of(&block.particles, particles.classes());
                let near = presence.in_ranges(block.spans());
                classes.fill(&mut class_rates[..coefficients.classes.len()], near, rates);
                let gains = GainsOfBlock { sweep: self, block, rates: &class_rates };
                let (block_weights, gains) = instructions::run(gains);
                for (lane, index) in block.particles.clone().enumerate() {
                    weights[index - start] = block_weights[lane];
                    crowded |= block_weights[lane] > 1.0;
                    for (amount, gains) in after[index - start].iter_mut().zip(&gains) {
                        let before = *amount;
                        *amount += gains[lane];
                        moves |= heat_moved(before, *amount);
                    }
                }
            }
            for (found, here) in found.iter().zip([moves, crowded]) {
                if here {
                    found.store(true, Relaxed);
                }
            }
        });
        found.map(AtomicBool::into_inner)
    }
}

/// Computes the sum of the pair weights and the gains, for each particle of a block.
struct GainsOfBlock<'a> {
    sweep: Sweep<'a>,
    block: &'a Block,
    /// For each class that is near, the rates against the block's particles.
    rates: &'a [Lanes; ClassTable::MAX_CLASSES],
}

impl LaneKernel for GainsOfBlock<'_> {
    type Output = (Lanes, [Lanes; 3]);

    #[inline(always)]
    fn run<S: Instructions>(self, instructions: S) -> (Lanes, [Lanes; 3]) {
        let Self { sweep, block, rates } = self;
        let Sweep { particles, coefficients, rates: all_rates, limits, .. } = sweep;
        let splat = |number: f32| splat(instructions, number);
        let load = |lanes: &Lanes| load(instructions, lanes);
        let (positions, classes) = (particles.positions(), particles.classes());
        let amounts = particles.paint_amounts();
        let own =
            |channel: usize| load(&gather(&block.particles, amounts, |amounts| amounts[channel]));
        let own = [own(0), own(1), own(2)];
        let limited = !limits.is_empty();
        let own_limits = if limited {
            load(&gather(&block.particles, limits, |limit| *limit))
        } else {
            splat(1.0)
        };
        // A particle is its own neighbour; it exchanges nothing with itself.
        let class_count = coefficients.classes.len();
        let own_classes = ClassLanes::of(&block.particles, classes);
        let itself = own_classes.map(|class| all_rates[class * (class_count + 1)]);
        let mut weights = -load(&itself);
        let mut gains = [splat(0.0); 3];
        let lanes = BlockLanes::of(instructions, coefficients, &block.particles, positions);
        for span in block.spans() {
            for index in span {
                let pairs = lanes.pairs_with(positions[index]);
                if !pairs.any_in_radius {
                    continue;
                }
                let mut weight = pairs.closeness * load(&rates[classes[index].index()]);
                weights += weight;
                if limited {
                    weight *= instructions.smaller(own_limits, splat(limits[index]));
                }
                for channel in 0..3 {
                    gains[channel] += weight * (splat(amounts[index][channel]) - own[channel]);
                }
            }
        }
        (weights.into(), gains.map(Into::into))
    }
}
