//! The friction of grains of powder on walls: Coulomb's law.

use glam::Vec2;

use crate::boundary::chunk_loads::Loads;
use crate::parallel::chunks::{CHUNK, chunk_of};
use crate::parallel::executor::Executor;
use crate::parallel::slices::PerChunk;
use crate::particles::activity::{Activity, takes_part};
use crate::solver::double_density::chunk_neighbours::ChunkNeighbours;
use crate::solver::double_density::frozen::{Frozen, Pressures};
use crate::solver::double_density::ghost_walls::wall_push;
use crate::solver::double_density::grain_pores::WetGrain;
use crate::solver::double_density::near_ghost_wall::NearGhostWall;

/// Takes from the way of every grain along a wall at most `mu` times what the wall pushes it by. The
/// way is that of the whole substep and relative to the wall's, so that a slope holds a heap at rest.
///
/// `mu` is the tangent of the class's friction angle, or `f/(1 - f)` at a wall that has a friction `f`
/// of its own, and less where liquid bears a part of what presses. The reaction acts on colliders; the caller begins and ends the pass of the loads.
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
            let pressing = (&pressures[particle], dry);
            let Some(held) = held_way(frozen, pressing, wall, way) else { continue };
            displacements[particle - start] -= held;
            if let Some((index, collider)) = solids.load_bearing(wall.collider) {
                let class = particles.class[particle].index();
                let per_way = coefficients.classes[class].mass / coefficients.time_step;
                loads.add(index, collider, particles.position[particle], -held * per_way);
            }
        }
    });
}

/// The part of a grain's way along a wall that friction takes; `None` for other particles, and where
/// the wall does not push.
fn held_way(
    frozen: &Frozen,
    (pressures, dry): (&Pressures, f32),
    wall: &NearGhostWall,
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
