//! Drawn over the liquid: what the simulation sees.
//!
//! | file | what it draws |
//! |---|---|
//! | `gizmos.rs` | nothing: which layers are on, and in which colours |
//! | `liquid.rs` | cells, sleep, neighbours, velocities, densities and springs |
//! | `entities.rs` | containers, colliders, sensors, emitters, drains and forces |
//! | `distance.rs` | how far it is to the walls |
//! | `pen.rs` | shapes, crosses and arrows |

mod distance;
mod entities;
mod gizmos;
mod liquid;
mod pen;

pub use gizmos::{FluidGizmoColors, FluidGizmos};

use bevy::ecs::schedule::{InternedScheduleLabel, ScheduleLabel};
use bevy::gizmos::GizmoAsset;
use bevy::gizmos::config::{GizmoConfig, GizmoConfigStore};
use bevy::prelude::*;

use crate::simulation::{Fluid, interpolation, is_fixed};

/// Draws what [`FluidGizmos`] says over the liquid, with Bevy's gizmos. All layers are off at first.
///
/// What moves is drawn where it is drawn itself, between two ticks. A layer stays within some ten
/// thousand lines: of more particles or springs only every so many are drawn, evenly all over the
/// liquid.
///
/// Not among [`BlobFluidPlugins`](crate::BlobFluidPlugins): add it beside them. In an app without
/// Bevy's gizmos, such as a headless one, it does nothing but keep its settings.
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
    /// For a fluid that is simulated in that schedule.
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

    /// Once all plugins are there: Bevy's may be added after this one.
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
                between_ticks.pipe(liquid::draw_liquid),
                distance::draw_distances,
                entities::draw_solids,
                entities::draw_forces,
                entities::draw_regions,
            )
                .chain()
                .after(TransformSystems::Propagate),
        );
    }
}
