//! Coefficients of seepage: liquid that passes through powder. Clavet et al. 2005 do not have it.
//!
//! Discs of the size of a particle leave no pores in the plane. So grains and a liquid that passes through them share
//! the space: a grain takes [`SOLID`] of the area of a particle from the liquid, and a liquid takes nothing from the
//! grains. The forces of each pair follow from the pressure of the liquid alone, and are opposite: grains get the
//! buoyancy of their solid part, and the pressure between grains is their effective stress.
//!
//! The kernel of these pairs is `B = (1 - x²)²/2` with `x = r/h`, whose integral is that of `q²`. The cusp of `q²` would
//! push the grains around each particle of the liquid apart, by forces that grow with its pressure.
//!
//! `darcy_drag.rs` limits the flow by Darcy's law.

use crate::parallel::instructions::Instructions;
use crate::parallel::lanes::{LaneVector, load};
use crate::settings::class::{ClassId, DensityClass};
use crate::settings::class_table::ClassTable;
use crate::settings::parameters::FluidParameters;
use crate::solver::coefficients::{ClassSet, Coefficients};
use crate::solver::neighbours::blocks::ClassLanes;

/// The part of packed powder that is solid. The rest is its porosity.
pub(super) const SOLID: f32 = 0.6;

/// Largest `dt` times the rate at which a liquid takes on the velocity of packed powder.
const MOST_DRAG: f32 = 1e6;

/// The sum of `q` over all particles around a point in a liquid at rest.
pub(super) fn neighbours_at_rest(radius_ratio: f32) -> f32 {
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
