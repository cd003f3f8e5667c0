//! The settings as the passes use them: in world units and seconds, for one substep.

use glam::Vec2;

use crate::class::{ClassTable, DensityClass};
use crate::kernel::positive;
use crate::parameters::{FluidParameters, MassSplit, Relaxation, Wall};

/// Particles per `h^2` behind a wall, per unit of equilibrium density: a plane of `n` particles per
/// `h^2` has the density `n pi/6`, and half as many again behind the wall stand in for its
/// rigidity.
pub(crate) const GHOST_DENSITY_PER_EQUILIBRIUM: f32 = 1.5 * 6.0 / std::f32::consts::PI;

/// Numbers of one class during a substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClassCoefficients {
    pub mass: f32,
    pub inverse_mass: f32,
    /// Change of velocity by gravity in one substep.
    pub gravity_impulse: Vec2,
    pub rest_density: f32,
    pub equilibrium_density: f32,
    /// Particles per `h^2` behind a ghost wall.
    pub ghost_density: f32,
    pub elastic: Option<ElasticCoefficients>,
}

/// Numbers of an elastic class during a substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ElasticCoefficients {
    /// `dt^2 k_spring`, within what is stable.
    pub stiffness: f32,
    pub yield_ratio: f32,
    /// `dt alpha`, at most 1: a rest length does not overshoot.
    pub plasticity: f32,
    /// In world units.
    pub least_rest_length: f32,
}

/// Largest `dt^2 k_spring` at which a gather over a particle's springs is stable, with margin:
/// measured 0.28 with 37 springs each.
pub(crate) const STABLE_SPRING: f32 = 0.25;

/// Numbers of one substep.
#[derive(Clone, Debug, Default)]
pub(crate) struct Coefficients {
    pub time_step: f32,
    pub interaction_radius: f32,
    pub inverse_radius: f32,
    /// Pairs closer than this are coincident: their direction comes from their ids.
    pub coincidence: f32,
    pub stiffness: f32,
    pub near_stiffness: f32,
    /// `h/dt^2`: the pressure scale at which a substep is only just stable.
    pub pressure_limit: f32,
    /// `pressure_limit` in the capped form, 0 in the classic one.
    pub capped_stiffness: f32,
    pub inverse_mass_split: bool,
    /// `dt sigma`, `dt beta` and `dt` times the linear viscosity.
    pub approach_viscosity: f32,
    pub quadratic_viscosity: f32,
    pub linear_viscosity: f32,
    pub viscosity_limit: f32,
    /// `dt` times each drag.
    pub calm_drag: f32,
    pub inverse_calm_speed: f32,
    pub drag: f32,
    pub wall_friction: f32,
    pub wall: Option<Wall>,
    /// Speed at which particles leave a wall they touch.
    pub unsticking_speed: f32,
    /// Largest inward speed that containment gives a particle it found far outside.
    pub ejection_speed: f32,
    /// Distance beyond the wall that a reflecting wall tolerates.
    pub dead_zone: f32,
    pub classes: Vec<ClassCoefficients>,
    /// `[i * classes + j]`: share of a pair's displacement that a particle of class `i` takes
    /// against one of class `j` when masses split it, `m_j / (m_i + m_j)`.
    pub inverse_mass_shares: Vec<f32>,
    /// The same times the viscosity between the two classes.
    pub viscosity_shares: Vec<f32>,
}

impl Coefficients {
    /// Derives everything from valid settings for substeps of `time_step` seconds, reusing its own
    /// memory.
    pub(crate) fn derive(
        &mut self,
        parameters: &FluidParameters,
        classes: &ClassTable,
        time_step: f32,
    ) {
        let radius = parameters.interaction_radius();
        let time_unit = parameters.time_unit();
        let speed_unit = parameters.speed_unit();
        let per_time_unit = time_step / time_unit;
        let settles = if parameters.gravity == Vec2::ZERO { 0.0 } else { 1.0 };
        let (settling, viscosity) = (&parameters.settling, &parameters.viscosity);

        self.time_step = time_step;
        self.interaction_radius = radius;
        self.inverse_radius = 1.0 / radius;
        self.coincidence = 1e-4 * radius;
        self.stiffness = parameters.stiffness * parameters.reference_acceleration;
        self.near_stiffness = self.stiffness * parameters.near_stiffness_ratio;
        self.pressure_limit = radius / (time_step * time_step);
        self.capped_stiffness = match parameters.relaxation {
            Relaxation::Capped => self.pressure_limit,
            Relaxation::Classic => 0.0,
        };
        self.inverse_mass_split = parameters.mass_split == MassSplit::InverseMass;
        self.approach_viscosity = viscosity.approach * per_time_unit;
        self.quadratic_viscosity = viscosity.quadratic * time_step / parameters.particle_spacing;
        self.linear_viscosity = (viscosity.linear * per_time_unit).min(viscosity.limit);
        self.viscosity_limit = viscosity.limit;
        self.calm_drag = settles * settling.calm_drag * per_time_unit;
        self.inverse_calm_speed = match settling.calm_speed * speed_unit {
            speed if speed > 0.0 => 1.0 / speed,
            _ => f32::MAX,
        };
        self.drag = settles * settling.drag * per_time_unit;
        self.wall_friction = settles * settling.wall_friction * per_time_unit;
        self.wall = Some(parameters.wall);
        self.ejection_speed = speed_unit;
        let ghost = match parameters.wall {
            Wall::Ghost { density, unsticking } => {
                self.unsticking_speed = unsticking * speed_unit;
                self.dead_zone = 0.0;
                density
            }
            Wall::Reflect { dead_zone, unsticking, .. } => {
                self.unsticking_speed = unsticking * speed_unit;
                self.dead_zone = dead_zone * parameters.particle_spacing;
                0.0
            }
        };

        let rest_density = parameters.effective_rest_density();
        let equilibrium_density = rest_density * parameters.equilibrium_ratio;
        let per_class = |class: &DensityClass| ClassCoefficients {
            mass: class.mass,
            inverse_mass: 1.0 / class.mass,
            gravity_impulse: parameters.gravity * (class.gravity_scale * time_step),
            rest_density: rest_density * class.relative_rest_density,
            equilibrium_density: equilibrium_density * class.relative_rest_density,
            ghost_density: ghost
                * GHOST_DENSITY_PER_EQUILIBRIUM
                * equilibrium_density
                * class.relative_rest_density,
            elastic: class.elasticity.map(|elasticity| ElasticCoefficients {
                stiffness: (elasticity.stiffness * per_time_unit * per_time_unit)
                    .min(STABLE_SPRING),
                yield_ratio: elasticity.yield_ratio,
                plasticity: (elasticity.plasticity * per_time_unit).min(1.0),
                least_rest_length: elasticity.least_rest_length * radius,
            }),
        };
        self.classes.clear();
        self.classes.extend(classes.iter().map(per_class));
        self.inverse_mass_shares.clear();
        self.viscosity_shares.clear();
        for (i, of_i) in self.classes.iter().enumerate() {
            for (j, of_j) in self.classes.iter().enumerate() {
                let share = of_j.mass / (of_i.mass + of_j.mass);
                let viscosity = if i == j { 1.0 } else { viscosity.cross_class };
                self.inverse_mass_shares.push(share);
                self.viscosity_shares.push(share * viscosity);
            }
        }
    }

    /// Whether viscosity does anything.
    pub(crate) fn is_viscous(&self) -> bool {
        self.approach_viscosity + self.quadratic_viscosity + self.linear_viscosity > 0.0
    }

    /// Whether walls show the liquid a density behind them.
    pub(crate) fn has_ghost_walls(&self) -> bool {
        matches!(self.wall, Some(Wall::Ghost { .. }))
    }

    /// Pressure and near pressure of a particle: the equation of state.
    ///
    /// `P = k (rho - rho0) + (h/dt^2) max(0, rho - rho_eq)/rho^2` and `P_near = k_near rho_near`,
    /// each at most `(h/dt^2)/rho`, which only particles packed dozens of times too densely reach:
    /// it bounds the speed at which such a clump comes apart.
    pub(crate) fn pressures(&self, density: f32, near_density: f32, class: usize) -> (f32, f32) {
        let class = &self.classes[class];
        let excess = positive(density - class.equilibrium_density);
        let floor = density.max(1e-3);
        let bound = self.pressure_limit / floor;
        let pressure = self.stiffness * (density - class.rest_density)
            + self.capped_stiffness * excess / (floor * floor);
        (pressure.min(bound), (self.near_stiffness * near_density).min(bound))
    }
}
