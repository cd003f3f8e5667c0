//! Settings of air, and of its sources of smoke, heat, fuel, vapour, colour and wind.

use glam::Vec2;

use crate::FluidRegion;
use crate::air::AirError;
use crate::boundary::slots::declare_handle;
use crate::settings::declare::settings;
use crate::settings::range::Settings;
#[cfg(feature = "serde")]
use crate::settings::range::default_in;
use crate::stored::stored;

/// How velocities and channels are carried along.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub enum AirAdvection {
    /// Each value comes from the position of the air a step earlier, found by a midpoint step (Stam
    /// 1999, "Stable fluids"). This method smooths details.
    SemiLagrangian,
    /// As [`SemiLagrangian`](Self::SemiLagrangian), with a second step in the other direction. This
    /// step measures and removes most of the error, limited to the surrounding values (Selle,
    /// Fedkiw, Kim, Liu and Rossignac 2008, "An unconditionally stable MacCormack method"). The
    /// method takes twice the work, and is second-order accurate. The default.
    #[default]
    MacCormack,
}

settings! {
    /// Method that finds the pressure which keeps the air incompressible. The default is multigrid.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub enum AirProjection: Default in files {
        /// Conjugate gradients preconditioned by multigrid (McAdams, Sifakis and Teran 2010, "A parallel
        /// multigrid Poisson solver for fluids simulation on large grids"), until the divergence is
        /// small.
        Multigrid {
            /// Remaining divergence, divided by the divergence before.
            ///
            /// Both divergences are root mean squares.
            #[serde(default = "residual")]
            residual: f32 [0.000001 to 0.5] = 0.001,
            /// Largest number of multigrid cycles in a step.
            #[serde(default = "max_cycles")]
            max_cycles: u32 [1 to 1000] = 100,
        },
        /// A fixed number of red-black sweeps of Gauss-Seidel. The cost is fixed, and the
        /// remaining divergence is not.
        GaussSeidel {
            /// Passes over all cells (sweeps of Gauss-Seidel) in a step.
            iterations: u32 [1 to 10000],
            /// Factor that multiplies every change of a pressure.
            ///
            /// A factor of 1.9 suits grids of about 100 rows.
            over_relaxation: f32 [1 to 1.99],
        },
    }
}

#[cfg(feature = "serde")]
const fn residual() -> f32 {
    default_in(AirProjection::ROWS, "residual")
}

#[cfg(feature = "serde")]
const fn max_cycles() -> u32 {
    default_in(AirProjection::ROWS, "max_cycles") as u32
}

settings! {
    /// Settings of combustion.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct AirFire: Default in files with default {
        /// Rate at which hot fuel burns.
        pub burn_rate: f32 [0 to 1000000] in "1/s" = 4,
        /// Heat above which fuel burns.
        pub ignition_heat: f32 [within 1000000] = 0.25,
        /// Heat that a unit of fuel releases.
        pub heat: f32 [0 to 1000000] = 1,
        /// Smoke that a unit of fuel releases.
        pub soot: f32 [0 to 1000000] = 0.5,
        /// Volume of gas, in cells, that burning a cell of fuel 1 adds.
        ///
        /// With a value above 0, a fire pushes air out through openings.
        pub expansion: f32 [0 to 100] = 0,
    }
}

settings! {
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
    pub struct AirSettings: Default as "air" with validate in files with default {
        /// Density of air, to which pressures are proportional.
        ///
        /// Mass of air per area.
        pub density: f32 [0.000001 to 1000000] in "mass/area" keeps "mass/area" = 1,
        /// Drag coefficient of particles of liquid in the air.
        ///
        /// The default is about the coefficient of a cylinder. How strongly wind drives spray also
        /// depends on the [density](Self::density).
        pub drag: f32 [0 to 1000] = 1,
        /// Kinematic viscosity.
        ///
        /// The viscosity times the time step counts up to 400 times the area of a cell.
        pub viscosity: f32 [0 to 1e12] in "world units²/s" = 0,
        /// Gravity, against which hot air rises.
        ///
        /// The weight of air at rest is left out, so pressures are relative to those of air at rest.
        pub gravity: Vec2 [within 1000000] in "world units/s²" = 0,
        /// Acceleration of air at heat 1, in gravities, against gravity.
        pub buoyancy: f32 [within 1000] = 1,
        /// Acceleration of air at smoke 1, in gravities, along gravity.
        pub smoke_weight: f32 [within 1000] = 0,
        /// Rate at which heat is lost.
        ///
        /// A step of `dt` seconds divides the heat of the air by `1 + cooling dt`.
        pub cooling: f32 [0 to 1000000] in "1/s" = 0,
        /// Rate at which smoke disappears.
        ///
        /// The colour of the smoke disappears too.
        pub smoke_dissipation: f32 [0 to 1000000] in "1/s" = 0,
        /// Rate at which air without visible smoke slows down while nothing drives it.
        ///
        /// The air slows down until it stops and sleeps: its steps cost hardly anything until something drives it.
        /// Sources, inflows, moving solids, awake liquid and heat drive air, and visible smoke keeps it awake. So
        /// eddies in clear air die sooner. With a rate of 0, only air that never moved sleeps.
        pub settling: f32 [0 to 1000] in "1/s" = 0,
        /// Strength of the force that keeps eddies alive.
        ///
        /// Fedkiw, Stam and Jensen 2001, "Visual simulation of smoke", eq. 11.
        pub vorticity_confinement: f32 [0 to 100] = 0,
        /// Settings of combustion.
        pub fire: AirFire [group] = { AirFire::default() },
        /// Temperature of air of heat 1 above that of the surroundings.
        ///
        /// The surroundings have the
        /// [`FluidParameters::ambient_temperature`](crate::FluidParameters::ambient_temperature).
        pub degrees_per_heat: f32 [0.001 to 1000000] in "degrees" = 1000,
        /// Heat capacity of air per area, relative to that of liquid of mass 1.
        ///
        /// Liquid of mass 1 has one particle per square of the particle spacing. For real air and
        /// water the value is 0.0003; with a smaller value, fire heats liquid more slowly.
        pub heat_capacity: f32 [0.000001 to 1000000] = 0.05,
        /// Rate at which vapour condenses where it is cold.
        ///
        /// [`FluidIntoAir::rains`](crate::FluidIntoAir::rains) sets which air is cold enough.
        pub condensation_rate: f32 [0 to 1000000] in "1/s" = 1,
        /// Whether air sticks to solids. Default no: air slips along solids freely.
        pub solids_no_slip: bool = { false },
        /// Method of advection of velocities and channels.
        pub advection: AirAdvection = { AirAdvection::default() },
        /// How divergence is removed.
        pub projection: AirProjection [group] = { AirProjection::default() },
    }
}

impl AirSettings {
    /// The default settings with a gravity, in world units/s².
    pub fn new(gravity: Vec2) -> Self {
        Self { gravity, ..Self::default() }
    }
}

// The channels that air carries along.

/// A quantity that air carries along, with one number in every cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub enum AirChannel {
    /// Concentration of smoke; 1 is drawn as thick smoke.
    Smoke,
    /// Temperature above that of the surroundings: 1 is as hot as a flame.
    Heat,
    /// Concentration of fuel.
    Fuel,
    /// Vapour, as area of liquid per area of air: at 1, a cell contains as much vapour as liquid at
    /// rest that fills the cell.
    Vapour,
    /// Red of the smoke, times its concentration.
    Red,
    /// Green of the smoke, times its concentration.
    Green,
    /// Blue of the smoke, times its concentration.
    Blue,
}

impl AirChannel {
    /// All channels.
    pub const ALL: [Self; 7] =
        [Self::Smoke, Self::Heat, Self::Fuel, Self::Vapour, Self::Red, Self::Green, Self::Blue];

    /// The three colours.
    pub const COLOUR: [Self; 3] = [Self::Red, Self::Green, Self::Blue];

    /// Its name in errors.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Smoke => "smoke",
            Self::Heat => "heat",
            Self::Fuel => "fuel",
            Self::Vapour => "vapour",
            Self::Red => "red",
            Self::Green => "green",
            Self::Blue => "blue",
        }
    }
}

// Sources.

declare_handle! {
    /// A handle of a source of [`Air`](crate::air::Air), valid until that source is removed, and
    /// never reused in that air.
    AirSourceId
}

settings! {
    /// A wind in a source.
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    #[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
    pub struct Wind {
        /// Velocity that the air inside is driven towards.
        pub velocity: Vec2 [within 1e12] in "world units/s",
        /// Rate at which the air's velocity becomes the wind's.
        ///
        /// With `None` (default), the velocity changes at once.
        #[serde(default)]
        pub strength: Option<f32> [0 to 1e12] in "1/s" = { None },
    }
}

settings! {
    /// The embers of a fire: the heat that liquid must remove to put the fire out.
    ///
    /// Embers heat the liquid in the source, which boils away if its class allows it. The embers lose as much heat as
    /// the liquid receives, converted with the [`heat_capacity`](crate::air::AirSettings::heat_capacity) and the
    /// [`degrees_per_heat`](crate::air::AirSettings::degrees_per_heat) of the air. Liquid that becomes fuel takes no
    /// heat. If the air in nine cells of ten is too cold for fuel to burn, embers cool down within a second. Where
    /// fuel burns, the [`heat`](AirSource::heat) of the source heats the embers again. If the embers have less than
    /// half of their heat left, the source emits less. A source with embers emits nothing in cells that liquid fills.
    ///
    /// ```
    /// use blob_fluid::air::{AirEmbers, AirSource};
    /// use blob_fluid::FluidRegion;
    /// use glam::Vec2;
    /// let hearth = FluidRegion::circle(Vec2::ZERO, 25.0)?;
    /// let embers = Some(AirEmbers::default());
    /// let mut fire = AirSource { fuel: 6.0, heat: 3.0, embers, ..AirSource::new(hearth) };
    /// assert!(fire.is_lit());
    /// fire.embers = Some(AirEmbers { left: 0.0, ..AirEmbers::default() });
    /// assert!(!fire.is_lit(), "it gives nothing until somebody lights it again");
    /// # Ok::<(), blob_fluid::OutOfRange>(())
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct AirEmbers: Default in files with default {
        /// Heat of glowing embers, which liquid has to take away.
        ///
        /// Embers hold as much heat as air of this [heat](AirChannel::Heat) that covers the source.
        pub heat: f32 [0.001 to 1000000] = 10,
        /// Share of the heat that is left.
        ///
        /// At 0 the fire is out, and stays out until you set a larger value.
        pub left: f32 [0 to 1] = 1,
    }
}

settings! {
    /// A region in which smoke, heat, fuel, vapour, colour or wind come into the air.
    ///
    /// A source fills the cells whose centres are inside, and does nothing outside the grid. A region
    /// that covers no centre of a cell fills the cell around its own centre.
    ///
    /// ```
    /// use blob_fluid::{FluidRegion, air::AirSource};
    /// use glam::Vec2;
    /// let chimney = AirSource { smoke: 2.0, heat: 4.0, ..AirSource::new(FluidRegion::circle(Vec2::ZERO, 5.0)?) };
    /// assert!(chimney.validate().is_ok());
    /// # Ok::<(), blob_fluid::OutOfRange>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    #[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
    pub struct AirSource as "air source" {
        /// The region of the source.
        pub region: FluidRegion,
        /// Smoke that comes in.
        ///
        /// Smoke does not fall below 0.
        #[serde(default)]
        pub smoke: f32 [within 1000000] in "1/s" = 0,
        /// Heat that comes in; negative values cool.
        #[serde(default)]
        pub heat: f32 [within 1000000] in "1/s" = 0,
        /// Fuel that comes in.
        ///
        /// Fuel does not fall below 0.
        #[serde(default)]
        pub fuel: f32 [within 1000000] in "1/s" = 0,
        /// Vapour that comes in.
        ///
        /// The unit is area of liquid per area of air. Vapour does not fall below 0.
        #[serde(default)]
        pub vapour: f32 [within 1000000] in "1/s" = 0,
        /// Red, green and blue of the smoke.
        ///
        /// The colours of the air grow by `colour` times `smoke` per second. `None` (default) for white.
        #[serde(default)]
        pub colour: Option<[f32; 3]> [within 1000000] = { None },
        /// Volume that comes in, as a share of each cell.
        #[serde(default)]
        pub expansion: f32 [within 1000000] in "1/s" = 0,
        /// Wind; `None` (default) for none.
        #[serde(default)]
        pub wind: Option<Wind> [group] = { None },
        /// Embers of the source; once the embers are cold, the source emits only wind. `None` (default) for a source
        /// that cannot be put out.
        #[serde(default)]
        pub embers: Option<AirEmbers> [group] = { None },
        /// Whether `smoke`, `heat`, `fuel`, `vapour` and `expansion` come in all at once in the next step, as amounts, and
        /// the source is then removed. Default no.
        #[serde(default)]
        pub burst: bool = { false },
    }
}

stored!(settings Wind, checked by AirSource);
stored!(settings AirEmbers, checked by AirSource);

impl AirSource {
    /// A source in a region that emits nothing yet.
    pub fn new(region: FluidRegion) -> Self {
        Self {
            region,
            smoke: 0.0,
            heat: 0.0,
            fuel: 0.0,
            vapour: 0.0,
            colour: None,
            expansion: 0.0,
            wind: None,
            embers: None,
            burst: false,
        }
    }

    /// Whether the source emits smoke, heat, fuel, vapour and volume: it has no embers, or they are
    /// not out.
    pub fn is_lit(&self) -> bool {
        self.embers.is_none_or(|embers| embers.left > 0.0)
    }

    /// Checks every number.
    ///
    /// # Errors
    ///
    /// Returns [`AirError::OutOfRange`] for a number outside its range.
    pub fn validate(&self) -> Result<(), AirError> {
        Ok(self.check()?)
    }
}
