//! Ghost walls: the contributions of the missing liquid behind walls to the relaxation.

use std::ops::Range;

use glam::Vec2;

use crate::boundary::near::{NearWalls, WallCandidates, WallProbe};
use crate::boundary::solids::{ExposedParticles, FreeDisc, Loads};
use crate::geometry::bounds::FluidBounds;
use crate::parallel::executor::{CHUNK, Executor, PerChunk, chunk_of};
use crate::parallel::lanes::{Lanes, gather};
use crate::particles::arrays::{Activity, takes_part};
use crate::solver::double_density::chunk_neighbours::{ChunkNeighbours, NearGhostWall};
use crate::solver::double_density::coefficients::{Frozen, GrainPush, Pressures};
use crate::solver::double_density::grain_pores::WetGrain;
use crate::solver::kernel::ghost_wall;

/// Contributions of the missing liquid behind walls to the densities and near densities of a chunk's particles.
pub(super) struct WallDensities {
    density: [f32; CHUNK],
    near_density: [f32; CHUNK],
}

impl WallDensities {
    /// The contributions without walls.
    pub(super) const NONE: Self = Self { density: [0.0; CHUNK], near_density: [0.0; CHUNK] };

    /// Computes the contributions for a chunk, and appends the walls to `found`. With `find_free` it also computes the
    /// free discs of the particles. Returns whether any wall may be near.
    pub(super) fn find(
        &mut self,
        frozen: &Frozen,
        indices: Range<usize>,
        found: &mut Vec<NearGhostWall>,
        free: &mut [FreeDisc],
        find_free: bool,
    ) -> bool {
        let Frozen { coefficients, particles, solids, .. } = *frozen;
        let (start, positions) = (indices.start, &particles.position[indices.clone()]);
        let bounds_of = |part| FluidBounds::of(&positions[part]);
        let radius = coefficients.interaction_radius;
        if find_free {
            for (disc, centre) in free.iter_mut().zip(positions) {
                *disc = FreeDisc { centre: *centre, radius };
            }
        }
        let all = positions.len();
        let Some(chunk) =
            solids.find_chunk_candidates(all, ExposedParticles::ALL, bounds_of, radius)
        else {
            return false;
        };
        let mut buffer = NearWalls::NONE;
        solids.for_each_group(&chunk, |group, candidates| {
            if !takes_part(
                &particles.activity[start + group.start..start + group.end],
                Activity::Pressing,
            ) {
                free[group].fill(FreeDisc::UNKNOWN);
                return;
            }
            for offset in group {
                (self.density[offset], self.near_density[offset]) =
                    wall_densities(frozen, candidates, start + offset, &mut buffer, found);
                free[offset].radius = buffer.free;
            }
        });
        true
    }

    /// The densities of a block, given by its range in the chunk.
    #[inline]
    pub(super) fn of_block(&self, block: &Range<usize>) -> (Lanes, Lanes) {
        let lanes = |all: &[f32; CHUNK]| gather(block, all, |density| *density);
        (lanes(&self.density), lanes(&self.near_density))
    }
}

/// Returns the contributions of the walls to a particle's density and near density, and appends the walls to `found`.
fn wall_densities(
    frozen: &Frozen,
    walls: &WallCandidates,
    index: usize,
    buffer: &mut NearWalls,
    found: &mut Vec<NearGhostWall>,
) -> (f32, f32) {
    let Frozen { coefficients, pressure, particles, solids, .. } = *frozen;
    let class = particles.class[index];
    let behind = pressure.classes[class.index()].ghost_density;
    let (mut density, mut near_density) = (0.0, 0.0);
    let (home, point) = (particles.previous_position[index], particles.position[index]);
    let probe = WallProbe { container_point: home, point, class };
    solids.for_each_pressure_wall(walls, probe, coefficients.interaction_radius, buffer, |wall| {
        let ghost = ghost_wall(wall.distance * coefficients.inverse_radius);
        density += wall.fade_in * behind * ghost.density;
        near_density += wall.fade_in * behind * ghost.near_density;
        found.push(NearGhostWall {
            particle: index as u32,
            ghost,
            normal: wall.normal,
            wetting: wall.properties.wetting,
            friction: wall.properties.friction,
            velocity: wall.velocity,
            fade_in: wall.fade_in,
            slope: wall.weight_gradient * coefficients.interaction_radius,
            collider: wall.collider,
        });
    });
    (density, near_density)
}

/// Returns the walls near particle `index`. `left` contains the remaining walls in the order of their particles; the
/// walls up to this particle are removed from it.
pub(super) fn walls_of<'a>(index: usize, left: &mut &'a [NearGhostWall]) -> &'a [NearGhostWall] {
    // The skipped walls belong to particles that do not move.
    let particle = |wall: &NearGhostWall| wall.particle as usize;
    let first = left.iter().take_while(|wall| particle(wall) < index).count();
    let count = left[first..].iter().take_while(|wall| particle(wall) == index).count();
    let (walls, rest) = left[first..].split_at(count);
    *left = rest;
    walls
}

/// The displacement of particle `index` by the walls near it. `left` is as in [`walls_of`]. `liquid` is added to the
/// particle's far pressure ([`GrainPush::liquid`]).
pub(super) fn wall_displacement(
    frozen: &Frozen,
    pressures: &Pressures,
    liquid: f32,
    index: usize,
    left: &mut &[NearGhostWall],
) -> Vec2 {
    let walls = walls_of(index, left);
    let pressures = Pressures { far: pressures.far + liquid, ..*pressures };
    let held = held_part(frozen, &pressures, walls);
    walls.iter().map(|wall| by_one_wall(frozen, &pressures, wall, held)).sum()
}

/// Whether `left` contains walls of particles before `end`.
pub(super) fn any_before(end: usize, left: &[NearGhostWall]) -> bool {
    left.first().is_some_and(|wall| (wall.particle as usize) < end)
}

/// Displacement of the particle by a wall. An attraction is multiplied by `held`.
fn by_one_wall(frozen: &Frozen, pressures: &Pressures, wall: &NearGhostWall, held: f32) -> Vec2 {
    let ghost = &wall.ghost;
    let push = per_wall(frozen, pressures, wall, ghost.push, ghost.near_push);
    let push = if push < 0.0 { push * (wall.wetting * held) } else { push };
    let squared_step = frozen.coefficients.time_step * frozen.coefficients.time_step;
    let pushed = wall.normal * (squared_step * wall.fade_in * push);
    if wall.slope == Vec2::ZERO {
        return pushed;
    }
    // A push is half, or a third, of the slope of a density.
    let swell = per_wall(frozen, pressures, wall, ghost.density / 2.0, ghost.near_density / 3.0);
    pushed - wall.slope * (squared_step * swell.max(0.0))
}

/// Displacement by which a wall pushes its particle, in world units; 0 if it attracts the particle.
pub(super) fn wall_push(frozen: &Frozen, pressures: &Pressures, wall: &NearGhostWall) -> f32 {
    let ghost = &wall.ghost;
    let push = per_wall(frozen, pressures, wall, ghost.push, ghost.near_push);
    let squared_step = frozen.coefficients.time_step * frozen.coefficients.time_step;
    squared_step * wall.fade_in * push.max(0.0)
}

/// The acceleration of a wall's particle by its pressures, from a far and a near sum over the missing liquid behind the
/// wall.
fn per_wall(
    frozen: &Frozen,
    pressures: &Pressures,
    wall: &NearGhostWall,
    far: f32,
    near: f32,
) -> f32 {
    let Frozen { coefficients, pressure, particles, .. } = *frozen;
    let class = particles.class[wall.particle as usize].index();
    let per_mass = coefficients.classes[class].inverse_mass;
    let behind = pressure.classes[class].ghost_density * 0.5 * per_mass;
    behind * (pressures.far * far + pressures.near * coefficients.interaction_radius * near)
}

/// Fraction of the walls' attraction that acts on their particle: below 1 if the whole attraction could support the
/// particle's weight. So no wall and no corner holds a drop forever.
fn held_part(frozen: &Frozen, pressures: &Pressures, walls: &[NearGhostWall]) -> f32 {
    let Some(first) = walls.first() else { return 1.0 };
    // Only tension attracts.
    if pressures.far >= 0.0 && pressures.near >= 0.0 {
        return 1.0;
    }
    let Frozen { coefficients, particles, .. } = *frozen;
    let class = &coefficients.classes[particles.class[first.particle as usize].index()];
    let squared_step = coefficients.time_step * coefficients.time_step;
    let attraction = |wall: &NearGhostWall| {
        let push = per_wall(frozen, pressures, wall, wall.ghost.push, wall.ghost.near_push);
        wall.normal * (squared_step * wall.fade_in * (push.min(0.0) * wall.wetting))
    };
    let all = walls.iter().map(attraction).sum::<Vec2>().length();
    let most = HELD_WEIGHT * coefficients.time_step * class.gravity_impulse.length();
    // Without gravity no drop has to fall.
    if most > 0.0 && all > most { most / all } else { 1.0 }
}

/// Largest attraction of a particle by all walls together, relative to its weight.
pub(crate) const HELD_WEIGHT: f32 = 0.8;

/// Adds the pressure on colliders that report their load. The caller begins and ends the pass of the loads.
pub(super) fn press_on_colliders(
    frozen: &Frozen,
    pressures: &[Pressures],
    pushes: &[Vec<GrainPush>],
    found: &[ChunkNeighbours],
    loads: &mut Loads,
    executor: &dyn Executor,
) {
    let Frozen { coefficients, particles, solids, .. } = *frozen;
    let count = particles.len();
    let chunks = PerChunk::new(&mut loads.chunks, count, CHUNK);
    executor.for_each_chunk((0..count, chunks), CHUNK, |index, (indices, loads)| {
        let loads = loads.item();
        let start = indices.start;
        if !takes_part(&particles.activity[indices], Activity::Awake) {
            return;
        }
        for walls in found[index].walls().chunk_by(|one, next| one.particle == next.particle) {
            let particle = walls[0].particle as usize;
            let liquid = pushes[index].get(particle - start).map_or(0.0, |push| push.liquid);
            let own = &pressures[particle];
            let pressures = Pressures { far: own.far + liquid, ..*own };
            let held = held_part(frozen, &pressures, walls);
            for wall in walls {
                let Some((index, collider)) = solids.measured_collider(wall.collider) else {
                    continue;
                };
                let mass = coefficients.classes[particles.class[particle].index()].mass;
                let pushed = by_one_wall(frozen, &pressures, wall, held);
                let given = pushed * (mass / coefficients.time_step);
                loads.add(index, collider, particles.position[particle], given);
            }
        }
    });
}

// Coulomb friction of grains on walls.

/// Reduces the displacement of every grain along a wall by at most `mu` times the push of the wall. The displacement is
/// that of the whole substep, relative to the wall, so that a slope holds a heap at rest.
///
/// `mu` is the tangent of the class's friction angle, or `f/(1 - f)` at a wall with its own friction `f`. It is smaller
/// where liquid bears a part of the pressure. The reaction acts on colliders. The caller begins and ends the pass of
/// the loads.
pub(super) fn rub_walls(
    frozen: &Frozen,
    pressures: &[Pressures],
    found: &[ChunkNeighbours],
    wet: &[WetGrain],
    displacements: &mut [Vec2],
    loads: &mut Loads,
    executor: &dyn Executor,
) {
    let Frozen { coefficients, particles, solids, .. } = *frozen;
    let count = displacements.len();
    let chunks = PerChunk::new(&mut loads.chunks, count, CHUNK);
    executor.for_each_chunk((displacements, chunks), CHUNK, |index, (displacements, loads)| {
        let loads = loads.item();
        let chunk = chunk_of(index, displacements.len());
        let start = chunk.start;
        if !takes_part(&particles.activity[chunk], Activity::Awake) {
            return;
        }
        for wall in found[index].walls() {
            let particle = wall.particle as usize;
            if particles.activity[particle] < Activity::Awake {
                continue;
            }
            let way = particles.velocity[particle] * coefficients.time_step
                + particles.displacement[particle]
                + displacements[particle - start];
            let dry = wet.get(particle).map_or(1.0, |wet| wet.dry);
            let pressures = &pressures[particle];
            let Some(held) = held_way(frozen, pressures, wall, dry, way) else { continue };
            displacements[particle - start] -= held;
            if let Some((index, collider)) = solids.measured_collider(wall.collider) {
                let class = particles.class[particle].index();
                let per_way = coefficients.classes[class].mass / coefficients.time_step;
                loads.add(index, collider, particles.position[particle], -held * per_way);
            }
        }
    });
}

/// The part of a grain's displacement along a wall that friction removes; `None` for other particles, and if the wall
/// does not push.
fn held_way(
    frozen: &Frozen,
    pressures: &Pressures,
    wall: &NearGhostWall,
    dry: f32,
    way: Vec2,
) -> Option<Vec2> {
    let class = frozen.particles.class[wall.particle as usize].index();
    let grains = frozen.pressure.classes[class].grains?;
    let friction = wall.friction.map_or(grains.friction, |own| own / (1.0 - own).max(f32::EPSILON));
    let most = friction * dry * wall_push(frozen, pressures, wall);
    let tangent = wall.normal.perp();
    let sliding = (way - wall.velocity * frozen.coefficients.time_step).dot(tangent);
    (most > 0.0).then(|| tangent * sliding.clamp(-most, most))
}
