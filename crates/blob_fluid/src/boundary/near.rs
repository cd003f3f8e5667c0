//! Finds the walls near particles, and visits those that act on each particle.

use std::borrow::Cow;
use std::ops::Range;

use glam::Vec2;

use crate::boundary::collider::Collider;
use crate::boundary::container::container_of;
use crate::boundary::free_disc::Exposed;
use crate::boundary::solids::Solids;
use crate::boundary::wall::{NearWall, Nearness};
use crate::geometry::bounds::Bounds;
use crate::parallel::chunks::{CHUNK, GROUP, SECTION, parts};
use crate::settings::class::ClassId;

/// Largest number of colliders in a [`Near`]. If there are more, all colliders count as near.
const MAX_NEAR: usize = 32;

/// Largest number of walls near one particle that are tested for hiding each other. If there are
/// more, only the nearest ones count.
const MAX_NEAR_WALLS: usize = 32;

/// The walls near each section of a chunk of particles, and boxes around the groups of the sections
/// that are near walls.
#[derive(Debug)]
pub(crate) struct NearChunk {
    sections: [Option<Near>; CHUNK / SECTION],
    groups: [Bounds; CHUNK / GROUP],
    exposed: Exposed,
    particles: usize,
    reach: f32,
}

/// The walls near one particle. It is a buffer, which [`Solids::visit`] fills for each particle.
#[derive(Debug)]
pub(crate) struct NearWalls {
    walls: [NearWall; MAX_NEAR_WALLS],
    /// Indices of the walls, sorted by distance. Walls at the same distance keep their order.
    order: [usize; MAX_NEAR_WALLS],
    count: usize,
    /// The walls of standing solids are at least this far away, in world units.
    pub free: f32,
}

impl NearWalls {
    /// An empty buffer.
    pub(crate) const NONE: Self = Self {
        walls: [NearWall::NONE; MAX_NEAR_WALLS],
        order: [0; MAX_NEAR_WALLS],
        count: 0,
        free: 0.0,
    };

    /// Adds a wall. If there are too many, the farthest one is left out.
    #[inline]
    fn push(&mut self, wall: NearWall) {
        let Self { walls, order, count, free } = self;
        *free = free.min(wall.distance);
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

/// The walls that may be near some particles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Near {
    by_containers: bool,
    colliders: [u32; MAX_NEAR],
    /// Number of colliders. If it is above [`MAX_NEAR`], all colliders count as near.
    count: usize,
}

impl Near {
    /// No walls are near.
    pub(crate) const NONE: Self = Self { by_containers: false, colliders: [0; MAX_NEAR], count: 0 };

    /// Whether a container's wall may be near.
    pub(crate) fn has_containers(&self) -> bool {
        self.by_containers
    }

    /// Whether no colliders are near.
    pub(crate) fn has_no_colliders(&self) -> bool {
        self.count == 0
    }

    /// Adds a collider.
    fn push(&mut self, index: u32) {
        if let Some(entry) = self.colliders.get_mut(self.count) {
            *entry = index;
        }
        self.count += 1;
    }

    /// Whether there are so many colliders that all count as near.
    fn is_full(&self) -> bool {
        self.count > MAX_NEAR
    }

    /// Sorts the colliders by index.
    fn sort(&mut self) {
        if let Some(some) = self.colliders.get_mut(..self.count) {
            some.sort_unstable();
        }
    }

    /// Returns `Some(self)` unless it is empty.
    fn if_any(self) -> Option<Self> {
        (self.by_containers || self.count > 0).then_some(self)
    }

    /// The indices of the colliders; `None` if all count.
    fn some_colliders(&self) -> Option<&[u32]> {
        self.colliders.get(..self.count)
    }

    /// The indices of the colliders, in ascending order. `all` is the number of colliders in the
    /// world.
    fn colliders(&self, all: usize) -> impl Iterator<Item = usize> + Clone + '_ {
        let some = self.some_colliders();
        let every = if some.is_some() { 0..0 } else { 0..all };
        some.unwrap_or_default().iter().map(|index| *index as usize).chain(every)
    }
}

impl Solids {
    /// Finds the walls that may be within `reach` of a particle in a box, or that such a particle
    /// may be beyond or have passed in this substep. Returns `None` if there are none.
    pub(crate) fn around(&self, bounds: Bounds, reach: f32) -> Option<Near> {
        let mut near = self.near_containers(!self.containers.is_empty(), bounds, reach);
        let grown = self.around_paths(bounds).inflated(reach + bounds.rounding(Vec2::ZERO));
        self.boxes.visit(grown, |index| {
            if self.may_meet(index, bounds, grown, reach) {
                near.push(index);
            }
            near.is_full()
        });
        near.sort();
        near.if_any()
    }

    /// A box around the paths in the world of particles that stay in the box `bounds`, which are
    /// curved if they are straight relative to a turning collider.
    #[inline]
    pub(crate) fn around_paths(&self, bounds: Bounds) -> Bounds {
        bounds.inflated(self.turn * bounds.half_size().max_element())
    }

    /// Restricts the walls near some particles to those near a smaller box. Returns `None` if none
    /// is left.
    fn closer(&self, near: &Near, bounds: Bounds, reach: f32) -> Option<Near> {
        let Some(colliders) = near.some_colliders() else { return self.around(bounds, reach) };
        let mut closer = self.near_containers(near.by_containers, bounds, reach);
        let grown = self.around_paths(bounds).inflated(reach + bounds.rounding(Vec2::ZERO));
        for index in colliders {
            if self.may_meet(*index, bounds, grown, reach) {
                closer.push(*index);
            }
        }
        closer.if_any()
    }

    /// Whether a collider may be near particles in the box `bounds`. `grown` is that box, enlarged
    /// by `reach`.
    #[inline]
    fn may_meet(&self, index: u32, bounds: Bounds, grown: Bounds, reach: f32) -> bool {
        let index = index as usize;
        // Particles outside a buried collider are nearer to others that hide it.
        let (grown, reach) =
            if self.is_buried(index) { (grown.inflated(-reach), 0.0) } else { (grown, reach) };
        self.boxes[index].intersects(grown) && self.colliders[index].may_meet(bounds, reach)
    }

    /// Finds the walls near a chunk of at most [`CHUNK`] `particles`, of which only some are
    /// `exposed`. `bounds_of` returns the box around a range of them. Returns `None` if no wall is
    /// near.
    #[inline]
    pub(crate) fn near_chunk(
        &self,
        particles: usize,
        exposed: Exposed,
        bounds_of: impl Fn(Range<usize>) -> Bounds,
        reach: f32,
    ) -> Option<NearChunk> {
        const SECTIONS: usize = CHUNK / SECTION;
        let is_exposed = |group: &Range<usize>| exposed.any_of_group(group.start);
        let mut boxes = [Bounds::NONE; SECTIONS];
        for (bounds, section) in boxes.iter_mut().zip(parts(0..particles, SECTION)) {
            let groups = parts(section.clone(), GROUP);
            *bounds = if groups.clone().all(|group| is_exposed(&group)) {
                bounds_of(section)
            } else {
                groups.filter(is_exposed).map(&bounds_of).fold(Bounds::NONE, Bounds::union)
            };
        }
        if boxes.iter().all(|bounds| *bounds == Bounds::NONE) {
            return None;
        }
        let near = self.around(boxes.into_iter().fold(Bounds::NONE, Bounds::union), reach)?;
        let (mut sections, mut groups) = ([None; SECTIONS], [Bounds::NONE; CHUNK / GROUP]);
        for (index, section) in parts(0..particles, SECTION).enumerate() {
            sections[index] = self.closer(&near, boxes[index], reach);
            if sections[index].is_some() {
                for group in parts(section, GROUP).filter(is_exposed) {
                    groups[group.start / GROUP] = bounds_of(group.clone());
                }
            }
        }
        Some(NearChunk { sections, groups, exposed, particles, reach })
    }

    /// Calls `visit`, in order, for every group of a chunk that may be near walls, with these
    /// walls. Of the group only the exposed particles are near them.
    #[inline]
    pub(crate) fn for_each_group(
        &self,
        chunk: &NearChunk,
        mut visit: impl FnMut(Range<usize>, &Near),
    ) {
        let NearChunk { sections, groups, exposed, particles, reach } = chunk;
        for (section, near) in parts(0..*particles, SECTION).zip(sections) {
            let Some(near) = near else { continue };
            for group in parts(section, GROUP).filter(|group| exposed.any_of_group(group.start)) {
                if let Some(near) = self.closer(near, groups[group.start / GROUP], *reach) {
                    visit(group, &near);
                }
            }
        }
    }

    /// The walls near one particle of those that `near` belongs to. It is `near` itself, unless
    /// `near` has too many colliders to list: then the colliders are searched again for the
    /// particle's box.
    #[inline]
    pub(crate) fn near_one<'a>(&self, near: &'a Near, bounds: Bounds, reach: f32) -> Cow<'a, Near> {
        if near.is_full() {
            Cow::Owned(self.around(bounds, reach).unwrap_or(Near::NONE))
        } else {
            Cow::Borrowed(near)
        }
    }

    /// Creates a [`Near`] without colliders, given whether there are `any` containers.
    fn near_containers(&self, any: bool, bounds: Bounds, reach: f32) -> Near {
        let by_containers = any
            && match &self.containers[..] {
                [only] => only.may_meet(bounds, reach),
                // The container of a particle depends on its previous position, so every container
                // counts.
                _ => true,
            };
        Near { by_containers, ..Near::NONE }
    }

    /// Whether a collider may meet the segment between two points. `false` is certain.
    #[inline]
    pub(crate) fn is_in_the_way(&self, index: usize, before: Vec2, after: Vec2) -> bool {
        let way = Bounds { low: before.min(after), high: before.max(after) };
        self.boxes[index].intersects(self.around_paths(way).inflated(self.skin))
    }

    /// The near colliders that stop a class, and their indices.
    #[inline]
    pub(crate) fn stopping(
        &self,
        near: &Near,
        class: ClassId,
    ) -> impl Iterator<Item = (usize, &Collider)> + Clone {
        let stopping = move |index: &usize| self.stops[*index].contains(class);
        let indices = near.colliders(self.colliders.len()).filter(stopping);
        indices.map(|index| (index, &self.colliders[index]))
    }

    /// Whether a point is inside a container, if there are any, and at least `clearance` away from
    /// every wall that acts on the class. `near` must be the walls within that distance.
    pub(crate) fn is_clear(
        &self,
        near: &Near,
        point: Vec2,
        class: ClassId,
        clearance: f32,
    ) -> bool {
        if near.by_containers
            && container_of(&self.containers, point).is_some_and(|own| own.depth(point) < clearance)
        {
            return false;
        }
        let near = self.near_one(near, Bounds { low: point, high: point }, clearance);
        self.stopping(&near, class).all(|(index, collider)| {
            !self.boxes[index].inflated(clearance).contains(point)
                || collider.wall_near(point, clearance, f32::INFINITY).wall().is_none()
        })
    }

    /// Calls `visit` for every wall that acts on a `particle`, given as (home, point, class): every
    /// wall that is within `reach` of the point, or that the point is beyond, and that stops the
    /// class. These are the walls of the container that `home` belongs to, and colliders. A wall
    /// that lies behind another one, or that continues it, is hidden and not visited. `walls` is a
    /// buffer.
    #[inline]
    pub(crate) fn visit(
        &self,
        near: &Near,
        particle: (Vec2, Vec2, ClassId),
        reach: f32,
        walls: &mut NearWalls,
        mut visit: impl FnMut(&NearWall),
    ) {
        self.find_walls(near, particle, reach, walls);
        match &walls.walls[..walls.count] {
            [] => {}
            [only] => visit(only),
            several => {
                let hidden = self.hidden(particle, walls);
                for (wall, hidden) in several.iter().zip(hidden) {
                    if !hidden {
                        visit(wall);
                    }
                }
            }
        }
    }

    /// Finds the walls that [`visit`](Self::visit) visits, and the hidden ones.
    #[inline]
    fn find_walls(
        &self,
        near: &Near,
        (home, point, class): (Vec2, Vec2, ClassId),
        reach: f32,
        walls: &mut NearWalls,
    ) {
        walls.count = 0;
        walls.free = reach;
        if near.by_containers
            && let Some(container) = container_of(&self.containers, home)
        {
            container.near_walls(point, reach, |wall| walls.push(wall));
            walls.free = walls.free.min(container.free(point));
        }
        let near = &*self.near_one(near, Bounds { low: point, high: point }, reach);
        for (index, collider) in self.stopping(near, class) {
            let margin = if self.is_buried(index) { 0.0 } else { reach };
            if !self.boxes[index].inflated(margin).contains(point) {
                continue;
            }
            match collider.wall_near(point, reach, self.jump_depth) {
                Nearness::Far => {}
                Nearness::NotActing => walls.free = 0.0,
                Nearness::Near(wall) => {
                    let (collider, fade_in) = (Some(index as u32), self.fade_in[index]);
                    walls.push(NearWall { collider, fade_in, ..wall });
                }
            }
        }
    }

    /// For each of several walls near a particle, whether another one hides it.
    fn hidden(
        &self,
        (home, point, _): (Vec2, Vec2, ClassId),
        NearWalls { walls, order, count, .. }: &NearWalls,
    ) -> [bool; MAX_NEAR_WALLS] {
        let mut hidden = [false; MAX_NEAR_WALLS];
        for rank in 1..*count {
            let wall = &walls[order[rank]];
            let foot = point - wall.normal * wall.distance;
            let way = Bounds { low: point.min(foot), high: point.max(foot) };
            let way = way.inflated(self.seam_gap);
            let hides = |other: &NearWall| match other.collider.map(|other| other as usize) {
                Some(other) => {
                    self.boxes[other].intersects(way)
                        && self.colliders[other].hides(point, foot, self.seam_gap)
                }
                // A container's own walls do not hide each other.
                None => {
                    let container = || container_of(&self.containers, home);
                    wall.collider.is_some()
                        && container().is_some_and(|own| own.depth(foot) <= self.seam_gap)
                }
            };
            // The order is reversed because the wall that hides this one is usually only slightly
            // nearer.
            let mut nearer = order[..rank].iter().rev().map(|index| &walls[*index]);
            hidden[order[rank]] = nearer.any(hides);
        }
        hidden
    }
}
