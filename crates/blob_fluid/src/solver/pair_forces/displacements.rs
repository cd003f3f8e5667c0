//! Displacements by the forces between pairs, and by walls.

use std::marker::PhantomData;

use glam::Vec2;

use crate::parallel::chunks::{CHUNK, chunk_of};
use crate::parallel::executor::Executor;
use crate::parallel::instructions::{self, Instructions, LaneKernel};
use crate::parallel::lanes::{LANES, Lanes, gather, gather_points, load, splat};
use crate::particles::activity::{Activity, idle, takes_part};
use crate::settings::class_table::ClassTable;
use crate::solver::class_set::ClassSet;
use crate::solver::neighbours::blocks::Block;
use crate::solver::neighbours::class_lanes::ClassLanes;
use crate::solver::neighbours::grid::Grid;
use crate::solver::neighbours::pair_lanes::BlockLanes;
use crate::solver::neighbours::separation::coincident_particles;
use crate::solver::pair_forces::frozen::{Frozen, Pressures};
use crate::solver::pair_forces::kernels::Kernels;
use crate::solver::pair_forces::walls::{WallPush, wall_displacement};

/// For each class, how a block's particles take on the velocities of its particles.
type ViscosityRows = [Lanes; ClassTable::MAX_CLASSES];

/// Computes the displacement of every particle in this substep.
pub(super) fn find_displacements<K: Kernels>(
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
            let classes = ClassLanes::of(indices, particles.class);
            let fill = |rows: &mut ViscosityRows, rates: &[f32]| {
                classes.fill(&mut rows[..coefficients.classes.len()], ClassSet::ALL, rates);
            };
            fill(&mut central, &pairs.central_viscosities);
            if pairs.exchanges_all() {
                fill(&mut full, &pairs.full_viscosities);
            }
            let (central, full) = (&central, &full);
            let block_pairs = Pairs { frozen: &frozen, pressures, block, central, full };
            let (x, y) = if pairs.exchanges_all() {
                instructions::run(ForcesOfBlock::<K, true>(&block_pairs, PhantomData))
            } else {
                instructions::run(ForcesOfBlock::<K, false>(&block_pairs, PhantomData))
            };
            for (lane, index) in indices.clone().enumerate() {
                let mut displacement = Vec2::new(x[lane], y[lane]);
                if pressures[index].coincides {
                    displacement += coincident_displacement::<K>(&block_pairs, index);
                }
                displacements[lane] = displacement + wall_displacement(&mut walls, index);
            }
        }
    });
}

/// A block's particles, and what they need to meet their candidates.
struct Pairs<'a> {
    frozen: &'a Frozen<'a>,
    pressures: &'a [Pressures],
    block: &'a Block,
    central: &'a ViscosityRows,
    full: &'a ViscosityRows,
}

/// Sums the forces of pairs on each particle of a block, as displacements.
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
        let far = load(&gather(particles, pressures, |pressure| pressure.far));
        let near = load(&gather(particles, pressures, |pressure| pressure.near));
        let (slope_factor, near_factor) = (splat(K::SLOPE_FACTOR), splat(K::NEAR_SLOPE_FACTOR));
        let (mut push_x, mut push_y) = (splat(0.0), splat(0.0));
        let (mut drag_x, mut drag_y) = (splat(0.0), splat(0.0));
        let lanes = BlockLanes::of(instructions, coefficients, particles, positions);
        lanes.for_each(
            block.spans(),
            #[inline(always)]
            |index, pair| {
                let other = &pressures[index];
                let mut strength =
                    (far + splat(other.far)) * (slope_factor * K::slope(pair.closeness));
                if K::HAS_NEAR {
                    let near = near + splat(other.near);
                    strength += near * (near_factor * K::near_slope(pair.closeness));
                }
                let share = splat(other.inverse_density);
                let along = strength * (pair.inverse * share);
                push_x -= along * pair.dx;
                push_y -= along * pair.dy;
                let class = classes[index].index();
                let weight = share * K::viscosity(pair.closeness);
                let approach = pair.approach(velocity, velocities[index]);
                let along =
                    approach * (pair.inverse * pair.inverse) * (weight * load(&central[class]));
                drag_x -= along * pair.dx;
                drag_y -= along * pair.dy;
                if FULL {
                    let weight = weight * load(&full[class]);
                    drag_x += weight * (splat(velocities[index].x) - velocity.0);
                    drag_y += weight * (splat(velocities[index].y) - velocity.1);
                }
            },
        );
        let own_classes = ClassLanes::of(particles, classes);
        let inverse_mass = own_classes.map(|class| coefficients.classes[class].inverse_mass);
        let share = load(&gather(particles, pressures, |pressure| pressure.inverse_density));
        let per_push = load(&inverse_mass) * (share * splat(0.5 * coefficients.interaction_radius));
        let per_drag = share * splat(coefficients.time_step);
        let moved_x = push_x * per_push + drag_x * per_drag;
        let moved_y = push_y * per_push + drag_y * per_drag;
        (moved_x.into(), moved_y.into())
    }
}

/// What particles at the same point give to each other: their direction comes from their ids.
fn coincident_displacement<K: Kernels>(pairs: &Pairs, index: usize) -> Vec2 {
    let Pairs { frozen, pressures, block, .. } = pairs;
    let Frozen { coefficients, particles, .. } = **frozen;
    let pressure = &pressures[index];
    let mut sum = Vec2::ZERO;
    let candidates = block.spans().flatten();
    for (other, axis) in coincident_particles(particles, coefficients, index, candidates) {
        let other_pressure = &pressures[other];
        let mut strength = (pressure.far + other_pressure.far) * (K::SLOPE_FACTOR * K::slope(1.0));
        if K::HAS_NEAR {
            let near_slope = K::NEAR_SLOPE_FACTOR * K::near_slope(1.0);
            strength += (pressure.near + other_pressure.near) * near_slope;
        }
        sum -= axis * (strength * other_pressure.inverse_density);
    }
    let class = &coefficients.classes[particles.class[index].index()];
    let per_sum = class.inverse_mass * pressure.inverse_density;
    sum * (0.5 * coefficients.interaction_radius * per_sum)
}
