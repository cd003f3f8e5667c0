//! The order of the plugin's systems, in three levels: the outer schedule, the tick and the
//! substep.

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

/// The plugin's phases in its outer schedule.
///
/// 1. [`SyncSettings`](Self::SyncSettings): settings, materials and classes are copied into the
///    simulation.
/// 2. [`SyncEntities`](Self::SyncEntities): containers, colliders and forces are copied too,
///    and new blobs are filled, in the order of [`FluidEntitySystems`].
/// 3. [`Tick`](Self::Tick): [`FluidSchedule`] runs for every tick that is due.
///
/// All phases run in the outer schedule ([`FixedPostUpdate`] unless the plugin is given another schedule).
#[derive(SystemSet, Reflect, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FluidSystems {
    /// Settings, materials and classes are copied into the simulation, even while the liquid is
    /// paused.
    SyncSettings,
    /// Containers, colliders and forces are copied into the simulation and new blobs are filled,
    /// even while the liquid is paused. A changed pose of a container or collider takes effect in
    /// the next ticks.
    SyncEntities,
    /// [`FluidSchedule`] runs once for every tick that is due.
    Tick,
}

/// The order in which entities are copied into the simulation, within
/// [`FluidSystems::SyncEntities`].
///
/// 1. [`Scenes`](Self::Scenes)
/// 2. [`Shapes`](Self::Shapes)
/// 3. [`Tiles`](Self::Tiles)
/// 4. [`Containers`](Self::Containers)
/// 5. [`Engines`](Self::Engines)
/// 6. [`Colliders`](Self::Colliders)
/// 7. [`Forces`](Self::Forces)
/// 8. [`Fields`](Self::Fields)
/// 9. [`Pools`](Self::Pools)
/// 10. [`Blobs`](Self::Blobs)
/// 11. [`Sensors`](Self::Sensors)
/// 12. [`Air`](Self::Air)
#[derive(SystemSet, Reflect, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FluidEntitySystems {
    /// Scenes from files are spawned: settings, solids, forces, sources and their motions.
    Scenes,
    /// Outlines of images and texts become the shapes of blobs, colliders and containers.
    /// [`FluidPipe`](crate::FluidPipe)s and [`FluidValve`](crate::FluidValve)s become the shapes of colliders.
    Shapes,
    /// The plugin spawns and despawns the colliders of [`FluidTiles`](crate::FluidTiles).
    Tiles,
    /// [`FluidContainer`](crate::FluidContainer)s are copied into the simulation.
    Containers,
    /// Bodies and colliders of [physics engines](crate::engines) are collected.
    Engines,
    /// [`FluidCollider`](crate::FluidCollider)s and colliders of physics engines are copied into the simulation.
    Colliders,
    /// [`FluidForce`](crate::FluidForce)s are copied into the simulation.
    Forces,
    /// [`FluidField`](crate::FluidField)s are copied into the simulation.
    Fields,
    /// [`FluidPool`](crate::FluidPool)s are copied into the simulation.
    Pools,
    /// [`FluidBlob`](crate::FluidBlob)s are filled; all solids are already in place.
    Blobs,
    /// [`FluidSensor`](crate::FluidSensor)s are copied into the simulation.
    Sensors,
    /// [`FluidAir`](crate::FluidAir) and its sources are copied into the simulation.
    Air,
}

/// Runs once per tick. In this schedule [`Time`] is the liquid's own clock, [`Time<Fluid>`](crate::Fluid).
///
/// [`FluidTickSystems`] order the systems of this schedule.
#[derive(ScheduleLabel, Reflect, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FluidSchedule;

/// The phases of a tick.
///
/// 1. [`Sources`](Self::Sources): emitters add liquid, drains remove it, and pumps move it.
/// 2. [`Spawn`](Self::Spawn): particles are added and removed.
/// 3. [`Move`](Self::Move): containers and colliders start to move to the poses of their entities.
/// 4. [`Substeps`](Self::Substeps): [`FluidSubstepSchedule`] runs for every substep.
/// 5. [`Air`](Self::Air): the passes of air, in the order of [`FluidAirSystems`].
/// 6. [`Sense`](Self::Sense): the result is measured.
#[derive(SystemSet, Reflect, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FluidTickSystems {
    /// [`FluidEmitter`](crate::FluidEmitter)s add liquid, [`FluidDrain`](crate::FluidDrain)s remove
    /// it, and [`FluidPump`](crate::FluidPump)s move it.
    Sources,
    /// A set for systems that add or remove particles.
    Spawn,
    /// Containers and colliders start to move to the poses of their entities.
    Move,
    /// [`FluidSubstepSchedule`] runs for every substep.
    Substeps,
    /// [`FluidAir`](crate::FluidAir) is stepped. Air exchanges momentum, heat and particles with the liquid. At the end
    /// [`FluidBlast`](crate::FluidBlast)s act.
    Air,
    /// A set for systems that read the particles.
    Sense,
}

/// The order in which the result of a tick is measured, within [`FluidTickSystems::Sense`].
///
/// 1. [`Bodies`](Self::Bodies)
/// 2. [`Air`](Self::Air)
/// 3. [`Sensors`](Self::Sensors)
/// 4. [`Blobs`](Self::Blobs)
/// 5. [`Splashes`](Self::Splashes)
///
/// Order your own systems in [`FluidSchedule`] after the sets whose results they read. An ambiguous
/// order is an error when the app starts. The error names the sets between which your system may
/// run. With Bevy's feature `debug`, the error also names the system.
#[derive(SystemSet, Reflect, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FluidSenseSystems {
    /// [`FluidMotion`](crate::FluidMotion)s and [`FluidLoad`](crate::FluidLoad)s are updated.
    Bodies,
    /// [`FluidAirReport`](crate::FluidAirReport)s are updated.
    Air,
    /// [`FluidSensor`](crate::FluidSensor)s are updated.
    Sensors,
    /// [`FluidBlobs`](crate::FluidBlobs) are found, if the app has a
    /// [`FluidBlobsPlugin`](crate::FluidBlobsPlugin).
    Blobs,
    /// Splashes are found, if the app has a [`FluidSplashPlugin`](crate::FluidSplashPlugin).
    Splashes,
}

/// Runs the passes, once per substep. While all liquid sleeps, a tick has no substeps. Put systems that wake liquid
/// into [`FluidTickSystems::Spawn`].
///
/// [`FluidStepSystems`] order the systems of this schedule; add your own systems between any two sets. All systems here
/// change [`FluidSimulation`](crate::FluidSimulation), so an ambiguous order of two systems is an error when the app
/// starts. The error names the sets, and with Bevy's feature `debug` also the systems.
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
        /// [`FluidTickSystems::Air`]. There is one set for each row of the core's [table](blob_fluid::air::AirPass).
        /// Each pass runs for all [`FluidAir`](crate::FluidAir)s before the next pass. Without air, no pass runs.
        ///
        /// | pass | formula | source |
        /// |---|---|---|
        $(#[doc = concat!("| [`", stringify!($pass), "`](Self::", stringify!($pass), ") | `", $formula, "` | ", $source, " |")])*
        ///
        /// ```
        /// use bevy::prelude::*;
        /// use bevy_blob_fluid::prelude::*;
        ///
        /// /// The wind before the pressure turns it around obstacles.
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

            pub(crate) const LAST: Self = Self::ALL[Self::ALL.len() - 1];

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
                FluidEntitySystems::Pools,
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
        // The systems are few and small: several threads would cost more time than they save.
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

/// The place of an entity among entities of its kind. By default, the last spawned entity comes first.
///
/// This order decides which blob is filled first or which collider pushes first, and so affects rounding in the liquid.
/// Every container, collider, blob, emitter, drain, tank, pump, force, sensor and air has this component. Colliders of
/// avian2d and of bevy_rapier2d have a `FluidOrder` too. A level that is spawned again in the same order is
/// bit-identical, with any [`Entity`] ids.
///
/// Give each entity its own [key](Self::key) if the order of spawning differs between machines, for example because the
/// game replicates entities over a network:
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn setup(mut commands: Commands) {
///     commands.spawn((FluidCollider::from(Circle::new(30.0)), FluidOrder::new(17)));
/// }
/// ```
#[doc = guide!("levels")]
#[derive(Component, Reflect, Debug, Default, PartialEq, Eq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[component(on_insert = number)]
pub struct FluidOrder {
    /// Entities with smaller keys come first. Among equal keys, the last spawned entity comes first. Default 0.
    pub key: i64,
    /// Serial number of the entity in the order of spawning, from 1; 0 until the component is
    /// inserted.
    #[reflect(ignore)]
    spawned: u64,
}

impl FluidOrder {
    /// The order of an entity with the given key.
    pub const fn new(key: i64) -> Self {
        Self { key, spawned: 0 }
    }
}

#[cfg(feature = "snapshot")]
impl FluidOrder {
    /// The order of an entity that already has a serial number.
    pub(crate) fn numbered(key: i64, spawned: u64) -> Self {
        Self { key, spawned }
    }

    /// The serial number.
    pub(crate) fn spawned(&self) -> u64 {
        self.spawned
    }
}

/// Gives all entities that are spawned from here on serial numbers above this one.
#[cfg(feature = "snapshot")]
pub(crate) fn number_above(spawned: u64) {
    COUNT.fetch_max(spawned, Relaxed);
}

/// A clone belongs to a later entity, so it gets its own serial number.
impl Clone for FluidOrder {
    fn clone(&self) -> Self {
        Self::new(self.key)
    }
}

/// Count of numbered entities. Numbers are compared only within a world.
static COUNT: AtomicU64 = AtomicU64::new(0);

/// Gives an entity its serial number.
fn number(mut world: DeferredWorld, context: HookContext) {
    if let Some(mut order) = world.get_mut::<FluidOrder>(context.entity) {
        order.bypass_change_detection().spawned = COUNT.fetch_add(1, Relaxed) + 1;
    }
}

/// An entity's place in the order. Entities without a [`FluidOrder`] have key 0 and come last among
/// those, by their ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rank {
    key: i64,
    spawned: Reverse<u64>,
    pub entity: Entity,
}

#[cfg(feature = "snapshot")]
impl Rank {
    /// The place of an entity with this key and serial number.
    pub(crate) fn new(key: i64, spawned: u64, entity: Entity) -> Self {
        Self { key, spawned: Reverse(spawned), entity }
    }

    /// The key and the serial number.
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
