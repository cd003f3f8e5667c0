//! Double density relaxation (Clavet, Beaudoin and Poulin 2005) as a symmetric gather. Its pressures are limited, so
//! that it stays stable at any stiffness and depth.
//!
//! | file | contents |
//! |---|---|
//! | `method.rs` | the solver as a [`Method`](crate::solver::method::Method), and `relax_density`, which calls the passes in their order |
//! | `coefficients.rs` | coefficients per substep, derived from settings and classes |
//! | `workspace.rs` | buffers that are reused from tick to tick |
//! | `pressures.rs`, `walls.rs` | densities, pressures and neighbours of each particle; ghost density of walls |
//! | `grain_coefficients.rs`, `grain_pores.rs`, `grains.rs` | powder: friction, liquid in the pores, stress |
//! | `seepage.rs`, `darcy_drag.rs` | liquid that seeps through powder |
//! | `displacements.rs`, `segregation.rs` | all pair forces, from frozen positions; segregation of classes by weight |
//! | `viscosity.rs`, `crowding.rs` | additional sweeps of viscosity; stability limits for crowded particles |
//! | `springs.rs`, `spring_bonds.rs` | elastic and plastic liquid |
//! | `chunk_neighbours.rs`, `class_rows.rs` | neighbour lists, and coefficients per block and class, that several passes use |
//! | `device.rs` | the coefficients in the memory layout of a graphics card |

pub(crate) mod chunk_neighbours;
mod class_rows;
pub(crate) mod coefficients;
mod crowding;
mod darcy_drag;
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
