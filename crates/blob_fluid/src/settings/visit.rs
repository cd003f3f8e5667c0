//! Settings as a list of numbers, each with its row.

use glam::Vec2;

use crate::settings::range::{OutOfRange, SettingRange};

/// The rows of a type.
pub(crate) type Rows = &'static [SettingRange];

/// The callback for each number and its row.
pub(crate) type Visit<'a> = &'a mut dyn FnMut(&'static SettingRange, f32);

/// The callback for each number and its row, which may change the number.
pub(crate) type VisitMut<'a> = &'a mut dyn FnMut(&'static SettingRange, &mut f32);

/// A type with numeric settings. They can be listed, checked and changed without their names.
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
pub trait Settings {
    /// The rows of all numbers, in the order of the fields.
    const ROWS: Rows;

    /// Calls `visit` with each number and its row, in the order of the rows. The caller passes the
    /// rows, because their paths differ in a type that contains this one.
    #[doc(hidden)]
    fn visit_as(&self, rows: Rows, visit: Visit<'_>);

    /// As [`visit_as`](Self::visit_as), with mutable numbers.
    #[doc(hidden)]
    fn visit_mut_as(&mut self, rows: Rows, visit: VisitMut<'_>);

    /// Calls `visit` with each number and its row, in the order of the rows.
    fn visit(&self, visit: Visit<'_>) {
        self.visit_as(Self::ROWS, visit);
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

    fn visit_as(&self, rows: Rows, visit: Visit<'_>) {
        visit(&rows[0], *self);
    }

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

            fn visit_as(&self, rows: Rows, visit: Visit<'_>) {
                visit(&rows[0], *self as f32);
            }

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

    fn visit_as(&self, rows: Rows, visit: Visit<'_>) {
        self.iter().for_each(|value| visit(&rows[0], *value));
    }

    fn visit_mut_as(&mut self, rows: Rows, visit: VisitMut<'_>) {
        self.iter_mut().for_each(|value| visit(&rows[0], value));
    }
}

impl Settings for Vec2 {
    const ROWS: Rows = f32::ROWS;

    fn visit_as(&self, rows: Rows, visit: Visit<'_>) {
        self.to_array().visit_as(rows, visit);
    }

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

    fn visit_as(&self, rows: Rows, visit: Visit<'_>) {
        if let Some(settings) = self {
            settings.visit_as(rows, visit);
        }
    }

    fn visit_mut_as(&mut self, rows: Rows, visit: VisitMut<'_>) {
        if let Some(settings) = self {
            settings.visit_mut_as(rows, visit);
        }
    }
}

/// Numbers of several items. All share one row.
impl<Thing> Settings for Vec<(Thing, f32)> {
    const ROWS: Rows = f32::ROWS;

    fn visit_as(&self, rows: Rows, visit: Visit<'_>) {
        self.iter().for_each(|(_, value)| visit(&rows[0], *value));
    }

    fn visit_mut_as(&mut self, rows: Rows, visit: VisitMut<'_>) {
        self.iter_mut().for_each(|(_, value)| visit(&rows[0], value));
    }
}
