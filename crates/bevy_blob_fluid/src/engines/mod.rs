//! Physics engines: their bodies and the liquid push each other.
//!
//! | feature | engine | plugin |
//! |---|---|---|
//! | `avian2d` | [avian2d](https://docs.rs/avian2d/0.7) | `FluidAvianPlugin` |
//! | `rapier2d` | [bevy_rapier2d](https://docs.rs/bevy_rapier2d/0.36) | `FluidRapierPlugin` |
//!
//! Add [`FluidCoupled`] to a collider or to a rigid body of the engine. The plugins are part of
//! [`BlobFluidPlugins`](crate::BlobFluidPlugins). An engine of your own takes one implementation of
//! [`PhysicsEngine`] and its [`FluidEnginePlugin`].
//!
//! # How it works
//!
//! 1. Before the fluid's ticks, [`PhysicsEngine::collect`] lists the engine's bodies and colliders.
//!    Shapes are converted once, when they change.
//! 2. Within a tick the colliders of a dynamic body move together, from where the body was to where
//!    it is, as a [host body](blob_fluid::HostBody) of the core. Its velocity answers to the liquid
//!    in every substep, so that light bodies are stable.
//! 3. [`PhysicsEngine::push`] gives what the liquid did in all ticks since the last step of the
//!    engine to the engine's bodies, once.
//!
//! `docs/bodies.md` in the repository has units, recipes and measured numbers.

#[cfg(feature = "avian2d")]
mod avian;
mod bodies;
#[cfg(feature = "rapier2d")]
mod rapier;
pub(crate) mod sync;

use std::any::TypeId;
use std::marker::PhantomData;

#[cfg(feature = "avian2d")]
use avian2d::schedule::{Physics, PhysicsTime};
use bevy::ecs::schedule::{InternedScheduleLabel, ScheduleConfigs, ScheduleLabel};
use bevy::ecs::system::{ScheduleSystem, StaticSystemParam, SystemParam, SystemParamItem};
use bevy::prelude::*;
use blob_fluid::ranges::{Limits, ValidRange};
use blob_fluid::{ClassFilter, OutOfRange, WallProperties};

#[cfg(feature = "rapier2d")]
use crate::engines::rapier::RapierClock;
use crate::engines::sync::{
    FluidHosts, gather_loads, keep_pace, move_hosts, note_hosts, remove_gone_hosts, sync_hosts,
};
use crate::schedule::{
    FluidEntitySystems, FluidOrder, FluidSchedule, FluidSenseSystems, FluidSystems,
    FluidTickSystems,
};
use crate::simulation::{Fluid, FluidClock, RestartApp};
use crate::solids::{move_solids, read_bodies, sync_colliders};

#[cfg(feature = "avian2d")]
pub use avian::{Avian, FluidAvianPlugin};
pub use bodies::{EngineBodies, EngineBody, EngineCollider, EnginePush, Piece, ShapeError};
#[cfg(feature = "rapier2d")]
pub use rapier::{FluidRapierPlugin, Rapier};

// What an engine must offer, and the plugin that calls it.

/// A physics engine whose bodies and the liquid push each other.
///
/// Implement it for a type of your own, and add [`FluidEnginePlugin`] with that type.
pub trait PhysicsEngine: Send + Sync + 'static {
    /// What [`collect`](Self::collect) reads.
    type Read: SystemParam + 'static;

    /// What [`push`](Self::push) changes.
    type Write: SystemParam + 'static;

    /// Runs when the plugin is added: gives the engine's colliders a [`FluidOrder`](crate::FluidOrder),
    /// as a required component. Colliders without one come last, in the order of their ids.
    fn build(app: &mut App) {
        let _ = app;
    }

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

/// The systems that list what the engines have. Their order does not matter: what they list is sorted.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct CollectSystems;

/// What all engines have in common: their bodies are host bodies of the simulation.
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
    bodies.begin(TypeId::of::<E>());
    E::collect(engine.into_inner(), &mut bodies);
}

fn push<E: PhysicsEngine>(
    engine: StaticSystemParam<E::Write>,
    mut hosts: ResMut<FluidHosts>,
    mut pushes: Local<Vec<EnginePush>>,
) {
    let engine_type = TypeId::of::<E>();
    pushes.clear();
    pushes.extend(hosts.pushes(engine_type));
    if !pushes.is_empty() && E::push(engine.into_inner(), &pushes) {
        hosts.pushed(engine_type);
    }
}

// The clocks of the liquid and of the engines, set together.

/// The clocks of the liquid and of the physics engines, to be paused and slowed together.
///
/// It sets [`Time<Fluid>`](Fluid) and, with their features and plugins, avian2d's `Time<Physics>`,
/// and of bevy_rapier2d whether each of its worlds is stepped, and its `TimestepMode`. The game's own
/// systems go on; `Time<Virtual>` stops these as well. An engine of your own has a clock of its own.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn toggle_pause(keys: Res<ButtonInput<KeyCode>>, mut clocks: FluidClocks) {
///     if keys.just_pressed(KeyCode::KeyP) {
///         if clocks.is_paused() { clocks.unpause() } else { clocks.pause() }
///     }
///     // Bullet time.
///     let slow = keys.pressed(KeyCode::ShiftLeft);
///     clocks.set_relative_speed(if slow { 0.1 } else { 1.0 });
/// }
/// # App::new().add_systems(Update, toggle_pause);
/// ```
#[derive(SystemParam)]
pub struct FluidClocks<'w, 's> {
    fluid: ResMut<'w, Time<Fluid>>,
    #[cfg(feature = "avian2d")]
    avian: Option<ResMut<'w, Time<Physics>>>,
    #[cfg(feature = "rapier2d")]
    rapier: RapierClock<'w, 's>,
    #[cfg(not(feature = "rapier2d"))]
    _state: PhantomData<&'s ()>,
}

impl FluidClocks<'_, '_> {
    /// Pauses the liquid and the engines.
    pub fn pause(&mut self) {
        self.set_paused(true);
    }

    /// Lets the liquid and the engines go on.
    pub fn unpause(&mut self) {
        self.set_paused(false);
    }

    /// Whether the liquid is paused.
    pub fn is_paused(&self) -> bool {
        self.fluid.is_paused()
    }

    fn set_paused(&mut self, paused: bool) {
        if self.fluid.is_paused() != paused {
            if paused { self.fluid.pause() } else { self.fluid.unpause() }
        }
        #[cfg(feature = "avian2d")]
        if let Some(avian) = self.avian.as_mut().filter(|avian| avian.is_paused() != paused) {
            if paused { avian.pause() } else { avian.unpause() }
        }
        #[cfg(feature = "rapier2d")]
        self.rapier.set_paused(paused);
    }

    /// Slows the liquid and the engines down (below 1) or speeds them up. Negative, infinite and NaN
    /// count as 0.
    ///
    /// The liquid makes fewer or more ticks of the same length, and the engines make their steps
    /// shorter or longer. bevy_rapier2d with `TimestepMode::Variable` makes no step longer than its
    /// `max_dt`. A `TimestepMode` that the game sets meanwhile counts as that at the speed 1.
    pub fn set_relative_speed(&mut self, speed: f64) {
        if self.fluid.relative_speed() != speed {
            self.fluid.set_relative_speed(speed);
        }
        #[cfg(any(feature = "avian2d", feature = "rapier2d"))]
        let speed = self.fluid.relative_speed();
        #[cfg(feature = "avian2d")]
        if let Some(avian) = self.avian.as_mut().filter(|avian| avian.relative_speed_f64() != speed)
        {
            avian.set_relative_speed_f64(speed);
        }
        #[cfg(feature = "rapier2d")]
        self.rapier.set_relative_speed(speed as f32);
    }

    /// Relative speed of the liquid; 1 unless changed.
    pub fn relative_speed(&self) -> f64 {
        self.fluid.relative_speed()
    }
}

// The component that makes an engine's collider meet the liquid.

/// Lets a collider of a physics engine meet the liquid. On a rigid body it holds for all its
/// colliders; a collider's own comes first.
///
/// The collider keeps liquid out, and pushes it when it moves. A dynamic body floats, sinks and is
/// dragged along. Sensors and disabled colliders do nothing to the liquid; watch regions with a
/// [`FluidSensor`](crate::FluidSensor).
///
/// A body floats by its density, as the engine has it: mass divided by the area of its colliders. A
/// body of density 0.5 is half sunk in liquid with a [mass](blob_fluid::DensityClass::mass) of 1.
/// Liquid keeps away from it, and a [gap](blob_fluid::Body::GAP) counts as part of the body.
///
/// ```
/// use bevy_blob_fluid::prelude::*;
/// // Floats by the engine's own density.
/// let crate_of_the_engine = FluidCoupled::default();
/// // Masses of the engine in kilograms per square metre, where water has 1000.
/// let ship = FluidCoupled::default().with_liquid_density(1000.0);
/// // A density for the liquid only: the mass in the engine stays as it is.
/// let balloon = FluidCoupled::of_density(0.1);
/// # assert_eq!((crate_of_the_engine.density, balloon.density), (None, Some(0.1)));
/// # assert_eq!(ship.liquid_density, 1000.0);
/// ```
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(FluidOrder)]
pub struct FluidCoupled {
    /// Friction, stickiness, wetting and temperature of its walls.
    pub wall: WallProperties,
    /// Density that the engine's masses are relative to: that of liquid with a mass of 1, as mass per
    /// square world unit. Above 0. Default 1, as colliders of both engines have.
    pub liquid_density: f32,
    /// Density of its body as a multiple of that of liquid with a mass of 1, instead of the engine's
    /// mass divided by `liquid_density`. Above 0. Default `None`.
    pub density: Option<f32>,
    /// The classes that it stops. Default all.
    pub classes: ClassFilter,
    /// The layers that it is on, instead of the layers or groups that the engine's collider collides
    /// with. It stops classes that share one
    /// ([`DensityClass::collision_layers`](blob_fluid::DensityClass::collision_layers)). Default
    /// `None`.
    pub layers: Option<u32>,
}

impl Default for FluidCoupled {
    /// Default walls, and the engine's densities and layers.
    fn default() -> Self {
        Self {
            wall: WallProperties::default(),
            liquid_density: 1.0,
            density: None,
            classes: ClassFilter::ALL,
            layers: None,
        }
    }
}

impl FluidCoupled {
    /// A body with this density, as a multiple of that of liquid with a mass of 1, whatever mass it
    /// has in the engine.
    pub fn of_density(density: f32) -> Self {
        Self { density: Some(density), ..Self::default() }
    }

    /// The same coupling in an engine where liquid with a mass of 1 has this density.
    pub const fn with_liquid_density(mut self, density: f32) -> Self {
        self.liquid_density = density;
        self
    }

    /// The same coupling with other walls.
    pub const fn with_wall(mut self, wall: WallProperties) -> Self {
        self.wall = wall;
        self
    }

    /// Checks the densities.
    pub(super) fn validate(&self) -> Result<(), OutOfRange> {
        let densities = [("liquid_density", Some(self.liquid_density)), ("density", self.density)];
        for (field, value) in densities {
            if let Some(value) = value.filter(|value| !Limits::POSITIVE.contains(*value)) {
                let range = ValidRange::Limits(Limits::POSITIVE);
                return Err(OutOfRange { subject: "fluid coupling", field, value, range });
            }
        }
        Ok(())
    }

    /// The same coupling, which stops these classes only.
    pub const fn stopping(mut self, classes: ClassFilter) -> Self {
        self.classes = classes;
        self
    }

    /// The same coupling on these layers, a bit each.
    pub const fn on_layers(mut self, layers: u32) -> Self {
        self.layers = Some(layers);
        self
    }
}
