//! How much work a tick may take, and what a limit to it costs.

use crate::settings::range::OutOfRange;
use crate::settings::ranges::worlds::budget as row;

/// How much work a tick takes at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct Effort {
    /// Substeps; at least 1. Springs that need more to be stable still get them, and so does
    /// [`Relaxation::Classic`](crate::Relaxation::Classic), which blows up with fewer.
    pub substeps: u32,
    /// Sweeps over the pairs of a viscous liquid, in a substep; at least 1. With fewer than it needs
    /// it is thinner.
    pub viscosity_sweeps: u32,
}

impl Effort {
    /// As much as the settings ask for.
    pub const FULL: Self = Self { substeps: u32::MAX, viscosity_sweeps: u32::MAX };
}

impl Default for Effort {
    fn default() -> Self {
        Self::FULL
    }
}

/// What a tick left out of what the settings ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct GivenUp {
    /// Substeps: the liquid is softer, and falls and separates less exactly.
    pub substeps: u32,
    /// Sweeps over the pairs of the most viscous classes: they are thinner.
    pub viscosity_sweeps: u32,
}

/// How long a tick may take, and what may be given up to that end.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct Budget {
    /// Real time of a tick, in milliseconds; 0.01 to 1000. Default 4.
    pub milliseconds: f32,
    /// Fewest substeps; 1 to 64. Default 1.
    #[cfg_attr(feature = "serde", serde(alias = "least_substeps"))]
    pub min_substeps: u32,
    /// Fewest sweeps over the pairs of a viscous liquid, in a substep; 1 to 64. Default 2.
    #[cfg_attr(feature = "serde", serde(alias = "least_viscosity_sweeps"))]
    pub min_viscosity_sweeps: u32,
}

impl Default for Budget {
    fn default() -> Self {
        Self { milliseconds: 4.0, min_substeps: 1, min_viscosity_sweeps: 2 }
    }
}

impl Budget {
    /// Checks every field.
    ///
    /// # Errors
    ///
    /// [`OutOfRange`] names the first field outside its range.
    pub fn validate(&self) -> Result<(), OutOfRange> {
        row::MILLISECONDS.check(self.milliseconds)?;
        row::MIN_SUBSTEPS.check(self.min_substeps as f32)?;
        row::MIN_VISCOSITY_SWEEPS.check(self.min_viscosity_sweeps as f32)
    }
}
