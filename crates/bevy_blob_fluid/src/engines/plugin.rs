//! What an engine must offer, and the plugin that calls it.

use std::any::TypeId;
use std::marker::PhantomData;

use bevy::ecs::schedule::{InternedScheduleLabel, ScheduleConfigs, ScheduleLabel};
use bevy::ecs::system::{ScheduleSystem, StaticSystemParam, SystemParam, SystemParamItem};
use bevy::prelude::*;

use super::bodies::{EngineBodies, EnginePush};
use super::sync::{FluidHosts, sync_hosts};
use crate::schedule::FluidSystems;

/// A physics engine whose bodies and the liquid push each other.
///
/// Implement it for a type of your own, and add [`FluidEnginePlugin`] with that type.
pub trait PhysicsEngine: Send + Sync + 'static {
    /// What [`collect`](Self::collect) reads.
    type Read: SystemParam + 'static;

    /// What [`push`](Self::push) changes.
    type Write: SystemParam + 'static;

    /// Lists all bodies with coupled colliders, and these colliders. It runs each time before the
    /// fluid's ticks are due.
    fn collect(engine: SystemParamItem<Self::Read>, bodies: &mut EngineBodies);

    /// Gives impulses to the engine's bodies. Returns `false` if the engine makes no step now; then
    /// they are kept until the next call, for at most a quarter of a second.
    fn push(engine: SystemParamItem<Self::Write>, pushes: &[EnginePush]) -> bool;

    /// Adds the system that calls [`push`](Self::push) to the app, so that it runs once before each
    /// step of the engine; and orders [`FluidSystems::SyncSettings`] in the `fluid`'s schedule after
    /// the engine, if that is the engine's as well.
    fn schedule(app: &mut App, fluid: InternedScheduleLabel, push: ScheduleConfigs<ScheduleSystem>);
}

/// Couples the liquid to an engine.
pub struct FluidEnginePlugin<E: PhysicsEngine> {
    schedule: InternedScheduleLabel,
    engine: PhantomData<E>,
}

impl<E: PhysicsEngine> FluidEnginePlugin<E> {
    /// For a liquid that is simulated in the given schedule.
    pub fn new(schedule: impl ScheduleLabel) -> Self {
        Self { schedule: schedule.intern(), engine: PhantomData }
    }
}

impl<E: PhysicsEngine> Default for FluidEnginePlugin<E> {
    fn default() -> Self {
        Self::new(FixedPostUpdate)
    }
}

impl<E: PhysicsEngine> Plugin for FluidEnginePlugin<E> {
    fn build(&self, app: &mut App) {
        app.register_type::<super::FluidCoupled>().add_systems(
            self.schedule,
            collect::<E>.in_set(FluidSystems::SyncEntities).before(sync_hosts),
        );
    }

    /// This runs in `finish`, because the engine's plugins may be added after this one.
    fn finish(&self, app: &mut App) {
        E::schedule(app, self.schedule, push::<E>.into_configs());
    }
}

fn collect<E: PhysicsEngine>(engine: StaticSystemParam<E::Read>, mut bodies: ResMut<EngineBodies>) {
    bodies.begin(TypeId::of::<E>());
    E::collect(engine.into_inner(), &mut bodies);
}

fn push<E: PhysicsEngine>(
    engine: StaticSystemParam<E::Write>,
    mut hosts: ResMut<FluidHosts>,
    mut pushes: Local<Vec<EnginePush>>,
) {
    let of_engine = TypeId::of::<E>();
    pushes.clear();
    pushes.extend(hosts.pushes(of_engine));
    if !pushes.is_empty() && E::push(engine.into_inner(), &pushes) {
        hosts.pushed(of_engine);
    }
}
