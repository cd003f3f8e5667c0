//! Friction coefficients of powder classes, in world units and for one substep.

use crate::settings::class::FluidPowder;
use crate::solver::equation_of_state::Resistance;

/// Shear stiffness, relative to twice the bulk stiffness at the largest pressures. Powder boils from twice this value
/// on.
const SHEAR_STIFFNESS_RATIO: f32 = 0.4;

/// Friction coefficients of a powder class in a substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GrainCoefficients {
    /// Tangent of the friction angle.
    pub friction: f32,
    /// `m` times the cohesion, in world units/s².
    pub cohesion: f32,
    /// `m` times the stress of a unit strain, times the square of the density.
    pub shear: f32,
}

impl GrainCoefficients {
    pub(super) fn of(
        powder: &FluidPowder,
        mass: f32,
        resistance: Resistance,
        reference_acceleration: f32,
        inverse_radius: f32,
    ) -> Self {
        Self {
            friction: friction_of(powder),
            cohesion: mass * powder.cohesion * reference_acceleration,
            shear: mass * SHEAR_STIFFNESS_RATIO * 2.0 * resistance.granular_limit * inverse_radius,
        }
    }
}

/// Coulomb's friction coefficient: the tangent of the friction angle.
pub(crate) fn friction_of(powder: &FluidPowder) -> f32 {
    tangent(powder.friction_angle.to_radians())
}

/// The tangent of an angle of at most 60 degrees, to 7 digits, from the continued fraction
/// `x/(1 - x²/(3 - x²/(5 - x²/(7 - x²/(9 - x²/11)))))`. It is bit-identical on all platforms.
fn tangent(angle: f32) -> f32 {
    let x = f64::from(angle);
    let squared = x * x;
    let inner = 5.0 - squared / (7.0 - squared / (9.0 - squared / 11.0));
    (x / (1.0 - squared / (3.0 - squared / inner))) as f32
}

#[cfg(test)]
mod tests {
    use super::tangent;

    #[test]
    fn the_tangent_is_exact_to_rounding() {
        for degrees in 0..=60 {
            let angle = (degrees as f32).to_radians();
            let exact = f64::from(angle).tan() as f32;
            assert!((tangent(angle) - exact).abs() <= 2e-7 * exact, "{degrees} degrees");
        }
    }
}
