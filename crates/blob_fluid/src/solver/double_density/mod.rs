//! Double density relaxation (Clavet, Beaudoin and Poulin 2005) as a symmetric gather. Its pressures are limited, so
//! that it stays stable at any stiffness and depth.
//!
//! | file | contents |
//! |---|---|
//! | `method.rs` | the solver as a [`Method`](crate::solver::method::Method), and `relax_density`, which calls the passes in their order |
//! | `coefficients.rs` | coefficients per substep, derived from settings and classes |
//! | `pressures.rs`, `walls.rs` | densities, pressures and neighbours of each particle; ghost density of walls |
//! | `grain_pores.rs`, `grains.rs` | powder: liquid in the pores and its drag, stress |
//! | `seepage.rs` | liquid that seeps through powder |
//! | `displacements.rs`, `segregation.rs` | all pair forces, from frozen positions; segregation of classes by weight |
//! | `viscosity.rs`, `crowding.rs` | additional sweeps of viscosity; stability limits for crowded particles |
//! | `springs.rs`, `spring_bonds.rs` | elastic and plastic liquid |
//! | `chunk_neighbours.rs` | neighbour lists, and coefficients per block and class, that several passes use |
//! | `device.rs` | the coefficients in the memory layout of a graphics card |
//!
//! This file holds the solver's workspace, whose buffers are reused.

pub(crate) mod chunk_neighbours;
pub(crate) mod coefficients;
mod crowding;
pub(crate) mod device;
pub(crate) mod displacements;
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

use glam::Vec2;

use crate::solver::double_density::chunk_neighbours::ChunkNeighbours;
use crate::solver::double_density::coefficients::{
    GrainPush, PressureCoefficients, Pressures, ViscosityCoefficients,
};
use crate::solver::double_density::crowding::Crowding;
use crate::solver::double_density::displacements::{DisplacementRows, ViscosityRows};
use crate::solver::double_density::grain_pores::{PoreSource, PoreState};
use crate::solver::double_density::grains::GrainDisplacements;
use crate::solver::double_density::seepage::SeepageRows;
use crate::solver::double_density::spring_bonds::{NewSprings, SpringGraph};

/// Coefficients and buffers of double density relaxation. No content outlives a tick.
#[derive(Clone, Debug, Default)]
pub(crate) struct DoubleDensity {
    pub pressure: PressureCoefficients,
    pub viscosity: ViscosityCoefficients,
    /// One item per particle, if any classes are sorted by weight.
    pub weights: Vec<f32>,
    /// One item per particle.
    pub pressures: Vec<Pressures>,
    pub grain_displacements: GrainDisplacements,
    /// One item per particle, if any is a grain of powder.
    pub stresses: Vec<Vec2>,
    /// One list per chunk; empty if no particle is a grain.
    pub pushes: Vec<Vec<GrainPush>>,
    /// One item per particle, if there are grains and pores that may contain liquid.
    pub pore_sources: Vec<PoreSource>,
    /// As `pore_sources`.
    pub pore_states: Vec<PoreState>,
    /// One item per particle, if any liquid seeps through a powder: the sum of `q` times the drag of the grains, or of the
    /// liquid, in the same space.
    pub drag_sums: Vec<f32>,
    /// One item per chunk.
    pub seepage_rows: Vec<SeepageRows>,
    /// One item per particle, if any liquid seeps through a powder: its displacement in the substep.
    pub total_displacements: Vec<Vec2>,
    /// The neighbours of the particles of each chunk.
    pub neighbours: Vec<ChunkNeighbours>,
    /// The neighbours for a separate sweep of viscosity, where particles are crowded.
    pub crowded_neighbours: Vec<ChunkNeighbours>,
    /// One item per chunk.
    pub viscosity_rows: Vec<ViscosityRows>,
    /// One item per chunk.
    pub displacement_rows: Vec<DisplacementRows>,
    /// One item per particle.
    pub displacements: Vec<Vec2>,
    /// One item per particle: the velocities after a sweep of viscosity.
    pub velocities: Vec<Vec2>,
    pub crowding: Crowding,
    pub springs: SpringGraph,
    /// One list of new springs per chunk, if springs were made.
    pub new_springs: Vec<NewSprings>,
}
