//! Sources of smoke, heat, fuel, vapour, colour and wind.

use glam::Vec2;

use crate::air::error::AirError;
use crate::air::ranges::source as row;
use crate::boundary::slots::declare_handle;
use crate::geometry::region::Region;

declare_handle! {
    /// A handle of a source of [`Air`](crate::air::Air). It is valid until that source is removed, and
    /// never refers to another source of that air.
    AirSourceId
}

/// A wind in a source.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Wind {
    /// Velocity that the air inside is driven towards, in world units/s; within ±1e12.
    pub velocity: Vec2,
    /// How fast, in 1/s; 0 to 1e12. `None` for at once.
    #[cfg_attr(feature = "serde", serde(default))]
    pub strength: Option<f32>,
}

/// A region in which smoke, heat, fuel, vapour, colour or wind come into the air.
///
/// It fills cells whose centres are inside, and does nothing outside the grid. A region that covers
/// no centre of a cell fills the cell around its own centre.
///
/// ```
/// use blob_fluid::{Region, air::AirSource};
/// use glam::Vec2;
/// let chimney = AirSource { smoke: 2.0, heat: 4.0, ..AirSource::new(Region::circle(Vec2::ZERO, 5.0)?) };
/// assert!(chimney.validate().is_ok());
/// # Ok::<(), blob_fluid::OutOfRange>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct AirSource {
    /// Where it is.
    pub region: Region,
    /// Smoke that comes in, in 1/s; within ±1000000. Smoke does not fall below 0. Default 0.
    #[cfg_attr(feature = "serde", serde(default))]
    pub smoke: f32,
    /// Heat that comes in, in 1/s; within ±1000000. A negative value cools. Default 0.
    #[cfg_attr(feature = "serde", serde(default))]
    pub heat: f32,
    /// Fuel that comes in, in 1/s; within ±1000000. Fuel does not fall below 0. Default 0.
    #[cfg_attr(feature = "serde", serde(default))]
    pub fuel: f32,
    /// Vapour that comes in, as area of liquid per area of air, in 1/s; within ±1000000. Vapour does
    /// not fall below 0. Default 0.
    #[cfg_attr(feature = "serde", serde(default))]
    pub vapour: f32,
    /// Red, green and blue of the smoke; each within ±1000000. The colours of the air grow by
    /// `colour` times `smoke` per second. `None` (default) for white.
    #[cfg_attr(feature = "serde", serde(default))]
    pub colour: Option<[f32; 3]>,
    /// Volume that comes in, as a share of each cell, in 1/s; within ±1000000. Default 0.
    #[cfg_attr(feature = "serde", serde(default))]
    pub expansion: f32,
    /// Wind; `None` (default) for none.
    #[cfg_attr(feature = "serde", serde(default))]
    pub wind: Option<Wind>,
    /// Whether `smoke`, `heat`, `fuel` and `vapour` come in all at once in the next step, as amounts, and
    /// the source is then removed. Default no.
    #[cfg_attr(feature = "serde", serde(default))]
    pub burst: bool,
}

impl AirSource {
    /// A source in a region from which nothing comes.
    pub fn new(region: Region) -> Self {
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
        row::SMOKE.check(self.smoke)?;
        row::HEAT.check(self.heat)?;
        row::FUEL.check(self.fuel)?;
        row::VAPOUR.check(self.vapour)?;
        row::COLOUR.check_all(self.colour.into_iter().flatten())?;
        row::EXPANSION.check(self.expansion)?;
        if let Some(wind) = self.wind {
            row::WIND_VELOCITY.check_all(wind.velocity.to_array())?;
            row::WIND_STRENGTH.check_all(wind.strength)?;
        }
        Ok(())
    }
}
