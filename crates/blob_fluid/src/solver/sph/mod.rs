//! Smoothed particle hydrodynamics after Mueller, Charypar and Gross 2003 ("Particle-based fluid
//! simulation for interactive applications"), in two dimensions: see
//! [`FluidSolver::Sph`](crate::FluidSolver::Sph).

pub(crate) mod kernels;
pub(crate) mod method;
pub(crate) mod motion;
