//! One iteration: pressures that counter the predicted densities, and the ways that follow from
//! their changes.

use fearless_simd::prelude::*;
use glam::Vec2;

use crate::parallel::chunks::{CHUNK, chunk_of};
use crate::parallel::executor::{Executor, PerChunk};
use crate::parallel::instructions::{self, Instructions, LaneKernel};
use crate::parallel::lanes::{Lanes, gather, load, positive_lanes, splat};
use crate::particles::activity::{Activity, takes_part};
use crate::solver::incompressible::workspace::{Frozen, NearWall, State};
use crate::solver::neighbours::grid::{Block, Grid};
use crate::solver::neighbours::separation::separation_axis;
use crate::solver::pair_forces::kernels::Kernels;
use crate::solver::shared_pressure::kernels::SharedPressureKernels as Kernel;

/// Relaxation of the Jacobi iteration.
const RELAXATION: f32 = 0.2;

/// Estimated spectral radius of an iteration.
const RADIUS: f32 = 0.95;

/// How far, in interaction radii, particles at the same point part in a substep.
const PARTING: f32 = 0.05;

/// The weights of the iterations (Wang 2015, equation 6).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Chebyshev {
    iteration: u32,
    weight: f32,
}

impl Chebyshev {
    /// The weight of the next iteration; 1 for the first two.
    pub(super) fn next(&mut self) -> f32 {
        let square = RADIUS * RADIUS;
        self.weight = match self.iteration {
            0 | 1 => 1.0,
            2 => 2.0 / (2.0 - square),
            _ => 4.0 / (4.0 - square * self.weight),
        };
        self.iteration += 1;
        self.weight
    }
}

/// What the pressures are found from, and into.
pub(super) struct Pressures<'a> {
    pub states: &'a [State],
    pub walls: &'a [Vec<NearWall>],
    pub ways: &'a [Vec2],
    pub lambdas: &'a [f32],
    pub before: &'a mut [f32],
    pub changes: &'a mut [f32],
    /// One item for each chunk.
    pub errors: &'a mut [f64],
}

/// Finds by how much each pressure changes in an iteration of this weight, and the errors of the
/// densities before it.
pub(super) fn find_pressures<E: Executor>(
    frozen: Frozen,
    grid: &Grid,
    pressures: Pressures,
    weight: f32,
    executor: &E,
) {
    let Pressures { states, walls, ways, lambdas, before, changes, errors } = pressures;
    let count = states.len();
    let into = (before, changes, PerChunk::new(errors, count, CHUNK));
    executor.for_each_chunk(into, CHUNK, |index, (before, changes, errors)| {
        let chunk = chunk_of(index, changes.len());
        let error = errors.item();
        *error = 0.0;
        if !takes_part(&frozen.particles.activity[chunk.clone()], Activity::Pressing) {
            changes.fill(0.0);
            return;
        }
        let mut walls = &walls[index][..];
        let mut blocks = grid.blocks(chunk.clone());
        while let Some(block) = blocks.next() {
            let rates = instructions::run(RatesOfBlock { frozen: &frozen, block, ways });
            for (lane, index) in block.particles.clone().enumerate() {
                let own = &states[index];
                let mut rate = rates[lane];
                for wall in of_particle(&mut walls, index) {
                    rate -= (ways[index] - wall.way).dot(wall.gradient);
                }
                let excess =
                    own.excess + rate * (own.inverse_rest * frozen.coefficients.inverse_radius);
                *error += f64::from(excess.max(0.0));
                let offset = index - chunk.start;
                let lambda = lambdas[index];
                let next = (lambda + RELAXATION * excess * own.inverse_response).max(0.0);
                let next = (weight * (next - before[offset]) + before[offset]).max(0.0);
                before[offset] = lambda;
                changes[offset] = next - lambda;
            }
        }
    });
}

/// Moves particles by changes of the pressures.
pub(super) fn push<E: Executor>(
    frozen: Frozen,
    grid: &Grid,
    (states, walls): (&[State], &[Vec<NearWall>]),
    changes: &[f32],
    ways: &mut [Vec2],
    executor: &E,
) {
    let radius = frozen.coefficients.interaction_radius;
    executor.for_each_chunk(ways, CHUNK, |index, ways| {
        let chunk = chunk_of(index, ways.len());
        if !takes_part(&frozen.particles.activity[chunk.clone()], Activity::Awake) {
            return;
        }
        let mut walls = &walls[index][..];
        let mut blocks = grid.blocks(chunk.clone());
        while let Some(block) = blocks.next() {
            let (x, y) = instructions::run(PushesOfBlock { frozen: &frozen, block, changes });
            for (lane, index) in block.particles.clone().enumerate() {
                let mut push = -Vec2::new(x[lane], y[lane]);
                for wall in of_particle(&mut walls, index) {
                    push += wall.gradient * changes[index];
                }
                ways[index - chunk.start] += push * (radius * states[index].inverse_mass);
            }
        }
    });
}

/// Removes the walls of one particle from the beginning of those that are left.
pub(super) fn of_particle<'a>(left: &mut &'a [NearWall], index: usize) -> &'a [NearWall] {
    let first = left.partition_point(|wall| (wall.particle as usize) < index);
    let end = left.partition_point(|wall| (wall.particle as usize) <= index);
    let own = &left[first..end];
    *left = &left[end..];
    own
}

/// How much the densities of a block's particles grow by the ways: `sum_j (x_i - x_j) g_ij`.
struct RatesOfBlock<'a> {
    frozen: &'a Frozen<'a>,
    block: &'a Block,
    ways: &'a [Vec2],
}

impl LaneKernel for RatesOfBlock<'_> {
    type Output = Lanes;

    #[inline(always)]
    fn run<S: Instructions>(self, instructions: S) -> Lanes {
        let Frozen { particles, coefficients, .. } = *self.frozen;
        let Self { block, .. } = self;
        let splat = |number: f32| splat(instructions, number);
        let load = |lanes: &Lanes| load(instructions, lanes);
        let positions = particles.position;
        let ways = &self.ways[..positions.len()];
        let inverse_radius = splat(coefficients.inverse_radius);
        let squared_coincidence = splat(coefficients.coincidence * coefficients.coincidence);
        let x = load(&gather(&block.particles, positions, |own| own.x));
        let y = load(&gather(&block.particles, positions, |own| own.y));
        let way_x = load(&gather(&block.particles, ways, |own| own.x));
        let way_y = load(&gather(&block.particles, ways, |own| own.y));
        let mut rate = splat(0.0);
        for span in block.spans() {
            for index in span {
                let (position, way) = (&positions[index], &ways[index]);
                let (dx, dy) = (splat(position.x) - x, splat(position.y) - y);
                let squared = dx * dx + dy * dy;
                let distance = squared.sqrt();
                let inverse = squared
                    .simd_lt(squared_coincidence)
                    .select(splat(0.0), distance * (splat(1.0) / squared));
                let closeness = positive_lanes(splat(1.0) - distance * inverse_radius);
                let approach = (way_x - splat(way.x)) * dx + (way_y - splat(way.y)) * dy;
                rate += approach * (Kernel::slope(closeness) * inverse);
            }
        }
        (rate * splat(Kernel::SLOPE_FACTOR)).into()
    }
}

/// What changes of pressures do to a block's particles: `sum_j (c_i + c_j) g_ij`.
struct PushesOfBlock<'a> {
    frozen: &'a Frozen<'a>,
    block: &'a Block,
    changes: &'a [f32],
}

impl LaneKernel for PushesOfBlock<'_> {
    type Output = (Lanes, Lanes);

    #[inline(always)]
    fn run<S: Instructions>(self, instructions: S) -> (Lanes, Lanes) {
        let Frozen { particles, coefficients, .. } = *self.frozen;
        let Self { block, .. } = self;
        let splat = |number: f32| splat(instructions, number);
        let load = |lanes: &Lanes| load(instructions, lanes);
        let positions = particles.position;
        let changes = &self.changes[..positions.len()];
        let inverse_radius = splat(coefficients.inverse_radius);
        let squared_coincidence = splat(coefficients.coincidence * coefficients.coincidence);
        let x = load(&gather(&block.particles, positions, |own| own.x));
        let y = load(&gather(&block.particles, positions, |own| own.y));
        let change = load(&gather(&block.particles, changes, |own| *own));
        let (mut sum_x, mut sum_y) = (splat(0.0), splat(0.0));
        for span in block.spans() {
            for index in span {
                let position = &positions[index];
                let (dx, dy) = (splat(position.x) - x, splat(position.y) - y);
                let squared = dx * dx + dy * dy;
                let distance = squared.sqrt();
                let inverse = squared
                    .simd_lt(squared_coincidence)
                    .select(splat(0.0), distance * (splat(1.0) / squared));
                let closeness = positive_lanes(splat(1.0) - distance * inverse_radius);
                let both = change + splat(changes[index]);
                let along = both * (Kernel::slope(closeness) * inverse);
                sum_x += along * dx;
                sum_y += along * dy;
            }
        }
        let factor = splat(Kernel::SLOPE_FACTOR);
        ((sum_x * factor).into(), (sum_y * factor).into())
    }
}

/// Moves particles at the same point apart, in directions that come from their ids.
pub(super) fn part_coincident(frozen: Frozen, grid: &Grid, states: &[State], ways: &mut [Vec2]) {
    if !states.iter().any(|own| own.coincides) {
        return;
    }
    let Frozen { particles, coefficients, .. } = frozen;
    let squared_coincidence = coefficients.coincidence * coefficients.coincidence;
    let mut blocks = grid.blocks(0..states.len());
    while let Some(block) = blocks.next() {
        for index in block.particles.clone().filter(|index| states[*index].coincides) {
            let class = particles.class[index].index();
            for other in block.spans().flatten().filter(|other| *other != index) {
                let offset = particles.position[other] - particles.position[index];
                if offset.length_squared() < squared_coincidence {
                    let (share, _) = coefficients.shares(class, particles.class[other].index());
                    let axis = separation_axis(particles.id[index], particles.id[other]);
                    ways[index] -= axis * (PARTING * coefficients.interaction_radius * share);
                }
            }
        }
    }
}
