//! Smoothed particle hydrodynamics after Mueller, Charypar and Gross 2003 ("Particle-based fluid
//! simulation for interactive applications"), in two dimensions: see
//! [`Solver::Sph`](crate::Solver::Sph).

use crate::settings::parameters::FluidParameters;
use crate::solver::pair_forces::coefficients::Stiffness;
use crate::solver::pass::bounce::Bounce;

pub(crate) mod kernels;
pub(crate) mod motion;

/// `(c dt/h)^2` with the largest speed of sound `c` at which a substep is stable.
pub(crate) const STIFFEST: f32 = 0.2;

/// Kinematic viscosity within a class, as a part of `c h`. With less the liquid boils.
const DAMPING: f32 = 0.03;

/// The stiffness that the settings ask for. Pressure never pulls.
pub(crate) fn stiffness(parameters: &FluidParameters) -> Stiffness {
    Stiffness {
        far: STIFFEST * parameters.sph.stiffness,
        near: 0.0,
        tension: 0.0,
        damping: DAMPING,
    }
}

/// How walls reflect.
pub(crate) fn bounce(parameters: &FluidParameters) -> Bounce {
    Bounce { restitution: parameters.sph.restitution, dead_zone: 0.0 }
}
