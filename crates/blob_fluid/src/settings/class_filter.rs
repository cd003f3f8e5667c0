//! Sets of classes.

use crate::settings::class::ClassId;
use crate::stored::stored;

/// A set of density classes: the classes that a collider stops, a force pushes, a sensor counts,
/// ...
///
/// ```
/// use blob_fluid::{ClassFilter, ClassId};
/// let not_oil = ClassFilter::ALL.without(ClassId::LIGHT);
/// assert!(not_oil.contains(ClassId::HEAVY) && !not_oil.contains(ClassId::LIGHT));
/// assert_eq!(ClassFilter::from(ClassId(7)), ClassFilter::NONE.with(ClassId(7)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(from = "Vec<ClassId>", into = "Vec<ClassId>"))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
#[cfg_attr(feature = "bevy_reflect", reflect(opaque, Clone, Debug, PartialEq, Hash))]
pub struct ClassFilter([u64; 4]);

stored!(ClassFilter { 0: layers });

impl Default for ClassFilter {
    /// Every class.
    fn default() -> Self {
        Self::ALL
    }
}

impl ClassFilter {
    /// Every class.
    pub const ALL: Self = Self([u64::MAX; 4]);

    /// No class.
    pub const NONE: Self = Self([0; 4]);

    /// This set with one more class.
    #[must_use]
    pub const fn with(mut self, class: ClassId) -> Self {
        self.0[(class.0 / 64) as usize] |= 1 << (class.0 % 64);
        self
    }

    /// This set without one class.
    #[must_use]
    pub const fn without(mut self, class: ClassId) -> Self {
        self.0[(class.0 / 64) as usize] &= !(1 << (class.0 % 64));
        self
    }

    /// Whether a class is in the set.
    #[inline]
    pub const fn contains(&self, class: ClassId) -> bool {
        self.0[(class.0 / 64) as usize] >> (class.0 % 64) & 1 == 1
    }
}

impl From<ClassId> for ClassFilter {
    /// The set that contains only this class.
    fn from(class: ClassId) -> Self {
        Self::NONE.with(class)
    }
}

impl FromIterator<ClassId> for ClassFilter {
    fn from_iter<T: IntoIterator<Item = ClassId>>(classes: T) -> Self {
        classes.into_iter().fold(Self::NONE, Self::with)
    }
}

impl From<Vec<ClassId>> for ClassFilter {
    fn from(classes: Vec<ClassId>) -> Self {
        classes.into_iter().collect()
    }
}

impl From<ClassFilter> for Vec<ClassId> {
    fn from(filter: ClassFilter) -> Self {
        ClassId::all().filter(|class| filter.contains(*class)).collect()
    }
}
