//! The settings that solvers with forces between pairs ignore.

use crate::solver::ignores as setting;
use crate::solver::ignores::Ignores;

pub(crate) const IGNORES: &[Ignores] = &[
    setting::REST_DENSITY,
    setting::EQUILIBRIUM_RATIO,
    setting::COHESION_ONSET,
    setting::STIFFNESS,
    setting::NEAR_STIFFNESS_RATIO,
    setting::VISCOSITY_APPROACH,
    setting::VISCOSITY_QUADRATIC,
    setting::VISCOSITY_LIMIT,
    setting::CLASS_ELASTICITY,
    setting::CLASS_POWDER,
    setting::CLASS_VISCOSITY,
    setting::CLASS_SURFACE_TENSION,
    setting::CLASS_STIFFNESS,
    setting::PAIR_VISCOSITY,
    setting::PAIR_COHESION,
    setting::PAIR_SEGREGATION,
    setting::SEGREGATION,
    setting::NEAR_SHARE,
    setting::PRESSURE_MEMORY,
    setting::UNSTICKING,
    setting::WETTING,
];
