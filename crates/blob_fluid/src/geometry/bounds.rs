//! Axis-aligned boxes. One test of the box around a group of particles shows that nothing is near
//! any of them.

use std::ops::Range;

use glam::Vec2;

use crate::parallel::instructions::{self, Instructions, LaneKernel, fast_max, fast_min};
use crate::stored::stored;
use crate::work;

/// An axis-aligned box.
///
/// ```
/// use blob_fluid::FluidBounds;
/// use glam::Vec2;
/// let level = FluidBounds { low: Vec2::new(-400.0, -300.0), high: Vec2::new(400.0, 300.0) };
/// assert!(level.contains(Vec2::new(400.0, 0.0)) && !level.contains(Vec2::new(0.0, -301.0)));
/// assert_eq!(level.half_size(), Vec2::new(400.0, 300.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct FluidBounds {
    /// The lower left corner, in world units.
    pub low: Vec2,
    /// The upper right corner, in world units.
    pub high: Vec2,
}

stored!(FluidBounds { low in Limits::NOT_NAN, high in Limits::NOT_NAN });

impl FluidBounds {
    /// The empty box: it contains no point.
    pub const NONE: Self = Self { low: Vec2::INFINITY, high: Vec2::NEG_INFINITY };

    /// The box that contains every point.
    pub const ALL: Self = Self { low: Vec2::NEG_INFINITY, high: Vec2::INFINITY };

    /// The box that contains one point.
    #[inline]
    pub(crate) fn at(point: Vec2) -> Self {
        Self { low: point, high: point }
    }

    /// The smallest box around points. Coordinates that are NaN are ignored.
    pub fn of(points: &[Vec2]) -> Self {
        instructions::run(BoundsOf(points))
    }

    /// The smallest box around two boxes.
    #[must_use]
    #[inline]
    pub fn union(self, other: Self) -> Self {
        Self { low: lowest(self.low, other.low), high: highest(self.high, other.high) }
    }

    /// The intersection of two boxes. If they do not overlap, the result is empty: it contains no point, like
    /// [`NONE`](Self::NONE).
    #[must_use]
    pub fn intersection(self, other: Self) -> Self {
        Self { low: self.low.max(other.low), high: self.high.min(other.high) }
    }

    /// The box enlarged by `margin` world units on every side.
    #[must_use]
    pub fn inflated(self, margin: f32) -> Self {
        Self { low: self.low - margin, high: self.high + margin }
    }

    /// The centre, in world units.
    pub fn centre(self) -> Vec2 {
        0.5 * self.low + 0.5 * self.high
    }

    /// Half of the width and of the height, in world units.
    pub fn half_size(self) -> Vec2 {
        0.5 * self.high - 0.5 * self.low
    }

    /// Whether a point lies inside the box or on its edge.
    #[inline]
    pub fn contains(self, point: Vec2) -> bool {
        self.low.cmple(point).all() && point.cmple(self.high).all()
    }

    /// Whether two boxes share a point.
    #[inline]
    pub fn intersects(self, other: Self) -> bool {
        self.low.cmple(other.high).all() && other.low.cmple(self.high).all()
    }

    /// Square of a point's distance to the box; 0 inside.
    #[inline]
    pub(crate) fn distance_squared(self, point: Vec2) -> f32 {
        (self.low - point).max(point - self.high).max(Vec2::ZERO).length_squared()
    }

    /// Upper bound of the rounding error of its points relative to a centre, in world units.
    pub(crate) fn rounding(self, centre: Vec2) -> f32 {
        let farthest = self.low.abs().max(self.high.abs()).max_element();
        16.0 * f32::EPSILON * (farthest + centre.abs().max_element())
    }
}

struct BoundsOf<'a>(&'a [Vec2]);

/// Number of points that are processed together, so that no operation waits for the previous one.
const SIDE_BY_SIDE: usize = 8;

impl LaneKernel for BoundsOf<'_> {
    type Output = FluidBounds;

    #[inline(always)]
    fn run<S: Instructions>(self, _: S) -> FluidBounds {
        let Self(points) = self;
        // The lanes hold `x` and `y` in turn, in the order of the memory.
        let mut low = [f32::INFINITY; 2 * SIDE_BY_SIDE];
        let mut high = [f32::NEG_INFINITY; 2 * SIDE_BY_SIDE];
        let (groups, rest) = points.as_chunks::<SIDE_BY_SIDE>();
        for group in groups {
            let coordinates: [f32; 2 * SIDE_BY_SIDE] =
                std::array::from_fn(|index| group[index / 2][index % 2]);
            for index in 0..2 * SIDE_BY_SIDE {
                low[index] = fast_min(coordinates[index], low[index]);
                high[index] = fast_max(coordinates[index], high[index]);
            }
        }
        let mut width = SIDE_BY_SIDE;
        while width > 1 {
            for index in 0..width {
                low[index] = fast_min(low[index + width], low[index]);
                high[index] = fast_max(high[index + width], high[index]);
            }
            width /= 2;
        }
        let around_groups =
            FluidBounds { low: Vec2::new(low[0], low[1]), high: Vec2::new(high[0], high[1]) };
        rest.iter().fold(around_groups, |all, point| all.union(FluidBounds::at(*point)))
    }
}

/// Returns the smaller of both coordinates, or the coordinate of `a` if that of `b` is NaN.
#[inline(always)]
fn lowest(a: Vec2, b: Vec2) -> Vec2 {
    Vec2::new(fast_min(b.x, a.x), fast_min(b.y, a.y))
}

/// Returns the larger of both coordinates, or the coordinate of `a` if that of `b` is NaN.
#[inline(always)]
fn highest(a: Vec2, b: Vec2) -> Vec2 {
    Vec2::new(fast_max(b.x, a.x), fast_max(b.y, a.y))
}

// A tree of bounding boxes. It finds the items near a point without visiting all items.

/// Largest number of items in a leaf.
const LEAF: usize = 4;

/// A tree of boxes around the items of a list. The caller keeps the list, in the order of the
/// leaves.
#[derive(Clone, Debug, Default)]
pub(crate) struct BoxTree {
    /// All nodes, in depth-first order.
    nodes: Vec<Node>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    bounds: FluidBounds,
    /// Index of the node's first item. `count` is a leaf's number of items, and 0 in an inner node.
    first: u32,
    count: u32,
    /// Index of the node after this one's last descendant.
    next: u32,
}

impl Node {
    fn things(&self) -> Range<usize> {
        self.first as usize..self.first as usize + self.count as usize
    }
}

impl BoxTree {
    /// Creates a tree of items with these boxes, and sorts the items in the order of its leaves.
    pub(crate) fn new<T>(things: &mut [T], bounds_of: impl Fn(&T) -> FluidBounds) -> Self {
        let mut tree = Self::default();
        tree.rebuild(things, bounds_of);
        tree
    }

    /// Builds the tree again for items with these boxes, and reuses its memory.
    pub(crate) fn rebuild<T>(&mut self, things: &mut [T], bounds_of: impl Fn(&T) -> FluidBounds) {
        self.nodes.clear();
        if !things.is_empty() {
            divide(things, 0, &bounds_of, &mut self.nodes);
        }
    }

    /// Updates the boxes of items that have moved, given in the order of the leaves. Searches visit
    /// more items after large displacements.
    pub(crate) fn refit<T>(&mut self, things: &[T], bounds_of: impl Fn(&T) -> FluidBounds) {
        for index in (0..self.nodes.len()).rev() {
            let node = &self.nodes[index];
            self.nodes[index].bounds = if node.count > 0 {
                around(&things[node.things()], &bounds_of)
            } else {
                // Children follow their parent in the list, so both boxes are already updated.
                let first = &self.nodes[index + 1];
                first.bounds.union(self.nodes[first.next as usize].bounds)
            };
        }
    }

    /// A box around all items.
    pub(crate) fn bounds(&self) -> FluidBounds {
        self.nodes.first().map_or(FluidBounds::NONE, |root| root.bounds)
    }

    /// Visits the items in all leaves whose boxes are `wanted`, until `visit` returns `true`. If
    /// `wanted` returns `true` for a box, it must return `true` for all larger boxes around it.
    #[inline]
    pub(crate) fn visit<'a, T>(
        &self,
        things: &'a [T],
        mut wanted: impl FnMut(&FluidBounds) -> bool,
        mut visit: impl FnMut(&'a T) -> bool,
    ) {
        let mut index = 0;
        while let Some(node) = self.nodes.get(index) {
            work::count(1 + node.count as usize);
            if !wanted(&node.bounds) {
                index = node.next as usize;
                continue;
            }
            for thing in &things[node.things()] {
                if visit(thing) {
                    return;
                }
            }
            index += 1;
        }
    }
}

fn around<T>(things: &[T], bounds_of: impl Fn(&T) -> FluidBounds) -> FluidBounds {
    things.iter().fold(FluidBounds::NONE, |all, thing| all.union(bounds_of(thing)))
}

/// Divides items into a node and its descendants. `first` is the index of the first item in the
/// list.
fn divide<T>(
    things: &mut [T],
    first: u32,
    bounds_of: &impl Fn(&T) -> FluidBounds,
    nodes: &mut Vec<Node>,
) {
    work::count(things.len());
    let bounds = around(things, bounds_of);
    let index = nodes.len();
    let count = if things.len() <= LEAF { things.len() as u32 } else { 0 };
    nodes.push(Node { bounds, first, count, next: 0 });
    if count == 0 {
        let size = bounds.high - bounds.low;
        let key = |thing: &T| {
            let FluidBounds { low, high } = bounds_of(thing);
            let middle = low + high;
            if size.x >= size.y { middle.x } else { middle.y }
        };
        things.sort_by(|a, b| key(a).total_cmp(&key(b)));
        let (low, high) = things.split_at_mut(things.len() / 2);
        let middle = first + low.len() as u32;
        divide(low, first, bounds_of, nodes);
        divide(high, middle, bounds_of, nodes);
    }
    nodes[index].next = nodes.len() as u32;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::shape::scatter;

    #[test]
    fn what_has_moved_is_found_after_a_refit() {
        let size = |index: u32| Vec2::splat(1.0 + (index % 7) as f32);
        let mut things: Vec<u32> = (0..150).collect();
        let boxes = |shift: f32| -> Vec<FluidBounds> {
            let around = |index: u32| {
                let centre = scatter(index) * 100.0 + scatter(500 + index) * shift;
                FluidBounds { low: centre - size(index), high: centre + size(index) }
            };
            // One box contains everything, like the box of an inside-out collider.
            (0..150)
                .map(|index| if index == 77 { FluidBounds::ALL } else { around(index) })
                .collect()
        };
        let before = boxes(0.0);
        let mut tree = BoxTree::new(&mut things, |index| before[*index as usize]);
        for shift in [0.0, 3.0, 60.0] {
            let now = boxes(shift);
            tree.refit(&things, |index| now[*index as usize]);
            for number in 0..300 {
                let centre = scatter(1000 + number) * 130.0;
                let here = FluidBounds { low: centre - 4.0, high: centre + 4.0 };
                let mut found = Vec::new();
                tree.visit(
                    &things,
                    |node| node.intersects(here),
                    |index| {
                        found.extend(now[*index as usize].intersects(here).then_some(*index));
                        false
                    },
                );
                found.sort_unstable();
                let all = (0..150).filter(|index| now[*index as usize].intersects(here));
                assert_eq!(found, all.collect::<Vec<u32>>());
            }
        }
        assert_eq!(BoxTree::new(&mut [], |_: &u32| FluidBounds::ALL).bounds(), FluidBounds::NONE);
    }
}
