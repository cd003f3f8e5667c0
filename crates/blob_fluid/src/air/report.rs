//! The report of a step.

use glam::Vec2;

/// What a step of the air did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct AirReport {
    /// Iterations of the projection.
    pub iterations: u32,
    /// Root mean square of the divergence that the projection left, relative to that which it met;
    /// 0 if there was none.
    pub residual: f32,
    /// Largest divergence of a cell after the step, in 1/s.
    pub divergence: f32,
    /// Largest velocity across a face after the step, in world units/s.
    pub max_speed: f32,
    /// More air flows in than out in a part of the air without an opening, or more out than in:
    /// mean divergence that the projection had to leave, in 1/s. A host may warn once that such a
    /// scene needs an opening.
    pub blocked_inflow: f32,
    /// A place in the part where that is most, in world units; `None` if all that flows in gets out.
    pub blocked_at: Option<Vec2>,
    /// Particles that turned into air ([`FluidThermal::into_air`](crate::FluidThermal::into_air)).
    pub evaporated: u32,
    /// Particles that vapour became.
    pub condensed: u32,
}
