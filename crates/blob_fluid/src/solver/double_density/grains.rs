//! Pushes of powder grains on each other by their stresses, and the load that their pairs carry.

use std::ops::Range;

use fearless_simd::prelude::*;
use glam::Vec2;

use crate::parallel::executor::{CHUNK, Executor, chunk_of};
use crate::parallel::instructions::{
    self, Instructions, LaneKernel, LaneVector, Lanes, PointLanes, gather, gather_points, load,
    positive, positive_lanes, splat, store,
};
use crate::particles::arrays::{Activity, takes_part};
use crate::particles::optional::Grain;
use crate::solver::coefficients::{Coefficients, GrainCoefficients};
use crate::solver::double_density::chunk_neighbours::{ChunkNeighbours, NearGhostWall};
use crate::solver::double_density::coefficients::{Frozen, GrainPush, Pressures};
use crate::solver::double_density::grain_pores::PoreState;
use crate::solver::double_density::walls::wall_push;
use crate::solver::neighbours::blocks::{BlockLanes, ClassLanes, PairLanes};
use crate::solver::pair_forces::walls::take_walls_of;

/// The [`GrainPush`] of each particle of a block.
#[derive(Default)]
pub(super) struct PushesOfBlock {
    x: Lanes,
    y: Lanes,
    load: Lanes,
    load_weight: Lanes,
    liquid_pressure: Lanes,
}

impl PushesOfBlock {
    /// The sums of the particle in a lane.
    pub(super) fn of(&self, lane: usize) -> GrainPush {
        let push = Vec2::new(self.x[lane], self.y[lane]);
        let liquid_pressure = self.liquid_pressure[lane];
        GrainPush {
            push,
            load: self.load[lane],
            load_weight: self.load_weight[lane],
            liquid_pressure,
        }
    }
}

/// Sums the effects of grains on the particles of a block, in the loop of the displacements.
pub(super) struct PushLanes<S: Instructions> {
    stress: PointLanes<S>,
    /// `sum q S r_hat`, and (`along_x`, `along_y`) its components along the pairs.
    x: LaneVector<S>,
    y: LaneVector<S>,
    along_x: LaneVector<S>,
    along_y: LaneVector<S>,
    /// Twice the load's sum.
    load: LaneVector<S>,
    load_weight: LaneVector<S>,
}

impl<S: Instructions> PushLanes<S> {
    /// Empty sums, for particles with these stresses.
    #[inline(always)]
    pub(super) fn of(instructions: S, particles: &Range<usize>, stresses: &[Vec2]) -> Self {
        let zero = splat(instructions, 0.0);
        let stress = gather_points(instructions, particles, stresses);
        let (along_x, along_y) = (zero, zero);
        Self { stress, x: zero, y: zero, along_x, along_y, load: zero, load_weight: zero }
    }

    /// Adds a pair with a grain: its stress, and the sums of the two particles' pressures and near
    /// pressures.
    #[inline(always)]
    pub(super) fn add(
        &mut self,
        pair: &PairLanes<S>,
        stress: Vec2,
        pressure: LaneVector<S>,
        near_pressure: LaneVector<S>,
        radius: LaneVector<S>,
    ) {
        let splat = |number: f32| splat(pressure.token(), number);
        let q = pair.closeness;
        let strength = pressure + near_pressure * (q * radius);
        let load_weight = q * pair.distance;
        self.load += strength * load_weight;
        self.load_weight += load_weight;
        let (cos, sin) = (pair.dx * pair.inverse_distance, pair.dy * pair.inverse_distance);
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
    pub(super) fn sums(self, liquid_pressure: LaneVector<S>) -> PushesOfBlock {
        let Self { x, y, along_x, along_y, load, load_weight, .. } = self;
        let splat = |number: f32| splat(x.token(), number);
        let (central, plain) =
            (splat(2.0 * CENTRAL_SHEAR_FRACTION), splat(1.0 - CENTRAL_SHEAR_FRACTION));
        PushesOfBlock {
            x: store(central * along_x + plain * x),
            y: store(central * along_y + plain * y),
            load: store(splat(0.5) * load),
            load_weight: store(load_weight),
            liquid_pressure: store(liquid_pressure),
        }
    }
}

/// Inputs of [`push_grains`].
#[derive(Clone, Copy)]
pub(super) struct PushInputs<'a> {
    /// One list per chunk.
    pub pushes: &'a [Vec<GrainPush>],
    /// One item per particle.
    pub stresses: &'a [Vec2],
    /// One item per particle; empty if no pores contain liquid.
    pub pore_states: &'a [PoreState],
    /// One item per particle.
    pub pressures: &'a [Pressures],
    /// One item per chunk.
    pub neighbours: &'a [ChunkNeighbours],
}

/// Adds `1/2 (dt²/m)` times its [`GrainPush`] to the displacement of every grain. The two displacements of a pair come
/// from opposite forces.
///
/// Also stores the stress, the position, the liquid in the pores and the [load](grain_load) for the next substep.
pub(super) fn push_grains(
    frozen: Frozen,
    inputs: PushInputs,
    grains: &mut [Grain],
    displacements: &mut [Vec2],
    executor: &dyn Executor,
) {
    let PushInputs { pushes, stresses, pore_states, pressures, neighbours } = inputs;
    let Frozen { particles: all, coefficients, .. } = frozen;
    let activity = all.activity;
    let squared_step = coefficients.time_step * coefficients.time_step;
    executor.for_each_chunk((grains, displacements), CHUNK, |index, (grains, displacements)| {
        let chunk = chunk_of(index, grains.len());
        if !takes_part(&activity[chunk.clone()], Activity::Awake) {
            return;
        }
        let mut remaining_walls = &neighbours[index].walls[..];
        let particles = chunk.zip(grains).zip(displacements).zip(&pushes[index]);
        for (((particle, grain), displacement), push) in particles {
            let class = all.class[particle].index();
            if activity[particle] != Activity::Awake || !frozen.is_grain(particle) {
                continue;
            }
            let walls = take_walls_of(particle, &mut remaining_walls, |wall| wall.particle);
            let grain_displacement = all.position[particle] - grain.place;
            *displacement +=
                push.push * (0.5 * squared_step * coefficients.classes[class].inverse_mass);
            *grain = Grain {
                stress: stresses[particle],
                load: grain_load(&frozen, &pressures[particle], push, walls, grain_displacement),
                place: all.position[particle],
                pores: pore_states
                    .get(particle)
                    .map(|pore_states| pore_states.pores)
                    .unwrap_or_default(),
            };
        }
    });
}

/// Speed along a wall, in V0, from which on a grain is not at rest on it.
const REST_SPEED: f32 = 0.02;

/// The load of a grain that has moved by `displacement` in a substep: the mean pressure that its
/// pairs carry. The grain's own pressure is not suitable: it is 0 in the top layer, which would
/// slide off.
///
/// If the grain is at rest on a wall, the load is at least the pressure that its own pressures carry. The grains at a
/// wall have the highest pressure, and neighbours on one side only. So their mean is less than the pressure in their
/// pairs, and a layer would slide over the grains that the wall holds.
fn grain_load(
    frozen: &Frozen,
    pressures: &Pressures,
    push: &GrainPush,
    walls: &[NearGhostWall],
    displacement: Vec2,
) -> f32 {
    let mean = if push.load_weight > 0.0 { positive(push.load) / push.load_weight } else { 0.0 };
    let own = pressures.mean_pair_pressure(frozen.coefficients.interaction_radius);
    mean + rest_factor(frozen, pressures, walls, displacement) * positive(own - mean)
}

/// Factor for a grain on walls that push it: 1 at rest, 0 from the speed [`REST_SPEED`] on, and 0
/// without such walls.
fn rest_factor(
    frozen: &Frozen,
    pressures: &Pressures,
    walls: &[NearGhostWall],
    displacement: Vec2,
) -> f32 {
    let Coefficients { speed_unit, time_step, .. } = *frozen.coefficients;
    let pushing = walls.iter().filter(|wall| wall_push(frozen, pressures, wall) > 0.0);
    let slid = pushing
        .map(|wall| (displacement - wall.velocity * time_step).dot(wall.normal.perp()).abs());
    slid.reduce(f32::max)
        .map_or(0.0, |slid| positive(1.0 - slid / (REST_SPEED * speed_unit * time_step)))
}

// The stored stress of powder grains: strained by the motion of their neighbours, and limited by Coulomb's law. It is
// not part of Clavet et al. 2005.

/// Fraction of a pair's shear that acts along the pair, which conserves angular momentum. The rest is that of the plain
/// tensor. With 1, grains form rows; with 0, the surface of a heap creeps.
pub(super) const CENTRAL_SHEAR_FRACTION: f32 = 0.7;

/// Largest rotation of a neighbourhood in a substep by which the stress is rotated.
const MAX_ROTATION: f32 = 0.5;

/// The grains' state of the last substep, and the load that liquid in their pores leaves to them.
#[derive(Clone, Copy)]
pub(super) struct StressInputs<'a> {
    /// One item per particle.
    pub grains: &'a [Grain],
    /// One item per particle; empty if no pores contain liquid.
    pub pore_states: &'a [PoreState],
}

/// Computes the stress of every grain: `s = capped(turned(s) + shear/rho² strain)`, where
/// `|s| <= tan(angle) load + cohesion`. The load is that of the last substep, without the part that liquid in the pores
/// bears. The strain follows from the changes `u` of the offsets to other grains since the last computation of the
/// stress:
///
/// `strain_xx = sum q [(1 + z)/2 u_r cos 2a - (1 - z)/2 u_t sin 2a]`. For `strain_xy`, `sin 2a` replaces `cos 2a`, and
/// `cos 2a` replaces `-sin 2a`. `a` is the direction of the pair, `u_r` the component of `u` along it, `u_t` the one
/// across it, and `z` is [`CENTRAL_SHEAR_FRACTION`]. This sum is the transpose of the sum that
/// computes displacements from stresses, so the elastic part adds no energy.
///
/// Grains that are not awake keep their stress. Other particles have none.
pub(super) fn compute_stresses(
    frozen: Frozen,
    inputs: StressInputs,
    relative_density: &[f32],
    neighbours: &[ChunkNeighbours],
    grain_displacements: &mut GrainDisplacements,
    stresses: &mut Vec<Vec2>,
    executor: &dyn Executor,
) {
    let (grains, activity) = (inputs.grains, frozen.particles.activity);
    grain_displacements.compute(&frozen, grains, executor);
    stresses.resize(grains.len(), Vec2::ZERO);
    executor.for_each_chunk(&mut stresses[..], CHUNK, |index, stresses| {
        let chunk = chunk_of(index, stresses.len());
        let start = chunk.start;
        for (stress, grain) in stresses.iter_mut().zip(&grains[chunk.clone()]) {
            *stress = grain.stress;
        }
        if !takes_part(&activity[chunk], Activity::Awake) {
            return;
        }
        for (particles, neighbour_indices, _) in neighbours[index].moving_grains(start, activity) {
            let (x, y) = instructions::run(StressOfBlock {
                frozen: &frozen,
                inputs,
                grain_displacements,
                relative_density,
                particles: &particles,
                neighbour_indices,
            });
            for (lane, particle) in particles.enumerate() {
                if activity[particle] == Activity::Awake {
                    let stress = Vec2::new(x[lane], y[lane]);
                    stresses[particle - start] =
                        if frozen.is_grain(particle) { stress } else { Vec2::ZERO };
                }
            }
        }
    });
}

/// The displacements of grains since the last computation of their stress.
#[derive(Clone, Debug, Default)]
pub(crate) struct GrainDisplacements {
    /// One item per particle.
    displacements: Vec<Vec2>,
    /// One item per particle: 1 for a grain, otherwise 0.
    is_grain: Vec<f32>,
}

impl GrainDisplacements {
    fn compute(&mut self, frozen: &Frozen, grains: &[Grain], executor: &dyn Executor) {
        self.displacements.resize(grains.len(), Vec2::ZERO);
        self.is_grain.resize(grains.len(), 0.0);
        let (position, class) = (frozen.particles.position, frozen.particles.class);
        let outputs = (&mut self.displacements[..], &mut self.is_grain[..]);
        executor.for_each_chunk(outputs, CHUNK, |index, (displacements, is_grain)| {
            let chunk = chunk_of(index, displacements.len());
            let places = position[chunk.clone()].iter().zip(&grains[chunk.clone()]);
            for (displacement, (position, grain)) in displacements.iter_mut().zip(places) {
                *displacement = *position - grain.place;
            }
            for (is_grain, class) in is_grain.iter_mut().zip(&class[chunk]) {
                let grains = &frozen.pressure.classes[class.index()].grains;
                *is_grain = f32::from(u8::from(grains.is_some()));
            }
        });
    }
}

/// Smallest squared density in the shear stiffness, which would be too large at lower densities.
const MIN_SQUARED_DENSITY: f32 = 4.0;

/// Computes the new stress of each particle of a block, as if all were grains.
struct StressOfBlock<'a> {
    frozen: &'a Frozen<'a>,
    inputs: StressInputs<'a>,
    grain_displacements: &'a GrainDisplacements,
    relative_density: &'a [f32],
    particles: &'a Range<usize>,
    neighbour_indices: &'a [u32],
}

/// The strain of each particle of a block by the motion of other grains.
struct Strain<S: Instructions> {
    xx: LaneVector<S>,
    xy: LaneVector<S>,
    /// `sum q r_hat x u`, and `sum q r`: their ratio is the rotation of the neighbourhood.
    rotation: LaneVector<S>,
    rotation_weight: LaneVector<S>,
}

/// The cosine and sine of twice an angle. If both inputs are 0, the cosine is -1.
#[inline(always)]
fn double_angle<S: Instructions>(
    cos: LaneVector<S>,
    sin: LaneVector<S>,
) -> (LaneVector<S>, LaneVector<S>) {
    let twice_cos = cos + cos;
    (twice_cos * cos - splat(cos.token(), 1.0), twice_cos * sin)
}

impl LaneKernel for StressOfBlock<'_> {
    type Output = (Lanes, Lanes);

    #[inline(always)]
    fn run<S: Instructions>(self, instructions: S) -> (Lanes, Lanes) {
        let strain = self.strain(instructions);
        let (x, y) = self.stress(instructions, strain);
        (store(x), store(y))
    }
}

impl StressOfBlock<'_> {
    #[inline(always)]
    fn strain<S: Instructions>(&self, instructions: S) -> Strain<S> {
        let Self {
            frozen,
            grain_displacements: GrainDisplacements { displacements, is_grain },
            particles,
            neighbour_indices,
            ..
        } = self;
        let Frozen { particles: all, coefficients, .. } = **frozen;
        let splat = |number: f32| splat(instructions, number);
        let positions = all.position;
        // All slices get the same length, so that one comparison checks an index for all of them.
        let (displacements, is_grain) =
            (&displacements[..positions.len()], &is_grain[..positions.len()]);
        let (own_x, own_y) = gather_points(instructions, particles, displacements);
        // Sums of the changes along the pairs, and of the changes across them.
        let (mut along_xx, mut along_xy) = (splat(0.0), splat(0.0));
        let (mut across_xx, mut across_xy) = (splat(0.0), splat(0.0));
        let (mut rotation, mut rotation_weight) = (splat(0.0), splat(0.0));
        let lanes = BlockLanes::of(instructions, coefficients, particles, positions);
        lanes.for_each(
            [neighbour_indices.iter().map(|index| *index as usize)],
            #[inline(always)]
            |index, pair| {
                let displacement = displacements[index];
                let (ux, uy) = (splat(displacement.x) - own_x, splat(displacement.y) - own_y);
                let (cos, sin) = (pair.dx * pair.inverse_distance, pair.dy * pair.inverse_distance);
                // Particles that are not grains add exactly zero.
                let q = pair.closeness * splat(is_grain[index]);
                let (along, across) = (q * (ux * cos + uy * sin), q * (uy * cos - ux * sin));
                let (cos_2, sin_2) = double_angle::<S>(cos, sin);
                along_xx += along * cos_2;
                along_xy += along * sin_2;
                across_xx -= across * sin_2;
                across_xy += across * cos_2;
                rotation += across;
                rotation_weight += q * pair.distance;
            },
        );
        let (of_along, of_across) =
            (splat(0.5 + 0.5 * CENTRAL_SHEAR_FRACTION), splat(0.5 - 0.5 * CENTRAL_SHEAR_FRACTION));
        let xx = of_along * along_xx + of_across * across_xx;
        let xy = of_along * along_xy + of_across * across_xy;
        Strain { xx, xy, rotation, rotation_weight }
    }

    /// The stress of a strained particle.
    #[inline(always)]
    fn stress<S: Instructions>(&self, instructions: S, strain: Strain<S>) -> PointLanes<S> {
        let Self { frozen, inputs: StressInputs { grains, pore_states }, particles, .. } = self;
        let splat = |number: f32| splat(instructions, number);
        let load = |lanes: Lanes| load(instructions, &lanes);
        let classes = ClassLanes::of(S::WIDTH, particles, frozen.particles.class);
        let table = &frozen.pressure.classes;
        let of_grains = |value: fn(&GrainCoefficients) -> f32| {
            load(classes.map(|class| table[class].grains.as_ref().map_or(0.0, value)))
        };
        let (zero, one) = (splat(0.0), splat(1.0));

        // Cosine and sine of twice the rotation, from the tangent `rotation` of half of that angle.
        let rotation = strain
            .rotation_weight
            .simd_gt(zero)
            .select(strain.rotation / strain.rotation_weight, zero);
        let rotation = instructions.smaller(splat(MAX_ROTATION), rotation);
        let rotation = instructions.larger(splat(-MAX_ROTATION), rotation);
        let squared_rotation = rotation * rotation;
        let (cos, sin) = (one - squared_rotation, splat(2.0) * rotation);
        let (cos, sin) = (cos / (one + squared_rotation), sin / (one + squared_rotation));
        let old_x = load(gather(particles, grains, |grain| grain.stress.x));
        let old_y = load(gather(particles, grains, |grain| grain.stress.y));

        let equilibrium = load(classes.map(|class| table[class].state.equilibrium_density));
        let density =
            load(gather(particles, self.relative_density, |density| *density)) * equilibrium;
        let squared_density = instructions.larger(density * density, splat(MIN_SQUARED_DENSITY));
        let shear = of_grains(|grains| grains.shear) / squared_density;
        let x = (cos * old_x - sin * old_y) + strain.xx * shear;
        let y = (sin * old_x + cos * old_y) + strain.xy * shear;

        let effective_load = if pore_states.is_empty() {
            gather(particles, grains, |grain| grain.load)
        } else {
            gather(particles, pore_states, |state| state.effective_load)
        };
        let max_stress = of_grains(|grains| grains.friction)
            * positive_lanes::<S>(load(effective_load))
            + of_grains(|grains| grains.cohesion);
        let squared = x * x + y * y;
        let limit_factor =
            squared.simd_gt(max_stress * max_stress).select(max_stress / squared.sqrt(), one);
        (x * limit_factor, y * limit_factor)
    }
}
