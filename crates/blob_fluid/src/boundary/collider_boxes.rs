//! A box around each collider, and trees of these boxes, which find the colliders near a point
//! without visiting all of them.

use std::ops::Index;
use std::sync::OnceLock;

use crate::boundary::collider::Collider;
use crate::boundary::collider_record::ColliderRecord;
use crate::geometry::bounds::{BoxTree, FluidBounds};

/// Number of refits after which the tree of the moving colliders is rebuilt. Searches of a tree
/// that is only refitted visit more boxes while its colliders move apart.
const MAX_REFITS: u32 = 60;

/// A box around each collider, at the collider's index.
///
/// Colliders that have ever moved are in a separate tree. A substep updates only that tree, so its
/// cost does not depend on how many colliders stand still.
#[derive(Clone, Debug, Default)]
pub(crate) struct ColliderBoxes {
    /// Each box contains the region that its collider sweeps over in the present substep.
    boxes: Vec<FluidBounds>,
    /// Sorted indices of the colliders that have ever moved.
    movers: Vec<u32>,
    /// The tree of all other colliders. It is built on first use after a change.
    static_tree: OnceLock<IndexTree>,
    /// The tree of the movers. It is built on first use after a change.
    moving_tree: OnceLock<IndexTree>,
    /// Number of refits since the tree of the movers was built.
    refits: u32,
}

/// A tree that holds some of the boxes.
#[derive(Clone, Debug)]
struct IndexTree {
    tree: BoxTree,
    /// Indices of the colliders, in the tree's order.
    indices: Vec<u32>,
}

impl IndexTree {
    fn new(mut indices: Vec<u32>, boxes: &[FluidBounds]) -> Self {
        let tree = BoxTree::new(&mut indices, |index| boxes[*index as usize]);
        Self { tree, indices }
    }

    /// As [`ColliderBoxes::visit`]; returns whether `visit` returned `true`.
    #[inline]
    fn visit(&self, bounds: FluidBounds, visit: &mut impl FnMut(u32) -> bool) -> bool {
        let mut stopped = false;
        self.tree.visit(
            &self.indices,
            |node| node.intersects(bounds),
            |index| {
                stopped = visit(*index);
                stopped
            },
        );
        stopped
    }
}

impl Index<usize> for ColliderBoxes {
    type Output = FluidBounds;

    fn index(&self, index: usize) -> &FluidBounds {
        &self.boxes[index]
    }
}

impl ColliderBoxes {
    /// Creates the boxes of colliders. `movers` holds the sorted indices of those that have ever moved.
    #[cfg(feature = "snapshot")]
    pub(crate) fn from_colliders(colliders: &[ColliderRecord], movers: Vec<u32>) -> Self {
        let boxes = colliders.iter().map(|record| swept_bounds(record)).collect();
        Self { boxes, movers, ..Self::default() }
    }

    /// Adds the box of a collider that has the next index.
    pub(crate) fn push(&mut self, collider: &Collider) {
        self.boxes.push(swept_bounds(collider));
        if collider.will_change_pose() {
            self.movers.push(self.boxes.len() as u32 - 1);
            self.moving_tree.take();
        } else {
            self.static_tree.take();
        }
    }

    /// Removes the box of a collider.
    pub(crate) fn remove(&mut self, index: usize) {
        self.boxes.remove(index);
        let (changed, other) = if self.is_mover(index) {
            (&mut self.moving_tree, &mut self.static_tree)
        } else {
            (&mut self.static_tree, &mut self.moving_tree)
        };
        changed.take();
        if let Some(other) = other.get_mut() {
            remove_index(&mut other.indices, index);
        }
        remove_index(&mut self.movers, index);
    }

    /// Removes the boxes of the colliders whose entry is true.
    pub(crate) fn remove_all(&mut self, is_removed: &[bool]) {
        let mut kept = 0;
        let new_indices: Vec<u32> = is_removed
            .iter()
            .map(|removed| {
                kept += u32::from(!removed);
                kept.saturating_sub(1)
            })
            .collect();
        let mut removed = is_removed.iter();
        self.boxes.retain(|_| removed.next() == Some(&false));
        self.movers.retain(|index| !is_removed[*index as usize]);
        self.movers.iter_mut().for_each(|index| *index = new_indices[*index as usize]);
        self.static_tree.take();
        self.moving_tree.take();
    }

    /// Removes all boxes.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Updates the box of a collider that was replaced or moved, or whose motion has changed.
    pub(crate) fn update(&mut self, index: usize, collider: &Collider) {
        let bounds = swept_bounds(collider);
        let changed = self.boxes[index] != bounds;
        self.boxes[index] = bounds;
        match self.movers.binary_search(&(index as u32)) {
            Ok(_) if changed => {
                self.moving_tree.take();
            }
            Err(rank) if changed || collider.will_change_pose() => {
                self.movers.insert(rank, index as u32);
                self.static_tree.take();
                self.moving_tree.take();
            }
            _ => {}
        }
    }

    /// Calls `advance` for the colliders whose pose changes, and updates their boxes.
    pub(crate) fn advance(
        &mut self,
        colliders: &mut [ColliderRecord],
        mut advance: impl FnMut(&mut ColliderRecord),
    ) {
        let mut any_moved = false;
        for index in &self.movers {
            let collider = &mut colliders[*index as usize];
            if collider.will_change_pose() {
                advance(collider);
                self.boxes[*index as usize] = swept_bounds(collider);
                any_moved = true;
            }
        }
        if !any_moved {
            return;
        }
        let Some(IndexTree { tree, indices }) = self.moving_tree.get_mut() else { return };
        let bounds_of = |index: &u32| self.boxes[*index as usize];
        self.refits += 1;
        if self.refits > MAX_REFITS {
            self.refits = 0;
            tree.rebuild(indices, bounds_of);
        } else {
            tree.refit(indices, bounds_of);
        }
    }

    /// The sorted indices of the colliders that have ever moved.
    pub(crate) fn movers(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.movers.iter().map(|index| *index as usize)
    }

    /// The index of the collider with this rank among those that have ever moved.
    pub(crate) fn mover(&self, rank: usize) -> usize {
        self.movers[rank] as usize
    }

    /// Calls `visit` with the index of every collider that has ever moved and whose box intersects
    /// `bounds`, in no particular order.
    pub(crate) fn visit_movers(&self, bounds: FluidBounds, mut visit: impl FnMut(u32)) {
        if let Some(moving) = self.moving_tree() {
            moving.visit(bounds, &mut |index| {
                if self.boxes[index as usize].intersects(bounds) {
                    visit(index);
                }
                false
            });
        }
    }

    /// Whether a collider has ever moved.
    pub(crate) fn is_mover(&self, index: usize) -> bool {
        self.movers.binary_search(&(index as u32)).is_ok()
    }

    /// Whether any collider has ever moved.
    pub(crate) fn any_mover(&self) -> bool {
        !self.movers.is_empty()
    }

    /// Whether the box of any collider that has ever moved intersects `bounds`.
    pub(crate) fn any_mover_intersects(&self, bounds: FluidBounds) -> bool {
        let meets = &mut |index: u32| self.boxes[index as usize].intersects(bounds);
        self.moving_tree().is_some_and(|moving| moving.visit(bounds, meets))
    }

    /// Calls `visit` with the index of every collider whose box may intersect `bounds`, in no
    /// particular order, until it returns `true`.
    #[inline]
    pub(crate) fn visit(&self, bounds: FluidBounds, mut visit: impl FnMut(u32) -> bool) {
        let standing = self.static_tree.get_or_init(|| {
            let all = 0..self.boxes.len();
            let indices = all.filter(|index| !self.is_mover(*index)).map(|index| index as u32);
            IndexTree::new(indices.collect(), &self.boxes)
        });
        let stopped = standing.visit(bounds, &mut visit);
        if !stopped && let Some(moving) = self.moving_tree() {
            moving.visit(bounds, &mut visit);
        }
    }

    /// The tree of the movers, if there are any.
    #[inline]
    fn moving_tree(&self) -> Option<&IndexTree> {
        let build = || IndexTree::new(self.movers.clone(), &self.boxes);
        (!self.movers.is_empty()).then(|| self.moving_tree.get_or_init(build))
    }
}

/// Removes an index from a list, and reduces all higher indices by 1.
fn remove_index(indices: &mut Vec<u32>, removed: usize) {
    let removed = removed as u32;
    indices.retain(|index| *index != removed);
    for index in indices {
        *index -= u32::from(*index > removed);
    }
}

/// Returns a box around the region that a collider sweeps over in the present substep.
fn swept_bounds(collider: &Collider) -> FluidBounds {
    if collider.options.inside_out {
        FluidBounds::ALL
    } else {
        collider.swept_bounds().inflated(2.0 * collider.slack())
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec2;

    use super::*;
    use crate::geometry::pose::Motion;
    use crate::geometry::shape::scatter;
    use crate::settings::class_table::ClassTable;

    fn collider(number: u32) -> ColliderRecord {
        let size = Vec2::splat(1.0 + (number % 7) as f32);
        let mut collider = Collider::rectangle(scatter(number) * 100.0, size).expect("valid");
        if number.is_multiple_of(3) {
            let velocity = scatter(1000 + number) * 30.0;
            collider = collider.with_motion(Motion { velocity, ..Motion::STILL }).expect("valid");
        }
        ColliderRecord::new(collider, 1.0, &ClassTable::default())
    }

    #[test]
    fn boxes_follow_inserted_removed_and_moved_colliders() {
        let (mut boxes, mut colliders) = (ColliderBoxes::default(), Vec::new());
        for number in 0..400_u32 {
            let index = number as usize * 31 % colliders.len().max(1);
            match number * 7919 % 7 {
                0 if !colliders.is_empty() => {
                    colliders.remove(index);
                    boxes.remove(index);
                }
                1 if !colliders.is_empty() => {
                    colliders[index] = collider(2000 + number);
                    boxes.update(index, &colliders[index]);
                }
                4 if number % 5 == 0 => {
                    let is_removed: Vec<bool> =
                        (0..colliders.len()).map(|index| index % 4 == 1).collect();
                    boxes.remove_all(&is_removed);
                    let mut removed = is_removed.iter();
                    colliders.retain(|_| removed.next() == Some(&false));
                }
                2 if number % 150 == 5 => {
                    colliders.clear();
                    boxes.clear();
                }
                3 => boxes.advance(&mut colliders, |collider| collider.advance(0.5)),
                _ => {
                    colliders.push(collider(number));
                    boxes.push(&colliders[colliders.len() - 1]);
                }
            }
            for point in 0..10 {
                let centre = scatter(100 * number + point) * 130.0;
                let bounds = FluidBounds { low: centre - 4.0, high: centre + 4.0 };
                let mut visited = Vec::new();
                boxes.visit(bounds, |index| {
                    visited
                        .extend(boxes[index as usize].intersects(bounds).then_some(index as usize));
                    false
                });
                visited.sort_unstable();
                let all = colliders.iter().enumerate();
                let expected =
                    all.filter(|(_, collider)| swept_bounds(collider).intersects(bounds));
                assert_eq!(visited, expected.map(|(index, _)| index).collect::<Vec<_>>());
            }
        }
        let mut count = 0;
        boxes.visit(FluidBounds::ALL, |_| {
            count += 1;
            count == 3
        });
        assert_eq!(count, 3, "the visit ends when it returns true");
    }
}
