//! Sources of smoke, heat, fuel, vapour, colour and wind.

use glam::Vec2;

use crate::air::error::AirError;
use crate::boundary::slots::declare_handle;
use crate::geometry::region::FluidRegion;
use crate::settings::declare::settings;
use crate::settings::visit::Settings;

declare_handle! {
    /// A handle of a source of [`Air`](crate::air::Air). It is valid until that source is removed, and
    /// never refers to another source of that air.
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
        /// How fast.
        ///
        /// `None` (default) for at once.
        #[serde(default)]
        pub strength: Option<f32> [0 to 1e12] in "1/s" = { None },
    }
}

settings! {
    /// A region in which smoke, heat, fuel, vapour, colour or wind come into the air.
    ///
    /// It fills cells whose centres are inside, and does nothing outside the grid. A region that covers
    /// no centre of a cell fills the cell around its own centre.
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
        /// Where it is.
        pub region: FluidRegion,
        /// Smoke that comes in.
        ///
        /// Smoke does not fall below 0.
        #[serde(default)]
        pub smoke: f32 [within 1000000] in "1/s" = 0,
        /// Heat that comes in; negative cools.
        #[serde(default)]
        pub heat: f32 [within 1000000] in "1/s" = 0,
        /// Fuel that comes in.
        ///
        /// Fuel does not fall below 0.
        #[serde(default)]
        pub fuel: f32 [within 1000000] in "1/s" = 0,
        /// Vapour that comes in.
        ///
        /// It is area of liquid per area of air. Vapour does not fall below 0.
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
        /// Whether `smoke`, `heat`, `fuel` and `vapour` come in all at once in the next step, as amounts, and
        /// the source is then removed. Default no.
        #[serde(default)]
        pub burst: bool = { false },
    }
}

impl AirSource {
    /// A source in a region from which nothing comes.
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
            burst: false,
        }
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
