//! Double density relaxation (Clavet, Beaudoin and Poulin 2005) as a symmetric gather. Its
//! pressures are capped, so that it stays stable at any stiffness and depth.

pub(crate) mod coefficients;
pub(crate) mod device;
pub(crate) mod displacements;
pub(crate) mod grains;
pub(crate) mod method;
pub(crate) mod pressures;
pub(crate) mod segregation;
pub(crate) mod springs;
pub(crate) mod viscosity;
pub(crate) mod walls;
