//! Stops bodies on their way through colliders.
//!
//! Contacts stop a body at the end of a substep. Where they do not, because the body is too fast or is
//! pressed from several sides, it only goes as far as the points below its corners stay on their
//! sides of every collider.

use glam::Vec2;

use crate::boundary::collider_record::ColliderRecord;
use crate::boundary::solids::Solids;
use crate::geometry::pose::Pose;
use crate::geometry::shape::Entry;

/// Rounds in which bodies are stopped. One that was stopped may stop others.
const ROUNDS: usize = 2;

/// Number of times that the way of a body is shortened because of one collider.
const SHORTENINGS: usize = 4;

/// Distance from an edge at which a body is stopped, in units of the collider's
/// [slack](crate::boundary::solid::Solid::slack).
const MARGIN: f32 = 4.0;

impl Solids {
    /// Shortens the ways of the bodies that pass through a collider in this substep.
    pub(super) fn stop_bodies(&mut self) {
        for _ in 0..ROUNDS {
            let mut any = false;
            for rank in 0..self.boxes.movers().len() {
                let index = self.boxes.mover(rank);
                let fraction = self.free_way(index);
                if fraction < 1.0 {
                    self.colliders[index].go_only(fraction);
                    any = true;
                }
            }
            if !any {
                return;
            }
        }
    }

    /// Fraction of the way of a collider in this substep before it meets others; 1 for all but bodies.
    fn free_way(&self, index: usize) -> f32 {
        let body = &self.colliders[index];
        let has_contacts = body.options.body.is_some_and(|body| !body.ignore_contacts);
        if !has_contacts || body.is_attached() || body.pose == body.previous_pose {
            return 1.0;
        }
        let bounds = self.boxes[index];
        let mut fraction = 1.0;
        self.boxes.visit(bounds, |other_index| {
            let other = &self.colliders[other_index as usize];
            if other_index as usize != index
                && other.stops_bodies()
                && self.boxes[other_index as usize].intersects(bounds)
            {
                fraction = f32::min(fraction, free_way_beside(body, other, self.core_depth));
            }
            false
        });
        fraction
    }
}

/// A solid at a fraction of its way in this substep.
#[derive(Clone, Copy)]
struct OnItsWay<'a> {
    solid: &'a ColliderRecord,
    pose: Pose,
}

/// Fraction of the way of a `body` in this substep before it meets `other`, which goes all of its
/// way.
fn free_way_beside(body: &ColliderRecord, other: &ColliderRecord, depth: f32) -> f32 {
    let other = OnItsWay { solid: other, pose: other.pose };
    let at = |fraction| {
        let pose = body.previous_pose.between(body.pose, fraction);
        OnItsWay { solid: body, pose }
    };
    let (start, mut fraction) = (at(0.0), 1.0);
    for _ in 0..SHORTENINGS {
        let body =
            if fraction < 1.0 { at(fraction) } else { OnItsWay { pose: body.pose, ..start } };
        let of_body = body.solid.corners().iter().map(|corner| {
            let point = body.solid.below(*corner, depth);
            free_part(point, [start, other], [body, other])
        });
        let of_other = other.solid.corners().iter().map(|corner| {
            let point = other.solid.below(*corner, depth);
            free_part(point, [other, start], [other, body])
        });
        let part = of_body.chain(of_other).fold(1.0, f32::min);
        if part >= 1.0 {
            break;
        }
        fraction *= part;
    }
    fraction
}

/// Fraction of the way of a point of one solid, relative to another solid, before it meets the other
/// one. It is 1 as well if the point meets it where the body stands `still`, which the body cannot
/// avoid, and if the point comes back from the far side, as seen from the centre of its solid.
fn free_part(point: Vec2, still: [OnItsWay<'_>; 2], moved: [OnItsWay<'_>; 2]) -> f32 {
    let [of, walls] = moved;
    let local = |point: Vec2| walls.solid.previous_pose.to_local(point);
    let start = local(of.solid.previous_pose.to_world(point));
    let end = |[of, walls]: [OnItsWay<'_>; 2]| walls.pose.to_local(of.pose.to_world(point));
    let (end, still_end) = (end(moved), end(still));
    let Some(Entry { normal, point: met }) = walls.solid.enters(start, end) else { return 1.0 };
    let comes_back = (local(of.solid.previous_pose.centre) - met).dot(normal) < 0.0;
    let (height, end_height) = ((still_end - met).dot(normal), (end - met).dot(normal));
    if comes_back || height <= end_height || walls.solid.enters(start, still_end).is_some() {
        return 1.0;
    }
    let margin = MARGIN * walls.solid.slack();
    ((height - margin) / (height - end_height)).clamp(0.0, 1.0)
}
