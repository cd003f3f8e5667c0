//! Small sets of classes, with which a pass finds out what it has to look at.

use crate::settings::class::ClassId;

/// A set of classes. It may say of a class that it is in the set though it is not: an index above 63
/// counts as all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ClassSet(u64);

impl ClassSet {
    /// No class.
    pub(crate) const NONE: Self = Self(0);

    /// Every class.
    pub(crate) const ALL: Self = Self(u64::MAX);

    /// The set that contains one class.
    #[inline(always)]
    pub(crate) fn of(class: ClassId) -> Self {
        if u32::from(class.0) < u64::BITS { Self(1 << class.0) } else { Self::ALL }
    }

    /// What is in any of the two sets.
    #[inline(always)]
    pub(crate) fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// What is in this set and not in the other, which must not say of a class that it has it though it
    /// has not.
    #[inline(always)]
    pub(crate) fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether the two sets have a class in common.
    #[inline(always)]
    pub(crate) fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    #[inline(always)]
    pub(crate) fn contains(self, class: ClassId) -> bool {
        self.intersects(Self::of(class))
    }

    /// Whether the set has more than one member.
    #[inline(always)]
    pub(crate) fn has_several(self) -> bool {
        self.0 & self.0.wrapping_sub(1) != 0
    }
}

impl FromIterator<ClassId> for ClassSet {
    fn from_iter<T: IntoIterator<Item = ClassId>>(classes: T) -> Self {
        classes.into_iter().fold(Self::NONE, |set, class| set.union(Self::of(class)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_never_lacks_a_class_that_it_was_given() {
        for index in 0..=u8::MAX {
            let class = ClassId(index);
            let set = ClassSet::of(class);
            assert!(set.contains(class) && set.union(ClassSet::of(ClassId(3))).contains(class));
            assert!(ClassSet::ALL.contains(class) && !ClassSet::NONE.contains(class));
            assert_eq!(set.has_several(), index > 63, "what has no bit of its own counts as all");
        }
        let two: ClassSet = [ClassId(1), ClassId(9)].into_iter().collect();
        assert!(two.has_several() && !two.contains(ClassId(2)));
        let left = two.without(ClassSet::of(ClassId(1)));
        assert_eq!(left, ClassSet::of(ClassId(9)));
        assert!(left.intersects(two) && !left.intersects(ClassSet::of(ClassId(1))));
    }
}
