//! Materials as assets: liquids that come with the plugin, or are described in `*.fluid.ron` files
//! that are loaded and reloaded while the game runs.

mod built_in;
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

/// A liquid as an asset: a [`Material`] that comes with the plugin, or one from a `*.fluid.ron`
/// file.
///
/// It is used once an entity has it ([`FluidMadeOf`]) or the game requests it
/// ([`FluidMaterials::request`]). Its class is then found in [`FluidClasses`] by its name, and
/// replaces another class of that name. The materials that it turns into are loaded from the files
/// beside its own; those that come with the plugin turn into one another. If Bevy watches files,
/// changes of the file are applied while the game runs. An invalid file is an error with line and
/// column in the log, and the last valid material stays in use.
#[derive(Asset, TypePath, Clone, Debug, PartialEq, Deref)]
pub struct FluidMaterialAsset(pub Material);

/// The material of a [`FluidBlob`](crate::FluidBlob) or a [`FluidEmitter`](crate::FluidEmitter).
///
/// The constants are materials that come with the plugin and need no file. A blob of a material
/// from a file is filled when the material has been loaded.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn setup(mut commands: Commands, assets: Res<AssetServer>) {
///     commands.spawn((FluidBlob::from(Circle::new(150.0)), FluidMadeOf::HONEY));
///     commands.spawn((
///         FluidEmitter::jet(40.0, 300.0),
///         FluidMadeOf(assets.load("materials/sap.fluid.ron")),
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
    /// Assets in the order of their requests.
    handles: Vec<Handle<FluidMaterialAsset>>,
    /// Names of the classes of the materials in use.
    names: HashMap<AssetId<FluidMaterialAsset>, String>,
    loading: bool,
}

impl FluidMaterials {
    /// Requests a material. Its class is added when the material and all that it turns into are
    /// loaded.
    ///
    /// ```
    /// use bevy::prelude::*;
    /// use bevy_blob_fluid::prelude::*;
    ///
    /// fn setup(assets: Res<AssetServer>, mut materials: ResMut<FluidMaterials>) {
    ///     materials.request(FluidMadeOf::LAVA.0);
    ///     materials.request(assets.load("materials/sap.fluid.ron"));
    /// }
    /// ```
    pub fn request(&mut self, material: Handle<FluidMaterialAsset>) {
        if !self.handles.contains(&material) {
            self.handles.push(material);
            self.loading = true;
        }
    }

    /// Whether a requested material is still being loaded.
    ///
    /// While it is true, no class of a new material is added.
    pub fn are_loading(&self) -> bool {
        self.loading
    }

    /// The assets that a class of a name came from, in the order of their requests: none for a class
    /// that no material brought.
    ///
    /// ```
    /// use bevy::prelude::*;
    /// use bevy_blob_fluid::prelude::*;
    ///
    /// /// Whether a class follows a file, so that edits of it belong into the asset.
    /// fn has_a_file(class: &str, materials: &FluidMaterials) -> bool {
    ///     materials.assets_of(class).next().is_some()
    /// }
    ///
    /// assert!(!has_a_file("water", &FluidMaterials::default()));
    /// ```
    pub fn assets_of<'a>(
        &'a self,
        class: &'a str,
    ) -> impl Iterator<Item = AssetId<FluidMaterialAsset>> + 'a {
        let ids = self.handles.iter().map(Handle::id);
        ids.filter(move |id| self.names.get(id).is_some_and(|name| name == class))
    }

    /// The class of a material, once the material is in use.
    pub fn class(
        &self,
        material: &Handle<FluidMaterialAsset>,
        classes: &FluidClasses,
    ) -> Option<ClassId> {
        classes.find(self.names.get(&material.id())?)
    }
}

/// Adds the materials that come with the plugin to the assets, loads others from files, and adds
/// those in use to the classes. It needs Bevy's asset plugin, and does nothing without it.
#[derive(Clone, Debug)]
pub struct FluidMaterialPlugin {
    schedule: InternedScheduleLabel,
}

impl FluidMaterialPlugin {
    /// The plugin for a fluid that is simulated in the given schedule.
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

    /// This runs in `finish`, because Bevy's plugins may be added after this one.
    fn finish(&self, app: &mut App) {
        if !app.world().contains_resource::<AssetServer>() {
            return;
        }
        app.init_asset::<FluidMaterialAsset>();
        if let Err(error) = built_in::add_all(&mut app.world_mut().resource_mut()) {
            error!("fluid materials: {error}");
        }
        app.init_asset_loader::<FluidMaterialLoader>()
            .register_type::<Handle<FluidMaterialAsset>>()
            .add_systems(
                self.schedule,
                sync::sync_materials
                    .in_set(FluidSystems::SyncSettings)
                    .before(crate::simulation::sync_classes),
            );
    }
}
