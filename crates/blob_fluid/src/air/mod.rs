//! Air, smoke and fire on a grid: an Eulerian solver for incompressible flow in a rectangle.
//!
//! [`Air`] is the state. [`AirPass`] lists the passes of a step in order, with their formulas and sources. The files
//! `forces`, `vapour` and `combustion` hold several passes, `with_liquid` holds drag and the push on liquid, and
//! `bodies` holds the push on bodies. Each other pass has its own file. [`Air::step`] runs the passes that need no
//! world, and [`FluidWorld`](crate::FluidWorld) runs all of them.
//!
//! `solids/` computes the open share of every face. The grid is staggered (MAC grid,
//! Harlow and Welch 1965): velocities are on cell faces, pressures and channels at cell centres.
//!
//! # Units
//!
//! Lengths are in world units, times in seconds, and pressures in mass/area times square world
//! units/s².
//!
//! # Limits of the model
//!
//! The air is incompressible: there are no sound waves and no blasts. The grid resolves eddies and gaps
//! down to about two cells. A moving wall thinner than a cell does not push smoke. Vapour has no
//! weight. Condensation releases no latent heat, and the momentum of boiling particles is lost.
//! Sources, settings and sides can be serialised, and so can the [state](SavedAir).

mod advection;
mod bodies;
mod combustion;
mod forces;
pub(crate) mod grid;
pub(crate) mod projection;
mod query;
mod saved;
mod settings;
mod solids;
mod sources;
mod state;
pub(crate) mod step;
#[cfg(feature = "snapshot")]
mod stored;
mod vapour;
mod walls;
mod with_liquid;

pub use grid::{AirError, AirSide, AirSides, AirSlip, MAX_CELLS};
pub use query::ThinWall;
pub use saved::{SavedAir, SavedAirChannel};
pub use settings::{
    AirAdvection, AirChannel, AirEmbers, AirFire, AirProjection, AirSettings, AirSource,
    AirSourceId, Wind,
};
pub use state::{Air, AirReport, SavedAirLiquid};
pub use step::{AirId, AirPass, AirWorkspace};
