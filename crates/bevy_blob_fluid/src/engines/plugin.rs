//! The interface of a physics engine, and the plugin that calls it.

use std::any::type_name;
use std::marker::PhantomData;

use bevy::ecs::schedule::{InternedScheduleLabel, ScheduleConfigs, ScheduleLabel};
use bevy::ecs::system::{ScheduleSystem, StaticSystemParam, SystemParam, SystemParamItem};
use bevy::prelude::*;

use super::bodies::{EngineBodies, EnginePush};
use super::sync::{FluidHosts, keep_pace, remove_gone_hosts, sync_hosts};
use crate::engines::bodies::FluidCoupled;
use crate::engines::sync::{gather_loads, move_hosts, note_hosts};
use crate::schedule::{
    FluidEntitySystems, FluidSchedule, FluidSenseSystems, FluidSystems, FluidTickSystems,
};
use crate::simulation::RestartApp;
use crate::solids::{move_solids, read_bodies, sync_colliders};

/// A physics engine, whose bodies and the liquid push each other.
///
/// Implement it for a type of your own, and add [`FluidEnginePlugin`] with that type.
pub trait PhysicsEngine: Send + Sync + 'static {
    /// Parameter of [`collect`](Self::collect): the state that it reads.
    type Read: SystemParam + 'static;

    /// Parameter of [`push`](Self::push): the state that it changes.
    type Write: SystemParam + 'static;

    /// Unique name of the engine in the app; by default the name of the type. Snapshots contain it, so that
    /// pending impulses find their engine after a restore.
    fn name() -> &'static str {
        type_name::<Self>()
    }

    /// Runs when the plugin is added. It makes [`FluidOrder`](crate::FluidOrder) a required component of
    /// the engine's colliders. Colliders without one come last, in the order of their ids.
    fn build(app: &mut App) {
        let _ = app;
    }

    /// Lists all bodies with coupled colliders, and these colliders. It runs before the fluid's ticks,
    /// in every run of the fluid's schedule.
    fn collect(engine: SystemParamItem<Self::Read>, bodies: &mut EngineBodies);

    /// Applies impulses to the engine's bodies. Returns `false` if the engine makes no step now. The
    /// impulses are then kept until the next call, for at most 0.25 s.
    fn push(engine: SystemParamItem<Self::Write>, pushes: &[EnginePush]) -> bool;

    /// Adds the system that calls [`push`](Self::push) to the app, so that it runs once before each
    /// step of the engine. If the engine runs in the `fluid` schedule, it also orders
    /// [`FluidSystems::SyncSettings`] in that schedule after the engine.
    fn schedule(app: &mut App, fluid: InternedScheduleLabel, push: ScheduleConfigs<ScheduleSystem>);
}

/// Couples the liquid to an engine.
pub struct FluidEnginePlugin<E: PhysicsEngine> {
    schedule: InternedScheduleLabel,
    engine: PhantomData<E>,
}

impl<E: PhysicsEngine> FluidEnginePlugin<E> {
    /// A plugin for a liquid that is simulated in the given schedule.
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
        if !app.is_plugin_added::<HostsPlugin>() {
            app.add_plugins(HostsPlugin { schedule: self.schedule });
        }
        E::build(app);
        app.add_systems(
            self.schedule,
            collect::<E>
                .in_set(FluidSystems::SyncEntities)
                .in_set(CollectSystems)
                .ambiguous_with(CollectSystems)
                .before(FluidEntitySystems::Engines),
        );
    }

    /// This runs in `finish`, because the engine's plugins may be added after this one.
    fn finish(&self, app: &mut App) {
        E::schedule(app, self.schedule, push::<E>.into_configs());
    }
}

/// The systems that list the bodies and colliders of engines. Their order does not matter, because the lists are
/// sorted.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct CollectSystems;

/// The common part of all engines: their bodies become host bodies of the simulation.
struct HostsPlugin {
    schedule: InternedScheduleLabel,
}

impl Plugin for HostsPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<EngineBodies>()
            .init_resource::<FluidHosts>()
            .register_type::<FluidCoupled>()
            .add_systems(
                self.schedule,
                (
                    (sync_hosts, keep_pace).chain().in_set(FluidEntitySystems::Engines),
                    remove_gone_hosts.in_set(FluidEntitySystems::Colliders).after(sync_colliders),
                ),
            )
            .add_systems(
                FluidSchedule,
                (
                    (note_hosts, move_hosts)
                        .chain()
                        .in_set(FluidTickSystems::Move)
                        .after(move_solids),
                    gather_loads.in_set(FluidSenseSystems::Bodies).after(read_bodies),
                ),
            )
            .on_restart(FluidHosts::start_over);
    }
}

fn collect<E: PhysicsEngine>(engine: StaticSystemParam<E::Read>, mut bodies: ResMut<EngineBodies>) {
    bodies.begin(E::name());
    E::collect(engine.into_inner(), &mut bodies);
}

fn push<E: PhysicsEngine>(
    engine: StaticSystemParam<E::Write>,
    mut hosts: ResMut<FluidHosts>,
    mut pushes: Local<Vec<EnginePush>>,
) {
    pushes.clear();
    pushes.extend(hosts.pushes(E::name()));
    if !pushes.is_empty() && E::push(engine.into_inner(), &pushes) {
        hosts.pushed(E::name());
    }
}
