//! Scenes as assets: whole worlds described in `*.scene.ron` files, each shown by an entity.

mod asset;
mod loader;
mod root;
mod show;

pub use asset::FluidSceneAsset;
pub use loader::{FluidSceneLoader, FluidSceneLoaderError};
pub use root::{FluidSceneRoot, FluidSceneShown};
#[cfg(feature = "snapshot")]
pub(crate) use show::SolidMotion;

use bevy::ecs::schedule::{InternedScheduleLabel, ScheduleLabel};
use bevy::prelude::*;

use crate::schedule::{FluidEntitySystems, FluidSystems};
use crate::simulation::RestartApp;

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
                        .in_set(FluidEntitySystems::Scenes),
                    // Its solids are in place.
                    show::fill_scene
                        .in_set(FluidSystems::SyncEntities)
                        .after(FluidEntitySystems::Fields)
                        .before(FluidEntitySystems::Blobs),
                ),
            );
    }
}
