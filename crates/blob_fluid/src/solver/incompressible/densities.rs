//! Densities, and their response to pressures.

use std::ops::Range;

use fearless_simd::prelude::*;
use glam::Vec2;

use crate::Executor;
use crate::parallel::executor::{CHUNK, PerChunk, chunk_of, slices};
use crate::parallel::instructions::{
    self, Instructions, LANES, LaneCounts, LaneKernel, Lanes, splat, store,
};
use crate::particles::arrays::{Activity, takes_part};
use crate::solver::neighbours::blocks::{Block, BlockLanes, Blocks, NeighbourLists};
use crate::solver::neighbours::grid::Grid;
use crate::solver::pair_forces::coefficients::{Frozen, Kernels};
use crate::solver::pair_forces::walls::for_each_wall;
use crate::solver::shared_pressure::SharedPressureKernels as Kernel;

/// Contributions of walls to a particle's density and to the sum of its gradients.
#[derive(Clone, Copy, Default)]
struct WallContributions {
    density: f32,
    gradient: Vec2,
}

slices! {
    /// The results of the pass for some particles.
    struct ChunkDensities<'a> {
        states: &'a mut [State],
        displacements: &'a mut [Vec2],
        relative_density: &'a mut [f32],
        neighbours: PerChunk<'a, ChunkNeighbourList>,
        walls: PerChunk<'a, Vec<WallGradient>>,
    }
}

/// Computes the quantities that follow from the positions: one state and one displacement `dt v` per particle, and the
/// neighbours and walls of each chunk. Only the fraction `correction_fraction` of an excess density
/// counts.
pub(super) fn compute_densities(
    frozen: Frozen,
    grid: &Grid,
    correction_fraction: f32,
    relative_density: &mut [f32],
    states: &mut Vec<State>,
    displacements: &mut Vec<Vec2>,
    neighbours: &mut Vec<ChunkNeighbourList>,
    walls: &mut Vec<Vec<WallGradient>>,
    executor: &dyn Executor,
) {
    let count = frozen.particles.len();
    states.resize(count, State::default());
    displacements.resize(count, Vec2::ZERO);
    let chunks = ChunkDensities {
        states: &mut states[..],
        displacements: &mut displacements[..],
        relative_density,
        neighbours: PerChunk::resized(neighbours, count, CHUNK),
        walls: PerChunk::resized(walls, count, CHUNK),
    };
    executor.for_each_chunk(chunks, CHUNK, |index, chunk| {
        let blocks = grid.blocks(chunk_of(index, chunk.states.len()));
        compute_densities_of_chunk(&frozen, blocks, index * CHUNK, correction_fraction, chunk);
    });
}

/// Computes the quantities of a chunk that starts at index `start`.
fn compute_densities_of_chunk(
    frozen: &Frozen,
    mut blocks: Blocks,
    start: usize,
    correction_fraction: f32,
    chunk: ChunkDensities,
) {
    let Frozen { particles, coefficients, pairs, .. } = *frozen;
    let ChunkDensities { states, displacements, relative_density, .. } = chunk;
    let (neighbours, walls) = (chunk.neighbours.item(), chunk.walls.item());
    neighbours.lists.clear();
    walls.clear();
    states.fill(State::default());
    displacements.fill(Vec2::ZERO);
    if !takes_part(&particles.activity[start..start + states.len()], Activity::Pressing) {
        return;
    }
    let mut wall_contributions = [WallContributions::default(); CHUNK];
    find_walls(frozen, start, &mut wall_contributions[..states.len()], walls);
    while let Some(block) = blocks.next() {
        if !takes_part(&particles.activity[block.particles.clone()], Activity::Pressing) {
            neighbours.lists.end_block(block, 0, ());
            continue;
        }
        let space = neighbours.reserve(block);
        let sums = instructions::run(SumsOfBlock { frozen, block, neighbours: space });
        neighbours.lists.end_block(block, sums.neighbour_count, ());
        for (lane, index) in block.particles.clone().enumerate() {
            // Particles that do not press keep their relative density, whatever the width of the block.
            if particles.activity[index] < Activity::Pressing {
                continue;
            }
            let (offset, class) = (index - start, particles.class[index].index());
            let (densities, behind_walls) = (pairs.classes[class], wall_contributions[offset]);
            let density = sums.density[lane] + behind_walls.density;
            let gradient = Vec2::new(sums.x[lane], sums.y[lane]) + behind_walls.gradient;
            let inverse_mass = coefficients.classes[class].inverse_mass;
            let response = gradient.length_squared() * inverse_mass + sums.squares[lane];
            let min_response = 1e-3 * densities.rest * densities.rest * inverse_mass;
            let responds = response > min_response;
            let excess = density / densities.rest - 1.0;
            states[offset] = State {
                excess: if excess > 0.0 { correction_fraction * excess } else { excess },
                inverse_response: if responds { densities.rest / response } else { 0.0 },
                inverse_mass,
                inverse_rest: 1.0 / densities.rest,
                // Every particle is coincident with itself.
                is_coincident: sums.coincident[lane] > 1,
            };
            displacements[offset] = particles.velocity[index] * coefficients.time_step;
            relative_density[offset] = densities.relative(density, pairs.self_density);
        }
    }
}

fn find_walls(
    frozen: &Frozen,
    start: usize,
    wall_contributions: &mut [WallContributions],
    wall_gradients: &mut Vec<WallGradient>,
) {
    let Frozen { coefficients, pairs, particles, .. } = *frozen;
    let indices = start..start + wall_contributions.len();
    for_each_wall::<Kernel>(frozen, indices, |offset, particle, wall, integral| {
        let rest = pairs.wall_density_ratio * pairs.classes[particles.class[particle].index()].rest;
        let radius = coefficients.interaction_radius;
        let gradient = wall.normal * (wall.fade_in * rest * integral.push)
            - wall.weight_gradient * (radius * rest * integral.density);
        wall_contributions[offset].density += wall.fade_in * rest * integral.density;
        wall_contributions[offset].gradient -= gradient;
        wall_gradients.push(WallGradient {
            particle: particle as u32,
            collider: wall.collider,
            gradient,
            displacement: wall.velocity * coefficients.time_step,
        });
    });
}

/// Sums over the candidates of a block's particles.
struct SumsOfBlock<'a> {
    frozen: &'a Frozen<'a>,
    block: &'a Block,
    /// Indices and weights of the neighbours.
    neighbours: (&'a mut [u32], &'a mut [Lanes]),
}

struct Sums {
    density: Lanes,
    /// The sum of the gradients, towards the neighbours.
    x: Lanes,
    y: Lanes,
    /// The sum of the squared gradients, each divided by the mass of the neighbour.
    squares: Lanes,
    coincident: [i32; LANES],
    /// Number of neighbours.
    neighbour_count: usize,
}

impl LaneKernel for SumsOfBlock<'_> {
    type Output = Sums;

    #[inline(always)]
    fn run<S: Instructions>(self, instructions: S) -> Sums {
        let Frozen { particles, coefficients, .. } = *self.frozen;
        let Self { block, neighbours: (neighbour_indices, weights), .. } = self;
        let splat = |number: f32| splat(instructions, number);
        let (indices, positions) = (&block.particles, particles.position);
        let classes = &particles.class[..positions.len()];
        let (factor, slope) = (splat(Kernel::DENSITY_FACTOR), splat(Kernel::SLOPE_FACTOR));
        let (mut density, mut squares) = (splat(0.0), splat(0.0));
        let (mut sum_x, mut sum_y) = (splat(0.0), splat(0.0));
        let mut coincident = LaneCounts::<S>::splat(instructions, 0);
        let mut neighbour_count = 0;
        let lanes = BlockLanes::of(instructions, coefficients, indices, positions);
        lanes.for_each(
            block.spans(),
            #[inline(always)]
            |index, pair| {
                let class = classes[index].index();
                density += factor * Kernel::density(pair.closeness);
                let along = slope * Kernel::slope(pair.closeness) * pair.inverse_distance;
                neighbour_indices[neighbour_count] = index as u32;
                weights[neighbour_count] = store(along);
                neighbour_count += usize::from(pair.any_in_radius);
                sum_x += along * pair.dx;
                sum_y += along * pair.dy;
                let length = along * pair.distance;
                squares += length * length * splat(coefficients.classes[class].inverse_mass);
                // A true lane holds -1.
                coincident -= pair.coincident.to_vector();
            },
        );
        Sums {
            density: store(density),
            x: store(sum_x),
            y: store(sum_y),
            squares: store(squares),
            coincident: store(coincident),
            neighbour_count,
        }
    }
}

// The neighbour lists of a chunk, which all iterations of a substep use.

/// The neighbours of a chunk's particles, and their weights.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChunkNeighbourList {
    lists: NeighbourLists<()>,
    /// Kernel gradients divided by the distance, for each particle of the block; 0 beyond the interaction radius.
    weights: Vec<Lanes>,
}

impl ChunkNeighbourList {
    /// Returns space for the neighbours of a block.
    fn reserve(&mut self, block: &Block) -> (&mut [u32], &mut [Lanes]) {
        let first = self.lists.len();
        let indices = self.lists.reserve(block);
        let end = first + indices.len();
        if self.weights.len() < end {
            self.weights.resize((2 * end).next_power_of_two(), [0.0; LANES]);
        }
        (indices, &mut self.weights[first..end])
    }

    /// The particles, neighbours and weights of each block of the chunk that starts at index `chunk_start`.
    pub(super) fn blocks(
        &self,
        chunk_start: usize,
    ) -> impl Iterator<Item = (Range<usize>, &[u32], &[Lanes])> {
        let mut weights = &self.weights[..];
        self.lists.blocks(chunk_start).map(move |(particles, indices, ())| {
            let (of_block, rest) = weights.split_at(indices.len());
            weights = rest;
            (particles, indices, of_block)
        })
    }
}

// States of particles and walls, which all iterations of a substep use.

/// Quantities of a particle that follow from its position.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct State {
    /// Density over rest density, minus 1. A positive value is multiplied by the fraction that the substep corrects.
    pub excess: f32,
    /// The inverse of the decrease of the density by a pressure of 1, in rest densities; 0 if the density does
    /// not respond.
    pub inverse_response: f32,
    /// `1/m`.
    pub inverse_mass: f32,
    /// `1/rest density`.
    pub inverse_rest: f32,
    pub is_coincident: bool,
}

/// A wall near a particle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WallGradient {
    pub particle: u32,
    pub collider: Option<u32>,
    /// The sum of the gradients behind the wall, towards the liquid.
    pub gradient: Vec2,
    /// `dt` times the velocity of the wall.
    pub displacement: Vec2,
}
