//! Air, smoke and fire on a grid: an Eulerian solver for incompressible flow in a rectangle.
//!
//! [`Air`] is the state, and [`Air::step`] runs the passes in order, each of which has a file of its
//! name:
//!
//! | pass | formula | source |
//! |---|---|---|
//! | `advection/` | `f(x) = f(x - way)`, MacCormack, amounts kept | Selle et al. 2008; Bermejo and Conde 2002 |
//! | `sources` | `f += rate dt` | |
//! | `combustion` | fuel becomes heat, soot and volume | |
//! | `cooling` | `f /= 1 + rate dt` | |
//! | `forces` | `u += dt g (weight smoke - buoyancy heat)` | Boussinesq; Fedkiw et al. 2001 |
//! | `confinement` | `u += dt strength h (N x vorticity)` | Fedkiw et al. 2001 |
//! | `viscosity` | `u += dt viscosity laplacian(u)` | Meyer et al. 2014 |
//! | `projection/` | `u -= dt/density grad p`, so that `div u` is 0 | Batty et al. 2007; McAdams et al. 2010 |
//! | `walls` | velocities on sides and solids | Houston et al. 2003 |
//!
//! With liquid, [`FluidWorld`](crate::FluidWorld) runs these around the step:
//!
//! | pass | formula |
//! |---|---|
//! | `heat_exchange` | `T += dt k (T_air - T)` and the same heat from the air, implicit |
//! | `evaporation` | hot particles become vapour, smoke, fuel, heat and volume |
//! | `with_liquid` | drag and pressure exchange momentum |
//! | `condensation` | vapour in the cold becomes particles |
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
//! Sources, settings and sides can be serialised, the state cannot.

mod advection;
pub(crate) mod airs;
mod channel;
mod combustion;
mod condensation;
mod confinement;
mod cooling;
mod coupling;
mod error;
mod evaporation;
mod exposure;
mod forces;
mod grid;
mod heat_exchange;
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
pub use source::{AirSource, AirSourceId, Wind};
pub use state::Air;
pub use step::AirWorkspace;
