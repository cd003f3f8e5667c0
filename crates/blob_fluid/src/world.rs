//! The fluid world: a liquid together with the workspace that steps it.

use std::ops::Deref;
use std::sync::Arc;

use glam::Vec2;

use crate::air::step::Airs;
use crate::air::{Air, AirError, AirId, AirPass, AirReport, SavedAir};
use crate::liquid::clock::ChosenSubsteps;
use crate::parallel::executor::LONG_CHUNK;
use crate::revision::StateHash;
use crate::solver::neighbours::hash::refresh;
use crate::solver::pass::quarantine::{QuarantineScope, quarantine};
use crate::solver::sleep::{update_activity, update_rest_times};
use crate::solver::workspace::Workspace;
use crate::{
    Blast, BlastReport, CapacityPolicy, ClassError, ClassFilter, ClassId, ClassTable, Collider,
    ColliderId, Container, ContainerId, Effort, Executor, FluidBounds, FluidParameters, FluidPass,
    FluidRegion, Force, ForceField, GivenUp, HostBody, HostBodyId, Liquid, Motion, MovingParticle,
    OutOfRange, Pairs, ParticleId, ParticleSpawn, ParticleTag, Particles, Pool, PoolError, PoolId,
    RestoreError, SavedParticles, SpawnError, StepError, StepReport,
};

/// A [`Liquid`] and the workspace that steps it. For reading, the world dereferences to the liquid. The world also has
/// each method of [`Liquid`] that changes the liquid.
///
/// You can call these methods between two ticks or two passes. A change has only its documented
/// effects: settings do not disturb particles, and sleeping liquid sleeps on unless its
/// surroundings have changed.
///
/// See the [crate's documentation](crate) for an example.
#[derive(Clone, Debug)]
pub struct FluidWorld {
    liquid: Liquid,
    workspace: Workspace,
    airs: Airs,
    quarantined_before_tick: u64,
}

impl Default for FluidWorld {
    /// An empty world with the default settings and the three default classes.
    fn default() -> Self {
        Self::from(Liquid::default())
    }
}

impl From<Liquid> for FluidWorld {
    /// Creates a world that continues from the state of the liquid.
    fn from(liquid: Liquid) -> Self {
        let mut workspace = Workspace::default();
        // A host may call passes before the first tick, so the coefficients must be valid here.
        workspace.derive(&liquid, liquid.clock.substep);
        Self { liquid, workspace, airs: Airs::default(), quarantined_before_tick: 0 }
    }
}

impl Deref for FluidWorld {
    type Target = Liquid;

    fn deref(&self) -> &Liquid {
        &self.liquid
    }
}

#[cfg(feature = "snapshot")]
impl FluidWorld {
    /// The state without derived values.
    pub(crate) fn state(&self) -> (&Liquid, &Airs) {
        // The number of quarantined particles matters only within a tick.
        let Self { liquid, workspace: _, airs, quarantined_before_tick: _ } = self;
        (liquid, airs)
    }

    /// The state without derived values, for replacing it.
    pub(crate) fn state_mut(&mut self) -> (&mut Liquid, &mut Airs) {
        (&mut self.liquid, &mut self.airs)
    }

    /// A world that continues from a state.
    pub(crate) fn of_state(liquid: Liquid, airs: Airs) -> Self {
        Self { airs, ..Self::from(liquid) }
    }

    /// Replaces the state, and keeps the allocations of the workspace.
    pub(crate) fn replace_state(&mut self, other: Self) {
        (self.liquid, self.airs) = (other.liquid, other.airs);
    }
}

impl FluidWorld {
    /// Creates an empty world with these settings.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] if a setting is outside its range.
    pub fn new(parameters: FluidParameters) -> Result<Self, OutOfRange> {
        let mut world = Self::default();
        world.set_parameters(parameters)?;
        Ok(world)
    }

    /// The state of the liquid.
    pub fn liquid(&self) -> &Liquid {
        &self.liquid
    }

    /// The state of the liquid, for a source, a drain, or a snapshot that replaces the state. The
    /// call itself changes nothing: the liquid detects later changes.
    pub fn liquid_mut(&mut self) -> &mut Liquid {
        &mut self.liquid
    }

    /// Advances the liquid by `time_step` seconds.
    ///
    /// A time step of less than a nanosecond changes nothing. A time step above
    /// [`max_time_step`](FluidParameters::max_time_step) is cut to it.
    ///
    /// # Errors
    ///
    /// Returns [`StepError::TimeStep`] for a time step that is NaN, infinite or negative; then nothing is changed.
    pub fn step(
        &mut self,
        time_step: f32,
        executor: &dyn Executor,
    ) -> Result<StepReport, StepError> {
        executor.run(|| {
            let report = self.begin_tick(time_step, executor)?;
            for _ in 0..report.substeps {
                for pass in FluidPass::ALL {
                    self.run_pass(pass, executor);
                }
            }
            let report = self.end_tick(report, executor);
            self.step_air(report.time_step, executor);
            Ok(report)
        })
    }

    /// A hash of the liquid ([`Liquid::state_hash`]), of all air
    /// ([`Air::state_hash`](crate::air::Air::state_hash)) and of all pools
    /// ([`Pool::state_hash`]). Without air and pools, it equals the hash of the liquid.
    pub fn state_hash(&self) -> u64 {
        let mut hash = StateHash(self.liquid.state_hash());
        self.pools().for_each(|(_, pool)| hash.add(pool.state_hash()));
        self.airs().for_each(|air| hash.add(air.state_hash()));
        hash.0
    }

    /// Runs one [pass](FluidPass) of a substep.
    pub fn run_pass(&mut self, pass: FluidPass, executor: &dyn Executor) {
        self.apply_host_changes(executor);
        self.workspace.run_pass(pass, &mut self.liquid, executor);
    }

    /// Applies settings that the host has changed since the last pass, wakes liquid that the host
    /// has changed, and quarantines particles with invalid numbers.
    fn apply_host_changes(&mut self, executor: &dyn Executor) {
        let Self { liquid, workspace, .. } = self;
        liquid.wake_if_changed();
        let substep = liquid.clock.substep;
        let derive = workspace.derived_from != Some(liquid.settings_revision);
        if derive {
            workspace.derive(liquid, substep);
        }
        if std::mem::take(&mut liquid.particles.unchecked) || derive {
            quarantine(liquid, QuarantineScope::All, substep, executor);
        }
        workspace.neighbours.invalidate_free_discs(liquid);
    }

    /// All pairs of neighbours, for passes of your own. If particles were added, removed or moved since the last sort,
    /// all particles are sorted again, which changes their indices.
    ///
    /// ```
    /// use blob_fluid::{FluidWorld, ParticleSpawn, SerialExecutor};
    /// use glam::Vec2;
    /// let mut world = FluidWorld::default();
    /// for x in [0.0, 15.0, 100.0] {
    ///     world.spawn(ParticleSpawn { position: Vec2::new(x, 0.0), ..Default::default() })?;
    /// }
    /// let mut weights = Vec::new();
    /// world.pairs(&SerialExecutor).for_each(|pair| weights.push(pair.weight));
    /// assert_eq!(weights, [0.5], "only two are closer than the interaction radius of 30");
    /// # Ok::<(), blob_fluid::SpawnError>(())
    /// ```
    pub fn pairs(&mut self, executor: &dyn Executor) -> Pairs<'_> {
        self.apply_host_changes(executor);
        let Self { liquid, workspace: Workspace { neighbours, coefficients, .. }, .. } = self;
        refresh(liquid, neighbours, coefficients, executor);
        let radius = liquid.parameters.interaction_radius();
        Pairs::new(&neighbours.grid, &liquid.particles, radius)
    }

    /// Prepares a tick of `time_step` seconds, if you run the [passes](FluidPass) yourself. Run all passes once for
    /// each substep of the report, then call [`end_tick`](Self::end_tick).
    ///
    /// # Errors
    ///
    /// Returns the errors of [`step`](Self::step).
    pub fn begin_tick(
        &mut self,
        time_step: f32,
        executor: &dyn Executor,
    ) -> Result<StepReport, StepError> {
        if !time_step.is_finite() || time_step < 0.0 {
            return Err(StepError::TimeStep(time_step));
        }
        let Self { liquid, workspace, .. } = self;
        let time_step = time_step.min(liquid.parameters.max_time_step);
        if time_step <= 1e-9 {
            return Ok(StepReport { asleep: liquid.asleep(), ..StepReport::default() });
        }
        self.quarantined_before_tick = liquid.population.quarantined;
        liquid.quarantined.clear();
        if std::mem::take(&mut liquid.particles.unchecked) {
            // Quarantine comes before values derived from all particles, such as the depth.
            quarantine(liquid, QuarantineScope::All, liquid.clock.substep, executor);
        }
        let expired = liquid.expire();
        liquid.boundary.begin_tick(time_step);
        let Particles { position, tick_start, .. } = &mut liquid.particles;
        // The two arrays stay equal while all particles sleep.
        let changed = liquid.sleep.touched || !liquid.sleep.disturbances.is_empty();
        if liquid.sleep.asleep < position.len() || changed {
            executor.for_each_chunk(&mut tick_start[..], LONG_CHUNK, |index, chunk| {
                let start = index * LONG_CHUNK;
                chunk.copy_from_slice(&position[start..start + chunk.len()]);
            });
        }
        if !update_activity(liquid, &mut workspace.tiles, time_step, executor) {
            let asleep = liquid.asleep();
            return Ok(StepReport { time_step, asleep, expired, ..StepReport::default() });
        }
        workspace.neighbours.update_sleeping_chunks(&liquid.particles.activity);
        liquid.sleep.in_tick = true;
        liquid.boundary.reset_loads();
        let time_unit = liquid.parameters.time_unit();
        let chosen = workspace.choose_substeps(liquid, time_step, executor);
        let ChosenSubsteps { wanted, min_stable: least, .. } = chosen;
        let substeps = wanted.min(liquid.effort.substeps.max(least));
        liquid.clock.wanted_substeps = wanted;
        liquid.clock.begin_tick(time_step, substeps, chosen, time_unit);
        workspace.derive(liquid, liquid.clock.substep);
        liquid.boundary.limit_angular_velocities(liquid.clock.substep);
        workspace.solve_changed_contacts(liquid);
        let (viscosity_sweeps, sweeps_given_up) = workspace.method.viscosity_sweeps();
        Ok(StepReport {
            time_step,
            substeps,
            viscosity_sweeps,
            given_up: GivenUp { substeps: wanted - substeps, viscosity_sweeps: sweeps_given_up },
            expired,
            ..StepReport::default()
        })
    }

    /// Ends a tick that [`begin_tick`](Self::begin_tick) began: it quarantines invalid particles of
    /// the last substep, steps all [pools](Pool), removes particles outside of the kill bounds, and advances the clock.
    pub fn end_tick(&mut self, report: StepReport, executor: &dyn Executor) -> StepReport {
        if report.time_step == 0.0 {
            return report;
        }
        let Self { liquid, workspace, .. } = self;
        liquid.wake_if_changed();
        if report.substeps > 0 {
            quarantine(liquid, QuarantineScope::Awake, workspace.coefficients.time_step, executor);
        }
        liquid.sleep.in_tick = false;
        liquid.step_pools(report.time_step);
        if report.substeps > 0 {
            update_rest_times(liquid, report.time_step, executor);
        }
        let out_of_bounds = liquid.kill_outside(report.substeps > 0, executor);
        liquid.advance_easing(report.time_step / liquid.parameters.time_unit());
        liquid.clock.time += f64::from(report.time_step);
        liquid.particles.lives.advance(report.time_step);
        crate::settings::range::count_more(&mut liquid.clock.ticks, 1);
        let mut report = StepReport {
            out_of_bounds,
            asleep: liquid.asleep(),
            quarantined: liquid.population.quarantined - self.quarantined_before_tick,
            ..report
        };
        if report.substeps > 0 {
            report.waiting = workspace.neighbours.grid.waiting_count();
            workspace.method.report(&mut report);
        }
        report
    }
}

// Methods that change the liquid of a world. Each calls the liquid's method of that name.

/// Gives the world methods of the liquid. They are inherent methods, not reached through
/// `DerefMut`, so that arguments may read the world:
/// `world.set_parameters(FluidParameters { solver, ..*world.parameters() })`.
macro_rules! forward_to_liquid {
    ($(
        $(#[$about:meta])*
        { $(fn $name:ident($($argument:ident: $kind:ty),*) $(-> $result:ty)?;)* }
    )*) => {$(
        $(#[$about])*
        impl FluidWorld {$(
            #[doc = concat!("As [`Liquid::", stringify!($name), "`].")]
            pub fn $name(&mut self, $($argument: $kind),*) $(-> $result)? {
                Liquid::$name(&mut self.liquid, $($argument),*)
            }
        )*}
    )*};
}

forward_to_liquid! {
    /// Methods that change settings.
    {
        fn set_parameters(parameters: FluidParameters) -> Result<(), OutOfRange>;
        fn set_effort(effort: Effort);
        fn set_classes(classes: ClassTable) -> Result<(), ClassError>;
        fn ease_in();
        fn end_easing();
        fn set_forces(forces: &[Force]) -> Result<(), OutOfRange>;
        fn set_force_fields(fields: Vec<Arc<dyn ForceField>>);
        fn set_capacity(capacity: usize);
        fn set_capacity_policy(policy: CapacityPolicy);
        fn set_kill_bounds(bounds: Option<FluidBounds>) -> Result<(), OutOfRange>;
        fn set_spring_capacity(capacity: usize);
        fn reset_clock();
    }

    /// Methods that add and remove particles.
    {
        fn spawn(spawn: ParticleSpawn) -> Result<ParticleId, SpawnError>;
        fn restore_particles(saved: &SavedParticles) -> Result<Vec<ParticleId>, RestoreError>;
        fn despawn(id: ParticleId) -> bool;
        fn despawn_where(dead: impl FnMut(Vec2, ClassId) -> bool) -> usize;
        fn despawn_tagged(tag: ParticleTag) -> usize;
        fn despawn_in_container(id: ContainerId) -> usize;
        fn clear();
    }

    /// Methods that change particles.
    {
        fn particles_mut() -> &mut Particles;
        fn change_velocities_in(bounds: FluidBounds, change: impl FnMut(MovingParticle<'_>)) -> usize;
        fn add_velocity_tagged(tag: ParticleTag, change: Vec2) -> Result<usize, OutOfRange>;
        fn apply_impulse(force: &Force) -> Result<(), OutOfRange>;
        fn apply_blast(blast: &Blast) -> Result<BlastReport, OutOfRange>;
        fn set_class(id: ParticleId, class: ClassId) -> Result<bool, SpawnError>;
        fn set_class_where(
            class: ClassId,
            chosen: impl FnMut(Vec2, ClassId) -> bool
        ) -> Result<usize, SpawnError>;
        fn set_class_tagged(tag: ParticleTag, class: ClassId) -> Result<usize, SpawnError>;
        fn set_paint(id: ParticleId, color: [f32; 3]) -> Result<bool, OutOfRange>;
        fn paint_where(
            color: [f32; 3],
            chosen: impl FnMut(Vec2, ClassId) -> bool
        ) -> Result<usize, OutOfRange>;
        fn paint_tagged(tag: ParticleTag, color: [f32; 3]) -> Result<usize, OutOfRange>;
        fn paint_in(
            region: &FluidRegion,
            classes: ClassFilter,
            color: [f32; 3],
            share: f32
        ) -> Result<usize, OutOfRange>;
        fn set_tag(id: ParticleId, tag: ParticleTag) -> bool;
        fn relocate(id: ParticleId, position: Vec2, velocity: Vec2) -> Result<bool, SpawnError>;
    }

    /// Methods that change containers, which hold the liquid.
    {
        fn insert_container(container: Container) -> ContainerId;
        fn set_container(id: ContainerId, container: Container) -> bool;
        fn move_container(
            id: ContainerId,
            centre: Vec2,
            rotation: Vec2
        ) -> Result<bool, OutOfRange>;
        fn set_container_motion(id: ContainerId, motion: Motion) -> Result<bool, OutOfRange>;
        fn remove_container(id: ContainerId) -> Option<Container>;
        fn clear_containers();
    }

    /// Methods that change colliders, which the liquid cannot enter.
    {
        fn insert_collider(collider: Collider) -> ColliderId;
        fn set_collider(id: ColliderId, collider: Collider) -> bool;
        fn move_collider(
            id: ColliderId,
            centre: Vec2,
            rotation: Vec2
        ) -> Result<bool, OutOfRange>;
        fn set_collider_motion(id: ColliderId, motion: Motion) -> Result<bool, OutOfRange>;
        fn remove_collider(id: ColliderId) -> Option<Collider>;
        fn remove_colliders(ids: &[ColliderId]) -> usize;
        fn clear_colliders();
    }

    /// Methods that change [host bodies](HostBody).
    {
        fn insert_host_body(body: HostBody) -> Result<HostBodyId, OutOfRange>;
        fn set_host_body(id: HostBodyId, body: HostBody) -> Result<bool, OutOfRange>;
        fn set_host_body_motion(id: HostBodyId, motion: Motion) -> Result<bool, OutOfRange>;
        fn remove_host_body(id: HostBodyId) -> Option<HostBody>;
    }

    /// Methods that change [pools](Pool).
    {
        fn insert_pool(pool: Pool) -> Result<PoolId, PoolError>;
        fn set_pool(id: PoolId, pool: Pool) -> Result<bool, PoolError>;
        fn remove_pool(id: PoolId) -> Option<Pool>;
        fn pool_mut(id: PoolId) -> Option<&mut Pool>;
    }
}

// Air of a world, and its passes.

/// Methods for [air](crate::air).
impl FluidWorld {
    /// Adds [air](crate::air). The world's containers and colliders bound the air, and it exchanges
    /// momentum and heat with the liquid. Liquid may [turn into
    /// air](crate::FluidThermal::into_air), and air may rain. The
    /// [density](crate::air::AirSettings::density) of air is a mass per area. Compare it with
    /// liquid of mass 1, whose density is 1 per square of the particle spacing.
    ///
    /// ```
    /// use blob_fluid::air::{Air, AirSettings, AirSides};
    /// use blob_fluid::{FluidBounds, FluidWorld, SerialExecutor};
    /// use glam::Vec2;
    /// let mut world = FluidWorld::default();
    /// let spacing = world.parameters().particle_spacing;
    /// let settings =
    ///     AirSettings { density: 0.02 / (spacing * spacing), ..AirSettings::new(world.parameters().gravity) };
    /// let room = FluidBounds { low: Vec2::splat(-200.0), high: Vec2::splat(200.0) };
    /// let air = world.insert_air(Air::new(room, 8.0, settings, AirSides::default())?);
    /// world.step(1.0 / 60.0, &SerialExecutor).expect("a valid time step");
    /// assert!(world.air(air).expect("it is there").time() > 0.0);
    /// # Ok::<(), blob_fluid::air::AirError>(())
    /// ```
    pub fn insert_air(&mut self, air: Air) -> AirId {
        self.airs.insert(air)
    }

    /// Removes air, and returns it; `None` if it was removed before.
    pub fn remove_air(&mut self, id: AirId) -> Option<Air> {
        self.airs.remove(id)
    }

    /// Air of the world; `None` if it was removed.
    pub fn air(&self, id: AirId) -> Option<&Air> {
        self.airs.get(id)
    }

    /// Air of the world, to change its settings, sides, sources or channels; `None` if it was removed.
    pub fn air_mut(&mut self, id: AirId) -> Option<&mut Air> {
        self.airs.get_mut(id)
    }

    /// The state of air as data, as [`Air::save`]; `None` if the air was removed.
    pub fn save_air(&self, id: AirId) -> Option<SavedAir> {
        self.air(id).map(Air::save)
    }

    /// Replaces the state of air by a saved state, as [`Air::restore`]; `false` if the air was removed.
    ///
    /// ```
    /// use blob_fluid::air::{Air, AirChannel, AirSettings, AirSides};
    /// use blob_fluid::{FluidBounds, FluidRegion, FluidWorld};
    /// use glam::Vec2;
    /// let mut world = FluidWorld::default();
    /// let room = FluidBounds { low: Vec2::splat(-40.0), high: Vec2::splat(40.0) };
    /// let id = world.insert_air(Air::new(room, 8.0, AirSettings::default(), AirSides::default())?);
    /// let puff = FluidRegion::circle(Vec2::ZERO, 20.0).expect("valid");
    /// world.air_mut(id).expect("there").fill_channel(AirChannel::Smoke, &puff, 1.0)?;
    /// let saved = world.save_air(id).expect("there");
    /// world.air_mut(id).expect("there").clear();
    /// assert!(world.restore_air(id, &saved)?);
    /// assert!(world.air(id).expect("there").amount(AirChannel::Smoke) > 0.0);
    /// # Ok::<(), blob_fluid::air::AirError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Air::restore`].
    pub fn restore_air(&mut self, id: AirId, saved: &SavedAir) -> Result<bool, AirError> {
        let Some(air) = self.air_mut(id) else { return Ok(false) };
        air.restore(saved)?;
        Ok(true)
    }

    /// All air of the world, in the order of insertion.
    pub fn airs(&self) -> impl Iterator<Item = &Air> {
        self.airs.entries().map(|(_, air, _)| air)
    }

    /// The handles of all air, in the order of [`airs`](Self::airs).
    pub fn air_ids(&self) -> impl Iterator<Item = AirId> {
        self.airs.entries().map(|(id, ..)| id)
    }

    /// All air with the reports of its last step.
    pub(crate) fn airs_with_reports(&self) -> impl Iterator<Item = (&Air, AirReport)> {
        self.airs.entries().map(|(_, air, report)| (air, report))
    }

    /// The report of the last step of air; `None` if the air was removed. Between two
    /// [passes](AirPass) the figures of later passes are those of the previous step.
    pub fn air_report(&self, id: AirId) -> Option<AirReport> {
        self.airs.report(id)
    }

    /// Steps all air, and exchanges momentum, heat and particles between it and the liquid. If you run the
    /// [passes](crate::FluidPass) yourself, call it after [`end_tick`](Self::end_tick). It runs [`AirPass::ALL`]. A
    /// time step that is 0, negative or not finite changes nothing.
    pub fn step_air(&mut self, time_step: f32, executor: &dyn Executor) {
        executor.run(|| {
            for pass in AirPass::ALL {
                self.run_air_pass(pass, time_step, executor);
            }
        });
    }

    /// Runs one [pass](AirPass) of a step of `time_step` seconds for all air. A time step that is 0, negative or not
    /// finite changes nothing. Particles that your code has made invalid (a number is not finite or too large) are
    /// quarantined first.
    pub fn run_air_pass(&mut self, pass: AirPass, time_step: f32, executor: &dyn Executor) {
        if time_step.is_finite() && time_step > 0.0 {
            if std::mem::take(&mut self.liquid.particles.unchecked) {
                quarantine(&mut self.liquid, QuarantineScope::All, time_step, executor);
            }
            self.airs.run_pass(pass, &mut self.liquid, time_step, executor);
        }
    }
}

#[cfg(test)]
mod tests {
    //! Tests of the effects of a host's calls, and of the work that passes skip.

    use super::*;
    use crate::boundary::solids::FreeDisc;
    use crate::parallel::executor::CHUNK;
    use crate::shape::{Polygon, Polyline, scatter};
    use crate::{Body, ColliderOptions, FluidShape, FluidSleeping, SerialExecutor};

    /// A tank with all kinds of colliders under liquid.
    fn crowded(container: Container) -> FluidWorld {
        let mut world = FluidWorld::default();
        world.insert_container(container);
        let shapes = [
            FluidShape::Circle { radius: 14.0 },
            FluidShape::Rectangle { half_size: Vec2::new(22.0, 5.0) },
            FluidShape::Polygon(
                Polygon::new([(0.0, 16.0), (-6.0, -4.0), (18.0, 2.0)].map(Vec2::from))
                    .expect("valid"),
            ),
            FluidShape::Polyline(
                Polyline::new([(-20.0, 0.0), (0.0, 9.0), (20.0, -3.0)].map(Vec2::from), 0.0)
                    .expect("valid"),
            ),
        ];
        for number in 0..40 {
            let shape = shapes[number as usize % 4].clone();
            let turn = scatter(50 + number).normalize_or(Vec2::X);
            let collider =
                Collider::new(shape.clone(), scatter(number) * 360.0, turn).expect("valid");
            let body = Body::of_density(0.6, &shape, 8.0).ok().filter(|_| number % 8 == 1);
            let options = ColliderOptions {
                one_way: number % 8 == 3,
                classes: if number % 5 == 0 {
                    ClassFilter::ALL.without(ClassId::LIGHT)
                } else {
                    ClassFilter::ALL
                },
                body,
                ..Default::default()
            };
            let collider = collider.with_options(options).expect("valid");
            let turning = Motion { angular_velocity: 3.0, ..Motion::STILL };
            let motion = if number % 8 == 6 { turning } else { Motion::STILL };
            world.insert_collider(collider.with_motion(motion).expect("valid"));
        }
        for number in 0..3000 {
            let position = scatter(1000 + number) * 380.0;
            let class = [ClassId::HEAVY, ClassId::MEDIUM, ClassId::LIGHT][number as usize % 3];
            world.spawn(ParticleSpawn { position, class, ..Default::default() }).expect("room");
        }
        world
    }

    #[test]
    fn passes_that_leave_out_what_keeps_inside_free_discs_change_no_bit() {
        let square = [(-1.0, -1.0), (1.0, -1.0), (1.1, 0.2), (0.0, 0.4), (-1.0, 1.0)];
        let hollow = Polygon::new(square.map(|(x, y)| Vec2::new(x, y) * 400.0)).expect("valid");
        let containers = [
            Container::circle(Vec2::ZERO, 400.0),
            Container::rectangle(Vec2::ZERO, Vec2::splat(390.0)),
            Container::new(FluidShape::Polygon(hollow), Vec2::ZERO, Vec2::X),
        ];
        for container in containers {
            let mut world = crowded(container.expect("valid"));
            let mut left_out = 0;
            for tick in 0..30 {
                if tick == 15 {
                    // A collider takes the place of another one.
                    let ids: Vec<_> = world.colliders().map(|(id, _)| id).collect();
                    world.remove_collider(ids[3]);
                }
                let report = world.begin_tick(1.0 / 60.0, &SerialExecutor).expect("valid");
                for pass in (0..report.substeps).flat_map(|_| FluidPass::ALL) {
                    let mut searching = world.clone();
                    searching.workspace.neighbours.free_discs.invalidate();
                    world.run_pass(pass, &SerialExecutor);
                    searching.run_pass(pass, &SerialExecutor);
                    let bits = |world: &FluidWorld| world.liquid.state_hash();
                    assert_eq!(bits(&world), bits(&searching), "{} of tick {tick}", pass.name());
                    let Liquid { particles, boundary, .. } = &world.liquid;
                    let (count, free_discs) =
                        (particles.len(), &world.workspace.neighbours.free_discs);
                    let ends = [&particles.position[..CHUNK]; 2];
                    let exposed = free_discs.find_exposed(0..CHUNK, count, boundary, 0.0, ends);
                    left_out += (0..CHUNK).filter(|offset| !exposed.contains(*offset)).count();
                }
                world.end_tick(report, &SerialExecutor);
            }
            assert!(left_out > 1000, "{left_out} were left out");
        }
    }

    /// A sleeping pool under a collider.
    fn sleeping_pool() -> FluidWorld {
        let sleeping = FluidSleeping { after: 0.1, drift: 1.0 };
        let parameters = FluidParameters { sleeping, ..Default::default() };
        let mut world = FluidWorld::new(parameters).expect("valid");
        world
            .insert_container(Container::rectangle(Vec2::ZERO, Vec2::splat(100.0)).expect("valid"));
        world.insert_collider(Collider::circle(Vec2::new(0.0, 60.0), 12.0).expect("valid"));
        let pool = FluidShape::Rectangle { half_size: Vec2::new(98.0, 45.0) };
        for position in pool.fill(Vec2::new(0.0, -52.0), parameters.particle_spacing) {
            world.spawn(ParticleSpawn { position, ..Default::default() }).expect("room");
        }
        let mut ticks = 0;
        while world.asleep() < world.particles().len() {
            world.step(1.0 / 60.0, &SerialExecutor).expect("valid");
            ticks += 1;
            assert!(ticks < 2000, "{} of {} sleep", world.asleep(), world.particles().len());
        }
        world
    }

    /// Sorts the particles, and gives each a free disc as large as the world.
    fn find_neighbours(world: &mut FluidWorld) {
        world.pairs(&SerialExecutor);
        world.apply_host_changes(&SerialExecutor);
        let FluidWorld { liquid, workspace, .. } = world;
        let (discs, found) =
            workspace.neighbours.free_discs.prepare(liquid.particles.len(), &liquid.boundary);
        assert!(found);
        discs.fill(FreeDisc { centre: Vec2::ZERO, radius: 1e4 });
    }

    /// Whether the grid is still valid for the particles, and whether they still have their free discs.
    fn found(world: &mut FluidWorld) -> (bool, bool) {
        world.apply_host_changes(&SerialExecutor);
        let FluidWorld { liquid: Liquid { particles, boundary, .. }, workspace, .. } = world;
        let neighbours = &workspace.neighbours;
        let ends = [&particles.position[..1]; 2];
        let exposed =
            neighbours.free_discs.find_exposed(0..1, particles.len(), boundary, 0.0, ends);
        (neighbours.is_current_for(particles), !exposed.contains(0))
    }

    /// A call of a host, with a description.
    type Call = (&'static str, fn(&mut FluidWorld));

    #[test]
    fn calls_that_change_no_particle_leave_the_neighbours_alone_and_the_liquid_asleep() {
        let calls: [Call; 12] = [
            ("effort", |world| world.set_effort(world.effort())),
            ("parameters", |world| world.set_parameters(*world.parameters()).expect("valid")),
            ("classes", |world| world.set_classes(world.classes().clone()).expect("valid")),
            ("reading colliders", |world| {
                world.liquid_mut();
                let ids: Vec<_> = world.colliders().map(|(id, _)| id).collect();
                let read = ids.iter().filter_map(|id| world.collider_fade_in(*id)).sum::<f32>();
                assert_eq!(read, 1.0);
            }),
            ("an equal collider", |world| {
                let (id, collider) = world.colliders().next().expect("it is there");
                let collider = collider.clone();
                assert!(world.set_collider(id, collider));
            }),
            ("an equal motion", |world| {
                let (id, collider) = world.colliders().next().expect("it is there");
                let motion = collider.motion();
                assert!(world.set_collider_motion(id, motion).expect("valid"));
            }),
            ("an equal container", |world| {
                let (id, container) = world.containers().next().expect("it is there");
                let container = container.clone();
                assert!(world.set_container(id, container));
            }),
            ("capacities", |world| {
                world.set_capacity(5000);
                world.set_spring_capacity(5000);
                world.set_capacity_policy(CapacityPolicy::RecycleOldest);
            }),
            ("no force", |world| world.set_forces(&[]).expect("valid")),
            ("the clock", |world| world.reset_clock()),
            ("nothing despawned", |world| assert_eq!(world.despawn_where(|_, _| false), 0)),
            ("a tag", |world| {
                let id = world.particles().ids()[0];
                assert!(world.set_tag(id, ParticleTag(3)));
            }),
        ];
        let mut world = sleeping_pool();
        find_neighbours(&mut world);
        for (name, call) in calls {
            let mut world = world.clone();
            call(&mut world);
            assert_eq!(found(&mut world), (true, true), "{name} disturbed the neighbours");
            let report = world.step(1.0 / 60.0, &SerialExecutor).expect("valid");
            assert_eq!(report.substeps, 0, "{name} woke the liquid");
        }
    }

    #[test]
    fn calls_that_change_particles_or_walls_are_noticed() {
        let calls: [(&str, fn(&mut FluidWorld), (bool, bool)); 9] = [
            (
                "spawn",
                |world| _ = world.spawn(ParticleSpawn::default()).expect("room"),
                (false, false),
            ),
            ("despawn", |world| assert!(world.despawn(world.particles().ids()[0])), (false, false)),
            (
                "one for another",
                |world| {
                    assert!(world.despawn(world.particles().ids()[0]));
                    world.spawn(ParticleSpawn::default()).expect("room");
                },
                (false, false),
            ),
            ("displace", |world| world.particles_mut().displace(0, Vec2::X), (false, false)),
            (
                "a snapshot",
                |world| {
                    let mut other = world.clone();
                    other.pairs(&SerialExecutor);
                    other.particles_mut();
                    other.pairs(&SerialExecutor);
                    *world.liquid_mut() = other.liquid().clone();
                },
                (false, false),
            ),
            (
                "a class",
                |world| {
                    let id = world.particles().ids()[0];
                    assert!(world.set_class(id, ClassId::HEAVY).expect("it exists"));
                },
                (true, false),
            ),
            (
                "a collider",
                |world| {
                    world.insert_collider(Collider::circle(Vec2::ZERO, 5.0).expect("valid"));
                },
                (true, false),
            ),
            ("no container", |world| world.clear_containers(), (true, false)),
            (
                "velocities",
                |world| {
                    let changed = world.change_velocities_in(FluidBounds::ALL, |particle| {
                        particle.velocity.x += 9.0
                    });
                    assert_eq!(changed, world.particles().len());
                },
                (true, true),
            ),
        ];
        let mut world = sleeping_pool();
        find_neighbours(&mut world);
        for (name, call, expected) in calls {
            let mut world = world.clone();
            call(&mut world);
            assert_eq!(found(&mut world), expected, "{name}");
            let report = world.step(1.0 / 60.0, &SerialExecutor).expect("valid");
            assert!(report.substeps > 0 || name == "a snapshot", "{name} woke nothing");
        }
    }
}
