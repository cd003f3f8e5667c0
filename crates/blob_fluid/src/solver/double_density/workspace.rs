//! The workspace of double density relaxation: its coefficients and its buffers.

use glam::Vec2;

use crate::solver::double_density::chunk_neighbours::ChunkNeighbours;
use crate::solver::double_density::coefficients::{
    GrainPush, PressureCoefficients, Pressures, ViscosityCoefficients,
};
use crate::solver::double_density::crowding::Crowding;
use crate::solver::double_density::displacements::{DisplacementRows, ViscosityRows};
use crate::solver::double_density::grain_pores::{PoreSource, WetGrain};
use crate::solver::double_density::grains::GrainWays;
use crate::solver::double_density::spring_bonds::{Bonds, SpringGraph};

/// The workspace of double density relaxation. Nothing in it outlives a tick.
#[derive(Clone, Debug, Default)]
pub(crate) struct DoubleDensity {
    pub pressure: PressureCoefficients,
    pub viscosity: ViscosityCoefficients,
    /// One item for each particle, if anything is sorted by weight.
    pub weights: Vec<f32>,
    /// One item for each particle.
    pub pressures: Vec<Pressures>,
    pub ways: GrainWays,
    /// One item for each particle, if any is a grain of powder.
    pub stresses: Vec<Vec2>,
    /// One list for each chunk; empty if no particle is a grain.
    pub pushes: Vec<Vec<GrainPush>>,
    /// One item for each particle, if any is a grain and any a liquid.
    pub pore_sources: Vec<PoreSource>,
    /// The same.
    pub wet: Vec<WetGrain>,
    /// One item for each particle: the sum of `q` times the drag of the grains or the liquid that it shares the
    /// space with, if any liquid passes a powder.
    pub drags: Vec<f32>,
    /// One item for each particle, if any liquid passes a powder: its way in the substep.
    pub seeped: Vec<Vec2>,
    /// One item for each chunk.
    pub near: Vec<ChunkNeighbours>,
    /// The same of a sweep of viscosity where particles are crowded.
    pub crowded_near: Vec<ChunkNeighbours>,
    /// One item for each chunk.
    pub rows: Vec<ViscosityRows>,
    /// One item for each chunk.
    pub displacement_rows: Vec<DisplacementRows>,
    /// One item for each particle.
    pub displacements: Vec<Vec2>,
    /// One item for each particle: the velocities after a sweep of viscosity.
    pub velocities: Vec<Vec2>,
    pub crowding: Crowding,
    pub springs: SpringGraph,
    /// One item for each chunk, where springs were made.
    pub bonds: Vec<Bonds>,
}
