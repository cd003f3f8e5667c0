//! The order of everything the plugin does, in three levels.

use std::cmp::Reverse;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::schedule::{LogLevel, ScheduleBuildSettings, ScheduleLabel, SingleThreadedExecutor};
use bevy::ecs::system::SystemParam;
use bevy::ecs::world::DeferredWorld;
use bevy::prelude::*;
use blob_fluid::FluidPass;
use blob_fluid::air::AirPass;

/// What the plugin does each time its outer schedule runs.
///
/// 1. [`SyncSettings`](Self::SyncSettings): settings, materials and classes are copied into the
///    simulation.
/// 2. [`SyncEntities`](Self::SyncEntities): containers, colliders and forces are copied too,
///    and new blobs are filled, in the order of [`FluidEntitySystems`].
/// 3. [`Tick`](Self::Tick): [`FluidSchedule`] runs for every tick that is due.
///
/// All run in the outer schedule ([`FixedPostUpdate`] unless the plugin is given another one).
#[derive(SystemSet, Reflect, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FluidSystems {
    /// Settings, materials and classes are copied into the simulation, even while the fluid is
    /// paused.
    SyncSettings,
    /// Containers, colliders and forces are copied into the simulation and new blobs are filled,
    /// even while the fluid is paused. Containers and colliders that moved move in the next ticks.
    SyncEntities,
    /// [`FluidSchedule`] runs once for every tick that is due.
    Tick,
}

/// How entities are copied into the simulation, within [`FluidSystems::SyncEntities`].
///
/// 1. [`Scenes`](Self::Scenes)
/// 2. [`Shapes`](Self::Shapes)
/// 3. [`Tiles`](Self::Tiles)
/// 4. [`Containers`](Self::Containers)
/// 5. [`Engines`](Self::Engines)
/// 6. [`Colliders`](Self::Colliders)
/// 7. [`Forces`](Self::Forces)
/// 8. [`Fields`](Self::Fields)
/// 9. [`Blobs`](Self::Blobs)
/// 10. [`Sensors`](Self::Sensors)
/// 11. [`Air`](Self::Air)
#[derive(SystemSet, Reflect, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FluidEntitySystems {
    /// Scenes from files are shown: settings, solids, forces and sources, and what moves in them.
    Scenes,
    /// Shapes that were made of images and texts become those of blobs, colliders and containers, and
    /// [`FluidPipe`](crate::FluidPipe)s and [`FluidValve`](crate::FluidValve)s those of colliders.
    Shapes,
    /// [`FluidTiles`](crate::FluidTiles) get their colliders.
    Tiles,
    /// [`FluidContainer`](crate::FluidContainer)s.
    Containers,
    /// Bodies and colliders of [physics engines](crate::engines).
    Engines,
    /// [`FluidCollider`](crate::FluidCollider)s, and colliders of physics engines.
    Colliders,
    /// [`FluidForce`](crate::FluidForce)s.
    Forces,
    /// [`FluidField`](crate::FluidField)s.
    Fields,
    /// [`FluidBlob`](crate::FluidBlob)s are filled: the solids are in place.
    Blobs,
    /// [`FluidSensor`](crate::FluidSensor)s.
    Sensors,
    /// [`FluidAir`](crate::FluidAir).
    Air,
}

/// Runs once per tick, with [`Time`] being the fluid's own.
///
/// Its systems are ordered by [`FluidTickSystems`].
#[derive(ScheduleLabel, Reflect, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FluidSchedule;

/// What happens in a tick.
///
/// 1. [`Sources`](Self::Sources): emitters add liquid, drains remove it, and pumps move it.
/// 2. [`Spawn`](Self::Spawn): particles are added and removed.
/// 3. [`Move`](Self::Move): containers and colliders start to move to their entities.
/// 4. [`Substeps`](Self::Substeps): [`FluidSubstepSchedule`] runs for every substep.
/// 5. [`Air`](Self::Air): the passes of air, in the order of [`FluidAirSystems`].
/// 6. [`Sense`](Self::Sense): the result is measured.
#[derive(SystemSet, Reflect, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FluidTickSystems {
    /// [`FluidEmitter`](crate::FluidEmitter)s add liquid, [`FluidDrain`](crate::FluidDrain)s remove
    /// it, and [`FluidPump`](crate::FluidPump)s move it.
    Sources,
    /// For systems that add or remove particles.
    Spawn,
    /// Containers and colliders start to move to their entities.
    Move,
    /// The simulation.
    Substeps,
    /// [`FluidAir`](crate::FluidAir) is stepped, and exchanges momentum, heat and particles with the
    /// liquid.
    Air,
    /// For systems that read the particles.
    Sense,
}

/// How the plugin measures the result of a tick, within [`FluidTickSystems::Sense`].
///
/// 1. [`Bodies`](Self::Bodies)
/// 2. [`Air`](Self::Air)
/// 3. [`Sensors`](Self::Sensors)
/// 4. [`Blobs`](Self::Blobs)
/// 5. [`Splashes`](Self::Splashes)
///
/// Order systems of your own in [`FluidSchedule`] after the sets whose results they read. An order
/// left open is an error when the app starts: it names the sets between which a system of yours may
/// run, and with Bevy's feature `debug` the system as well.
#[derive(SystemSet, Reflect, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FluidSenseSystems {
    /// [`FluidMotion`](crate::FluidMotion)s and [`FluidLoad`](crate::FluidLoad)s are updated.
    Bodies,
    /// [`FluidAirReport`](crate::FluidAirReport)s are updated.
    Air,
    /// [`FluidSensor`](crate::FluidSensor)s are updated.
    Sensors,
    /// [`FluidBlobs`](crate::FluidBlobs) are found, if there is a
    /// [`FluidBlobsPlugin`](crate::FluidBlobsPlugin).
    Blobs,
    /// Splashes are found, if there is a [`FluidSplashPlugin`](crate::FluidSplashPlugin).
    Splashes,
}

/// Runs once per substep: the passes. While all liquid sleeps there are no substeps; systems that
/// wake it belong into [`FluidTickSystems::Spawn`].
///
/// Its systems are ordered by [`FluidStepSystems`]; add your own between any two. All of them
/// change [`FluidSimulation`](crate::FluidSimulation), so an order left open between two of them is
/// an error when the app starts: it names the sets, and with Bevy's feature `debug` the systems as
/// well.
#[derive(ScheduleLabel, Reflect, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FluidSubstepSchedule;

macro_rules! declare_step_systems {
    ($($(#[$doc:meta])* $pass:ident, $name:ident, $label:literal, $formula:literal, $source:literal;)*) => {
        /// The passes of a substep, in the order in which they run. There is one set for each row
        /// of the core's [table](blob_fluid::FluidPass).
        ///
        /// | pass | formula | Clavet, Beaudoin and Poulin 2005 |
        /// |---|---|---|
        $(#[doc = concat!("| [`", stringify!($pass), "`](Self::", stringify!($pass), ") | `", $formula, "` | ", $source, " |")])*
        ///
        /// ```
        /// use bevy::prelude::*;
        /// use bevy_blob_fluid::prelude::*;
        ///
        /// /// A wind that blows above the ground. A `FluidField` would run on all threads, and would
        /// /// let liquid sleep where it does not blow.
        /// fn blow(mut fluid: ResMut<FluidSimulation>, time: Res<Time>) {
        ///     let push = Vec2::X * 50.0 * time.delta_secs();
        ///     let particles = fluid.particles_mut().split();
        ///     for (position, velocity) in particles.positions.iter().zip(particles.velocities) {
        ///         if position.y > 0.0 {
        ///             *velocity += push;
        ///         }
        ///     }
        /// }
        ///
        /// App::new().add_systems(
        ///     FluidSubstepSchedule,
        ///     blow.after(FluidStepSystems::ApplyGravity).before(FluidStepSystems::ApplyForces),
        /// );
        /// ```
        #[derive(SystemSet, Reflect, Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum FluidStepSystems {
            $($(#[$doc])* #[doc = ""] #[doc = concat!("`", $formula, "`")] $pass,)*
        }

        impl FluidStepSystems {
            /// Every pass, in order.
            pub const ALL: [Self; FluidPass::ALL.len()] = [$(Self::$pass),*];

            /// The pass of the core that runs in this set.
            pub const fn pass(self) -> FluidPass {
                match self { $(Self::$pass => FluidPass::$pass,)* }
            }
        }

        /// Orders the sets of the passes.
        fn chain_passes(schedule: &mut Schedule) {
            schedule.configure_sets(($(FluidStepSystems::$pass,)*).chain());
        }
    };
}

blob_fluid::for_each_pass!(declare_step_systems);

macro_rules! declare_air_systems {
    ($($(#[$doc:meta])* $pass:ident, $name:ident, $label:literal, $formula:literal, $source:literal;)*) => {
        /// The passes of a step of [air](crate::FluidAir), in the order in which they run, within
        /// [`FluidTickSystems::Air`]. There is one set for each row of the core's
        /// [table](blob_fluid::air::AirPass). Each pass runs for all air before the next; without air
        /// none runs.
        ///
        /// | pass | formula | source |
        /// |---|---|---|
        $(#[doc = concat!("| [`", stringify!($pass), "`](Self::", stringify!($pass), ") | `", $formula, "` | ", $source, " |")])*
        ///
        /// ```
        /// use bevy::prelude::*;
        /// use bevy_blob_fluid::prelude::*;
        ///
        /// /// What the wind is before the pressure turns it around obstacles.
        /// fn look(fluid: Res<FluidSimulation>) {
        ///     for air in fluid.airs() {
        ///         let speeds = air.velocities_x().iter().chain(air.velocities_y());
        ///         trace!("{} units/s", speeds.fold(0.0_f32, |most, speed| most.max(speed.abs())));
        ///     }
        /// }
        ///
        /// App::new().add_systems(
        ///     FluidSchedule,
        ///     look.after(FluidAirSystems::Diffuse).before(FluidAirSystems::Project),
        /// );
        /// ```
        #[derive(SystemSet, Reflect, Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum FluidAirSystems {
            $($(#[$doc])* #[doc = ""] #[doc = concat!("`", $formula, "`")] $pass,)*
        }

        impl FluidAirSystems {
            /// Every pass, in order.
            pub const ALL: [Self; AirPass::ALL.len()] = [$(Self::$pass),*];

            /// The pass of the core that runs in this set.
            pub const fn pass(self) -> AirPass {
                match self { $(Self::$pass => AirPass::$pass,)* }
            }
        }

        /// Orders the sets of the passes of air.
        fn chain_air_passes(schedule: &mut Schedule) {
            let passes = ($(FluidAirSystems::$pass,)*).chain();
            schedule.configure_sets(passes.in_set(FluidTickSystems::Air));
        }
    };
}

blob_fluid::for_each_air_pass!(declare_air_systems);

/// Creates the plugin's own schedules and orders their sets.
pub(crate) fn configure(app: &mut App, outer: impl ScheduleLabel + Clone) {
    app.register_type::<FluidSystems>()
        .register_type::<FluidEntitySystems>()
        .register_type::<FluidSchedule>()
        .register_type::<FluidTickSystems>()
        .register_type::<FluidSubstepSchedule>()
        .register_type::<FluidStepSystems>()
        .register_type::<FluidAirSystems>()
        .register_type::<FluidSenseSystems>();
    app.configure_sets(
        outer,
        (
            (FluidSystems::SyncSettings, FluidSystems::SyncEntities, FluidSystems::Tick).chain(),
            (
                FluidEntitySystems::Scenes,
                FluidEntitySystems::Shapes,
                FluidEntitySystems::Tiles,
                FluidEntitySystems::Containers,
                FluidEntitySystems::Engines,
                FluidEntitySystems::Colliders,
                FluidEntitySystems::Forces,
                FluidEntitySystems::Fields,
                FluidEntitySystems::Blobs,
                FluidEntitySystems::Sensors,
                FluidEntitySystems::Air,
            )
                .chain()
                .in_set(FluidSystems::SyncEntities),
        ),
    );
    app.init_schedule(FluidSchedule).init_schedule(FluidSubstepSchedule);
    let strict = || ScheduleBuildSettings {
        ambiguity_detection: LogLevel::Error,
        ..ScheduleBuildSettings::default()
    };
    app.edit_schedule(FluidSchedule, |schedule| {
        // A few small systems in a row: running them on several threads costs more than it saves.
        schedule.set_executor(SingleThreadedExecutor::new()).set_build_settings(strict());
        schedule.configure_sets(
            (
                FluidTickSystems::Sources,
                FluidTickSystems::Spawn,
                FluidTickSystems::Move,
                FluidTickSystems::Substeps,
                FluidTickSystems::Air,
                FluidTickSystems::Sense,
            )
                .chain(),
        );
        chain_air_passes(schedule);
        schedule.configure_sets(
            (
                FluidSenseSystems::Bodies,
                FluidSenseSystems::Air,
                FluidSenseSystems::Sensors,
                FluidSenseSystems::Blobs,
                FluidSenseSystems::Splashes,
            )
                .chain()
                .in_set(FluidTickSystems::Sense),
        );
    });
    app.edit_schedule(FluidSubstepSchedule, |schedule| {
        schedule.set_executor(SingleThreadedExecutor::new()).set_build_settings(strict());
        chain_passes(schedule);
    });
}

// The order in which the liquid takes entities.

/// When the liquid takes an entity, beside others of its kind: by default the one that was spawned last
/// comes first.
///
/// The last bits of the liquid depend on this order: which blob is filled first, which collider
/// pushes first. Every container, collider, blob, emitter, drain, tank, pump, force, sensor and air has this
/// component, and so have the colliders of avian2d and of bevy_rapier2d. A level that is
/// spawned again in the same order is the same to the bit, whatever [`Entity`] ids Bevy gives it.
///
/// A game in which the order of spawning differs from one machine to another, such as one that copies
/// entities over a network, gives each entity a [key](Self::key) of its own:
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn setup(mut commands: Commands) {
///     commands.spawn((FluidCollider::from(Circle::new(30.0)), FluidOrder::new(17)));
/// }
/// ```
#[derive(Component, Reflect, Debug, Default, PartialEq, Eq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[component(on_insert = number)]
pub struct FluidOrder {
    /// Entities with smaller keys come first; of those with equal keys the one that was spawned last.
    /// Default 0.
    pub key: i64,
    /// Counts all entities from 1; 0 until the component is inserted.
    #[reflect(ignore)]
    spawned: u64,
}

impl FluidOrder {
    /// For an entity with the given key.
    pub const fn new(key: i64) -> Self {
        Self { key, spawned: 0 }
    }
}

#[cfg(feature = "snapshot")]
impl FluidOrder {
    /// The order of an entity that has been numbered.
    pub(crate) fn numbered(key: i64, spawned: u64) -> Self {
        Self { key, spawned }
    }

    /// Its number.
    pub(crate) fn spawned(&self) -> u64 {
        self.spawned
    }
}

/// Lets entities that are spawned from now on have numbers above this one.
#[cfg(feature = "snapshot")]
pub(crate) fn number_above(spawned: u64) {
    COUNT.fetch_max(spawned, Relaxed);
}

/// The clone of an entity is spawned later, and gets a number of its own.
impl Clone for FluidOrder {
    fn clone(&self) -> Self {
        Self::new(self.key)
    }
}

/// How many entities have been numbered. Numbers are compared only within a world.
static COUNT: AtomicU64 = AtomicU64::new(0);

/// Numbers an entity.
fn number(mut world: DeferredWorld, context: HookContext) {
    if let Some(mut order) = world.get_mut::<FluidOrder>(context.entity) {
        order.bypass_change_detection().spawned = COUNT.fetch_add(1, Relaxed) + 1;
    }
}

/// An entity's place in the order. Those without a [`FluidOrder`] come last, by their ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rank {
    key: i64,
    spawned: Reverse<u64>,
    pub entity: Entity,
}

#[cfg(feature = "snapshot")]
impl Rank {
    /// The place of an entity with an order.
    pub(crate) fn new(key: i64, spawned: u64, entity: Entity) -> Self {
        Self { key, spawned: Reverse(spawned), entity }
    }

    /// The key and the number.
    pub(crate) fn order(&self) -> (i64, u64) {
        (self.key, self.spawned.0)
    }
}

/// The places of entities in the order.
#[derive(SystemParam)]
pub(crate) struct Ranks<'w, 's> {
    orders: Query<'w, 's, &'static FluidOrder>,
}

impl Ranks<'_, '_> {
    /// The place of an entity.
    pub(crate) fn of(&self, entity: Entity) -> Rank {
        let (key, spawned) = self.orders.get(entity).map_or((0, 0), |of| (of.key, of.spawned));
        Rank { key, spawned: Reverse(spawned), entity }
    }
}
