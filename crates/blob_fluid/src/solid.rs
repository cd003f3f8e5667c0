//! What containers and colliders have in common: where they are, how they move and grip.

use glam::Vec2;

use crate::range::{Check, OutOfRange};
use crate::surface::{Motion, NearSurface, Pose, Surface};

/// The outline of a [`Solid`].
pub trait SolidShape: Copy {
    /// Checks the sizes.
    ///
    /// # Errors
    ///
    /// [`OutOfRange`] for sizes that are not finite or not above zero.
    fn validate(&self) -> Result<(), OutOfRange>;

    /// What errors call it.
    const NAME: &'static str;
}

/// A shape at a place, standing still or moving as it is told: the liquid does not move it.
///
/// [`Container`](crate::Container) and [`Collider`](crate::Collider) are the two kinds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solid<Shape> {
    pub(crate) shape: Shape,
    pub(crate) pose: Pose,
    pub(crate) motion: Motion,
    pub(crate) surface: Surface,
}

impl<Shape: SolidShape> Solid<Shape> {
    /// A solid of that shape, turned counter-clockwise by the angle whose cosine and sine
    /// `rotation` holds, standing still.
    ///
    /// # Errors
    ///
    /// [`OutOfRange`] for sizes that are not finite or not above zero, a centre that is not
    /// finite, and a rotation whose length is not 1.
    pub fn new(shape: Shape, centre: Vec2, rotation: Vec2) -> Result<Self, OutOfRange> {
        shape.validate()?;
        let pose = Pose::new(Check(Shape::NAME), centre, rotation)?;
        Ok(Self { shape, pose, motion: Motion::STILL, surface: Surface::default() })
    }

    /// The same solid with a surface that grips.
    ///
    /// # Errors
    ///
    /// As [`Surface::validate`].
    pub fn with_surface(self, surface: Surface) -> Result<Self, OutOfRange> {
        surface.validate()?;
        Ok(Self { surface, ..self })
    }

    /// The same solid moving, pushing or taking the liquid along.
    ///
    /// # Errors
    ///
    /// As [`Motion::validate`].
    pub fn with_motion(self, motion: Motion) -> Result<Self, OutOfRange> {
        motion.validate()?;
        Ok(Self { motion, ..self })
    }

    /// The outline.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The centre, in world units.
    pub fn centre(&self) -> Vec2 {
        self.pose.centre
    }

    /// Cosine and sine of the angle the shape is turned by, counter-clockwise.
    pub fn rotation(&self) -> Vec2 {
        self.pose.rotation
    }

    /// How the surface grips.
    pub fn surface(&self) -> Surface {
        self.surface
    }

    /// How the solid moves.
    pub fn motion(&self) -> Motion {
        self.motion
    }

    /// Whether it moves.
    pub(crate) fn moves(&self) -> bool {
        self.motion != Motion::STILL
    }

    /// Moves on by `time` seconds of its motion.
    pub(crate) fn advance(&mut self, time: f32) {
        self.pose = self.pose.after(self.motion, time);
    }

    /// The surface as seen from a point near it.
    pub(crate) fn near(&self, point: Vec2, normal: Vec2, distance: f32) -> NearSurface {
        let velocity = self.motion.at(point - self.centre());
        NearSurface { normal, distance, velocity, surface: self.surface }
    }
}
