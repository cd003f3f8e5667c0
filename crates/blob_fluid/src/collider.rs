//! Colliders: solid shapes in the liquid's way.

use glam::Vec2;

use crate::bounds::Bounds;
use crate::range::{Check, OutOfRange};
use crate::solid::{Solid, SolidShape};
use crate::surface::NearSurface;

/// The outline of a collider, around its own centre.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub enum ColliderShape {
    /// A disc.
    Circle {
        /// Radius in world units.
        radius: f32,
    },
    /// A box.
    Rectangle {
        /// Half of the width and of the height, in world units.
        half_size: Vec2,
    },
}

/// A solid body that the liquid cannot enter, standing still or moving as it is told: the liquid
/// does not move it.
pub type Collider = Solid<ColliderShape>;

impl SolidShape for ColliderShape {
    const NAME: &'static str = "collider";

    fn validate(&self) -> Result<(), OutOfRange> {
        let check = Check(Self::NAME);
        match self {
            Self::Circle { radius } => check.size("radius", *radius),
            Self::Rectangle { half_size } => {
                check.size("half_size", half_size.x)?;
                check.size("half_size", half_size.y)
            }
        }
    }
}

impl Solid<ColliderShape> {
    /// A disc.
    ///
    /// # Errors
    ///
    /// As [`Solid::new`].
    pub fn circle(centre: Vec2, radius: f32) -> Result<Self, OutOfRange> {
        Self::new(ColliderShape::Circle { radius }, centre, Vec2::X)
    }

    /// A box along the axes.
    ///
    /// # Errors
    ///
    /// As [`Solid::new`].
    pub fn rectangle(centre: Vec2, half_size: Vec2) -> Result<Self, OutOfRange> {
        Self::new(ColliderShape::Rectangle { half_size }, centre, Vec2::X)
    }

    /// Distance to the surface, positive outside and negative inside.
    ///
    /// ```
    /// use blob_fluid::Collider;
    /// use glam::Vec2;
    /// let post = Collider::circle(Vec2::ZERO, 40.0)?;
    /// assert_eq!(post.distance(Vec2::new(50.0, 0.0)), 10.0);
    /// assert_eq!(post.distance(Vec2::new(0.0, 39.0)), -1.0);
    /// # Ok::<(), blob_fluid::OutOfRange>(())
    /// ```
    pub fn distance(&self, point: Vec2) -> f32 {
        self.nearest(self.pose.to_local(point)).1
    }

    /// Whether the surface may be within `reach` of a point in a box, or such a point inside, or a
    /// particle in it have passed through within `time` seconds.
    pub(crate) fn may_meet(&self, bounds: Bounds, reach: f32, time: f32) -> bool {
        let local = self.pose.to_local(bounds.centre()).abs();
        let half_size = self.pose.local_half_size(bounds.half_size());
        let speed = self.motion.velocity.length()
            + self.motion.angular_velocity.abs() * (local + half_size).length();
        let margin = reach + speed * time + bounds.rounding(self.centre());
        let extent = self.half_size() + half_size + margin;
        local.cmple(extent).all()
    }

    /// A box around where it is in the next `time` seconds, however it is turned.
    pub(crate) fn bounds(&self, time: f32) -> Bounds {
        let radius = self.half_size().length() + self.motion.velocity.length() * time;
        Bounds { low: self.centre() - radius, high: self.centre() + radius }
    }

    /// Half of the width and of the height of the shape.
    fn half_size(&self) -> Vec2 {
        match self.shape {
            ColliderShape::Circle { radius } => Vec2::splat(radius),
            ColliderShape::Rectangle { half_size } => half_size,
        }
    }

    /// Calls `visit` if the surface is within `reach` of a point, or the point inside.
    #[inline]
    pub(crate) fn near_surface(&self, point: Vec2, reach: f32, mut visit: impl FnMut(NearSurface)) {
        let local = self.pose.to_local(point);
        let extent = self.half_size();
        if local.abs().cmpgt(extent + reach).any() {
            return;
        }
        let (normal, distance) = self.nearest(local);
        if distance < reach {
            visit(self.near(point, self.pose.direction(normal), distance));
        }
    }

    /// Where a particle that came from `before` to `after` within the last `time` seconds met the
    /// surface, as seen from the moving collider: the place it may be at instead of `after`.
    ///
    /// `None` if it did not. What sits inside from the start comes out at the nearest place.
    pub(crate) fn stop(&self, before: Vec2, after: Vec2, time: f32) -> Option<(Vec2, NearSurface)> {
        let end = self.pose.to_local(after);
        // Where the particle would have been, had the collider stood here all along.
        let start = self.pose.to_local(before + self.motion.at(before - self.centre()) * time);
        let extent = self.half_size();
        if start.min(end).cmpgt(extent).any() || start.max(end).cmplt(-extent).any() {
            return None;
        }
        if let Some((normal, place)) = self.entry(start, end) {
            // It slides along the face it came through.
            let beyond = (end - place).dot(normal);
            let near = self.near(after, self.pose.direction(normal), beyond);
            return Some((self.pose.to_world(end - normal * beyond), near));
        }
        let (normal, distance) = self.nearest(end);
        if distance >= 0.0 {
            return None;
        }
        let near = self.near(after, self.pose.direction(normal), distance);
        Some((self.pose.to_world(end - normal * distance), near))
    }

    /// The outward normal at the nearest point of the surface, and the distance to it.
    fn nearest(&self, local: Vec2) -> (Vec2, f32) {
        match self.shape {
            ColliderShape::Circle { radius } => {
                let distance = local.length();
                let normal = if distance > 1e-6 * radius { local / distance } else { Vec2::Y };
                (normal, distance - radius)
            }
            ColliderShape::Rectangle { half_size } => {
                let sign = Vec2::ONE.copysign(local);
                let over = local.abs() - half_size;
                let outside = over.max(Vec2::ZERO);
                if outside == Vec2::ZERO {
                    let normal = if over.x > over.y { Vec2::X } else { Vec2::Y };
                    (normal * sign, over.max_element())
                } else {
                    let distance = outside.length();
                    (outside * sign / distance, distance)
                }
            }
        }
    }

    /// Outward normal and place where the way from `start`, outside, to `end` enters the shape.
    fn entry(&self, start: Vec2, end: Vec2) -> Option<(Vec2, Vec2)> {
        let way = end - start;
        // What lies on the surface may be inside by a rounding error.
        let slack = |size: f32| 1e-3 * size + 1e-6 * self.pose.centre.abs().max_element();
        match self.shape {
            ColliderShape::Circle { radius } => {
                let (along, squared) = (-start.dot(way), way.length_squared());
                let outside = start.length_squared() - radius * radius;
                let root = along * along - squared * outside;
                if outside < -2.0 * radius * slack(radius) || along <= 0.0 || root <= 0.0 {
                    return None;
                }
                let fraction = ((along - root.sqrt()) / squared).max(0.0);
                (fraction <= 1.0).then(|| {
                    let place = start + way * fraction;
                    let normal = place / place.length();
                    (normal, normal * radius)
                })
            }
            ColliderShape::Rectangle { half_size } => {
                // The latest of the entries through both pairs of faces.
                let (mut latest, mut normal) = (-1.0, Vec2::ZERO);
                let mut leaves = f32::INFINITY;
                for axis in [Vec2::X, Vec2::Y] {
                    let (from, step) = (start.dot(axis), way.dot(axis));
                    let half = half_size.dot(axis);
                    if step == 0.0 {
                        if from.abs() >= half {
                            return None;
                        }
                        continue;
                    }
                    let side = -1.0_f32.copysign(step);
                    let mut enters = (side * half - from) / step;
                    if side * from >= half - slack(half) {
                        enters = enters.max(0.0);
                    }
                    if enters > latest {
                        (latest, normal) = (enters, axis * side);
                    }
                    leaves = leaves.min((-side * half - from) / step);
                }
                if !(0.0..=1.0).contains(&latest) || latest >= leaves {
                    return None;
                }
                // Exactly on the face, which a rounded fraction of the way may miss.
                let place = start + way * latest;
                let beyond = place.dot(normal) - half_size.dot(normal.abs());
                Some((normal, place - normal * beyond))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::Motion;

    fn close(a: Vec2, b: Vec2) -> bool {
        (a - b).length() < 1e-4
    }

    #[test]
    fn what_comes_in_slides_along_the_face_it_came_through() {
        let floor = Collider::rectangle(Vec2::ZERO, Vec2::new(50.0, 10.0)).expect("valid");
        let (place, near) =
            floor.stop(Vec2::new(0.0, 12.0), Vec2::new(6.0, 4.0), 0.1).expect("met");
        assert!(close(place, Vec2::new(6.0, 10.0)) && close(near.normal, Vec2::Y), "{place}");
        assert!((near.distance + 6.0).abs() < 1e-4);
    }

    #[test]
    fn what_passed_through_is_brought_back() {
        let wall = Collider::rectangle(Vec2::ZERO, Vec2::new(1.0, 50.0)).expect("valid");
        let (place, near) =
            wall.stop(Vec2::new(-30.0, 0.0), Vec2::new(40.0, 7.0), 0.1).expect("met");
        assert!(close(place, Vec2::new(-1.0, 7.0)) && close(near.normal, Vec2::NEG_X), "{place}");
        let post = Collider::circle(Vec2::ZERO, 1.0).expect("valid");
        let (place, near) =
            post.stop(Vec2::new(-30.0, 0.0), Vec2::new(40.0, 0.0), 0.1).expect("met");
        assert!(close(place, Vec2::new(-1.0, 0.0)) && close(near.normal, Vec2::NEG_X), "{place}");
        assert!(post.stop(Vec2::new(-30.0, 2.0), Vec2::new(40.0, 2.0), 0.1).is_none());
    }

    #[test]
    fn a_collider_sweeps_up_what_it_passes() {
        let mut bat = Collider::rectangle(Vec2::ZERO, Vec2::new(1.0, 50.0)).expect("valid");
        bat = bat
            .with_motion(Motion { velocity: Vec2::new(1000.0, 0.0), ..Motion::STILL })
            .expect("valid");
        let resting = Vec2::new(20.0, 3.0);
        bat.advance(0.1);
        let (place, near) = bat.stop(resting, resting, 0.1).expect("met");
        assert!(close(place, Vec2::new(101.0, 3.0)), "{place}");
        assert!(close(near.velocity, Vec2::new(1000.0, 0.0)));
    }

    #[test]
    fn what_is_inside_from_the_start_comes_out_the_nearest_way() {
        let stone = Collider::circle(Vec2::splat(5.0), 10.0).expect("valid");
        let inside = Vec2::new(5.0, 12.0);
        let (place, _) = stone.stop(inside, inside, 0.1).expect("inside");
        assert!(close(place, Vec2::new(5.0, 15.0)), "{place}");
        let centre = Vec2::splat(5.0);
        assert!(stone.stop(centre, centre, 0.1).is_some());
        assert!(stone.stop(Vec2::new(5.0, 15.0), Vec2::new(8.0, 16.0), 0.1).is_none());
    }

    #[test]
    fn impossible_colliders_are_refused() {
        let error = Collider::circle(Vec2::ZERO, -1.0).expect_err("refused");
        assert_eq!((error.subject, error.field), ("collider", "radius"));
        assert!(Collider::rectangle(Vec2::ZERO, Vec2::new(1.0, f32::NAN)).is_err());
    }
}
