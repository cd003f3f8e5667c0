//! The air of a world, and the passes that step it.

use crate::air::airs::AirId;
use crate::air::{Air, AirError, AirPass, AirReport, SavedAir};
use crate::parallel::executor::Executor;
use crate::solver::pass::quarantine::{Checked, quarantine};
use crate::world::FluidWorld;

/// Methods for [air](crate::air).
impl FluidWorld {
    /// Adds [air](crate::air). It meets the world's containers and colliders, and exchanges momentum
    /// and heat with the liquid, which may [turn into air](crate::FluidThermal::into_air) and rain. Its [density](crate::air::AirSettings::density) is in masses per area of the
    /// liquid: liquid of mass 1 has one particle per square of the particle spacing.
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

    /// Replaces the state of air by a saved one, as [`Air::restore`]; `false` if the air was removed.
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

    /// The report of the last step of air; `None` if the air was removed. Between two
    /// [passes](AirPass), what the passes to come report is that of the step before.
    pub fn air_report(&self, id: AirId) -> Option<AirReport> {
        self.airs.report(id)
    }

    /// Steps all air, and exchanges momentum, heat and particles between it and the liquid: for hosts
    /// that run the [passes](crate::FluidPass) themselves, after [`end_tick`](Self::end_tick). It runs
    /// [`AirPass::ALL`]. A time step that is not finite and above 0 changes nothing.
    pub fn step_air(&mut self, time_step: f32, executor: &dyn Executor) {
        executor.run(|| {
            for pass in AirPass::ALL {
                self.run_air_pass(pass, time_step, executor);
            }
        });
    }

    /// Runs one [pass](AirPass) of a step of `time_step` seconds for all air. A time step that is not
    /// finite and above 0 changes nothing. Particles that a host has given numbers that are not finite or too large
    /// are quarantined before it.
    pub fn run_air_pass(&mut self, pass: AirPass, time_step: f32, executor: &dyn Executor) {
        if time_step.is_finite() && time_step > 0.0 {
            if std::mem::take(&mut self.liquid.particles.unchecked) {
                quarantine(&mut self.liquid, Checked::All, time_step, executor);
            }
            self.airs.run_pass(pass, &mut self.liquid, time_step, executor);
        }
    }
}
