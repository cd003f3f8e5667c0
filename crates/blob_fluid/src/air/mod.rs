//! Air, smoke and fire on a grid: an Eulerian solver for incompressible flow in a rectangle.

mod advection;
pub(crate) mod airs;
mod channel;
mod combustion;
mod confinement;
mod cooling;
mod coupling;
mod error;
mod forces;
mod grid;
mod projection;
mod query;
pub mod ranges;
mod report;
mod settings;
mod sides;
mod solids;
mod source;
mod sources;
mod state;
mod step;
mod viscosity;
mod walls;
mod with_liquid;

pub use airs::AirId;
pub use channel::Channel;
pub use error::AirError;
pub use grid::MAX_CELLS;
pub use report::AirReport;
pub use settings::{Advection, AirSettings, Fire, Projection};
pub use sides::{Side, Sides, Slip};
pub use source::{AirSource, Wind};
pub use state::Air;
pub use step::AirWorkspace;
