//! The classes that are present near the particles of a block.

use std::ops::Range;

use crate::parallel::chunks::GROUP;
use crate::settings::class::ClassId;
use crate::solver::class_set::ClassSet;

/// For each group of consecutive particles, the set of their classes. With it a pass knows what a block
/// may meet without looking at its neighbours.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClassPresence {
    groups: Vec<ClassSet>,
    everywhere: ClassSet,
}

impl ClassPresence {
    /// Finds the classes of all groups, with a table of so many classes. It reuses its memory. What it
    /// returns holds until a particle changes its place or its class.
    pub(crate) fn find(&mut self, particles: &[ClassId], classes: usize) -> &Self {
        self.groups.clear();
        if classes < 2 {
            self.everywhere = ClassSet::of(ClassId(0));
            return self;
        }
        let set_of = |group: &[ClassId]| {
            // Most groups have one class only, which vector instructions find at once.
            let alike = group.iter().fold(true, |alike, class| alike & (*class == group[0]));
            let some = if alike { &group[..1] } else { group };
            some.iter().copied().collect::<ClassSet>()
        };
        self.groups.extend(particles.chunks(GROUP).map(set_of));
        self.everywhere = self.groups.iter().copied().fold(ClassSet::NONE, ClassSet::union);
        self
    }

    /// Whether the liquid may have particles of several classes.
    pub(crate) fn any_mixed(&self) -> bool {
        self.everywhere.has_several()
    }

    /// The classes of the particles in these ranges, and perhaps some more.
    #[inline]
    pub(crate) fn of(&self, ranges: impl Iterator<Item = Range<usize>>) -> ClassSet {
        if !self.any_mixed() {
            return self.everywhere;
        }
        let groups = |range: Range<usize>| range.start / GROUP..range.end.div_ceil(GROUP);
        let sets = ranges.flat_map(|range| &self.groups[groups(range)]);
        sets.copied().fold(ClassSet::NONE, ClassSet::union)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_ranges_is_found() {
        let [low, high] = [ClassId(0), ClassId(1)];
        let particles: Vec<_> =
            (0..200).map(|index| if index < 100 { low } else { high }).collect();
        let mut presence = ClassPresence::default();
        assert_eq!(presence.of(std::iter::once(0..0)), ClassSet::NONE, "nothing is present yet");
        presence.find(&particles, 2);
        assert_eq!(presence.of([0..50, 60..96].into_iter()), ClassSet::of(low));
        assert_eq!(presence.of([112..200, 150..150].into_iter()), ClassSet::of(high));
        let both = ClassSet::of(low).union(ClassSet::of(high));
        assert_eq!(presence.of([0..50, 150..151].into_iter()), both, "between two ranges");
        assert_eq!(presence.of(std::iter::once(95..120)), both, "within a range");
        presence.find(&particles[..90], 2);
        assert!(!presence.any_mixed());
        assert_eq!(presence.of(std::iter::once(0..0)), ClassSet::of(low), "there is no other");
        presence.find(&particles[..90], 1);
        assert_eq!(presence.of(std::iter::once(0..90)), ClassSet::of(low), "it is not looked for");
    }
}
