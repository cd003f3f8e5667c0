//! One table of all numeric settings, with unit, limits, default and meaning of each.
//!
//! Each row is declared with its field. One declaration creates the field, its documentation, the
//! default, the check and the row. [`Settings`] visits the numbers of a value with their rows. The
//! sliders of `bevy_blob_fluid`'s panel and the tables in `docs` are generated from the rows.
//!
//! Counts without limits, bits, and positions (which need only be finite) have no row. Conditions
//! that combine several settings have no row either. Error messages describe them.
//!
//! ```
//! use blob_fluid::FluidParameters;
//! use blob_fluid::ranges::{self, Settings};
//! for row in ranges::all().filter(|row| row.subject == "sensor") {
//!     let default = row.default.map_or("none".into(), |value| value.to_string());
//!     println!("{}: {:#} {}, default {default}: {}", row.path, row.limits, row.unit, row.meaning);
//! }
//! let linear = ranges::find("fluid parameters", "viscosity.linear").expect("a row");
//! assert_eq!(linear, ranges::find_in(FluidParameters::ROWS, "viscosity.linear"));
//! assert_eq!(format!("{:#} {}", linear.limits, linear.unit), "0 to 1000 1/T0");
//! assert!(linear.check(2.0).is_ok());
//! let error = linear.check(-1.0).unwrap_err().to_string();
//! assert_eq!(
//!     error,
//!     "fluid parameters: viscosity.linear is -1, and must be between 0 and 1000"
//! );
//! ```

use crate::air::grid::Grid;
use crate::air::{AirSettings, AirSide, AirSource};
#[cfg(feature = "bake")]
use crate::bake::player::BakeSettings;
#[cfg(feature = "scene")]
use crate::files::material::MaterialLook;
#[cfg(feature = "scene")]
use crate::files::scene::Scene;
use crate::geometry::shape::Polyline;
use crate::{
    Blast, Blob, Body, ClassPair, DensityClass, Drain, EmitterSettings, FillLevels, FluidBudget,
    FluidLifetime, FluidNozzle, FluidParameters, FluidShape, Force, Motion, Pipe, PoolSettings,
    PumpSettings, Sensor, SplashDetection, Valve, WallProperties,
};

pub use crate::settings::range::{Limits, SettingRange, Settings, ValidRange, find_in};

/// The rows of all subjects.
const TABLE: &[&[SettingRange]] = &[
    FluidParameters::ROWS,
    DensityClass::ROWS,
    ClassPair::ROWS,
    FluidShape::ROWS,
    Polyline::ROWS,
    Pipe::ROWS,
    Valve::ROWS,
    WallProperties::ROWS,
    Motion::ROWS,
    Body::ROWS,
    Blob::ROWS,
    FluidNozzle::ROWS,
    EmitterSettings::ROWS,
    FluidLifetime::ROWS,
    Drain::ROWS,
    PumpSettings::ROWS,
    PoolSettings::ROWS,
    Force::ROWS,
    Blast::ROWS,
    FillLevels::ROWS,
    Sensor::ROWS,
    SplashDetection::ROWS,
    FluidBudget::ROWS,
    #[cfg(feature = "scene")]
    Scene::ROWS,
    #[cfg(feature = "scene")]
    MaterialLook::ROWS,
    #[cfg(feature = "bake")]
    BakeSettings::ROWS,
    Grid::ROWS,
    AirSettings::ROWS,
    AirSide::ROWS,
    AirSource::ROWS,
];

/// All rows, subject by subject.
pub fn all() -> impl Iterator<Item = &'static SettingRange> {
    TABLE.iter().copied().flatten()
}

/// The row of a subject's field; `None` if the table has no such row.
pub fn find(subject: &str, path: &str) -> Option<&'static SettingRange> {
    all().find(|row| row.subject == subject && row.path == path)
}
