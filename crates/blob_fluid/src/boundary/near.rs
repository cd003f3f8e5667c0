//! Finds the walls near particles.

use std::borrow::Cow;
use std::ops::Range;

use glam::Vec2;

use crate::boundary::collider::Collider;
use crate::boundary::container::container_of;
use crate::boundary::free_disc::Exposed;
use crate::boundary::solids::Solids;
use crate::geometry::bounds::FluidBounds;
use crate::parallel::chunks::{CHUNK, GROUP, SECTION, parts};
use crate::settings::class::ClassId;

/// Largest number of colliders in a [`Near`]. If there are more, all colliders count as near.
const MAX_NEAR: usize = 32;

/// The walls near each section of a chunk of particles, and boxes around the groups of the sections
/// that are near walls.
#[derive(Debug)]
pub(crate) struct NearChunk {
    sections: [Option<Near>; CHUNK / SECTION],
    groups: [FluidBounds; CHUNK / GROUP],
    exposed: Exposed,
    particles: usize,
    reach: f32,
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
    pub(crate) fn around(&self, bounds: FluidBounds, reach: f32) -> Option<Near> {
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
    pub(crate) fn around_paths(&self, bounds: FluidBounds) -> FluidBounds {
        bounds.inflated(self.turn * bounds.half_size().max_element())
    }

    /// Restricts the walls near some particles to those near a smaller box. Returns `None` if none
    /// is left.
    fn closer(&self, near: &Near, bounds: FluidBounds, reach: f32) -> Option<Near> {
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
    fn may_meet(&self, index: u32, bounds: FluidBounds, grown: FluidBounds, reach: f32) -> bool {
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
        bounds_of: impl Fn(Range<usize>) -> FluidBounds,
        reach: f32,
    ) -> Option<NearChunk> {
        const SECTIONS: usize = CHUNK / SECTION;
        let is_exposed = |group: &Range<usize>| exposed.any_of_group(group.start);
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
        let near =
            self.around(boxes.into_iter().fold(FluidBounds::NONE, FluidBounds::union), reach)?;
        let (mut sections, mut groups) = ([None; SECTIONS], [FluidBounds::NONE; CHUNK / GROUP]);
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
    pub(crate) fn near_one<'a>(
        &self,
        near: &'a Near,
        bounds: FluidBounds,
        reach: f32,
    ) -> Cow<'a, Near> {
        if near.is_full() {
            Cow::Owned(self.around(bounds, reach).unwrap_or(Near::NONE))
        } else {
            Cow::Borrowed(near)
        }
    }

    /// Creates a [`Near`] without colliders, given whether there are `any` containers.
    fn near_containers(&self, any: bool, bounds: FluidBounds, reach: f32) -> Near {
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
        let way = FluidBounds { low: before.min(after), high: before.max(after) };
        self.boxes[index].intersects(self.around_paths(way).inflated(self.skin))
    }

    /// The near colliders that stop a class, and their indices.
    #[inline]
    pub(crate) fn stopping(
        &self,
        near: &Near,
        class: ClassId,
    ) -> impl Iterator<Item = (usize, &Collider)> + Clone {
        let indices = near.colliders(self.colliders.len());
        let stopping = indices.filter(move |index| self.colliders[*index].stops(class));
        stopping.map(|index| (index, &*self.colliders[index]))
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
            && container_of(&self.containers, point)
                .is_some_and(|home| home.depth(point) < clearance)
        {
            return false;
        }
        let near = self.near_one(near, FluidBounds { low: point, high: point }, clearance);
        self.stopping(&near, class).all(|(index, collider)| {
            !self.boxes[index].inflated(clearance).contains(point)
                || collider.wall_near(point, clearance, f32::INFINITY).wall().is_none()
        })
    }
}
