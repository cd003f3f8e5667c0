//! Which rings lie in which others.

use glam::Vec2;

use super::edges::Edges;
use crate::geometry::box_tree::BoxTree;

/// Rings in a tree of their boxes, to find those around a ring without visiting all.
pub(super) struct Nesting {
    /// In the order of the tree's leaves.
    rings: Vec<Ring>,
    tree: BoxTree,
    /// The first corner of each ring.
    corners: Vec<Vec2>,
}

struct Ring {
    index: usize,
    edges: Edges,
}

impl Nesting {
    /// Each ring needs a corner.
    pub(super) fn of(rings: &[impl AsRef<[Vec2]>]) -> Self {
        let corners = rings.iter().map(|ring| ring.as_ref()[0]).collect();
        let ring = |(index, ring): (usize, &_)| {
            let ring: &[Vec2] = AsRef::as_ref(ring);
            let edges = ring.iter().zip(ring.iter().cycle().skip(1));
            Ring { index, edges: Edges::new(edges.map(|(start, end)| [*start, *end]).collect()) }
        };
        let mut rings: Vec<Ring> = rings.iter().enumerate().map(ring).collect();
        let tree = BoxTree::new(&mut rings, |ring| ring.edges.bounds());
        Self { rings, tree, corners }
    }

    /// Calls `visit` with the index of each other ring in which the first corner of a ring lies.
    pub(super) fn for_each_around(&self, index: usize, mut visit: impl FnMut(usize)) {
        let corner = self.corners[index];
        self.tree.visit(
            &self.rings,
            |node| node.contains(corner),
            |ring| {
                if ring.index != index && ring.edges.enclose(corner) {
                    visit(ring.index);
                }
                false
            },
        );
    }
}
