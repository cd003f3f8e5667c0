//! One table of all numeric settings, with unit, limits, default and meaning of each.
//!
//! The checks of settings and the sliders of `bevy_blob_fluid`'s panel read this table. The tables
//! in `docs/scenes.md`, `docs/materials.md` and `docs/air.md` and the documentation of the fields are tested
//! against it.
//!
//! Counts without limits, bits, and positions (which need only be finite) have no row. Conditions
//! on several settings have no row either; error messages state them in words.
//!
//! ```
//! use blob_fluid::ranges;
//! for row in ranges::all().filter(|row| row.subject == "sensor") {
//!     let default = row.default.map_or("none".into(), |value| value.to_string());
//!     println!("{}: {:#} {}, default {default}: {}", row.path, row.limits, row.unit, row.meaning);
//! }
//! let linear = ranges::find("fluid parameters", "viscosity.linear").expect("a row");
//! assert_eq!(*linear, ranges::parameters::VISCOSITY_LINEAR);
//! assert_eq!(format!("{:#} {}", linear.limits, linear.unit), "0 to 1000 1/T0");
//! assert!(linear.check(2.0).is_ok());
//! let error = linear.check(-1.0).unwrap_err().to_string();
//! assert_eq!(
//!     error,
//!     "fluid parameters: viscosity.linear is -1, and must be between 0 and 1000"
//! );
//! ```

use crate::air::ranges as air;

pub use crate::settings::range::{Limits, SettingRange, ValidRange};
pub use crate::settings::visit::Settings;

/// Defines the rows of a subject: one constant for each row, and `ROWS`, a list of all.
///
/// A row has a name, a path, a unit, limits, an optional default, and a meaning. The word `whole`
/// before the limits marks a setting that is a whole number.
macro_rules! rows {
    ($subject:literal: $(
        $name:ident = $path:literal in $unit:literal, $($whole:ident)? [$limits:expr]
        $(, default $default:expr)?;
        $meaning:literal
    )*) => {
        $(
            #[doc = concat!("`", $path, "`: ", $meaning, ".")]
            pub const $name: $crate::settings::range::SettingRange = $crate::settings::range::SettingRange {
                subject: $subject,
                path: $path,
                unit: $unit,
                limits: $limits,
                whole: rows!(@whole $($whole)?),
                default: rows!(@default $($default)?),
                meaning: $meaning,
            };
        )*
        /// All rows of this subject, in order.
        pub const ROWS: &[$crate::settings::range::SettingRange] = &[$($name),*];
    };
    (@whole) => { false };
    (@whole whole) => { true };
    (@default) => { None };
    (@default $default:expr) => { Some($default) };
}

pub(crate) use rows;

pub mod classes;
pub mod parameters;
pub mod sensing;
pub mod solids;
pub mod sources;
pub mod worlds;

/// The rows of all subjects.
const TABLE: [&[SettingRange]; 21] = [
    parameters::ROWS,
    classes::class::ROWS,
    classes::pair::ROWS,
    solids::shape::ROWS,
    solids::polyline::ROWS,
    solids::wall::ROWS,
    solids::motion::ROWS,
    solids::body::ROWS,
    sources::blob::ROWS,
    sources::emitter::ROWS,
    sources::lifetime::ROWS,
    sources::drain::ROWS,
    sources::force::ROWS,
    sensing::fill_levels::ROWS,
    sensing::sensor::ROWS,
    sensing::splashes::ROWS,
    worlds::budget::ROWS,
    worlds::scene::ROWS,
    air::ROWS,
    air::side::ROWS,
    air::source::ROWS,
];

/// All rows, subject by subject.
pub fn all() -> impl Iterator<Item = &'static SettingRange> {
    TABLE.into_iter().flatten()
}

/// The row of a subject's field; `None` if there is none.
pub fn find(subject: &str, path: &str) -> Option<&'static SettingRange> {
    all().find(|row| row.subject == subject && row.path == path)
}

/// The row with this path.
///
/// # Panics
///
/// Panics if there is none; in a constant that is an error of the compiler.
pub const fn find_in(rows: &'static [SettingRange], path: &str) -> &'static SettingRange {
    let mut index = 0;
    while index < rows.len() {
        if same(rows[index].path, path) {
            return &rows[index];
        }
        index += 1;
    }
    panic!("there is no setting with this path");
}

const fn same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut index = 0;
    while index < one.len() && index < other.len() && one[index] == other[index] {
        index += 1;
    }
    index == one.len() && index == other.len()
}
