//! Rows of coefficients between the particles of a block and the particles of each class.

use std::ops::Range;

use crate::settings::class::ClassId;
use crate::solver::class_set::ClassSet;
use crate::solver::neighbours::class_lanes::ClassLanes;

/// One row for each class, computed only where the classes of the block's particles change, or another
/// class comes near.
#[derive(Debug, Default)]
pub(crate) struct ClassRows<Row> {
    rows: Vec<Row>,
    /// The class of all particles that rows were filled for, if they have the same class.
    filled_for: Option<usize>,
    /// The classes whose rows were filled for it.
    filled: ClassSet,
}

/// A copy is empty: the rows are computed again.
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

    /// The rows of a block, of which those of the classes that are `near` are valid. `fill` is given the
    /// classes of the block's particles and the class of a row.
    pub(super) fn of_block(
        &mut self,
        (classes, near): (&[ClassId], ClassSet),
        particles: &Range<usize>,
        fill: impl Fn(&ClassLanes, usize) -> Row,
    ) -> &[Row] {
        let own_classes = ClassLanes::of(particles, classes);
        let only = own_classes.only();
        if only.is_none() || self.filled_for != only {
            self.filled_for = only;
            self.filled = ClassSet::NONE;
        }
        let missing = near.without(self.filled);
        if missing != ClassSet::NONE {
            self.filled = self.filled.union(near);
            for (class, row) in ClassId::all().zip(&mut self.rows) {
                if missing.contains(class) {
                    *row = fill(&own_classes, class.index());
                }
            }
        }
        &self.rows
    }
}
