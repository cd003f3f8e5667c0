//! Liquid in the pores of powder, which bears a part of what presses there. The paper does not have it.

use std::ops::Range;

use crate::parallel::executor::{CHUNK, Executor, chunk_of};
use crate::parallel::instructions::{self, Instructions, LaneKernel};
use crate::parallel::lanes::{Lanes, load, positive, splat};
use crate::particles::arrays::{Activity, takes_part};
use crate::particles::optional::{Grain, PoreLiquid};
use crate::solver::double_density::chunk_neighbours::ChunkNeighbours;
use crate::solver::double_density::coefficients::{Frozen, Pressures};
use crate::solver::neighbours::blocks::{BlockLanes, ClassLanes};

/// Relative densities up to which a grain lies open to the air, and from which on it is closed in. What is open
/// to the air holds no liquid under pressure: it would run out. So a few drops do not fill a heap.
const OPEN: f32 = 0.75;
const CLOSED: f32 = 0.9;

/// Grains rub where they are more than the second of these shares of a grain's neighbours, and less and
/// less down to the first: in water grains that are apart do not touch.
const APART: (f32, f32) = (0.2, 0.5);

/// What a particle adds to sums of `q²` over its neighbours and itself.
const ITSELF: f32 = 1.0;

/// A grain whose pores may hold liquid.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WetGrain {
    pub pores: PoreLiquid,
    /// What presses on it and its neighbours, less what the liquid in the pores bears, `m P`.
    pub bearing: f32,
    /// The part that this is of what presses on it; at most 1.
    pub dry: f32,
}

impl WetGrain {
    /// With nothing in its pores.
    fn dry(grain: &Grain) -> Self {
        Self { pores: PoreLiquid::default(), bearing: grain.load, dry: 1.0 }
    }
}

/// Finds what is in the pores of every grain, from its neighbours: liquid, and what was in the pores of
/// other grains in the last substep. So water seeps in and its pressure spreads, from grain to grain.
///
/// `share = sum q² share_j / sum q²`, with 1 for liquid, and less where the air is near. The pressure is the
/// mean of the neighbours', at the grain's depth: it grows along gravity as a liquid's at rest, by
/// `4 w g/(h (rho_eq + 1))`.
///
/// What the grains bear themselves is a small difference of large numbers, and the mean over the
/// neighbours is steadier than that of one grain.
///
/// Grains that do not move keep what is in their pores.
pub(super) fn find_pores(
    inputs: Inputs,
    grains: &[Grain],
    relative_density: &[f32],
    wet: &mut Vec<WetGrain>,
    executor: &dyn Executor,
) {
    let Inputs { frozen, neighbours, .. } = inputs;
    wet.clear();
    if !frozen.pressure.any_pores() {
        return;
    }
    wet.resize(grains.len(), WetGrain::default());
    let (classes, activity) = (&frozen.pressure.classes, frozen.particles.activity);
    executor.for_each_chunk(&mut wet[..], CHUNK, |index, wet| {
        let chunk = chunk_of(index, wet.len());
        let start = chunk.start;
        for (wet, grain) in wet.iter_mut().zip(&grains[chunk.clone()]) {
            *wet = WetGrain { pores: grain.pores, ..WetGrain::dry(grain) };
        }
        if !takes_part(&activity[chunk], Activity::Awake) {
            return;
        }
        for (particles, near) in neighbours[index].moving_grains(start, activity) {
            let is_wet = |index: &u32| {
                let index = *index as usize;
                grains[index].pores.share > 0.0
                    || classes[frozen.particles.class[index].index()].fills_pores
            };
            let sums = near.iter().any(is_wet).then(|| {
                let particles = &particles;
                instructions::run(PoresOfBlock { inputs: &inputs, grains, particles, near })
            });
            for (lane, particle) in particles.enumerate() {
                let class = &classes[frozen.particles.class[particle].index()];
                if activity[particle] != Activity::Awake || class.grains.is_none() {
                    continue;
                }
                let grain = &grains[particle];
                let closed =
                    ((relative_density[particle] - OPEN) / (CLOSED - OPEN)).clamp(0.0, 1.0);
                wet[particle - start] = match &sums {
                    Some(sums) => sums.wet_grain(lane, grain, closed),
                    None => WetGrain::dry(grain),
                };
            }
        }
    });
}

/// What the liquid in pores is found from.
#[derive(Clone, Copy)]
pub(super) struct Inputs<'a> {
    pub frozen: Frozen<'a>,
    pub pressures: &'a [Pressures],
    /// One item for each chunk.
    pub neighbours: &'a [ChunkNeighbours],
}

/// Sums over the neighbours of each particle of a block and itself, with the weight `q²`.
struct PoresOfBlock<'a> {
    inputs: &'a Inputs<'a>,
    grains: &'a [Grain],
    particles: &'a Range<usize>,
    near: &'a [u32],
}

struct PoreSums {
    /// Over all, over grains, and over liquid and the shares of pores that it fills.
    all: Lanes,
    granular: Lanes,
    filled: Lanes,
    /// Over grains: what they bear themselves.
    bearing: Lanes,
    /// Over liquid and pores: its pressure at the particle's depth, and its weight.
    pressure: Lanes,
    weight: Lanes,
}

impl PoreSums {
    /// The grain in a lane, which is closed in so far.
    fn wet_grain(&self, lane: usize, grain: &Grain, closed: f32) -> WetGrain {
        let (all, filled, granular) = (self.all[lane], self.filled[lane], self.granular[lane]);
        if filled <= 0.0 {
            return WetGrain::dry(grain);
        }
        let pores = PoreLiquid {
            share: closed * (filled / all).min(1.0),
            pressure: positive(self.pressure[lane] / filled),
            weight: self.weight[lane] / filled,
        };
        let grains_among_neighbours = (granular - ITSELF) / (all - ITSELF).max(f32::MIN_POSITIVE);
        let together = ((grains_among_neighbours - APART.0) / (APART.1 - APART.0)).clamp(0.0, 1.0);
        // Without water they rub wherever they touch.
        let touching = 1.0 - pores.share * (1.0 - together);
        let bearing = touching * positive(self.bearing[lane] / granular);
        // What presses on a grain that bears nothing is the liquid.
        let dry = if grain.load <= 0.0 { touching } else { (bearing / grain.load).min(1.0) };
        WetGrain { pores, bearing, dry }
    }
}

impl LaneKernel for PoresOfBlock<'_> {
    type Output = PoreSums;

    #[inline(always)]
    fn run<S: Instructions>(self, instructions: S) -> PoreSums {
        let Self { inputs: Inputs { frozen, pressures, .. }, grains, particles, near } = self;
        let Frozen { particles: all, coefficients, pressure, .. } = *frozen;
        let splat = |number: f32| splat(instructions, number);
        let positions = all.position;
        let classes = &all.class[..positions.len()];
        let (grains, pressures) = (&grains[..positions.len()], &pressures[..positions.len()]);
        let (radius, gravity) = (coefficients.interaction_radius, coefficients.gravity);
        let (mut sum, mut granular) = (splat(0.0), splat(0.0));
        let (mut filled, mut bearing) = (splat(0.0), splat(0.0));
        let (mut carried, mut weight) = (splat(0.0), splat(0.0));
        let lanes = BlockLanes::of(instructions, coefficients, particles, positions);
        let own_classes = ClassLanes::of(particles, classes);
        lanes.for_each(
            [near.iter().map(|index| *index as usize)],
            #[inline(always)]
            |index, pair| {
                let class = classes[index].index();
                let closeness = pair.closeness * pair.closeness;
                sum += closeness;
                let (state, shared) = (&pressure.classes[class], &coefficients.classes[class]);
                let liquid = if state.fills_pores {
                    let pressure = pressures[index].carried(radius);
                    let weight = shared.mass * shared.gravity_scale;
                    PoreLiquid { share: 1.0, pressure, weight }
                } else {
                    grains[index].pores
                };
                if state.grains.is_some() {
                    granular += closeness;
                    bearing += closeness * splat(grains[index].load - liquid.borne());
                }
                let deeper = splat(-gravity.x) * pair.dx + splat(-gravity.y) * pair.dy;
                let slope =
                    liquid.weight * 4.0 / (radius * (state.state.equilibrium_density + 1.0));
                let mut part = closeness * splat(liquid.share);
                if state.fills_pores && pressure.seepage.acts() {
                    // What passes a powder presses on its grains itself.
                    let fills = |own| f32::from(u8::from(!pressure.seepage.between(own, class)));
                    part *= load(instructions, &own_classes.map(fills));
                }
                filled += part;
                carried += part * (splat(liquid.pressure) + splat(slope) * deeper);
                weight += part * splat(liquid.weight);
            },
        );
        PoreSums {
            all: sum.into(),
            granular: granular.into(),
            filled: filled.into(),
            bearing: bearing.into(),
            pressure: carried.into(),
            weight: weight.into(),
        }
    }
}
