//! The uniform grid of the neighbour search: particles are sorted into its cells.

use std::collections::BTreeMap;
use std::ops::Range;

use blob_fluid::FluidBounds;
use glam::{UVec2, Vec2};

use crate::error::GpuError;

/// Cells per interaction radius, across and up. Narrow cells give 56 candidates for 36 neighbours,
/// and need no more spans than wide ones.
const PER_RADIUS: Vec2 = Vec2::new(4.0, 2.0);

/// Largest number of particles of a cell that touch others, for a cell of the usual size. Such a
/// cell holds 0.9 particles at rest.
const MOST_IN_CELL: f32 = 128.0;

/// Largest number of cells, of 8 bytes each. A larger box gets wider cells.
const MOST_CELLS: f32 = 4_194_304.0;

/// A grid over the domain of a liquid. It depends on nothing else, because another grid changes the
/// order of sums.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Grid {
    pub low: Vec2,
    pub high: Vec2,
    pub per_cell: Vec2,
    pub size: UVec2,
}

impl Grid {
    /// The grid over a box. The outermost cells also hold particles beyond the box.
    pub(crate) fn over(bounds: FluidBounds, radius: f32) -> Self {
        let FluidBounds { low, high } = bounds;
        let mut per_cell = PER_RADIUS / radius;
        let cells = |per_cell: Vec2| ((high - low) * per_cell).ceil().max(Vec2::ONE);
        while cells(per_cell).element_product() > MOST_CELLS {
            per_cell *= 0.5;
        }
        Self { low, high, per_cell, size: cells(per_cell).as_uvec2() }
    }

    /// Whether its cells are not wider than usual.
    pub(crate) fn is_fine(&self, radius: f32) -> bool {
        self.per_cell == PER_RADIUS / radius
    }

    /// Largest number of particles of a cell that touch others. In a clump the remaining ones wait
    /// until these have left, so that the cost does not grow with the square of its size.
    pub(crate) fn most_in_cell(&self, radius: f32) -> u32 {
        let cells = (self.per_cell * radius).element_product() / PER_RADIUS.element_product();
        (MOST_IN_CELL / cells).ceil() as u32
    }

    /// Number of tiles for sleep, across and up. Each tile is 4 by 2 cells.
    pub(crate) fn tiles(&self) -> UVec2 {
        (self.size + UVec2::new(3, 1)) / UVec2::new(4, 2)
    }

    /// Number of cells.
    pub(crate) fn cells(&self) -> u32 {
        self.size.element_product()
    }
}

// The ids of a liquid on a graphics card.

/// The used ids, as ranges. Ids are never reused.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ids {
    /// The end of each range, by its start. No two ranges touch.
    ranges: BTreeMap<u32, u32>,
}

impl Ids {
    /// Whether an id is used.
    pub(crate) fn contains(&self, id: u32) -> bool {
        self.ranges.range(..=id).next_back().is_some_and(|(_, end)| id < *end)
    }

    /// One more than the highest used id.
    pub(crate) fn end(&self) -> u32 {
        self.ranges.last_key_value().map_or(0, |(_, end)| *end)
    }

    /// `count` consecutive ids above all used ones; `None` if not enough ids are left.
    pub(crate) fn next(&self, count: u32) -> Option<Range<u32>> {
        let start = self.end();
        Some(start..start.checked_add(count)?)
    }

    /// Marks unused ids as used. `u32::MAX` must not be one of them.
    pub(crate) fn add(&mut self, ids: Range<u32>) {
        if ids.is_empty() {
            return;
        }
        let Range { mut start, mut end } = ids;
        if let Some((before, before_end)) = self.ranges.range(..start).next_back()
            && *before_end == start
        {
            start = *before;
        }
        if let Some(after_end) = self.ranges.remove(&end) {
            end = after_end;
        }
        self.ranges.insert(start, end);
    }
}

/// Sorts ids into ranges. Returns an error for the first id that is invalid, occurs twice or is used.
pub(crate) fn free_ranges(
    taken: &Ids,
    ids: impl Iterator<Item = u32>,
) -> Result<Vec<Range<u32>>, GpuError> {
    let mut sorted: Vec<u32> = ids.collect();
    sorted.sort_unstable();
    let mut ranges: Vec<Range<u32>> = Vec::new();
    for id in sorted {
        if id == u32::MAX {
            return Err(GpuError::InvalidId(id));
        }
        if taken.contains(id) {
            return Err(GpuError::IdInUse(id));
        }
        match ranges.last_mut() {
            Some(last) if last.end > id => return Err(GpuError::IdInUse(id)),
            Some(last) if last.end == id => last.end += 1,
            _ => ranges.push(id..id + 1),
        }
    }
    Ok(ranges)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_join_and_no_id_is_taken_twice() {
        let mut ids = Ids::default();
        for id in [7, 5, 6, 0, 1] {
            assert!(!ids.contains(id));
            ids.add(id..id + 1);
        }
        assert_eq!(ids.ranges, BTreeMap::from([(0, 2), (5, 8)]));
        assert_eq!(ids.next(3), Some(8..11));
        assert_eq!(ids.next(u32::MAX), None);
        let free = |new: &[u32]| free_ranges(&ids, new.iter().copied());
        assert_eq!(free(&[3, 20, 4, 21]).expect("free"), [3..5, 20..22]);
        assert!(matches!(free(&[3, 20, 3]), Err(GpuError::IdInUse(3))));
        assert!(matches!(free(&[7]), Err(GpuError::IdInUse(7))));
        let last = u32::MAX - 1;
        assert_eq!(free(&[last]).expect("free").first(), Some(&(last..u32::MAX)));
        assert!(matches!(free(&[u32::MAX]), Err(GpuError::InvalidId(u32::MAX))));
        assert_eq!(ids.next(0), Some(8..8));
    }
}
