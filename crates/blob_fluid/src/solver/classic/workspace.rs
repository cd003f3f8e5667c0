//! The workspace of the classic solver: what it derives from the liquid.

use glam::Vec2;

use crate::settings::class_table::ClassTable;
use crate::settings::parameters::FluidParameters;
use crate::solver::coefficients::Coefficients;
use crate::solver::equation_of_state::{EquationOfState, Resistance};
use crate::solver::pass::bounce::Bounce;

/// The workspace of the classic solver. Nothing in it outlives a tick.
#[derive(Clone, Debug, Default)]
pub(crate) struct Classic {
    pub classes: Vec<EquationOfState>,
    pub resistance: Resistance,
    /// `dt sigma`.
    pub approach: f32,
    /// `dt beta`.
    pub quadratic: f32,
    /// `dt` times the linear part.
    pub linear: f32,
    /// Largest `dt (sigma + beta u)`.
    pub viscosity_limit: f32,
    /// Factor on viscosity between different classes.
    pub cross_class: f32,
    pub bounce: Bounce,
    /// Indices of the neighbours of one particle.
    pub near: Vec<usize>,
    /// Positions that the grid was sorted by.
    pub hashed: Vec<Vec2>,
}

impl Classic {
    /// Derives the coefficients of substeps from valid settings.
    pub(crate) fn derive_coefficients(
        &mut self,
        parameters: &FluidParameters,
        classes: &ClassTable,
        shared: &Coefficients,
    ) {
        self.classes.clear();
        self.classes.extend(classes.iter().map(|class| EquationOfState::of(parameters, class)));
        self.resistance = Resistance::soft(parameters, shared.time_step);
        let viscosity = &parameters.viscosity;
        self.approach = viscosity.approach * shared.per_time_unit;
        self.quadratic = viscosity.quadratic * shared.time_step / parameters.particle_spacing;
        self.linear = (viscosity.linear * shared.per_time_unit).min(viscosity.limit);
        self.viscosity_limit = viscosity.limit;
        self.cross_class = viscosity.cross_class;
        self.bounce = Bounce {
            restitution: parameters.classic.restitution,
            dead_zone: parameters.classic.dead_zone * parameters.particle_spacing,
        };
    }

    /// Fraction of its approach speed that a pair loses in a substep, before the factor `q`.
    pub(crate) fn viscosity_rate(&self, approach: f32, same_class: bool) -> f32 {
        let mut rate = self.linear;
        if approach > 0.0 {
            rate += (self.approach + self.quadratic * approach).min(self.viscosity_limit);
        }
        // A pair that exchanged more than all of it would part faster than it approached.
        (if same_class { rate } else { rate * self.cross_class }).min(1.0)
    }

    /// Whether any viscosity is above 0.
    pub(crate) fn is_viscous(&self) -> bool {
        self.approach + self.quadratic + self.linear > 0.0
    }
}
