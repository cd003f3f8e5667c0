//! Chunks: the liquid of a region, taken out of a world and put back, for worlds that are loaded bit by bit.

mod put;
mod surroundings;
mod take;
pub(crate) mod taken;
