//! Neighbour search: the grid, the sort, and the pairs of neighbours.

pub(crate) mod blocks;
pub(crate) mod grid;
#[cfg(test)]
mod tests;
