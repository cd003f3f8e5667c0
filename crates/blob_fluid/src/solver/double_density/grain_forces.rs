//! What grains of powder do to each other by their stresses, and the load that their pairs carry.

use std::ops::Range;

use glam::Vec2;

use crate::parallel::chunks::{CHUNK, chunk_of};
use crate::parallel::executor::Executor;
use crate::parallel::instructions::{self, Instructions, LaneKernel};
use crate::parallel::lanes::{Lanes, gather, gather_points, load, positive, splat};
use crate::particles::activity::{Activity, takes_part};
use crate::particles::grain::Grain;
use crate::solver::double_density::chunk_neighbours::ChunkNeighbours;
use crate::solver::double_density::frozen::{Frozen, Pressures};
use crate::solver::double_density::grain_pores::WetGrain;
use crate::solver::double_density::grain_stress::CENTRAL;
use crate::solver::neighbours::pair_lanes::BlockLanes;

/// What the forces between grains are computed from.
#[derive(Clone, Copy)]
pub(super) struct Inputs<'a> {
    pub frozen: Frozen<'a>,
    pub pressures: &'a [Pressures],
    /// One item for each particle.
    pub stresses: &'a [Vec2],
    /// One item for each particle; empty if there are no pores that a liquid may fill.
    pub wet: &'a [WetGrain],
    /// One item for each chunk.
    pub neighbours: &'a [ChunkNeighbours],
}

/// Adds to the displacement of every grain
///
/// `1/2 (dt²/m) sum q { 2 z [s_xx cos 2a + s_xy sin 2a] r_hat + (1 - z) S r_hat }`,
///
/// where `s` is the sum of the two grains' stresses, `S` its tensor, `a` the direction of the pair, and
/// `z` = [`CENTRAL`]. The two displacements of a pair come from opposite forces.
///
/// It also keeps for the next substep the stress, the place, what is in the pores, and the load: the mean of
/// `[P_i + P_j + (Pn_i + Pn_j) q]/2` over the grain's pairs, with the weight `q r`. A grain's own
/// pressure would not do: it is 0 in the top layer, which would slide off.
pub(super) fn push_grains<E: Executor>(
    inputs: Inputs,
    grains: &mut [Grain],
    displacements: &mut [Vec2],
    executor: &E,
) {
    let Inputs { frozen, pressures, stresses, wet, neighbours } = inputs;
    let Frozen { particles: all, coefficients, .. } = frozen;
    let activity = all.activity;
    executor.for_each_chunk((grains, displacements), CHUNK, |index, (grains, displacements)| {
        let chunk = chunk_of(index, grains.len());
        let start = chunk.start;
        if !takes_part(&activity[chunk], Activity::Awake) {
            return;
        }
        for (particles, near) in neighbours[index].moving_grains(start, activity) {
            let pushes = instructions::run(PushesOfBlock {
                frozen: &frozen,
                pressures,
                stresses,
                particles: &particles,
                near,
            });
            for (lane, particle) in particles.enumerate() {
                let class = all.class[particle].index();
                let moves = activity[particle] == Activity::Awake;
                if !moves || frozen.pressure.classes[class].grains.is_none() {
                    continue;
                }
                let push = Vec2::new(pushes.x[lane], pushes.y[lane]);
                let squared_step = coefficients.time_step * coefficients.time_step;
                let per_push = 0.5 * squared_step * coefficients.classes[class].inverse_mass;
                displacements[particle - start] += push * per_push;
                let arm = pushes.arm[lane];
                grains[particle - start] = Grain {
                    stress: stresses[particle],
                    load: if arm > 0.0 { positive(pushes.load[lane]) / arm } else { 0.0 },
                    place: all.position[particle],
                    pores: wet.get(particle).map(|wet| wet.pores).unwrap_or_default(),
                };
            }
        }
    });
}

/// Computes what the stresses of other grains do to each particle of a block.
struct PushesOfBlock<'a> {
    frozen: &'a Frozen<'a>,
    pressures: &'a [Pressures],
    stresses: &'a [Vec2],
    particles: &'a Range<usize>,
    near: &'a [u32],
}

struct Pushes {
    x: Lanes,
    y: Lanes,
    /// The sums of the pairs' pressures and of their weights.
    load: Lanes,
    arm: Lanes,
}

impl LaneKernel for PushesOfBlock<'_> {
    type Output = Pushes;

    #[inline(always)]
    fn run<S: Instructions>(self, instructions: S) -> Pushes {
        let Self { frozen, pressures, stresses, particles, near } = self;
        let Frozen { particles: all, coefficients, pressure: table, .. } = *frozen;
        let splat = |number: f32| splat(instructions, number);
        let positions = all.position;
        let classes = &all.class[..positions.len()];
        let (pressures, stresses) = (&pressures[..positions.len()], &stresses[..positions.len()]);
        let far = load(instructions, &gather(particles, pressures, |pressure| pressure.far));
        let near_pressure =
            load(instructions, &gather(particles, pressures, |pressure| pressure.near));
        let (own_xx, own_xy) = gather_points(instructions, particles, stresses);
        let (mut x, mut y) = (splat(0.0), splat(0.0));
        let (mut carried, mut arms) = (splat(0.0), splat(0.0));
        let radius = splat(coefficients.interaction_radius);
        let lanes = BlockLanes::of(instructions, coefficients, particles, positions);
        lanes.for_each(
            [near.iter().map(|index| *index as usize)],
            #[inline(always)]
            |index, pair| {
                if table.classes[classes[index].index()].grains.is_none() {
                    return;
                }
                let (other, stress) = (&pressures[index], stresses[index]);
                let q = pair.closeness;
                let strength =
                    (far + splat(other.far)) + (near_pressure + splat(other.near)) * (q * radius);
                let arm = q * pair.distance;
                carried += strength * (arm * splat(0.5));
                arms += arm;
                let (cos, sin) = (pair.dx * pair.inverse, pair.dy * pair.inverse);
                let (cos_2, sin_2) = (cos * cos - sin * sin, splat(2.0) * cos * sin);
                let (xx, xy) = (own_xx + splat(stress.x), own_xy + splat(stress.y));
                let central = splat(2.0 * CENTRAL) * (xx * cos_2 + xy * sin_2);
                let plain = splat(1.0 - CENTRAL);
                x += q * (central * cos + plain * (xx * cos + xy * sin));
                y += q * (central * sin + plain * (xy * cos - xx * sin));
            },
        );
        Pushes { x: x.into(), y: y.into(), load: carried.into(), arm: arms.into() }
    }
}
