//! Air, smoke and fire on a grid: an Eulerian solver for incompressible flow in a rectangle.
//!
//! [`Air`] is the state. [`AirPass`] lists the passes of a step in order, with their formulas and
//! sources. Each has a file here; drag and push on the liquid share `with_liquid`. [`Air::step`] runs
//! those that need nothing of a world, and [`FluidWorld`](crate::FluidWorld) runs them all.
//!
//! `solids/` finds which share of every face is open. Velocities lie on the faces of cells, and
//! everything else in their centres (Harlow and Welch 1965).
//!
//! # Units
//!
//! World units and seconds, as everywhere. Pressures are in mass/area times square world units/s².
//!
//! # What is not modelled
//!
//! The air is incompressible: there are no sound waves and no blasts. The grid resolves eddies and
//! gaps down to about two cells. Smoke that a wall thinner than a cell sweeps over stays where it is.
//! Vapour weighs nothing. Condensing gives no latent heat back, and the momentum of what boils is lost.
//! Sources, settings and sides can be serialised, and so can the [state](SavedAir).

mod advection;
pub(crate) mod airs;
mod combustion;
mod forces;
pub(crate) mod grid;
pub(crate) mod projection;
mod query;
mod saved;
mod settings;
mod solids;
mod source;
mod sources;
mod state;
mod step;
#[cfg(feature = "snapshot")]
mod stored;
mod vapour;
mod walls;
mod with_liquid;

pub use airs::AirId;
pub use grid::{AirError, AirSide, AirSides, AirSlip, MAX_CELLS};
pub use saved::{SavedAir, SavedAirChannel, SavedAirLiquid};
pub use settings::{AirAdvection, AirChannel, AirFire, AirProjection, AirSettings};
pub use source::{AirEmbers, AirSource, AirSourceId, Wind};
pub use state::{Air, AirReport};
pub use step::{AirPass, AirWorkspace};
