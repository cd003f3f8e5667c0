//! Snapshots: everything that decides the future, as bytes of one format on every platform.

pub(crate) mod file;
pub(crate) mod hash;
pub(crate) mod world;
