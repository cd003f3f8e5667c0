//! An incompressible liquid: pressures that keep every density within a tolerance of its rest value
//! are found by iteration, in one substep: see [`Solver::Incompressible`](crate::Solver::Incompressible).
//!
//! It is the constant-density solver of divergence-free SPH (Bender and Koschier 2015,
//! "Divergence-free smoothed particle hydrodynamics", section 3.3), with a relaxed Jacobi iteration
//! that starts from the pressures of the substep before and is accelerated by Chebyshev weights (Wang
//! 2015, "A Chebyshev semi-iterative approach for accelerating projective and position-based
//! dynamics").
//!
//! Lengths are in interaction radii `h` here: a density is the number of particles per `h^2`, and a
//! pressure `lambda` moves a particle by `h/m` times the gradients of its kernels.

pub(crate) mod densities;
pub(crate) mod iteration;
pub(crate) mod near;
pub(crate) mod workspace;
