//! Pair forces, and the displacements that they cause in a substep.

use std::marker::PhantomData;

use fearless_simd::prelude::*;
use glam::Vec2;

use crate::parallel::executor::{CHUNK, LONG_CHUNK, PerChunk, chunk_of};
use crate::parallel::instructions::{
    self, Instructions, LANES, LaneCounts, LaneKernel, Lanes, block_width, gather, gather_points,
    load, splat, store,
};
use crate::particles::arrays::{Activity, Computed, idle, takes_part};
use crate::solver::coefficients::ClassSet;
use crate::solver::method::Substep;
use crate::solver::neighbours::blocks::{Block, BlockLanes, ClassLanes, coincident_particles};
use crate::solver::neighbours::grid::Grid;
use crate::solver::neighbours::hash::refresh;
use crate::solver::pair_forces::coefficients::{Frozen, Kernels, PairCoefficients, Pressures};
use crate::solver::pair_forces::walls::{
    WallDensities, WallPush, apply_collider_loads, take_walls_of,
};
use crate::{ClassTable, Executor, Liquid};

/// Displaces every particle by the pressure, viscosity and wall forces of one substep at its current position. `r_hat`
/// is the direction from `j` to `i`:
///
/// - pressure: `-(dt^2/m_i) sum_j [(P_i + P_j)/2 W'(r) + (N_i + N_j)/2 W_near'(r)]/(delta_i delta_j) r_hat`
/// - viscosity: `(dt^2/m_i) mu sum_j ((v_j - v_i).r_hat) r_hat V(r)/(delta_i delta_j)`, which does not slow down rigid
///   rotation. Viscosity beyond its stability limit uses `v_j - v_i` in place of the component along `r_hat`
/// - walls: the force of liquid at rest behind them, with the particle's own pressure
///
/// The forces of a pair are equal and opposite. No particle is accelerated to more than `4 h` per substep.
pub(crate) fn apply_forces_of_pairs<K: Kernels>(substep: &mut Substep, work: &mut PairForces<K>) {
    let &mut Substep { ref mut liquid, ref mut neighbours, coefficients, executor } = substep;
    refresh(liquid, neighbours, coefficients, executor);
    let Liquid { particles, boundary, loads, .. } = liquid;
    let PairForces { pairs, pressures, walls, displacements, .. } = work;
    let (view, Computed { relative_density, .. }) = particles.view_and_computed();
    let frozen = Frozen { particles: view, solids: boundary, coefficients, pairs };
    let grid = &neighbours.grid;
    compute_pressures::<K>(frozen, grid, relative_density, pressures, walls, executor);
    compute_displacements::<K>(frozen, grid, pressures, walls, displacements, executor);
    if boundary.any_bears_load() {
        apply_collider_loads(
            frozen,
            walls,
            loads,
            |wall| wall.momentum_on_particle(&frozen),
            executor,
        );
        loads.end_pass(boundary);
    }
    let (max_displacement, time_step) = (coefficients.max_displacement, coefficients.time_step);
    particles.displace_all(displacements, max_displacement, time_step, executor);
    particles.mark_moved();
}

// Densities and pressures.

/// Computes the densities and pressures of all particles from the frozen positions, and finds the walls near them. The
/// density is `delta_i = sum_j W(r_ij)`, including the particle itself. The pressure is `P = m c^2 (delta - delta_0)`,
/// and at least `-m c^2` times
/// [`ClassDensities::tension`](crate::solver::pair_forces::coefficients::ClassDensities::tension).
pub(super) fn compute_pressures<K: Kernels>(
    frozen: Frozen,
    grid: &Grid,
    relative_density: &mut [f32],
    pressures: &mut Vec<Pressures>,
    walls: &mut Vec<Vec<WallPush>>,
    executor: &dyn Executor,
) {
    let count = frozen.particles.len();
    pressures.resize(count, Pressures::default());
    let outputs = (&mut pressures[..], relative_density, PerChunk::resized(walls, count, CHUNK));
    executor.for_each_chunk(outputs, CHUNK, |index, (pressures, relative, walls)| {
        let walls = walls.item();
        walls.clear();
        let chunk = chunk_of(index, pressures.len());
        if takes_part(&frozen.particles.activity[chunk.clone()], Activity::Pressing) {
            let wall_densities = WallDensities::find::<K>(&frozen, chunk.clone(), walls);
            let mut blocks = grid.blocks(chunk.clone());
            while let Some(block) = blocks.next() {
                let range = block.particles.start - chunk.start..block.particles.end - chunk.start;
                let wall_densities = wall_densities.of_block(&range);
                let (pressures, relative) = (&mut pressures[range.clone()], &mut relative[range]);
                pressures_of_block::<K>(&frozen, block, wall_densities, pressures, relative);
            }
        } else {
            pressures.fill(Pressures::default());
        }
    });
    let pressures = &pressures[..];
    let chunk_walls = (0..count, PerChunk::new(walls, count, CHUNK));
    executor.for_each_chunk(chunk_walls, CHUNK, |_, (_, walls)| {
        walls.item().iter_mut().for_each(|wall| wall.compute_displacement(&frozen, pressures));
    });
}

/// Computes the pressures of a block's particles.
fn pressures_of_block<K: Kernels>(
    frozen: &Frozen,
    block: &Block,
    behind_walls: (Lanes, Lanes),
    pressures: &mut [Pressures],
    relative: &mut [f32],
) {
    let Frozen { particles, coefficients, pairs, .. } = *frozen;
    if !takes_part(&particles.activity[block.particles.clone()], Activity::Pressing) {
        pressures.fill(Pressures::default());
        return;
    }
    let (sums, near_sums, coincident) =
        instructions::run(DensitiesOfBlock::<K> { frozen, block, kernels: PhantomData });
    for (lane, index) in block.particles.clone().enumerate() {
        let class = particles.class[index].index();
        let (densities, mass) = (pairs.classes[class], coefficients.classes[class].mass);
        let density = K::DENSITY_FACTOR * sums[lane] + behind_walls.0[lane];
        let near_density = K::NEAR_DENSITY_FACTOR * near_sums[lane] + behind_walls.1[lane];
        let excess = (density - densities.zero_pressure).max(-densities.tension);
        pressures[lane] = Pressures {
            pressure: mass * pairs.stiffness.pressure * excess,
            near_pressure: mass * pairs.stiffness.near_pressure * near_density,
            inverse_density: 1.0 / density,
            inverse_viscous_density: 1.0 / densities.viscous_density(density),
            // Every particle is coincident with itself.
            is_coincident: coincident[lane] > 1,
        };
        relative[lane] = densities.relative(density, pairs.self_density);
    }
}

/// Sums the kernels over the candidates of a block's particles, and counts the coincident ones.
struct DensitiesOfBlock<'a, K> {
    frozen: &'a Frozen<'a>,
    block: &'a Block,
    kernels: PhantomData<K>,
}

impl<K: Kernels> LaneKernel for DensitiesOfBlock<'_, K> {
    type Output = (Lanes, Lanes, [i32; LANES]);

    #[inline(always)]
    fn run<S: Instructions>(self, instructions: S) -> Self::Output {
        let Frozen { particles, coefficients, .. } = *self.frozen;
        let (block, positions) = (self.block, particles.position);
        let lanes = BlockLanes::of(instructions, coefficients, &block.particles, positions);
        let (mut sum, mut near_sum) = (splat(instructions, 0.0), splat(instructions, 0.0));
        let mut coincident = LaneCounts::<S>::splat(instructions, 0);
        for span in block.spans() {
            for position in &positions[span] {
                let pair = lanes.pairs_with(*position);
                sum += K::density(pair.closeness);
                if K::HAS_NEAR {
                    near_sum += K::near_density(pair.closeness);
                }
                // A true lane holds -1.
                coincident -= pair.coincident.to_vector();
            }
        }
        (store(sum), store(near_sum), store(coincident))
    }
}

// Displacements by pair forces and by walls.

/// For each class, the rates at which a block's particles exchange velocity with particles of that class.
type ViscosityRows = [Lanes; ClassTable::MAX_CLASSES];

/// Computes the displacement of every particle in a substep.
pub(super) fn compute_displacements<K: Kernels>(
    frozen: Frozen,
    grid: &Grid,
    pressures: &[Pressures],
    walls: &[Vec<WallPush>],
    displacements: &mut Vec<Vec2>,
    executor: &dyn Executor,
) {
    let Frozen { particles, coefficients, pairs, .. } = frozen;
    displacements.resize(particles.len(), Vec2::ZERO);
    executor.for_each_chunk(&mut displacements[..], CHUNK, |index, displacements| {
        let chunk = chunk_of(index, displacements.len());
        let activity = &particles.activity[chunk.clone()];
        if !takes_part(activity, Activity::Awake) {
            if !idle(activity) {
                displacements.fill(Vec2::ZERO);
            }
            return;
        }
        let mut central = [[0.0; LANES]; ClassTable::MAX_CLASSES];
        let mut full = central;
        let mut walls = &walls[index][..];
        let mut blocks = grid.blocks(chunk.clone());
        while let Some(block) = blocks.next() {
            let indices = &block.particles;
            let displacements =
                &mut displacements[indices.start - chunk.start..indices.end - chunk.start];
            if !takes_part(&particles.activity[indices.clone()], Activity::Awake) {
                displacements.fill(Vec2::ZERO);
                continue;
            }
            let classes = ClassLanes::of(block_width(), indices, particles.class);
            let fill = |rows: &mut ViscosityRows, rates: &[f32]| {
                classes.fill(&mut rows[..coefficients.classes.len()], ClassSet::ALL, rates);
            };
            fill(&mut central, &pairs.central_viscosities);
            if pairs.has_full_viscosity() {
                fill(&mut full, &pairs.full_viscosities);
            }
            let (central, full) = (&central, &full);
            let block_pairs = Pairs { frozen: &frozen, pressures, block, central, full };
            let (x, y) = if pairs.has_full_viscosity() {
                instructions::run(ForcesOfBlock::<K, true>(&block_pairs, PhantomData))
            } else {
                instructions::run(ForcesOfBlock::<K, false>(&block_pairs, PhantomData))
            };
            for (lane, index) in indices.clone().enumerate() {
                let mut displacement = Vec2::new(x[lane], y[lane]);
                if pressures[index].is_coincident {
                    displacement += coincident_displacement::<K>(&block_pairs, index);
                }
                let walls = take_walls_of(index, &mut walls, |wall| wall.particle);
                displacements[lane] =
                    displacement + walls.iter().map(|wall| wall.displacement).sum::<Vec2>();
            }
        }
    });
}

/// Inputs of the loop over the pairs of a block's particles.
struct Pairs<'a> {
    frozen: &'a Frozen<'a>,
    pressures: &'a [Pressures],
    block: &'a Block,
    central: &'a ViscosityRows,
    full: &'a ViscosityRows,
}

/// Sums the pair forces on each particle of a block, as displacements.
struct ForcesOfBlock<'a, K, const FULL: bool>(&'a Pairs<'a>, PhantomData<K>);

impl<K: Kernels, const FULL: bool> LaneKernel for ForcesOfBlock<'_, K, FULL> {
    type Output = (Lanes, Lanes);

    #[inline(always)]
    fn run<S: Instructions>(self, instructions: S) -> (Lanes, Lanes) {
        let Pairs { frozen, pressures, block, central, full } = self.0;
        let Frozen { particles: all, coefficients, .. } = **frozen;
        let splat = |number: f32| splat(instructions, number);
        let load = |lanes: &Lanes| load(instructions, lanes);
        let particles = &block.particles;
        let positions = all.position;
        // All slices get the same length, so that one comparison checks an index for all of them.
        let velocities = &all.velocity[..positions.len()];
        let classes = &all.class[..positions.len()];
        let pressures = &pressures[..positions.len()];
        let velocity = gather_points(instructions, particles, velocities);
        let own_pressure = load(&gather(particles, pressures, |pressure| pressure.pressure));
        let own_near_pressure =
            load(&gather(particles, pressures, |pressure| pressure.near_pressure));
        let (slope_factor, near_factor) = (splat(K::SLOPE_FACTOR), splat(K::NEAR_SLOPE_FACTOR));
        let (mut push_x, mut push_y) = (splat(0.0), splat(0.0));
        let (mut drag_x, mut drag_y) = (splat(0.0), splat(0.0));
        let lanes = BlockLanes::of(instructions, coefficients, particles, positions);
        lanes.for_each(
            block.spans(),
            #[inline(always)]
            |index, pair| {
                let other = &pressures[index];
                let mut strength = (own_pressure + splat(other.pressure))
                    * (slope_factor * K::slope(pair.closeness));
                if K::HAS_NEAR {
                    let own_near_pressure = own_near_pressure + splat(other.near_pressure);
                    strength += own_near_pressure * (near_factor * K::near_slope(pair.closeness));
                }
                let share = splat(other.inverse_density);
                let along = strength * (pair.inverse_distance * share);
                push_x -= along * pair.dx;
                push_y -= along * pair.dy;
                let class = classes[index].index();
                let weight = splat(other.inverse_viscous_density) * K::viscosity(pair.closeness);
                let approach = pair.approach(velocity, velocities[index]);
                let along = approach
                    * (pair.inverse_distance * pair.inverse_distance)
                    * (weight * load(&central[class]));
                drag_x -= along * pair.dx;
                drag_y -= along * pair.dy;
                if FULL {
                    let weight = weight * load(&full[class]);
                    drag_x += weight * (splat(velocities[index].x) - velocity.0);
                    drag_y += weight * (splat(velocities[index].y) - velocity.1);
                }
            },
        );
        let own_classes = ClassLanes::of(S::WIDTH, particles, classes);
        let inverse_mass = own_classes.map(|class| coefficients.classes[class].inverse_mass);
        let share = load(&gather(particles, pressures, |pressure| pressure.inverse_density));
        let per_push = load(&inverse_mass) * (share * splat(0.5 * coefficients.interaction_radius));
        let inverse_viscous_density =
            gather(particles, pressures, |pressure| pressure.inverse_viscous_density);
        let per_drag = load(&inverse_viscous_density) * splat(coefficients.time_step);
        let moved_x = push_x * per_push + drag_x * per_drag;
        let moved_y = push_y * per_push + drag_y * per_drag;
        (store(moved_x), store(moved_y))
    }
}

/// Displacement by the forces of coincident pairs, whose direction comes from their ids.
fn coincident_displacement<K: Kernels>(pairs: &Pairs, index: usize) -> Vec2 {
    let Pairs { frozen, pressures, block, .. } = pairs;
    let Frozen { coefficients, particles, .. } = **frozen;
    let pressure = &pressures[index];
    let mut sum = Vec2::ZERO;
    let candidates = block.spans().flatten();
    for (other, axis) in coincident_particles(particles, coefficients, index, candidates) {
        let other_pressure = &pressures[other];
        let mut strength =
            (pressure.pressure + other_pressure.pressure) * (K::SLOPE_FACTOR * K::slope(1.0));
        if K::HAS_NEAR {
            let near_slope = K::NEAR_SLOPE_FACTOR * K::near_slope(1.0);
            strength += (pressure.near_pressure + other_pressure.near_pressure) * near_slope;
        }
        sum -= axis * (strength * other_pressure.inverse_density);
    }
    let class = &coefficients.classes[particles.class[index].index()];
    let per_sum = class.inverse_mass * pressure.inverse_density;
    sum * (0.5 * coefficients.interaction_radius * per_sum)
}

// Symplectic Euler: forces act at the current positions, then the particles move with the new velocities.

/// Begins a substep. Particles keep their positions until the forces are known.
pub(crate) fn begin_substep(substep: &mut Substep) {
    let Substep { liquid, executor, .. } = substep;
    let particles = &mut liquid.particles;
    let (positions, activity) = (&particles.position, &particles.activity);
    let changed = (&mut particles.previous_position[..], &mut particles.displacement[..]);
    executor.for_each_chunk(changed, LONG_CHUNK, |index, (previous, displacements)| {
        let range = index * LONG_CHUNK..index * LONG_CHUNK + previous.len();
        if !idle(&activity[range.clone()]) {
            previous.copy_from_slice(&positions[range]);
            displacements.fill(Vec2::ZERO);
        }
    });
}

/// `x += dt v` with the velocities before the forces; the displacements by the forces have already been added.
pub(crate) fn integrate_positions(substep: &mut Substep) {
    let Substep { liquid, coefficients, executor, .. } = substep;
    let particles = &mut liquid.particles;
    let (velocities, activity) = (&particles.velocity, &particles.activity);
    executor.for_each_chunk(&mut particles.position[..], LONG_CHUNK, |index, positions| {
        let start = index * LONG_CHUNK;
        if idle(&activity[start..start + positions.len()]) {
            return;
        }
        for (position, velocity) in positions.iter_mut().zip(&velocities[start..]) {
            *position += *velocity * coefficients.time_step;
        }
    });
    particles.mark_moved();
}

// The workspace of a solver with forces between pairs.

/// Coefficients and buffers of a solver with these kernels. No content outlives a tick.
#[derive(Clone, Debug, Default)]
pub(crate) struct PairForces<K> {
    pub pairs: PairCoefficients,
    /// One item per particle.
    pub pressures: Vec<Pressures>,
    /// One list per chunk: the pushes of the walls near its particles, in the order of the particles.
    pub walls: Vec<Vec<WallPush>>,
    /// One item per particle.
    pub displacements: Vec<Vec2>,
    kernels: PhantomData<K>,
}
