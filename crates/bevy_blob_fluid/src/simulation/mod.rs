//! The simulation as resources and systems: its state, its clock, and one thin system per pass.

mod air;
mod clock;
#[cfg(feature = "gpu")]
mod device;
mod diagnostics;
mod executor;
mod passes;
mod resources;
mod sync;

pub use clock::{Fluid, FluidClock, FluidTick};
pub(crate) use clock::{KeepsPace, RestartApp, begin_frame, interpolation, is_fixed};
#[cfg(feature = "gpu")]
pub(crate) use device::{DeviceLiquid, forget, is_on_device};
pub use diagnostics::{FluidDeviceTimes, FluidDiagnosticsPlugin, FluidPassTimes};
#[cfg(feature = "snapshot")]
pub(crate) use passes::{run_substeps, set_effort};
pub(crate) use resources::FluidGovernor;
pub use resources::{FluidBackend, FluidSettings, FluidSimulation, FluidStatistics};
pub(crate) use sync::{EntityFields, sync_classes};
pub use sync::{FluidClasses, FluidForceFields};

use bevy::ecs::schedule::{InternedScheduleLabel, ScheduleLabel};
use bevy::prelude::*;
use blob_fluid::{ClassPair, ParticleId, ParticleSpawn, Spring};

use crate::schedule::{self, FluidSystems};

/// Simulates the liquid, and draws nothing.
#[derive(Clone, Debug)]
pub struct FluidSimulationPlugin {
    schedule: InternedScheduleLabel,
}

impl FluidSimulationPlugin {
    /// Simulates in the given schedule. Each run of a fixed schedule is one tick. In any other
    /// schedule, such as [`Update`], the number of ticks follows from the elapsed time.
    pub fn new(schedule: impl ScheduleLabel) -> Self {
        Self { schedule: schedule.intern() }
    }
}

impl Default for FluidSimulationPlugin {
    fn default() -> Self {
        Self::new(FixedPostUpdate)
    }
}

impl Plugin for FluidSimulationPlugin {
    fn build(&self, app: &mut App) {
        // An app may lack Bevy's time plugin; then no tick runs.
        app.init_resource::<Time>()
            .init_resource::<Time<Fixed>>()
            .init_resource::<FluidSimulation>()
            .init_resource::<FluidSettings>()
            .init_resource::<FluidClasses>()
            .init_resource::<FluidStatistics>()
            .init_resource::<resources::RemovedOnDevice>()
            .init_resource::<FluidPassTimes>()
            .init_resource::<FluidDeviceTimes>()
            .init_resource::<FluidForceFields>()
            .init_resource::<EntityFields>()
            .init_resource::<KeepsPace>()
            .init_resource::<FluidGovernor>()
            .insert_resource(Time::<Fluid>::default())
            .register_type::<FluidSimulation>()
            .register_type::<FluidSettings>()
            .register_type::<FluidClasses>()
            .register_type::<FluidStatistics>()
            .register_type::<FluidPassTimes>()
            .register_type::<FluidDeviceTimes>()
            .register_type::<FluidForceFields>()
            .register_type::<Time<Fluid>>()
            .register_type::<ClassPair>()
            .register_type::<ParticleId>()
            .register_type::<ParticleSpawn>()
            .register_type::<Spring>();
        schedule::configure(app, self.schedule);
        app.add_systems(First, begin_frame)
            .add_systems(
                self.schedule,
                (sync::sync_settings, sync_classes, sync::warn_of_ignored_settings)
                    .chain()
                    .in_set(FluidSystems::SyncSettings),
            )
            .add_systems(
                self.schedule,
                sync::sync_force_fields
                    .after(FluidSystems::SyncEntities)
                    .before(FluidSystems::Tick),
            )
            .add_systems(self.schedule, clock::run_due_ticks.in_set(FluidSystems::Tick));
        passes::add_step(app);
        #[cfg(feature = "gpu")]
        device::add_device(app, self.schedule);
        #[cfg(not(feature = "gpu"))]
        app.add_systems(
            self.schedule,
            sync::warn_of_missing_feature.in_set(FluidSystems::SyncSettings),
        );
        air::add_air_passes(app);
        app.starts_over::<FluidSettings>()
            .starts_over::<FluidClasses>()
            .starts_over::<FluidForceFields>()
            .starts_over::<Time<Fluid>>()
            .on_restart(|world| world.resource_mut::<EntityFields>().set_changed());
        app.add_systems(Startup, executor::warn_if_missing);
    }
}
