//! The fluid world: a liquid together with the workspace that steps it.

use std::ops::{Deref, DerefMut};

use crate::air::airs::{AirId, Airs};
use crate::air::{Air, AirPass, AirReport};
use crate::liquid::state::Liquid;
use crate::parallel::chunks::LONG_CHUNK;
use crate::parallel::executor::Executor;
use crate::particles::arrays::Particles;
use crate::settings::effort::GivenUp;
use crate::settings::parameters::FluidParameters;
use crate::settings::range::OutOfRange;
use crate::solver::neighbours::pairs::Pairs;
use crate::solver::neighbours::refresh::refresh;
use crate::solver::pass::quarantine::{Patients, quarantine};
use crate::solver::pass::table::Pass;
use crate::solver::report::{StepError, StepReport};
use crate::solver::sleep::wake::{settle, wake};
use crate::solver::substeps::choose_substeps;
use crate::solver::workspace::Workspace;
use crate::state_hash::StateHash;

/// A [`Liquid`] and the workspace that steps it. It dereferences to the liquid.
///
/// See the [crate's documentation](crate) for an example.
#[derive(Clone, Debug)]
pub struct FluidWorld {
    liquid: Liquid,
    workspace: Workspace,
    airs: Airs,
    /// Whether the host may have changed the liquid since the last pass.
    changed: bool,
    quarantined_before_tick: u64,
}

impl Default for FluidWorld {
    /// An empty world with the default settings and the three default classes.
    fn default() -> Self {
        Self::from(Liquid::default())
    }
}

impl From<Liquid> for FluidWorld {
    /// Continues from the state of the liquid.
    fn from(mut liquid: Liquid) -> Self {
        liquid.particles.has_moved();
        let mut workspace = Workspace::default();
        // A host may call passes before the first tick, so the coefficients must be valid now.
        workspace.derive(&liquid, liquid.clock.substep);
        Self {
            liquid,
            workspace,
            airs: Airs::default(),
            changed: false,
            quarantined_before_tick: 0,
        }
    }
}

impl Deref for FluidWorld {
    type Target = Liquid;

    fn deref(&self) -> &Liquid {
        &self.liquid
    }
}

impl DerefMut for FluidWorld {
    fn deref_mut(&mut self) -> &mut Liquid {
        self.liquid_mut()
    }
}

impl FluidWorld {
    /// An empty world with these settings.
    ///
    /// # Errors
    ///
    /// [`OutOfRange`] when a setting is outside its range.
    pub fn new(parameters: FluidParameters) -> Result<Self, OutOfRange> {
        let mut world = Self::default();
        world.set_parameters(parameters)?;
        Ok(world)
    }

    /// The state of the liquid.
    pub fn liquid(&self) -> &Liquid {
        &self.liquid
    }

    /// The state of the liquid, to change it or to replace it by a snapshot. Call it between two
    /// ticks or between two passes.
    pub fn liquid_mut(&mut self) -> &mut Liquid {
        self.changed = true;
        self.liquid.particles.sorted = false;
        self.workspace.neighbours.disturb();
        &mut self.liquid
    }

    /// Advances the liquid by `time_step` seconds.
    ///
    /// A time step of less than a nanosecond changes nothing. A time step above
    /// [`max_time_step`](FluidParameters::max_time_step) is cut to it.
    ///
    /// # Errors
    ///
    /// [`StepError::TimeStep`] for a time step that is NaN, infinite or negative; then nothing is
    /// changed.
    pub fn step<E: Executor>(
        &mut self,
        time_step: f32,
        executor: &E,
    ) -> Result<StepReport, StepError> {
        executor.run(|| {
            let report = self.begin_tick(time_step, executor)?;
            for _ in 0..report.substeps {
                for pass in Pass::ALL {
                    self.run_pass(pass, executor);
                }
            }
            let report = self.end_tick(report, executor);
            self.step_air(report.time_step, executor);
            Ok(report)
        })
    }

    /// Adds [air](crate::air). It meets the world's containers and colliders, and exchanges momentum
    /// and heat with the liquid, which may [turn into air](crate::Thermal::into_air) and rain. Its [density](crate::air::AirSettings::density) is in masses per area of the
    /// liquid: liquid of mass 1 has one particle per square of the particle spacing.
    ///
    /// ```
    /// use blob_fluid::air::{Air, AirSettings, Sides};
    /// use blob_fluid::{Bounds, FluidWorld, SerialExecutor};
    /// use glam::Vec2;
    /// let mut world = FluidWorld::default();
    /// let spacing = world.parameters().particle_spacing;
    /// let settings =
    ///     AirSettings { density: 0.02 / (spacing * spacing), ..AirSettings::new(world.parameters().gravity) };
    /// let room = Bounds { low: Vec2::splat(-200.0), high: Vec2::splat(200.0) };
    /// let air = world.insert_air(Air::new(room, 8.0, settings, Sides::default())?);
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

    /// All air of the world, in the order in which it was inserted.
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

    /// A hash of the liquid ([`Liquid::state_hash`]) and of all air ([`Air::state_hash`]). Without air
    /// it is the liquid's.
    pub fn state_hash(&self) -> u64 {
        let mut hash = StateHash(self.liquid.state_hash());
        self.airs().for_each(|air| hash.add(air.state_hash()));
        hash.0
    }

    /// The report of the last step of air; `None` if the air was removed. Between two
    /// [passes](AirPass), what the passes to come report is that of the step before.
    pub fn air_report(&self, id: AirId) -> Option<AirReport> {
        self.airs.report(id)
    }

    /// Steps all air, and exchanges momentum, heat and particles between it and the liquid: for hosts
    /// that run the [passes](Pass) themselves, after [`end_tick`](Self::end_tick). It runs
    /// [`AirPass::ALL`]. A time step that is not finite and above 0 changes nothing.
    pub fn step_air<E: Executor>(&mut self, time_step: f32, executor: &E) {
        executor.run(|| {
            for pass in AirPass::ALL {
                self.run_air_pass(pass, time_step, executor);
            }
        });
    }

    /// Runs one [pass](AirPass) of a step of `time_step` seconds for all air. A time step that is not
    /// finite and above 0 changes nothing.
    pub fn run_air_pass<E: Executor>(&mut self, pass: AirPass, time_step: f32, executor: &E) {
        let valid = time_step.is_finite() && time_step > 0.0;
        if valid && self.airs.run_pass(pass, &mut self.liquid, time_step, executor) {
            // Particles are others now, as if the host had changed them.
            self.liquid_mut();
        }
    }

    /// Runs one [pass](Pass) of a substep.
    pub fn run_pass<E: Executor>(&mut self, pass: Pass, executor: &E) {
        self.take_over_changes(executor);
        self.workspace.run(pass, &mut self.liquid, executor);
    }

    /// Applies settings that the host may have changed since the last pass, wakes what it has
    /// pushed, and quarantines particles that it may have made invalid.
    fn take_over_changes<E: Executor>(&mut self, executor: &E) {
        if std::mem::take(&mut self.changed) {
            let substep = self.liquid.clock.substep;
            self.liquid.wake_if_changed();
            self.workspace.derive(&self.liquid, substep);
            quarantine(&mut self.liquid, Patients::All, substep, executor);
        }
    }

    /// All pairs of neighbours, for a host that adds its own passes. If particles were added,
    /// removed or moved since the last hashing, they are sorted again, which changes their indices.
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
    pub fn pairs<E: Executor>(&mut self, executor: &E) -> Pairs<'_> {
        self.take_over_changes(executor);
        let Self { liquid, workspace: Workspace { neighbours, coefficients, .. }, .. } = self;
        refresh(liquid, neighbours, coefficients, executor);
        let radius = liquid.parameters.interaction_radius();
        Pairs::new(&neighbours.grid, &liquid.particles, radius)
    }

    /// Prepares a tick of `time_step` seconds, for hosts that run the [passes](Pass) themselves.
    /// Run all passes once for each substep of the report, then call [`end_tick`](Self::end_tick).
    ///
    /// # Errors
    ///
    /// As [`step`](Self::step).
    pub fn begin_tick<E: Executor>(
        &mut self,
        time_step: f32,
        executor: &E,
    ) -> Result<StepReport, StepError> {
        if !time_step.is_finite() || time_step < 0.0 {
            return Err(StepError::TimeStep(time_step));
        }
        let Self { liquid, workspace, .. } = self;
        let time_step = time_step.min(liquid.parameters.max_time_step);
        if time_step <= 1e-9 {
            return Ok(StepReport::default());
        }
        self.quarantined_before_tick = liquid.population.quarantined;
        let expired = liquid.expire();
        liquid.boundary.begin_tick(time_step);
        let Particles { position, tick_start, .. } = &mut liquid.particles;
        // While all particles sleep, both arrays stay equal.
        let changed = liquid.sleep.touched || !liquid.sleep.disturbances.is_empty();
        if liquid.sleep.asleep < position.len() || changed {
            executor.for_each_chunk(&mut tick_start[..], LONG_CHUNK, |index, chunk| {
                let start = index * LONG_CHUNK;
                chunk.copy_from_slice(&position[start..start + chunk.len()]);
            });
        }
        if !wake(liquid, &mut workspace.tiles, time_step, executor) {
            let asleep = liquid.asleep();
            return Ok(StepReport { time_step, asleep, expired, ..StepReport::default() });
        }
        workspace.neighbours.wake(&liquid.particles.activity);
        liquid.sleep.in_tick = true;
        liquid.boundary.begin_loads();
        let (wanted, least) = choose_substeps(liquid, &mut workspace.moments, time_step, executor);
        let substeps = wanted.min(liquid.effort.substeps.max(least));
        liquid.clock.wanted_substeps = wanted;
        liquid.clock.substeps = substeps;
        liquid.clock.substep = time_step / substeps as f32;
        workspace.derive(liquid, liquid.clock.substep);
        liquid.boundary.limit_turns(liquid.clock.substep);
        self.changed = false;
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
    /// the last substep, removes particles outside of the kill bounds, and advances the clock.
    pub fn end_tick<E: Executor>(&mut self, report: StepReport, executor: &E) -> StepReport {
        if report.time_step == 0.0 {
            return report;
        }
        let Self { liquid, workspace, .. } = self;
        liquid.wake_if_changed();
        if report.substeps > 0 {
            quarantine(liquid, Patients::Awake, workspace.coefficients.time_step, executor);
            settle(liquid, report.time_step, executor);
        }
        liquid.sleep.in_tick = false;
        let out_of_bounds = liquid.kill_outside(report.substeps > 0, executor);
        liquid.advance_easing(report.time_step / liquid.parameters.time_unit());
        liquid.clock.time += f64::from(report.time_step);
        liquid.particles.lives.advance(report.time_step);
        liquid.clock.ticks += 1;
        let mut report = StepReport {
            out_of_bounds,
            asleep: liquid.asleep(),
            quarantined: liquid.population.quarantined - self.quarantined_before_tick,
            ..report
        };
        workspace.method.report(&mut report);
        report
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec2;

    use super::*;
    use crate::Body;
    use crate::Shape;
    use crate::boundary::collider::{Collider, ColliderOptions};
    use crate::boundary::container::Container;
    use crate::geometry::motion::Motion;
    use crate::parallel::chunks::CHUNK;
    use crate::parallel::executor::SerialExecutor;
    use crate::particles::spawn::ParticleSpawn;
    use crate::settings::class::ClassId;
    use crate::settings::class_filter::ClassFilter;
    use crate::shape::{Polygon, Polyline, scatter};

    /// A tank with all kinds of colliders under liquid.
    fn crowded(container: Container) -> FluidWorld {
        let mut world = FluidWorld::default();
        world.insert_container(container);
        let shapes = [
            Shape::Circle { radius: 14.0 },
            Shape::Rectangle { half_size: Vec2::new(22.0, 5.0) },
            Shape::Polygon(
                Polygon::new([(0.0, 16.0), (-6.0, -4.0), (18.0, 2.0)].map(Vec2::from))
                    .expect("valid"),
            ),
            Shape::Polyline(
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
            Container::new(Shape::Polygon(hollow), Vec2::ZERO, Vec2::X),
        ];
        for container in containers {
            let mut world = crowded(container.expect("valid"));
            let mut left_out = 0;
            for tick in 0..30 {
                if tick == 15 {
                    // One collider goes to where another has been.
                    let ids: Vec<_> = world.colliders().map(|(id, _)| id).collect();
                    world.remove_collider(ids[3]);
                }
                let report = world.begin_tick(1.0 / 60.0, &SerialExecutor).expect("valid");
                for pass in (0..report.substeps).flat_map(|_| Pass::ALL) {
                    let mut searching = world.clone();
                    searching.workspace.neighbours.free.forget();
                    world.run_pass(pass, &SerialExecutor);
                    searching.run_pass(pass, &SerialExecutor);
                    let bits = |world: &FluidWorld| world.liquid.state_hash();
                    assert_eq!(bits(&world), bits(&searching), "{} of tick {tick}", pass.name());
                    let Liquid { particles, boundary, .. } = &world.liquid;
                    let (count, free) = (particles.len(), &world.workspace.neighbours.free);
                    let ends = [&particles.position[..CHUNK]; 2];
                    let exposed = free.exposed(0..CHUNK, count, boundary, 0.0, ends);
                    left_out += (0..CHUNK).filter(|offset| !exposed.is(*offset)).count();
                }
                world.end_tick(report, &SerialExecutor);
            }
            assert!(left_out > 1000, "{left_out} were left out");
        }
    }
}
