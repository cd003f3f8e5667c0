//! Air as entities, and what fills it.

mod air_source;
mod rectangle;

pub use air_source::FluidAirSource;
pub(crate) use air_source::give_sources;
#[cfg(feature = "render")]
pub(crate) use rectangle::FluidAirState;
pub use rectangle::{FluidAir, FluidAirReport};
pub(crate) use rectangle::{read_reports, sync_airs};
