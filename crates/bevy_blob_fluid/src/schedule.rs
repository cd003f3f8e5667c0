//! The order of everything the plugin does, in three levels.

use bevy::ecs::schedule::{LogLevel, ScheduleBuildSettings, ScheduleLabel, SingleThreadedExecutor};
use bevy::prelude::*;

/// What the plugin does each time its outer schedule runs.
///
/// 1. [`SyncSettings`](Self::SyncSettings): settings, materials and classes are copied into the
///    simulation.
/// 2. [`SyncScene`](Self::SyncScene): so are containers, colliders and forces, and new blobs are
///    filled.
/// 3. [`Tick`](Self::Tick): [`FluidSchedule`] runs for every tick that is due.
///
/// All run in the outer schedule ([`FixedPostUpdate`] unless the plugin is told otherwise).
#[derive(SystemSet, Reflect, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FluidSystems {
    /// Settings, materials and classes are copied into the simulation, even while the fluid is
    /// paused.
    SyncSettings,
    /// Containers, colliders and forces are copied into the simulation and new blobs are filled,
    /// even while the fluid is paused. What moved moves in the coming ticks.
    SyncScene,
    /// [`FluidSchedule`] runs once for every tick that is due.
    Tick,
}

/// Runs once per tick, with [`Time`] being the fluid's own.
///
/// Its systems are ordered by [`FluidTickSystems`].
#[derive(ScheduleLabel, Reflect, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FluidSchedule;

/// What happens in a tick.
///
/// 1. [`Sources`](Self::Sources): emitters let liquid in, drains let it out.
/// 2. [`Spawn`](Self::Spawn): particles are added and removed.
/// 3. [`Move`](Self::Move): containers and colliders set out to where their entities are.
/// 4. [`Substeps`](Self::Substeps): [`FluidSubstepSchedule`] runs for every substep.
/// 5. [`Sense`](Self::Sense): the result is looked at.
#[derive(SystemSet, Reflect, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FluidTickSystems {
    /// [`FluidEmitter`](crate::FluidEmitter)s let liquid in, [`FluidDrain`](crate::FluidDrain)s let
    /// it out.
    Sources,
    /// For systems that add or remove particles.
    Spawn,
    /// Containers and colliders set out to where their entities are.
    Move,
    /// The simulation.
    Substeps,
    /// For systems that read the particles.
    Sense,
}

/// How the plugin looks at the result of a tick, within [`FluidTickSystems::Sense`].
///
/// 1. [`Bodies`](Self::Bodies)
/// 2. [`Sensors`](Self::Sensors)
/// 3. [`Blobs`](Self::Blobs)
/// 4. [`Splashes`](Self::Splashes)
///
/// Systems of your own in [`FluidSchedule`] that read what these found come after them; an order left
/// open is an error when the app starts.
#[derive(SystemSet, Reflect, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FluidSenseSystems {
    /// [`FluidMotion`](crate::FluidMotion)s and [`FluidLoad`](crate::FluidLoad)s are told.
    Bodies,
    /// [`FluidSensor`](crate::FluidSensor)s measure.
    Sensors,
    /// [`FluidBlobs`](crate::FluidBlobs) are found, with a
    /// [`FluidBlobsPlugin`](crate::FluidBlobsPlugin).
    Blobs,
    /// Splashes are found, with a [`FluidSplashPlugin`](crate::FluidSplashPlugin).
    Splashes,
}

/// Runs once per substep: the algorithm. While all liquid sleeps there are none; what is to wake it
/// belongs into [`FluidTickSystems::Spawn`].
///
/// Its systems are ordered by [`FluidStepSystems`]; add your own between any two. All are
/// exclusive or touch [`FluidSimulation`](crate::FluidSimulation), so an order that is left open
/// between two of them is an error when the app starts.
#[derive(ScheduleLabel, Reflect, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FluidSubstepSchedule;

/// The passes of a substep (Clavet, Beaudoin and Poulin 2005, Algorithm 1), in order.
///
/// 1. [`ApplyGravity`](Self::ApplyGravity)
/// 2. [`ApplyForces`](Self::ApplyForces)
/// 3. [`ApplyDamping`](Self::ApplyDamping)
/// 4. [`GripSurfaces`](Self::GripSurfaces)
/// 5. [`ApplyViscosity`](Self::ApplyViscosity)
/// 6. [`ExchangeHeat`](Self::ExchangeHeat)
/// 7. [`React`](Self::React)
/// 8. [`AdvancePositions`](Self::AdvancePositions)
/// 9. [`HashPositions`](Self::HashPositions)
/// 10. [`ApplySprings`](Self::ApplySprings)
/// 11. [`RelaxDensity`](Self::RelaxDensity)
/// 12. [`Contain`](Self::Contain)
/// 13. [`UpdateVelocities`](Self::UpdateVelocities)
/// 14. [`MoveBodies`](Self::MoveBodies)
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// /// A wind that blows on everything. As one of the `FluidForceFields` it would run on all threads,
/// /// and let the liquid sleep where it does not blow.
/// fn blow(mut fluid: ResMut<FluidSimulation>, time: Res<Time>) {
///     let push = Vec2::X * 50.0 * time.delta_secs();
///     fluid.particles_mut().velocities_mut().iter_mut().for_each(|velocity| *velocity += push);
/// }
///
/// App::new().add_systems(
///     FluidSubstepSchedule,
///     blow.after(FluidStepSystems::ApplyGravity).before(FluidStepSystems::ApplyForces),
/// );
/// ```
#[derive(SystemSet, Reflect, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FluidStepSystems {
    /// `v += dt g`.
    ApplyGravity,
    /// What every [`FluidForce`](crate::FluidForce) does, then every
    /// [field](crate::FluidForceFields) of the game's own.
    ApplyForces,
    /// `v /= 1 + dt c`: the drags that bring a pool to rest.
    ApplyDamping,
    /// Friction along surfaces, and what sticks to them (Algorithm 6, section 6.1).
    GripSurfaces,
    /// `v_i -= I m_j/(m_i + m_j) r_hat`, `I = dt q (sigma u + beta u^2)` (Algorithm 5), in all of
    /// its sweeps but one, which `RelaxDensity` makes with its own: thin liquids need no other.
    ApplyViscosity,
    /// `T_i += dt sum kappa q (T_j - T_i)`, from surfaces and to the surroundings.
    ExchangeHeat,
    /// Classes turn into others, by temperature and on contact.
    React,
    /// `x_prev = x; x += dt v`, for containers and colliders that move as well.
    AdvancePositions,
    /// Particles are sorted into the cells of a grid.
    HashPositions,
    /// `x -= dt^2/2 sum k (1 - L/h) (L - r) r_hat` over an elastic particle's springs, after these
    /// have yielded (Algorithms 3 and 4).
    ApplySprings,
    /// `x -= dt^2/2m sum (P q + P_near q^2) r_hat` (Algorithm 2), and `dt` times what viscosity
    /// changes the velocity by.
    RelaxDensity,
    /// Particles stay in their containers and out of colliders.
    Contain,
    /// `v += (sum of displacements)/dt`.
    UpdateVelocities,
    /// `V += J/M` from what the liquid did to each body, and what bodies do to each other (Algorithm
    /// 6).
    MoveBodies,
}

impl FluidStepSystems {
    /// Every pass, in order.
    pub const ALL: [Self; 14] = [
        Self::ApplyGravity,
        Self::ApplyForces,
        Self::ApplyDamping,
        Self::GripSurfaces,
        Self::ApplyViscosity,
        Self::ExchangeHeat,
        Self::React,
        Self::AdvancePositions,
        Self::HashPositions,
        Self::ApplySprings,
        Self::RelaxDensity,
        Self::Contain,
        Self::UpdateVelocities,
        Self::MoveBodies,
    ];
}

/// Orders what looks at the result of a tick; may be called more than once.
pub(crate) fn configure_senses(app: &mut App) {
    app.register_type::<FluidSenseSystems>().configure_sets(
        FluidSchedule,
        (
            FluidSenseSystems::Bodies,
            FluidSenseSystems::Sensors,
            FluidSenseSystems::Blobs,
            FluidSenseSystems::Splashes,
        )
            .chain()
            .in_set(FluidTickSystems::Sense),
    );
}

/// Creates the plugin's own schedules and orders their sets.
pub(crate) fn configure(app: &mut App, outer: impl ScheduleLabel + Clone) {
    app.register_type::<FluidSystems>()
        .register_type::<FluidSchedule>()
        .register_type::<FluidTickSystems>()
        .register_type::<FluidSubstepSchedule>()
        .register_type::<FluidStepSystems>();
    app.configure_sets(
        outer,
        (FluidSystems::SyncSettings, FluidSystems::SyncScene, FluidSystems::Tick).chain(),
    );
    app.init_schedule(FluidSchedule).init_schedule(FluidSubstepSchedule);
    let strict = || ScheduleBuildSettings {
        ambiguity_detection: LogLevel::Error,
        ..ScheduleBuildSettings::default()
    };
    app.edit_schedule(FluidSchedule, |schedule| {
        // A handful of small systems in a row: handing them to threads costs more than it saves.
        schedule.set_executor(SingleThreadedExecutor::new()).set_build_settings(strict());
        schedule.configure_sets(
            (
                FluidTickSystems::Sources,
                FluidTickSystems::Spawn,
                FluidTickSystems::Move,
                FluidTickSystems::Substeps,
                FluidTickSystems::Sense,
            )
                .chain(),
        );
    });
    app.edit_schedule(FluidSubstepSchedule, |schedule| {
        schedule.set_executor(SingleThreadedExecutor::new()).set_build_settings(strict());
        schedule.configure_sets(
            (
                FluidStepSystems::ApplyGravity,
                FluidStepSystems::ApplyForces,
                FluidStepSystems::ApplyDamping,
                FluidStepSystems::GripSurfaces,
                FluidStepSystems::ApplyViscosity,
                FluidStepSystems::ExchangeHeat,
                FluidStepSystems::React,
                FluidStepSystems::AdvancePositions,
                FluidStepSystems::HashPositions,
                FluidStepSystems::ApplySprings,
                FluidStepSystems::RelaxDensity,
                FluidStepSystems::Contain,
                FluidStepSystems::UpdateVelocities,
                FluidStepSystems::MoveBodies,
            )
                .chain(),
        );
    });
}
