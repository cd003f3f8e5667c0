//! Snapshots: the complete state of a world as bytes, in one format for every platform.

pub(crate) mod file;
pub(crate) mod hash;
pub(crate) mod world;
