//! Densities, and their response to pressures.

use std::ops::Range;

use fearless_simd::prelude::*;
use glam::Vec2;

use crate::parallel::executor::{CHUNK, Executor, PerChunk, chunk_of};
use crate::parallel::instructions;
use crate::parallel::instructions::{Instructions, LaneKernel};
use crate::parallel::lanes::{LANES, LaneCounts, Lanes, splat};
use crate::particles::arrays::{Activity, takes_part};
use crate::solver::neighbours::blocks::{Block, BlockLanes};
use crate::solver::neighbours::grid::Grid;
use crate::solver::pair_forces::coefficients::Frozen;
use crate::solver::pair_forces::kernels::Kernels;
use crate::solver::pair_forces::walls::for_each_wall;
use crate::solver::shared_pressure::SharedPressureKernels as Kernel;

/// Contributions of walls to a particle's density and to the sum of its gradients.
#[derive(Clone, Copy, Default)]
struct BehindWalls {
    density: f32,
    gradient: Vec2,
}

/// Computes the quantities that follow from the positions: one state and one displacement `dt v` per particle, and the
/// neighbours and walls of each chunk. Only the fraction `corrected` of an excess density counts.
pub(super) fn find_densities(
    frozen: Frozen,
    grid: &Grid,
    corrected: f32,
    relative_density: &mut [f32],
    states: &mut Vec<State>,
    ways: &mut Vec<Vec2>,
    near: &mut Vec<NearOfChunk>,
    walls: &mut Vec<Vec<NearWall>>,
    executor: &dyn Executor,
) {
    let count = frozen.particles.len();
    states.resize(count, State::default());
    ways.resize(count, Vec2::ZERO);
    near.resize_with(count.div_ceil(CHUNK), NearOfChunk::default);
    walls.resize_with(count.div_ceil(CHUNK), Vec::new);
    let near = PerChunk::new(near, count, CHUNK);
    let into = (
        &mut states[..],
        &mut ways[..],
        relative_density,
        near,
        PerChunk::new(walls, count, CHUNK),
    );
    executor.for_each_chunk(into, CHUNK, |index, (states, ways, relative, near, walls)| {
        let (near, walls) = (near.item(), walls.item());
        near.clear();
        walls.clear();
        let chunk = chunk_of(index, states.len());
        if !takes_part(&frozen.particles.activity[chunk.clone()], Activity::Pressing) {
            states.fill(State::default());
            ways.fill(Vec2::ZERO);
            return;
        }
        let mut behind = [BehindWalls::default(); CHUNK];
        find_walls(&frozen, chunk.start, &mut behind[..states.len()], walls);
        let mut blocks = grid.blocks(chunk.clone());
        while let Some(block) = blocks.next() {
            let range = block.particles.start - chunk.start..block.particles.end - chunk.start;
            states_of_block(
                &frozen,
                block,
                corrected,
                &behind[range.clone()],
                near,
                &mut states[range.clone()],
                &mut ways[range.clone()],
                &mut relative[range],
            );
        }
    });
}

fn find_walls(
    frozen: &Frozen,
    start: usize,
    behind: &mut [BehindWalls],
    found: &mut Vec<NearWall>,
) {
    let Frozen { coefficients, pairs, particles, .. } = *frozen;
    let indices = start..start + behind.len();
    for_each_wall::<Kernel>(frozen, indices, |offset, particle, wall, beyond| {
        let rest = pairs.behind_walls * pairs.classes[particles.class[particle].index()].rest;
        let radius = coefficients.interaction_radius;
        let gradient = wall.normal * (wall.fade_in * rest * beyond.push)
            - wall.slope * (radius * rest * beyond.density);
        behind[offset].density += wall.fade_in * rest * beyond.density;
        behind[offset].gradient -= gradient;
        found.push(NearWall {
            particle: particle as u32,
            collider: wall.collider,
            gradient,
            way: wall.velocity * coefficients.time_step,
        });
    });
}

fn states_of_block(
    frozen: &Frozen,
    block: &Block,
    corrected: f32,
    behind: &[BehindWalls],
    near: &mut NearOfChunk,
    states: &mut [State],
    ways: &mut [Vec2],
    relative: &mut [f32],
) {
    let Frozen { particles, coefficients, pairs, .. } = *frozen;
    if !takes_part(&particles.activity[block.particles.clone()], Activity::Pressing) {
        states.fill(State::default());
        ways.fill(Vec2::ZERO);
        near.end_block(block.particles.end, 0);
        return;
    }
    let room = near.room_for(block.spans().map(|span| span.len()).sum());
    let sums = instructions::run(SumsOfBlock { frozen, block, near: room });
    near.end_block(block.particles.end, sums.near);
    for (lane, index) in block.particles.clone().enumerate() {
        // Particles that do not press keep their relative density, whatever the width of the block.
        if particles.activity[index] < Activity::Pressing {
            (states[lane], ways[lane]) = (State::default(), Vec2::ZERO);
            continue;
        }
        let class = particles.class[index].index();
        let densities = pairs.classes[class];
        let density = sums.density[lane] + behind[lane].density;
        let gradient = Vec2::new(sums.x[lane], sums.y[lane]) + behind[lane].gradient;
        let inverse_mass = coefficients.classes[class].inverse_mass;
        let response = gradient.length_squared() * inverse_mass + sums.squares[lane];
        let least = 1e-3 * densities.rest * densities.rest * inverse_mass;
        let excess = density / densities.rest - 1.0;
        states[lane] = State {
            excess: if excess > 0.0 { corrected * excess } else { excess },
            inverse_response: if response > least { densities.rest / response } else { 0.0 },
            inverse_mass,
            inverse_rest: 1.0 / densities.rest,
            // Every particle is coincident with itself.
            coincides: sums.coincident[lane] > 1,
        };
        ways[lane] = particles.velocity[index] * coefficients.time_step;
        relative[lane] = densities.relative(density, pairs.own_density);
    }
}

/// Sums over the candidates of a block's particles.
struct SumsOfBlock<'a> {
    frozen: &'a Frozen<'a>,
    block: &'a Block,
    /// Indices and weights of the neighbours.
    near: (&'a mut [u32], &'a mut [Lanes]),
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
    near: usize,
}

impl LaneKernel for SumsOfBlock<'_> {
    type Output = Sums;

    #[inline(always)]
    fn run<S: Instructions>(self, instructions: S) -> Sums {
        let Frozen { particles, coefficients, .. } = *self.frozen;
        let Self { block, near: (near, weights), .. } = self;
        let splat = |number: f32| splat(instructions, number);
        let (indices, positions) = (&block.particles, particles.position);
        let classes = &particles.class[..positions.len()];
        let (factor, slope) = (splat(Kernel::DENSITY_FACTOR), splat(Kernel::SLOPE_FACTOR));
        let (mut density, mut squares) = (splat(0.0), splat(0.0));
        let (mut sum_x, mut sum_y) = (splat(0.0), splat(0.0));
        let mut coincident = LaneCounts::splat(instructions, 0);
        let mut found = 0;
        let lanes = BlockLanes::of(instructions, coefficients, indices, positions);
        lanes.for_each(
            block.spans(),
            #[inline(always)]
            |index, pair| {
                let class = classes[index].index();
                density += factor * Kernel::density(pair.closeness);
                let along = slope * Kernel::slope(pair.closeness) * pair.inverse;
                near[found] = index as u32;
                weights[found] = along.into();
                found += usize::from(pair.any_near);
                sum_x += along * pair.dx;
                sum_y += along * pair.dy;
                let length = along * pair.distance;
                squares += length * length * splat(coefficients.classes[class].inverse_mass);
                // A true lane holds -1.
                coincident -= pair.coincide.to_vector();
            },
        );
        Sums {
            density: density.into(),
            x: sum_x.into(),
            y: sum_y.into(),
            squares: squares.into(),
            coincident: coincident.into(),
            near: found,
        }
    }
}

// The neighbour lists of a chunk, which all iterations of a substep use.

/// For each block of a chunk, the indices of the neighbours of its particles, and their weights.
#[derive(Clone, Debug, Default)]
pub(crate) struct NearOfChunk {
    indices: Vec<u32>,
    /// Kernel gradients divided by the distance, for each particle of the block; 0 beyond the interaction radius.
    weights: Vec<Lanes>,
    /// For each block, the index after its last particle, and the end of its neighbours.
    blocks: Vec<(u32, u32)>,
    used: usize,
}

impl NearOfChunk {
    pub(super) fn clear(&mut self) {
        self.blocks.clear();
        self.used = 0;
    }

    /// Returns space for up to `most` neighbours of a block.
    pub(super) fn room_for(&mut self, most: usize) -> (&mut [u32], &mut [Lanes]) {
        let needed = self.used + most;
        if self.indices.len() < needed {
            // Doubles the size, so that a moving liquid rarely reallocates.
            let roomy = (2 * needed).next_power_of_two();
            self.indices.resize(roomy, 0);
            self.weights.resize(roomy, [0.0; LANES]);
        }
        (&mut self.indices[self.used..needed], &mut self.weights[self.used..needed])
    }

    /// Keeps the first `found` neighbours of that space for the block that ends before particle `end`.
    pub(super) fn end_block(&mut self, end: usize, found: usize) {
        self.used += found;
        self.blocks.push((end as u32, self.used as u32));
    }

    /// The particles, neighbours and weights of each block of the chunk that starts at index `chunk_start`.
    pub(super) fn blocks(
        &self,
        chunk_start: usize,
    ) -> impl Iterator<Item = (Range<usize>, &[u32], &[Lanes])> {
        let (mut first, mut first_near) = (chunk_start, 0);
        self.blocks.iter().map(move |(end, near_end)| {
            let particles = first..*end as usize;
            let near = first_near..*near_end as usize;
            (first, first_near) = (particles.end, near.end);
            (particles, &self.indices[near.clone()], &self.weights[near])
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
    pub coincides: bool,
}

/// A wall near a particle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NearWall {
    pub particle: u32,
    pub collider: Option<u32>,
    /// The sum of the gradients behind the wall, towards the liquid.
    pub gradient: Vec2,
    /// `dt` times the velocity of the wall.
    pub way: Vec2,
}
