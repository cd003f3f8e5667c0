//! A tree of bounding boxes. It finds the items near a point without visiting all items.

use std::ops::Range;

use crate::geometry::bounds::FluidBounds;

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

    /// Updates the boxes of items that have moved, given in the order of the leaves. The farther
    /// the items have moved, the more of them a search visits.
    pub(crate) fn refit<T>(&mut self, things: &[T], bounds_of: impl Fn(&T) -> FluidBounds) {
        for index in (0..self.nodes.len()).rev() {
            let node = &self.nodes[index];
            self.nodes[index].bounds = if node.count > 0 {
                around(&things[node.things()], &bounds_of)
            } else {
                // The boxes of both children were updated before.
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

/// Divides items into a node and its descendants. `first` is the index of the first of them in the
/// list.
fn divide<T>(
    things: &mut [T],
    first: u32,
    bounds_of: &impl Fn(&T) -> FluidBounds,
    nodes: &mut Vec<Node>,
) {
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
    use glam::Vec2;

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
