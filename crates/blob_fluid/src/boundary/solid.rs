//! What containers and colliders have in common: where they are, how they move and grip.

use glam::Vec2;

use crate::boundary::surface::{NearWall, WallProperties};
use crate::geometry::bounds::Bounds;
use crate::geometry::motion::Motion;
use crate::geometry::pose::Pose;
use crate::geometry::shape::Shape;
use crate::settings::range::{Check, OutOfRange};

/// What makes a [`Solid`] a container or a collider.
pub trait SolidOptions: Clone + Default + PartialEq {
    /// What errors call it.
    const NAME: &'static str;

    /// Checks what it holds.
    ///
    /// # Errors
    ///
    /// [`OutOfRange`] names the first field outside its range.
    fn validate(&self) -> Result<(), OutOfRange> {
        Ok(())
    }

    /// Whether the liquid and gravity move it.
    fn is_body(&self) -> bool {
        false
    }
}

/// A shape at a place, standing still or moving as it is told, unless it is a [body](crate::Body).
///
/// [`Container`](crate::Container) and [`Collider`](crate::Collider) are the two kinds.
#[derive(Clone, Debug, PartialEq)]
pub struct Solid<Options> {
    pub(crate) shape: Shape,
    pub(crate) pose: Pose,
    /// Where it stood when the substep began.
    pub(crate) before: Pose,
    pub(crate) motion: Motion,
    pub(crate) wall: WallProperties,
    /// How far it is put elsewhere with the next advance, on top of its motion.
    pub(crate) shift: Vec2,
    pub(crate) options: Options,
}

impl<Options: SolidOptions> Solid<Options> {
    /// A solid of that shape, turned counter-clockwise by the angle whose cosine and sine
    /// `rotation` holds, standing still.
    ///
    /// # Errors
    ///
    /// [`OutOfRange`] for sizes that are not finite or not above zero, a centre that is not
    /// finite, and a rotation whose length is not 1.
    pub fn new(shape: Shape, centre: Vec2, rotation: Vec2) -> Result<Self, OutOfRange> {
        shape.validate().map_err(|error| OutOfRange { subject: Options::NAME, ..error })?;
        let pose = Pose::new(Check(Options::NAME), centre, rotation)?;
        let (motion, wall, options) =
            (Motion::STILL, WallProperties::default(), Options::default());
        Ok(Self { shape, pose, before: pose, motion, wall, shift: Vec2::ZERO, options })
    }

    /// A disc.
    ///
    /// # Errors
    ///
    /// As [`Solid::new`].
    pub fn circle(centre: Vec2, radius: f32) -> Result<Self, OutOfRange> {
        Self::new(Shape::Circle { radius }, centre, Vec2::X)
    }

    /// A rectangle along the axes.
    ///
    /// # Errors
    ///
    /// As [`Solid::new`].
    pub fn rectangle(centre: Vec2, half_size: Vec2) -> Result<Self, OutOfRange> {
        Self::new(Shape::Rectangle { half_size }, centre, Vec2::X)
    }

    /// The same solid elsewhere, standing still.
    ///
    /// # Errors
    ///
    /// [`OutOfRange`] for a centre that is not finite, and a rotation whose length is not 1.
    pub fn placed(self, centre: Vec2, rotation: Vec2) -> Result<Self, OutOfRange> {
        let pose = Pose::new(Check(Options::NAME), centre, rotation)?;
        Ok(Self { pose, before: pose, motion: Motion::STILL, shift: Vec2::ZERO, ..self })
    }

    /// The same solid with a surface that grips.
    ///
    /// # Errors
    ///
    /// As [`WallProperties::validate`].
    pub fn with_wall(self, wall: WallProperties) -> Result<Self, OutOfRange> {
        wall.validate()?;
        Ok(Self { wall, ..self })
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

    /// The outline, around its own centre.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The centre, in world units.
    pub fn centre(&self) -> Vec2 {
        self.pose.centre
    }

    /// Cosine and sine of the angle the shape is turned by, counter-clockwise.
    pub fn rotation(&self) -> Vec2 {
        self.pose.rotation
    }

    /// Centre and rotation when the present or the last substep began.
    pub fn previous_pose(&self) -> (Vec2, Vec2) {
        (self.before.centre, self.before.rotation)
    }

    /// How the surface grips.
    pub fn wall(&self) -> WallProperties {
        self.wall
    }

    /// How the solid moves.
    pub fn motion(&self) -> Motion {
        self.motion
    }

    /// Whether it is a [body](crate::Body) that the liquid moves.
    pub fn is_body(&self) -> bool {
        self.options.is_body()
    }

    /// Whether it moves.
    pub(crate) fn moves(&self) -> bool {
        self.motion != Motion::STILL || self.options.is_body()
    }

    /// Whether the next advance changes anything of it.
    pub(crate) fn is_under_way(&self) -> bool {
        self.moves() || self.before != self.pose || self.shift != Vec2::ZERO
    }

    /// Moves on by `time` seconds of its motion.
    pub(crate) fn advance(&mut self, time: f32) {
        self.before = self.pose;
        self.pose = self.pose.after(self.motion, time);
        self.pose.centre += std::mem::take(&mut self.shift);
    }

    /// A box around where it was and where it is, and all that it swept over in between.
    pub(crate) fn swept(&self) -> Bounds {
        let bounds = self.pose.bounds(&self.shape);
        if self.before == self.pose {
            return bounds;
        }
        let (local, turned) = (self.shape.bounds(), self.before.rotation != self.pose.rotation);
        let around = |pose: Pose| {
            let farthest = local.low.abs().max(local.high.abs()).length();
            Bounds { low: pose.centre, high: pose.centre }.inflated(farthest)
        };
        if turned {
            around(self.before).union(around(self.pose))
        } else {
            self.before.bounds(&self.shape).union(bounds)
        }
    }

    /// A distance below which rounding hides on which side of the surface a point is.
    pub(crate) fn slack(&self) -> f32 {
        let bounds = self.shape.bounds();
        let extent = bounds.low.abs().max(bounds.high.abs()).max_element();
        let extent = if extent.is_finite() { extent } else { 0.0 };
        32.0 * f32::EPSILON * (extent + self.centre().abs().max_element())
    }

    /// The surface as seen from a point near it.
    pub(crate) fn near(&self, point: Vec2, normal: Vec2, distance: f32) -> NearWall {
        let velocity = self.motion.at(point - self.centre());
        NearWall { collider: None, fade_in: 1.0, normal, distance, velocity, properties: self.wall }
    }
}
