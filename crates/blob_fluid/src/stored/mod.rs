//! How state becomes bytes and comes back.
//!
//! Each type of the state says so in its own file, with [`stored!`](stored) right below it. The macro
//! takes the type apart field by field: a field that is added to the type and not to the list does not
//! compile. What can be derived from the rest is named as such, with how it is derived.
//!
//! Settings, which serde knows, are written by [postcard](https://postcard.jamesmunns.com/wire-format): its
//! format is specified, and it never trusts a length. It visits numbers one by one, so the long arrays
//! of particles and cells are copied as a whole, by bytemuck. All numbers are little-endian, and none
//! has the size of a pointer.

#[cfg(feature = "snapshot")]
pub(crate) mod bytes;
#[cfg(feature = "snapshot")]
pub(crate) mod kinds;

/// Says how a type is stored: all its fields in this order. Fractional numbers do not compile without
/// [`Limits`](crate::settings::range::Limits) after `in`. Fields after `derived` are not stored, and are set to the
/// expressions. After `check` comes a function that refuses bad values with an error.
///
/// Settings are checked after they are read. Those `without numbers` have none that has a range, and others are
/// `checked by` the type that holds them.
macro_rules! stored {
    (settings $name:ty, without numbers) => {
        $crate::stored::stored!(settings $name, check |_| Ok::<(), std::convert::Infallible>(()));
    };
    (settings $name:ty, checked by $holder:ident) => {
        $crate::stored::stored!(settings $name, check |_| Ok::<(), std::convert::Infallible>(()));
    };
    // With serde, and then checked.
    (settings $name:ty, check $check:expr) => {
        #[cfg(feature = "snapshot")]
        impl $crate::stored::bytes::Stored for $name {
            fn store(&self, to: &mut $crate::stored::bytes::Writer) {
                to.settings(self);
            }

            fn load(
                from: &mut $crate::stored::bytes::Reader<'_>,
            ) -> Result<Self, $crate::stored::bytes::SnapshotError> {
                let value: Self = from.settings()?;
                let check: fn(&Self) -> Result<(), _> = $check;
                $crate::stored::bytes::sound(check(&value))?;
                Ok(value)
            }
        }
    };
    // A type with one unnamed field.
    ($name:ident { 0: $field:ident }) => {
        #[cfg(feature = "snapshot")]
        impl $crate::stored::bytes::Stored for $name {
            fn store(&self, to: &mut $crate::stored::bytes::Writer) {
                let Self($field) = self;
                $crate::stored::bytes::Stored::store($field, to);
            }

            fn load(
                from: &mut $crate::stored::bytes::Reader<'_>,
            ) -> Result<Self, $crate::stored::bytes::SnapshotError> {
                $crate::stored::bytes::Stored::load(from).map(Self)
            }
        }
    };
    (
        $name:ty { $($field:ident $(in $limits:expr)?),* $(,)? }
        $(derived { $($derived:ident = $value:expr),* $(,)? })?
        $(check $check:expr)?
    ) => {
        #[cfg(feature = "snapshot")]
        impl $crate::stored::bytes::Stored for $name {
            fn store(&self, to: &mut $crate::stored::bytes::Writer) {
                let Self { $($field,)* $($($derived: _,)*)? } = self;
                $($crate::stored::store_field!($field, to $(, $limits)?);)*
                let _ = to;
            }

            fn load(
                from: &mut $crate::stored::bytes::Reader<'_>,
            ) -> Result<Self, $crate::stored::bytes::SnapshotError> {
                #[allow(unused_imports, reason = "limits are often named")]
                use $crate::settings::range::Limits;
                $(let $field = $crate::stored::load_field!(from $(, $limits)?);)*
                let _ = &from;
                $($(let $derived = $value;)*)?
                let value = Self { $($field,)* $($($derived,)*)? };
                $($crate::stored::bytes::sound($check(&value))?;)?
                Ok(value)
            }
        }
    };
}
pub(crate) use stored;

/// Writes a field of a stored type, with or without limits.
#[cfg(feature = "snapshot")]
macro_rules! store_field {
    ($field:ident, $to:ident) => {
        $crate::stored::bytes::Stored::store($field, $to)
    };
    ($field:ident, $to:ident, $limits:expr) => {
        $crate::stored::kinds::Numbers::store_numbers($field, $to)
    };
}
#[cfg(feature = "snapshot")]
pub(crate) use store_field;

/// Reads a field of a stored type, with or without limits.
#[cfg(feature = "snapshot")]
macro_rules! load_field {
    ($from:ident) => {
        $crate::stored::bytes::Stored::load($from)?
    };
    ($from:ident, $limits:expr) => {
        $crate::stored::kinds::Numbers::load_within($limits, $from)?
    };
}
#[cfg(feature = "snapshot")]
pub(crate) use load_field;
