//! Double density relaxation (Clavet, Beaudoin and Poulin 2005) as a symmetric gather. Its
//! pressures are capped, so that it stays stable at any stiffness and depth.

pub(crate) mod attraction_rows;
pub(crate) mod chunk_neighbours;
mod class_rows;
pub(crate) mod coefficients;
mod crowding;
pub(crate) mod device;
pub(crate) mod device_solids;
pub(crate) mod displacements;
mod elastic;
pub(crate) mod frozen;
pub(crate) mod ghost_walls;
pub(crate) mod grain_coefficients;
mod grain_forces;
pub(crate) mod grain_pores;
mod grain_stress;
mod grain_walls;
pub(crate) mod method;
pub(crate) mod near_ghost_wall;
pub(crate) mod pressures;
pub(crate) mod relaxation;
pub(crate) mod segregation;
pub(crate) mod spring_bonds;
pub(crate) mod spring_graph;
pub(crate) mod springs;
mod sweep;
pub(crate) mod viscosity;
pub(crate) mod viscosity_coefficients;
pub(crate) mod viscosity_rows;
pub(crate) mod workspace;
