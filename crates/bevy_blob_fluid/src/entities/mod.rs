//! The plugin that copies the entities into the simulation.

use bevy::ecs::schedule::{InternedScheduleLabel, ScheduleLabel};
use bevy::prelude::*;

use crate::air::{self, FluidAir, FluidAirReport, FluidAirSource};
use crate::engines::{EngineBodies, FluidHosts, gather_loads, move_hosts, sync_hosts};
use crate::forces::{self, FluidField, FluidForce, FluidImpulse};
use crate::schedule::{self, FluidSchedule, FluidSenseSystems, FluidSystems, FluidTickSystems};
use crate::sensing::{
    self, FluidAirReading, FluidDrained, FluidEntered, FluidFilled, FluidLeft, FluidSensor,
    FluidSensorReading,
};
use crate::simulation::{Fluid, RestartApp, interpolation, is_fixed};
use crate::solids::{
    self, FluidBuoyant, FluidCollider, FluidColliders, FluidContainer, FluidContainers, FluidLoad,
    FluidMotion, FluidTiles,
};
#[cfg(feature = "picture")]
use crate::sources::FluidPicture;
#[cfg(feature = "text")]
use crate::sources::FluidText;
use crate::sources::{
    self, FluidBlob, FluidBlobFilled, FluidClass, FluidDrain, FluidDrainTotals, FluidEmitter,
    FluidEmitterTotals,
};

/// Copies the entities into the simulation.
#[derive(Clone, Debug)]
pub struct FluidEntitiesPlugin {
    schedule: InternedScheduleLabel,
}

impl FluidEntitiesPlugin {
    /// Runs in the given schedule, which must be the simulation's.
    pub fn new(schedule: impl ScheduleLabel) -> Self {
        Self { schedule: schedule.intern() }
    }
}

impl Default for FluidEntitiesPlugin {
    fn default() -> Self {
        Self::new(FixedPostUpdate)
    }
}

impl Plugin for FluidEntitiesPlugin {
    fn build(&self, app: &mut App) {
        let in_fixed_schedule = is_fixed(self.schedule);
        let between_ticks = move |time: Res<Time<Fluid>>, fixed: Res<Time<Fixed>>| {
            interpolation(&time, &fixed, in_fixed_schedule)
        };
        app.init_resource::<FluidContainers>()
            .init_resource::<FluidColliders>()
            .init_resource::<EngineBodies>()
            .init_resource::<FluidHosts>()
            .register_type::<FluidContainer>()
            .register_type::<FluidContainers>()
            .register_type::<FluidCollider>()
            .register_type::<FluidColliders>()
            .register_type::<FluidBlob>()
            .register_type::<FluidBlobFilled>()
            .register_type::<FluidClass>()
            .register_type::<FluidTiles>()
            .register_type::<FluidForce>()
            .register_type::<FluidAir>()
            .register_type::<FluidAirReport>()
            .register_type::<FluidAirSource>()
            .register_type::<FluidField>()
            .register_type::<FluidBuoyant>()
            .register_type::<FluidMotion>()
            .register_type::<FluidLoad>()
            .register_type::<FluidEmitter>()
            .register_type::<FluidEmitterTotals>()
            .register_type::<FluidDrain>()
            .register_type::<FluidDrainTotals>()
            .register_type::<FluidSensor>()
            .register_type::<FluidSensorReading>()
            .register_type::<FluidAirReading>()
            .register_type::<FluidEntered>()
            .register_type::<FluidLeft>()
            .register_type::<FluidFilled>()
            .register_type::<FluidDrained>()
            .add_message::<FluidEntered>()
            .add_message::<FluidLeft>()
            .add_message::<FluidFilled>()
            .add_message::<FluidDrained>()
            .register_type::<FluidImpulse>()
            .add_systems(
                self.schedule,
                (
                    solids::merge,
                    solids::sync_containers,
                    sync_hosts,
                    solids::sync_colliders,
                    forces::sync_forces,
                    forces::sync_fields,
                    sources::fill_blobs,
                    sensing::sync_sensors,
                    air::sync_airs,
                )
                    .chain()
                    .in_set(FluidSystems::SyncEntities),
            )
            .add_systems(
                FluidSchedule,
                (
                    (sources::emit_from_emitters, sources::drain_into_drains)
                        .chain()
                        .in_set(FluidTickSystems::Sources),
                    forces::apply_impulses
                        .after(FluidTickSystems::Spawn)
                        .before(FluidTickSystems::Move),
                    air::give_sources.after(forces::apply_impulses).before(FluidTickSystems::Move),
                    (solids::move_solids, move_hosts).chain().in_set(FluidTickSystems::Move),
                    air::read_reports.in_set(FluidSenseSystems::Air),
                    (solids::read_bodies, gather_loads).chain().in_set(FluidSenseSystems::Bodies),
                    (sensing::measure_sensors, sensing::measure_air)
                        .chain()
                        .in_set(FluidSenseSystems::Sensors),
                ),
            )
            .add_systems(
                PostUpdate,
                between_ticks
                    .pipe(solids::place_bodies)
                    .after(FluidSystems::Tick)
                    .before(TransformSystems::Propagate),
            );
        #[cfg(feature = "picture")]
        app.register_type::<FluidPicture>();
        #[cfg(feature = "text")]
        app.register_type::<FluidText>();
        schedule::configure_senses(app);
        app.on_restart(start_over).on_restart(FluidHosts::start_over);
    }

    /// This runs in `finish`, because Bevy's plugins may be added after this one.
    #[cfg(any(feature = "picture", feature = "text"))]
    fn finish(&self, app: &mut App) {
        #[cfg(feature = "picture")]
        self.make_shapes::<FluidPicture>(app);
        #[cfg(feature = "text")]
        self.make_shapes::<FluidText>(app);
    }
}

/// Lets blobs be filled again, and emitters, drains, sensors and air begin anew.
fn start_over(world: &mut World) {
    let mut filled = world.query_filtered::<Entity, With<FluidBlobFilled>>();
    let filled: Vec<Entity> = filled.iter(world).collect();
    filled.into_iter().for_each(|blob| _ = world.entity_mut(blob).remove::<FluidBlobFilled>());
    insert_again::<FluidEmitter>(world);
    insert_again::<FluidDrain>(world);
    insert_again::<FluidSensor>(world);
    insert_again::<FluidAir>(world);
}

fn insert_again<C: Component + Clone>(world: &mut World) {
    let mut all = world.query::<(Entity, &C)>();
    let all: Vec<_> = all.iter(world).map(|(entity, own)| (entity, own.clone())).collect();
    for (entity, own) in all {
        world.entity_mut(entity).remove::<C>().insert(own);
    }
}

#[cfg(any(feature = "picture", feature = "text"))]
impl FluidEntitiesPlugin {
    /// Adds the systems that make shapes from assets, if the app has these assets.
    fn make_shapes<S: sources::ShapeSource>(&self, app: &mut App) {
        let world = app.world();
        if world.contains_resource::<Assets<S::Material>>()
            && world.contains_resource::<AssetServer>()
        {
            app.add_systems(
                self.schedule,
                sources::make_shapes::<S>
                    .in_set(FluidSystems::SyncEntities)
                    .before(solids::sync_containers),
            );
        }
    }
}
