//! Baked liquid: what was simulated once, to be shown without simulating it again.

pub(crate) mod baker;
mod frame;
pub(crate) mod player;
