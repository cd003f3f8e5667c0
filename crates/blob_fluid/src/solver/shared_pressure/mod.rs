//! Shared pressure: a density and a near density, whose pressures each pair shares, at predicted
//! positions: see [`Solver::SharedPressure`](crate::Solver::SharedPressure).

use crate::settings::parameters::FluidParameters;
use crate::solver::pair_forces::coefficients::Stiffness;

pub(crate) mod kernels;

/// `(c dt/h)^2` with the largest speed of sound `c` at which a substep is stable.
pub(crate) const STIFFEST: f32 = 0.2;

/// Kinematic viscosity within a class, as a part of `c h`. With less the liquid keeps moving.
const DAMPING: f32 = 0.005;

/// The stiffnesses and the tension that the settings ask for.
pub(crate) fn stiffness(parameters: &FluidParameters) -> Stiffness {
    let own = &parameters.shared_pressure;
    let far = STIFFEST * own.stiffness;
    Stiffness { far, near: far * own.near_stiffness_ratio, tension: own.cohesion, damping: DAMPING }
}
