//! Walls push as liquid at rest beyond them would, with the pressure of the particle that they push.

use std::ops::Range;

use glam::Vec2;

use crate::boundary::chunk_loads::Loads;
use crate::boundary::free_disc::Exposed;
use crate::boundary::near_walls::NearWalls;
use crate::boundary::wall::NearWall;
use crate::geometry::bounds::FluidBounds;
use crate::parallel::chunks::{CHUNK, chunk_of};
use crate::parallel::executor::Executor;
use crate::parallel::lanes::{Lanes, gather};
use crate::parallel::slices::PerChunk;
use crate::particles::activity::{Activity, takes_part};
use crate::solver::pair_forces::frozen::{Frozen, Pressures};
use crate::solver::pair_forces::kernels::Kernels;
use crate::solver::pair_forces::wall_table::BeyondWall;

/// What a wall does to a particle near it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WallPush {
    pub particle: u32,
    collider: Option<u32>,
    normal: Vec2,
    push: f32,
    near_push: f32,
    /// Slope of the part of the wall that presses, per interaction radius, and what the whole of it adds.
    slope: Vec2,
    weight: f32,
    near_weight: f32,
    /// The displacement of the particle, known when its pressure is.
    displacement: Vec2,
}

/// What walls add to the densities and near densities of a chunk's particles.
pub(super) struct WallDensities {
    density: [f32; CHUNK],
    near_density: [f32; CHUNK],
}

impl WallDensities {
    /// Finds the walls near a chunk's particles, and what they add to their densities.
    pub(super) fn find<K: Kernels>(
        frozen: &Frozen,
        indices: Range<usize>,
        found: &mut Vec<WallPush>,
    ) -> Self {
        let pairs = frozen.pairs;
        let mut densities = Self { density: [0.0; CHUNK], near_density: [0.0; CHUNK] };
        for_each_wall::<K>(frozen, indices, |offset, particle, wall, beyond| {
            let class = frozen.particles.class[particle].index();
            let behind = pairs.behind_walls * pairs.classes[class].rest;
            densities.density[offset] += wall.fade_in * behind * beyond.density;
            densities.near_density[offset] += wall.fade_in * behind * beyond.near_density;
            found.push(WallPush {
                particle: particle as u32,
                collider: wall.collider,
                normal: wall.normal,
                push: wall.fade_in * pairs.behind_walls * beyond.push,
                near_push: wall.fade_in * pairs.behind_walls * beyond.near_push,
                slope: wall.slope * frozen.coefficients.interaction_radius,
                weight: pairs.behind_walls * beyond.weight,
                near_weight: pairs.behind_walls * beyond.near_density,
                displacement: Vec2::ZERO,
            });
        });
        densities
    }

    /// The densities of one block, given by its range in the chunk.
    #[inline]
    pub(super) fn of_block(&self, block: &Range<usize>) -> (Lanes, Lanes) {
        let lanes = |all: &[f32; CHUNK]| gather(block, all, |density| *density);
        (lanes(&self.density), lanes(&self.near_density))
    }
}

impl WallPush {
    /// The particle, the collider, and the momentum that the wall gives.
    pub(super) fn given(&self, frozen: &Frozen) -> (u32, Option<u32>, Vec2) {
        let Frozen { coefficients, particles, .. } = frozen;
        let class = particles.class[self.particle as usize].index();
        let mass = coefficients.classes[class].mass;
        (self.particle, self.collider, self.displacement * (mass / coefficients.time_step))
    }

    /// Computes the displacement from the particle's pressures. Walls do not attract.
    pub(super) fn find_displacement(&mut self, frozen: &Frozen, pressures: &[Pressures]) {
        let Frozen { coefficients, particles, .. } = frozen;
        let index = self.particle as usize;
        let pressure = &pressures[index];
        let class = &coefficients.classes[particles.class[index].index()];
        let push = (pressure.far * self.push + pressure.near * self.near_push).max(0.0);
        let swell = (pressure.far * self.weight + pressure.near * self.near_weight).max(0.0);
        let way = pressure.inverse_density * class.inverse_mass;
        let radius = coefficients.interaction_radius;
        self.displacement =
            self.normal * (push * way * radius) - self.slope * (swell * way * radius);
    }
}

/// Removes the walls of one particle from the beginning of those that are left, which are in the
/// order of their particles, and sums their displacements.
pub(super) fn wall_displacement(left: &mut &[WallPush], index: usize) -> Vec2 {
    let first = left.partition_point(|wall| (wall.particle as usize) < index);
    let end = left.partition_point(|wall| (wall.particle as usize) <= index);
    let walls = &left[first..end];
    *left = &left[end..];
    walls.iter().map(|wall| wall.displacement).sum()
}

/// Calls `visit` for every wall within the interaction radius of a chunk's particles that press,
/// with the particle's offset in the chunk and its index, and what liquid beyond the wall would add.
pub(crate) fn for_each_wall<K: Kernels>(
    frozen: &Frozen,
    indices: Range<usize>,
    mut visit: impl FnMut(usize, usize, &NearWall, BeyondWall),
) {
    let Frozen { coefficients, particles, solids, .. } = *frozen;
    let (start, positions) = (indices.start, &particles.position[indices]);
    let bounds_of = |part| FluidBounds::of(&positions[part]);
    let radius = coefficients.interaction_radius;
    let all = positions.len();
    let Some(chunk) = solids.near_chunk(all, Exposed::ALL, bounds_of, radius) else { return };
    let (mut buffer, integrals) = (NearWalls::NONE, K::walls());
    solids.for_each_group(&chunk, |group, near| {
        for offset in group {
            let index = start + offset;
            if particles.activity[index] < Activity::Pressing {
                continue;
            }
            let home = particles.previous_position[index];
            let particle = (home, positions[offset], particles.class[index]);
            solids.visit_pressing(near, particle, radius, &mut buffer, |wall| {
                let beyond = integrals.at(wall.distance * coefficients.inverse_radius);
                visit(offset, index, wall, beyond);
            });
        }
    });
}

/// Adds the pressure on colliders that report their load. `given` returns the particle of a wall,
/// the wall's collider, and the momentum that the wall gives to the particle. The caller ends the
/// pass of the loads.
pub(crate) fn press_on_colliders<W: Sync>(
    frozen: Frozen,
    walls: &[Vec<W>],
    loads: &mut Loads,
    given: impl Fn(&W) -> (u32, Option<u32>, Vec2) + Sync,
    executor: &dyn Executor,
) {
    let Frozen { particles, solids, .. } = frozen;
    let count = particles.len();
    loads.begin_pass(count.div_ceil(CHUNK));
    let chunks = PerChunk::new(&mut loads.chunks, count, CHUNK);
    executor.for_each_chunk((0..count, chunks), CHUNK, |index, (indices, loads)| {
        let loads = loads.item();
        let chunk = chunk_of(index, indices.len());
        if !takes_part(&particles.activity[chunk], Activity::Awake) {
            return;
        }
        for wall in &walls[index] {
            let (particle, collider, given) = given(wall);
            let Some((index, collider)) = solids.load_bearing(collider) else { continue };
            loads.add(index, collider, particles.position[particle as usize], given);
        }
    });
}
