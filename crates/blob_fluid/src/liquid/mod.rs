//! The state of a liquid and the methods that change it. The solvers that step it are in `solver/`.

pub(crate) mod blast;
pub(crate) mod clock;
pub(crate) mod force;
pub(crate) mod saved;
pub(crate) mod settings;
mod solids;
pub(crate) mod spawn;
pub(crate) mod state;
