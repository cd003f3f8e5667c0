//! The settings in the form that double density relaxation uses: in world units and seconds, for
//! one substep.

use crate::settings::class::DensityClass;
use crate::settings::class_table::ClassTable;
use crate::settings::parameters::FluidParameters;
use crate::solver::coefficients::Coefficients;
use crate::solver::double_density::grain_coefficients::GrainCoefficients;
use crate::solver::double_density::segregation::Segregation;
use crate::solver::equation_of_state::{EquationOfState, Resistance};
use crate::solver::kernel::GHOST_DENSITY_PER_EQUILIBRIUM;

/// The coefficients of one class in a substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClassPressure {
    pub state: EquationOfState,
    /// Number density of the ghost liquid behind a wall, in particles per `h^2`.
    pub ghost_density: f32,
    pub elastic: Option<ElasticCoefficients>,
    pub grains: Option<GrainCoefficients>,
    /// Whether it is a liquid, and neither a powder nor a gas.
    pub fills_pores: bool,
}

/// The coefficients of an elastic class in a substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ElasticCoefficients {
    /// `dt^2 k_spring`, at most [`STABLE_SPRING`].
    pub stiffness: f32,
    pub yield_ratio: f32,
    /// `dt alpha`, at most 1, so that a rest length does not overshoot.
    pub plasticity: f32,
    /// Smallest rest length, in world units.
    pub min_rest_length: f32,
}

impl ElasticCoefficients {
    /// Whether springs yield, and particles that meet get new ones.
    pub(super) fn flows(&self) -> bool {
        self.plasticity > 0.0
    }
}

/// Largest `dt^2 k_spring` that the spring pass accepts, with a margin: the measured stability
/// limit is 0.28 with 37 springs on each particle.
pub(crate) const STABLE_SPRING: f32 = 0.25;

/// Largest attraction of two particles of mass 1, in units of `h/dt^2`: a particle with 45
/// neighbours all on one side moves by at most a radius, because `q (1 - q)` is at most 1/4.
const STABLE_ATTRACTION: f32 = 0.2;

/// The coefficients of one substep.
#[derive(Clone, Debug, Default)]
pub(crate) struct PressureCoefficients {
    pub resistance: Resistance,
    pub classes: Vec<ClassPressure>,
    /// `[i * classes + j]`: attraction between two classes, in world units/s², limited to what is
    /// stable; empty if there is none.
    pub attractions: Vec<f32>,
    pub segregation: Segregation,
}

impl PressureCoefficients {
    /// Whether any class is a powder.
    pub(super) fn any_grains(&self) -> bool {
        self.classes.iter().any(|class| class.grains.is_some())
    }

    /// Whether any class is a powder and any a liquid, which may fill its pores.
    pub(super) fn any_pores(&self) -> bool {
        self.any_grains() && self.classes.iter().any(|class| class.fills_pores)
    }

    /// Derives all coefficients from valid settings. It reuses its memory.
    pub(super) fn derive(
        &mut self,
        parameters: &FluidParameters,
        classes: &ClassTable,
        resistance: Resistance,
        shared: &Coefficients,
    ) {
        let per_time_unit = shared.per_time_unit;
        let radius = shared.interaction_radius;
        self.resistance = resistance;
        let per_class = |class: &DensityClass| ClassPressure {
            state: EquationOfState::of(parameters, class),
            ghost_density: parameters.ghost_walls.density
                * GHOST_DENSITY_PER_EQUILIBRIUM
                * parameters.equilibrium_density()
                * class.relative_rest_density,
            elastic: class.elasticity.map(|elasticity| ElasticCoefficients {
                stiffness: (elasticity.stiffness * per_time_unit * per_time_unit)
                    .min(STABLE_SPRING),
                yield_ratio: elasticity.yield_ratio,
                plasticity: (elasticity.plasticity * per_time_unit).min(1.0),
                min_rest_length: elasticity.min_rest_length * radius,
            }),
            fills_pores: class.is_liquid(),
            grains: class.powder.map(|powder| {
                let scale = (resistance, parameters.reference_acceleration, shared.inverse_radius);
                GrainCoefficients::of(&powder, class.mass, scale)
            }),
        };
        self.classes.clear();
        self.classes.extend(classes.iter().map(per_class));
        self.derive_attractions(parameters, classes, shared);
        self.segregation.derive(parameters, classes, shared);
    }

    fn derive_attractions(
        &mut self,
        parameters: &FluidParameters,
        classes: &ClassTable,
        shared: &Coefficients,
    ) {
        self.attractions.clear();
        let any = classes.iter().any(|class| class.surface_tension != 0.0)
            || classes.pairs().iter().any(|pair| pair.cohesion != 0.0);
        if !any {
            return;
        }
        let count = classes.len();
        let unit = parameters.reference_acceleration;
        let stable = STABLE_ATTRACTION * self.resistance.limit;
        let between = |i: usize, j: usize, attraction: f32| {
            let most = stable * shared.classes[i].mass.min(shared.classes[j].mass);
            (attraction * unit).clamp(-most, most)
        };
        self.attractions.resize(count * count, 0.0);
        for (i, class) in classes.iter().enumerate() {
            self.attractions[i * count + i] = between(i, i, class.surface_tension);
        }
        for pair in classes.pairs() {
            if let Some((i, j)) = classes.indices_of(&pair.classes) {
                self.attractions[i * count + j] = between(i, j, pair.cohesion);
                self.attractions[j * count + i] = between(j, i, pair.cohesion);
            }
        }
    }
}
