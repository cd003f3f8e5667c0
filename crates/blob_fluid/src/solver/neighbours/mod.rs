//! Neighbour search: the grid, the sort, and the pairs of neighbours.

pub(crate) mod blocks;
pub(crate) mod grid;
pub(crate) mod hash;
#[cfg(test)]
mod tests;
