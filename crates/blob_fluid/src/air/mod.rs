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
mod channel;
mod combustion;
mod condensation;
mod confinement;
mod cooling;
mod coupling;
mod embers;
mod error;
mod evaporation;
mod exposure;
mod forces;
pub(crate) mod grid;
mod heat_exchange;
mod pass;
mod projection;
mod query;
mod report;
mod rest;
mod saved;
mod settings;
mod sides;
mod solids;
mod source;
mod sources;
mod state;
mod step;
#[cfg(feature = "snapshot")]
mod stored;
mod viscosity;
mod walls;
mod wet_fuel;
mod with_liquid;

pub use airs::AirId;
pub use channel::AirChannel;
pub use error::AirError;
pub use grid::MAX_CELLS;
pub use pass::AirPass;
pub use report::AirReport;
pub use saved::{SavedAir, SavedAirChannel, SavedAirLiquid};
pub use settings::{AirAdvection, AirFire, AirProjection, AirSettings};
pub use sides::{AirSide, AirSides, AirSlip};
pub use source::{AirEmbers, AirSource, AirSourceId, Wind};
pub use state::Air;
pub use step::AirWorkspace;
