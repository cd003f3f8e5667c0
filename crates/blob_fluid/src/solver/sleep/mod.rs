//! Sleeping: it decides which particles take part in a tick.

pub(crate) mod tiles;
pub(crate) mod wake;
