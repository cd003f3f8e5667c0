//! What grains of powder do to each other by their stresses, and the load that their pairs carry.

use std::ops::Range;

use glam::Vec2;

use crate::parallel::chunks::{CHUNK, chunk_of};
use crate::parallel::executor::Executor;
use crate::parallel::lanes::{
    Instructions, LaneVector, Lanes, PointLanes, gather_points, positive, splat,
};
use crate::particles::activity::{Activity, takes_part};
use crate::particles::grain::Grain;
use crate::solver::coefficients::Coefficients;
use crate::solver::double_density::chunk_neighbours::ChunkNeighbours;
use crate::solver::double_density::frozen::{Frozen, Pressures};
use crate::solver::double_density::ghost_walls::{wall_push, walls_of};
use crate::solver::double_density::grain_pores::WetGrain;
use crate::solver::double_density::grain_stress::CENTRAL;
use crate::solver::double_density::near_ghost_wall::NearGhostWall;
use crate::solver::neighbours::pair_lanes::PairLanes;

/// What the pairs of a grain do to it by their stresses, and what they carry.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct GrainPush {
    /// `sum q { 2 z (r_hat S r_hat) r_hat + (1 - z) S r_hat }`, where `S` is the tensor of the sum of the two
    /// grains' stresses, and `z` = [`CENTRAL`].
    push: Vec2,
    /// The sums of `[P_i + P_j + (Pn_i + Pn_j) q]/2` with the weights `q r`, and of these weights.
    load: f32,
    arm: f32,
}

/// The same sums of each particle of a block.
#[derive(Default)]
pub(super) struct PushesOfBlock {
    x: Lanes,
    y: Lanes,
    load: Lanes,
    arm: Lanes,
}

impl PushesOfBlock {
    /// The sums in a lane.
    pub(super) fn of(&self, lane: usize) -> GrainPush {
        let push = Vec2::new(self.x[lane], self.y[lane]);
        GrainPush { push, load: self.load[lane], arm: self.arm[lane] }
    }
}

/// Sums up what other grains do to the particles of a block, while the displacements' pass visits them.
pub(super) struct PushLanes<S: Instructions> {
    stress: PointLanes<S>,
    /// `sum q S r_hat`, and its parts along the pairs.
    x: LaneVector<S>,
    y: LaneVector<S>,
    along_x: LaneVector<S>,
    along_y: LaneVector<S>,
    /// Twice the load's sum.
    load: LaneVector<S>,
    arm: LaneVector<S>,
}

impl<S: Instructions> PushLanes<S> {
    /// Nothing yet, of particles with these stresses.
    #[inline(always)]
    pub(super) fn of(instructions: S, particles: &Range<usize>, stresses: &[Vec2]) -> Self {
        let zero = splat(instructions, 0.0);
        let stress = gather_points(instructions, particles, stresses);
        let (along_x, along_y) = (zero, zero);
        Self { stress, x: zero, y: zero, along_x, along_y, load: zero, arm: zero }
    }

    /// Adds a pair with a grain that has a stress, and the sums of the two's pressures and near pressures.
    #[inline(always)]
    pub(super) fn add(
        &mut self,
        pair: &PairLanes<S>,
        stress: Vec2,
        (far, near): (LaneVector<S>, LaneVector<S>),
        radius: LaneVector<S>,
    ) {
        let splat = |number: f32| splat(far.simd, number);
        let q = pair.closeness;
        let strength = far + near * (q * radius);
        let arm = q * pair.distance;
        self.load += strength * arm;
        self.arm += arm;
        let (cos, sin) = (pair.dx * pair.inverse, pair.dy * pair.inverse);
        let (own_xx, own_xy) = self.stress;
        let (xx, xy) = (own_xx + splat(stress.x), own_xy + splat(stress.y));
        let (x, y) = (xx * cos + xy * sin, xy * cos - xx * sin);
        let along = q * (x * cos + y * sin);
        self.x += q * x;
        self.y += q * y;
        self.along_x += along * cos;
        self.along_y += along * sin;
    }

    #[inline(always)]
    pub(super) fn sums(self) -> PushesOfBlock {
        let Self { x, y, along_x, along_y, load, arm, .. } = self;
        let splat = |number: f32| splat(x.simd, number);
        let (central, plain) = (splat(2.0 * CENTRAL), splat(1.0 - CENTRAL));
        PushesOfBlock {
            x: (central * along_x + plain * x).into(),
            y: (central * along_y + plain * y).into(),
            load: (splat(0.5) * load).into(),
            arm: arm.into(),
        }
    }
}

/// What grains are pushed by, and what they keep of it.
#[derive(Clone, Copy)]
pub(super) struct Pushed<'a> {
    /// One list for each chunk.
    pub pushes: &'a [Vec<GrainPush>],
    /// One item for each particle.
    pub stresses: &'a [Vec2],
    /// The same; empty if there are no pores that a liquid may fill.
    pub wet: &'a [WetGrain],
    /// One item for each particle.
    pub pressures: &'a [Pressures],
    /// One item for each chunk.
    pub neighbours: &'a [ChunkNeighbours],
}

/// Adds `1/2 (dt²/m)` times its [`GrainPush`] to the displacement of every grain. The two displacements of a
/// pair come from opposite forces.
///
/// It also keeps for the next substep the stress, the place, what is in the pores, and the [`load`].
pub(super) fn push_grains(
    frozen: Frozen,
    pushed: Pushed,
    grains: &mut [Grain],
    displacements: &mut [Vec2],
    executor: &dyn Executor,
) {
    let Pushed { pushes, stresses, wet, pressures, neighbours } = pushed;
    let Frozen { particles: all, coefficients, .. } = frozen;
    let activity = all.activity;
    let squared_step = coefficients.time_step * coefficients.time_step;
    executor.for_each_chunk((grains, displacements), CHUNK, |index, (grains, displacements)| {
        let chunk = chunk_of(index, grains.len());
        if !takes_part(&activity[chunk.clone()], Activity::Awake) {
            return;
        }
        let mut left = neighbours[index].walls();
        let particles = chunk.zip(grains).zip(displacements).zip(&pushes[index]);
        for (((particle, grain), displacement), push) in particles {
            let class = all.class[particle].index();
            let moves = activity[particle] == Activity::Awake;
            if !moves || frozen.pressure.classes[class].grains.is_none() {
                continue;
            }
            let walls = walls_of(particle, &mut left);
            let way = all.position[particle] - grain.place;
            *displacement +=
                push.push * (0.5 * squared_step * coefficients.classes[class].inverse_mass);
            *grain = Grain {
                stress: stresses[particle],
                load: load(&frozen, &pressures[particle], push, walls, way),
                place: all.position[particle],
                pores: wet.get(particle).map(|wet| wet.pores).unwrap_or_default(),
            };
        }
    });
}

/// Speed along a wall, in V0, from which on a grain does not lie still on it.
const STILL: f32 = 0.02;

/// The load of a grain that has moved by `way` in a substep: the mean of what its pairs carry. A grain's own
/// pressure would not do: it is 0 in the top layer, which would slide off.
///
/// Where the grain lies still on a wall, the load is at least what its own pressure carries. The grains at a
/// wall have the highest pressure, and neighbours on one side only. So the mean is less there than what
/// their pairs press with, and a layer would slide over the grains that the wall holds.
fn load(
    frozen: &Frozen,
    pressures: &Pressures,
    push: &GrainPush,
    walls: &[NearGhostWall],
    way: Vec2,
) -> f32 {
    let mean = if push.arm > 0.0 { positive(push.load) / push.arm } else { 0.0 };
    let own = pressures.carried(frozen.coefficients.interaction_radius);
    mean + stillness(frozen, pressures, walls, way) * positive(own - mean)
}

/// How still a grain lies on the walls that push it: 1 at rest, 0 from the speed [`STILL`] on and without
/// such walls.
fn stillness(frozen: &Frozen, pressures: &Pressures, walls: &[NearGhostWall], way: Vec2) -> f32 {
    let Coefficients { speed_unit, time_step, .. } = *frozen.coefficients;
    let pushing = walls.iter().filter(|wall| wall_push(frozen, pressures, wall) > 0.0);
    let slid = pushing.map(|wall| (way - wall.velocity * time_step).dot(wall.normal.perp()).abs());
    slid.reduce(f32::max)
        .map_or(0.0, |slid| positive(1.0 - slid / (STILL * speed_unit * time_step)))
}
