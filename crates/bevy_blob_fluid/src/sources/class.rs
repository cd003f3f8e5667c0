//! The density class of an entity's liquid.

use bevy::ecs::query::QueryData;
use bevy::ecs::schedule::InternedScheduleLabel;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use blob_fluid::{ClassId, ClassTable};

use crate::materials::{FluidMadeOf, FluidMaterials};
use crate::simulation::FluidClasses;

/// Adds this file to the app.
pub(super) fn add_to(app: &mut App, _: InternedScheduleLabel) {
    app.register_type::<FluidClass>();
}

/// Density class of the liquid of a [`FluidBlob`](crate::FluidBlob) or
/// [`FluidEmitter`](crate::FluidEmitter): an index into [`FluidClasses`](crate::FluidClasses).
///
/// Liquid without it is of the [default
/// class](blob_fluid::ClassTable::default_class): medium as long as the three default classes are
/// in place, and otherwise the first.
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

/// The components that say which liquid an entity has.
#[derive(QueryData)]
pub(crate) struct StatedClass {
    class: Option<&'static FluidClass>,
    made_of: Option<&'static FluidMadeOf>,
}

impl StatedClassItem<'_, '_> {
    /// Whether the entity says which liquid it has.
    pub(crate) fn is_stated(&self) -> bool {
        self.class.is_some() || self.made_of.is_some()
    }
}

/// What is needed to find the class of an entity's liquid.
#[derive(SystemParam)]
pub(crate) struct KnownClasses<'w> {
    materials: Res<'w, FluidMaterials>,
    classes: Res<'w, FluidClasses>,
}

impl KnownClasses<'_> {
    /// The class of an entity's liquid in a simulation with this table; `None` while its material
    /// is loading.
    pub(crate) fn of(
        &self,
        stated: &StatedClassItem<'_, '_>,
        table: &ClassTable,
    ) -> Option<ClassId> {
        match (stated.made_of, stated.class) {
            (Some(FluidMadeOf(material)), _) => self.materials.class(material, &self.classes),
            (None, Some(FluidClass(class))) => Some(*class),
            (None, None) => Some(table.default_class()),
        }
    }
}
