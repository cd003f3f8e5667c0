//! The classes of eight particles side by side.

use std::ops::Range;

use crate::parallel::lanes::{LANES, Lanes};
use crate::settings::class::ClassId;
use crate::solver::class_set::ClassSet;

/// The classes of a block's particles. If the block has fewer particles than lanes, the other lanes
/// hold the classes of the particles that follow, or of the last particle.
#[derive(Clone, Copy)]
pub(crate) struct ClassLanes {
    classes: [u8; LANES],
    all_the_same: bool,
}

impl ClassLanes {
    #[inline(always)]
    pub(crate) fn of(particles: &Range<usize>, classes: &[ClassId]) -> Self {
        let from_block = &classes[particles.start..];
        let classes = match from_block.first_chunk::<LANES>() {
            Some(eight) => eight.map(|class| class.0),
            None => std::array::from_fn(|lane| from_block[lane.min(from_block.len() - 1)].0),
        };
        Self { classes, all_the_same: classes == [classes[0]; LANES] }
    }

    /// One coefficient of each particle's class.
    #[inline(always)]
    pub(crate) fn map(&self, value: impl Fn(usize) -> f32) -> Lanes {
        if self.all_the_same {
            [value(usize::from(self.classes[0])); LANES]
        } else {
            self.classes.map(|class| value(usize::from(class)))
        }
    }

    /// Fills the row of each class that is `near` with the coefficients `[i * classes + j]` between the
    /// particles' classes and that class.
    #[inline(always)]
    pub(crate) fn fill(&self, rows: &mut [Lanes], near: ClassSet, coefficients: &[f32]) {
        let count = rows.len();
        for (other, row) in ClassId::all().zip(rows) {
            if near.contains(other) {
                *row = self.map(|class| coefficients[class * count + other.index()]);
            }
        }
    }

    /// The class of all particles, if they have the same class.
    #[inline(always)]
    pub(crate) fn only(&self) -> Option<usize> {
        self.all_the_same.then_some(usize::from(self.classes[0]))
    }
}
