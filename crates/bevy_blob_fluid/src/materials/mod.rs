//! Materials as assets: liquids that come with the plugin, or are described in `*.fluid.ron` files
//! that are loaded and reloaded while the game runs.

mod asset;
mod built_in;
mod filter;
mod in_use;
mod loader;
mod made_of;
mod sync;

pub use asset::FluidMaterialAsset;
pub(crate) use filter::FilteredClasses;
pub use filter::FluidClassFilter;
pub use in_use::FluidMaterials;
pub use loader::FluidMaterialLoader;
pub use made_of::FluidMadeOf;

use bevy::ecs::schedule::{InternedScheduleLabel, ScheduleLabel};
use bevy::prelude::*;

use crate::schedule::FluidSystems;
use crate::simulation::{RestartApp, sync_classes};

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
            .add_observer(sync::request_material)
            .on_restart(sync::start_over);
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
                sync::sync_materials.in_set(FluidSystems::SyncSettings).before(sync_classes),
            );
    }
}
