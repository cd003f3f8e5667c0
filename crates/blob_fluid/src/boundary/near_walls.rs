//! Visits the walls that act on a particle.
//!
//! The liquid that is missing behind a wall presses on the particle, as if the wall were flat and
//! endless. In a concave corner of at most a right angle each face of a shape is a wall: with the nearest
//! one alone the normal would jump from substep to substep, and the particle with it. Behind two walls there
//! may be the same missing liquid, which must count once:
//!
//! - A wall that lies behind a nearer one, or that continues it, is hidden. Such are the tiles of a
//!   floor.
//! - Of another wall only the part `1 - cos a` counts, where `a` is the angle between its normal and
//!   that of a nearer wall. Such are two tiles with a low step between them. Walls across a right
//!   angle or more, such as a floor and a side, count in full.
//!
//! The part changes while the particle goes past corners, where normals turn. Pressure acts against
//! this change as well: forces that are not the slope of the density would do work on liquid at rest,
//! which would simmer.

use glam::Vec2;

use crate::boundary::container::container_of;
use crate::boundary::near::Near;
use crate::boundary::solids::Solids;
use crate::boundary::wall::{NearWall, Nearness};
use crate::geometry::bounds::FluidBounds;
use crate::settings::class::ClassId;

/// Largest number of walls near one particle that are tested for hiding each other. If there are
/// more, only the nearest ones count.
const MAX_NEAR_WALLS: usize = 32;

/// How far along a wall its normal is looked up again, as a part of the distance from the wall.
const BEND_STEP: f32 = 0.02;

/// The walls near one particle. It is a buffer, which [`Solids::visit`] fills for each particle.
#[derive(Debug)]
pub(crate) struct NearWalls {
    walls: [NearWall; MAX_NEAR_WALLS],
    /// Indices of the walls, sorted by distance. Walls at the same distance keep their order.
    order: [usize; MAX_NEAR_WALLS],
    /// Whether each wall is hidden.
    hidden: [bool; MAX_NEAR_WALLS],
    count: usize,
    /// The walls of standing solids are at least this far away, in world units.
    pub free: f32,
}

impl NearWalls {
    /// An empty buffer.
    pub(crate) const NONE: Self = Self {
        walls: [NearWall::NONE; MAX_NEAR_WALLS],
        order: [0; MAX_NEAR_WALLS],
        hidden: [false; MAX_NEAR_WALLS],
        count: 0,
        free: 0.0,
    };

    /// Adds a wall. If there are too many, the farthest one is left out.
    #[inline]
    fn push(&mut self, wall: NearWall) {
        let Self { walls, order, count, free, .. } = self;
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

impl Solids {
    /// Calls `visit` for every wall that acts on a `particle`, given as (home, point, class): every
    /// wall that is within `reach` of the point, or that the point is beyond, and that stops the
    /// class. These are the walls of the container that `home` belongs to, and colliders. Hidden
    /// walls are not visited. `walls` is a buffer.
    #[inline]
    pub(crate) fn visit(
        &self,
        near: &Near,
        particle: (Vec2, Vec2, ClassId),
        reach: f32,
        walls: &mut NearWalls,
        mut visit: impl FnMut(&NearWall),
    ) {
        self.find_shown(near, particle, reach, walls);
        for (wall, hidden) in walls.walls[..walls.count].iter().zip(&walls.hidden) {
            if !hidden {
                visit(wall);
            }
        }
    }

    /// Calls `visit` for the parts of walls that press on a particle: as [`visit`](Self::visit), but
    /// of each wall only the part that no nearer one shares, with the slope of that part. Where the
    /// slope comes from the nearer wall, it is visited too, with a part of 0 and at the distance of
    /// the other wall, so that it bears the reaction.
    #[inline]
    pub(crate) fn visit_pressing(
        &self,
        near: &Near,
        particle: (Vec2, Vec2, ClassId),
        reach: f32,
        walls: &mut NearWalls,
        mut visit: impl FnMut(&NearWall),
    ) {
        self.find_shown(near, particle, reach, walls);
        match walls.count {
            0 => {}
            1 => visit(&walls.walls[0]),
            count => {
                for index in (0..count).filter(|index| !walls.hidden[*index]) {
                    self.visit_part(particle.1, walls, index, &mut visit);
                }
            }
        }
    }

    /// Finds the walls that [`visit`](Self::visit) visits, and the hidden ones.
    #[inline]
    fn find_shown(
        &self,
        near: &Near,
        particle: (Vec2, Vec2, ClassId),
        reach: f32,
        walls: &mut NearWalls,
    ) {
        self.find_walls(near, particle, reach, walls);
        walls.hidden[walls.order[0]] = false;
        for rank in 1..walls.count {
            walls.hidden[walls.order[rank]] = self.is_hidden(particle, walls, rank);
        }
    }

    /// Finds the walls near a particle.
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
        if near.has_containers()
            && let Some(container) = container_of(&self.containers, home)
        {
            container.near_walls(point, reach, |wall| walls.push(wall));
            walls.free = walls.free.min(container.free(point));
        }
        let near = &*self.near_one(near, FluidBounds { low: point, high: point }, reach);
        for (index, collider) in self.stopping(near, class) {
            let margin = if self.is_buried(index) { 0.0 } else { reach };
            if !self.boxes[index].inflated(margin).contains(point) {
                continue;
            }
            match collider.wall_near(point, reach, self.jump_depth) {
                Nearness::Far => {}
                Nearness::NotActing => walls.free = 0.0,
                Nearness::Near(wall) => {
                    let (collider, fade_in) = (Some(index as u32), self.colliders[index].fade_in());
                    let wall = self.across_seam(index, class, point, wall);
                    let mut among_faces = false;
                    self.colliders[index].for_each_other_face(point, reach, &wall, |face| {
                        among_faces = true;
                        walls.push(NearWall { collider, fade_in, ..face });
                    });
                    walls.push(NearWall { collider, fade_in, among_faces, ..wall });
                }
            }
        }
    }

    /// Whether of several walls near a particle one that is nearer hides the one with this `rank`.
    #[inline]
    fn is_hidden(
        &self,
        (home, point, _): (Vec2, Vec2, ClassId),
        NearWalls { walls, order, .. }: &NearWalls,
        rank: usize,
    ) -> bool {
        let wall = &walls[order[rank]];
        let foot = wall.foot(point);
        let way = FluidBounds { low: point.min(foot), high: point.max(foot) };
        let way = way.inflated(self.seam_gap);
        let hides = |other: &NearWall| match other.collider.map(|other| other as usize) {
            // A face of the same shape hides what lies behind it.
            Some(_) if other.collider == wall.collider => {
                (foot - other.foot(point)).dot(other.normal) <= 0.0
            }
            Some(other) => {
                self.boxes[other].intersects(way)
                    && self.colliders[other].hides(point, foot, self.seam_gap)
            }
            // A container's own walls do not hide each other.
            None => {
                let container = || container_of(&self.containers, home);
                wall.collider.is_some()
                    && container().is_some_and(|home| home.depth(foot) <= self.seam_gap)
            }
        };
        // The order is reversed because the wall that hides this one is usually only slightly
        // nearer.
        order[..rank].iter().rev().any(|index| hides(&walls[*index]))
    }

    /// Visits the part of a wall that nearer walls do not share.
    #[inline]
    fn visit_part(
        &self,
        point: Vec2,
        NearWalls { walls, order, hidden, count, .. }: &NearWalls,
        index: usize,
        visit: &mut impl FnMut(&NearWall),
    ) {
        let wall = &walls[index];
        let shares = |nearer: &NearWall| {
            // A container's own walls are parts of one shape.
            let in_container = nearer.collider.is_none() && wall.collider.is_none();
            !in_container && nearer.normal.dot(wall.normal) > 0.0
        };
        let nearer = order[..*count].iter().take_while(|nearer| **nearer != index);
        let nearer = nearer.filter(|nearer| !hidden[**nearer]).map(|nearer| &walls[*nearer]);
        let sharing = nearer.filter(|nearer| shares(nearer));
        if sharing.clone().next().is_none() {
            visit(wall);
            return;
        }
        let left = |nearer: &NearWall| 1.0 - nearer.normal.dot(wall.normal).min(1.0);
        let part: f32 = sharing.clone().map(left).product();
        let (along, bend) = (wall.normal.perp(), self.bend(point, wall));
        let mut slope = Vec2::ZERO;
        for (number, nearer) in sharing.clone().enumerate() {
            let others = sharing.clone().enumerate().filter(|(other, _)| *other != number);
            let others: f32 = wall.fade_in * others.map(|(_, other)| left(other)).product::<f32>();
            slope -= along * (others * along.dot(nearer.normal) * bend);
            let along = nearer.normal.perp();
            let bend = self.bend(point, nearer);
            if bend > 0.0 {
                let slope = along * (-others * along.dot(wall.normal) * bend);
                let NearWall { collider, velocity, .. } = *nearer;
                visit(&NearWall { collider, velocity, fade_in: 0.0, slope, ..*wall });
            }
        }
        visit(&NearWall { fade_in: wall.fade_in * part, slope, ..*wall });
    }

    /// How fast a wall's normal turns while a point goes along the wall, in radians per world unit: 0
    /// for a flat wall, one of several faces, and a container's. Limited near corners, where pressure would otherwise
    /// change too fast for a substep.
    fn bend(&self, point: Vec2, wall: &NearWall) -> f32 {
        let Some(collider) = wall.collider.filter(|_| !wall.among_faces) else { return 0.0 };
        let most = 1.0 / wall.distance.max(self.least_bend_radius);
        let bend = self.colliders[collider as usize].bend(point, wall, BEND_STEP / most);
        bend.clamp(0.0, most)
    }
}
