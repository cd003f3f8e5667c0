//! Ghost walls: the contributions of the missing liquid behind walls to the relaxation.

use std::ops::Range;

use glam::Vec2;

use crate::Executor;
use crate::boundary::near::{NearWalls, WallCandidates, WallProbe};
use crate::boundary::solids::{ExposedParticles, FreeDisc, Loads};
use crate::parallel::executor::{CHUNK, PerChunk, chunk_of};
use crate::parallel::instructions::{Lanes, gather};
use crate::particles::arrays::{Activity, takes_part};
use crate::solver::double_density::chunk_neighbours::{ChunkNeighbours, NearGhostWall};
use crate::solver::double_density::coefficients::{Frozen, GrainPush, Pressures};
use crate::solver::double_density::grain_pores::PoreState;
use crate::solver::kernel::ghost_wall;
use crate::solver::pair_forces::walls::take_walls_of;

/// The effects of walls on the pressure of a particle, or of each particle of a block or a chunk.
#[derive(Clone, Copy, Default)]
pub(super) struct WallEffect<T> {
    /// The contribution of the missing liquid behind the walls to the density.
    pub density: T,
    /// The contribution of the missing liquid behind the walls to the near density.
    pub near_density: T,
    /// The share of the kept resistance that is lost: 1 for particles that touch a solid that yields to the liquid, less
    /// for those farther than half an interaction radius.
    pub memory_loss: T,
}

impl<const COUNT: usize> WallEffect<[f32; COUNT]> {
    /// The effects without walls.
    pub(super) const NONE: Self =
        Self { density: [0.0; COUNT], near_density: [0.0; COUNT], memory_loss: [0.0; COUNT] };
}

impl WallEffect<[f32; CHUNK]> {
    /// Computes the effects for a chunk, and appends the walls to `ghost_walls`. With
    /// `compute_free_discs` it also computes the free discs of the particles. Returns whether any
    /// wall may be near.
    pub(super) fn find(
        &mut self,
        frozen: &Frozen,
        indices: Range<usize>,
        ghost_walls: &mut Vec<NearGhostWall>,
        free_discs: &mut [FreeDisc],
        compute_free_discs: bool,
    ) -> bool {
        let Frozen { coefficients, particles, solids, .. } = *frozen;
        let (start, positions) = (indices.start, &particles.position[indices.clone()]);
        let radius = coefficients.interaction_radius;
        if compute_free_discs {
            for (disc, centre) in free_discs.iter_mut().zip(positions) {
                *disc = FreeDisc { centre: *centre, radius };
            }
        }
        let mut buffer = NearWalls::NONE;
        solids.for_each_group_at(positions, ExposedParticles::ALL, radius, |group, candidates| {
            if !takes_part(
                &particles.activity[start + group.start..start + group.end],
                Activity::Pressing,
            ) {
                free_discs[group].fill(FreeDisc::UNKNOWN);
                return;
            }
            for offset in group {
                let effect =
                    wall_effect(frozen, candidates, start + offset, &mut buffer, ghost_walls);
                self.density[offset] = effect.density;
                self.near_density[offset] = effect.near_density;
                self.memory_loss[offset] = effect.memory_loss;
                free_discs[offset].radius = buffer.min_distance;
            }
        })
    }

    /// The effects on a block, given by its range in the chunk.
    #[inline]
    pub(super) fn of_block(&self, block: &Range<usize>) -> WallEffect<Lanes> {
        let lanes = |all: &[f32; CHUNK]| gather(block, all, |effect| *effect);
        WallEffect {
            density: lanes(&self.density),
            near_density: lanes(&self.near_density),
            memory_loss: lanes(&self.memory_loss),
        }
    }
}

/// Returns the effect of the walls on a particle, and appends the walls to `ghost_walls`.
fn wall_effect(
    frozen: &Frozen,
    walls: &WallCandidates,
    index: usize,
    buffer: &mut NearWalls,
    ghost_walls: &mut Vec<NearGhostWall>,
) -> WallEffect<f32> {
    let Frozen { coefficients, pressure, particles, solids, .. } = *frozen;
    let class = particles.class[index];
    let ghost_density = pressure.classes[class.index()].ghost_density;
    let mut effect = WallEffect::<f32>::default();
    let (previous_position, point) =
        (particles.previous_position[index], particles.position[index]);
    let probe = WallProbe { container_point: previous_position, point, class };
    solids.for_each_pressure_wall(walls, probe, coefficients.interaction_radius, buffer, |wall| {
        let ghost = ghost_wall(wall.distance * coefficients.inverse_radius);
        effect.density += wall.fade_in * ghost_density * ghost.density;
        effect.near_density += wall.fade_in * ghost_density * ghost.near_density;
        if let Some(collider) = wall.collider {
            let touching =
                (2.0 - 2.0 * wall.distance * coefficients.inverse_radius).clamp(0.0, 1.0);
            let loss = touching * solids.colliders[collider as usize].memory_loss();
            effect.memory_loss = effect.memory_loss.max(loss);
        }
        ghost_walls.push(NearGhostWall {
            particle: index as u32,
            ghost,
            normal: wall.normal,
            wetting: wall.properties.wetting,
            friction: wall.properties.friction,
            velocity: wall.velocity,
            fade_in: wall.fade_in,
            weight_gradient: wall.weight_gradient * coefficients.interaction_radius,
            collider: wall.collider,
        });
    });
    effect
}

/// The displacement of particle `index` by the walls near it. `remaining` is as in
/// [`take_walls_of`]. `liquid_pressure` is added to the particle's pressure
/// ([`GrainPush::liquid_pressure`]).
pub(super) fn wall_displacement(
    frozen: &Frozen,
    pressures: &Pressures,
    liquid_pressure: f32,
    index: usize,
    remaining: &mut &[NearGhostWall],
) -> Vec2 {
    let walls = take_walls_of(index, remaining, |wall| wall.particle);
    let pressures = Pressures { pressure: pressures.pressure + liquid_pressure, ..*pressures };
    let factor = attraction_factor(frozen, &pressures, walls);
    walls.iter().map(|wall| displacement_by_wall(frozen, &pressures, wall, factor)).sum()
}

/// Whether `remaining` contains walls of particles before `end`.
pub(super) fn has_walls_before(end: usize, remaining: &[NearGhostWall]) -> bool {
    remaining.first().is_some_and(|wall| (wall.particle as usize) < end)
}

/// Displacement of the particle by a wall. An attraction is multiplied by `attraction_factor`.
fn displacement_by_wall(
    frozen: &Frozen,
    pressures: &Pressures,
    wall: &NearGhostWall,
    attraction_factor: f32,
) -> Vec2 {
    let ghost = &wall.ghost;
    let push = wall_acceleration(frozen, pressures, wall, ghost.push, ghost.near_push);
    let push = if push < 0.0 { push * (wall.wetting * attraction_factor) } else { push };
    let squared_step = frozen.coefficients.time_step * frozen.coefficients.time_step;
    let pushed = wall.normal * (squared_step * wall.fade_in * push);
    if wall.weight_gradient == Vec2::ZERO {
        return pushed;
    }
    // A push is half, or a third, of the slope of a density.
    let gradient_force =
        wall_acceleration(frozen, pressures, wall, ghost.density / 2.0, ghost.near_density / 3.0);
    pushed - wall.weight_gradient * (squared_step * gradient_force.max(0.0))
}

/// Displacement by which a wall pushes its particle, in world units; 0 if it attracts the particle.
pub(super) fn wall_push(frozen: &Frozen, pressures: &Pressures, wall: &NearGhostWall) -> f32 {
    let ghost = &wall.ghost;
    let push = wall_acceleration(frozen, pressures, wall, ghost.push, ghost.near_push);
    let squared_step = frozen.coefficients.time_step * frozen.coefficients.time_step;
    squared_step * wall.fade_in * push.max(0.0)
}

/// The acceleration of a wall's particle by its pressures, from the sums over the missing liquid
/// behind the wall.
fn wall_acceleration(
    frozen: &Frozen,
    pressures: &Pressures,
    wall: &NearGhostWall,
    sum: f32,
    near_sum: f32,
) -> f32 {
    let Frozen { coefficients, pressure, particles, .. } = *frozen;
    let class = particles.class[wall.particle as usize].index();
    let per_mass = coefficients.classes[class].inverse_mass;
    let ghost_density = pressure.classes[class].ghost_density * 0.5 * per_mass;
    ghost_density
        * (pressures.pressure * sum
            + pressures.near_pressure * coefficients.interaction_radius * near_sum)
}

/// Fraction of the walls' attraction that acts on their particle: below 1 if the whole attraction could support the
/// particle's weight. So no wall and no corner holds a drop forever.
fn attraction_factor(frozen: &Frozen, pressures: &Pressures, walls: &[NearGhostWall]) -> f32 {
    let Some(first) = walls.first() else { return 1.0 };
    // Only tension attracts.
    if pressures.pressure >= 0.0 && pressures.near_pressure >= 0.0 {
        return 1.0;
    }
    let Frozen { coefficients, particles, .. } = *frozen;
    let class = &coefficients.classes[particles.class[first.particle as usize].index()];
    let squared_step = coefficients.time_step * coefficients.time_step;
    let attraction = |wall: &NearGhostWall| {
        let push =
            wall_acceleration(frozen, pressures, wall, wall.ghost.push, wall.ghost.near_push);
        wall.normal * (squared_step * wall.fade_in * (push.min(0.0) * wall.wetting))
    };
    let total = walls.iter().map(attraction).sum::<Vec2>().length();
    let limit = MAX_WALL_ATTRACTION * coefficients.time_step * class.gravity_impulse.length();
    // Without gravity no drop has to fall.
    if limit > 0.0 && total > limit { limit / total } else { 1.0 }
}

/// Largest attraction of a particle by all walls together, relative to its weight.
pub(crate) const MAX_WALL_ATTRACTION: f32 = 0.8;

/// Adds the pressure on colliders that report their load. The caller begins and ends the pass of the loads.
pub(super) fn apply_collider_loads(
    frozen: &Frozen,
    pressures: &[Pressures],
    pushes: &[Vec<GrainPush>],
    neighbours: &[ChunkNeighbours],
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
        for walls in neighbours[index].walls.chunk_by(|one, next| one.particle == next.particle) {
            let particle = walls[0].particle as usize;
            let liquid_pressure =
                pushes[index].get(particle - start).map_or(0.0, |push| push.liquid_pressure);
            let own = &pressures[particle];
            let pressures = Pressures { pressure: own.pressure + liquid_pressure, ..*own };
            let factor = attraction_factor(frozen, &pressures, walls);
            for wall in walls {
                let Some((index, collider)) = solids.measured_collider(wall.collider) else {
                    continue;
                };
                let mass = coefficients.classes[particles.class[particle].index()].mass;
                let pushed = displacement_by_wall(frozen, &pressures, wall, factor);
                let impulse = pushed * (mass / coefficients.time_step);
                loads.add(index, collider, particles.position[particle], impulse);
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
pub(super) fn apply_grain_wall_friction(
    frozen: &Frozen,
    pressures: &[Pressures],
    neighbours: &[ChunkNeighbours],
    pore_states: &[PoreState],
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
        for wall in &neighbours[index].walls {
            let particle = wall.particle as usize;
            if particles.activity[particle] < Activity::Awake {
                continue;
            }
            let displacement = particles.velocity[particle] * coefficients.time_step
                + particles.displacement[particle]
                + displacements[particle - start];
            let effective_load_ratio = pore_states
                .get(particle)
                .map_or(1.0, |pore_states| pore_states.effective_load_ratio);
            let pressures = &pressures[particle];
            let Some(removed) =
                friction_displacement(frozen, pressures, wall, effective_load_ratio, displacement)
            else {
                continue;
            };
            displacements[particle - start] -= removed;
            if let Some((index, collider)) = solids.measured_collider(wall.collider) {
                let class = particles.class[particle].index();
                let momentum_per_displacement =
                    coefficients.classes[class].mass / coefficients.time_step;
                loads.add(
                    index,
                    collider,
                    particles.position[particle],
                    -removed * momentum_per_displacement,
                );
            }
        }
    });
}

/// The part of a grain's displacement along a wall that friction removes; `None` for other particles, and if the wall
/// does not push.
fn friction_displacement(
    frozen: &Frozen,
    pressures: &Pressures,
    wall: &NearGhostWall,
    effective_load_ratio: f32,
    displacement: Vec2,
) -> Option<Vec2> {
    let class = frozen.particles.class[wall.particle as usize].index();
    let grains = frozen.pressure.classes[class].grains?;
    let friction = wall.friction.map_or(grains.friction, |own| own / (1.0 - own).max(f32::EPSILON));
    let limit = friction * effective_load_ratio * wall_push(frozen, pressures, wall);
    let tangent = wall.normal.perp();
    let sliding = (displacement - wall.velocity * frozen.coefficients.time_step).dot(tangent);
    (limit > 0.0).then(|| tangent * sliding.clamp(-limit, limit))
}
