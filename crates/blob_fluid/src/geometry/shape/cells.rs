//! Outlines of the cells of a grid.

use std::collections::{BTreeMap, BTreeSet};

use glam::{IVec2, Vec2};

use super::polygon::Polygon;
use crate::settings::range::{Check, OutOfRange};

/// Largest coordinate of a cell.
const FARTHEST: i32 = 1 << 24;

impl Polygon {
    /// Creates the shape of some cells of a grid, such as the solid tiles of a level: the cell
    /// `(x, y)` reaches from `(x, y)` to `(x + 1, y + 1)`, times the `size` of a cell in world units.
    /// Neighbours are merged, so that only the outer edges and the edges of holes remain, each as one
    /// straight line. Cells that occur more than once count once.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] for no cells, for coordinates beyond ±2²⁴, and for a size that is not
    /// above 0 and finite.
    ///
    /// ```
    /// use blob_fluid::shape::{Polygon, Shape};
    /// use glam::{IVec2, Vec2};
    /// // A frame of eight tiles around a hole.
    /// let all = (0..9).map(|index| IVec2::new(index % 3, index / 3));
    /// let frame = Polygon::from_cells(all.filter(|cell| *cell != IVec2::ONE), Vec2::splat(16.0))?;
    /// assert_eq!(frame.rings().len(), 2);
    /// assert!(frame.rings().iter().all(|ring| ring.len() == 4));
    /// assert_eq!(Shape::Polygon(frame).area(), 8.0 * 16.0 * 16.0);
    /// # Ok::<(), blob_fluid::OutOfRange>(())
    /// ```
    pub fn from_cells(
        cells: impl IntoIterator<Item = IVec2>,
        size: Vec2,
    ) -> Result<Self, OutOfRange> {
        let check = Check("cells");
        check.size("size", size.x)?;
        check.size("size", size.y)?;
        let cells: BTreeSet<[i32; 2]> = cells.into_iter().map(|cell| cell.to_array()).collect();
        for coordinate in cells.iter().flatten() {
            let valid = (-FARTHEST..=FARTHEST).contains(coordinate);
            check.that(valid, "coordinates", *coordinate as f32, "within ±2^24")?;
        }
        let rings = rings(&cells).into_iter();
        let scaled = |corner: IVec2| corner.as_vec2() * size;
        Self::with_holes(rings.map(|ring| ring.into_iter().map(scaled).collect()))
    }
}

/// The rings around a set of cells, with the cells on their left, without corners on straight lines.
fn rings(cells: &BTreeSet<[i32; 2]>) -> Vec<Vec<IVec2>> {
    // For each corner, the directions in which edges leave it.
    let mut edges = BTreeMap::<[i32; 2], Vec<IVec2>>::new();
    for &[x, y] in cells {
        let sides = [
            (IVec2::NEG_Y, IVec2::new(x, y), IVec2::X),
            (IVec2::X, IVec2::new(x + 1, y), IVec2::Y),
            (IVec2::Y, IVec2::new(x + 1, y + 1), IVec2::NEG_X),
            (IVec2::NEG_X, IVec2::new(x, y + 1), IVec2::NEG_Y),
        ];
        for (beyond, start, way) in sides {
            if !cells.contains(&(IVec2::new(x, y) + beyond).to_array()) {
                edges.entry(start.to_array()).or_default().push(way);
            }
        }
    }
    let mut rings = Vec::new();
    while let Some((start, mut ways)) = edges.pop_first() {
        let (start, mut way) = (IVec2::from_array(start), ways.pop().unwrap_or(IVec2::X));
        if !ways.is_empty() {
            edges.insert(start.to_array(), ways);
        }
        let (mut corner, first) = (start, way);
        let mut ring = Vec::new();
        loop {
            corner += way;
            if corner == start {
                break;
            }
            let Some(mut ways) = edges.remove(&corner.to_array()) else { break };
            // Where two cells touch at a corner only, each ring keeps to its own cell.
            let left = ways.iter().position(|next| way.perp_dot(*next) > 0);
            let next = ways.swap_remove(left.unwrap_or(0));
            if !ways.is_empty() {
                edges.insert(corner.to_array(), ways);
            }
            if next != way {
                ring.push(corner);
            }
            way = next;
        }
        if way != first {
            ring.push(start);
        }
        rings.push(ring);
    }
    rings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::shape::{Shape, scatter};

    #[test]
    fn a_polygon_of_cells_contains_what_the_cells_contain() {
        for count in [1, 5, 40, 150] {
            let cells: Vec<IVec2> = (0..count)
                .map(|index| (scatter(index + 1000 * count) * 8.0).floor().as_ivec2())
                .collect();
            let size = Vec2::new(3.0, 2.0);
            let polygon = Polygon::from_cells(cells.iter().copied(), size).expect("valid");
            let shape = Shape::Polygon(polygon);
            for index in 0..2000 {
                let point = scatter(9000 + index) * 30.0;
                let cell = (point / size).floor().as_ivec2();
                assert_eq!(shape.contains(point), cells.contains(&cell), "{count}: {point}");
            }
        }
    }

    #[test]
    fn straight_lines_have_no_corners_between_their_ends() {
        let bar = Polygon::from_cells((0..50).map(|x| IVec2::new(x, 7)), Vec2::ONE).expect("valid");
        assert_eq!(bar.rings().len(), 1);
        assert_eq!(bar.rings()[0].len(), 4);
        let steps = (0..4).flat_map(|y| (0..=y).map(move |x| IVec2::new(x, -y)));
        let steps = Polygon::from_cells(steps, Vec2::ONE).expect("valid");
        assert_eq!(steps.rings().len(), 1);
    }

    #[test]
    fn impossible_grids_are_refused() {
        let none: [IVec2; 0] = [];
        assert_eq!(Polygon::from_cells(none, Vec2::ONE).expect_err("refused").field, "rings");
        let one = [IVec2::ZERO];
        assert_eq!(Polygon::from_cells(one, Vec2::X).expect_err("refused").field, "size");
        let far = [IVec2::new(i32::MAX, 0)];
        assert_eq!(Polygon::from_cells(far, Vec2::ONE).expect_err("refused").field, "coordinates");
    }
}
