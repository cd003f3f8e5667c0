//! The settings of a liquid.

use crate::liquid::state::Liquid;
use crate::settings::effort::Effort;
use crate::settings::parameters::FluidParameters;
use crate::settings::range::OutOfRange;

/// Settings.
impl Liquid {
    /// Settings.
    pub fn parameters(&self) -> &FluidParameters {
        &self.parameters
    }

    /// Changes the settings; they count from the next pass on.
    ///
    /// # Errors
    ///
    /// [`OutOfRange`] when one is outside its range; the old ones stay.
    pub fn set_parameters(&mut self, parameters: FluidParameters) -> Result<(), OutOfRange> {
        parameters.validate()?;
        self.sleep.everywhere |= parameters != self.parameters;
        self.parameters = parameters;
        self.particles.has_moved();
        self.scale_boundary();
        Ok(())
    }

    /// How much work a tick takes at most.
    pub fn effort(&self) -> Effort {
        self.effort
    }

    /// Limits how much work a tick takes, from the next one on; [`Effort::FULL`] unless told
    /// otherwise. A [`Governor`](crate::Governor) chooses it by the time ticks take.
    pub fn set_effort(&mut self, effort: Effort) {
        self.effort = effort;
    }

    /// Lets the boundary know the scale of the liquid.
    pub(crate) fn scale_boundary(&mut self) {
        let radius = self.parameters.interaction_radius();
        self.boundary.set_scale(radius, self.parameters.particle_spacing);
    }
}
