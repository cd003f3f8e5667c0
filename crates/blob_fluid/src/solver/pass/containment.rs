//! Containment by walls of containers and colliders (Clavet et al. 2005, Algorithm 1, line 16, and
//! Algorithm 6).

use std::borrow::Cow;
use std::ops::Range;

use glam::Vec2;

use crate::boundary::container::container_of;
use crate::boundary::near::{ParticlePath, WallCandidates};
use crate::boundary::solid::NearWall;
use crate::boundary::solids::{ChunkLoads, FreeDiscs, Loads, Solids};
use crate::parallel::executor::{CHUNK, PerChunk};
use crate::particles::arrays::idle;
use crate::solver::coefficients::Coefficients;
use crate::{ClassId, Collider, Container, Executor, FluidBounds, Particles};

/// Number of times that a particle between several walls is moved out of them. If it is still
/// beyond a wall afterwards, it returns to its previous position.
const ITERATIONS: u32 = 4;

/// Distance beyond a wall, in units of its slack, that may be a rounding error.
const ROUNDING_FRACTION: f32 = 0.25;

/// Sine of the smallest angle between two faces at which a particle is placed in their corner.
const MIN_CORNER_SINE: f32 = 0.2;

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

/// Calls `visit` for every particle that may have hit a wall, with the walls near it. Without `container_walls`, only
/// the walls of colliders count.
pub(crate) fn for_each_moved(
    particles: &mut Particles,
    boundary: &mut Solids,
    loads: &mut Loads,
    free_discs: &FreeDiscs,
    container_walls: bool,
    coefficients: &Coefficients,
    executor: &dyn Executor,
    visit: impl Fn(&Solids, &WallCandidates, MovedParticle) + Sync,
) {
    particles.mark_moved();
    let solids = &*boundary;
    // For convex walls the previous position does not matter.
    let needs_previous_position =
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
        let reach = solids.containment_search_radius();
        if !container_walls {
            let bounds = FluidBounds::of(positions).union(FluidBounds::of(previous));
            if !solids.any_collider_near(bounds, reach) {
                return;
            }
        }
        let exposed = free_discs.find_exposed(range, count, solids, reach, [positions, previous]);
        let bounds_of = |part: Range<usize>| {
            let bounds = FluidBounds::of(&positions[part.clone()]);
            if needs_previous_position {
                bounds.union(FluidBounds::of(&previous[part]))
            } else {
                bounds
            }
        };
        let Some(chunk) = solids.find_chunk_candidates(positions.len(), exposed, bounds_of, reach)
        else {
            return;
        };
        solids.for_each_group(&chunk, |group, candidates| {
            for offset in group.filter(|offset| exposed.contains(*offset)) {
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
                visit(solids, candidates, particle);
            }
        });
    });
    loads.end_pass(boundary);
}

/// Keeps every particle inside the container it was in before the substep, and out of colliders.
///
/// A particle that hit a wall is moved onto it, and its velocity changes by `I = v_n - mu v_t`,
/// relative to the wall. The particle loses the speed into the wall and, by friction, a part of its
/// tangential speed. It loses less if it hits the wall more slowly than V0. On a wall without
/// friction of its own, a grain of powder loses at most `tan(angle)` times the speed into the wall.
/// It does not move along the wall by that part either, so it can rest on a slope. "Unsticking" may
/// move a particle back inside. Without `walls`, the solver handles the walls of convex containers.
///
/// The change of velocity cancels the speed into the wall, and adds at most V0. So a single
/// particle that is outside after a container jumped comes back slowly. Liquid that such a jump
/// compresses at the wall expands as fast as pressure moves it, which is limited.
pub(crate) fn contain(
    particles: &mut Particles,
    boundary: &mut Solids,
    loads: &mut Loads,
    free_discs: &FreeDiscs,
    coefficients: &Coefficients,
    walls: bool,
    executor: &dyn Executor,
) {
    let solids = &*boundary;
    let convex = solids.containers.iter().all(Container::is_convex);
    if solids.colliders.is_empty() && convex && !walls || solids.is_empty() {
        return;
    }
    let contain_particle = |solids: &Solids,
                            candidates: &WallCandidates,
                            mut particle: MovedParticle| {
        let previous_position = particle.previous_position;
        // A collider may push the particle to a container wall that was not near.
        let has_containers = candidates.has_containers() || !candidates.has_no_colliders();
        let container =
            has_containers.then(|| container_of(&solids.containers, previous_position)).flatten();
        // Containers that are not convex always stop particles, because the previous position
        // matters there.
        let container = container.filter(|container| walls || !container.is_convex());
        let mut walls = Walls {
            solids,
            container,
            candidates: Cow::Borrowed(candidates),
            searched_bounds: particle.path_bounds(),
        };
        if candidates.has_no_colliders() && !walls.keep_in_container(&mut particle) {
            return;
        }
        if walls.resolve_collisions(&mut particle, true) || walls.carry_with_collider(&mut particle)
        {
            return;
        }
        // A resting collider takes priority over a moving one.
        if !walls.resolve_collisions(&mut particle, false) {
            let position = walls.escape_position(&particle).unwrap_or(previous_position);
            *particle.displacement = particle.displacement_to(position);
            *particle.position = position;
            if let Some(container) = container {
                particle.keep_in_container(container);
            }
        }
    };
    for_each_moved(
        particles,
        boundary,
        loads,
        free_discs,
        walls || !convex,
        coefficients,
        executor,
        contain_particle,
    );
}

/// The walls near a particle.
struct Walls<'a> {
    solids: &'a Solids,
    container: Option<&'a Container>,
    candidates: Cow<'a, WallCandidates>,
    /// Paths inside this box cannot hit other colliders than those in `candidates`.
    searched_bounds: FluidBounds,
}

impl Walls<'_> {
    /// Moves the particle onto the walls of its container. Returns whether it may be inside a
    /// collider afterwards.
    fn keep_in_container(&mut self, particle: &mut MovedParticle) -> bool {
        let Some(container) = self.container else { return false };
        let depth = particle.keep_in_container(container);
        let moved =
            depth > ROUNDING_FRACTION * container.slack() && !self.solids.colliders.is_empty();
        if moved {
            self.update_candidates(particle);
        }
        moved && !self.candidates.has_no_colliders()
    }

    /// Finds the colliders near the particle if it has moved out of the box that was searched.
    fn update_candidates(&mut self, particle: &MovedParticle) {
        let reach = self.solids.containment_search_radius();
        if !self.searched_bounds.inflated(self.solids.skin).contains(*particle.position) {
            self.searched_bounds = particle.path_bounds();
            let candidates = self
                .solids
                .find_candidates(self.searched_bounds, reach)
                .unwrap_or(WallCandidates::NONE);
            self.candidates = Cow::Owned(candidates);
        }
    }

    /// Moves the particle out of walls repeatedly, because a particle that leaves one collider may
    /// enter another. Returns whether it is outside of all of them in the end. With `moving`, all
    /// colliders count, otherwise only those that do not move.
    fn resolve_collisions(&mut self, particle: &mut MovedParticle, moving: bool) -> bool {
        particle.face = None;
        (0..ITERATIONS).any(|_| {
            let was_inside = particle.push_out_of_colliders(self.solids, &self.candidates, moving);
            if was_inside {
                self.update_candidates(particle);
            }
            !self.keep_in_container(particle) && !was_inside
        })
    }

    /// The new position of a particle that was inside resting colliders before the substep, for example tiles
    /// that appeared around it. It applies if each collider moves the particle into another one. The particle
    /// moves a little along the shortest path out of all of them. Returns `None` for other particles.
    fn escape_position(&self, particle: &MovedParticle) -> Option<Vec2> {
        let previous_position = particle.previous_position;
        let candidates = self.solids.candidates_of_particle(
            &self.candidates,
            particle.path_bounds(),
            self.solids.skin,
        );
        let mut blocking = self.solids.blocking_colliders(&candidates, particle.class);
        if blocking.clone().any(|(_, collider)| collider.moves())
            || !blocking.any(|(_, collider)| collider.was_inside(previous_position))
        {
            return None;
        }
        let (direction, distance) = self.solids.escape_path(previous_position, particle.class)?;
        Some(previous_position + direction * distance.min(particle.max_ejection()))
    }

    /// Moves the particle with a moving collider, to its previous position relative to the
    /// collider. If the solids around the particle move together, it is outside of all walls there.
    /// Returns whether this succeeds for any collider; otherwise the particle does not change.
    fn carry_with_collider(&mut self, particle: &mut MovedParticle) -> bool {
        let (position, displacement) = (*particle.position, *particle.displacement);
        let previous_position = particle.previous_position;
        let candidates = self
            .solids
            .candidates_of_particle(&self.candidates, particle.path_bounds(), self.solids.skin)
            .into_owned();
        self.solids.blocking_colliders(&candidates, particle.class).any(|(index, collider)| {
            if collider.previous_pose == collider.pose
                || !self.solids.may_cross(index, previous_position, position)
            {
                return false;
            }
            let carried = collider.carry_point(previous_position);
            particle.move_with_collider(
                index,
                collider,
                carried,
                particle.displacement_to(carried),
            );
            self.update_candidates(particle);
            let resolved = self.resolve_collisions(particle, true);
            if !resolved {
                particle.move_with_collider(index, collider, position, displacement);
                self.update_candidates(particle);
            }
            resolved
        })
    }
}

impl MovedParticle<'_> {
    /// Moves the particle onto the walls of a container that it is beyond. Returns how far it was
    /// beyond them.
    fn keep_in_container(&mut self, container: &Container) -> f32 {
        if !container.is_convex() {
            // In a corner, the path along one edge ends at another edge.
            let mut deepest = 0.0;
            for _ in 0..ITERATIONS {
                let stop = container.resolve(self.previous_position, *self.position);
                let Some((stopped, wall)) = stop else { return deepest };
                deepest = self.move_onto_wall(stopped, &wall, true);
            }
            if container.resolve(self.previous_position, *self.position).is_some() {
                *self.position = container.carry_point(self.previous_position);
                *self.displacement = self.displacement_to(*self.position);
            }
            return deepest;
        }
        let (mut deepest, mut friction_displacement) = (0.0_f32, Vec2::ZERO);
        container.for_each_wall_near(*self.position, 0.0, |wall| {
            friction_displacement += self.collide(&wall);
            *self.position -= wall.normal * wall.distance;
            deepest = deepest.max(-wall.distance);
        });
        if friction_displacement != Vec2::ZERO {
            // The movement back along one wall ends at the other walls, and follows a curved wall.
            *self.position = container.project(*self.position - friction_displacement);
        }
        deepest
    }

    /// Largest distance, in world units, that a particle inside a collider moves towards its edge
    /// in this substep.
    fn max_ejection(&self) -> f32 {
        self.coefficients.speed_unit * self.coefficients.time_step
    }

    /// A box around the particle's path through the substep.
    fn path_bounds(&self) -> FluidBounds {
        let (before, after) = (self.previous_position, *self.position);
        FluidBounds { low: before.min(after), high: before.max(after) }
    }

    /// Moves the particle out of colliders that it is inside of or has passed through. With
    /// `moving`, all colliders count, otherwise only those that do not move. Returns whether it was
    /// inside by more than rounding errors.
    fn push_out_of_colliders(
        &mut self,
        solids: &Solids,
        candidates: &WallCandidates,
        moving: bool,
    ) -> bool {
        let mut was_inside = false;
        let ejection = self.max_ejection();
        let candidates = solids.candidates_of_particle(
            candidates,
            self.path_bounds(),
            solids.containment_search_radius(),
        );
        for (index, collider) in solids.blocking_colliders(&candidates, self.class) {
            if collider.moves() && !moving {
                continue;
            }
            let (before, after) = (self.previous_position, *self.position);
            if !solids.may_cross(index, before, after) {
                continue;
            }
            let slack = solids.slack(collider);
            let Some(relative_path) = collider.relative_path_near(before, after, slack) else {
                continue;
            };
            let path = ParticlePath { index, class: self.class, before, after };
            let entry = solids.path_entry(path, relative_path, slack);
            if let Some(entry) = entry
                && solids.enters_another_first(
                    &candidates,
                    path,
                    relative_path.fraction(entry.point),
                    moving,
                )
            {
                was_inside = true;
                continue;
            }
            let resolved = match entry {
                Some(entry) => Some(collider.resolve_entry(entry, relative_path, slack)),
                None => collider.push_out(relative_path.end, ejection, slack),
            };
            if let Some((stopped, wall)) = resolved {
                let before = *self.displacement;
                let depth = self.move_onto_wall(stopped, &wall, collider.has_side_test());
                if collider.bears_load_now() {
                    let impulse = (*self.displacement - before) * self.momentum_per_displacement();
                    self.loads.add(index as u32, collider, stopped, impulse);
                }
                // A particle that is still being ejected is left alone.
                was_inside |= wall.distance != -ejection && depth > ROUNDING_FRACTION * slack;
            }
        }
        was_inside || self.push_out_of_gaps(solids, &candidates, moving)
    }

    /// Moves the particle out of a gap between two colliders that is too narrow for liquid, if its
    /// path leads into the gap. Returns whether it does.
    fn push_out_of_gaps(
        &mut self,
        solids: &Solids,
        candidates: &WallCandidates,
        moving: bool,
    ) -> bool {
        let nearby = self.path_bounds().inflated(solids.seam_gap);
        let mut nearby = solids
            .blocking_colliders(candidates, self.class)
            .filter(|(index, _)| solids.boxes[*index].intersects(nearby));
        if nearby.clone().nth(1).is_none() {
            return false;
        }
        let (before, after) = (self.previous_position, *self.position);
        let entry = nearby.find_map(|(index, collider)| {
            if collider.moves() && !moving {
                return None;
            }
            let slack = solids.slack(collider);
            let path = ParticlePath { index, class: self.class, before, after };
            let entry =
                solids.narrow_gap_entry(path, collider.relative_path(before, after), slack)?;
            Some((index, collider, entry, slack))
        });
        let Some((index, collider, entry, slack)) = entry else { return false };
        let (stopped, wall) =
            collider.resolve_entry(entry, collider.relative_path(before, after), slack);
        let before = *self.displacement;
        self.move_onto_wall(stopped, &wall, true);
        if collider.bears_load_now() {
            let impulse = (*self.displacement - before) * self.momentum_per_displacement();
            self.loads.add(index as u32, collider, stopped, impulse);
        }
        true
    }

    /// Moves the particle to the position where a wall stopped it. Returns how far it was beyond
    /// the wall; infinite for a collider that has sides, which may have no thickness.
    fn move_onto_wall(&mut self, stopped: Vec2, wall: &NearWall, has_side_test: bool) -> f32 {
        let friction_displacement = self.collide(wall);
        *self.position = self.move_into_corner(stopped, wall.normal) - friction_displacement;
        if has_side_test { f32::INFINITY } else { -wall.distance }
    }

    /// The position where a face with this `normal` stopped the particle, moved along that face
    /// until the previous face stops the particle as well. Otherwise particles would not come to
    /// rest between the two faces of an acute corner.
    fn move_into_corner(&mut self, stopped: Vec2, normal: Vec2) -> Vec2 {
        let previous_face = self.face.replace((normal, stopped.dot(normal)));
        let Some((other, distance)) = previous_face else { return stopped };
        let along = normal.perp();
        let (slope, missing_distance) = (along.dot(other), distance - stopped.dot(other));
        if missing_distance <= 0.0 || normal.dot(other) >= 0.0 || slope.abs() < MIN_CORNER_SINE {
            return stopped;
        }
        let corner = stopped + along * (missing_distance / slope);
        self.face = Some((other, distance));
        corner
    }

    /// The displacement that makes the particle's path lead straight to a point.
    fn displacement_to(&self, point: Vec2) -> Vec2 {
        point - self.previous_position - self.velocity * self.coefficients.time_step
    }

    /// Sets the position and the displacement. The collider receives the reaction.
    fn move_with_collider(
        &mut self,
        index: usize,
        collider: &Collider,
        position: Vec2,
        displacement: Vec2,
    ) {
        if collider.bears_load_now() {
            let impulse = (displacement - *self.displacement) * self.momentum_per_displacement();
            self.loads.add(index as u32, collider, position, impulse);
        }
        (*self.position, *self.displacement) = (position, displacement);
    }

    /// Momentum of a displacement in this substep, per world unit.
    fn momentum_per_displacement(&self) -> f32 {
        self.coefficients.classes[self.class.index()].mass / self.coefficients.time_step
    }

    /// Changes the displacement of a particle that hit a wall. Returns the part of its movement
    /// along the wall that Coulomb friction removes.
    fn collide(&mut self, wall: &NearWall) -> Vec2 {
        let time_step = self.coefficients.time_step;
        let travel = (self.velocity - wall.velocity) * time_step + *self.displacement;
        let normal_travel = travel.dot(wall.normal);
        let ejection = self.coefficients.speed_unit * time_step;
        let normal_correction = (-wall.distance).min((ejection - normal_travel).max(0.0));
        *self.displacement +=
            wall.normal * (normal_correction + self.coefficients.unsticking_speed * time_step);
        if normal_travel >= 0.0 {
            return Vec2::ZERO;
        }
        let tangential = travel - wall.normal * normal_travel;
        if let Some(friction) = wall.properties.friction {
            // Friction acts with the same fraction as on the normal speed.
            let fraction = (normal_correction / -normal_travel).min(1.0);
            let lost = impact_friction(friction, -normal_travel / ejection);
            *self.displacement -= tangential * (lost * fraction);
            return Vec2::ZERO;
        }
        let powder_friction = self.coefficients.classes[self.class.index()].powder_wall_friction;
        let friction_displacement = powder_friction.map_or(Vec2::ZERO, |powder_friction| {
            tangential.clamp_length_max(powder_friction * normal_correction.min(-normal_travel))
        });
        *self.displacement -= friction_displacement;
        friction_displacement
    }
}

/// Fraction of its tangential speed that a particle loses when it hits a wall with a normal speed
/// of `impact_speed` V0. It is `friction` from V0 on, and less below. Particles at rest on a wall
/// hit it in every substep, and their friction must not depend on the number of substeps.
pub(super) fn impact_friction(friction: f32, impact_speed: f32) -> f32 {
    if friction >= 1.0 || impact_speed >= 1.0 {
        return friction;
    }
    let drag = friction * impact_speed;
    drag / (1.0 - friction + drag)
}
