//! The coupling with physics engines.

#[path = "../support/app.rs"]
mod app;
#[path = "../support/warnings.rs"]
mod warnings;

mod any_engine;
#[cfg(feature = "avian2d")]
mod avian;
#[cfg(any(feature = "avian2d", feature = "rapier2d"))]
mod coupling;
#[cfg(feature = "rapier2d")]
mod rapier;
