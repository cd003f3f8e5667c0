//! Seepage: liquid that passes through powder. The paper does not have it.
//!
//! Discs of the size of a particle leave no pores in the plane. So grains and a liquid that passes them share the
//! space: a grain takes [`SOLID`] of the area of a particle from the liquid, which fills the rest, and a
//! liquid takes nothing from the grains. The forces of each pair follow from the pressure of the liquid alone, and
//! are opposite: grains get the buoyancy of their solid part, and what the grains press each other with is
//! their effective stress.
//!
//! The kernel of these pairs is a smooth bell: `B = (1 - x²)²/2` with `x = r/h`, whose integral is that of `q²`. With the
//! cusp of `q²` each particle of the liquid would wedge the grains around it apart, by forces that grow with its
//! pressure, and hold fast a single grain.
//!
//! A drag between the two keeps the flow slow, by Darcy's law.

use std::ops::Range;

use fearless_simd::prelude::*;
use glam::Vec2;

use crate::parallel::executor::{CHUNK, Executor, LONG_CHUNK, chunk_of};
use crate::parallel::instructions::{self, Instructions, LaneKernel};
use crate::parallel::lanes::{LaneVector, Lanes, gather, gather_points, load, splat};
use crate::particles::arrays::{Activity, takes_part};
use crate::settings::class::{ClassId, DensityClass};
use crate::settings::class_table::ClassTable;
use crate::settings::parameters::FluidParameters;
use crate::solver::coefficients::{ClassSet, Coefficients};
use crate::solver::double_density::chunk_neighbours::ChunkNeighbours;
use crate::solver::double_density::coefficients::Frozen;
use crate::solver::neighbours::blocks::{BlockLanes, ClassLanes};

/// The part of packed powder that is solid. The rest is its porosity.
pub(super) const SOLID: f32 = 0.6;

/// Largest `dt` times the rate at which a liquid takes on the velocity of packed powder.
const MOST_DRAG: f32 = 1e6;

/// The sum of `q` over all particles around a point in a liquid at rest.
fn neighbours_at_rest(radius_ratio: f32) -> f32 {
    std::f32::consts::FRAC_PI_3 * radius_ratio * radius_ratio
}

/// What liquids and the powders that they pass do to each other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seepage {
    /// `[i * classes + j]`: 0 for classes that share the space, 1 for others; empty if no liquid passes a powder.
    apart: Vec<f32>,
    /// `[i * classes + j]`: how much a grain of class `j` takes from a liquid of class `i`; 0 for others.
    shared: Vec<f32>,
    /// `[i * classes + j]`: `dt` times the rate at which a particle of class `i` takes on the velocity of
    /// particles of class `j`, by packed powder or a liquid as dense as at rest, over the sum of `q` there.
    drags: Vec<f32>,
    /// The classes that each class shares the space with.
    partners: Vec<ClassSet>,
}

/// Whether a liquid passes a powder: one that it does not float on.
fn passes(liquid: &DensityClass, powder: &DensityClass) -> bool {
    let weight = |class: &DensityClass| class.mass * class.gravity_scale;
    powder.powder.is_some_and(|powder| powder.permeability > 0.0)
        && liquid.powder.is_none()
        && liquid.elasticity.is_none()
        && weight(liquid) <= weight(powder)
}

impl Seepage {
    /// Derives the coefficients from valid settings. It reuses its memory.
    pub(super) fn derive(
        &mut self,
        parameters: &FluidParameters,
        classes: &ClassTable,
        shared: &Coefficients,
    ) {
        let Self { apart, shared: solid, drags, partners } = self;
        apart.clear();
        solid.clear();
        drags.clear();
        partners.clear();
        let any = |powder: &DensityClass| classes.iter().any(|class| passes(class, powder));
        if !classes.iter().any(any) {
            return;
        }
        let count = classes.len();
        apart.resize(count * count, 1.0);
        solid.resize(count * count, 0.0);
        drags.resize(count * count, 0.0);
        partners.resize(count, ClassSet::NONE);
        let neighbours = neighbours_at_rest(parameters.radius_ratio);
        for (i, liquid) in classes.iter().enumerate() {
            for (j, class) in classes.iter().enumerate() {
                let Some(powder) = class.powder.filter(|_| passes(liquid, class)) else { continue };
                let own = liquid.viscosity.map_or(parameters.viscosity.linear, |own| own.linear);
                let rate = (1.0 - SOLID) * (1.0 + own) / powder.permeability;
                let drag = (rate * shared.per_time_unit).min(MOST_DRAG) / neighbours;
                (apart[i * count + j], apart[j * count + i]) = (0.0, 0.0);
                solid[i * count + j] = SOLID;
                drags[i * count + j] = drag;
                drags[j * count + i] = drag * liquid.mass / class.mass;
                let [one, other] = [i, j].map(|index| ClassSet::of(ClassId(index as u8)));
                partners[i] = partners[i].union(other);
                partners[j] = partners[j].union(one);
            }
        }
    }

    /// Whether any liquid passes a powder.
    pub(super) fn acts(&self) -> bool {
        !self.apart.is_empty()
    }

    /// Whether particles of two classes share the space.
    pub(super) fn between(&self, i: usize, j: usize) -> bool {
        self.apart.get(i * self.partners.len() + j) == Some(&0.0)
    }

    /// Whether any of these particles may share the space with one of the classes that are near.
    pub(super) fn may_act(&self, particles: &[ClassId], near: ClassSet) -> bool {
        self.acts() && particles.iter().any(|class| self.partners[class.index()].intersects(near))
    }

    /// 0 for each particle of a block that shares the space with particles of a class, and 1 for others.
    #[inline(always)]
    pub(super) fn apart<S: Instructions>(
        &self,
        instructions: S,
        block: &ClassLanes,
        class: usize,
    ) -> LaneVector<S> {
        let count = self.partners.len();
        load(instructions, &block.map(|own| self.apart[own * count + class]))
    }

    /// How much particles of a class take from a block's, and the other way round.
    #[inline(always)]
    pub(super) fn shared<S: Instructions>(
        &self,
        instructions: S,
        block: &ClassLanes,
        class: usize,
    ) -> BothWays<S> {
        self.both_ways(&self.shared, instructions, block, class)
    }

    /// The drags that particles of a class exert on a block's, and the other way round.
    #[inline(always)]
    pub(super) fn drags<S: Instructions>(
        &self,
        instructions: S,
        block: &ClassLanes,
        class: usize,
    ) -> BothWays<S> {
        self.both_ways(&self.drags, instructions, block, class)
    }

    #[inline(always)]
    fn both_ways<S: Instructions>(
        &self,
        numbers: &[f32],
        instructions: S,
        block: &ClassLanes,
        class: usize,
    ) -> BothWays<S> {
        let count = self.partners.len();
        BothWays {
            on_block: load(instructions, &block.map(|own| numbers[own * count + class])),
            by_block: load(instructions, &block.map(|own| numbers[class * count + own])),
        }
    }
}

/// What particles of a class do to a block's, and these to them.
pub(super) struct BothWays<S: Instructions> {
    pub on_block: LaneVector<S>,
    pub by_block: LaneVector<S>,
}

/// How densely the powder is packed around the liquid of pairs of a block's particles with others.
struct PackingLanes<S: Instructions> {
    is_grain: LaneMask<S>,
    /// The sums of `q` times the drag of the block's particles.
    drag: LaneVector<S>,
    /// The sum of `q` in packed powder.
    neighbours: LaneVector<S>,
}

impl<S: Instructions> PackingLanes<S> {
    #[inline(always)]
    fn of(instructions: S, frozen: &Frozen, drags: &[f32], particles: &Range<usize>) -> Self {
        let Frozen { particles: all, coefficients, pressure, .. } = *frozen;
        let grains = |class: usize| f32::from(u8::from(pressure.classes[class].grains.is_some()));
        let grains = ClassLanes::of(particles, all.class).map(grains);
        let ratio = coefficients.interaction_radius / coefficients.particle_spacing;
        Self {
            is_grain: load(instructions, &grains).simd_gt(splat(instructions, 0.0)),
            drag: load(instructions, &gather(particles, drags, |drag| *drag)),
            neighbours: splat(instructions, neighbours_at_rest(ratio)),
        }
    }

    /// Twice the density of the powder around the liquid of each pair with a particle that has this sum of `q` times
    /// its drag, at most 1; 0 for pairs that do not share the space.
    #[inline(always)]
    fn around(&self, drag: &BothWays<S>, other: f32) -> LaneVector<S> {
        let instructions = self.drag.simd;
        let (zero, one) = (splat(instructions, 0.0), splat(instructions, 1.0));
        let of_liquid = self.is_grain.select(splat(instructions, other), self.drag);
        let packed = self.is_grain.select(drag.by_block, drag.on_block) * self.neighbours;
        let density = (of_liquid + of_liquid) / packed;
        packed.simd_gt(zero).select(instructions.smaller(density, one), zero)
    }

    /// One and what the liquid and the grain of such a pair exchange with all others.
    #[inline(always)]
    fn exchanged(&self, packed: LaneVector<S>, other: f32) -> LaneVector<S> {
        let other = splat(self.drag.simd, other);
        let of_liquid = self.is_grain.select(other, self.drag);
        let of_grain = self.is_grain.select(self.drag, other);
        splat(self.drag.simd, 1.0) + packed * of_liquid + of_grain
    }
}

/// The lanes in which something holds.
type LaneMask<S> = <LaneVector<S> as SimdBase<S>>::Mask;

/// What the drag is found from.
#[derive(Clone, Copy)]
pub(super) struct Inputs<'a> {
    pub frozen: Frozen<'a>,
    /// One item for each particle: the sum of `q` times the drag of its partners.
    pub drags: &'a [f32],
    /// One item for each chunk.
    pub neighbours: &'a [ChunkNeighbours],
}

/// Adds the drag between grains and the liquid that passes them to the displacements of a substep, as
/// `sum_j k_ij (u_j - u_i)`, where `u` is the whole way of a particle in the substep and
///
/// `k_ij = q D_ij s/(1 + s sum q D + sum q D)`
///
/// with the sums of the liquid and of the grain. `s` is twice the density of the powder around the liquid, and 1 from
/// the face of packed powder on: a single grain hardly holds liquid back. It is the implicit form: however
/// large the drag is, no particle is turned around. `m_i k_ij = m_j k_ji` conserves momentum.
pub(super) fn drag_seeping(
    inputs: Inputs,
    ways: &mut Vec<Vec2>,
    displacements: &mut [Vec2],
    executor: &dyn Executor,
) {
    let Inputs { frozen, neighbours, .. } = inputs;
    let all = frozen.particles;
    let time_step = frozen.coefficients.time_step;
    ways.resize(all.len(), Vec2::ZERO);
    executor.for_each_chunk(&mut ways[..], LONG_CHUNK, |index, ways| {
        let start = index * LONG_CHUNK;
        let moved = all.velocity[start..].iter().zip(&all.displacement[start..]);
        let moved = moved.zip(&displacements[start..]).zip(&all.activity[start..]);
        for (way, (((velocity, before), offset), activity)) in ways.iter_mut().zip(moved) {
            let moves = *activity == Activity::Awake;
            *way = if moves { *velocity * time_step + *before + *offset } else { Vec2::ZERO };
        }
    });
    let ways = &ways[..];
    executor.for_each_chunk(displacements, CHUNK, |index, displacements| {
        let chunk = chunk_of(index, displacements.len());
        let start = chunk.start;
        if !takes_part(&all.activity[chunk], Activity::Awake) {
            return;
        }
        for (particles, near, around) in neighbours[index].blocks(start) {
            if !around.porous || !takes_part(&all.activity[particles.clone()], Activity::Awake) {
                continue;
            }
            let block = DragOfBlock { inputs: &inputs, ways, particles: &particles, near };
            let (x, y) = instructions::run(block);
            for (lane, particle) in particles.enumerate() {
                if all.activity[particle] == Activity::Awake {
                    displacements[particle - start] += Vec2::new(x[lane], y[lane]);
                }
            }
        }
    });
}

/// The change of the way of each particle of a block.
struct DragOfBlock<'a> {
    inputs: &'a Inputs<'a>,
    ways: &'a [Vec2],
    particles: &'a Range<usize>,
    near: &'a [u32],
}

impl LaneKernel for DragOfBlock<'_> {
    type Output = (Lanes, Lanes);

    #[inline(always)]
    fn run<S: Instructions>(self, instructions: S) -> (Lanes, Lanes) {
        let Self { inputs: Inputs { frozen, drags, .. }, ways, particles, near } = self;
        let Frozen { particles: all, coefficients, pressure, .. } = *frozen;
        let seepage = &pressure.seepage;
        let splat = |number: f32| splat(instructions, number);
        let positions = all.position;
        let classes = &all.class[..positions.len()];
        let (ways, drags) = (&ways[..positions.len()], &drags[..positions.len()]);
        let own_classes = ClassLanes::of(particles, classes);
        let packing = PackingLanes::of(instructions, frozen, drags, particles);
        let (way_x, way_y) = gather_points(instructions, particles, ways);
        let (mut sum_x, mut sum_y) = (splat(0.0), splat(0.0));
        let lanes = BlockLanes::of(instructions, coefficients, particles, positions);
        lanes.for_each(
            [near.iter().map(|index| *index as usize)],
            #[inline(always)]
            |index, pair| {
                let drag = seepage.drags(instructions, &own_classes, classes[index].index());
                let packed = packing.around(&drag, drags[index]);
                let exchanged = packing.exchanged(packed, drags[index]);
                let drag = pair.closeness * drag.on_block * (packed / exchanged);
                let way = ways[index];
                sum_x += drag * (splat(way.x) - way_x);
                sum_y += drag * (splat(way.y) - way_y);
            },
        );
        (sum_x.into(), sum_y.into())
    }
}
