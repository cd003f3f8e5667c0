//! Recordings and their replay. A recording holds a world and its changes from outside, tick by
//! tick.

pub(crate) mod difference;
pub(crate) mod recorder;
pub(crate) mod replay;
