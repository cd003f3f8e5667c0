//! Sleeping: chooses the particles that take part in a tick.

pub(crate) mod tiles;
pub(crate) mod wake;
