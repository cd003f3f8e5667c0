//! The path out of colliders that touch or overlap.
//!
//! A particle inside a collider leaves by the shortest path. If that path ends in another collider,
//! the particle takes the shortest path, of eight directions, that leaves all colliders. Otherwise
//! a particle between two tiles would oscillate forever.

use std::f32::consts::FRAC_1_SQRT_2;

use glam::Vec2;

use crate::boundary::collider_record::ColliderRecord;
use crate::boundary::container::container_of;
use crate::boundary::solids::Solids;
use crate::geometry::shape::Entry;
use crate::{ClassId, FluidBounds, Pose};

const DIRECTIONS: [Vec2; 8] = [
    Vec2::Y,
    Vec2::X,
    Vec2::NEG_X,
    Vec2::NEG_Y,
    Vec2::new(FRAC_1_SQRT_2, FRAC_1_SQRT_2),
    Vec2::new(-FRAC_1_SQRT_2, FRAC_1_SQRT_2),
    Vec2::new(FRAC_1_SQRT_2, -FRAC_1_SQRT_2),
    Vec2::new(-FRAC_1_SQRT_2, -FRAC_1_SQRT_2),
];

/// Largest number of steps of a search in one direction. A step is at least as long as the depth.
const MAX_STEPS: u32 = 64;

impl Solids {
    /// Unit direction and length, in world units, of the shortest path from a point to the outside
    /// of all colliders that stop a class. Returns `None` if no direction leads outside.
    pub(crate) fn escape_path(&self, point: Vec2, class: ClassId) -> Option<(Vec2, f32)> {
        let container = container_of(&self.containers, point);
        let paths = DIRECTIONS.into_iter().filter_map(|direction| {
            let mut distance = 0.0;
            for _ in 0..MAX_STEPS {
                let position = point + distance * direction;
                if container.is_some_and(|container| container.depth(position) < 0.0) {
                    return None;
                }
                let depth = self.depth(position, class);
                if depth <= 0.0 {
                    return Some((direction, distance));
                }
                distance += depth.max(self.seam_gap);
            }
            None
        });
        paths.min_by(|one, other| one.1.total_cmp(&other.1))
    }

    /// Depth of a point inside the colliders that stop a class; 0 outside. The colliders are
    /// enlarged by the seam gap, so that the seams between them count as inside.
    fn depth(&self, point: Vec2, class: ClassId) -> f32 {
        let bounds = FluidBounds::at(point).inflated(self.seam_gap);
        let mut deepest = 0.0_f32;
        self.boxes.visit(bounds, |index| {
            let index = index as usize;
            let collider = &self.colliders[index];
            if collider.stops(class) && !collider.options.one_way {
                deepest = deepest.max(self.seam_gap - collider.distance(point));
            }
            false
        });
        deepest
    }
}

// Stops bodies on their paths through colliders.
//
// Contacts stop a body at the end of a substep. They may fail if the body is too fast or is pushed
// from several sides. Then its path is shortened, so that no point below its corners crosses the
// edge of a collider.

/// Number of rounds in which paths are shortened. A body that was stopped may stop others.
const MAX_ROUNDS: usize = 2;

/// Largest number of times that the path of a body is shortened because of one collider.
const MAX_SHORTENINGS: usize = 4;

/// Distance from an edge at which a body is stopped, in units of the collider's
/// [slack](crate::boundary::solid::Solid::slack).
const STOP_MARGIN: f32 = 4.0;

/// Smallest depth of a point below the edge of a polygon, line or field at which it counts, as a
/// fraction of the intended depth. Solids that rest on each other overlap by less.
const MIN_DEPTH_FRACTION: f32 = 0.25;

impl Solids {
    /// Shortens the paths of the bodies that pass through a collider in this substep.
    pub(super) fn shorten_body_paths(&mut self) {
        for _ in 0..MAX_ROUNDS {
            let mut any_shortened = false;
            for rank in 0..self.boxes.movers().len() {
                let index = self.boxes.mover(rank);
                let fraction = self.fraction_until_impact(index);
                if fraction < 1.0 {
                    self.colliders[index].shorten_path(fraction);
                    any_shortened = true;
                }
            }
            if !any_shortened {
                return;
            }
        }
    }

    /// Fraction of a body's path in this substep before it hits a collider; 1 for other colliders.
    fn fraction_until_impact(&self, index: usize) -> f32 {
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
                fraction =
                    f32::min(fraction, fraction_until_impact_with(body, other, self.core_depth));
            }
            false
        });
        fraction
    }
}

/// A solid at a pose on its path through this substep.
#[derive(Clone, Copy)]
struct SolidAtPose<'a> {
    solid: &'a ColliderRecord,
    pose: Pose,
}

impl SolidAtPose<'_> {
    /// Whether a point lies deeper below the edge than other solids that rest on this one. A thin
    /// line has no such points. Points at its edge would stop every body that slides over it.
    fn is_below_contact_depth(self, point: Vec2, depth: f32) -> bool {
        self.solid.distance(self.pose.to_world(point)) <= -MIN_DEPTH_FRACTION * depth
    }
}

/// Fraction of the path of a `body` in this substep before it hits `other`, which moves along its
/// whole path.
fn fraction_until_impact_with(body: &ColliderRecord, other: &ColliderRecord, depth: f32) -> f32 {
    let other = SolidAtPose { solid: other, pose: other.pose };
    let at_fraction = |fraction| {
        let pose = body.previous_pose.between(body.pose, fraction);
        SolidAtPose { solid: body, pose }
    };
    let (start, mut fraction) = (at_fraction(0.0), 1.0);
    for _ in 0..MAX_SHORTENINGS {
        let body = if fraction < 1.0 {
            at_fraction(fraction)
        } else {
            SolidAtPose { pose: body.pose, ..start }
        };
        let of_body = body.solid.corners().iter().map(|corner| {
            let point = body.solid.core_point(*corner, depth);
            point_fraction_until_impact(point, [start, other], [body, other])
        });
        let of_other = other.solid.corners().iter().filter_map(|corner| {
            let point = other.solid.core_point(*corner, depth);
            let counts = !other.solid.has_side_test() || other.is_below_contact_depth(point, depth);
            counts.then(|| point_fraction_until_impact(point, [other, start], [other, body]))
        });
        let point_fraction = of_body.chain(of_other).fold(1.0, f32::min);
        if point_fraction >= 1.0 {
            break;
        }
        fraction *= point_fraction;
    }
    fraction
}

/// Fraction of the path of a point of one solid, relative to another solid, before it hits the other
/// solid. It is 1 if the body cannot avoid the hit, because it would also occur while the body stands
/// `stationary`. The result is also 1 if the point returns from the far side, as seen from the centre
/// of its solid.
fn point_fraction_until_impact(
    point: Vec2,
    stationary: [SolidAtPose<'_>; 2],
    moving: [SolidAtPose<'_>; 2],
) -> f32 {
    let [body, walls] = moving;
    let local = |point: Vec2| walls.solid.previous_pose.to_local(point);
    let start = local(body.solid.previous_pose.to_world(point));
    let end = |[body, walls]: [SolidAtPose<'_>; 2]| walls.pose.to_local(body.pose.to_world(point));
    let (end, stationary_end) = (end(moving), end(stationary));
    let Some(Entry { normal, point: hit_point }) = walls.solid.segment_entry(start, end) else {
        return 1.0;
    };
    let returns_from_far_side =
        (local(body.solid.previous_pose.translation) - hit_point).dot(normal) < 0.0;
    let (height, end_height) =
        ((stationary_end - hit_point).dot(normal), (end - hit_point).dot(normal));
    if returns_from_far_side
        || height <= end_height
        || walls.solid.segment_entry(start, stationary_end).is_some()
    {
        return 1.0;
    }
    let margin = STOP_MARGIN * walls.solid.slack();
    ((height - margin) / (height - end_height)).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ClassTable, Collider, Container};

    /// Rectangles, by their lower left and upper right corners.
    fn solids(rectangles: &[[f32; 4]]) -> Solids {
        let mut solids = Solids { seam_gap: 0.2, ..Solids::default() };
        for [left, bottom, right, top] in rectangles {
            let (low, high) = (Vec2::new(*left, *bottom), Vec2::new(*right, *top));
            let collider = Collider::rectangle(0.5 * (low + high), 0.5 * (high - low));
            solids.insert_collider(collider.expect("valid"), 1.0, &ClassTable::default());
        }
        solids
    }

    #[test]
    fn the_escape_path_from_a_wall_of_tiles_is_to_its_side() {
        let wall =
            solids(&[[0.0, 0.0, 20.0, 20.0], [0.0, 20.0, 20.0, 40.0], [0.0, 40.0, 20.0, 60.0]]);
        let point = Vec2::new(8.0, 20.5);
        let (direction, distance) = wall.escape_path(point, ClassId(0)).expect("one leads out");
        assert_eq!(direction, Vec2::NEG_X);
        assert!((8.0..9.0).contains(&distance), "{distance}");
        assert_eq!(wall.escape_path(Vec2::new(-1.0, 30.0), ClassId(0)).expect("outside").1, 0.0);
    }

    #[test]
    fn there_may_be_no_escape_path() {
        let mut rock = solids(&[[-50.0, -50.0, 50.0, 50.0]]);
        assert!(rock.escape_path(Vec2::ZERO, ClassId(0)).is_some());
        let container = Container::rectangle(Vec2::ZERO, Vec2::splat(40.0)).expect("valid");
        rock.containers.insert(container);
        assert_eq!(rock.escape_path(Vec2::ZERO, ClassId(0)), None);
    }
}
