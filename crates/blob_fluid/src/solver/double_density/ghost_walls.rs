//! Ghost walls: what the liquid that is missing behind a wall would add to the relaxation.

use std::ops::Range;

use glam::Vec2;

use crate::boundary::load::Loads;
use crate::boundary::near::Near;
use crate::geometry::bounds::Bounds;
use crate::parallel::chunks::CHUNK;
use crate::parallel::executor::{Executor, PerChunk};
use crate::parallel::lanes::{Lanes, gather};
use crate::particles::activity::Activity;
use crate::particles::activity::takes_part;
use crate::solver::double_density::chunk_neighbours::ChunkNeighbours;
use crate::solver::double_density::frozen::{Frozen, Pressures};
use crate::solver::double_density::near_ghost_wall::NearGhostWall;
use crate::solver::kernel::ghost_wall;

/// What the missing liquid behind walls adds to the densities and near densities of a chunk's
/// particles.
pub(super) struct WallDensities {
    density: [f32; CHUNK],
    near_density: [f32; CHUNK],
}

impl WallDensities {
    /// Computes them for a chunk and appends the walls to `found`; `None` without walls.
    pub(super) fn of_chunk(
        frozen: &Frozen,
        indices: Range<usize>,
        found: &mut Vec<NearGhostWall>,
    ) -> Option<Self> {
        let Frozen { coefficients, particles, solids, .. } = *frozen;
        let (start, positions) = (indices.start, &particles.position[indices.clone()]);
        let bounds_of = |part| Bounds::of(&positions[part]);
        let radius = coefficients.interaction_radius;
        let chunk = solids.near_chunk(positions.len(), bounds_of, radius)?;
        let mut all = Self { density: [0.0; CHUNK], near_density: [0.0; CHUNK] };
        solids.for_each_group(&chunk, |group, near| {
            if !takes_part(
                &particles.activity[start + group.start..start + group.end],
                Activity::Pressing,
            ) {
                return;
            }
            for offset in group {
                (all.density[offset], all.near_density[offset]) =
                    wall_densities(frozen, near, start + offset, found);
            }
        });
        Some(all)
    }

    /// The densities of one block.
    #[inline]
    pub(super) fn of_block(&self, block: &Range<usize>) -> (Lanes, Lanes) {
        let lanes = |all: &[f32; CHUNK]| gather(block, all, |density| *density);
        (lanes(&self.density), lanes(&self.near_density))
    }
}

/// Returns what the walls add to a particle's density and near density, and appends the walls to
/// `found`.
fn wall_densities(
    frozen: &Frozen,
    walls: &Near,
    index: usize,
    found: &mut Vec<NearGhostWall>,
) -> (f32, f32) {
    let Frozen { coefficients, pressure, particles, solids, .. } = *frozen;
    let class = particles.class[index];
    let behind = pressure.classes[class.index()].ghost_density;
    let (mut density, mut near_density) = (0.0, 0.0);
    let particle = (particles.previous_position[index], particles.position[index], class);
    solids.visit(walls, particle, coefficients.interaction_radius, |near| {
        let ghost = ghost_wall(near.distance * coefficients.inverse_radius);
        density += near.fade_in * behind * ghost.density;
        near_density += near.fade_in * behind * ghost.near_density;
        found.push(NearGhostWall {
            particle: index as u32,
            ghost,
            normal: near.normal,
            wetting: near.properties.wetting,
            fade_in: near.fade_in,
            collider: near.collider,
        });
    });
    (density, near_density)
}

/// The displacement of a particle by the walls near it. `left` holds the remaining walls in the
/// order of their particles; the walls up to this particle are removed from it.
pub(super) fn wall_displacement(
    frozen: &Frozen,
    pressures: &[Pressures],
    index: usize,
    left: &mut &[NearGhostWall],
) -> Vec2 {
    let mut displacement = Vec2::ZERO;
    while let [wall, rest @ ..] = *left {
        if wall.particle as usize > index {
            break;
        }
        // Earlier walls belong to particles that do not move.
        if wall.particle as usize == index {
            displacement += by_one_wall(frozen, &pressures[index], wall);
        }
        *left = rest;
    }
    displacement
}

/// Displacement of the wall's particle.
fn by_one_wall(frozen: &Frozen, own: &Pressures, wall: &NearGhostWall) -> Vec2 {
    let Frozen { coefficients, pressure, particles, .. } = *frozen;
    let class = particles.class[wall.particle as usize].index();
    let squared_step = coefficients.time_step * coefficients.time_step;
    let ghost = &wall.ghost;
    let per_mass = 1.0 / coefficients.classes[class].mass;
    let behind = pressure.classes[class].ghost_density * 0.5 * per_mass;
    let near = own.near * coefficients.interaction_radius;
    let push = behind * (own.far * ghost.push + near * ghost.near_push);
    let held = if push < 0.0 { push * wall.wetting } else { push };
    wall.normal * (squared_step * wall.fade_in * held)
}

/// Adds the pressure on colliders that report their load.
pub(super) fn press_on_colliders<E: Executor>(
    frozen: &Frozen,
    pressures: &[Pressures],
    found: &[ChunkNeighbours],
    loads: &mut Loads,
    executor: &E,
) {
    let Frozen { coefficients, particles, solids, .. } = *frozen;
    let count = particles.len();
    loads.begin_pass(count.div_ceil(CHUNK));
    let chunks = PerChunk::new(&mut loads.chunks, count, CHUNK);
    executor.for_each_chunk((0..count, chunks), CHUNK, |index, (indices, loads)| {
        let loads = loads.item();
        if !takes_part(&particles.activity[indices], Activity::Awake) {
            return;
        }
        for wall in found[index].walls() {
            if let Some((index, collider)) = solids.load_bearing(wall.collider) {
                let particle = wall.particle as usize;
                let mass = coefficients.classes[particles.class[particle].index()].mass;
                let pushed = by_one_wall(frozen, &pressures[particle], wall);
                let given = pushed * (mass / coefficients.time_step);
                loads.add(index, collider, particles.position[particle], given);
            }
        }
    });
    loads.end_pass();
}
