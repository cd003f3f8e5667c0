//! One iteration: pressures that correct the predicted densities, and the displacements that follow from their changes.

use std::ops::Range;

use glam::Vec2;

use crate::Executor;
use crate::parallel::executor::{CHUNK, PerChunk, chunk_of};
use crate::parallel::instructions::{
    self, Instructions, LaneKernel, Lanes, gather, gather_points, load, splat, store,
};
use crate::particles::arrays::{Activity, takes_part};
use crate::solver::incompressible::densities::{ChunkNeighbourList, State, WallGradient};
use crate::solver::neighbours::blocks::{BlockLanes, coincident_particles};
use crate::solver::neighbours::grid::Grid;
use crate::solver::pair_forces::coefficients::Frozen;
use crate::solver::pair_forces::walls::take_walls_of;

/// Relaxation factor of the Jacobi iteration.
const RELAXATION: f32 = 0.2;

/// Estimated spectral radius of the iteration.
const SPECTRAL_RADIUS: f32 = 0.95;

/// Largest pressure of a particle of mass 1. A larger one would move it by several interaction radii. Where masses or
/// densities differ by a factor of a hundred, the iteration does not converge, and this limit bounds it.
const MAX_PRESSURE: f32 = 1.0;

/// Distance, in interaction radii, by which coincident particles separate in a substep.
const SEPARATION_DISTANCE: f32 = 0.05;

/// The weights of the iterations (Wang 2015, equation 6).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Chebyshev {
    iteration: u32,
    weight: f32,
}

impl Chebyshev {
    /// Returns the weight of the next iteration; 1 for the first two.
    pub(super) fn next(&mut self) -> f32 {
        let square = SPECTRAL_RADIUS * SPECTRAL_RADIUS;
        self.weight = match self.iteration {
            0 | 1 => 1.0,
            2 => 2.0 / (2.0 - square),
            _ => 4.0 / (4.0 - square * self.weight),
        };
        self.iteration += 1;
        self.weight
    }
}

/// Quantities that follow from the positions and are constant during the iterations.
#[derive(Clone, Copy)]
pub(super) struct FrozenStates<'a> {
    pub states: &'a [State],
    pub neighbours: &'a [ChunkNeighbourList],
    pub walls: &'a [Vec<WallGradient>],
}

/// Inputs and outputs of [`compute_pressure_changes`].
pub(super) struct PressureBuffers<'a> {
    pub displacements: &'a [Vec2],
    pub lambdas: &'a [f32],
    pub previous: &'a mut [f32],
    pub changes: &'a mut [f32],
    /// One item per chunk.
    pub errors: &'a mut [f64],
}

/// Computes the change of each pressure in an iteration with this weight, and the errors of the densities before the
/// change.
pub(super) fn compute_pressure_changes(
    frozen: Frozen,
    frozen_states: FrozenStates,
    pressures: PressureBuffers,
    weight: f32,
    executor: &dyn Executor,
) {
    let FrozenStates { states, neighbours, walls } = frozen_states;
    let PressureBuffers { displacements, lambdas, previous, changes, errors } = pressures;
    let count = states.len();
    let into = (previous, changes, PerChunk::new(errors, count, CHUNK));
    executor.for_each_chunk(into, CHUNK, |index, (previous, changes, errors)| {
        let chunk = chunk_of(index, changes.len());
        let error = errors.item();
        *error = 0.0;
        if !takes_part(&frozen.particles.activity[chunk.clone()], Activity::Pressing) {
            changes.fill(0.0);
            return;
        }
        let mut walls = &walls[index][..];
        for (particles, neighbours, weights) in neighbours[index].blocks(chunk.start) {
            let block = &BlockNeighbours { frozen: &frozen, particles, neighbours, weights };
            let rates = instructions::run(DensityRates(block, displacements));
            for (lane, index) in block.particles.clone().enumerate() {
                let offset = index - chunk.start;
                // Particles that do not press contribute nothing, whatever the width of the block.
                if frozen.particles.activity[index] < Activity::Pressing {
                    changes[offset] = 0.0;
                    continue;
                }
                let state = &states[index];
                let mut rate = rates[lane];
                for wall in take_walls_of(index, &mut walls, |wall| wall.particle) {
                    rate -= (displacements[index] - wall.displacement).dot(wall.gradient);
                }
                let excess =
                    state.excess + rate * (state.inverse_rest * frozen.coefficients.inverse_radius);
                *error += f64::from(excess.max(0.0));
                let lambda = lambdas[index];
                let next = (lambda + RELAXATION * excess * state.inverse_response).max(0.0);
                let next = (weight * (next - previous[offset]) + previous[offset]).max(0.0);
                let next = next.min(MAX_PRESSURE / state.inverse_mass);
                previous[offset] = lambda;
                changes[offset] = next - lambda;
            }
        }
    });
}

/// Moves particles by the changes of the pressures.
pub(super) fn apply_pressure_changes(
    frozen: Frozen,
    FrozenStates { states, neighbours, walls }: FrozenStates,
    changes: &[f32],
    displacements: &mut [Vec2],
    executor: &dyn Executor,
) {
    let (radius, max_displacement) =
        (frozen.coefficients.interaction_radius, frozen.coefficients.max_displacement);
    executor.for_each_chunk(displacements, CHUNK, |index, displacements| {
        let chunk = chunk_of(index, displacements.len());
        if !takes_part(&frozen.particles.activity[chunk.clone()], Activity::Awake) {
            return;
        }
        let mut walls = &walls[index][..];
        for (particles, neighbours, weights) in neighbours[index].blocks(chunk.start) {
            let block = &BlockNeighbours { frozen: &frozen, particles, neighbours, weights };
            let (x, y) = instructions::run(PressureDisplacements(block, changes));
            for (lane, index) in block.particles.clone().enumerate() {
                let mut push = -Vec2::new(x[lane], y[lane]);
                for wall in take_walls_of(index, &mut walls, |wall| wall.particle) {
                    push += wall.gradient * changes[index];
                }
                let push = push * (radius * states[index].inverse_mass);
                displacements[index - chunk.start] += push.clamp_length_max(max_displacement);
            }
        }
    });
}

/// A block's particles and their neighbours.
pub(super) struct BlockNeighbours<'a> {
    pub frozen: &'a Frozen<'a>,
    pub particles: Range<usize>,
    pub neighbours: &'a [u32],
    pub weights: &'a [Lanes],
}

/// Computes the changes of the densities of a block's particles by the displacements: `sum_j (x_i - x_j) g_ij`.
struct DensityRates<'a>(&'a BlockNeighbours<'a>, &'a [Vec2]);

impl LaneKernel for DensityRates<'_> {
    type Output = Lanes;

    #[inline(always)]
    fn run<S: Instructions>(self, instructions: S) -> Lanes {
        let BlockNeighbours { frozen, particles, neighbours, weights } = self.0;
        let Frozen { particles: all, coefficients, .. } = **frozen;
        // Both slices get the same length, so that one comparison checks an index for both.
        let displacements = &self.1[..all.position.len()];
        let lanes = BlockLanes::of(instructions, coefficients, particles, all.position);
        let displacement = gather_points(instructions, particles, displacements);
        let mut rate = splat(instructions, 0.0);
        for (index, weight) in neighbours.iter().zip(*weights) {
            let index = *index as usize;
            let approach =
                lanes.pairs_with(all.position[index]).approach(displacement, displacements[index]);
            rate += approach * load(instructions, weight);
        }
        store(rate)
    }
}

/// Computes the effect of pressure changes on a block's particles: `sum_j (c_i + c_j) g_ij`.
struct PressureDisplacements<'a>(&'a BlockNeighbours<'a>, &'a [f32]);

impl LaneKernel for PressureDisplacements<'_> {
    type Output = (Lanes, Lanes);

    #[inline(always)]
    fn run<S: Instructions>(self, instructions: S) -> (Lanes, Lanes) {
        let BlockNeighbours { frozen, particles, neighbours, weights } = self.0;
        let Frozen { particles: all, coefficients, .. } = **frozen;
        let splat = |number: f32| splat(instructions, number);
        let load = |lanes: &Lanes| load(instructions, lanes);
        let changes = &self.1[..all.position.len()];
        let lanes = BlockLanes::of(instructions, coefficients, particles, all.position);
        let change = load(&gather(particles, changes, |change| *change));
        let (mut sum_x, mut sum_y) = (splat(0.0), splat(0.0));
        for (index, weight) in neighbours.iter().zip(*weights) {
            let pair = lanes.pairs_with(all.position[*index as usize]);
            let along = (change + splat(changes[*index as usize])) * load(weight);
            sum_x += along * pair.dx;
            sum_y += along * pair.dy;
        }
        (store(sum_x), store(sum_y))
    }
}

/// Separates coincident particles, in directions that come from their ids.
pub(super) fn separate_coincident(
    frozen: Frozen,
    grid: &Grid,
    states: &[State],
    correction_fraction: f32,
    displacements: &mut [Vec2],
) {
    if !states.iter().any(|state| state.is_coincident) {
        return;
    }
    let Frozen { particles, coefficients, .. } = frozen;
    let distance = SEPARATION_DISTANCE * correction_fraction * coefficients.interaction_radius;
    let mut blocks = grid.blocks(0..states.len());
    while let Some(block) = blocks.next() {
        for index in block.particles.clone().filter(|index| states[*index].is_coincident) {
            let class = particles.class[index].index();
            let candidates = block.spans().flatten();
            for (other, axis) in coincident_particles(particles, coefficients, index, candidates) {
                let (share, _) = coefficients.shares(class, particles.class[other].index());
                displacements[index] -= axis * (distance * share);
            }
        }
    }
}
