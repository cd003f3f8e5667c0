//! What a liquid is, apart from how it is stepped.

mod classes;
pub(crate) mod clock;
pub(crate) mod force;
mod forces;
mod groups;
pub(crate) mod population;
mod settings;
pub(crate) mod sleep;
mod solids;
mod spawn;
pub(crate) mod state;
pub(crate) mod velocities;
