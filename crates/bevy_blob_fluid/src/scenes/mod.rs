//! Scenes as assets: whole worlds described in `*.scene.ron` files, each shown by an entity.

mod loader;
mod show;

pub use loader::{FluidSceneLoader, FluidSceneLoaderError};

use bevy::ecs::schedule::{InternedScheduleLabel, ScheduleLabel};
use bevy::prelude::*;
use blob_fluid::scene::Scene;

use crate::schedule::{FluidEntitySystems, FluidSystems};
use crate::simulation::RestartApp;

/// A scene as an asset: a [`Scene`] from a `*.scene.ron` file, with the materials that it names and
/// all materials that these turn into, from the folder `materials` beside the scene's own folder.
#[derive(Asset, TypePath, Clone, Debug, PartialEq, Deref)]
pub struct FluidSceneAsset(pub Scene);

/// Shows a scene from a file once it has been loaded.
///
/// Its parameters and classes replace those in [`FluidSettings`](crate::FluidSettings) and
/// [`FluidClasses`](crate::FluidClasses), its containers and colliders become children of the
/// entity, and its liquid replaces all liquid. A [`FluidSceneShown`] follows. The scene's settling,
/// duration and tick rate are ignored.
///
/// There is one liquid, hence one scene. Of several roots the one that was inserted last is shown,
/// and the one before it when the last is removed. Removing the entity, or this component, removes
/// its solids and all liquid; settings and classes stay. The entity's [`Transform`] places the
/// scene at the moment when it is shown. A scaled transform is warned about, and the scene is not
/// shown.
///
/// When the file changes, the scene is shown again from its beginning; when only its materials
/// change, these are applied. An impossible scene is warned about, and the last one stays.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn setup(mut commands: Commands, assets: Res<AssetServer>) {
///     let scene = assets.load("scenes/lava_meets_water.scene.ron");
///     commands.spawn(FluidSceneRoot(scene)).observe(|shown: On<FluidSceneShown>| {
///         info!("{} is there", shown.entity);
///     });
/// }
/// ```
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
#[component(immutable)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(Transform)]
#[cfg_attr(feature = "render", require(Visibility))]
pub struct FluidSceneRoot(pub Handle<FluidSceneAsset>);

/// The scene of a [`FluidSceneRoot`] has been set up, and its first tick is next.
#[derive(EntityEvent, Reflect, Clone, Copy, Debug, PartialEq, Eq)]
#[reflect(Debug, PartialEq)]
pub struct FluidSceneShown {
    /// The entity with the [`FluidSceneRoot`].
    pub entity: Entity,
}

/// Loads scenes and shows them. Needs Bevy's asset plugin and the plugins
/// [`FluidMaterialPlugin`](crate::FluidMaterialPlugin), [`FluidSolidsPlugin`](crate::FluidSolidsPlugin)
/// and [`FluidAirPlugin`](crate::FluidAirPlugin); it does nothing in an app without assets.
#[derive(Clone, Debug)]
pub struct FluidSceneFilePlugin {
    schedule: InternedScheduleLabel,
}

impl FluidSceneFilePlugin {
    /// The plugin for a fluid that is simulated in the given schedule.
    pub fn new(schedule: impl ScheduleLabel) -> Self {
        Self { schedule: schedule.intern() }
    }
}

impl Default for FluidSceneFilePlugin {
    fn default() -> Self {
        Self::new(FixedPostUpdate)
    }
}

impl Plugin for FluidSceneFilePlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<show::SceneRoots>()
            .register_type::<FluidSceneRoot>()
            .register_type::<FluidSceneShown>()
            .add_observer(show::add_root)
            .add_observer(show::remove_root)
            .on_restart(show::start_over);
    }

    /// This runs in `finish`, because Bevy's plugins may be added after this one.
    fn finish(&self, app: &mut App) {
        if !app.world().contains_resource::<AssetServer>() {
            return;
        }
        app.init_asset::<FluidSceneAsset>()
            .init_asset_loader::<FluidSceneLoader>()
            .register_type::<Handle<FluidSceneAsset>>()
            .add_systems(
                self.schedule,
                (
                    (show::show_scene, show::move_solids)
                        .chain()
                        .before(FluidEntitySystems::Containers),
                    show::fill_scene
                        .after(FluidEntitySystems::Colliders)
                        .before(FluidEntitySystems::Blobs),
                )
                    .in_set(FluidSystems::SyncEntities),
            );
    }
}
