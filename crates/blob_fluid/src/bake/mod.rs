//! Films: baked liquid, which is simulated once and then shown without a simulation.

pub(crate) mod baker;
mod frame;
pub(crate) mod player;
