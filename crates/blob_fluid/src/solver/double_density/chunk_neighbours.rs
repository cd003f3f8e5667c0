//! Neighbour lists of a chunk, built with the densities and used again for the displacements. Rows of coefficients
//! between the particles of a block and the particles of each class.

use std::ops::Range;

use glam::Vec2;

use crate::ClassId;
use crate::particles::arrays::{Activity, takes_part};
use crate::solver::coefficients::ClassSet;
use crate::solver::kernel::GhostWall;
use crate::solver::neighbours::blocks::{ClassLanes, NeighbourLists};

/// The neighbours of a chunk's particles, and the walls near them.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChunkNeighbours {
    pub lists: NeighbourLists<BlockProperties>,
    /// In the order of the particles.
    pub walls: Vec<NearGhostWall>,
}

/// Properties of a block and of its neighbours.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BlockProperties {
    /// The classes near the block.
    pub classes: ClassSet,
    /// Whether any of the block's particles is coincident with another particle.
    pub has_coincident: bool,
    /// Whether some particles may be sorted by weight against others.
    pub has_segregation: bool,
    /// Whether any particle of the block is a grain of powder.
    pub has_grains: bool,
    /// Whether some particles may share their space with others, like a liquid that seeps through powder.
    pub has_seepage: bool,
}

impl ChunkNeighbours {
    pub(super) fn clear(&mut self) {
        self.lists.clear();
        self.walls.clear();
    }

    /// The particles, neighbours and near classes of the blocks that contain grains and awake particles.
    pub(super) fn moving_grains(
        &self,
        chunk_start: usize,
        activity: &[Activity],
    ) -> impl Iterator<Item = (Range<usize>, &[u32], ClassSet)> {
        self.lists
            .blocks(chunk_start)
            .filter(|(particles, _, properties)| {
                properties.has_grains && takes_part(&activity[particles.clone()], Activity::Awake)
            })
            .map(|(particles, indices, properties)| (particles, indices, properties.classes))
    }
}

// A wall near a particle, as the relaxation stores it.

/// A wall near a particle, found with the densities and used again for the displacements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NearGhostWall {
    pub particle: u32,
    pub ghost: GhostWall,
    pub normal: Vec2,
    pub wetting: f32,
    /// The wall's own friction ([`WallProperties`](crate::WallProperties)).
    pub friction: Option<f32>,
    /// Velocity of the wall near the particle, in world units/s.
    pub velocity: Vec2,
    pub fade_in: f32,
    /// Gradient of `fade_in`, per interaction radius.
    pub weight_gradient: Vec2,
    pub collider: Option<u32>,
}

// Rows of coefficients.

/// One row per class. Rows are computed only when the classes of the block's particles change, or when another class is
/// near.
#[derive(Debug, Default)]
pub(crate) struct ClassRows<Row> {
    rows: Vec<Row>,
    /// The common class of the particles that the rows were filled for, if there is one.
    filled_for: Option<usize>,
    /// The classes whose rows are filled.
    filled: ClassSet,
}

/// A copy is empty. Its rows are computed again.
impl<Row: Default> Clone for ClassRows<Row> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<Row: Clone + Default> ClassRows<Row> {
    /// Prepares for the blocks of one sweep.
    pub(crate) fn prepare(&mut self, classes: usize) {
        self.filled_for = None;
        self.rows.resize(classes, Row::default());
    }

    /// Returns the rows of a block with particles of `own_classes`, which are valid for the classes in `near_classes`.
    /// `fill` gets the class of a row.
    pub(super) fn of_block(
        &mut self,
        own_classes: &ClassLanes,
        near_classes: ClassSet,
        fill: impl Fn(usize) -> Row,
    ) -> &[Row] {
        let uniform_class = own_classes.uniform_class();
        if uniform_class.is_none() || self.filled_for != uniform_class {
            self.filled_for = uniform_class;
            self.filled = ClassSet::NONE;
        }
        let missing = near_classes.without(self.filled);
        if missing != ClassSet::NONE {
            self.filled = self.filled.union(near_classes);
            for (class, row) in ClassId::all().zip(&mut self.rows) {
                if missing.contains(class) {
                    *row = fill(class.index());
                }
            }
        }
        &self.rows
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::parallel::instructions::{LANES, Lanes, block_width};

    const CLASSES: usize = 60;

    #[test]
    fn rows_are_those_of_the_block_and_filled_only_where_its_classes_change_or_another_comes_near()
    {
        let [a, b] = [ClassId(0), ClassId(1)];
        // A block of one class, one of the other class, and one of both.
        let blocks: [[ClassId; LANES]; 3] =
            [[a; LANES], [b; LANES], std::array::from_fn(|lane| [a, b][lane % 2])];
        let particles = blocks.concat();
        let sets = |classes: &[ClassId]| classes.iter().copied().collect::<ClassSet>();
        let [near_a, near_both] = [sets(&[a]), sets(&[a, b])];
        let mut rows = ClassRows::<(Lanes, usize)>::default();
        rows.prepare(CLASSES);
        // Each block with the classes near it, and the number of rows that it fills.
        for (number, (block, near_classes, fills)) in [
            (0, near_a, 1),
            (0, near_a, 0),
            (0, near_both, 1),
            (0, near_a, 0),
            (1, near_both, 2),
            (2, near_both, 2),
            (2, near_both, 2),
            (0, near_a, 1),
            (0, ClassSet::ALL, CLASSES - 1),
            (0, near_both, 0),
        ]
        .into_iter()
        .enumerate()
        {
            let filled = Cell::new(0);
            let own =
                ClassLanes::of(block_width(), &(block * LANES..(block + 1) * LANES), &particles);
            let found = rows.of_block(&own, near_classes, |class| {
                filled.set(filled.get() + 1);
                (own.map(|index| index as f32), class)
            });
            assert_eq!(filled.get(), fills, "block {number}");
            let own = blocks[block].map(|class| f32::from(class.0));
            for class in ClassId::all().take(CLASSES).filter(|class| near_classes.contains(*class))
            {
                assert_eq!(found[class.index()], (own, class.index()), "block {number}");
            }
        }
        rows.prepare(CLASSES);
        let filled = Cell::new(0);
        let own = ClassLanes::of(block_width(), &(0..LANES), &particles);
        rows.of_block(&own, near_a, |class| {
            filled.set(filled.get() + 1);
            ([0.0; LANES], class)
        });
        assert_eq!(filled.get(), 1, "another sweep has other coefficients");
    }
}
