//! Double density relaxation (Clavet, Beaudoin and Poulin 2005) as a symmetric gather. Its
//! pressures are capped, so that it stays stable at any stiffness and depth.

pub(crate) mod chunk_neighbours;
pub(crate) mod coefficients;
mod crowding;
pub(crate) mod device;
pub(crate) mod displacements;
pub(crate) mod grain_coefficients;
pub(crate) mod grain_pores;
mod grains;
pub(crate) mod method;
pub(crate) mod pressures;
mod seepage;
pub(crate) mod segregation;
pub(crate) mod spring_bonds;
pub(crate) mod springs;
pub(crate) mod viscosity;
pub(crate) mod walls;
pub(crate) mod workspace;
