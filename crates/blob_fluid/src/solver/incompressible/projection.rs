//! The substep of the incompressible solver.

use std::ops::Range;

use glam::Vec2;

use crate::liquid::state::Liquid;
use crate::parallel::executor::{CHUNK, Executor, PerChunk, chunk_of};
use crate::parallel::instructions;
use crate::parallel::instructions::{Instructions, LaneKernel};
use crate::parallel::lanes::{Lanes, gather, gather_points, load, splat};
use crate::particles::arrays::{Activity, Computed, takes_part};
use crate::solver::coefficients::Coefficients;
use crate::solver::incompressible::densities::{NearOfChunk, find_densities};
use crate::solver::incompressible::method::{Incompressible, NearWall, State};
use crate::solver::neighbours::blocks::{BlockLanes, coincident_particles};
use crate::solver::neighbours::grid::{Grid, Neighbours, refresh};
use crate::solver::pair_forces::coefficients::Frozen;
use crate::solver::pair_forces::walls::press_on_colliders;

/// Part of a pressure that the next substep begins with. With all of it liquid that expands is
/// driven on, and boils; with 0.7 a pool simmers for ever, with this it comes to rest.
const WARM_START: f32 = 0.4;

/// Density, relative to that at rest, below which a particle begins without pressure: at surfaces
/// and in spray.
const LOOSE: f32 = 0.95;

/// Moves every particle so that no density exceeds that at rest by more than the tolerance, on
/// average, or until the most iterations are done.
///
/// 1. `delta_i = sum_j W_ij`; the response `a_i = |sum_j g_ij|^2/m_i + sum_j |g_ij|^2/m_j`
/// 2. damping and [viscosity](crate::solver::incompressible::viscosity::ImplicitViscosity::exchange)
///    on the ways `x = dt v`
/// 3. `lambda_i` is [`WARM_START`] times that of the substep before; then, until the errors are small:
///    `lambda_i += omega (s (delta_i - delta_0) + sum_j (x_i - x_j) g_ij)/a_i`, at least 0, where `s` is 1
///    below the density at rest and the part [`corrected`](Incompressible::corrected) above it, and
///    `x_i -= h/m_i sum_j (change of lambda_i + lambda_j) g_ij`
///
/// Particles that sleep have no error, and keep their pressures.
pub(crate) fn project(
    liquid: &mut Liquid,
    neighbours: &mut Neighbours,
    work: &mut Incompressible,
    coefficients: &Coefficients,
    executor: &dyn Executor,
) {
    refresh(liquid, neighbours, coefficients, executor);
    let Liquid { particles, boundary, loads, .. } = liquid;
    let count = particles.len();
    particles.pressure.resize(count, 0.0);
    let squared_step = coefficients.time_step * coefficients.time_step;
    let grid = &neighbours.grid;
    work.lambdas.clear();
    work.lambdas
        .extend(particles.pressure.iter().map(|pressure| pressure * (squared_step * WARM_START)));
    let (view, Computed { relative_density, .. }) = particles.view_and_computed();
    let pressing = view.activity.iter().filter(|activity| **activity >= Activity::Pressing).count();
    let frozen = Frozen { particles: view, solids: boundary, coefficients, pairs: &work.pairs };
    let found = (&mut work.states, &mut work.ways, &mut work.near, &mut work.walls);
    find_densities(frozen, grid, work.corrected, relative_density, found, executor);
    work.viscosity.exchange(frozen, &work.near, &mut work.ways, executor);
    for (lambda, state) in work.lambdas.iter_mut().zip(&work.states) {
        if state.excess < LOOSE - 1.0 {
            *lambda = 0.0;
        }
    }
    let known = Known { states: &work.states, near: &work.near, walls: &work.walls };
    push(frozen, known, &work.lambdas, &mut work.ways, executor);
    work.before.clone_from(&work.lambdas);
    work.changes.resize(count, 0.0);
    work.errors.resize(count.div_ceil(CHUNK), 0.0);
    let mut weights = Chebyshev::default();
    let mut iteration = 0;
    loop {
        let parts = Pressures {
            ways: &work.ways,
            lambdas: &work.lambdas,
            before: &mut work.before,
            changes: &mut work.changes,
            errors: &mut work.errors,
        };
        find_pressures(frozen, known, parts, weights.next(), executor);
        work.error = (work.errors.iter().sum::<f64>() / pressing.max(1) as f64) as f32;
        if iteration == work.max_iterations || iteration > 0 && work.error <= work.tolerance {
            break;
        }
        for (lambda, change) in work.lambdas.iter_mut().zip(&work.changes) {
            *lambda += change;
        }
        push(frozen, known, &work.changes, &mut work.ways, executor);
        iteration += 1;
    }
    work.iterations += iteration;
    part_coincident(frozen, grid, &work.states, work.corrected, &mut work.ways);
    if boundary.any_bears_load() {
        let per_step = coefficients.interaction_radius / coefficients.time_step;
        let given = |wall: &NearWall| {
            let momentum = wall.gradient * (work.lambdas[wall.particle as usize] * per_step);
            (wall.particle, wall.collider, momentum)
        };
        press_on_colliders(frozen, &work.walls, loads, given, executor);
        loads.end_pass(boundary);
    }
    // Of a pressure that corrects a density, a longer substep needs no more impulse.
    let lasting = work.corrected / squared_step;
    let found = work.lambdas.iter().zip(&particles.activity);
    for (pressure, (lambda, activity)) in particles.pressure.iter_mut().zip(found) {
        if *activity >= Activity::Pressing {
            *pressure = lambda * lasting;
        }
    }
    let time_step = coefficients.time_step;
    for (way, velocity) in work.ways.iter_mut().zip(&particles.velocity) {
        *way -= *velocity * time_step;
    }
    particles.displace_all(&work.ways, coefficients.most_displacement, time_step, executor);
    particles.mark_moved();
}

// One iteration: pressures that counter the predicted densities, and the ways that follow from
// their changes.

/// Relaxation of the Jacobi iteration.
const RELAXATION: f32 = 0.2;

/// Estimated spectral radius of an iteration.
const RADIUS: f32 = 0.95;

/// The highest pressure of a particle of mass 1: more would move it by several interaction radii. Where
/// masses or densities differ a hundredfold an iteration does not converge, and this keeps it
/// within bounds.
const HIGHEST: f32 = 1.0;

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

/// What is known of the particles from their positions.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    pub states: &'a [State],
    pub near: &'a [NearOfChunk],
    pub walls: &'a [Vec<NearWall>],
}

/// What the pressures are found from, and into.
pub(super) struct Pressures<'a> {
    pub ways: &'a [Vec2],
    pub lambdas: &'a [f32],
    pub before: &'a mut [f32],
    pub changes: &'a mut [f32],
    /// One item for each chunk.
    pub errors: &'a mut [f64],
}

/// Finds by how much each pressure changes in an iteration of this weight, and the errors of the
/// densities before it.
pub(super) fn find_pressures(
    frozen: Frozen,
    known: Known,
    pressures: Pressures,
    weight: f32,
    executor: &dyn Executor,
) {
    let Known { states, near, walls } = known;
    let Pressures { ways, lambdas, before, changes, errors } = pressures;
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
        for (particles, near, weights) in near[index].blocks(chunk.start) {
            let block = &NearOfBlock { frozen: &frozen, particles, near, weights };
            let rates = instructions::run(RatesOverNear(block, ways));
            for (lane, index) in block.particles.clone().enumerate() {
                let offset = index - chunk.start;
                // A sleeper beside others has no part in it, however many there are in a block.
                if frozen.particles.activity[index] < Activity::Pressing {
                    changes[offset] = 0.0;
                    continue;
                }
                let state = &states[index];
                let mut rate = rates[lane];
                for wall in of_particle(&mut walls, index) {
                    rate -= (ways[index] - wall.way).dot(wall.gradient);
                }
                let excess =
                    state.excess + rate * (state.inverse_rest * frozen.coefficients.inverse_radius);
                *error += f64::from(excess.max(0.0));
                let lambda = lambdas[index];
                let next = (lambda + RELAXATION * excess * state.inverse_response).max(0.0);
                let next = (weight * (next - before[offset]) + before[offset]).max(0.0);
                let next = next.min(HIGHEST / state.inverse_mass);
                before[offset] = lambda;
                changes[offset] = next - lambda;
            }
        }
    });
}

/// Moves particles by changes of the pressures.
pub(super) fn push(
    frozen: Frozen,
    Known { states, near, walls }: Known,
    changes: &[f32],
    ways: &mut [Vec2],
    executor: &dyn Executor,
) {
    let (radius, most) =
        (frozen.coefficients.interaction_radius, frozen.coefficients.most_displacement);
    executor.for_each_chunk(ways, CHUNK, |index, ways| {
        let chunk = chunk_of(index, ways.len());
        if !takes_part(&frozen.particles.activity[chunk.clone()], Activity::Awake) {
            return;
        }
        let mut walls = &walls[index][..];
        for (particles, near, weights) in near[index].blocks(chunk.start) {
            let block = &NearOfBlock { frozen: &frozen, particles, near, weights };
            let (x, y) = instructions::run(PushesOverNear(block, changes));
            for (lane, index) in block.particles.clone().enumerate() {
                let mut push = -Vec2::new(x[lane], y[lane]);
                for wall in of_particle(&mut walls, index) {
                    push += wall.gradient * changes[index];
                }
                let push = push * (radius * states[index].inverse_mass);
                ways[index - chunk.start] += push.clamp_length_max(most);
            }
        }
    });
}

/// Removes the walls of one particle from the beginning of those that are left.
pub(super) fn of_particle<'a>(left: &mut &'a [NearWall], index: usize) -> &'a [NearWall] {
    let first = left.partition_point(|wall| (wall.particle as usize) < index);
    let end = left.partition_point(|wall| (wall.particle as usize) <= index);
    let walls = &left[first..end];
    *left = &left[end..];
    walls
}

/// A block's particles and their neighbours.
pub(super) struct NearOfBlock<'a> {
    pub frozen: &'a Frozen<'a>,
    pub particles: Range<usize>,
    pub near: &'a [u32],
    pub weights: &'a [Lanes],
}

/// How much the densities of a block's particles grow by the ways: `sum_j (x_i - x_j) g_ij`.
struct RatesOverNear<'a>(&'a NearOfBlock<'a>, &'a [Vec2]);

impl LaneKernel for RatesOverNear<'_> {
    type Output = Lanes;

    #[inline(always)]
    fn run<S: Instructions>(self, instructions: S) -> Lanes {
        let NearOfBlock { frozen, particles, near, weights } = self.0;
        let Frozen { particles: all, coefficients, .. } = **frozen;
        // Both slices get the same length, so that one comparison checks an index for both.
        let ways = &self.1[..all.position.len()];
        let lanes = BlockLanes::of(instructions, coefficients, particles, all.position);
        let way = gather_points(instructions, particles, ways);
        let mut rate = splat(instructions, 0.0);
        for (index, weight) in near.iter().zip(*weights) {
            let index = *index as usize;
            let approach = lanes.pairs_with(all.position[index]).approach(way, ways[index]);
            rate += approach * load(instructions, weight);
        }
        rate.into()
    }
}

/// What changes of pressures do to a block's particles: `sum_j (c_i + c_j) g_ij`.
struct PushesOverNear<'a>(&'a NearOfBlock<'a>, &'a [f32]);

impl LaneKernel for PushesOverNear<'_> {
    type Output = (Lanes, Lanes);

    #[inline(always)]
    fn run<S: Instructions>(self, instructions: S) -> (Lanes, Lanes) {
        let NearOfBlock { frozen, particles, near, weights } = self.0;
        let Frozen { particles: all, coefficients, .. } = **frozen;
        let splat = |number: f32| splat(instructions, number);
        let load = |lanes: &Lanes| load(instructions, lanes);
        let changes = &self.1[..all.position.len()];
        let lanes = BlockLanes::of(instructions, coefficients, particles, all.position);
        let change = load(&gather(particles, changes, |change| *change));
        let (mut sum_x, mut sum_y) = (splat(0.0), splat(0.0));
        for (index, weight) in near.iter().zip(*weights) {
            let pair = lanes.pairs_with(all.position[*index as usize]);
            let along = (change + splat(changes[*index as usize])) * load(weight);
            sum_x += along * pair.dx;
            sum_y += along * pair.dy;
        }
        (sum_x.into(), sum_y.into())
    }
}

/// Moves particles at the same point apart, in directions that come from their ids.
pub(super) fn part_coincident(
    frozen: Frozen,
    grid: &Grid,
    states: &[State],
    corrected: f32,
    ways: &mut [Vec2],
) {
    if !states.iter().any(|state| state.coincides) {
        return;
    }
    let Frozen { particles, coefficients, .. } = frozen;
    let parting = PARTING * corrected * coefficients.interaction_radius;
    let mut blocks = grid.blocks(0..states.len());
    while let Some(block) = blocks.next() {
        for index in block.particles.clone().filter(|index| states[*index].coincides) {
            let class = particles.class[index].index();
            let candidates = block.spans().flatten();
            for (other, axis) in coincident_particles(particles, coefficients, index, candidates) {
                let (share, _) = coefficients.shares(class, particles.class[other].index());
                ways[index] -= axis * (parting * share);
            }
        }
    }
}
