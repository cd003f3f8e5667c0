//! Numeric settings: their ranges, the error for a number outside its range, and settings as a list of numbers with their
//! rows.

use std::fmt::{self, Display, Formatter};

use glam::Vec2;
use thiserror::Error;

/// The error for a setting, a container, a force, ... with a number outside its valid range.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
#[error("{subject}: {field} is {value}, and must be {range}")]
pub struct OutOfRange {
    /// The owner of the invalid number, such as `"fluid parameters"`.
    pub subject: &'static str,
    /// Path of the invalid field.
    pub field: &'static str,
    /// Value of the invalid field.
    pub value: f32,
    /// Valid range of the field.
    pub range: ValidRange,
}

/// The valid range of a number.
///
/// The text of a range follows the words "must be" in messages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ValidRange {
    /// A number between two others.
    Limits(Limits),
    /// Another condition, in words.
    Words(&'static str),
}

impl Display for ValidRange {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Limits(limits) => limits.fmt(f),
            Self::Words(words) => f.write_str(words),
        }
    }
}

/// The lower and the upper limit of a number. A number that is not finite is never within limits.
///
/// `{}` formats them for error messages, and `{:#}` for tables.
///
/// ```
/// use blob_fluid::ranges::Limits;
/// let share = Limits::above(0.0, 1.0);
/// assert!(share.contains(1.0) && !share.contains(0.0));
/// assert_eq!(share.to_string(), "above 0 and at most 1");
/// assert_eq!(format!("{share:#}"), "above 0, up to 1");
/// assert_eq!(format!("{:#}", Limits::between(0.5, 64.0)), "0.5 to 64");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// The lower limit; `f32::MIN` for numbers without a lower limit.
    pub least: f32,
    /// The upper limit, which is always valid; `f32::MAX` for numbers without an upper limit.
    pub most: f32,
    /// Whether the lower limit itself is valid. If it is not, subnormal numbers, which are not
    /// exact, are not valid either.
    pub least_included: bool,
}

impl Limits {
    /// Any finite number.
    pub const FINITE: Self = Self::between(f32::MIN, f32::MAX);
    /// Any finite number that is not negative.
    pub const NOT_NEGATIVE: Self = Self::between(0.0, f32::MAX);
    /// Any finite number above 0.
    pub const POSITIVE: Self = Self::above(0.0, f32::MAX);
    /// A number that has no natural limit. Its square must be finite as `f32`.
    pub const VAST: Self = Self::within(1e12);
    /// A fraction, 0 to 1.
    pub(crate) const SHARE: Self = Self::between(0.0, 1.0);
    /// Any number except NaN.
    #[cfg(feature = "snapshot")]
    pub(crate) const NOT_NAN: Self = Self::between(f32::NEG_INFINITY, f32::INFINITY);
    /// The size of a shape, in world units.
    pub const SIZE: Self = Self::above(0.0, 1e9);

    /// The inclusive range `least` to `most`.
    pub const fn between(least: f32, most: f32) -> Self {
        Self { least, most, least_included: true }
    }

    /// Limits from `least`, which is not valid, to `most`, which is valid.
    pub const fn above(least: f32, most: f32) -> Self {
        Self { least, most, least_included: false }
    }

    /// Limits from `-most` to `most`, both valid.
    pub const fn within(most: f32) -> Self {
        Self::between(-most, most)
    }

    /// The smallest valid number.
    pub const fn smallest(self) -> f32 {
        if self.least_included {
            self.least
        } else if self.least == 0.0 {
            f32::MIN_POSITIVE
        } else {
            self.least.next_up()
        }
    }

    /// Whether a number is valid.
    pub fn contains(self, value: f32) -> bool {
        let above = if self.least_included {
            value >= self.least
        } else {
            value > self.least && !value.is_subnormal()
        };
        above && value <= self.most
    }

    /// As [`contains`](Self::contains), for a number of 64 bits.
    #[cfg(feature = "snapshot")]
    pub(crate) fn contains_f64(self, value: f64) -> bool {
        let (least, most) = (f64::from(self.least), f64::from(self.most));
        let above = value > least || self.least_included && value == least;
        above && value <= most
    }

    /// Checks a number. `subject` and `field` name it in the error.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] if the number is outside the limits.
    pub fn check(
        self,
        subject: &'static str,
        field: &'static str,
        value: f32,
    ) -> Result<(), OutOfRange> {
        let range = ValidRange::Limits(self);
        if self.contains(value) { Ok(()) } else { Err(OutOfRange { subject, field, value, range }) }
    }
}

impl Display for Limits {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (least, most) = (Plain(self.least), Plain(self.most));
        let unlimited = self.most == f32::MAX;
        match (self.least_included, f.alternate()) {
            (true, _) if unlimited && self.least == f32::MIN => f.write_str("finite"),
            (true, _) if unlimited => write!(f, "finite and at least {least}"),
            (false, _) if unlimited => write!(f, "finite and above {least}"),
            (true, _) if self.least == -self.most => write!(f, "within ±{most}"),
            (true, false) => write!(f, "between {least} and {most}"),
            (true, true) => write!(f, "{least} to {most}"),
            (false, false) => write!(f, "above {least} and at most {most}"),
            (false, true) => write!(f, "above {least}, up to {most}"),
        }
    }
}

/// A number whose text has no long rows of zeros.
struct Plain(f32);

impl Display for Plain {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.0.abs() < 1e7 { write!(f, "{}", self.0) } else { write!(f, "{:e}", self.0) }
    }
}

/// Range, unit, default and meaning of a numeric setting: a row of the [table](crate::ranges).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SettingRange {
    /// Name of the type that has the setting, as in error messages.
    pub subject: &'static str,
    /// Path of the field, as in error messages: `viscosity.linear`. A setting with several numbers,
    /// such as a vector, has one row for all numbers.
    pub path: &'static str,
    /// Unit; empty for plain numbers and factors.
    pub unit: &'static str,
    /// For the same liquid at another particle spacing, the setting must stay constant in this
    /// unit, such as d²/T0 for a viscosity. Empty if the number itself stays constant.
    pub keeps: &'static str,
    /// Limits of valid values.
    pub limits: Limits,
    /// Whether it is an integer.
    pub whole: bool,
    /// Default value; `None` without a default, or if the default is not a single number.
    pub default: Option<f32>,
    /// Meaning, in a few words.
    pub meaning: &'static str,
}

impl SettingRange {
    /// A row without a name, for any finite number.
    pub(crate) const ANY: Self = Self {
        subject: "",
        path: "",
        unit: "",
        keeps: "",
        limits: Limits::FINITE,
        whole: false,
        default: None,
        meaning: "",
    };

    /// Checks a value.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`], which names the setting and its limits, if the value is outside the
    /// limits.
    pub fn check(&self, value: f32) -> Result<(), OutOfRange> {
        self.limits.check(self.subject, self.path, value)
    }

    /// Checks all numbers of a setting with several numbers, or of an optional setting.
    ///
    /// # Errors
    ///
    /// Returns the error of [`check`](Self::check) for the first number that is outside the limits.
    pub fn check_all(&self, values: impl IntoIterator<Item = f32>) -> Result<(), OutOfRange> {
        values.into_iter().try_for_each(|value| self.check(value))
    }
}

/// The row with this path.
///
/// # Panics
///
/// Panics if no row has this path; in a constant this is a compile error.
///
/// ```
/// use blob_fluid::FluidParameters;
/// use blob_fluid::ranges::{SettingRange, Settings, find_in};
/// const LINEAR: &SettingRange = find_in(FluidParameters::ROWS, "viscosity.linear");
/// assert_eq!(LINEAR.unit, "1/T0");
/// ```
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

/// The default in the row with this path.
pub(crate) const fn default_in(rows: &'static [SettingRange], path: &str) -> f32 {
    match find_in(rows, path).default {
        Some(default) => default,
        None => panic!("this setting has no default that is a number"),
    }
}

/// Checks the numbers of one subject.
#[derive(Clone, Copy)]
pub(crate) struct Check(pub &'static str);

impl Check {
    /// Returns an error unless `valid` is true.
    pub(crate) fn that(
        self,
        valid: bool,
        field: &'static str,
        value: f32,
        range: &'static str,
    ) -> Result<(), OutOfRange> {
        let range = ValidRange::Words(range);
        if valid { Ok(()) } else { Err(OutOfRange { subject: self.0, field, value, range }) }
    }

    /// Returns an error unless `value` is a valid size of a shape.
    pub(crate) fn size(self, field: &'static str, value: f32) -> Result<(), OutOfRange> {
        Limits::SIZE.check(self.0, field, value)
    }

    /// Returns an error unless all values are finite.
    pub(crate) fn finite(self, field: &'static str, values: &[f32]) -> Result<(), OutOfRange> {
        values.iter().try_for_each(|value| Limits::FINITE.check(self.0, field, *value))
    }
}

/// The largest count. No game reaches it, and a sum of some hundreds of such counts fits into 64 bits.
pub(crate) const MOST_COUNTED: u64 = 1 << 48;

/// Adds to a count, which saturates at the largest count.
pub(crate) fn count_more(count: &mut u64, more: u64) {
    *count = count.saturating_add(more).min(MOST_COUNTED);
}

// Settings as a list of numbers, each with its row.

/// The rows of a type.
pub(crate) type Rows = &'static [SettingRange];

/// The callback for each number and its row.
pub(crate) type Visit<'a> = &'a mut dyn FnMut(&'static SettingRange, f32);

/// The callback for each number and its row, which may change the number.
pub(crate) type VisitMut<'a> = &'a mut dyn FnMut(&'static SettingRange, &mut f32);

/// A type with numeric settings. The settings can be listed, checked and changed without their
/// names.
///
/// A vector has several numbers with one row. An optional setting that is `None` has no number.
///
/// ```
/// use blob_fluid::FluidParameters;
/// use blob_fluid::ranges::Settings;
/// let mut parameters = FluidParameters::default();
/// parameters.visit_mut(&mut |row, value| {
///     if row.path == "viscosity.linear" {
///         *value = 2.0;
///     }
/// });
/// assert_eq!(parameters.viscosity.linear, 2.0);
/// let mut changed = Vec::new();
/// parameters.visit(&mut |row, value| {
///     if row.default.is_some_and(|default| default != value) {
///         changed.push(row.path);
///     }
/// });
/// assert_eq!(changed, ["viscosity.linear"]);
/// ```
pub trait Settings: Clone {
    /// The rows of all numbers, in the order of the fields.
    const ROWS: Rows;

    /// Calls `visit` with each number and its row, in the order of the rows. The caller passes the
    /// rows, because their paths differ in a type that contains this one.
    #[doc(hidden)]
    fn visit_mut_as(&mut self, rows: Rows, visit: VisitMut<'_>);

    /// Calls `visit` with each number and its row, in the order of the rows.
    fn visit(&self, visit: Visit<'_>) {
        self.clone().visit_mut(&mut |row, value| visit(row, *value));
    }

    /// Calls `visit` with each number and its row, in the order of the rows. A changed number is
    /// written back to the settings. Integers are truncated.
    fn visit_mut(&mut self, visit: VisitMut<'_>) {
        self.visit_mut_as(Self::ROWS, visit);
    }

    /// Checks each number against the limits of its row.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`], which names the first field outside its range.
    fn check(&self) -> Result<(), OutOfRange> {
        let mut result = Ok(());
        self.visit(&mut |row, value| {
            if result.is_ok() {
                result = row.check(value);
            }
        });
        result
    }

    /// The row with this path.
    ///
    /// # Panics
    ///
    /// Panics if there is no such row.
    fn row(path: &str) -> &'static SettingRange {
        let found = Self::ROWS.iter().find(|row| row.path == path);
        found.unwrap_or_else(|| panic!("no setting is called {path}"))
    }
}

/// A setting whose default can be stated as a number.
pub(crate) trait Number {
    /// A value whose numbers all equal `number`.
    fn from_number(number: f32) -> Self;
}

impl Settings for f32 {
    const ROWS: Rows = &[SettingRange::ANY];

    fn visit_mut_as(&mut self, rows: Rows, visit: VisitMut<'_>) {
        visit(&rows[0], self);
    }
}

impl Number for f32 {
    fn from_number(number: f32) -> Self {
        number
    }
}

/// Numbers of other types. They are visited as `f32`, and keep their exact value unless `visit` changes it.
macro_rules! convertible {
    ($($type:ident: whole $whole:literal),*) => {$(
        impl Settings for $type {
            const ROWS: Rows = &[SettingRange { whole: $whole, ..SettingRange::ANY }];

            fn visit_mut_as(&mut self, rows: Rows, visit: VisitMut<'_>) {
                let before = *self as f32;
                let mut value = before;
                visit(&rows[0], &mut value);
                if value.to_bits() != before.to_bits() {
                    *self = value as $type;
                }
            }
        }

        impl Number for $type {
            fn from_number(number: f32) -> Self {
                number as $type
            }
        }
    )*};
}

convertible!(u32: whole true, f64: whole false);

impl<const COUNT: usize> Settings for [f32; COUNT] {
    const ROWS: Rows = f32::ROWS;

    fn visit_mut_as(&mut self, rows: Rows, visit: VisitMut<'_>) {
        self.iter_mut().for_each(|value| visit(&rows[0], value));
    }
}

impl Settings for Vec2 {
    const ROWS: Rows = f32::ROWS;

    fn visit_mut_as(&mut self, rows: Rows, visit: VisitMut<'_>) {
        self.x.visit_mut_as(rows, visit);
        self.y.visit_mut_as(rows, visit);
    }
}

impl Number for Vec2 {
    fn from_number(number: f32) -> Self {
        Self::splat(number)
    }
}

impl<T: Settings> Settings for Option<T> {
    const ROWS: Rows = T::ROWS;

    fn visit_mut_as(&mut self, rows: Rows, visit: VisitMut<'_>) {
        if let Some(settings) = self {
            settings.visit_mut_as(rows, visit);
        }
    }
}

/// Numbers of several items. All share one row.
impl<Thing: Clone> Settings for Vec<(Thing, f32)> {
    const ROWS: Rows = f32::ROWS;

    fn visit_mut_as(&mut self, rows: Rows, visit: VisitMut<'_>) {
        self.iter_mut().for_each(|(_, value)| visit(&rows[0], value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_hold_what_they_say() {
        for (limits, words, least, below, most, above) in [
            (Limits::FINITE, "finite", f32::MIN, f32::NEG_INFINITY, f32::MAX, f32::INFINITY),
            (
                Limits::NOT_NEGATIVE,
                "finite and at least 0",
                0.0,
                -f32::MIN_POSITIVE,
                f32::MAX,
                f32::INFINITY,
            ),
            (
                Limits::POSITIVE,
                "finite and above 0",
                f32::MIN_POSITIVE,
                1e-40,
                f32::MAX,
                f32::INFINITY,
            ),
            (Limits::SIZE, "above 0 and at most 1e9", f32::MIN_POSITIVE, 0.0, 1e9, 2e9),
            (Limits::within(1e6), "within ±1000000", -1e6, -1.1e6, 1e6, 1.1e6),
            (Limits::between(1e-6, 1.0), "between 0.000001 and 1", 1e-6, 9e-7, 1.0, 1.1),
        ] {
            assert_eq!(limits.to_string(), words);
            assert_eq!(limits.smallest(), least, "{limits}");
            assert!(limits.contains(least) && limits.contains(most), "{limits}");
            assert!(!limits.contains(below) && !limits.contains(above), "{limits}");
            assert!(!limits.contains(f32::NAN), "{limits}");
        }
    }
}
