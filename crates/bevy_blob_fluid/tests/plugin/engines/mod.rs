//! The coupling with physics engines.

mod any_engine;
#[cfg(feature = "avian2d")]
mod avian;
#[cfg(any(feature = "avian2d", feature = "rapier2d"))]
mod coupling;
#[cfg(feature = "avian2d")]
mod distillery;
#[cfg(feature = "rapier2d")]
mod rapier;
