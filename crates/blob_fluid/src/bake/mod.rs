//! Baked liquid: what was simulated once, to be shown without simulating it again.

pub(crate) mod baked;
pub(crate) mod baker;
mod frame;
mod moment;
mod packing;
pub(crate) mod player;
pub(crate) mod settings;
pub(crate) mod shown;
