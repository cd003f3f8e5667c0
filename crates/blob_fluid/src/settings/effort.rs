//! Limits of the work and the time of a tick, and what they leave out.

use crate::settings::declare::settings;
use crate::settings::range::OutOfRange;
use crate::settings::visit::Settings;
use crate::stored::stored;

/// Limits of the work in a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct Effort {
    /// Largest number of substeps in a tick; at least 1. Springs that need more substeps to be
    /// stable still get them. [`FluidSolver::Classic`](crate::FluidSolver::Classic) has no limit, because it
    /// becomes unstable with fewer substeps.
    pub substeps: u32,
    /// Largest number of sweeps over the pairs of a viscous liquid in a substep; at least 1. With
    /// fewer sweeps than it needs the liquid is less viscous.
    pub viscosity_sweeps: u32,
}

stored!(Effort { substeps, viscosity_sweeps });

impl Effort {
    /// No limits: as much work as the settings need.
    pub const FULL: Self = Self { substeps: u32::MAX, viscosity_sweeps: u32::MAX };
}

impl Default for Effort {
    fn default() -> Self {
        Self::FULL
    }
}

/// Work that the settings need and that a tick left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct GivenUp {
    /// Number of omitted substeps. The liquid is softer, and falls and separates less exactly.
    pub substeps: u32,
    /// Number of omitted sweeps over the pairs of the most viscous classes. These classes are less
    /// viscous.
    pub viscosity_sweeps: u32,
}

settings! {
    /// Real time that a tick may take, and the least work that it must do.
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    #[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
    #[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
    pub struct FluidBudget: Default as "budget" {
        /// Real time that a tick may take.
        pub milliseconds: f32 [0.01 to 1000] in "ms" = 4,
        /// Fewest substeps that are left.
        pub min_substeps: u32 [1 to 64] = 1,
        /// Fewest sweeps over the pairs of a viscous liquid that are left.
        pub min_viscosity_sweeps: u32 [1 to 64] = 2,
    }
}

stored!(settings FluidBudget, check Self::validate);

impl FluidBudget {
    /// Checks every field.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`], which names the first field outside its range.
    pub fn validate(&self) -> Result<(), OutOfRange> {
        self.check()
    }
}
