//! The density class of an entity's liquid.

use bevy::prelude::*;
use blob_fluid::ClassId;

/// Density class of the liquid of a [`FluidBlob`](crate::FluidBlob): an index into
/// [`FluidClasses`](crate::FluidClasses).
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Component, Default, Debug, PartialEq, Hash)]
pub struct FluidClass(pub ClassId);

impl FluidClass {
    /// The heaviest of the three default classes.
    pub const HEAVY: Self = Self(ClassId::HEAVY);
    /// The middle one of the three default classes.
    pub const MEDIUM: Self = Self(ClassId::MEDIUM);
    /// The lightest of the three default classes.
    pub const LIGHT: Self = Self(ClassId::LIGHT);

    /// The class at an index of [`FluidClasses`](crate::FluidClasses).
    pub const fn new(index: u8) -> Self {
        Self(ClassId(index))
    }
}

impl From<ClassId> for FluidClass {
    fn from(class: ClassId) -> Self {
        Self(class)
    }
}
