//! The entities: containers, colliders, blobs of liquid, emitters, drains and forces, placed
//! by their [`Transform`].

mod air;
mod air_source;
mod blob;
mod built;
mod buoyant;
mod class;
mod collider;
mod container;
mod drain;
mod emitter;
mod field;
mod force;
mod held;
mod motion;
mod outline;
#[cfg(feature = "picture")]
mod picture;
mod placement;
mod sensor;
#[cfg(any(feature = "picture", feature = "text"))]
mod source;
#[cfg(feature = "text")]
mod text;
mod tiles;
mod warnings;

#[cfg(feature = "render")]
pub(crate) use air::FluidAirState;
pub use air::{FluidAir, FluidAirReport};
pub use air_source::FluidAirSource;
pub use blob::{FluidBlob, FluidBlobFilled};
pub use buoyant::{FluidBuoyant, FluidLoad, FluidMotion};
pub use class::FluidClass;
pub use collider::{FluidCollider, FluidColliders};
pub use container::{FluidContainer, FluidContainers};
pub use drain::{FluidDrain, FluidDrainTotals};
pub use emitter::{FluidEmitter, FluidEmitterTotals};
pub use field::FluidField;
pub use force::{FluidForce, FluidImpulse};
pub use outline::FluidOutline;
#[cfg(feature = "picture")]
pub use picture::FluidPicture;
pub(crate) use placement::Placement;
pub use sensor::{FluidAirReading, FluidSensor, FluidSensorReading};
#[cfg(any(feature = "picture", feature = "text"))]
pub use source::FluidShapeTarget;
#[cfg(feature = "text")]
pub use text::FluidText;
pub use tiles::FluidTiles;

pub(crate) use blob::fill_blobs;
pub(crate) use collider::sync_colliders;
pub(crate) use container::sync_containers;
pub(crate) use motion::LONGEST_WAY;

use bevy::ecs::schedule::{InternedScheduleLabel, ScheduleLabel};
use bevy::prelude::*;

use crate::engines::{EngineBodies, FluidHosts, gather_loads, move_hosts, sync_hosts};
use crate::messages::{FluidDrained, FluidEntered, FluidFilled, FluidLeft};
use crate::schedule::{self, FluidSchedule, FluidSenseSystems, FluidSystems, FluidTickSystems};
use crate::simulation::{Fluid, RestartApp, interpolation, is_fixed};

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
                    tiles::merge,
                    sync_containers,
                    sync_hosts,
                    sync_colliders,
                    force::sync_forces,
                    field::sync_fields,
                    fill_blobs,
                    sensor::sync_sensors,
                    air::sync_airs,
                )
                    .chain()
                    .in_set(FluidSystems::SyncEntities),
            )
            .add_systems(
                FluidSchedule,
                (
                    (emitter::emit_from_emitters, drain::drain_into_drains)
                        .chain()
                        .in_set(FluidTickSystems::Sources),
                    force::apply_impulses
                        .after(FluidTickSystems::Spawn)
                        .before(FluidTickSystems::Move),
                    air_source::give_sources
                        .after(force::apply_impulses)
                        .before(FluidTickSystems::Move),
                    (motion::move_solids, move_hosts).chain().in_set(FluidTickSystems::Move),
                    air::read_reports.in_set(FluidSenseSystems::Air),
                    (buoyant::read_bodies, gather_loads).chain().in_set(FluidSenseSystems::Bodies),
                    (sensor::measure_sensors, sensor::measure_air)
                        .chain()
                        .in_set(FluidSenseSystems::Sensors),
                ),
            )
            .add_systems(
                PostUpdate,
                between_ticks
                    .pipe(buoyant::place_bodies)
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
    fn make_shapes<S: source::ShapeSource>(&self, app: &mut App) {
        let world = app.world();
        if world.contains_resource::<Assets<S::Material>>()
            && world.contains_resource::<AssetServer>()
        {
            app.add_systems(
                self.schedule,
                source::make_shapes::<S>.in_set(FluidSystems::SyncEntities).before(sync_containers),
            );
        }
    }
}
