//! Conversion of the state to bytes and back.
//!
//! Each type of the state declares its format in its own file, with [`stored!`](stored) right below
//! the type. The macro destructures the type: a new field that is missing in the list does not
//! compile. Derived fields are declared as such, with their derivation.
//!
//! Settings implement serde and are written by
//! [postcard](https://postcard.jamesmunns.com/wire-format). Postcard's format is specified, and its
//! reader does not trust lengths. Postcard visits numbers one by one, so bytemuck copies the long
//! arrays of particles and cells in one piece. All numbers are little-endian, and no number has the
//! size of a pointer.

#[cfg(feature = "snapshot")]
pub(crate) mod bytes;

/// Declares the format of a type: all its fields in this order. Fractional numbers do not compile
/// without [`Limits`](crate::settings::range::Limits) after `in`. Fields after `derived` are not
/// stored, and are set to the expressions. The function after `check` refuses invalid values with
/// an error.
///
/// An enum has a number for each variant. `as` gives the name of a value in errors.
///
/// Settings are checked after reading. Settings `without numbers` contain no number with a range.
/// Settings `checked by` a type are checked by the type that contains them.
macro_rules! stored {
    (settings $name:ty, without numbers) => {
        $crate::stored::stored!(settings $name, check |_| Ok::<(), std::convert::Infallible>(()));
    };
    (settings $name:ty, checked by $holder:ident) => {
        $crate::stored::stored!(settings $name, check |_| Ok::<(), std::convert::Infallible>(()));
    };
    // Settings are read by serde, and then checked.
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
    // An enum: a number for each variant, which has named values, one unnamed value, or none.
    (enum $name:ident as $noun:literal { $(
        $number:literal: $variant:ident $({ $($field:ident $(in $limits:expr)?),* })? $(($value:ident))?
    ),* $(,)? } $(check $check:expr)?) => {
        #[cfg(feature = "snapshot")]
        impl $crate::stored::bytes::Stored for $name {
            fn store(&self, to: &mut $crate::stored::bytes::Writer) {
                match self {$(
                    Self::$variant $({ $($field),* })? $(($value))? => {
                        $crate::stored::bytes::Stored::store(&($number as u8), to);
                        $($($crate::stored::store_field!($field, to $(, $limits)?);)*)?
                        $($crate::stored::store_field!($value, to);)?
                    }
                )*}
            }

            fn load(
                from: &mut $crate::stored::bytes::Reader<'_>,
            ) -> Result<Self, $crate::stored::bytes::SnapshotError> {
                #[allow(unused_imports, reason = "limits are often named")]
                use $crate::settings::range::Limits;
                let number: u8 = $crate::stored::load_field!(from);
                let value = match number {
                    $($number => {
                        $($(let $field = $crate::stored::load_field!(from $(, $limits)?);)*)?
                        $(let $value = $crate::stored::load_field!(from);)?
                        Self::$variant $({ $($field),* })? $(($value))?
                    })*
                    _ => {
                        let message = format!(concat!("no ", $noun, " is {}"), number);
                        return Err($crate::stored::bytes::SnapshotError::invalid(message));
                    }
                };
                $($crate::stored::bytes::sound($check(&value))?;)?
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
        $name:ty $(where $parameter:ident: $bound:path)? { $($field:ident $(in $limits:expr)?),* $(,)? }
        $(derived { $($derived:ident = $value:expr),* $(,)? })?
        $(check $check:expr)?
    ) => {
        #[cfg(feature = "snapshot")]
        impl $(<$parameter: $bound + $crate::stored::bytes::Stored>)?
            $crate::stored::bytes::Stored for $name
        {
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
        $crate::stored::bytes::Numbers::store_numbers($field, $to)
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
        $crate::stored::bytes::Numbers::load_within($limits, $from)?
    };
}
#[cfg(feature = "snapshot")]
pub(crate) use load_field;
