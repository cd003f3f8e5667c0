//! What solid surfaces do to the liquid that touches them, and how they move.

use glam::{Vec2, Vec2Swizzles};

use crate::bounds::Bounds;
use crate::range::{Check, OutOfRange};
use crate::ranges::solids::{motion, surface};
use crate::shape::Shape;

/// How a wall or a collider grips the liquid (Clavet et al. 2005, Algorithm 6), and how warm it is.
///
/// ```
/// use blob_fluid::{Container, Surface};
/// use glam::Vec2;
/// let sticky = Surface { friction: Some(1.0), stickiness: 4.0, ..Default::default() };
/// let jar = Container::circle(Vec2::ZERO, 200.0)?.with_surface(sticky)?;
/// assert_eq!(jar.surface().friction, Some(1.0));
/// # Ok::<(), blob_fluid::OutOfRange>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct Surface {
    /// `mu`, 0 to 1: 0 lets the liquid slip, 1 holds what touches the surface. A particle that hits
    /// it loses that part of its tangential speed; within a particle spacing the tangential speed
    /// decays at the rate `mu/(1 - mu)` per T0, less with distance. `None` (default) for
    /// [`Settling::wall_friction`](crate::Settling::wall_friction), which reaches half an
    /// interaction radius, and no loss on impact. Always relative to the surface's own motion.
    pub friction: Option<f32>,
    /// `k_stick`, in 1/T0²; 0 to 1000. Pulls particles within
    /// [`stick_distance`](Self::stick_distance) towards the surface by
    /// `dt k_stick d (1 - d/d_stick)`: 4 holds a film against gravity. Default 0.
    pub stickiness: f32,
    /// `d_stick`, in particle spacings; above 0, up to 6. No more than the interaction radius counts.
    /// Default 2.
    pub stick_distance: f32,
    /// How much the liquid clings of itself, where walls count liquid in behind them
    /// ([`Wall::Ghost`](crate::Wall::Ghost)); 0 to 1. Default 1: a thin film and a few drops
    /// stay behind. At 0 the surface is dry: it holds the liquid off, and pulls at nothing.
    pub wetting: f32,
    /// Temperature, within ±1000000, that it gives to the liquid that touches it; `None` (default)
    /// gives and takes no heat.
    pub temperature: Option<f32>,
}

impl Default for Surface {
    fn default() -> Self {
        Self {
            friction: None,
            stickiness: 0.0,
            stick_distance: 2.0,
            wetting: 1.0,
            temperature: None,
        }
    }
}

impl Surface {
    /// Checks every field.
    ///
    /// # Errors
    ///
    /// [`OutOfRange`] names the first field outside its range.
    pub fn validate(&self) -> Result<(), OutOfRange> {
        surface::FRICTION.check_all(self.friction)?;
        surface::STICKINESS.check(self.stickiness)?;
        surface::STICK_DISTANCE.check(self.stick_distance)?;
        surface::WETTING.check(self.wetting)?;
        surface::TEMPERATURE.check_all(self.temperature)
    }
}

/// How a wall or a collider moves: steadily, until told otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct Motion {
    /// Velocity of its centre, in world units/s; finite. Default 0.
    pub velocity: Vec2,
    /// Counter-clockwise, about its centre, in radians/s; finite. Default 0.
    pub angular_velocity: f32,
}

impl Motion {
    /// Standing still.
    pub const STILL: Self = Self { velocity: Vec2::ZERO, angular_velocity: 0.0 };

    /// Checks every field.
    ///
    /// # Errors
    ///
    /// [`OutOfRange`] names the first field that is not finite.
    pub fn validate(&self) -> Result<(), OutOfRange> {
        motion::VELOCITY.check_all(self.velocity.to_array())?;
        motion::ANGULAR_VELOCITY.check(self.angular_velocity)
    }

    /// Velocity of the material point at `offset` from the centre.
    pub(crate) fn at(self, offset: Vec2) -> Vec2 {
        self.velocity + self.angular_velocity * offset.perp()
    }
}

/// Where something stands and how it is turned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pose {
    pub centre: Vec2,
    /// Cosine and sine of the angle, counter-clockwise.
    pub rotation: Vec2,
}

impl Pose {
    /// Checks that the centre is finite and the rotation a unit vector, and makes it exactly one.
    pub(crate) fn new(check: Check, centre: Vec2, rotation: Vec2) -> Result<Self, OutOfRange> {
        check.finite("centre", &centre.to_array())?;
        let length = rotation.length();
        check.that((length - 1.0).abs() < 1e-3, "rotation", length, "a unit vector")?;
        Ok(Self { centre, rotation: rotation / length })
    }

    pub(crate) fn to_local(self, point: Vec2) -> Vec2 {
        let offset = point - self.centre;
        Vec2::new(offset.dot(self.rotation), offset.dot(self.rotation.perp()))
    }

    /// Half of the size that a turned box has along the axes it was turned from, either way.
    fn turned_half_size(self, half_size: Vec2) -> Vec2 {
        let turned = self.rotation.abs();
        Vec2::new(half_size.dot(turned), half_size.dot(turned.yx()))
    }

    pub(crate) fn to_world(self, local: Vec2) -> Vec2 {
        self.centre + self.direction(local)
    }

    /// A local direction in the world.
    pub(crate) fn direction(self, local: Vec2) -> Vec2 {
        self.rotation * local.x + self.rotation.perp() * local.y
    }

    /// A box around a shape that stands so.
    pub(crate) fn bounds(self, shape: &Shape) -> Bounds {
        let local = shape.bounds();
        let (centre, half_size) = (local.centre(), local.half_size());
        if !half_size.is_finite() {
            return Bounds::ALL;
        }
        let extent = self.turned_half_size(half_size);
        let around = self.to_world(centre);
        let bounds = Bounds { low: around - extent, high: around + extent };
        bounds.grown(bounds.rounding(self.centre))
    }

    /// A box of the world as seen from the shape, a little larger.
    #[inline]
    pub(crate) fn to_local_bounds(self, bounds: Bounds) -> Bounds {
        let centre = self.to_local(bounds.centre());
        let extent = self.turned_half_size(bounds.half_size()) + bounds.rounding(self.centre);
        Bounds { low: centre - extent, high: centre + extent }
    }

    /// The pose after `time` seconds of a motion.
    pub(crate) fn after(self, motion: Motion, time: f32) -> Self {
        let mut rotation = self.rotation;
        if motion.angular_velocity != 0.0 {
            // Half the angle as a tangent: a rotation without sines, which differ between platforms.
            // Nearly half a turn is as far as it goes at once.
            let half = (0.5 * motion.angular_velocity * time).clamp(-1e6, 1e6);
            let turned = Vec2::new(1.0 - half * half, 2.0 * half).rotate(rotation);
            rotation = turned / turned.length();
        }
        Self { centre: self.centre + motion.velocity * time, rotation }
    }
}

/// A surface near a particle: the unit normal pointing into the liquid, the distance to the
/// surface, negative beyond it, and the surface's own velocity there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NearSurface {
    /// The collider's index; none for a container.
    pub collider: Option<u32>,
    /// How much of the liquid's pressure the surface bears, 0 to 1: less than all where a collider
    /// has just jumped into liquid.
    pub presence: f32,
    pub normal: Vec2,
    pub distance: f32,
    pub velocity: Vec2,
    pub surface: Surface,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_surfaces_are_refused_by_field() {
        let bad: [(&str, fn(&mut Surface)); 8] = [
            ("friction", |s| s.friction = Some(1.5)),
            ("friction", |s| s.friction = Some(f32::NAN)),
            ("stickiness", |s| s.stickiness = -1.0),
            ("stick_distance", |s| s.stick_distance = 0.0),
            ("stick_distance", |s| s.stick_distance = f32::INFINITY),
            ("wetting", |s| s.wetting = -0.1),
            ("wetting", |s| s.wetting = f32::NAN),
            ("temperature", |s| s.temperature = Some(f32::NAN)),
        ];
        for (field, change) in bad {
            let mut surface = Surface::default();
            change(&mut surface);
            assert_eq!(surface.validate().expect_err(field).field, field);
        }
        let motion = Motion { angular_velocity: f32::NAN, ..Motion::STILL };
        assert_eq!(motion.validate().expect_err("refused").field, "angular_velocity");
    }

    #[test]
    fn a_turn_of_many_small_steps_comes_round() {
        let motion = Motion { angular_velocity: std::f32::consts::TAU, ..Motion::STILL };
        let start = Pose { centre: Vec2::ZERO, rotation: Vec2::X };
        let mut pose = start;
        for _ in 0..1000 {
            pose = pose.after(motion, 1e-3);
        }
        assert!((pose.rotation - start.rotation).length() < 1e-3, "{pose:?}");
    }
}
