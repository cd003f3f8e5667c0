//! The simulation of a liquid: the solvers, the passes that all solvers share, and their common code.
//!
//! The solvers are `double_density/`, `classic.rs`, `sph.rs`, `shared_pressure.rs` and `incompressible/`. The
//! last three use the kernels of `pair_forces/`. `method.rs` defines the trait of a solver, and
//! `settings/solver.rs` lists all solvers. `pass/` contains the shared passes and the table of all passes,
//! `neighbours/` the neighbour search, and `sleep.rs` decides which particles take part in a tick.

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
pub(crate) mod shared_pressure;
pub(crate) mod sleep;
pub(crate) mod sph;
pub(crate) mod substeps;
pub(crate) mod workspace;
