//! Materials as assets: liquids described in `*.fluid.ron` files, loaded and reloaded while the
//! game runs.

mod loader;
mod sync;

pub use loader::FluidMaterialLoader;

use bevy::ecs::schedule::{InternedScheduleLabel, ScheduleLabel};
use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use blob_fluid::ClassId;
use blob_fluid::material::Material;

use crate::schedule::FluidSystems;
use crate::simulation::FluidClasses;

/// A liquid as an asset: a [`Material`] from a `*.fluid.ron` file.
///
/// It counts once something is made of it ([`FluidMadeOf`]) or asks for it
/// ([`FluidMaterials::request`]). Its class is then found in [`FluidClasses`] by its name, taking
/// the place of another of that name; what it turns into is loaded from the files beside its own.
/// Changes of the file come into force while the game runs, where Bevy watches files. A file that
/// is wrong is an error with line and column in the log, and what was there before stays in force.
#[derive(Asset, TypePath, Clone, Debug, PartialEq, Deref)]
pub struct FluidMaterialAsset(pub Material);

/// The material of a [`FluidBlob`](crate::FluidBlob), which is filled when that has been loaded.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn setup(mut commands: Commands, assets: Res<AssetServer>) {
///     commands.spawn((
///         FluidBlob::from(Circle::new(150.0)),
///         FluidMadeOf(assets.load("materials/honey.fluid.ron")),
///     ));
/// }
/// ```
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
#[component(immutable)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct FluidMadeOf(pub Handle<FluidMaterialAsset>);

/// The materials in use.
#[derive(Resource, Reflect, Clone, Debug, Default)]
#[reflect(opaque, Resource, Default, Debug)]
pub struct FluidMaterials {
    /// In the order they were asked for.
    handles: Vec<Handle<FluidMaterialAsset>>,
    /// Names of the classes of those in force.
    names: HashMap<AssetId<FluidMaterialAsset>, String>,
    loading: bool,
}

impl FluidMaterials {
    /// Asks for a material. Its class is there when it and all it turns into have been loaded.
    pub fn request(&mut self, material: Handle<FluidMaterialAsset>) {
        if !self.handles.contains(&material) {
            self.handles.push(material);
            self.loading = true;
        }
    }

    /// Whether something that was asked for is still being loaded.
    ///
    /// Until then no material's class is there, except where it was before.
    pub fn are_loading(&self) -> bool {
        self.loading
    }

    /// The assets that a class of that name came from, in the order they were asked for.
    #[cfg(feature = "panel")]
    pub(crate) fn assets_of<'a>(
        &'a self,
        class: &'a str,
    ) -> impl Iterator<Item = AssetId<FluidMaterialAsset>> + 'a {
        let ids = self.handles.iter().map(Handle::id);
        ids.filter(move |id| self.names.get(id).is_some_and(|name| name == class))
    }

    /// The class of a material, once that is in force.
    pub fn class(
        &self,
        material: &Handle<FluidMaterialAsset>,
        classes: &FluidClasses,
    ) -> Option<ClassId> {
        classes.find(self.names.get(&material.id())?)
    }
}

/// Loads materials and brings them into the classes. Needs Bevy's asset plugin; does nothing
/// without it.
#[derive(Clone, Debug)]
pub struct FluidMaterialPlugin {
    schedule: InternedScheduleLabel,
}

impl FluidMaterialPlugin {
    /// For a fluid that is simulated in that schedule.
    pub fn new(schedule: impl ScheduleLabel) -> Self {
        Self { schedule: schedule.intern() }
    }
}

impl Default for FluidMaterialPlugin {
    fn default() -> Self {
        Self::new(FixedPostUpdate)
    }
}

impl Plugin for FluidMaterialPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<FluidMaterials>()
            .register_type::<FluidMaterials>()
            .register_type::<FluidMadeOf>()
            .add_observer(sync::request_material);
    }

    /// Once all plugins are there: Bevy's may be added after this one.
    fn finish(&self, app: &mut App) {
        if !app.world().contains_resource::<AssetServer>() {
            return;
        }
        app.init_asset::<FluidMaterialAsset>()
            .init_asset_loader::<FluidMaterialLoader>()
            .register_type::<Handle<FluidMaterialAsset>>()
            .add_systems(
                self.schedule,
                sync::sync_materials
                    .in_set(FluidSystems::SyncSettings)
                    .before(crate::simulation::sync_classes),
            );
    }
}
