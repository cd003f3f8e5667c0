//! The macro that declares settings: field, unit, range, default and meaning in one place.
//!
//! ```text
//! settings! {
//!     /// What the struct is.
//!     #[derive(Clone, Copy, Debug, PartialEq)]
//!     pub struct Viscosity: Default as "viscosity" in files with default {
//!         /// Viscosity of all pairs; oil has about 1, honey 10.
//!         ///
//!         /// Further paragraphs explain more.
//!         pub linear: f32 [0 to 1000] in "1/T0" = 0.1,
//!     }
//! }
//! ```
//!
//! The macro creates the struct and, with it,
//!
//! - unit, range and default in the documentation of each field,
//! - [`Default`], if the declaration names it, and `validate` with the words `with validate`,
//! - [`Settings`](crate::ranges::Settings): a row for each number, and visitors. The first
//!   paragraph of a field's documentation, without its full stop, is the row's meaning. The subject
//!   of the rows comes after `as`. A struct that is only part of others has no subject.
//!
//! A type that is `in files` can be serialised and reflected. Files must not have fields that it lacks, and
//! `with default` they may leave out fields that it has.
//!
//! A range is `0 to 1`, `above 0 to 1`, `above 0`, `at least 0`, `within 5` (-5 to 5) or `finite`.
//! The word `group` in its place includes the settings of the field's type. A field without a range
//! is not a numeric setting.
//!
//! After the unit, `keeps "d²/T0"` names the unit in which the setting stays constant for the same
//! liquid at another particle spacing (see `settings/spacing.rs`). Without `keeps` the number stays
//! constant. A default that is not a single number is in braces. In an enum the value in
//! parentheses has a name, and with `Default` the first variant is the default. A setting without a
//! public field is a constant of an `impl`: `RATE = "rate": f32 [0 to 10] in "1/s"`.

use crate::settings::range::SettingRange;

/// Declares settings: see the documentation of the module.
macro_rules! settings {
    (
        $(#[$meta:meta])*
        $visibility:vis struct $name:ident $(: $default_trait:ident)?
            $(as $subject:literal $(with $validate:ident)?)?
            $(in $files:ident $(with $missing:ident)?)?
        {
            $(
                $(#[doc = $doc:literal])*
                $(#[serde($($serde:tt)*)])?
                $field_visibility:vis $field:ident: $type:ty
                    $([$($range:tt)+] $(in $unit:literal $(keeps $kept:literal)?)?)?
                    $(= $default:tt)?
            ),* $(,)?
        }
    ) => {
        $crate::settings::declare::settings! { @item [$($files $($missing)?)?]
            $(#[$meta])*
            $visibility struct $name {
                $(
                    $(#[doc = $doc])*
                    #[doc = ""]
                    #[doc = $crate::settings::declare::settings!(
                        @facts [$($($range)+)?] [$($($unit $(keeps $kept)?)?)?] [$($default)?]
                    )]
                    $(#[cfg_attr(feature = "serde", serde($($serde)*))])?
                    $field_visibility $field: $type,
                )*
            }
        }

        $crate::settings::declare::settings! {
            @default [$($default_trait)?] $name [struct $($field: $type = $($default)?,)*]
        }
        $crate::settings::declare::settings! { @validate [$($($validate)?)?] $name }

        impl $crate::settings::range::Settings for $name {
            const ROWS: &'static [$crate::settings::range::SettingRange] =
                $crate::settings::declare::settings!(@rows [$($subject)?] [$(
                    $crate::settings::declare::settings!(
                        @row stringify!($field), $type, [$($($range)+)?]
                            [$($($unit $(keeps $kept)?)?)?] [$($default)?] [$($doc)*]
                    ),
                )*]);

            fn visit_mut_as(
                &mut self,
                rows: $crate::settings::range::Rows,
                visit: $crate::settings::range::VisitMut<'_>,
            ) {
                $(
                    let rows = $crate::settings::declare::settings!(
                        @visit (&mut self.$field) $type, [$($($range)+)?] rows visit
                    );
                )*
                debug_assert!(rows.is_empty(), "every row has a number");
            }
        }
    };

    (
        $(#[$meta:meta])*
        $visibility:vis enum $name:ident $(: $default_trait:ident)? $(as $subject:literal)?
            $(in $files:ident)?
        {
            $(
                $(#[doc = $doc:literal])*
                $(#[serde($($variant_serde:tt)*)])?
                $variant:ident
                $({
                    $(
                        $(#[doc = $field_doc:literal])*
                        $(#[serde($($serde:tt)*)])?
                        $field:ident: $type:ty
                            $([$($range:tt)+] $(in $unit:literal)?)? $(= $default:tt)?
                    ),* $(,)?
                })?
                $(($value:ident: $value_type:ty
                    $([$($value_range:tt)+] $(in $value_unit:literal)?)?))?
            ),* $(,)?
        }
    ) => {
        $crate::settings::declare::settings! { @item [$($files)?]
            $(#[$meta])*
            $visibility enum $name {
                $(
                    $(#[doc = $doc])*
                    #[doc = ""]
                    #[doc = $crate::settings::declare::settings!(
                        @facts [$($($($value_range)+)?)?] [$($($($value_unit)?)?)?] []
                    )]
                    $(#[cfg_attr(feature = "serde", serde($($variant_serde)*))])?
                    $variant
                    $({
                        $(
                            $(#[doc = $field_doc])*
                            #[doc = ""]
                            #[doc = $crate::settings::declare::settings!(
                                @facts [$($($range)+)?] [$($($unit)?)?] [$($default)?]
                            )]
                            $(#[cfg_attr(feature = "serde", serde($($serde)*))])?
                            $field: $type,
                        )*
                    })?
                    $(($value_type))?,
                )*
            }
        }

        $crate::settings::declare::settings! {
            @default [$($default_trait)?] $name
                $([$variant $($($field: $type = $($default)?,)*)?])*
        }

        #[allow(unused_variables, reason = "not every value of a variant is a setting")]
        impl $crate::settings::range::Settings for $name {
            const ROWS: &'static [$crate::settings::range::SettingRange] =
                $crate::settings::declare::settings!(@rows [$($subject)?] [$(
                    $($($crate::settings::declare::settings!(
                        @row stringify!($field), $type, [$($($range)+)?] [$($($unit)?)?]
                            [$($default)?] [$($field_doc)*]
                    ),)*)?
                    $crate::settings::declare::settings!(
                        @newtype [$($value_type, [$($($value_range)+)?] [$($($value_unit)?)?])?]
                            [$($doc)*]
                    ),
                )*]);

            fn visit_mut_as(
                &mut self,
                rows: $crate::settings::range::Rows,
                visit: $crate::settings::range::VisitMut<'_>,
            ) {
                $(
                    let (own_rows, rows) = rows.split_at(
                        0 $($(+ $crate::settings::declare::settings!(
                            @count $type, [$($($range)+)?]
                        ))*)?
                        $(+ $crate::settings::declare::settings!(
                            @count $value_type, [$($($value_range)+)?]
                        ))?
                    );
                    if let Self::$variant $({ $($field),* })? $(($value))? = self {
                        let rows = own_rows;
                        $($(let rows = $crate::settings::declare::settings!(
                            @visit ($field) $type, [$($($range)+)?] rows visit
                        );)*)?
                        $(let rows = $crate::settings::declare::settings!(
                            @visit ($value) $value_type, [$($($value_range)+)?] rows visit
                        );)?
                    }
                )*
            }
        }
    };

    (
        impl $name:ident as $subject:literal {
            $(
                $(#[doc = $doc:literal])*
                $constant:ident = $path:literal: $type:ty
                    $([$($range:tt)+] $(in $unit:literal)?)? $(= $default:tt)?
            ),* $(,)?
        }
    ) => {
        impl $name {
            $(
                $(#[doc = $doc])*
                #[doc = ""]
                #[doc = $crate::settings::declare::settings!(
                    @facts [$($($range)+)?] [$($($unit)?)?] [$($default)?]
                )]
                pub(crate) const $constant: $crate::settings::range::SettingRange =
                    $crate::settings::declare::settings!(@rows [$subject] [
                        $crate::settings::declare::settings!(
                            @row $path, $type, [$($($range)+)?] [$($($unit)?)?]
                                [$($default)?] [$($doc)*]
                        )
                    ])[0];
            )*

            /// The rows of settings without public fields.
            pub(crate) const ROWS: &'static [$crate::settings::range::SettingRange] =
                &[$(Self::$constant),*];
        }
    };

    // The type, with the attributes of a type in files.
    (@item [] $($item:tt)*) => { $($item)* };
    (@item [files $($missing:ident)?] $($item:tt)*) => {
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[cfg_attr(feature = "serde", serde($($missing,)? deny_unknown_fields))]
        #[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
        $($item)*
    };

    (@validate [] $name:ident) => {};
    (@validate [validate] $name:ident) => {
        impl $name {
            /// Checks every field.
            ///
            /// # Errors
            ///
            /// Returns [`OutOfRange`](crate::OutOfRange), which names the first field outside its range.
            pub fn validate(&self) -> Result<(), $crate::settings::range::OutOfRange> {
                $crate::settings::range::Settings::check(self)
            }
        }
    };

    // The default value, from the defaults of the fields (of the first variant).
    (@default [] $($rest:tt)*) => {};
    (@default [Default] $name:ident [struct $($field:ident: $type:ty = $default:tt,)*]) => {
        impl Default for $name {
            fn default() -> Self {
                Self {
                    $($field: $crate::settings::declare::settings!(@value $type, $default),)*
                }
            }
        }
    };
    (@default [Default] $name:ident
        [$variant:ident $($field:ident: $type:ty = $default:tt,)*] $($others:tt)*
    ) => {
        impl Default for $name {
            fn default() -> Self {
                Self::$variant {
                    $($field: $crate::settings::declare::settings!(@value $type, $default),)*
                }
            }
        }
    };

    // A field's default value.
    (@value $type:ty, { $($value:tt)* }) => { { $($value)* } };
    (@value $type:ty, $number:literal) => {
        <$type as $crate::settings::range::Number>::from_number($number as f32)
    };

    // The rows of a list of fields.
    (@rows [$($subject:literal)?] $fields:tt) => {{
        use $crate::settings::declare::{Field, count, paths, paths_length, rows};
        const FIELDS: &[Field] = &$fields;
        const PATHS: &[u8; paths_length(FIELDS)] = &paths(FIELDS);
        const ROWS: &[$crate::settings::range::SettingRange; count(FIELDS)] =
            &rows(concat!($($subject)?), FIELDS, PATHS);
        ROWS
    }};

    // A field as input of the rows.
    (@newtype [] $doc:tt) => { Field::Group("", &[]) };
    (@newtype [$type:ty, $range:tt $unit:tt] $doc:tt) => {
        $crate::settings::declare::settings!(@row "", $type, $range $unit [] $doc)
    };
    (@row $name:expr, $type:ty, [] $unit:tt $default:tt $doc:tt) => { Field::Group($name, &[]) };
    (@row $name:expr, $type:ty, [group] $unit:tt $default:tt $doc:tt) => {
        Field::Group($name, <$type as $crate::settings::range::Settings>::ROWS)
    };
    (@row $name:expr, $type:ty, [$($range:tt)+] [$($unit:literal $(keeps $kept:literal)?)?]
        [$($default:tt)?] [$($doc:literal)*]
    ) => {
        Field::Number($crate::settings::range::SettingRange {
            subject: "",
            path: $name,
            unit: concat!($($unit)?),
            keeps: concat!($($($kept)?)?),
            limits: $crate::settings::declare::settings!(@limits $($range)+),
            whole: <$type as $crate::settings::range::Settings>::ROWS[0].whole,
            default: $crate::settings::declare::settings!(@number $($default)?),
            meaning: {
                const DOCUMENTATION: &str = concat!($($doc, "\n"),*);
                const MEANING: &[u8; $crate::settings::declare::meaning_length(DOCUMENTATION)] =
                    &$crate::settings::declare::meaning(DOCUMENTATION);
                $crate::settings::declare::text(MEANING)
            },
        })
    };

    (@number) => { None };
    (@number { $($value:tt)* }) => { None };
    (@number $number:literal) => { Some($number as f32) };

    // The number of rows of a field.
    (@count $type:ty, []) => { 0 };
    (@count $type:ty, [$($range:tt)+]) => {
        <$type as $crate::settings::range::Settings>::ROWS.len()
    };

    // Visits a field with its rows, and returns the remaining rows.
    (@visit ($value:expr) $type:ty, [] $rows:ident $visit:ident) => { $rows };
    (@visit ($value:expr) $type:ty, [$($range:tt)+] $rows:ident $visit:ident) => {{
        let count = <$type as $crate::settings::range::Settings>::ROWS.len();
        let (own_rows, rest) = $rows.split_at(count);
        $crate::settings::range::Settings::visit_mut_as($value, own_rows, $visit);
        rest
    }};

    (@limits $least:literal to $most:literal) => {
        $crate::settings::range::Limits::between($least as f32, $most as f32)
    };
    (@limits above $least:literal to $most:literal) => {
        $crate::settings::range::Limits::above($least as f32, $most as f32)
    };
    (@limits above 0) => { $crate::settings::range::Limits::POSITIVE };
    (@limits at least 0) => { $crate::settings::range::Limits::NOT_NEGATIVE };
    (@limits within $most:literal) => { $crate::settings::range::Limits::within($most as f32) };
    (@limits finite) => { $crate::settings::range::Limits::FINITE };

    // The range in words.
    (@range $least:literal to $most:literal) => { concat!($least, " to ", $most) };
    (@range above $least:literal to $most:literal) => {
        concat!("above ", $least, ", up to ", $most)
    };
    (@range above 0) => { "finite and above 0" };
    (@range at least 0) => { "finite and at least 0" };
    (@range within $most:literal) => { concat!("within ±", $most) };
    (@range finite) => { "finite" };

    // The sentence with unit, range and default.
    (@facts [] $unit:tt $default:tt) => { "" };
    (@facts [group] $unit:tt $default:tt) => { "" };
    (@facts [$($range:tt)+] [$($unit:literal $(keeps $kept:literal)?)?] [$($default:tt)?]) => {
        concat!(
            $("Unit: ", $unit, ". ", $("`Scene::with_particles` keeps it in ", $kept, ". ",)?)?
            "Range: ", $crate::settings::declare::settings!(@range $($range)+), ".",
            $crate::settings::declare::settings!(@default_words $($default)?)
        )
    };
    (@default_words) => { "" };
    (@default_words { $($value:tt)* }) => { "" };
    (@default_words $number:literal) => { concat!(" Default: ", $number, ".") };
}

pub(crate) use settings;

// Rows from the fields of a declaration, computed at compile time.

/// A field as input of the rows.
pub(crate) enum Field {
    /// A number; its path is the field's name.
    Number(SettingRange),
    /// A field with rows of its own.
    Group(&'static str, &'static [SettingRange]),
}

/// Length of all paths that begin with the name of a group.
pub(crate) const fn paths_length(fields: &[Field]) -> usize {
    let (mut length, mut field) = (0, 0);
    while field < fields.len() {
        if let Field::Group(name, rows) = &fields[field] {
            let mut row = 0;
            while row < rows.len() {
                length += joined_length(name, rows[row].path);
                row += 1;
            }
        }
        field += 1;
    }
    length
}

/// All paths that begin with the name of a group, concatenated.
pub(crate) const fn paths<const LENGTH: usize>(fields: &[Field]) -> [u8; LENGTH] {
    let mut text = [b'.'; LENGTH];
    let (mut end, mut field) = (0, 0);
    while field < fields.len() {
        if let Field::Group(name, rows) = &fields[field] {
            let mut row = 0;
            while row < rows.len() {
                let path = rows[row].path;
                copy(&mut text, end, name);
                end += joined_length(name, path);
                copy(&mut text, end - path.len(), path);
                row += 1;
            }
        }
        field += 1;
    }
    text
}

const fn joined_length(name: &str, path: &str) -> usize {
    name.len() + path.len() + if path.is_empty() { 0 } else { 1 }
}

const fn copy(to: &mut [u8], begin: usize, text: &str) {
    let mut index = 0;
    while index < text.len() {
        to[begin + index] = text.as_bytes()[index];
        index += 1;
    }
}

/// Number of rows of these fields.
pub(crate) const fn count(fields: &[Field]) -> usize {
    let (mut count, mut field) = (0, 0);
    while field < fields.len() {
        count += match &fields[field] {
            Field::Number(_) => 1,
            Field::Group(_, rows) => rows.len(),
        };
        field += 1;
    }
    count
}

/// The rows of these fields. `paths` are the texts of [`paths`].
pub(crate) const fn rows<const COUNT: usize>(
    subject: &'static str,
    fields: &[Field],
    mut paths: &'static [u8],
) -> [SettingRange; COUNT] {
    let mut all = [SettingRange::ANY; COUNT];
    let (mut count, mut field) = (0, 0);
    while field < fields.len() {
        match &fields[field] {
            Field::Number(row) => {
                all[count] = SettingRange { subject, ..*row };
                count += 1;
            }
            Field::Group(name, rows) => {
                let mut row = 0;
                while row < rows.len() {
                    let (path, rest) = paths.split_at(joined_length(name, rows[row].path));
                    all[count] = SettingRange { subject, path: text(path), ..rows[row] };
                    paths = rest;
                    count += 1;
                    row += 1;
                }
            }
        }
        field += 1;
    }
    all
}

pub(crate) const fn text(bytes: &'static [u8]) -> &'static str {
    match str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => panic!("a text was cut within a letter"),
    }
}

/// Length of the [`meaning`].
pub(crate) const fn meaning_length(documentation: &str) -> usize {
    let bytes = documentation.as_bytes();
    let (mut length, mut index) = (0, 0);
    while !ends(bytes, index) {
        if bytes[index] != b'\n' && index > 0 {
            length += 1;
        }
        index += 1;
    }
    assert!(bytes[index - 1] == b'.', "the first paragraph of a setting ends with a full stop");
    length - 1
}

/// The first paragraph of a documentation, in one line and without its full stop. Lines of the
/// documentation begin with a space and end with a line break.
pub(crate) const fn meaning<const LENGTH: usize>(documentation: &str) -> [u8; LENGTH] {
    let bytes = documentation.as_bytes();
    let mut text = [0; LENGTH];
    let (mut length, mut index) = (0, 1);
    while length < LENGTH {
        if bytes[index] != b'\n' {
            text[length] = bytes[index];
            length += 1;
        }
        index += 1;
    }
    text
}

/// Whether a paragraph ends at this index.
const fn ends(bytes: &[u8], index: usize) -> bool {
    let after = index + 1;
    bytes[index] == b'\n' && (after == bytes.len() || bytes[after] == b'\n')
}
