//! Recordings: a world, and everything that changed it from outside, tick by tick; and their replay.

mod change;
pub(crate) mod difference;
pub(crate) mod recorder;
pub(crate) mod recording;
pub(crate) mod replay;
mod sketch;
mod tick;
