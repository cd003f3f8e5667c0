//! The clock of the fluid, `Time<Fluid>`: pause, speed and single steps.

use std::time::Duration;

use bevy::app::FixedMain;
use bevy::ecs::schedule::{InternedScheduleLabel, ScheduleLabel};
use bevy::platform::time::Instant;
use bevy::prelude::*;

use crate::schedule::FluidSchedule;
use crate::simulation::resources::{FluidSimulation, FluidStatistics};

/// The clock of the fluid: the context of [`Time<Fluid>`](Time). [`FluidClock`] has the methods of the clock.
///
/// Every tick simulates the same time, so results depend on the number of ticks but not on the
/// frame rate.
#[derive(Reflect, Clone, Copy, Debug)]
#[reflect(Default, Debug)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub struct Fluid {
    tick: FluidTick,
    max_ticks_per_frame: u32,
    relative_speed: f64,
    paused: bool,
    single_steps: u32,
    /// Time that has passed and has not been simulated yet.
    accumulated: Duration,
    ticks_this_frame: u32,
    /// Number of ticks left in this run of the outer schedule, including the present one.
    ticks_ahead: u32,
    /// Whether bodies are not interpolated between two ticks, because ticks are rolled back.
    shows_last_tick: bool,
}

impl Default for Fluid {
    fn default() -> Self {
        Self {
            tick: FluidTick::Fixed,
            max_ticks_per_frame: 8,
            relative_speed: 1.0,
            paused: false,
            single_steps: 0,
            accumulated: Duration::ZERO,
            ticks_this_frame: 0,
            ticks_ahead: 0,
            shows_last_tick: false,
        }
    }
}

/// Whether the fluid keeps pace with a physics engine, which does not slow down with it. Then the limit of
/// ticks per frame is at least the number of ticks in [`LONGEST_FRAME`].
#[derive(Resource, Default)]
pub(crate) struct KeepsPace(pub bool);

/// Longest time that Bevy's fixed schedules simulate in a frame, unless changed.
const LONGEST_FRAME: Duration = Duration::from_millis(250);

/// Simulated time of a tick.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub enum FluidTick {
    /// The app's fixed timestep: 1/64 s unless changed.
    #[default]
    Fixed,
    /// A tick simulates this time; at least a millisecond.
    Every(Duration),
}

/// Methods of [`Time<Fluid>`](Time).
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn bullet_time(mut time: ResMut<Time<Fluid>>) {
///     time.set_relative_speed(0.1);
/// }
/// ```
pub trait FluidClock {
    /// Pauses the fluid.
    fn pause(&mut self);
    /// Resumes the fluid.
    fn unpause(&mut self);
    /// Whether the fluid is paused.
    fn is_paused(&self) -> bool;
    /// Runs one tick of a paused fluid the next time the outer schedule runs.
    fn step_once(&mut self);
    /// Slows the fluid down (below 1) or speeds it up. The length of a tick stays the same; there are fewer or more
    /// ticks. Negative, infinite and NaN speeds count as 0.
    fn set_relative_speed(&mut self, speed: f64);
    /// Relative speed of the fluid; 1 unless changed.
    fn relative_speed(&self) -> f64;
    /// Sets the simulated time of a tick.
    fn set_tick(&mut self, tick: FluidTick);
    /// Sets the largest number of ticks in a frame, 8 unless changed and at least 1. If more ticks are due, the fluid
    /// slows down. While bodies of a physics engine are coupled to the fluid, it does not slow down, because the engine
    /// does not slow down.
    fn set_max_ticks_per_frame(&mut self, ticks: u32);
    /// Largest number of ticks in a frame.
    fn max_ticks_per_frame(&self) -> u32;
}

impl FluidClock for Time<Fluid> {
    fn pause(&mut self) {
        self.context_mut().paused = true;
    }

    fn unpause(&mut self) {
        self.context_mut().paused = false;
    }

    fn is_paused(&self) -> bool {
        self.context().paused
    }

    fn step_once(&mut self) {
        self.context_mut().single_steps += 1;
    }

    fn set_relative_speed(&mut self, speed: f64) {
        self.context_mut().relative_speed = if speed.is_finite() { speed.max(0.0) } else { 0.0 };
    }

    fn relative_speed(&self) -> f64 {
        self.context().relative_speed
    }

    fn set_tick(&mut self, tick: FluidTick) {
        self.context_mut().tick = tick;
    }

    fn set_max_ticks_per_frame(&mut self, ticks: u32) {
        self.context_mut().max_ticks_per_frame = ticks.max(1);
    }

    fn max_ticks_per_frame(&self) -> u32 {
        self.context().max_ticks_per_frame
    }
}

impl Fluid {
    /// Number of ticks before entities can move again, including the present one.
    pub(crate) fn ticks_ahead(&self) -> u32 {
        self.ticks_ahead
    }

    /// Shows bodies at the state after the last tick, without interpolation.
    #[cfg(feature = "ggrs")]
    pub(crate) fn show_last_tick(&mut self) {
        self.shows_last_tick = true;
    }

    /// The same clock, with its values limited to the ranges that the methods of [`FluidClock`] allow.
    #[cfg(feature = "snapshot")]
    pub(crate) fn sound(self) -> Self {
        let speed = self.relative_speed;
        Self {
            relative_speed: if speed.is_finite() { speed.max(0.0) } else { 0.0 },
            max_ticks_per_frame: self.max_ticks_per_frame.max(1),
            // At most one tick remains after a run.
            accumulated: self.accumulated.min(Duration::from_secs(1)),
            ..self
        }
    }

    /// Time that a tick simulates: at least a millisecond.
    ///
    /// ```
    /// use bevy::prelude::*;
    /// use bevy_blob_fluid::prelude::*;
    /// use std::time::Duration;
    ///
    /// let mut time = Time::<Fluid>::default();
    /// let fixed = Time::<Fixed>::from_hz(60.0);
    /// assert_eq!(time.context().tick_length(&fixed), fixed.timestep());
    /// time.set_tick(FluidTick::Every(Duration::from_millis(5)));
    /// assert_eq!(time.context().tick_length(&fixed), Duration::from_millis(5));
    /// ```
    pub fn tick_length(&self, fixed: &Time<Fixed>) -> Duration {
        let length = match self.tick {
            FluidTick::Fixed => fixed.timestep(),
            FluidTick::Every(length) => length,
        };
        length.max(Duration::from_millis(1))
    }

    /// Advances the clock, and returns the number of ticks to run and the number of dropped ticks.
    /// With `all`, the limit per frame is at least the number of ticks in [`LONGEST_FRAME`].
    fn advance(&mut self, delta: Duration, tick: Duration, all: bool) -> (u32, u64) {
        if self.paused {
            let steps = std::mem::take(&mut self.single_steps);
            return (steps.min(self.max_ticks_per_frame), 0);
        }
        self.single_steps = 0;
        let scaled = delta.as_secs_f64() * self.relative_speed;
        // Exact at normal speed, so that the fluid keeps in step with a fixed schedule.
        let passed = if self.relative_speed == 1.0 {
            delta
        } else {
            Duration::try_from_secs_f64(scaled).unwrap_or(Duration::MAX)
        };
        self.accumulated = self.accumulated.saturating_add(passed);
        let due = self.accumulated.as_nanos() / tick.as_nanos();
        let of_a_frame = (LONGEST_FRAME.as_nanos() / tick.as_nanos()) as u32;
        let most = self.max_ticks_per_frame.max(if all { of_a_frame } else { 0 });
        let allowed = u128::from(most.saturating_sub(self.ticks_this_frame));
        let taken = due.min(allowed) as u32;
        self.ticks_this_frame += taken;
        let rest = self.accumulated.as_nanos() % tick.as_nanos();
        self.accumulated = Duration::from_nanos(rest as u64);
        (taken, u64::try_from(due - u128::from(taken)).unwrap_or(u64::MAX))
    }
}

/// Position of the present moment between the last two ticks: 0 is the earlier tick, 1 is the later tick.
pub(crate) fn interpolation(
    time: &Time<Fluid>,
    fixed: &Time<Fixed>,
    runs_in_fixed_schedule: bool,
) -> f32 {
    let fluid = time.context();
    if fluid.paused || fluid.shows_last_tick {
        return 1.0;
    }
    let mut passed = fluid.accumulated.as_secs_f64();
    if runs_in_fixed_schedule {
        passed += fixed.overstep().as_secs_f64() * fluid.relative_speed;
    }
    (passed / fluid.tick_length(fixed).as_secs_f64()).clamp(0.0, 1.0) as f32
}

/// Whether a schedule runs with a fixed timestep, and is therefore behind the time of the frame.
pub(crate) fn is_fixed(schedule: InternedScheduleLabel) -> bool {
    let fixed = [
        FixedFirst.intern(),
        FixedPreUpdate.intern(),
        FixedUpdate.intern(),
        FixedPostUpdate.intern(),
        FixedLast.intern(),
        FixedMain.intern(),
    ];
    fixed.contains(&schedule)
}

/// Resets the number of ticks for a new frame.
pub(crate) fn begin_frame(mut time: ResMut<Time<Fluid>>, mut statistics: ResMut<FluidStatistics>) {
    time.context_mut().ticks_this_frame = 0;
    statistics.ticks_this_frame = 0;
}

/// Runs [`FluidSchedule`] for every due tick. Meanwhile [`Time`] is the clock of the fluid.
pub(crate) fn run_due_ticks(world: &mut World) {
    let delta = world.resource::<Time>().delta();
    let fixed = *world.resource::<Time<Fixed>>();
    let keeps_pace = world.resource::<KeepsPace>().0;
    let mut time = world.resource_mut::<Time<Fluid>>();
    let tick = time.context().tick_length(&fixed);
    let (ticks, dropped) = time.context_mut().advance(delta, tick, keeps_pace);
    world.resource_mut::<FluidStatistics>().ticks_dropped += dropped;
    if ticks == 0 {
        return;
    }
    let outer = *world.resource::<Time>();
    for ahead in (1..=ticks).rev() {
        let begin = Instant::now();
        let mut time = world.resource_mut::<Time<Fluid>>();
        time.context_mut().ticks_ahead = ahead;
        time.advance_by(tick);
        let now = world.resource::<Time<Fluid>>().as_generic();
        *world.resource_mut::<Time>() = now;
        world.run_schedule(FluidSchedule);
        let quarantined = world.resource::<FluidSimulation>().quarantined();
        let mut statistics = world.resource_mut::<FluidStatistics>();
        if quarantined > statistics.quarantined {
            warn_once!(
                "{quarantined} fluid particles had a position or velocity that was not finite or \
                 out of the world; they were removed"
            );
        }
        statistics.quarantined = quarantined;
        statistics.ticks_this_frame += 1;
        statistics.tick_milliseconds = 1e3 * begin.elapsed().as_secs_f32();
    }
    *world.resource_mut::<Time>() = outer;
}

// Starting over: one call resets the liquid and all state that outlives an entity.

/// The callbacks that run when the liquid starts over.
#[derive(Resource, Default)]
struct Restarts(Vec<fn(&mut World)>);

/// A resource as it was at the end of the app's startup.
#[derive(Resource)]
struct Beginning<R: Resource>(R);

/// Registers state that is reset when the liquid restarts.
pub(crate) trait RestartApp {
    /// Calls `restart` when the liquid starts over.
    fn on_restart(&mut self, restart: fn(&mut World)) -> &mut Self;

    /// Stores a resource at the end of the app's startup, and restores it when the liquid starts
    /// over.
    fn starts_over<R: Resource + Clone>(&mut self) -> &mut Self;

    /// Inserts all components of a type again when the liquid starts over.
    fn begins_anew<C: Component + Clone>(&mut self) -> &mut Self;
}

impl RestartApp for App {
    fn on_restart(&mut self, restart: fn(&mut World)) -> &mut Self {
        self.world_mut().get_resource_or_init::<Restarts>().0.push(restart);
        self
    }

    fn starts_over<R: Resource + Clone>(&mut self) -> &mut Self {
        self.add_systems(PostStartup, |mut commands: Commands, resource: Option<Res<R>>| {
            if let Some(resource) = resource {
                commands.insert_resource(Beginning(resource.clone()));
            }
        });
        self.on_restart(|world| {
            if let Some(Beginning(resource)) = world.get_resource::<Beginning<R>>() {
                let resource = resource.clone();
                world.insert_resource(resource);
            }
        })
    }

    fn begins_anew<C: Component + Clone>(&mut self) -> &mut Self {
        self.on_restart(|world| {
            let mut components = world.query::<(Entity, &C)>();
            let all: Vec<(Entity, C)> = components
                .iter(world)
                .map(|(entity, component)| (entity, component.clone()))
                .collect();
            for (entity, component) in all {
                world.entity_mut(entity).remove::<C>().insert(component);
            }
        })
    }
}

impl FluidSimulation {
    /// Starts over: removes all liquid, resets the clock to 0, and restores all state outside of entities as it was
    /// after the app's startup. The same ticks then give the same bits again. Call this command by
    /// `commands.queue(FluidSimulation::restart)`.
    ///
    /// | restored as it was after `Startup` | starts over | unchanged: the game's task |
    /// |---|---|---|
    /// | [`FluidSettings`](crate::FluidSettings), [`FluidClasses`](crate::FluidClasses), [`FluidForceFields`](crate::FluidForceFields) | blobs that exist are filled again | transforms of bodies and moved colliders |
    /// | [`Time<Fluid>`](crate::Fluid): pause, speed, tick | emitters, drains, pumps, sensors and their totals; tanks; the strength of walls that wear | entities that were spawned or despawned |
    /// | `FluidColoring`, `FluidFoamSettings`, `FluidGlow` | blobs, splashes, statistics, the scene of a [`FluidSceneRoot`](crate::FluidSceneRoot) | the panel, debug drawing |
    ///
    /// ```
    /// use bevy::prelude::*;
    /// use bevy_blob_fluid::prelude::*;
    ///
    /// fn restart(keys: Res<ButtonInput<KeyCode>>, mut commands: Commands) {
    ///     if keys.just_pressed(KeyCode::KeyR) {
    ///         commands.queue(FluidSimulation::restart);
    ///     }
    /// }
    /// ```
    pub fn restart(world: &mut World) {
        let Some(mut fluid) = world.get_resource_mut::<Self>() else { return };
        let spring_capacity = fluid.spring_capacity();
        // Clearing is not enough: new particles must get the same handles as at first.
        *fluid = Self::default();
        fluid.set_spring_capacity(spring_capacity);
        world.insert_resource(FluidStatistics::default());
        let restarts = world.get_resource_or_init::<Restarts>().0.clone();
        restarts.into_iter().for_each(|restart| restart(world));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TICK: Duration = Duration::from_micros(15_625);

    #[test]
    fn a_long_frame_is_cut_short_and_its_rest_forgotten() {
        let mut fluid = Fluid { max_ticks_per_frame: 4, ..default() };
        assert_eq!(fluid.advance(TICK * 10 + TICK / 2, TICK, false), (4, 6));
        assert_eq!(fluid.accumulated, TICK / 2);
        fluid.ticks_this_frame = 0;
        assert_eq!(fluid.advance(TICK / 2, TICK, false), (1, 0));
        assert_eq!(fluid.advance(LONGEST_FRAME * 2, TICK, true), (15, 17));
    }

    // Row 7 of docs/reliability.md.
    #[test]
    fn ten_minutes_asleep_are_as_many_ticks_as_a_frame_may_have() {
        let asleep = Duration::from_secs(600);
        assert_eq!(Fluid::default().advance(asleep, TICK, false), (8, 38_392));
        // With a physics engine the limit is the longest frame of Bevy's fixed schedules.
        assert_eq!(Fluid::default().advance(asleep, TICK, true), (16, 38_384));
        assert_eq!(Fluid::default().advance(Duration::MAX, TICK, false).0, 8);
    }

    #[test]
    fn half_speed_takes_every_other_tick() {
        let mut fluid = Fluid { relative_speed: 0.5, ..default() };
        let taken: Vec<u32> = (0..4)
            .map(|_| {
                fluid.ticks_this_frame = 0;
                fluid.advance(TICK, TICK, false).0
            })
            .collect();
        assert_eq!(taken, [0, 1, 0, 1]);
    }

    #[test]
    fn a_paused_fluid_takes_the_steps_it_is_told_to() {
        let mut time = Time::<Fluid>::default();
        time.pause();
        assert_eq!(time.context_mut().advance(TICK, TICK, false), (0, 0));
        time.step_once();
        assert_eq!(time.context_mut().advance(TICK, TICK, false), (1, 0));
        assert_eq!(time.context_mut().advance(TICK, TICK, false), (0, 0));
    }

    #[test]
    fn nonsense_speeds_stand_still() {
        let mut time = Time::<Fluid>::default();
        for speed in [f64::NAN, f64::INFINITY, -1.0] {
            time.set_relative_speed(speed);
            assert_eq!(time.relative_speed(), 0.0);
        }
        time.set_relative_speed(1e300);
        time.set_max_ticks_per_frame(2);
        assert_eq!(time.context_mut().advance(TICK, TICK, false).0, 2);
    }
}
