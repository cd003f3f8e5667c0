//! The exchange of paint between neighbours. Not in the paper.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::liquid::state::heat_moved;
use crate::parallel::executor::CHUNK;
use crate::parallel::instructions::{
    self, Instructions, LANES, LaneKernel, Lanes, block_width, gather, load, splat, store,
};
use crate::solver::coefficients::Coefficients;
use crate::solver::neighbours::blocks::{Block, BlockLanes, ClassLanes, ClassPresence};
use crate::solver::neighbours::grid::Grid;
use crate::solver::neighbours::hash::{Neighbours, refresh};
use crate::{ClassTable, Executor, Liquid, Particles};

/// Largest fraction of paint that a pair exchanges at distance 0. In liquid at rest, the weights of a
/// particle's neighbours (`sum q`) have the sum 15, so that together they replace nine tenths of its paint.
const MAX_EXCHANGE_FRACTION: f32 = 0.06;

/// Buffers of [`mix_paint`].
#[derive(Clone, Debug, Default)]
pub(crate) struct PaintBuffers {
    /// `[i * classes + j]`: the fraction that a pair of these classes exchanges at distance 0.
    rates: Vec<f32>,
    new_amounts: Vec<[f32; 3]>,
    /// The sum of the weights of each particle's pairs.
    weights: Vec<f32>,
    /// For each particle, the largest factor, 0 to 1, on the exchange of its pairs.
    exchange_limits: Vec<f32>,
}

/// Exchanges the mixed amounts of each colour every 0.3 T0:
/// `c_i += dt/2 sum_j kappa_ij q (c_j - c_i)`. The gain of one particle of a pair is bit-identical
/// to the loss of the other, so that sums change only by rounding.
///
/// In very dense liquid, a particle would give away more than all of its paint. Its pairs then exchange less,
/// by the same factor for both particles. So no particle gets brighter than its brightest neighbour.
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
    let PaintBuffers { rates, new_amounts, weights, exchange_limits } = buffers;
    rates.clear();
    let all = coefficients.paint_diffusions.iter();
    rates.extend(all.map(|diffusion| (diffusion * time).min(MAX_EXCHANGE_FRACTION)));
    weights.clear();
    weights.resize(particles.len(), 0.0);
    let (grid, presence) = neighbours.with_presence(particles, coefficients.classes.len());
    let sweep = PaintSweep { particles, grid, presence, coefficients, rates, exchange_limits: &[] };
    let [mut any_changed, any_unstable] = sweep.run(new_amounts, weights, executor);
    if any_unstable {
        exchange_limits.clear();
        exchange_limits.extend(weights.iter().map(|weight| 1.0 / weight.max(1.0)));
        [any_changed, _] =
            PaintSweep { exchange_limits, ..sweep }.run(new_amounts, weights, executor);
    }
    let paints = &mut particles.paints;
    std::mem::swap(&mut paints.amounts, new_amounts);
    paints.rests = !any_changed;
}

/// A sweep over all pairs.
#[derive(Clone, Copy)]
struct PaintSweep<'a> {
    particles: &'a Particles,
    grid: &'a Grid,
    presence: &'a ClassPresence,
    coefficients: &'a Coefficients,
    rates: &'a [f32],
    /// A factor for each particle; empty if no particle's pairs are limited.
    exchange_limits: &'a [f32],
}

impl PaintSweep<'_> {
    /// Computes the mixed amounts after the exchange, and the sum of weights of each particle's pairs.
    /// Returns whether any amount changed noticeably, and whether any sum of weights exceeds 1.
    fn run(
        self,
        new_amounts: &mut Vec<[f32; 3]>,
        weights: &mut [f32],
        executor: &dyn Executor,
    ) -> [bool; 2] {
        let Self { particles, grid, presence, coefficients, rates, .. } = self;
        new_amounts.clone_from(&particles.paints.amounts);
        let flags = [const { AtomicBool::new(false) }; 2];
        let into = (&mut new_amounts[..], weights);
        executor.for_each_chunk(into, CHUNK, |chunk_index, (new_amounts, weights)| {
            let start = chunk_index * CHUNK;
            let mut class_rates = [[0.0; LANES]; ClassTable::MAX_CLASSES];
            let (mut any_changed, mut any_unstable) = (false, false);
            let mut blocks = grid.blocks(start..start + new_amounts.len());
            while let Some(block) = blocks.next() {
                let classes = ClassLanes::of(block_width(), &block.particles, particles.classes());
                let near_classes = presence.in_ranges(block.spans());
                classes.fill(&mut class_rates[..coefficients.classes.len()], near_classes, rates);
                let gains = GainsOfBlock { sweep: self, block, rates: &class_rates };
                let (block_weights, gains) = instructions::run(gains);
                for (lane, index) in block.particles.clone().enumerate() {
                    weights[index - start] = block_weights[lane];
                    any_unstable |= block_weights[lane] > 1.0;
                    for (amount, gains) in new_amounts[index - start].iter_mut().zip(&gains) {
                        let old = *amount;
                        *amount += gains[lane];
                        any_changed |= heat_moved(old, *amount);
                    }
                }
            }
            for (flag, is_set) in flags.iter().zip([any_changed, any_unstable]) {
                if is_set {
                    flag.store(true, Relaxed);
                }
            }
        });
        flags.map(AtomicBool::into_inner)
    }
}

/// Computes the sum of the pair weights and the gains, for each particle of a block.
struct GainsOfBlock<'a> {
    sweep: PaintSweep<'a>,
    block: &'a Block,
    /// For each class that is near, the rates against the block's particles.
    rates: &'a [Lanes; ClassTable::MAX_CLASSES],
}

impl LaneKernel for GainsOfBlock<'_> {
    type Output = (Lanes, [Lanes; 3]);

    #[inline(always)]
    fn run<S: Instructions>(self, instructions: S) -> (Lanes, [Lanes; 3]) {
        let Self { sweep, block, rates } = self;
        let PaintSweep {
            particles, coefficients, rates: all_rates, exchange_limits: limits, ..
        } = sweep;
        let splat = |number: f32| splat(instructions, number);
        let load = |lanes: &Lanes| load(instructions, lanes);
        let (positions, classes) = (particles.positions(), particles.classes());
        let amounts = particles.paint_amounts();
        let own_amounts =
            |channel: usize| load(&gather(&block.particles, amounts, |amounts| amounts[channel]));
        let own_amounts = [own_amounts(0), own_amounts(1), own_amounts(2)];
        let limited = !limits.is_empty();
        let own_limits = if limited {
            load(&gather(&block.particles, limits, |limit| *limit))
        } else {
            splat(1.0)
        };
        // A particle is its own neighbour; it exchanges nothing with itself.
        let class_count = coefficients.classes.len();
        let own_classes = ClassLanes::of(S::WIDTH, &block.particles, classes);
        let self_weights = own_classes.map(|class| all_rates[class * (class_count + 1)]);
        let mut weights = -load(&self_weights);
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
                    gains[channel] +=
                        weight * (splat(amounts[index][channel]) - own_amounts[channel]);
                }
            }
        }
        (store(weights), gains.map(store))
    }
}
