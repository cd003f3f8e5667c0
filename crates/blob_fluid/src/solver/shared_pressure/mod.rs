//! Shared pressure: a density and a near density, whose pressures each pair shares, at predicted
//! positions: see [`FluidSolver::SharedPressure`](crate::FluidSolver::SharedPressure).

pub(crate) mod kernels;
pub(crate) mod method;
