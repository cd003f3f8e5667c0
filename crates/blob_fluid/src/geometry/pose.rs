//! Poses: translation and rotation.

use std::ops::Mul;

use glam::{Vec2, Vec2Swizzles};

use crate::settings::declare::settings;
use crate::settings::range::{Check, Limits};
use crate::stored::stored;
use crate::{FluidBounds, FluidShape, OutOfRange};

/// Farthest centre from the origin along each axis, in world units. Nothing moves beyond it.
const FARTHEST: f32 = Limits::VAST.most;

/// A translation and a rotation: the pose of a solid, a nozzle or another local coordinate system.
///
/// ```
/// use blob_fluid::Pose;
/// use glam::Vec2;
/// // A quarter turn.
/// let body = Pose::new(Vec2::new(10.0, 0.0), Vec2::Y);
/// assert_eq!(body.to_world(Vec2::X), Vec2::new(10.0, 1.0));
/// assert_eq!(body.to_local(Vec2::new(10.0, 1.0)), Vec2::X);
/// let part = Pose::from_translation(Vec2::new(0.0, 5.0));
/// assert_eq!((body * part).translation, Vec2::new(5.0, 0.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct Pose {
    /// Position of the local origin, in world units; within ±1e12.
    pub translation: Vec2,
    /// Cosine and sine of the angle, counter-clockwise.
    pub rotation: Vec2,
}

stored!(Pose {
    translation in Limits::VAST,
    rotation in Limits::FINITE,
} check Self::validate);

impl Default for Pose {
    fn default() -> Self {
        Self::IDENTITY
    }
}

/// `frame * local` converts a local pose to a pose in the world. The resulting rotation is not
/// normalised.
impl Mul for Pose {
    type Output = Self;

    fn mul(self, local: Self) -> Self {
        Self {
            translation: self.to_world(local.translation),
            rotation: self.to_world_direction(local.rotation),
        }
    }
}

impl Pose {
    /// The origin, not rotated.
    pub const IDENTITY: Self = Self { translation: Vec2::ZERO, rotation: Vec2::X };

    /// Creates a pose from a translation, in world units, and a rotation, which holds the cosine
    /// and the sine of its counter-clockwise angle.
    pub const fn new(translation: Vec2, rotation: Vec2) -> Self {
        Self { translation, rotation }
    }

    /// Creates a pose without a rotation from a translation, in world units.
    pub const fn from_translation(translation: Vec2) -> Self {
        Self { translation, rotation: Vec2::X }
    }

    /// Checks that the translation is within its limits and the rotation a unit vector.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] for a translation beyond ±1e12, and for a rotation whose length is not 1.
    pub fn validate(&self) -> Result<(), OutOfRange> {
        self.checked(Check("pose"), "translation").map(|_| ())
    }

    /// Checks that the translation, called `place` in errors, is within its limits and the
    /// rotation a unit vector, and normalises the rotation.
    pub(crate) fn checked(self, check: Check, place: &'static str) -> Result<Self, OutOfRange> {
        let Self { translation, rotation } = self;
        for value in translation.to_array() {
            Limits::VAST.check(check.0, place, value)?;
        }
        let length = rotation.length();
        check.that((length - 1.0).abs() < 1e-3, "rotation", length, "a unit vector")?;
        Ok(Self { translation, rotation: rotation / length })
    }

    /// Converts a point of the world to a local point.
    pub fn to_local(self, point: Vec2) -> Vec2 {
        self.to_local_direction(point - self.translation)
    }

    /// Converts a direction in the world to a local direction.
    pub fn to_local_direction(self, direction: Vec2) -> Vec2 {
        Vec2::new(direction.dot(self.rotation), direction.dot(self.rotation.perp()))
    }

    /// Half of the width and height of a box around a rotated box. The result holds for a rotation
    /// in either direction.
    fn turned_half_size(self, half_size: Vec2) -> Vec2 {
        let turned = self.rotation.abs();
        Vec2::new(half_size.dot(turned), half_size.dot(turned.yx()))
    }

    /// Converts a local point to a point of the world.
    pub fn to_world(self, local: Vec2) -> Vec2 {
        self.translation + self.to_world_direction(local)
    }

    /// Converts a local direction to a direction in the world.
    pub fn to_world_direction(self, local: Vec2) -> Vec2 {
        self.rotation * local.x + self.rotation.perp() * local.y
    }

    /// A box around a shape with this pose.
    pub(crate) fn bounds(self, shape: &FluidShape) -> FluidBounds {
        let local = shape.bounds();
        let (centre, half_size) = (local.centre(), local.half_size());
        if !half_size.is_finite() {
            return FluidBounds::ALL;
        }
        let extent = self.turned_half_size(half_size);
        let around = self.to_world(centre);
        let bounds = FluidBounds { low: around - extent, high: around + extent };
        bounds.inflated(bounds.rounding(self.translation))
    }

    /// Converts a box of the world to a box in the shape's coordinates, slightly enlarged for
    /// rounding.
    #[inline]
    pub(crate) fn to_local_bounds(self, bounds: FluidBounds) -> FluidBounds {
        let centre = self.to_local(bounds.centre());
        let extent = self.turned_half_size(bounds.half_size()) + bounds.rounding(self.translation);
        FluidBounds { low: centre - extent, high: centre + extent }
    }

    /// The pose after `time` seconds of a motion.
    pub(crate) fn after(self, motion: Motion, time: f32) -> Self {
        let mut rotation = self.rotation;
        if motion.angular_velocity != 0.0 {
            // `tangent` is the tangent of half the angle, from the first terms of its series. This
            // rotates without sines, which differ between platforms. The largest possible rotation
            // is nearly half a turn.
            let half = (0.5 * motion.angular_velocity * time).clamp(-100.0, 100.0);
            let square = half * half;
            let tangent = half * (1.0 + square * (1.0 / 3.0 + square * (2.0 / 15.0)));
            let tangent = tangent.clamp(-1e6, 1e6);
            let turned = Vec2::new(1.0 - tangent * tangent, 2.0 * tangent).rotate(rotation);
            rotation = turned / turned.length();
        }
        Self { translation: self.translation + motion.velocity * time, rotation }.within_reach()
    }

    /// The pose with its translation clamped to ±[`FARTHEST`].
    pub(crate) fn within_reach(self) -> Self {
        let farthest = Vec2::splat(FARTHEST);
        Self { translation: self.translation.clamp(-farthest, farthest), ..self }
    }

    /// The pose interpolated between this one (`fraction` 0) and another one (1), which is less
    /// than half a turn away.
    pub(crate) fn between(self, other: Self, fraction: f32) -> Self {
        let rotation = self.rotation.lerp(other.rotation, fraction);
        Self {
            translation: self.translation.lerp(other.translation, fraction),
            rotation: rotation.try_normalize().unwrap_or(self.rotation),
        }
    }

    /// The motion that leads to another pose in `time` seconds.
    pub(crate) fn motion_to(self, other: Self, time: f32) -> Motion {
        let turn =
            Vec2::new(self.rotation.dot(other.rotation), self.rotation.perp_dot(other.rotation));
        // An eighth of the angle has a tangent so small that a few terms of the series are enough.
        let halved = |turn: Vec2| (turn + Vec2::X * turn.length()).normalize_or(Vec2::Y);
        let eighth = halved(halved(halved(turn)));
        let tangent = eighth.y / eighth.x;
        let square = tangent * tangent;
        let series = 1.0 - square * (1.0 / 3.0 - square * (1.0 / 5.0 - square * (1.0 / 7.0)));
        Motion {
            velocity: (other.translation - self.translation) / time,
            angular_velocity: 8.0 * tangent * series / time,
        }
    }
}

// Velocity and angular velocity of containers and colliders.

settings! {
    /// Motion of a container or a collider. The motion stays constant until you change it.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Motion: Default as "motion" with validate in files with default {
        /// Velocity of its centre.
        pub velocity: Vec2 [within 1e12] in "world units/s" = 0,
        /// Angular velocity about its centre, counter-clockwise.
        pub angular_velocity: f32 [within 1e12] in "rad/s" = 0,
    }
}

stored!(settings Motion, check Self::validate);

impl Motion {
    /// No motion.
    pub const STILL: Self = Self { velocity: Vec2::ZERO, angular_velocity: 0.0 };

    /// Velocity of the solid's point at `offset` from the centre, in world units/s.
    pub fn at(self, offset: Vec2) -> Vec2 {
        self.velocity + self.angular_velocity * offset.perp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_of_many_small_steps_comes_round() {
        let motion = Motion { angular_velocity: std::f32::consts::TAU, ..Motion::STILL };
        let start = Pose::IDENTITY;
        let mut pose = start;
        for _ in 0..1000 {
            pose = pose.after(motion, 1e-3);
        }
        assert!((pose.rotation - start.rotation).length() < 1e-3, "{pose:?}");
    }

    #[test]
    fn between_two_poses_the_way_is_straight_and_the_turn_even() {
        let start = Pose::new(Vec2::new(1.0, 2.0), Vec2::X);
        let end = Pose::new(Vec2::new(3.0, -2.0), Vec2::Y);
        let half = start.between(end, 0.5);
        assert!(half.translation.distance(Vec2::new(2.0, 0.0)) < 1e-6, "{half:?}");
        assert!(half.rotation.distance(Vec2::splat(0.5_f32.sqrt())) < 1e-6, "{half:?}");
        assert_eq!(start.between(end, 0.0), start);
        let behind = Pose { rotation: Vec2::NEG_X, ..end };
        assert!(start.between(behind, 0.5).rotation.is_finite());
    }

    #[test]
    fn a_motion_leads_to_the_pose_that_it_was_made_for() {
        let start = Pose::new(Vec2::new(3.0, 4.0), Vec2::new(0.6, 0.8));
        for (tangent, bound) in [(0.001_f32, 1e-6), (-0.1, 1e-6), (0.2, 1e-5), (-0.5, 1e-3)] {
            let turn = Vec2::new(1.0 - tangent * tangent, 2.0 * tangent);
            let rotation = turn.rotate(start.rotation) / (1.0 + tangent * tangent);
            let end = Pose::new(Vec2::new(-5.0, 7.0), rotation);
            let reached = start.after(start.motion_to(end, 0.02), 0.02);
            assert!(reached.translation.distance(end.translation) < 1e-5, "{reached:?}");
            assert!(reached.rotation.distance(rotation) < bound, "{reached:?}, not {rotation}");
        }
    }
}
