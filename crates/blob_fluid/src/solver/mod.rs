//! What steps a liquid: the solvers, the passes that all solvers share, and what both of them use.
//!
//! `double_density/`, `classic/`, `sph/`, `shared_pressure/` and `incompressible/` are the solvers;
//! the last three use kernels of `pair_forces/`. `method.rs` says what a solver is, and
//! `settings/solver.rs` lists them. `pass/` has the shared passes and the
//! table of all passes, `neighbours/` the neighbour search, and `sleep/` decides which particles
//! take part in a tick.

pub(crate) mod chosen;
pub(crate) mod classic;
pub(crate) mod coefficients;
pub(crate) mod double_density;
pub(crate) mod equation_of_state;
pub(crate) mod governor;
pub(crate) mod ignores;
pub(crate) mod incompressible;
pub mod kernel;
pub(crate) mod method;
pub(crate) mod neighbours;
pub(crate) mod pair_forces;
pub(crate) mod pass;
pub(crate) mod report;
pub(crate) mod shared_pressure;
pub(crate) mod sleep;
pub(crate) mod sph;
pub(crate) mod substeps;
#[cfg(test)]
mod toy;
pub(crate) mod workspace;
