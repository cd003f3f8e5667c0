//! What the solvers [`sph`](crate::FluidSolver::Sph) and [`shared_pressure`](crate::FluidSolver::SharedPressure)
//! have in common: number densities, and forces between pairs that follow from them.
//!
//! Each of them states its [`Kernels`](kernels::Kernels) and its equation of state, and how it
//! integrates. Lengths are in interaction radii here: a density `delta` is the number of particles
//! per square of the radius, as in Solenthaler and Pajarola 2008 ("Density contrast SPH
//! interfaces"). Mass densities would be wrong where classes of different mass meet.

pub(crate) mod coefficients;
pub(crate) mod forces;
pub(crate) mod kernels;
pub(crate) mod walls;
