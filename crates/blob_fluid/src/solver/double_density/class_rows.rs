//! Rows of coefficients between the particles of a block and the particles of each class.

use std::ops::Range;

use crate::parallel::instructions::block_width;
use crate::settings::class::ClassId;
use crate::solver::coefficients::ClassSet;
use crate::solver::neighbours::blocks::ClassLanes;

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

    /// Number of classes.
    pub(super) fn classes(&self) -> usize {
        self.rows.len()
    }

    /// Returns the rows of a block, which are valid for the classes in `near_classes`. `fill` gets
    /// the classes of the block's particles and the class of a row.
    pub(super) fn of_block(
        &mut self,
        classes: &[ClassId],
        near_classes: ClassSet,
        particles: &Range<usize>,
        fill: impl Fn(&ClassLanes, usize) -> Row,
    ) -> &[Row] {
        let own_classes = ClassLanes::of(block_width(), particles, classes);
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
                    *row = fill(&own_classes, class.index());
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
    use crate::parallel::lanes::{LANES, Lanes};

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
        assert_eq!(rows.classes(), CLASSES);
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
            let range = block * LANES..(block + 1) * LANES;
            let found = rows.of_block(&particles, near_classes, &range, |own, class| {
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
        rows.of_block(&particles, near_a, &(0..LANES), |_, class| {
            filled.set(filled.get() + 1);
            ([0.0; LANES], class)
        });
        assert_eq!(filled.get(), 1, "another sweep has other coefficients");
    }
}
