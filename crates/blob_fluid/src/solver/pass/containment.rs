//! Containment by walls of containers and colliders (Clavet et al. 2005, Algorithm 1, line 16, and
//! Algorithm 6).

use std::borrow::Cow;
use std::ops::Range;

use glam::Vec2;

use crate::boundary::collider::Collider;
use crate::boundary::container::{Container, container_of};
use crate::boundary::near::{Near, Passage};
use crate::boundary::solid::NearWall;
use crate::boundary::solids::{ChunkLoads, FreeDiscs, Loads, Solids};
use crate::geometry::bounds::FluidBounds;
use crate::parallel::executor::{CHUNK, Executor, PerChunk};
use crate::particles::arrays::{Particles, idle};
use crate::settings::class::ClassId;
use crate::solver::coefficients::Coefficients;

/// Number of times that a particle between several walls is moved out of them. If it is still
/// beyond a wall afterwards, it returns to its previous position.
const ITERATIONS: u32 = 4;

/// Distance beyond a wall, in units of its slack, that may be a rounding error.
const ROUNDED: f32 = 0.25;

/// Sine of the smallest angle between two faces at which a particle is placed in their corner.
const NARROWEST_CORNER: f32 = 0.2;

/// A particle that has moved in a substep.
pub(crate) struct MovedParticle<'a> {
    pub coefficients: &'a Coefficients,
    class: ClassId,
    pub velocity: Vec2,
    pub previous_position: Vec2,
    pub position: &'a mut Vec2,
    pub displacement: &'a mut Vec2,
    loads: &'a mut ChunkLoads,
    /// The last face that the particle was moved onto: its unit normal, and its distance from the
    /// origin along the normal.
    face: Option<(Vec2, f32)>,
}

/// Calls `visit` for every particle that may have hit a wall, with the walls near it.
pub(crate) fn for_each_moved(
    particles: &mut Particles,
    boundary: &mut Solids,
    loads: &mut Loads,
    free: &FreeDiscs,
    coefficients: &Coefficients,
    executor: &dyn Executor,
    visit: impl Fn(&Solids, &Near, MovedParticle) + Sync,
) {
    particles.mark_moved();
    let solids = &*boundary;
    // For convex walls the previous position does not matter.
    let way_matters =
        !solids.colliders.is_empty() || !solids.containers.iter().all(Container::is_convex);
    let count = particles.len();
    loads.begin_pass(count.div_ceil(CHUNK));
    let (previous, velocities) = (&particles.previous_position, &particles.velocity);
    let (activity, classes) = (&particles.activity, &particles.class);
    let moved = (
        &mut particles.position[..],
        &mut particles.displacement[..],
        PerChunk::new(&mut loads.chunks, count, CHUNK),
    );
    executor.for_each_chunk(moved, CHUNK, |index, (positions, displacements, loads)| {
        let loads = loads.item();
        let start = index * CHUNK;
        let range = start..start + positions.len();
        let previous = &previous[range.clone()];
        if idle(&activity[range.clone()]) {
            return;
        }
        let reach = solids.keep_out_reach();
        let exposed = free.exposed(range, count, solids, reach, [positions, previous]);
        let bounds_of = |part: Range<usize>| {
            let bounds = FluidBounds::of(&positions[part.clone()]);
            if way_matters { bounds.union(FluidBounds::of(&previous[part])) } else { bounds }
        };
        let Some(chunk) = solids.near_chunk(positions.len(), exposed, bounds_of, reach) else {
            return;
        };
        solids.for_each_group(&chunk, |group, near| {
            for offset in group.filter(|offset| exposed.is(*offset)) {
                let particle = MovedParticle {
                    coefficients,
                    class: classes[start + offset],
                    velocity: velocities[start + offset],
                    previous_position: previous[offset],
                    position: &mut positions[offset],
                    displacement: &mut displacements[offset],
                    loads: &mut *loads,
                    face: None,
                };
                visit(solids, near, particle);
            }
        });
    });
    loads.end_pass(boundary);
}

/// Keeps every particle inside the container it was in before the substep, and out of colliders.
///
/// A particle that hit a wall is moved onto it, and its velocity changes by `I = v_n - mu v_t`,
/// relative to the wall. The particle loses the speed into the wall and, by friction, a part of its
/// tangential speed, less if it hits the wall more slowly than V0. On a wall without friction of
/// its own, a grain of powder loses at most `tan(angle)` times the speed into the wall. It does not
/// move along the wall by that part either, so it can rest on a slope. "Unsticking" may move a
/// particle back inside. Without `walls`, the solver handles the walls of convex containers.
///
/// The change of velocity cancels the speed into the wall, and adds at most V0. So a single
/// particle that is outside after a container jumped comes back slowly. Liquid that such a jump
/// compresses at the wall expands as fast as pressure moves it, which is limited.
pub(crate) fn contain(
    particles: &mut Particles,
    boundary: &mut Solids,
    loads: &mut Loads,
    free: &FreeDiscs,
    coefficients: &Coefficients,
    walls: bool,
    executor: &dyn Executor,
) {
    let solids = &*boundary;
    let convex = solids.containers.iter().all(Container::is_convex);
    if solids.colliders.is_empty() && convex && !walls || solids.is_empty() {
        return;
    }
    let keep_inside = |solids: &Solids, near: &Near, mut particle: MovedParticle| {
        let home = particle.previous_position;
        // A collider may push the particle to a container wall that was not near.
        let by_containers = near.has_containers() || !near.has_no_colliders();
        let container = by_containers.then(|| container_of(&solids.containers, home)).flatten();
        // Containers that are not convex always stop particles, because the previous position
        // matters there.
        let container = container.filter(|container| walls || !container.is_convex());
        let mut walls =
            Walls { solids, container, near: Cow::Borrowed(near), searched: particle.way() };
        if near.has_no_colliders() && !walls.stay(&mut particle) {
            return;
        }
        if walls.settles(&mut particle, true) || walls.carries(&mut particle) {
            return;
        }
        // A resting collider takes priority over a moving one.
        if !walls.settles(&mut particle, false) {
            let position = walls.way_out(&particle).unwrap_or(home);
            *particle.displacement = particle.displacement_to(position);
            *particle.position = position;
            if let Some(container) = container {
                particle.stay(container);
            }
        }
    };
    for_each_moved(particles, boundary, loads, free, coefficients, executor, keep_inside);
}

/// The walls near a particle.
struct Walls<'a> {
    solids: &'a Solids,
    container: Option<&'a Container>,
    near: Cow<'a, Near>,
    /// Paths inside this box cannot hit other colliders than those in `near`.
    searched: FluidBounds,
}

impl Walls<'_> {
    /// Moves the particle onto the walls of its container. Returns whether it may be inside a
    /// collider afterwards.
    fn stay(&mut self, particle: &mut MovedParticle) -> bool {
        let Some(container) = self.container else { return false };
        let beyond = particle.stay(container);
        let moved = beyond > ROUNDED * container.slack() && !self.solids.colliders.is_empty();
        if moved {
            self.search(particle);
        }
        moved && !self.near.has_no_colliders()
    }

    /// Finds the colliders near the particle if it has moved out of the box that was searched.
    fn search(&mut self, particle: &MovedParticle) {
        let reach = self.solids.keep_out_reach();
        if !self.searched.inflated(self.solids.skin).contains(*particle.position) {
            self.searched = particle.way();
            let near = self.solids.around(self.searched, reach).unwrap_or(Near::NONE);
            self.near = Cow::Owned(near);
        }
    }

    /// Moves the particle out of walls repeatedly, because a particle that leaves one collider may
    /// enter another. Returns whether it is outside of all of them in the end. With `moving`, all
    /// colliders count, otherwise only those that do not move.
    fn settles(&mut self, particle: &mut MovedParticle, moving: bool) -> bool {
        particle.face = None;
        (0..ITERATIONS).any(|_| {
            let was_inside = particle.keep_out(self.solids, &self.near, moving);
            if was_inside {
                self.search(particle);
            }
            !self.stay(particle) && !was_inside
        })
    }

    /// The new position of a particle that was inside resting colliders before the substep, such as tiles that
    /// appeared around it, if each collider moves it into another one. It moves a little along the shortest
    /// path out of all of them. Returns `None` for other particles.
    fn way_out(&self, particle: &MovedParticle) -> Option<Vec2> {
        let home = particle.previous_position;
        let near = self.solids.near_one(&self.near, particle.way(), self.solids.skin);
        let mut stopping = self.solids.stopping(&near, particle.class);
        if stopping.clone().any(|(_, collider)| collider.moves())
            || !stopping.any(|(_, collider)| collider.was_inside(home))
        {
            return None;
        }
        let (direction, way) = self.solids.way_out(home, particle.class)?;
        Some(home + direction * way.min(particle.ejection()))
    }

    /// Moves the particle with a moving collider, to its previous position relative to the
    /// collider. If the solids around the particle move together, it is outside of all walls there.
    /// Returns whether this succeeds for any collider; otherwise the particle does not change.
    fn carries(&mut self, particle: &mut MovedParticle) -> bool {
        let (position, displacement) = (*particle.position, *particle.displacement);
        let before = particle.previous_position;
        let near = self.solids.near_one(&self.near, particle.way(), self.solids.skin).into_owned();
        self.solids.stopping(&near, particle.class).any(|(index, collider)| {
            if collider.previous_pose == collider.pose
                || !self.solids.is_in_the_way(index, before, position)
            {
                return false;
            }
            let carried = collider.carried(before);
            particle.go_with(index, collider, carried, particle.displacement_to(carried));
            self.search(particle);
            let settles = self.settles(particle, true);
            if !settles {
                particle.go_with(index, collider, position, displacement);
                self.search(particle);
            }
            settles
        })
    }
}

impl MovedParticle<'_> {
    /// Moves the particle onto the walls of a container that it is beyond. Returns how far it was
    /// beyond them.
    fn stay(&mut self, container: &Container) -> f32 {
        if !container.is_convex() {
            // In a corner, the path along one edge ends at another edge.
            let mut deepest = 0.0;
            for _ in 0..ITERATIONS {
                let stop = container.stop(self.previous_position, *self.position);
                let Some((stopped, near)) = stop else { return deepest };
                deepest = self.put(stopped, &near, true);
            }
            if container.stop(self.previous_position, *self.position).is_some() {
                *self.position = container.carried(self.previous_position);
                *self.displacement = self.displacement_to(*self.position);
            }
            return deepest;
        }
        let (mut deepest, mut held) = (0.0_f32, Vec2::ZERO);
        container.near_walls(*self.position, 0.0, |near| {
            held += self.meet(&near);
            *self.position -= near.normal * near.distance;
            deepest = deepest.max(-near.distance);
        });
        if held != Vec2::ZERO {
            // The movement back along one wall ends at the other walls, and follows a curved wall.
            *self.position = container.project(*self.position - held);
        }
        deepest
    }

    /// Largest distance, in world units, that a particle inside a collider moves towards its edge
    /// in this substep.
    fn ejection(&self) -> f32 {
        self.coefficients.speed_unit * self.coefficients.time_step
    }

    /// A box around the particle's path through the substep.
    fn way(&self) -> FluidBounds {
        let (before, after) = (self.previous_position, *self.position);
        FluidBounds { low: before.min(after), high: before.max(after) }
    }

    /// Moves the particle out of colliders that it is inside of or has passed through. With
    /// `moving`, all colliders count, otherwise only those that do not move. Returns whether it was
    /// inside by more than rounding errors.
    fn keep_out(&mut self, solids: &Solids, near: &Near, moving: bool) -> bool {
        let mut was_inside = false;
        let ejection = self.ejection();
        let near = solids.near_one(near, self.way(), solids.keep_out_reach());
        for (index, collider) in solids.stopping(&near, self.class) {
            if collider.moves() && !moving {
                continue;
            }
            let (before, after) = (self.previous_position, *self.position);
            if !solids.is_in_the_way(index, before, after) {
                continue;
            }
            let slack = solids.slack(collider);
            let Some(way) = collider.way(before, after, slack) else { continue };
            let passage = Passage { index, class: self.class, before, after };
            let entry = solids.entry(passage, way, slack);
            if let Some(entry) = entry
                && solids.enters_another(&near, passage, way.fraction(entry.point), moving)
            {
                was_inside = true;
                continue;
            }
            let stop = match entry {
                Some(entry) => Some(collider.stop_at(entry, way, slack)),
                None => collider.eject(way.end, ejection, slack),
            };
            if let Some((stopped, near)) = stop {
                let before = *self.displacement;
                let beyond = self.put(stopped, &near, collider.has_sides());
                if collider.bears_load_now() {
                    let given = (*self.displacement - before) * self.momentum_per_way();
                    self.loads.add(index as u32, collider, stopped, given);
                }
                // A particle that is still being ejected is left alone.
                was_inside |= near.distance != -ejection && beyond > ROUNDED * slack;
            }
        }
        was_inside || self.keep_out_of_gaps(solids, &near, moving)
    }

    /// Moves the particle out of a gap between two colliders that is too narrow for liquid, if its
    /// path leads into the gap. Returns whether it does.
    fn keep_out_of_gaps(&mut self, solids: &Solids, near: &Near, moving: bool) -> bool {
        let beside = self.way().inflated(solids.seam_gap);
        let mut beside = solids
            .stopping(near, self.class)
            .filter(|(index, _)| solids.boxes[*index].intersects(beside));
        if beside.clone().nth(1).is_none() {
            return false;
        }
        let (before, after) = (self.previous_position, *self.position);
        let entry = beside.find_map(|(index, collider)| {
            if collider.moves() && !moving {
                return None;
            }
            let slack = solids.slack(collider);
            let passage = Passage { index, class: self.class, before, after };
            let entry = solids.gap_entry(passage, collider.way_of(before, after), slack)?;
            Some((index, collider, entry, slack))
        });
        let Some((index, collider, entry, slack)) = entry else { return false };
        let (stopped, wall) = collider.stop_at(entry, collider.way_of(before, after), slack);
        let before = *self.displacement;
        self.put(stopped, &wall, true);
        if collider.bears_load_now() {
            let given = (*self.displacement - before) * self.momentum_per_way();
            self.loads.add(index as u32, collider, stopped, given);
        }
        true
    }

    /// Moves the particle to the position where a wall stopped it. Returns how far it was beyond
    /// the wall; infinite for a collider that has sides, which may have no thickness.
    fn put(&mut self, stopped: Vec2, near: &NearWall, has_sides: bool) -> f32 {
        let held = self.meet(near);
        *self.position = self.in_corner(stopped, near.normal) - held;
        if has_sides { f32::INFINITY } else { -near.distance }
    }

    /// The position where a face with this `normal` stopped the particle, moved along that face
    /// until the previous face stops the particle as well. Otherwise particles would not come to
    /// rest between the two faces of an acute corner.
    fn in_corner(&mut self, stopped: Vec2, normal: Vec2) -> Vec2 {
        let before = self.face.replace((normal, stopped.dot(normal)));
        let Some((other, distance)) = before else { return stopped };
        let along = normal.perp();
        let (slope, behind) = (along.dot(other), distance - stopped.dot(other));
        if behind <= 0.0 || normal.dot(other) >= 0.0 || slope.abs() < NARROWEST_CORNER {
            return stopped;
        }
        let corner = stopped + along * (behind / slope);
        self.face = Some((other, distance));
        corner
    }

    /// The displacement that makes the particle's path lead straight to a point.
    fn displacement_to(&self, point: Vec2) -> Vec2 {
        point - self.previous_position - self.velocity * self.coefficients.time_step
    }

    /// Sets the position and the displacement. The collider receives the reaction.
    fn go_with(&mut self, index: usize, collider: &Collider, position: Vec2, displacement: Vec2) {
        if collider.bears_load_now() {
            let given = (displacement - *self.displacement) * self.momentum_per_way();
            self.loads.add(index as u32, collider, position, given);
        }
        (*self.position, *self.displacement) = (position, displacement);
    }

    /// Momentum of a displacement in this substep, per world unit.
    fn momentum_per_way(&self) -> f32 {
        self.coefficients.classes[self.class.index()].mass / self.coefficients.time_step
    }

    /// Changes the displacement of a particle that hit a wall. Returns the part of its movement
    /// along the wall that Coulomb friction removes.
    fn meet(&mut self, near: &NearWall) -> Vec2 {
        let time_step = self.coefficients.time_step;
        let travel = (self.velocity - near.velocity) * time_step + *self.displacement;
        let along = travel.dot(near.normal);
        let ejection = self.coefficients.speed_unit * time_step;
        let followed = (-near.distance).min((ejection - along).max(0.0));
        *self.displacement +=
            near.normal * (followed + self.coefficients.unsticking_speed * time_step);
        if along >= 0.0 {
            return Vec2::ZERO;
        }
        let tangential = travel - near.normal * along;
        if let Some(friction) = near.properties.friction {
            // Friction acts with the same fraction as on the normal speed.
            let part = (followed / -along).min(1.0);
            let lost = lost_on_impact(friction, -along / ejection);
            *self.displacement -= tangential * (lost * part);
            return Vec2::ZERO;
        }
        let grip = self.coefficients.classes[self.class.index()].grip;
        let held = grip
            .map_or(Vec2::ZERO, |grip| tangential.clamp_length_max(grip * followed.min(-along)));
        *self.displacement -= held;
        held
    }
}

/// Fraction of its tangential speed that a particle loses when it hits a wall with a normal speed
/// of `hit` V0. It is `friction` from V0 on, and less below. Particles at rest on a wall hit it in
/// every substep, and their friction must not depend on the number of substeps.
pub(super) fn lost_on_impact(friction: f32, hit: f32) -> f32 {
    if friction >= 1.0 || hit >= 1.0 {
        return friction;
    }
    let drag = friction * hit;
    drag / (1.0 - friction + drag)
}
