//! Finds the walls near particles.

use std::borrow::Cow;
use std::ops::Range;

use glam::Vec2;

use crate::boundary::collider::RelativePath;
use crate::boundary::container::container_of;
use crate::boundary::solid::{NearWall, WallQueryResult};
use crate::boundary::solids::{ExposedParticles, Solids};
use crate::geometry::shape::{Corner, Entry, Face};
use crate::parallel::executor::{CHUNK, GROUP, SECTION, parts};
use crate::{ClassId, Collider, FluidBounds, FluidShape};

/// Largest number of colliders in a [`WallCandidates`]. If there are more, all colliders count as
/// near.
const MAX_CANDIDATES: usize = 32;

/// The walls near each section of a chunk of particles, and boxes around the groups in sections
/// near walls.
#[derive(Debug)]
pub(crate) struct ChunkWallCandidates {
    sections: [Option<WallCandidates>; CHUNK / SECTION],
    groups: [FluidBounds; CHUNK / GROUP],
    exposed: ExposedParticles,
    particles: usize,
    reach: f32,
}

/// A point at which walls act on a particle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WallProbe {
    /// The position that decides which container the particle belongs to.
    pub container_point: Vec2,
    pub point: Vec2,
    /// The class of the particle.
    pub class: ClassId,
}

/// The container walls and the colliders that may be near some particles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WallCandidates {
    includes_container_walls: bool,
    colliders: [u32; MAX_CANDIDATES],
    /// Number of colliders. If it is above [`MAX_CANDIDATES`], all colliders count as near.
    count: usize,
}

impl WallCandidates {
    /// No walls are near.
    pub(crate) const NONE: Self =
        Self { includes_container_walls: false, colliders: [0; MAX_CANDIDATES], count: 0 };

    /// Whether a container's wall may be near.
    pub(crate) fn has_containers(&self) -> bool {
        self.includes_container_walls
    }

    /// Whether no colliders are near.
    pub(crate) fn has_no_colliders(&self) -> bool {
        self.count == 0
    }

    /// Adds a collider. Beyond [`MAX_CANDIDATES`], only the count grows.
    fn push(&mut self, index: u32) {
        if let Some(entry) = self.colliders.get_mut(self.count) {
            *entry = index;
        }
        self.count += 1;
    }

    /// Whether there are so many colliders that all count as near.
    fn is_full(&self) -> bool {
        self.count > MAX_CANDIDATES
    }

    /// Sorts the colliders by index.
    fn sort(&mut self) {
        if let Some(listed) = self.colliders.get_mut(..self.count) {
            listed.sort_unstable();
        }
    }

    /// Returns `Some(self)` unless it is empty.
    fn non_empty(self) -> Option<Self> {
        (self.includes_container_walls || self.count > 0).then_some(self)
    }

    /// The indices of the colliders; `None` if all colliders count as near.
    fn listed_colliders(&self) -> Option<&[u32]> {
        self.colliders.get(..self.count)
    }

    /// The indices of the colliders, in ascending order. `all` is the number of colliders in the
    /// world.
    fn colliders(&self, all: usize) -> impl Iterator<Item = usize> + Clone + '_ {
        let listed = self.listed_colliders();
        let all_indices = if listed.is_some() { 0..0 } else { 0..all };
        listed.unwrap_or_default().iter().map(|index| *index as usize).chain(all_indices)
    }
}

impl Solids {
    /// Finds the walls that a particle in a box may be within `reach` of, be beyond, or have passed
    /// in this substep. Returns `None` if there are none.
    pub(crate) fn find_candidates(
        &self,
        bounds: FluidBounds,
        reach: f32,
    ) -> Option<WallCandidates> {
        let mut candidates = self.container_candidates(!self.containers.is_empty(), bounds, reach);
        let grown = self.search_bounds(bounds, reach);
        self.boxes.visit(grown, |index| {
            if self.may_touch(index, bounds, grown, reach) {
                candidates.push(index);
            }
            candidates.is_full()
        });
        candidates.sort();
        candidates.non_empty()
    }

    /// Whether any collider may be within `reach` of paths inside a box.
    #[inline]
    pub(crate) fn any_collider_near(&self, bounds: FluidBounds, reach: f32) -> bool {
        let grown = self.search_bounds(bounds, reach);
        let mut is_near = false;
        self.boxes.visit(grown, |index| {
            is_near = self.may_touch(index, bounds, grown, reach);
            is_near
        });
        is_near
    }

    /// A box around the paths of particles that stay in the box `bounds`. A path that is straight
    /// relative to a rotating collider is curved in the world.
    #[inline]
    pub(crate) fn path_bounds(&self, bounds: FluidBounds) -> FluidBounds {
        bounds.inflated(self.max_rotation * bounds.half_size().max_element())
    }

    /// A box around all points within `reach` of paths in the box `bounds`.
    #[inline]
    pub(crate) fn search_bounds(&self, bounds: FluidBounds, reach: f32) -> FluidBounds {
        self.path_bounds(bounds).inflated(reach + bounds.rounding(Vec2::ZERO))
    }

    /// Restricts the walls near some particles to those near a smaller box. Returns `None` if none
    /// is left.
    fn narrow_candidates(
        &self,
        candidates: &WallCandidates,
        bounds: FluidBounds,
        reach: f32,
    ) -> Option<WallCandidates> {
        let Some(colliders) = candidates.listed_colliders() else {
            return self.find_candidates(bounds, reach);
        };
        let mut closer =
            self.container_candidates(candidates.includes_container_walls, bounds, reach);
        let grown = self.search_bounds(bounds, reach);
        for index in colliders {
            if self.may_touch(*index, bounds, grown, reach) {
                closer.push(*index);
            }
        }
        closer.non_empty()
    }

    /// Whether a collider may be near particles in the box `bounds`. `grown` is that box, enlarged
    /// by `reach`.
    #[inline]
    fn may_touch(&self, index: u32, bounds: FluidBounds, grown: FluidBounds, reach: f32) -> bool {
        let index = index as usize;
        // For particles outside, a buried collider is hidden by nearer colliders.
        let (grown, reach) =
            if self.is_buried(index) { (grown.inflated(-reach), 0.0) } else { (grown, reach) };
        self.boxes[index].intersects(grown) && self.colliders[index].may_touch(bounds, reach)
    }

    /// Finds the walls near a chunk of at most [`CHUNK`] `particles`, of which only some are
    /// `exposed`. `bounds_of` returns the box around a range of them. Returns `None` if no wall is
    /// near.
    #[inline]
    pub(crate) fn find_chunk_candidates(
        &self,
        particles: usize,
        exposed: ExposedParticles,
        bounds_of: impl Fn(Range<usize>) -> FluidBounds,
        reach: f32,
    ) -> Option<ChunkWallCandidates> {
        const SECTIONS: usize = CHUNK / SECTION;
        let is_exposed = |group: &Range<usize>| exposed.any_in_group(group.start);
        let mut boxes = [FluidBounds::NONE; SECTIONS];
        for (bounds, section) in boxes.iter_mut().zip(parts(0..particles, SECTION)) {
            let groups = parts(section.clone(), GROUP);
            *bounds = if groups.clone().all(|group| is_exposed(&group)) {
                bounds_of(section)
            } else {
                groups
                    .filter(is_exposed)
                    .map(&bounds_of)
                    .fold(FluidBounds::NONE, FluidBounds::union)
            };
        }
        if boxes.iter().all(|bounds| *bounds == FluidBounds::NONE) {
            return None;
        }
        let candidates = self.find_candidates(
            boxes.into_iter().fold(FluidBounds::NONE, FluidBounds::union),
            reach,
        )?;
        let (mut sections, mut groups) = ([None; SECTIONS], [FluidBounds::NONE; CHUNK / GROUP]);
        for (index, section) in parts(0..particles, SECTION).enumerate() {
            sections[index] = self.narrow_candidates(&candidates, boxes[index], reach);
            if sections[index].is_some() {
                for group in parts(section, GROUP).filter(is_exposed) {
                    groups[group.start / GROUP] = bounds_of(group.clone());
                }
            }
        }
        Some(ChunkWallCandidates { sections, groups, exposed, particles, reach })
    }

    /// Calls `visit`, in order, for every group of a chunk that may be near walls, with these
    /// walls. Only the exposed particles of the group may be near them.
    #[inline]
    pub(crate) fn for_each_group(
        &self,
        chunk: &ChunkWallCandidates,
        mut visit: impl FnMut(Range<usize>, &WallCandidates),
    ) {
        let ChunkWallCandidates { sections, groups, exposed, particles, reach } = chunk;
        for (section, candidates) in parts(0..*particles, SECTION).zip(sections) {
            let Some(candidates) = candidates else { continue };
            for group in parts(section, GROUP).filter(|group| exposed.any_in_group(group.start)) {
                if let Some(candidates) =
                    self.narrow_candidates(candidates, groups[group.start / GROUP], *reach)
                {
                    visit(group, &candidates);
                }
            }
        }
    }

    /// As [`for_each_group`](Self::for_each_group), for a chunk of particles at these positions. Returns whether any
    /// wall may be near the chunk.
    #[inline]
    pub(crate) fn for_each_group_at(
        &self,
        positions: &[Vec2],
        exposed: ExposedParticles,
        reach: f32,
        visit: impl FnMut(Range<usize>, &WallCandidates),
    ) -> bool {
        let bounds_of = |part| FluidBounds::of(&positions[part]);
        let chunk = self.find_chunk_candidates(positions.len(), exposed, bounds_of, reach);
        chunk.map(|chunk| self.for_each_group(&chunk, visit)).is_some()
    }

    /// The walls near one of the particles of `candidates`. This is `candidates` itself, unless it
    /// has too many colliders to list. Then the colliders are searched again for the particle's
    /// box.
    #[inline]
    pub(crate) fn candidates_of_particle<'a>(
        &self,
        candidates: &'a WallCandidates,
        bounds: FluidBounds,
        reach: f32,
    ) -> Cow<'a, WallCandidates> {
        if candidates.is_full() {
            Cow::Owned(self.find_candidates(bounds, reach).unwrap_or(WallCandidates::NONE))
        } else {
            Cow::Borrowed(candidates)
        }
    }

    /// Creates a [`WallCandidates`] without colliders. `has_containers` is whether there are
    /// containers that may be near.
    fn container_candidates(
        &self,
        has_containers: bool,
        bounds: FluidBounds,
        reach: f32,
    ) -> WallCandidates {
        let includes_container_walls = has_containers
            && match &self.containers[..] {
                [container] => container.may_touch(bounds, reach),
                // The container of a particle depends on its previous position, so every container
                // counts.
                _ => true,
            };
        WallCandidates { includes_container_walls, ..WallCandidates::NONE }
    }

    /// Whether a collider may intersect the segment between two points. `false` is certain.
    #[inline]
    pub(crate) fn may_cross(&self, index: usize, before: Vec2, after: Vec2) -> bool {
        let bounds = FluidBounds { low: before.min(after), high: before.max(after) };
        self.boxes[index].intersects(self.path_bounds(bounds).inflated(self.skin))
    }

    /// The near colliders that stop a class, and their indices.
    #[inline]
    pub(crate) fn blocking_colliders(
        &self,
        candidates: &WallCandidates,
        class: ClassId,
    ) -> impl Iterator<Item = (usize, &Collider)> + Clone {
        let indices = candidates.colliders(self.colliders.len());
        let blocking = indices.filter(move |index| self.colliders[*index].stops(class));
        blocking.map(|index| (index, &*self.colliders[index]))
    }

    /// Whether a point is inside a container, if there are any, and at least `clearance` away from
    /// every wall that acts on the class. `candidates` must contain the walls within that distance.
    pub(crate) fn is_clear(
        &self,
        candidates: &WallCandidates,
        point: Vec2,
        class: ClassId,
        clearance: f32,
    ) -> bool {
        if candidates.includes_container_walls
            && container_of(&self.containers, point)
                .is_some_and(|container| container.depth(point) < clearance)
        {
            return false;
        }
        let candidates = self.candidates_of_particle(candidates, FluidBounds::at(point), clearance);
        self.blocking_colliders(&candidates, class).all(|(index, collider)| {
            !self.boxes[index].inflated(clearance).contains(point)
                || collider.query_wall(point, clearance, f32::INFINITY).wall().is_none()
        })
    }
}

// Visits the walls that act on a particle.
//
// The liquid that is missing behind a wall exerts pressure on the particle, as if the wall were
// flat and infinite. In a concave corner of at most a right angle, each face of a shape is a wall.
// With the nearest face alone, the normal would jump from substep to substep, and the particle with
// it. The regions behind two walls may overlap, and the missing liquid there must count once:
//
// - A wall that lies behind a nearer wall, or that continues it, is hidden. The tiles of a floor hide
//   each other.
// - Any other wall counts with the weight `1 - cos a`. The angle `a` is that between its normal and the
//   normal of a nearer wall. An example is a low step between two tiles. Walls at a right angle or
//   more, such as a floor and a side, count in full.
//
// The weight changes while the particle passes a corner, where normals rotate. The pressure force
// includes the gradient of the weight. A force that is not the gradient of the density would do
// work on liquid at rest, and the liquid would not come to rest.

/// Largest number of walls near one particle that are tested for hiding each other. If there are
/// more, only the nearest ones count.
const MAX_NEAR_WALLS: usize = 32;

/// Step along a wall for the curvature, relative to the distance from the wall or the smallest
/// radius of curvature.
const CURVATURE_STEP: f32 = 0.02;

/// A buffer of the walls near one particle, which [`Solids::for_each_wall`] fills for each
/// particle.
#[derive(Debug)]
pub(crate) struct NearWalls {
    walls: [NearWall; MAX_NEAR_WALLS],
    /// Indices of the walls, sorted by distance. Walls at the same distance keep their order.
    order: [usize; MAX_NEAR_WALLS],
    /// Whether each wall is hidden.
    hidden: [bool; MAX_NEAR_WALLS],
    count: usize,
    /// Lower bound of the distance to walls of solids that stand still, in world units.
    pub min_distance: f32,
}

impl NearWalls {
    /// An empty buffer.
    pub(crate) const NONE: Self = Self {
        walls: [NearWall::NONE; MAX_NEAR_WALLS],
        order: [0; MAX_NEAR_WALLS],
        hidden: [false; MAX_NEAR_WALLS],
        count: 0,
        min_distance: 0.0,
    };

    /// Adds a wall. If there are too many, the farthest one is left out.
    #[inline]
    fn push(&mut self, wall: NearWall) {
        let Self { walls, order, count, min_distance, .. } = self;
        *min_distance = min_distance.min(wall.distance);
        let farther = |index: &usize| walls[*index].distance > wall.distance;
        let rank = order[..*count].iter().position(farther).unwrap_or(*count);
        if rank == MAX_NEAR_WALLS {
            return;
        }
        let index = if *count < MAX_NEAR_WALLS { *count } else { order[*count - 1] };
        *count = (*count + 1).min(MAX_NEAR_WALLS);
        order.copy_within(rank..*count - 1, rank + 1);
        order[rank] = index;
        walls[index] = wall;
    }
}

impl Solids {
    /// Calls `visit` for every wall that acts at a point and is not hidden. A wall acts if it stops
    /// the class, and if it is within `reach` of the point or the point is beyond it. The walls are
    /// those of colliders and of the container that `container_point` belongs to. `walls` is a
    /// buffer.
    #[inline]
    pub(crate) fn for_each_wall(
        &self,
        candidates: &WallCandidates,
        probe: WallProbe,
        reach: f32,
        walls: &mut NearWalls,
        mut visit: impl FnMut(&NearWall),
    ) {
        self.find_visible_walls(candidates, probe, reach, walls);
        for (wall, hidden) in walls.walls[..walls.count].iter().zip(&walls.hidden) {
            if !hidden {
                visit(wall);
            }
        }
    }

    /// Calls `visit` for the walls that exert pressure on a particle, like
    /// [`for_each_wall`](Self::for_each_wall). But each wall has the weight that nearer walls do not
    /// share, and the gradient of the weight. If the gradient comes from a nearer wall, that wall is
    /// visited too, with weight 0 and the distance of the farther wall. So its collider gets the
    /// reaction.
    #[inline]
    pub(crate) fn for_each_pressure_wall(
        &self,
        candidates: &WallCandidates,
        probe: WallProbe,
        reach: f32,
        walls: &mut NearWalls,
        mut visit: impl FnMut(&NearWall),
    ) {
        self.find_visible_walls(candidates, probe, reach, walls);
        match walls.count {
            0 => {}
            1 => visit(&walls.walls[0]),
            count => {
                for index in (0..count).filter(|index| !walls.hidden[*index]) {
                    self.visit_weighted(probe.point, walls, index, &mut visit);
                }
            }
        }
    }

    /// Finds the walls for [`for_each_wall`](Self::for_each_wall), and which of them are hidden.
    #[inline]
    fn find_visible_walls(
        &self,
        candidates: &WallCandidates,
        probe: WallProbe,
        reach: f32,
        walls: &mut NearWalls,
    ) {
        self.find_walls(candidates, probe, reach, walls);
        walls.hidden[walls.order[0]] = false;
        for rank in 1..walls.count {
            walls.hidden[walls.order[rank]] = self.is_hidden(probe, walls, rank);
        }
    }

    /// Finds the walls near a particle.
    #[inline]
    fn find_walls(
        &self,
        candidates: &WallCandidates,
        WallProbe { container_point, point, class }: WallProbe,
        reach: f32,
        walls: &mut NearWalls,
    ) {
        walls.count = 0;
        walls.min_distance = reach;
        if candidates.has_containers()
            && let Some(container) = container_of(&self.containers, container_point)
        {
            container.for_each_wall_near(point, reach, |wall| walls.push(wall));
            walls.min_distance = walls.min_distance.min(container.min_unvisited_distance(point));
        }
        let candidates = &*self.candidates_of_particle(candidates, FluidBounds::at(point), reach);
        for (index, collider) in self.blocking_colliders(candidates, class) {
            let margin = if self.is_buried(index) { 0.0 } else { reach };
            if !self.boxes[index].inflated(margin).contains(point) {
                continue;
            }
            match collider.query_wall(point, reach, self.jump_depth) {
                WallQueryResult::OutOfReach => {}
                WallQueryResult::Inactive => walls.min_distance = 0.0,
                WallQueryResult::Active(wall) => {
                    let (collider, fade_in) = (Some(index as u32), self.colliders[index].fade_in());
                    let wall = self.wall_across_seam(index, class, point, wall);
                    let mut is_one_of_several_faces = false;
                    self.colliders[index].for_each_other_face(point, reach, &wall, |face| {
                        is_one_of_several_faces = true;
                        walls.push(NearWall { collider, fade_in, ..face });
                    });
                    walls.push(NearWall { collider, fade_in, is_one_of_several_faces, ..wall });
                }
            }
        }
    }

    /// Whether a nearer wall hides the wall with this `rank`.
    #[inline]
    fn is_hidden(
        &self,
        WallProbe { container_point, point, .. }: WallProbe,
        NearWalls { walls, order, .. }: &NearWalls,
        rank: usize,
    ) -> bool {
        let wall = &walls[order[rank]];
        let foot = wall.foot(point);
        let bounds = FluidBounds { low: point.min(foot), high: point.max(foot) };
        let bounds = bounds.inflated(self.seam_gap);
        let hides = |other: &NearWall| match other.collider.map(|other| other as usize) {
            // A face of the same shape hides the points behind it.
            Some(_) if other.collider == wall.collider => {
                (foot - other.foot(point)).dot(other.normal) <= 0.0
            }
            Some(other) => {
                self.boxes[other].intersects(bounds)
                    && self.colliders[other].hides(point, foot, self.seam_gap)
            }
            // A container's own walls do not hide each other.
            None => {
                let container = || container_of(&self.containers, container_point);
                wall.collider.is_some()
                    && container().is_some_and(|container| container.depth(foot) <= self.seam_gap)
            }
        };
        // The order is reversed because the wall that hides this one is usually only slightly
        // nearer.
        order[..rank].iter().rev().any(|index| hides(&walls[*index]))
    }

    /// Visits a wall with the weight that nearer walls do not share.
    #[inline]
    fn visit_weighted(
        &self,
        point: Vec2,
        NearWalls { walls, order, hidden, count, .. }: &NearWalls,
        index: usize,
        visit: &mut impl FnMut(&NearWall),
    ) {
        let wall = &walls[index];
        let overlaps = |nearer: &NearWall| {
            // A container's own walls are parts of one shape.
            let in_container = nearer.collider.is_none() && wall.collider.is_none();
            !in_container && nearer.normal.dot(wall.normal) > 0.0
        };
        let nearer = order[..*count].iter().take_while(|nearer| **nearer != index);
        let nearer = nearer.filter(|nearer| !hidden[**nearer]).map(|nearer| &walls[*nearer]);
        let overlapping = nearer.filter(|nearer| overlaps(nearer));
        if overlapping.clone().next().is_none() {
            visit(wall);
            return;
        }
        let remaining_weight = |nearer: &NearWall| 1.0 - nearer.normal.dot(wall.normal).min(1.0);
        let weight: f32 = overlapping.clone().map(remaining_weight).product();
        let (along, curvature) = (wall.normal.perp(), self.curvature(point, wall));
        let mut weight_gradient = Vec2::ZERO;
        for (number, nearer) in overlapping.clone().enumerate() {
            let other_weights =
                overlapping.clone().enumerate().filter(|(other, _)| *other != number);
            let other_weights: f32 = wall.fade_in
                * other_weights.map(|(_, other)| remaining_weight(other)).product::<f32>();
            weight_gradient -= along * (other_weights * along.dot(nearer.normal) * curvature);
            let along = nearer.normal.perp();
            let curvature = self.curvature(point, nearer);
            if curvature > 0.0 {
                let weight_gradient = along * (-other_weights * along.dot(wall.normal) * curvature);
                let NearWall { collider, velocity, .. } = *nearer;
                visit(&NearWall { collider, velocity, fade_in: 0.0, weight_gradient, ..*wall });
            }
        }
        visit(&NearWall { fade_in: wall.fade_in * weight, weight_gradient, ..*wall });
    }

    /// Curvature of a wall, in radians per world unit. It is 0 for a flat or concave wall, for one
    /// of several faces, and for walls of containers. It is limited near corners, where pressure
    /// would otherwise change too fast for a substep.
    fn curvature(&self, point: Vec2, wall: &NearWall) -> f32 {
        let Some(collider) = wall.collider.filter(|_| !wall.is_one_of_several_faces) else {
            return 0.0;
        };
        let max_curvature = 1.0 / wall.distance.max(self.min_curvature_radius);
        let curvature = self.colliders[collider as usize].curvature(
            point,
            wall,
            CURVATURE_STEP / max_curvature,
        );
        curvature.clamp(0.0, max_curvature)
    }
}

// Seams: where a collider touches, overlaps or nearly touches another one, both act as one solid.
//
// A face inside a seam does not stop particles. Otherwise a particle that slides over a floor would
// lose its speed at the sides of the tiles.

/// Largest height of a step in a seam that particles pass without being stopped, in seam gaps.
const MAX_SEAM_STEP: f32 = 0.5;

/// Distance from a corner, in slacks, at which the path of a particle continues after a seam.
const SEAM_CLEARANCE: f32 = 4.0;

/// Smallest cosine between two normals that count as normals of the same face.
const SAME_NORMAL_COSINE: f32 = 0.99;

/// The path of a particle from `before` to `after` in the world, through one collider.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ParticlePath {
    pub index: usize,
    pub class: ClassId,
    pub before: Vec2,
    pub after: Vec2,
}

impl Solids {
    /// Distance from a collider's edge below which the side of a particle is uncertain by rounding.
    pub(crate) fn slack(&self, collider: &Collider) -> f32 {
        let rests = collider.previous_pose == collider.pose;
        collider.slack().max(if rests { 0.0 } else { self.skin })
    }

    /// Where the path of a particle enters a collider. A face within a seam is skipped: the path
    /// continues above the next face.
    pub(crate) fn path_entry(
        &self,
        path: ParticlePath,
        relative_path: RelativePath,
        slack: f32,
    ) -> Option<Entry> {
        let collider = &self.colliders[path.index];
        let entry = collider.path_entry(relative_path, slack)?;
        match self.start_beyond_seam(path, relative_path, entry, slack) {
            Some(start) => collider.path_entry(RelativePath { start, ..relative_path }, slack),
            None => Some(entry),
        }
    }

    /// Whether the path of a particle enters another collider before it enters this one at this `fraction` of
    /// the path. With `moving`, all colliders count, otherwise only those that do not move.
    pub(crate) fn enters_another_first(
        &self,
        candidates: &WallCandidates,
        path: ParticlePath,
        fraction: f32,
        moving: bool,
    ) -> bool {
        let ParticlePath { before, after, .. } = path;
        self.blocking_colliders(candidates, path.class).any(|(index, collider)| {
            let counts = index != path.index && (moving || !collider.moves());
            if !counts || !self.may_cross(index, before, after) {
                return false;
            }
            let slack = self.slack(collider);
            let Some(relative_path) = collider.relative_path_near(before, after, slack) else {
                return false;
            };
            let entry = self.path_entry(ParticlePath { index, ..path }, relative_path, slack);
            entry.is_some_and(|entry| {
                // Rounding may make a particle that lies on a wall enter it.
                let beyond = (relative_path.end - entry.point).dot(entry.normal);
                beyond < -slack && relative_path.fraction(entry.point) < fraction
            })
        })
    }

    /// Start of the rest of a particle's path, in the collider's frame, if the path entered through
    /// a face within a seam. The start is at the corner with the next face, above that face.
    fn start_beyond_seam(
        &self,
        path: ParticlePath,
        relative_path: RelativePath,
        entry: Entry,
        slack: f32,
    ) -> Option<Vec2> {
        let ParticlePath { index, class, .. } = path;
        let (corner, face) =
            self.find_seam(index, class, entry.point, relative_path.start, |_, face, side| {
                side.normal.dot(entry.normal) > SAME_NORMAL_COSINE
                    && face.normal.dot(entry.normal) < SAME_NORMAL_COSINE
            })?;
        let from = relative_path.start - corner;
        let starts_beyond = from.dot(face.normal) >= -MAX_SEAM_STEP * self.seam_gap
            && from.dot(face.along) >= -slack;
        starts_beyond.then(|| corner + face.normal * (SEAM_CLEARANCE * slack))
    }

    /// The wall near a point or, within a seam, the face that another collider continues.
    pub(crate) fn wall_across_seam(
        &self,
        index: usize,
        class: ClassId,
        point: Vec2,
        wall: NearWall,
    ) -> NearWall {
        if wall.distance.abs() > self.seam_gap {
            return wall;
        }
        let pose = self.colliders[index].pose;
        let (local, normal) = (pose.to_local(point), pose.to_local_direction(wall.normal));
        let foot = local - normal * wall.distance;
        let seam = self.find_seam(index, class, foot, local, |corner, face, side| {
            let from = local - corner;
            side.normal.dot(normal) > 1e-3
                && from.dot(face.along) > 0.0
                && from.dot(face.normal) >= -MAX_SEAM_STEP * self.seam_gap
        });
        let Some((corner, face)) = seam else { return wall };
        let distance = (local - corner).dot(face.normal);
        NearWall { normal: pose.to_world_direction(face.normal), distance, ..wall }
    }

    /// The corner near a point of a collider's edge, as seen `from` another point, and one of its two
    /// faces. This face is `is_wanted`, and another collider continues it beyond the corner. The
    /// third argument of `is_wanted` is the other face.
    ///
    /// There must be free space above the face. A face at the bottom of a wedge has none.
    fn find_seam(
        &self,
        index: usize,
        class: ClassId,
        point: Vec2,
        from: Vec2,
        is_wanted: impl Fn(Vec2, Face, Face) -> bool,
    ) -> Option<(Vec2, Face)> {
        let collider = &self.colliders[index];
        if collider.options.inside_out {
            return None;
        }
        let step = MAX_SEAM_STEP * self.seam_gap;
        let Corner { point: corner, faces: [one, other] } =
            collider.shape.corner(point, step, from)?;
        let is_solid = |face: Face, along: f32, above: f32, margin: f32| {
            let offset = face.along * along + face.normal * above;
            self.is_covered(index, class, collider.pose.to_world(corner + offset), margin)
        };
        // A line may have no thickness.
        let is_line = matches!(collider.shape, FluidShape::Polyline(_));
        let (depth, margin) = if is_line { (0.0, step) } else { (self.seam_gap, 0.0) };
        let is_seam = |face: Face| {
            is_solid(face, self.seam_gap, -depth, margin) && !is_solid(face, -step, step, 0.0)
        };
        // The end of a line is not a face.
        let faces = if is_line { 1 } else { 2 };
        let seam_face = [[one, other], [other, one]]
            .into_iter()
            .take(faces)
            .find(|[face, side]| is_wanted(corner, *face, *side) && is_seam(*face));
        seam_face.map(|[face, _]| (corner, face))
    }

    /// Whether a point lies inside another collider, or within `margin` of it. The collider must
    /// stop the class and must not be one-way.
    fn is_covered(&self, index: usize, class: ClassId, point: Vec2, margin: f32) -> bool {
        let mut covered = false;
        self.boxes.visit(FluidBounds::at(point).inflated(margin), |other| {
            let collider = &self.colliders[other as usize];
            covered = other as usize != index
                && collider.stops(class)
                && !collider.options.one_way
                && collider.distance(point) <= margin;
            covered
        });
        covered
    }

    /// Search radius around a path for the colliders that keep a particle out. With several
    /// colliders, it includes both sides of a narrow gap.
    pub(crate) fn containment_search_radius(&self) -> f32 {
        if self.colliders.len() > 1 { self.skin.max(self.seam_gap) } else { self.skin }
    }

    /// Where the path of a particle enters a gap between a corner of this collider and another
    /// collider that is too narrow for liquid. The line from the corner to the other collider is a
    /// wall. Gaps beside awake bodies are open, because they close by themselves.
    pub(crate) fn narrow_gap_entry(
        &self,
        path: ParticlePath,
        relative_path: RelativePath,
        slack: f32,
    ) -> Option<Entry> {
        let collider = &self.colliders[path.index];
        if collider.options.inside_out || collider.options.one_way || collider.is_awake_body() {
            return None;
        }
        let half = collider.shape.half_thickness();
        let reach = self.seam_gap + half;
        let mut first_entry: Option<Entry> = None;
        let path_bounds =
            FluidBounds::of(&[relative_path.start, relative_path.end]).inflated(reach);
        collider.shape.for_each_corner(path_bounds, |corner| {
            let at = collider.pose.to_world(corner);
            self.boxes.visit(FluidBounds::at(at).inflated(reach), |index| {
                let (index, other) = (index as usize, &self.colliders[index as usize]);
                if index == path.index
                    || !other.stops(path.class)
                    || other.options.one_way
                    || other.is_awake_body()
                {
                    return false;
                }
                let wall = other.query_wall(at, reach, 0.0).wall();
                let Some(wall) = wall.filter(|wall| wall.distance > half + slack) else {
                    return false;
                };
                let foot = collider.pose.to_local(wall.foot(at));
                let Some(entry) = relative_path.line_crossing(corner, foot, slack) else {
                    return false;
                };
                // The side of a step is not the boundary of a gap.
                let within = 0.5 * (corner + foot - entry.normal * corner.distance(foot));
                let is_gap = collider.shape.distance(within) > 0.0
                    && other.distance(collider.pose.to_world(within)) > 0.0;
                let fraction = |entry: Entry| relative_path.fraction(entry.point);
                if is_gap
                    && first_entry.is_none_or(|first_entry| fraction(entry) < fraction(first_entry))
                {
                    first_entry = Some(entry);
                }
                false
            });
        });
        first_entry
    }
}
