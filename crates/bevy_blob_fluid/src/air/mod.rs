//! Air as entities, what fills it, and what its last step did.

mod air_source;
mod rectangle;
mod report;
mod state;

pub use air_source::FluidAirSource;
pub use rectangle::FluidAir;
pub use report::FluidAirReport;
pub use state::FluidAirState;

crate::concern::concern! {
    /// Air, and its sources.
    FluidAirPlugin: air_source, rectangle, report
}
