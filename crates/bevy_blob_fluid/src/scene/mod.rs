//! The scene as entities: containers, blobs of liquid and forces, placed by their [`Transform`].

mod blob;
mod class;
mod container;
mod force;
mod placement;

pub use blob::{FluidBlob, FluidBlobFilled};
pub use class::FluidClass;
pub use container::{FluidContainer, FluidContainers};
pub use force::FluidForce;

use bevy::ecs::schedule::{InternedScheduleLabel, ScheduleLabel};
use bevy::prelude::*;

use crate::schedule::FluidSystems;

/// Brings the scene's entities into the simulation.
#[derive(Clone, Debug)]
pub struct FluidScenePlugin {
    schedule: InternedScheduleLabel,
}

impl FluidScenePlugin {
    /// Runs in that schedule, which must be the simulation's.
    pub fn new(schedule: impl ScheduleLabel) -> Self {
        Self { schedule: schedule.intern() }
    }
}

impl Default for FluidScenePlugin {
    fn default() -> Self {
        Self::new(FixedPostUpdate)
    }
}

impl Plugin for FluidScenePlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<FluidContainers>()
            .register_type::<FluidContainer>()
            .register_type::<FluidContainers>()
            .register_type::<FluidBlob>()
            .register_type::<FluidBlobFilled>()
            .register_type::<FluidClass>()
            .register_type::<FluidForce>()
            .add_systems(
                self.schedule,
                (container::sync_containers, force::sync_forces, blob::fill_blobs)
                    .chain()
                    .in_set(FluidSystems::SyncScene),
            );
    }
}
