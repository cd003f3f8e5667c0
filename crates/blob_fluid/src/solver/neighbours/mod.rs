//! Neighbour search: the grid, the sort, and the pairs of neighbours.

pub(crate) mod blocks;
mod buckets;
pub(crate) mod class_lanes;
pub(crate) mod class_presence;
mod frame;
pub(crate) mod grid;
pub(crate) mod hash;
pub(crate) mod pair_lanes;
pub(crate) mod pairs;
pub(crate) mod refresh;
pub(crate) mod separation;
#[cfg(test)]
mod tests;
