//! Which liquids an entity means, before their classes exist.

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use blob_fluid::{ClassFilter, ClassId};
use thiserror::Error;

use super::asset::FluidMaterialAsset;
use super::in_use::FluidMaterials;
use super::made_of::FluidMadeOf;
use crate::simulation::FluidClasses;

/// The liquids that a [`FluidDrain`](crate::FluidDrain) takes or a [`FluidSensor`](crate::FluidSensor)
/// counts: by the ids of their classes, by the names of these, and by materials. Default all.
///
/// A name or a material stands for no class until there is one: until the material is
/// [in use](FluidMaterials::request) and loaded. A name that no class has is warned about once.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn setup(mut commands: Commands) {
///     commands.spawn((FluidEmitter::jet(40.0, 300.0), FluidMadeOf::LAVA));
///     // The class of lava, and that of the stone that it becomes, do not exist yet.
///     commands.spawn(FluidSensor::from(Circle::new(40.0)).with_classes(FluidMadeOf::LAVA));
///     commands.spawn(FluidDrain::from(Circle::new(40.0)).taking(["stone", "heavy"]));
/// }
/// ```
#[derive(Reflect, Clone, Debug, PartialEq)]
#[reflect(Default, Debug, PartialEq)]
pub struct FluidClassFilter {
    /// Classes by their ids.
    pub ids: ClassFilter,
    /// Classes by their names.
    pub names: Vec<String>,
    /// The classes of materials.
    pub materials: Vec<FluidMadeOf>,
}

impl FluidClassFilter {
    /// Every class.
    pub const ALL: Self = Self::of(ClassFilter::ALL);

    const fn of(ids: ClassFilter) -> Self {
        Self { ids, names: Vec::new(), materials: Vec::new() }
    }

    /// The classes that it stands for now.
    ///
    /// ```
    /// use bevy_blob_fluid::prelude::*;
    ///
    /// let classes = FluidClasses::default();
    /// let filter = FluidClassFilter::from(["light", "tar"]);
    /// let known = filter.known(&classes, &FluidMaterials::default());
    /// assert_eq!(known, ClassFilter::from(ClassId::LIGHT));
    /// ```
    pub fn known(&self, classes: &FluidClasses, materials: &FluidMaterials) -> ClassFilter {
        let by_name = self.names.iter().filter_map(|name| classes.find(name));
        let made_of = self.materials.iter();
        let by_material = made_of.filter_map(|FluidMadeOf(asset)| materials.class(asset, classes));
        by_name.chain(by_material).fold(self.ids, ClassFilter::with)
    }
}

/// It is a value, and in Bevy's scenes as well: these take what holds a handle for a template of
/// something else, unless it is `Unpin`.
impl Unpin for FluidClassFilter {}

impl Default for FluidClassFilter {
    fn default() -> Self {
        Self::ALL
    }
}

impl From<ClassFilter> for FluidClassFilter {
    fn from(ids: ClassFilter) -> Self {
        Self::of(ids)
    }
}

impl From<ClassId> for FluidClassFilter {
    fn from(class: ClassId) -> Self {
        Self::of(class.into())
    }
}

impl From<&str> for FluidClassFilter {
    fn from(name: &str) -> Self {
        Self { names: vec![name.into()], ..Self::of(ClassFilter::NONE) }
    }
}

impl From<FluidMadeOf> for FluidClassFilter {
    fn from(material: FluidMadeOf) -> Self {
        Self { materials: vec![material], ..Self::of(ClassFilter::NONE) }
    }
}

impl From<Handle<FluidMaterialAsset>> for FluidClassFilter {
    fn from(material: Handle<FluidMaterialAsset>) -> Self {
        FluidMadeOf(material).into()
    }
}

impl<T: Into<Self>, const N: usize> From<[T; N]> for FluidClassFilter {
    /// All that any of them stands for.
    fn from(filters: [T; N]) -> Self {
        let none = Self::of(ClassFilter::NONE);
        filters.into_iter().map(Into::into).fold(none, |mut all, mut more: Self| {
            let ids: Vec<ClassId> = more.ids.into();
            all.ids = ids.into_iter().fold(all.ids, ClassFilter::with);
            all.names.append(&mut more.names);
            all.materials.append(&mut more.materials);
            all
        })
    }
}

/// A name in a filter that no class has.
#[derive(Error, Clone, Debug, PartialEq, Eq)]
#[error("there is no class `{0}`, or not yet")]
pub(crate) struct UnknownClass(String);

/// What is needed to find the classes of a filter.
#[derive(SystemParam)]
pub(crate) struct FilteredClasses<'w> {
    classes: Res<'w, FluidClasses>,
    /// There are none without the plugin of materials.
    materials: Option<Res<'w, FluidMaterials>>,
}

impl FilteredClasses<'_> {
    /// The classes that a filter stands for now.
    pub(crate) fn of(&self, filter: &FluidClassFilter) -> ClassFilter {
        match &self.materials {
            _ if filter.names.is_empty() && filter.materials.is_empty() => filter.ids,
            Some(materials) => filter.known(&self.classes, materials),
            None => filter.known(&self.classes, &FluidMaterials::default()),
        }
    }

    /// Finds a name that no class has, once no material is being loaded that might bring it.
    pub(crate) fn check(&self, filter: &FluidClassFilter) -> Result<(), UnknownClass> {
        if self.materials.as_ref().is_some_and(|materials| materials.are_loading()) {
            return Ok(());
        }
        match filter.names.iter().find(|name| self.classes.find(name).is_none()) {
            Some(name) => Err(UnknownClass(name.clone())),
            None => Ok(()),
        }
    }
}
