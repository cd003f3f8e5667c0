//! Densities, and their response to pressures.

use std::ops::Range;

use fearless_simd::prelude::*;
use glam::Vec2;

use crate::parallel::executor::{CHUNK, Executor, PerChunk, chunk_of};
use crate::parallel::instructions;
use crate::parallel::instructions::{
    Instructions, LANES, LaneCounts, LaneKernel, Lanes, splat, store,
};
use crate::particles::arrays::{Activity, takes_part};
use crate::solver::neighbours::blocks::{Block, BlockLanes};
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
    neighbours.resize_with(count.div_ceil(CHUNK), ChunkNeighbourList::default);
    walls.resize_with(count.div_ceil(CHUNK), Vec::new);
    let neighbours = PerChunk::new(neighbours, count, CHUNK);
    let into = (
        &mut states[..],
        &mut displacements[..],
        relative_density,
        neighbours,
        PerChunk::new(walls, count, CHUNK),
    );
    executor.for_each_chunk(
        into,
        CHUNK,
        |index, (states, displacements, relative, neighbours, walls)| {
            let (neighbours, walls) = (neighbours.item(), walls.item());
            neighbours.clear();
            walls.clear();
            let chunk = chunk_of(index, states.len());
            if !takes_part(&frozen.particles.activity[chunk.clone()], Activity::Pressing) {
                states.fill(State::default());
                displacements.fill(Vec2::ZERO);
                return;
            }
            let mut wall_contributions = [WallContributions::default(); CHUNK];
            find_walls(&frozen, chunk.start, &mut wall_contributions[..states.len()], walls);
            let mut blocks = grid.blocks(chunk.clone());
            while let Some(block) = blocks.next() {
                let range = block.particles.start - chunk.start..block.particles.end - chunk.start;
                states_of_block(
                    &frozen,
                    block,
                    correction_fraction,
                    &wall_contributions[range.clone()],
                    neighbours,
                    &mut states[range.clone()],
                    &mut displacements[range.clone()],
                    &mut relative[range],
                );
            }
        },
    );
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

fn states_of_block(
    frozen: &Frozen,
    block: &Block,
    correction_fraction: f32,
    wall_contributions: &[WallContributions],
    neighbours: &mut ChunkNeighbourList,
    states: &mut [State],
    displacements: &mut [Vec2],
    relative: &mut [f32],
) {
    let Frozen { particles, coefficients, pairs, .. } = *frozen;
    if !takes_part(&particles.activity[block.particles.clone()], Activity::Pressing) {
        states.fill(State::default());
        displacements.fill(Vec2::ZERO);
        neighbours.end_block(block.particles.end, 0);
        return;
    }
    let space = neighbours.reserve(block.spans().map(|span| span.len()).sum());
    let sums = instructions::run(SumsOfBlock { frozen, block, neighbours: space });
    neighbours.end_block(block.particles.end, sums.neighbour_count);
    for (lane, index) in block.particles.clone().enumerate() {
        // Particles that do not press keep their relative density, whatever the width of the block.
        if particles.activity[index] < Activity::Pressing {
            (states[lane], displacements[lane]) = (State::default(), Vec2::ZERO);
            continue;
        }
        let class = particles.class[index].index();
        let densities = pairs.classes[class];
        let density = sums.density[lane] + wall_contributions[lane].density;
        let gradient = Vec2::new(sums.x[lane], sums.y[lane]) + wall_contributions[lane].gradient;
        let inverse_mass = coefficients.classes[class].inverse_mass;
        let response = gradient.length_squared() * inverse_mass + sums.squares[lane];
        let min_response = 1e-3 * densities.rest * densities.rest * inverse_mass;
        let excess = density / densities.rest - 1.0;
        states[lane] = State {
            excess: if excess > 0.0 { correction_fraction * excess } else { excess },
            inverse_response: if response > min_response { densities.rest / response } else { 0.0 },
            inverse_mass,
            inverse_rest: 1.0 / densities.rest,
            // Every particle is coincident with itself.
            is_coincident: sums.coincident[lane] > 1,
        };
        displacements[lane] = particles.velocity[index] * coefficients.time_step;
        relative[lane] = densities.relative(density, pairs.self_density);
    }
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

/// For each block of a chunk, the indices of the neighbours of its particles, and their weights.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChunkNeighbourList {
    indices: Vec<u32>,
    /// Kernel gradients divided by the distance, for each particle of the block; 0 beyond the interaction radius.
    weights: Vec<Lanes>,
    /// For each block, the index after its last particle, and the end of its neighbours.
    blocks: Vec<(u32, u32)>,
    len: usize,
}

impl ChunkNeighbourList {
    pub(super) fn clear(&mut self) {
        self.blocks.clear();
        self.len = 0;
    }

    /// Returns space for up to `max_count` neighbours of a block.
    pub(super) fn reserve(&mut self, max_count: usize) -> (&mut [u32], &mut [Lanes]) {
        let needed = self.len + max_count;
        if self.indices.len() < needed {
            // Doubles the size, so that a moving liquid rarely reallocates.
            let new_len = (2 * needed).next_power_of_two();
            self.indices.resize(new_len, 0);
            self.weights.resize(new_len, [0.0; LANES]);
        }
        (&mut self.indices[self.len..needed], &mut self.weights[self.len..needed])
    }

    /// Keeps the first `count` neighbours of that space for the block that ends before particle
    /// `end`.
    pub(super) fn end_block(&mut self, end: usize, count: usize) {
        self.len += count;
        self.blocks.push((end as u32, self.len as u32));
    }

    /// The particles, neighbours and weights of each block of the chunk that starts at index `chunk_start`.
    pub(super) fn blocks(
        &self,
        chunk_start: usize,
    ) -> impl Iterator<Item = (Range<usize>, &[u32], &[Lanes])> {
        let (mut first, mut first_neighbour) = (chunk_start, 0);
        self.blocks.iter().map(move |(end, neighbours_end)| {
            let particles = first..*end as usize;
            let neighbours = first_neighbour..*neighbours_end as usize;
            (first, first_neighbour) = (particles.end, neighbours.end);
            (particles, &self.indices[neighbours.clone()], &self.weights[neighbours])
        })
    }
}

// States of particles and walls, which all iterations of a substep use.

/// Quantities of a particle that follow from its position.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct State {
    /// Density over rest density, minus 1; above 0, the fraction of it that the substep corrects.
    pub excess: f32,
    /// The inverse of the decrease of the density by a pressure of 1, as a fraction of the rest density; 0 if the
    /// density does not respond.
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
