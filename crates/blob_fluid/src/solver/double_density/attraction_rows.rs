//! The attraction between the particles of a block and the particles of each class.

use std::ops::Range;

use crate::parallel::lanes::Lanes;
use crate::settings::class::ClassId;
use crate::solver::class_set::ClassSet;
use crate::solver::double_density::class_rows::ClassRows;

/// The attraction between a block's particles and every class.
pub(crate) type AttractionRows = ClassRows<Lanes>;

impl AttractionRows {
    /// The rows of a block, from the attraction `[i * classes + j]` of each pair of classes.
    pub(super) fn of(
        &mut self,
        attractions: &[f32],
        classes: (&[ClassId], ClassSet),
        particles: &Range<usize>,
    ) -> &[Lanes] {
        let count = self.classes();
        self.of_block(classes, particles, |own_classes, other| {
            own_classes.map(|class| attractions[class * count + other])
        })
    }
}
