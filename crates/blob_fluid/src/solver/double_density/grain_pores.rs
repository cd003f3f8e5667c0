//! Liquid in the pores of powder, which bears a part of what presses there. The paper does not have it.

use std::ops::Range;

use crate::parallel::chunks::{CHUNK, chunk_of};
use crate::parallel::executor::Executor;
use crate::parallel::instructions::{self, Instructions, LaneKernel};
use crate::parallel::lanes::{Lanes, positive, splat};
use crate::particles::activity::{Activity, takes_part};
use crate::particles::grain::{Grain, PoreLiquid};
use crate::solver::double_density::chunk_neighbours::ChunkNeighbours;
use crate::solver::double_density::frozen::{Frozen, Pressures};
use crate::solver::neighbours::pair_lanes::BlockLanes;

/// Mean closeness of the pairs of a liquid, weighted by what they carry: the integrals of `q^2 r^2` and
/// `q r^2` over a plane are as 0.4 to 1. So `P + 0.4 P_near` is what its pairs carry.
const MEAN_CLOSENESS: f32 = 0.4;

/// Relative density below which what is missing around a grain is air.
const CLOSED: f32 = 0.8;

/// Finds what is in the pores of every grain, from its neighbours: liquid, and what was in the pores of
/// other grains in the last substep. So water seeps in and its pressure spreads, from grain to grain.
///
/// `share = sum q² share_j / (sum q² + air)`, with 1 for liquid; `air` is what the density lacks where
/// the surface is near. The pressure is the mean of the neighbours', at the grain's depth: it
/// grows along gravity as a liquid's at rest, by `4 w g/(h (rho_eq + 1))`.
///
/// Grains that do not move keep what is in their pores.
pub(super) fn find_pores<E: Executor>(
    frozen: Frozen,
    pressures: &[Pressures],
    grains: &[Grain],
    relative_density: &[f32],
    neighbours: &[ChunkNeighbours],
    pores: &mut Vec<PoreLiquid>,
    executor: &E,
) {
    pores.clear();
    if !frozen.pressure.any_pores() {
        return;
    }
    pores.resize(grains.len(), PoreLiquid::default());
    let classes = &frozen.pressure.classes;
    executor.for_each_chunk(&mut pores[..], CHUNK, |index, pores| {
        let chunk = chunk_of(index, pores.len());
        let start = chunk.start;
        for (pores, grain) in pores.iter_mut().zip(&grains[chunk.clone()]) {
            *pores = grain.pores;
        }
        if !takes_part(&frozen.particles.activity[chunk], Activity::Awake) {
            return;
        }
        for (particles, near, flags) in neighbours[index].blocks(start) {
            let activity = &frozen.particles.activity[particles.clone()];
            if !flags.granular || !takes_part(activity, Activity::Awake) {
                continue;
            }
            let is_wet = |index: &u32| {
                let index = *index as usize;
                grains[index].pores.share > 0.0
                    || classes[frozen.particles.class[index].index()].fills_pores
            };
            let wet = near.iter().any(is_wet);
            let sums = wet.then(|| {
                let frozen = &frozen;
                instructions::run(PoresOfBlock {
                    frozen,
                    pressures,
                    grains,
                    particles: &particles,
                    near,
                })
            });
            for (lane, particle) in particles.enumerate() {
                if activity[lane] != Activity::Awake {
                    continue;
                }
                let class = &classes[frozen.particles.class[particle].index()];
                let at_rest = class.state.equilibrium_density;
                let air = positive(CLOSED - relative_density[particle]) * at_rest;
                pores[particle - start] = match &sums {
                    Some(sums) if class.grains.is_some() => sums.pores(lane, air),
                    _ => PoreLiquid::default(),
                };
            }
        }
    });
}

/// Sums over the neighbours of each particle of a block, with the weight `q²`.
struct PoresOfBlock<'a> {
    frozen: &'a Frozen<'a>,
    pressures: &'a [Pressures],
    grains: &'a [Grain],
    particles: &'a Range<usize>,
    near: &'a [u32],
}

struct PoreSums {
    all: Lanes,
    wet: Lanes,
    pressure: Lanes,
    weight: Lanes,
}

impl PoreSums {
    fn pores(&self, lane: usize, air: f32) -> PoreLiquid {
        let wet = self.wet[lane];
        if wet <= 0.0 {
            return PoreLiquid::default();
        }
        PoreLiquid {
            share: (wet / (self.all[lane] + air)).min(1.0),
            pressure: positive(self.pressure[lane] / wet),
            weight: self.weight[lane] / wet,
        }
    }
}

impl LaneKernel for PoresOfBlock<'_> {
    type Output = PoreSums;

    #[inline(always)]
    fn run<S: Instructions>(self, instructions: S) -> PoreSums {
        let Self { frozen, pressures, grains, particles, near } = self;
        let Frozen { particles: all, coefficients, pressure, .. } = *frozen;
        let splat = |number: f32| splat(instructions, number);
        let positions = all.position;
        let classes = &all.class[..positions.len()];
        let (grains, pressures) = (&grains[..positions.len()], &pressures[..positions.len()]);
        let radius = coefficients.interaction_radius;
        let (mut sum, mut wet) = (splat(0.0), splat(0.0));
        let (mut carried, mut weight) = (splat(0.0), splat(0.0));
        let lanes = BlockLanes::of(instructions, coefficients, particles, positions);
        lanes.for_each(
            [near.iter().map(|index| *index as usize)],
            #[inline(always)]
            |index, pair| {
                let class = classes[index].index();
                let closeness = pair.closeness * pair.closeness;
                sum += closeness;
                let state = &pressure.classes[class];
                let liquid = if state.fills_pores {
                    let pressures = pressures[index];
                    let shared = &coefficients.classes[class];
                    PoreLiquid {
                        share: 1.0,
                        pressure: positive(
                            pressures.far + MEAN_CLOSENESS * radius * pressures.near,
                        ),
                        weight: shared.mass * shared.gravity_scale,
                    }
                } else {
                    grains[index].pores
                };
                // How much deeper the particle lies than the other, times gravity.
                let deeper = pair.dx * splat(-coefficients.gravity.x)
                    + pair.dy * splat(-coefficients.gravity.y);
                let slope =
                    4.0 * liquid.weight / (radius * (state.state.equilibrium_density + 1.0));
                let part = closeness * splat(liquid.share);
                wet += part;
                carried += part * (splat(liquid.pressure) + splat(slope) * deeper);
                weight += part * splat(liquid.weight);
            },
        );
        PoreSums {
            all: sum.into(),
            wet: wet.into(),
            pressure: carried.into(),
            weight: weight.into(),
        }
    }
}
