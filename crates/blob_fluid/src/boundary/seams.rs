//! Seams: where a collider touches, overlaps or nearly touches another one, both act as one solid.
//!
//! A face inside a seam stops no particle. Such are the sides of the tiles of a floor: a particle that
//! slides over the floor would lose its speed at them.

use glam::Vec2;

use crate::boundary::collider::{Collider, Way};
use crate::boundary::near::Near;
use crate::boundary::solids::Solids;
use crate::boundary::wall::NearWall;
use crate::geometry::bounds::FluidBounds;
use crate::geometry::shape::{Corner, Entry, Face};
use crate::settings::class::ClassId;

/// Largest height of a step in a seam that particles pass without being stopped, in seam gaps.
const STEP: f32 = 0.5;

/// Distance from a corner at which a particle goes on that has passed a seam, in slacks.
const CLEARANCE: f32 = 4.0;

/// Smallest cosine of the angle between the normals of what counts as the same face.
const SAME: f32 = 0.99;

/// A particle's way from `before` to `after` in the world, through one collider.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passage {
    pub index: usize,
    pub class: ClassId,
    pub before: Vec2,
    pub after: Vec2,
}

impl Solids {
    /// Distance below which rounding hides on which side of a collider's edge a particle is.
    pub(crate) fn slack(&self, collider: &Collider) -> f32 {
        let rests = collider.previous_pose == collider.pose;
        collider.slack().max(if rests { 0.0 } else { self.skin })
    }

    /// Where a particle on its way enters a collider. A face within a seam is passed by: the way goes
    /// on above the next face.
    pub(crate) fn entry(&self, passage: Passage, way: Way, slack: f32) -> Option<Entry> {
        let collider = &self.colliders[passage.index];
        let entry = collider.entry(way, slack)?;
        match self.beyond_seam(passage, way, entry, slack) {
            Some(start) => collider.entry(Way { start, ..way }, slack),
            None => Some(entry),
        }
    }

    /// Whether a particle on its way enters another collider before it enters this one after a
    /// `fraction` of the way. Only resting colliders count, or with `moving` all colliders.
    pub(crate) fn enters_another(
        &self,
        near: &Near,
        passage: Passage,
        fraction: f32,
        moving: bool,
    ) -> bool {
        let Passage { before, after, .. } = passage;
        self.stopping(near, passage.class).any(|(index, collider)| {
            let counts = index != passage.index && (moving || !collider.moves());
            if !counts || !self.is_in_the_way(index, before, after) {
                return false;
            }
            let slack = self.slack(collider);
            let Some(way) = collider.way(before, after, slack) else { return false };
            let entry = self.entry(Passage { index, ..passage }, way, slack);
            entry.is_some_and(|entry| {
                // A particle that lies on a wall enters it by rounding.
                let beyond = (way.end - entry.point).dot(entry.normal);
                beyond < -slack && way.fraction(entry.point) < fraction
            })
        })
    }

    /// Where a particle's way goes on, in the collider's frame, if it entered the collider through a
    /// face within a seam: at the corner with the next face, above that face.
    fn beyond_seam(&self, passage: Passage, way: Way, entry: Entry, slack: f32) -> Option<Vec2> {
        let (corner, face) =
            self.seam(passage.index, passage.class, entry.point, |_, face, side| {
                side.normal.dot(entry.normal) > SAME && face.normal.dot(entry.normal) < SAME
            })?;
        let from = way.start - corner;
        let comes_from_beyond =
            from.dot(face.normal) >= -STEP * self.seam_gap && from.dot(face.along) >= -slack;
        comes_from_beyond.then(|| corner + face.normal * (CLEARANCE * slack))
    }

    /// The wall near a point, where a face beyond a seam continues it.
    pub(crate) fn across_seam(
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
        let seam = self.seam(index, class, local - normal * wall.distance, |corner, face, side| {
            let from = local - corner;
            side.normal.dot(normal) > 1e-3
                && from.dot(face.along) > 0.0
                && from.dot(face.normal) >= -STEP * self.seam_gap
        });
        let Some((corner, face)) = seam else { return wall };
        let distance = (local - corner).dot(face.normal);
        NearWall { normal: pose.direction(face.normal), distance, ..wall }
    }

    /// The corner near a point of a collider's edge, and the `wanted` one of its two faces, if
    /// another collider continues this face beyond the corner. The third argument of `wanted` is the
    /// other face.
    ///
    /// Before the face must be room, as for no face at the bottom of a wedge.
    fn seam(
        &self,
        index: usize,
        class: ClassId,
        point: Vec2,
        wanted: impl Fn(Vec2, Face, Face) -> bool,
    ) -> Option<(Vec2, Face)> {
        let collider = &self.colliders[index];
        if collider.options.inside_out {
            return None;
        }
        let step = STEP * self.seam_gap;
        let Corner { point: corner, faces: [one, other] } = collider.shape.corner(point, step)?;
        let is_solid = |face: Face, along: f32, above: f32| {
            let offset = face.along * along + face.normal * above;
            self.covers(index, class, collider.pose.to_world(corner + offset))
        };
        let is_seam = |face: Face| {
            is_solid(face, self.seam_gap, -self.seam_gap) && !is_solid(face, -step, step)
        };
        let found = [[one, other], [other, one]]
            .into_iter()
            .find(|[face, side]| wanted(corner, *face, *side) && is_seam(*face));
        found.map(|[face, _]| (corner, face))
    }

    /// Whether a point lies inside another collider that stops the class from all sides.
    fn covers(&self, index: usize, class: ClassId, point: Vec2) -> bool {
        let mut covered = false;
        self.boxes.visit(FluidBounds { low: point, high: point }, |other| {
            let collider = &self.colliders[other as usize];
            covered = other as usize != index
                && collider.stops(class)
                && !collider.options.one_way
                && collider.distance(point) <= 0.0;
            covered
        });
        covered
    }
}
