//! The settings that solvers with forces between pairs ignore.

use crate::solver::ignores::{CLASS_VISCOSITY, Ignores, PAIR_VISCOSITY, with_own_pressure};

pub(crate) const IGNORES: &[Ignores] = &with_own_pressure(CLASS_VISCOSITY, PAIR_VISCOSITY);
