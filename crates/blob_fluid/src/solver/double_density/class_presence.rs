//! The classes that are present near the particles of a block.

use std::ops::Range;

use crate::parallel::chunks::GROUP;
use crate::settings::class::ClassId;

/// For each group of consecutive particles, the set of their classes. With it a block whose
/// neighbours are all of one class is found without looking at them.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClassPresence {
    /// Bit `c` of a group's number is set if class `c` is present; all bits if there are more
    /// classes than bits.
    sets: Vec<u64>,
    any_mixed: bool,
}

impl ClassPresence {
    /// Finds the classes of all groups. It reuses its memory.
    pub(super) fn find(&mut self, particles: &[ClassId], classes: usize) {
        self.sets.clear();
        let too_many = classes > u64::BITS as usize;
        let set_of = |group: &[ClassId]| {
            // Most groups have one class only, which vector instructions find at once.
            let alike = group.iter().fold(true, |alike, class| alike & (*class == group[0]));
            let some = if alike { &group[..1] } else { group };
            some.iter().fold(0, |set, class| if too_many { !0 } else { set | 1 << class.index() })
        };
        self.sets.extend(particles.chunks(GROUP).map(set_of));
        self.any_mixed = several(self.sets.iter().fold(0, |all, set| all | set));
    }

    /// Forgets all groups.
    pub(super) fn clear(&mut self) {
        self.sets.clear();
        self.any_mixed = false;
    }

    /// Whether the liquid may have particles of several classes.
    pub(super) fn any_mixed(&self) -> bool {
        self.any_mixed
    }

    /// Whether particles of several classes may be in these ranges.
    pub(super) fn is_mixed(&self, mut ranges: impl Iterator<Item = Range<usize>>) -> bool {
        let set_in = |range: Range<usize>| {
            let groups = range.start / GROUP..range.end.div_ceil(GROUP);
            self.sets.get(groups).unwrap_or_default().iter().fold(0, |all, set| all | set)
        };
        if !self.any_mixed {
            return false;
        }
        let mut set = 0_u64;
        ranges.any(|range| {
            set |= set_in(range);
            several(set)
        })
    }
}

/// Whether a set has more than one member.
fn several(set: u64) -> bool {
    set & set.wrapping_sub(1) != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixed_ranges_are_found() {
        let class = |index: usize| ClassId(u8::from(index >= 100));
        let particles: Vec<_> = (0..200).map(class).collect();
        let mut presence = ClassPresence::default();
        assert!(!presence.is_mixed(std::iter::once(0..0)), "nothing is present yet");
        presence.find(&particles, 2);
        assert!(!presence.is_mixed([0..50, 60..96].into_iter()));
        assert!(!presence.is_mixed([112..200, 150..150].into_iter()));
        assert!(presence.is_mixed([0..50, 150..151].into_iter()), "between two ranges");
        assert!(presence.is_mixed(std::iter::once(95..120)), "within a range");
        presence.find(&particles, 65);
        assert!(presence.is_mixed(std::iter::once(0..50)), "too many classes to tell");
    }
}
