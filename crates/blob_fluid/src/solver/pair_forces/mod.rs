//! Common code of the solvers [`sph`](crate::FluidSolver::Sph) and
//! [`shared_pressure`](crate::FluidSolver::SharedPressure): number densities and pair forces.
//!
//! Each solver defines its [`Kernels`](kernels::Kernels), its equation of state and its time integration. Lengths are
//! in interaction radii. A density `delta` is the number of particles per square of the radius, as in Solenthaler and
//! Pajarola 2008 ("Density contrast SPH interfaces"). Mass densities would be wrong at the boundary of classes with
//! different masses.

pub(crate) mod coefficients;
pub(crate) mod forces;
pub(crate) mod walls;
