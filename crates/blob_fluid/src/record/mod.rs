//! Recordings: a world, and everything that changed it from outside, tick by tick; and their replay.

pub(crate) mod difference;
pub(crate) mod recorder;
pub(crate) mod replay;
