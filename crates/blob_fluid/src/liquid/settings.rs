//! Methods for the parameters and the effort of a liquid.

use crate::liquid::state::Liquid;
use crate::settings::effort::Effort;
use crate::settings::parameters::FluidParameters;
use crate::settings::range::OutOfRange;

/// Methods for settings.
impl Liquid {
    /// The settings.
    pub fn parameters(&self) -> &FluidParameters {
        &self.parameters
    }

    /// Changes the settings. They have an effect from the next pass on, and wake the liquid; settings
    /// that are equal to the present ones change nothing.
    ///
    /// ```
    /// use blob_fluid::{FluidParameters, FluidWorld, FluidSolver};
    /// let mut world = FluidWorld::default();
    /// world.set_parameters(FluidParameters { solver: FluidSolver::Sph, ..*world.parameters() })?;
    /// assert_eq!(world.parameters().solver, FluidSolver::Sph);
    /// # Ok::<(), blob_fluid::OutOfRange>(())
    /// ```
    ///
    /// Settings that the distance of the particles depends on ([`particle_spacing`], radius, rest
    /// density, stiffness, near share, ghost walls, solver) would make liquid that is there burst:
    /// their effect is [eased in](Self::ease_in). The liquid keeps its particles, so with twice the
    /// spacing it takes four times the room. Where it does not have that room it stays compressed,
    /// and [`is_easing`](Self::is_easing) stays `true`. Gravity and all drags act at once.
    ///
    /// [`particle_spacing`]: FluidParameters::particle_spacing
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] if a setting is outside its range. The old settings are kept.
    pub fn set_parameters(&mut self, parameters: FluidParameters) -> Result<(), OutOfRange> {
        parameters.validate()?;
        if parameters == self.parameters {
            return Ok(());
        }
        self.sleep.everywhere = true;
        if self.is_upset_by(&parameters) {
            self.ease_in();
        }
        if parameters.solver != self.parameters.solver {
            self.particles.pressure.clear();
            self.particles.grains.clear();
        }
        self.particles.paints.mix_as(parameters.paint_mixing);
        self.parameters = parameters;
        self.settings_revision.renew();
        self.particles.mark_moved();
        self.scale_boundary();
        Ok(())
    }

    /// Limits of the work in a tick.
    pub fn effort(&self) -> Effort {
        self.effort
    }

    /// Limits the work in a tick, from the next tick on. The default is [`Effort::FULL`]. A
    /// [`Governor`](crate::Governor) chooses the limits by the time that ticks take.
    pub fn set_effort(&mut self, effort: Effort) {
        if effort != self.effort {
            self.effort = effort;
            self.settings_revision.renew();
        }
    }

    /// Updates the lengths of the boundary that depend on the liquid's scale.
    pub(crate) fn scale_boundary(&mut self) {
        let radius = self.parameters.interaction_radius();
        self.boundary.set_scale(radius, self.parameters.particle_spacing);
    }
}
