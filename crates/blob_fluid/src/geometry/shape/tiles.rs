//! Solid tiles of a grid, merged into few rectangles.

use glam::UVec2;

/// A rectangle of whole tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TileBlock {
    /// Its lowest column and row.
    pub low: UVec2,
    /// The column and the row after its last ones.
    pub high: UVec2,
}

impl TileBlock {
    /// Number of its columns and rows.
    pub fn size(self) -> UVec2 {
        self.high - self.low
    }
}

/// Covers the solid tiles of a grid by rectangles that do not overlap, and no other tile.
///
/// There are far fewer of them than tiles, though not always as few as possible: from the lowest row
/// on, from left to right, each is made as wide as it can be and then as high. Colliders of them have
/// no gaps, and their common faces are no walls; unlike one concave polygon they push liquid in a
/// corner from both sides.
///
/// ```
/// use blob_fluid::shape::merge_tiles;
/// use glam::UVec2;
/// let level = ["#......#", "#..##..#", "########"];
/// let solid = |tile: UVec2| level[2 - tile.y as usize].as_bytes()[tile.x as usize] == b'#';
/// let blocks = merge_tiles(UVec2::new(8, 3), solid);
/// let sizes: Vec<[u32; 2]> = blocks.iter().map(|block| block.size().to_array()).collect();
/// assert_eq!(sizes, [[8, 1], [1, 2], [2, 1], [1, 2]]);
/// ```
pub fn merge_tiles(size: UVec2, solid: impl Fn(UVec2) -> bool) -> Vec<TileBlock> {
    let (columns, rows) = (size.x as usize, size.y as usize);
    let index = |column: u32, row: u32| row as usize * columns + column as usize;
    let mut left = vec![false; columns * rows];
    for row in 0..size.y {
        for column in 0..size.x {
            left[index(column, row)] = solid(UVec2::new(column, row));
        }
    }
    let mut blocks = Vec::new();
    for row in 0..size.y {
        for column in 0..size.x {
            if !left[index(column, row)] {
                continue;
            }
            let end = (column..size.x).find(|x| !left[index(*x, row)]).unwrap_or(size.x);
            let whole = |y: &u32| (column..end).all(|x| left[index(x, *y)]);
            let top = (row..size.y).find(|y| !whole(y)).unwrap_or(size.y);
            for y in row..top {
                left[index(column, y)..index(column, y) + (end - column) as usize].fill(false);
            }
            blocks.push(TileBlock { low: UVec2::new(column, row), high: UVec2::new(end, top) });
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_solid_tile_is_in_one_block_and_no_other_is() {
        let size = UVec2::new(37, 23);
        for (seed, most) in [(1_u32, 3), (7, 2), (12, 5)] {
            let solid = |tile: UVec2| {
                let mixed = (tile.x * 31 + tile.y * 57 + seed).wrapping_mul(2_654_435_769);
                !(mixed >> 24).is_multiple_of(most)
            };
            let mut covered = vec![0; (size.x * size.y) as usize];
            for TileBlock { low, high } in merge_tiles(size, solid) {
                for y in low.y..high.y {
                    for x in low.x..high.x {
                        covered[(y * size.x + x) as usize] += 1;
                    }
                }
            }
            for y in 0..size.y {
                for x in 0..size.x {
                    let expected = i32::from(solid(UVec2::new(x, y)));
                    assert_eq!(covered[(y * size.x + x) as usize], expected, "{x} {y}");
                }
            }
        }
    }

    #[test]
    fn grids_without_solid_tiles_have_no_blocks() {
        assert_eq!(merge_tiles(UVec2::ZERO, |_| true), []);
        assert_eq!(merge_tiles(UVec2::new(0, 4), |_| true), []);
        assert_eq!(merge_tiles(UVec2::new(3, 4), |_| false), []);
        let all = TileBlock { low: UVec2::ZERO, high: UVec2::new(3, 4) };
        assert_eq!(merge_tiles(UVec2::new(3, 4), |_| true), [all]);
    }
}
