//! The state of a liquid and the methods that change it. Solvers, which step a liquid, are
//! elsewhere.

mod classes;
pub(crate) mod clock;
pub(crate) mod easing;
pub(crate) mod force;
mod forces;
mod groups;
mod host_bodies;
mod paint;
pub(crate) mod population;
pub(crate) mod quarantined;
mod relocate;
pub(crate) mod saved;
mod settings;
pub(crate) mod sleep;
mod solids;
mod spawn;
pub(crate) mod state;
pub(crate) mod velocities;
