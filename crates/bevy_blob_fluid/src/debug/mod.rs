//! Draws the state of the simulation over the liquid.
//!
//! `draw.rs` holds the layers, their colours and the systems that draw them.

mod draw;

pub use draw::{FluidGizmoColors, FluidGizmos};

use bevy::ecs::schedule::{InternedScheduleLabel, ScheduleLabel};
use bevy::gizmos::GizmoAsset;
use bevy::gizmos::config::{GizmoConfig, GizmoConfigStore};
use bevy::prelude::*;

use crate::simulation::{Fluid, interpolation, is_fixed};

/// Draws the layers of [`FluidGizmos`] over the liquid, with Bevy's gizmos. Initially all layers
/// are off.
///
/// Moving items are interpolated between two ticks, like the liquid itself. Each layer of particles, cells or springs
/// has at most 40,000 lines: if there are more items, an even sample of them is drawn.
///
/// This plugin is not part of [`BlobFluidPlugins`](crate::BlobFluidPlugins): add both. In an app
/// without Bevy's gizmos, such as a headless app, it draws nothing.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// App::new().add_plugins((
///     MinimalPlugins,
///     BlobFluidPlugins::default(),
///     FluidDebugPlugin::default(),
/// ));
/// ```
#[derive(Clone, Debug)]
pub struct FluidDebugPlugin {
    schedule: InternedScheduleLabel,
}

impl FluidDebugPlugin {
    /// Draws a liquid that is simulated in the given schedule.
    pub fn new(schedule: impl ScheduleLabel) -> Self {
        Self { schedule: schedule.intern() }
    }
}

impl Default for FluidDebugPlugin {
    fn default() -> Self {
        Self::new(FixedPostUpdate)
    }
}

impl Plugin for FluidDebugPlugin {
    fn build(&self, app: &mut App) {
        app.register_type::<FluidGizmos>().register_type::<FluidGizmoColors>();
        let mut store = app.world_mut().get_resource_or_init::<GizmoConfigStore>();
        if store.get_config::<FluidGizmos>().is_none() {
            store.insert(GizmoConfig::default(), FluidGizmos::default());
        }
    }

    /// Runs in `finish`, after all plugins are added.
    fn finish(&self, app: &mut App) {
        if !app.world().contains_resource::<Assets<GizmoAsset>>() {
            return;
        }
        let store = app.world().resource::<GizmoConfigStore>();
        let (config, gizmos) = store.config::<FluidGizmos>();
        let (config, gizmos) = (config.clone(), gizmos.clone());
        app.insert_gizmo_config(gizmos, config);
        let in_fixed_schedule = is_fixed(self.schedule);
        let between_ticks = move |time: Res<Time<Fluid>>, fixed: Res<Time<Fixed>>| {
            interpolation(&time, &fixed, in_fixed_schedule)
        };
        app.add_systems(
            PostUpdate,
            (
                between_ticks.pipe(draw::draw_liquid),
                draw::draw_distances,
                draw::draw_solids,
                draw::draw_forces,
                draw::draw_regions,
                draw::draw_air,
            )
                .chain()
                .after(TransformSystems::Propagate),
        );
    }
}
