//! Coefficients of seepage: liquid that flows through powder. It is not part of Clavet et al. 2005.
//!
//! In two dimensions, packed discs leave no connected pores. So grains and a liquid that seeps through them share the
//! same space: a grain takes [`SOLID`] of a particle's area from the liquid, and the liquid takes no area from the
//! grains. The forces of each pair depend only on the pressure of the liquid, and are opposite: grains get the buoyancy
//! of their solid fraction, and the pressure between grains is their effective stress.
//!
//! The kernel of these pairs is `B = (1 - x²)²/2` with `x = r/h`. It has the same integral as `q²`. The cusp of `q²`
//! would push the grains around each liquid particle apart, with forces that grow with its pressure.
//!
//! `darcy_drag.rs` limits the flow by Darcy's law.

use crate::parallel::instructions::Instructions;
use crate::parallel::lanes::{LaneVector, load};
use crate::settings::class::{ClassId, DensityClass};
use crate::settings::class_table::ClassTable;
use crate::settings::parameters::FluidParameters;
use crate::solver::coefficients::{ClassSet, Coefficients};
use crate::solver::neighbours::blocks::ClassLanes;

/// Solid fraction of packed powder; the rest is its porosity.
pub(super) const SOLID: f32 = 0.6;

/// Largest `dt` times the rate at which a liquid takes on the velocity of packed powder.
const MOST_DRAG: f32 = 1e6;

/// The sum of `q` over all particles around a point in a liquid at rest.
pub(super) fn neighbours_at_rest(radius_ratio: f32) -> f32 {
    std::f32::consts::FRAC_PI_3 * radius_ratio * radius_ratio
}

/// Interactions of liquids with the powders that they seep through.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seepage {
    /// `[i * classes + j]`: 0 for classes that share their space, 1 for others; empty without seepage.
    apart: Vec<f32>,
    /// `[i * classes + j]`: the area fraction that a grain of class `j` takes from a liquid of class `i`; otherwise 0.
    shared: Vec<f32>,
    /// `[i * classes + j]`: `dt` times the rate at which a particle of class `i` takes on the velocity of class `j`, as
    /// packed powder or as a liquid at rest density, divided by the sum of `q` there.
    drags: Vec<f32>,
    /// The classes with which each class shares its space.
    partners: Vec<ClassSet>,
}

/// Whether a liquid seeps through a powder: the powder must be permeable and not float on the liquid.
fn passes(liquid: &DensityClass, powder: &DensityClass) -> bool {
    let weight = |class: &DensityClass| class.mass * class.gravity_scale;
    powder.powder.is_some_and(|powder| powder.permeability > 0.0)
        && liquid.powder.is_none()
        && liquid.elasticity.is_none()
        && weight(liquid) <= weight(powder)
}

impl Seepage {
    /// Derives the coefficients from valid settings. Reuses its allocations.
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

    /// Whether any liquid seeps through a powder.
    pub(super) fn acts(&self) -> bool {
        !self.apart.is_empty()
    }

    /// Whether particles of two classes share their space.
    pub(super) fn between(&self, i: usize, j: usize) -> bool {
        self.apart.get(i * self.partners.len() + j) == Some(&0.0)
    }

    /// Whether any of these particles may share its space with a class in `near`.
    pub(super) fn may_act(&self, particles: &[ClassId], near: ClassSet) -> bool {
        self.acts() && particles.iter().any(|class| self.partners[class.index()].intersects(near))
    }

    /// 0 for each particle of a block that shares its space with particles of a class, and 1 for others.
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

    /// The area fractions that particles of a class take from a block's particles, and vice versa.
    #[inline(always)]
    pub(super) fn shared<S: Instructions>(
        &self,
        instructions: S,
        block: &ClassLanes,
        class: usize,
    ) -> BothWays<S> {
        self.both_ways(&self.shared, instructions, block, class)
    }

    /// The drags that particles of a class exert on a block's particles, and vice versa.
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

/// Coefficients of a class acting on a block's particles, and of these acting on the class.
pub(super) struct BothWays<S: Instructions> {
    pub on_block: LaneVector<S>,
    pub by_block: LaneVector<S>,
}
