//! The fluid world: a liquid together with the workspace that steps it.

mod air;
mod changes;

use std::ops::Deref;

use crate::air::airs::Airs;
use crate::liquid::clock::ChosenSubsteps;
use crate::liquid::state::Liquid;
use crate::parallel::chunks::LONG_CHUNK;
use crate::parallel::executor::Executor;
use crate::particles::arrays::Particles;
use crate::settings::effort::GivenUp;
use crate::settings::parameters::FluidParameters;
use crate::settings::range::OutOfRange;
use crate::solver::neighbours::pairs::Pairs;
use crate::solver::neighbours::refresh::refresh;
use crate::solver::pass::quarantine::{Checked, quarantine};
use crate::solver::pass::table::FluidPass;
use crate::solver::report::{StepError, StepReport};
use crate::solver::sleep::wake::{settle, wake};
use crate::solver::workspace::Workspace;
use crate::state_hash::StateHash;

/// A [`Liquid`] and the workspace that steps it. For reading it dereferences to the liquid, and it has
/// each method of the liquid that changes it.
///
/// Between two ticks or two passes any of these methods may be called. A change has no effect beyond
/// what its documentation says: settings disturb no particle, and liquid that sleeps sleeps on
/// unless something around it has changed.
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
    /// Continues from the state of the liquid.
    fn from(liquid: Liquid) -> Self {
        let mut workspace = Workspace::default();
        // A host may call passes before the first tick, so the coefficients must be valid now.
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
    /// All that is not derived.
    pub(crate) fn state(&self) -> (&Liquid, &Airs) {
        // The number of quarantined particles counts within a tick.
        let Self { liquid, workspace: _, airs, quarantined_before_tick: _ } = self;
        (liquid, airs)
    }

    /// The same, to be replaced.
    pub(crate) fn state_mut(&mut self) -> (&mut Liquid, &mut Airs) {
        (&mut self.liquid, &mut self.airs)
    }

    /// A world that continues from a state.
    pub(crate) fn of_state(liquid: Liquid, airs: Airs) -> Self {
        Self { airs, ..Self::from(liquid) }
    }

    /// Replaces the state, and keeps buffers.
    pub(crate) fn replace_state(&mut self, other: Self) {
        (self.liquid, self.airs) = (other.liquid, other.airs);
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

    /// The state of the liquid, to give it to a source or a drain, or to replace it by a snapshot.
    /// The call itself changes nothing: the liquid notes what is changed in it.
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
    /// [`StepError::TimeStep`] for a time step that is NaN, infinite or negative; then nothing is
    /// changed.
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

    /// A hash of the liquid ([`Liquid::state_hash`]) and of all air ([`Air::state_hash`](crate::air::Air::state_hash)). Without air
    /// it is the liquid's.
    pub fn state_hash(&self) -> u64 {
        let mut hash = StateHash(self.liquid.state_hash());
        self.airs().for_each(|air| hash.add(air.state_hash()));
        hash.0
    }

    /// Runs one [pass](FluidPass) of a substep.
    pub fn run_pass(&mut self, pass: FluidPass, executor: &dyn Executor) {
        self.apply_host_changes(executor);
        self.workspace.run(pass, &mut self.liquid, executor);
    }

    /// Applies settings that the host has changed since the last pass, wakes what it has pushed, and
    /// quarantines particles that it has made invalid.
    fn apply_host_changes(&mut self, executor: &dyn Executor) {
        let Self { liquid, workspace, .. } = self;
        liquid.wake_if_changed();
        let substep = liquid.clock.substep;
        let derive = workspace.derived_from != Some(liquid.settings_revision);
        if derive {
            workspace.derive(liquid, substep);
        }
        if std::mem::take(&mut liquid.particles.unchecked) || derive {
            quarantine(liquid, Checked::All, substep, executor);
        }
        workspace.neighbours.follow(liquid);
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
    pub fn pairs(&mut self, executor: &dyn Executor) -> Pairs<'_> {
        self.apply_host_changes(executor);
        let Self { liquid, workspace: Workspace { neighbours, coefficients, .. }, .. } = self;
        refresh(liquid, neighbours, coefficients, executor);
        let radius = liquid.parameters.interaction_radius();
        Pairs::new(&neighbours.grid, &liquid.particles, radius)
    }

    /// Prepares a tick of `time_step` seconds, for hosts that run the [passes](FluidPass) themselves.
    /// Run all passes once for each substep of the report, then call [`end_tick`](Self::end_tick).
    ///
    /// # Errors
    ///
    /// As [`step`](Self::step).
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
            // Before anything is derived from all particles, such as the depth.
            quarantine(liquid, Checked::All, liquid.clock.substep, executor);
        }
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
        let time_unit = liquid.parameters.time_unit();
        let chosen = workspace.choose_substeps(liquid, time_step, executor);
        let ChosenSubsteps { wanted, least, .. } = chosen;
        let substeps = wanted.min(liquid.effort.substeps.max(least));
        liquid.clock.wanted_substeps = wanted;
        liquid.clock.begin_tick(time_step, substeps, chosen, time_unit);
        workspace.derive(liquid, liquid.clock.substep);
        liquid.boundary.limit_turns(liquid.clock.substep);
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
    pub fn end_tick(&mut self, report: StepReport, executor: &dyn Executor) -> StepReport {
        if report.time_step == 0.0 {
            return report;
        }
        let Self { liquid, workspace, .. } = self;
        liquid.wake_if_changed();
        if report.substeps > 0 {
            quarantine(liquid, Checked::Awake, workspace.coefficients.time_step, executor);
            settle(liquid, report.time_step, executor);
        }
        liquid.sleep.in_tick = false;
        let out_of_bounds = liquid.kill_outside(report.substeps > 0, executor);
        liquid.advance_easing(report.time_step / liquid.parameters.time_unit());
        liquid.clock.time += f64::from(report.time_step);
        liquid.particles.lives.advance(report.time_step);
        crate::counting::count_more(&mut liquid.clock.ticks, 1);
        let mut report = StepReport {
            out_of_bounds,
            asleep: liquid.asleep(),
            quarantined: liquid.population.quarantined - self.quarantined_before_tick,
            ..report
        };
        if report.substeps > 0 {
            workspace.method.report(&mut report);
        }
        report
    }
}

#[cfg(test)]
mod tests;
