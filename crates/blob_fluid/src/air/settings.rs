//! Settings of air.

use glam::Vec2;

use crate::air::ranges as row;
use crate::settings::range::OutOfRange;

/// How velocities and channels are carried along.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub enum Advection {
    /// Each value comes from where the air was a step ago, found by a midpoint step (Stam 1999,
    /// "Stable fluids"). It smooths details.
    SemiLagrangian,
    /// The same with a step back that measures and removes most of its error, limited to the values
    /// around (Selle, Fedkiw, Kim, Liu and Rossignac 2008, "An unconditionally stable MacCormack
    /// method"). Twice the work, and second-order accurate. The default.
    #[default]
    MacCormack,
}

/// How the pressure is found that removes divergence.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub enum Projection {
    /// A fixed number of red-black sweeps of Gauss-Seidel. The cost is fixed, and what is left of
    /// the divergence is not.
    GaussSeidel {
        /// Number of sweeps in a step; 1 to 10000.
        iterations: u32,
        /// Factor on every change, 1 to 1.99; 1.9 suits grids of about 100 rows.
        over_relaxation: f32,
    },
    /// Conjugate gradients preconditioned by multigrid (McAdams, Sifakis and Teran 2010, "A parallel
    /// multigrid Poisson solver for fluids simulation on large grids"), until the divergence is
    /// small.
    Multigrid {
        /// Root mean square of the divergence that is left, relative to that before; 0.000001 to 0.5.
        /// Default 0.0001.
        #[cfg_attr(feature = "serde", serde(default = "residual"))]
        residual: f32,
        /// Most cycles in a step; 1 to 1000. Default 100.
        #[cfg_attr(feature = "serde", serde(default = "max_cycles"))]
        max_cycles: u32,
    },
}

impl Default for Projection {
    /// Multigrid to a residual of 0.0001.
    fn default() -> Self {
        Self::Multigrid { residual: residual(), max_cycles: max_cycles() }
    }
}

const fn residual() -> f32 {
    1e-4
}

const fn max_cycles() -> u32 {
    100
}

/// How fuel burns.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct Fire {
    /// Rate at which fuel burns where it is hot, in 1/s; 0 to 1000000. Default 4.
    pub burn_rate: f32,
    /// Heat above which fuel burns; within ±1000000. Default 0.25.
    pub ignition_heat: f32,
    /// Heat that a unit of fuel releases; 0 to 1000000. Default 1.
    pub heat: f32,
    /// Smoke that a unit of fuel releases; 0 to 1000000. Default 0.5.
    pub soot: f32,
    /// How many cells of new gas a cell with fuel 1 adds when it has burnt; 0 to 100. Default 0.
    /// With an opening somewhere a fire then pushes air out.
    pub expansion: f32,
}

impl Default for Fire {
    fn default() -> Self {
        Self { burn_rate: 4.0, ignition_heat: 0.25, heat: 1.0, soot: 0.5, expansion: 0.0 }
    }
}

/// Settings of air.
///
/// ```
/// use blob_fluid::air::AirSettings;
/// use glam::Vec2;
/// let settings = AirSettings { viscosity: 0.5, ..AirSettings::new(Vec2::new(0.0, -200.0)) };
/// assert!(settings.validate().is_ok());
/// let error = AirSettings { cooling: -1.0, ..settings }.validate().unwrap_err();
/// assert_eq!(error.to_string(), "air: cooling is -1, and must be between 0 and 1000000");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct AirSettings {
    /// Mass of air per area (mass/world unit²), to which pressures are proportional; 0.000001 to
    /// 1000000. Default 1.
    pub density: f32,
    /// Drag coefficient of the particles of a liquid in the air; 0 to 1000. Default 1, about that of a
    /// cylinder. How strongly wind drives spray also depends on the [density](Self::density).
    pub drag: f32,
    /// Kinematic viscosity, in world units²/s; 0 to 1e12. Default 0. In a step at most 400 square
    /// cells of it act.
    pub viscosity: f32,
    /// Acceleration that hot air rises against, in world units/s²; within ±1000000. Default 0. The
    /// weight of air at rest is left out, so pressures are relative to those of air at rest.
    pub gravity: Vec2,
    /// Acceleration of air with heat 1, in gravities, against gravity; within ±1000. Default 1.
    pub buoyancy: f32,
    /// Acceleration of air with smoke 1, in gravities, along gravity; within ±1000. Default 0.
    pub smoke_weight: f32,
    /// Rate at which heat is lost, in 1/s; 0 to 1000000. Default 0. A step of `dt` divides heat by
    /// `1 + cooling dt`.
    pub cooling: f32,
    /// Rate at which smoke and its colour disappear, in 1/s; 0 to 1000000. Default 0.
    pub smoke_dissipation: f32,
    /// Strength of the force that keeps eddies alive (Fedkiw, Stam and Jensen 2001, "Visual
    /// simulation of smoke", eq. 11); 0 to 100. Default 0.
    pub vorticity_confinement: f32,
    /// How fuel burns.
    pub fire: Fire,
    /// Degrees by which air of heat 1 is warmer than the surroundings
    /// ([`FluidParameters::ambient_temperature`](crate::FluidParameters::ambient_temperature)); 0.001
    /// to 1000000. Default 1000.
    pub degrees_per_heat: f32,
    /// Heat capacity of air per area, relative to that of liquid of mass 1, which has one particle
    /// per square of the particle spacing; 0.000001 to 1000000. Default 0.05. Real air and water have
    /// 0.0003: with less, fire heats liquid more slowly.
    pub heat_capacity: f32,
    /// Rate at which vapour condenses where it is cold enough
    /// ([`IntoAir::rains`](crate::IntoAir::rains)), in 1/s; 0 to 1000000. Default 1.
    pub condensation_rate: f32,
    /// Whether air sticks to solids. Default no: it slips along them freely.
    pub solids_no_slip: bool,
    /// How velocities and channels are carried along.
    pub advection: Advection,
    /// How divergence is removed.
    pub projection: Projection,
}

impl Default for AirSettings {
    /// Settings without gravity.
    fn default() -> Self {
        Self {
            density: 1.0,
            drag: 1.0,
            viscosity: 0.0,
            gravity: Vec2::ZERO,
            buoyancy: 1.0,
            smoke_weight: 0.0,
            cooling: 0.0,
            smoke_dissipation: 0.0,
            vorticity_confinement: 0.0,
            fire: Fire::default(),
            degrees_per_heat: 1000.0,
            heat_capacity: 0.05,
            condensation_rate: 1.0,
            solids_no_slip: false,
            advection: Advection::default(),
            projection: Projection::default(),
        }
    }
}

impl AirSettings {
    /// The default settings with a gravity, in world units/s².
    pub fn new(gravity: Vec2) -> Self {
        Self { gravity, ..Self::default() }
    }

    /// Checks every field.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`], which names the first field outside its range.
    pub fn validate(&self) -> Result<(), OutOfRange> {
        row::DENSITY.check(self.density)?;
        row::DRAG.check(self.drag)?;
        row::VISCOSITY.check(self.viscosity)?;
        row::GRAVITY.check_all(self.gravity.to_array())?;
        row::BUOYANCY.check(self.buoyancy)?;
        row::SMOKE_WEIGHT.check(self.smoke_weight)?;
        row::COOLING.check(self.cooling)?;
        row::SMOKE_DISSIPATION.check(self.smoke_dissipation)?;
        row::VORTICITY_CONFINEMENT.check(self.vorticity_confinement)?;
        row::BURN_RATE.check(self.fire.burn_rate)?;
        row::IGNITION_HEAT.check(self.fire.ignition_heat)?;
        row::FIRE_HEAT.check(self.fire.heat)?;
        row::SOOT.check(self.fire.soot)?;
        row::EXPANSION.check(self.fire.expansion)?;
        row::DEGREES_PER_HEAT.check(self.degrees_per_heat)?;
        row::HEAT_CAPACITY.check(self.heat_capacity)?;
        row::CONDENSATION_RATE.check(self.condensation_rate)?;
        match self.projection {
            Projection::GaussSeidel { iterations, over_relaxation } => {
                row::SWEEPS.check(iterations as f32)?;
                row::OVER_RELAXATION.check(over_relaxation)
            }
            Projection::Multigrid { residual, max_cycles } => {
                row::RESIDUAL.check(residual)?;
                row::MAX_CYCLES.check(max_cycles as f32)
            }
        }
    }
}
