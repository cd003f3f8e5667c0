//! The plugin group.

use bevy::app::PluginGroupBuilder;
use bevy::ecs::schedule::{InternedScheduleLabel, ScheduleLabel};
use bevy::prelude::*;

use crate::air::FluidAirPlugin;
use crate::forces::FluidForcesPlugin;
use crate::materials::FluidMaterialPlugin;
use crate::scenes::FluidSceneFilePlugin;
use crate::sensing::FluidSensingPlugin;
use crate::simulation::{FluidDiagnosticsPlugin, FluidSimulationPlugin};
use crate::solids::FluidSolidsPlugin;
use crate::sources::FluidSourcesPlugin;

/// All plugins of the crate.
///
/// | plugin | contents |
/// |---|---|
/// | [`FluidSimulationPlugin`] | particles, settings, clock and passes |
/// | [`FluidDiagnosticsPlugin`] | times and counts, in Bevy's diagnostics |
/// | [`FluidMaterialPlugin`] | liquids from `*.fluid.ron` files |
/// | [`FluidSolidsPlugin`] | containers, colliders, tiles, pipes, valves and bodies |
/// | [`FluidForcesPlugin`] | forces, impulses, blasts, brushes and fields |
/// | [`FluidSourcesPlugin`] | blobs, pools, emitters, drains, tanks and pumps, and shapes of images and texts |
/// | [`FluidSensingPlugin`] | sensors |
/// | [`FluidAirPlugin`] | air and its sources |
#[cfg_attr(
    feature = "snapshot",
    doc = "| [`FluidStreamingPlugin`](crate::FluidStreamingPlugin) | liquid far from all cameras is stored |"
)]
#[cfg_attr(
    feature = "avian2d",
    doc = "| [`FluidAvianPlugin`](crate::engines::FluidAvianPlugin) | colliders and bodies of avian2d |"
)]
#[cfg_attr(
    feature = "rapier2d",
    doc = "| [`FluidRapierPlugin`](crate::engines::FluidRapierPlugin) | colliders and bodies of bevy_rapier2d |"
)]
/// | [`FluidSceneFilePlugin`] | whole scenes from `*.scene.ron` files |
#[cfg_attr(
    feature = "render",
    doc = "| [`FluidRenderPlugin`](crate::render::FluidRenderPlugin) | surfaces and dots of the liquid |"
)]
#[cfg_attr(
    feature = "render",
    doc = "| [`FluidAirRenderPlugin`](crate::render::FluidAirRenderPlugin) | smoke, fire and streamlines |"
)]
#[cfg_attr(
    feature = "render",
    doc = "| [`FluidPublishPlugin`](crate::FluidPublishPlugin) | hands the particles to the renderer |"
)]
///
/// Adding the group twice is an error, as with any Bevy plugin.
#[derive(Clone, Debug)]
pub struct BlobFluidPlugins {
    schedule: InternedScheduleLabel,
}

impl BlobFluidPlugins {
    /// Simulates in the given schedule instead of [`FixedPostUpdate`].
    ///
    /// ```
    /// use bevy::prelude::*;
    /// use bevy_blob_fluid::prelude::*;
    /// App::new().add_plugins((MinimalPlugins, BlobFluidPlugins::new(Update)));
    /// ```
    pub fn new(schedule: impl ScheduleLabel) -> Self {
        Self { schedule: schedule.intern() }
    }
}

impl Default for BlobFluidPlugins {
    fn default() -> Self {
        Self::new(FixedPostUpdate)
    }
}

impl PluginGroup for BlobFluidPlugins {
    fn build(self) -> PluginGroupBuilder {
        let group = PluginGroupBuilder::start::<Self>()
            .add(FluidSimulationPlugin::new(self.schedule))
            .add(FluidDiagnosticsPlugin)
            .add(FluidMaterialPlugin::new(self.schedule))
            .add(FluidSolidsPlugin::new(self.schedule))
            .add(FluidForcesPlugin::new(self.schedule))
            .add(FluidSourcesPlugin::new(self.schedule))
            .add(FluidSensingPlugin::new(self.schedule))
            .add(FluidAirPlugin::new(self.schedule))
            .add(FluidSceneFilePlugin::new(self.schedule));
        #[cfg(feature = "snapshot")]
        let group = group.add(crate::streaming::FluidStreamingPlugin::new(self.schedule));
        #[cfg(feature = "avian2d")]
        let group = group.add(crate::engines::FluidAvianPlugin::new(self.schedule));
        #[cfg(feature = "rapier2d")]
        let group = group.add(crate::engines::FluidRapierPlugin::new(self.schedule));
        #[cfg(feature = "render")]
        let group = group
            .add(crate::render::FluidRenderPlugin::default())
            .add(crate::render::FluidAirRenderPlugin)
            .add(crate::publish::FluidPublishPlugin::new(self.schedule));
        group
    }
}
