//! Coefficients of seepage: liquid that flows through powder. It is not part of Clavet et al. 2005.
//!
//! In two dimensions, packed discs leave no connected pores. So grains and a liquid that seeps through them share the
//! same space. A grain takes [`SOLID_FRACTION`] of a particle's area from the liquid, and the
//! liquid takes no area from the grains. The forces of each pair are opposite, and depend only on the
//! pressure of the liquid. So grains get the buoyancy of their solid fraction, and the pressure between
//! grains is their effective stress.
//!
//! The kernel of these pairs is `B = (1 - x²)²/2` with `x = r/h`. It has the same integral as `q²`. The cusp of `q²`
//! would push the grains around each liquid particle apart, with forces that grow with its pressure.
//!
//! `grain_pores.rs` limits the flow by Darcy's law.

use crate::parallel::instructions::Lanes;
use crate::settings::class::{ClassId, DensityClass};
use crate::settings::class_table::ClassTable;
use crate::settings::parameters::FluidParameters;
use crate::solver::coefficients::{ClassSet, Coefficients};
use crate::solver::double_density::chunk_neighbours::ClassRows;
use crate::solver::neighbours::blocks::ClassLanes;

/// Solid fraction of packed powder; the rest is its porosity.
pub(super) const SOLID_FRACTION: f32 = 0.6;

/// Largest `dt` times the [`drag_rate`].
const MAX_DRAG: f32 = 1e6;

/// `dt` times the [`drag_rate`] up to which flow follows Darcy's law. With a stronger drag, the displacements by which
/// neighbouring grains hold their places differ from each other by more than a liquid particle moves, and the liquid sticks.
const MAX_DRAG_OF_SUBSTEP: f32 = 2.0;

/// The sum of `q` over all particles around a point in a liquid at rest.
pub(super) fn neighbours_at_rest(radius_ratio: f32) -> f32 {
    std::f32::consts::FRAC_PI_3 * radius_ratio * radius_ratio
}

/// Interactions of liquids with the powders that they seep through.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seepage {
    /// `[i * classes + j]`: 0 for classes that share their space, 1 for others; empty without seepage.
    separate: Vec<f32>,
    /// `[i * classes + j]`: the area fraction that a grain of class `j` takes from a liquid of class `i`; otherwise 0.
    area_fractions: Vec<f32>,
    /// `[i * classes + j]`: `dt` times the rate at which a particle of class `i` takes on the velocity of class `j`, as
    /// packed powder or as a liquid at rest density, divided by the sum of `q` there.
    drag_rates: Vec<f32>,
    /// The classes with which each class shares its space.
    partners: Vec<ClassSet>,
}

/// Whether a liquid seeps through a powder: the powder must be permeable and not float on the liquid.
fn seeps_through(liquid: &DensityClass, powder: &DensityClass) -> bool {
    let weight = |class: &DensityClass| class.mass * class.gravity_scale;
    powder.powder.is_some_and(|powder| powder.permeability > 0.0)
        && liquid.powder.is_none()
        && liquid.elasticity.is_none()
        && weight(liquid) <= weight(powder)
}

/// The rate at which a liquid takes on the velocity of packed powder, in 1/T0.
fn drag_rate(parameters: &FluidParameters, liquid: &DensityClass, permeability: f32) -> f32 {
    let own = liquid.viscosity.map_or(parameters.viscosity.linear, |own| own.linear);
    (1.0 - SOLID_FRACTION) * (1.0 + own) / permeability
}

/// Number of substeps that liquid needs to flow through the powders of these classes by Darcy's law.
pub(super) fn substeps_for_seepage<'a>(
    parameters: &FluidParameters,
    classes: impl Iterator<Item = &'a DensityClass> + Clone,
    time_step: f32,
) -> f32 {
    let powders = classes.clone().filter_map(|class| Some((class, class.powder?)));
    let rates = powders.flat_map(|(class, powder)| {
        let liquids = classes.clone().filter(|liquid| seeps_through(liquid, class));
        liquids.map(move |liquid| drag_rate(parameters, liquid, powder.permeability))
    });
    rates.fold(0.0, f32::max) * time_step / parameters.time_unit() / MAX_DRAG_OF_SUBSTEP
}

impl Seepage {
    /// Derives the coefficients from valid settings. Reuses its allocations.
    pub(super) fn derive(
        &mut self,
        parameters: &FluidParameters,
        classes: &ClassTable,
        shared: &Coefficients,
    ) {
        let Self { separate, area_fractions, drag_rates, partners } = self;
        separate.clear();
        area_fractions.clear();
        drag_rates.clear();
        partners.clear();
        let any = |powder: &DensityClass| classes.iter().any(|class| seeps_through(class, powder));
        if !classes.iter().any(any) {
            return;
        }
        let count = classes.len();
        separate.resize(count * count, 1.0);
        area_fractions.resize(count * count, 0.0);
        drag_rates.resize(count * count, 0.0);
        partners.resize(count, ClassSet::NONE);
        let neighbours = neighbours_at_rest(parameters.radius_ratio);
        for (i, liquid) in classes.iter().enumerate() {
            for (j, class) in classes.iter().enumerate() {
                let Some(powder) = class.powder.filter(|_| seeps_through(liquid, class)) else {
                    continue;
                };
                let rate = drag_rate(parameters, liquid, powder.permeability);
                let drag = (rate * shared.per_time_unit).min(MAX_DRAG) / neighbours;
                (separate[i * count + j], separate[j * count + i]) = (0.0, 0.0);
                area_fractions[i * count + j] = SOLID_FRACTION;
                drag_rates[i * count + j] = drag;
                drag_rates[j * count + i] = drag * liquid.mass / class.mass;
                let [one, other] = [i, j].map(|index| ClassSet::of(ClassId(index as u8)));
                partners[i] = partners[i].union(other);
                partners[j] = partners[j].union(one);
            }
        }
    }

    /// Whether any liquid seeps through a powder.
    pub(super) fn is_active(&self) -> bool {
        !self.separate.is_empty()
    }

    /// Whether particles of two classes share their space.
    pub(super) fn share_space(&self, i: usize, j: usize) -> bool {
        self.separate.get(i * self.partners.len() + j) == Some(&0.0)
    }

    /// The seepage between a block's particles and the particles of a class.
    pub(super) fn row(&self, own_classes: &ClassLanes, other: usize) -> SeepageRow {
        let count = self.partners.len();
        let on_block = |numbers: &[f32]| own_classes.map(|own| numbers[own * count + other]);
        let mutual = |numbers: &[f32]| Mutual {
            on_block: on_block(numbers),
            by_block: own_classes.map(|own| numbers[other * count + own]),
        };
        SeepageRow {
            separate: on_block(&self.separate),
            fractions: mutual(&self.area_fractions),
            drag_rates: mutual(&self.drag_rates),
        }
    }

    /// Whether any of these particles may share its space with a class in `near_classes`.
    pub(super) fn may_affect(&self, particles: &[ClassId], near_classes: ClassSet) -> bool {
        self.is_active()
            && particles.iter().any(|class| self.partners[class.index()].intersects(near_classes))
    }
}

/// Seepage between a block's particles and the particles of one class.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SeepageRow {
    /// 0 for particles that share their space with the class, and 1 for others.
    pub separate: Lanes,
    /// The area fractions that particles of the class take from the block's particles, and vice versa.
    pub fractions: Mutual,
    /// The drags that particles of the class exert on the block's particles, and vice versa.
    pub drag_rates: Mutual,
}

/// Coefficients of a class acting on a block's particles, and of these acting on the class.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mutual {
    pub on_block: Lanes,
    pub by_block: Lanes,
}

/// Seepage between a block's particles and every class.
pub(crate) type SeepageRows = ClassRows<SeepageRow>;
