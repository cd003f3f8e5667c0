//! What steps a liquid: the passes that all solvers share, and the solvers.

pub(crate) mod classic;
pub(crate) mod coefficients;
pub(crate) mod double_density;
pub(crate) mod equation_of_state;
pub(crate) mod governor;
pub mod kernel;
pub(crate) mod neighbours;
pub(crate) mod pass;
pub(crate) mod report;
pub(crate) mod sleep;
pub(crate) mod substeps;
pub(crate) mod workspace;
