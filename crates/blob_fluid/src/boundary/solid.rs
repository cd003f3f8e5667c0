//! The common part of containers and colliders: shape, pose, motion and wall properties.

use glam::Vec2;

use crate::boundary::collider_record::Rest;
use crate::boundary::wall::{NearWall, WallProperties};
use crate::geometry::bounds::FluidBounds;
use crate::geometry::pose::{Motion, Pose};
use crate::geometry::shape::FluidShape;
#[cfg(feature = "snapshot")]
use crate::settings::range::Limits;
use crate::settings::range::{Check, OutOfRange};
#[cfg(feature = "snapshot")]
use crate::stored::bytes::{Reader, SnapshotError, Stored, Writer, sound};
#[cfg(feature = "snapshot")]
use crate::stored::kinds::Numbers;

/// Options that make a [`Solid`] a container or a collider.
pub trait SolidOptions: Clone + Default + PartialEq {
    /// Name of the kind of solid in error messages.
    const NAME: &'static str;

    /// Checks the options.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`], which names the first field outside its range.
    fn validate(&self) -> Result<(), OutOfRange> {
        Ok(())
    }

    /// Whether the solid is a body, which the liquid and gravity move.
    fn is_body(&self) -> bool {
        false
    }

    /// Whether a [host body](crate::HostBody) carries the solid.
    fn is_attached(&self) -> bool {
        false
    }
}

/// A container or a collider: a shape with a pose, a motion and wall properties. Its motion is set
/// by the host, unless it is a [body](crate::Body).
///
/// [`Container`](crate::Container) and [`Collider`](crate::Collider) are the two kinds.
#[derive(Clone, Debug)]
pub struct Solid<Options> {
    pub(crate) shape: FluidShape,
    pub(crate) pose: Pose,
    /// Pose at the beginning of the substep.
    pub(crate) previous_pose: Pose,
    pub(crate) motion: Motion,
    pub(crate) wall: WallProperties,
    /// Additional way and turn at the next advance, in world units and in radians.
    pub(crate) shift: Motion,
    /// Pose before it was replaced by nearly the same solid, until the next advance. The liquid
    /// still keeps to the walls of that pose.
    pub(crate) nudged_from: Option<Pose>,
    /// Largest angular velocity that walls give to the liquid, in rad/s: half a turn in a substep
    /// takes a point of the wall as far as twice its distance from the centre.
    pub(crate) fastest_turn: f32,
    /// How long it has been at rest, if it is a body.
    pub(crate) rest: Rest,
    pub(crate) options: Options,
}

#[cfg(feature = "snapshot")]
impl<Options: SolidOptions + Stored> Stored for Solid<Options> {
    fn store(&self, to: &mut Writer) {
        let Self {
            shape,
            pose,
            previous_pose,
            motion,
            wall,
            shift,
            nudged_from,
            fastest_turn,
            rest,
            options,
        } = self;
        shape.store(to);
        ((*pose, *previous_pose), (*motion, *wall)).store(to);
        ((*shift, *nudged_from), *rest).store(to);
        fastest_turn.store_numbers(to);
        options.store(to);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, SnapshotError> {
        let shape = Stored::load(from)?;
        let ((pose, previous_pose), (motion, wall)) = Stored::load(from)?;
        let ((shift, nudged_from), rest) = Stored::load(from)?;
        let fastest_turn = Numbers::load_within(Limits::between(0.0, f32::INFINITY), from)?;
        let options = Options::load(from)?;
        sound(options.validate())?;
        Ok(Self {
            shape,
            pose,
            previous_pose,
            motion,
            wall,
            shift,
            nudged_from,
            fastest_turn,
            rest,
            options,
        })
    }
}

/// Neither the largest angular velocity, which follows from the time step, nor its rest is part of
/// what the solid is.
impl<Options: PartialEq> PartialEq for Solid<Options> {
    fn eq(&self, other: &Self) -> bool {
        let poses = |solid: &Self| (solid.pose, solid.previous_pose, solid.nudged_from);
        let moves = |solid: &Self| (solid.motion, solid.shift);
        self.shape == other.shape
            && poses(self) == poses(other)
            && moves(self) == moves(other)
            && self.wall == other.wall
            && self.options == other.options
    }
}

impl<Options: SolidOptions> Solid<Options> {
    /// Creates a solid at rest from a shape and its `centre` (world units). `rotation` holds the
    /// cosine and the sine of its counter-clockwise angle.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] for sizes that are not finite or not above zero, for a centre that is
    /// not finite, and for a rotation whose length is not 1.
    pub fn new(shape: FluidShape, centre: Vec2, rotation: Vec2) -> Result<Self, OutOfRange> {
        shape.validate().map_err(|error| OutOfRange { subject: Options::NAME, ..error })?;
        let pose = Pose::new(Check(Options::NAME), centre, rotation)?;
        let (motion, wall, options) =
            (Motion::STILL, WallProperties::default(), Options::default());
        let (shift, nudged_from, fastest_turn) = (Motion::STILL, None, f32::MAX);
        let rest = Rest::restless(pose);
        Ok(Self {
            shape,
            pose,
            previous_pose: pose,
            motion,
            wall,
            shift,
            nudged_from,
            fastest_turn,
            rest,
            options,
        })
    }

    /// Creates a disc with this radius, in world units.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Solid::new`].
    pub fn circle(centre: Vec2, radius: f32) -> Result<Self, OutOfRange> {
        Self::new(FluidShape::Circle { radius }, centre, Vec2::X)
    }

    /// Creates a rectangle whose sides are parallel to the axes.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Solid::new`].
    pub fn rectangle(centre: Vec2, half_size: Vec2) -> Result<Self, OutOfRange> {
        Self::new(FluidShape::Rectangle { half_size }, centre, Vec2::X)
    }

    /// The same solid with another pose, at rest.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] for a centre that is not finite, and for a rotation whose length is
    /// not 1.
    pub fn with_pose(self, centre: Vec2, rotation: Vec2) -> Result<Self, OutOfRange> {
        let pose = Pose::new(Check(Options::NAME), centre, rotation)?;
        let (motion, shift, nudged_from) = (Motion::STILL, Motion::STILL, None);
        Ok(Self { pose, previous_pose: pose, motion, shift, nudged_from, ..self })
    }

    /// The same solid with other wall properties.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`WallProperties::validate`].
    pub fn with_wall(self, wall: WallProperties) -> Result<Self, OutOfRange> {
        wall.validate()?;
        Ok(Self { wall, ..self })
    }

    /// The same solid with a motion. A moving collider pushes the liquid, and a moving container
    /// takes it along.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Motion::validate`].
    pub fn with_motion(self, motion: Motion) -> Result<Self, OutOfRange> {
        motion.validate()?;
        Ok(Self { motion, ..self })
    }

    /// The shape, in coordinates relative to its centre.
    pub fn shape(&self) -> &FluidShape {
        &self.shape
    }

    /// The centre, in world units.
    pub fn centre(&self) -> Vec2 {
        self.pose.centre
    }

    /// Cosine and sine of its counter-clockwise angle.
    pub fn rotation(&self) -> Vec2 {
        self.pose.rotation
    }

    /// Centre and rotation at the beginning of the present or the last substep.
    pub fn previous_pose(&self) -> (Vec2, Vec2) {
        (self.previous_pose.centre, self.previous_pose.rotation)
    }

    /// Its wall properties.
    pub fn wall(&self) -> WallProperties {
        self.wall
    }

    /// Its motion.
    pub fn motion(&self) -> Motion {
        self.motion
    }

    /// Whether it is a [body](crate::Body) that the liquid moves.
    pub fn is_body(&self) -> bool {
        self.options.is_body()
    }

    /// Whether a [host body](crate::HostBody) carries it.
    pub fn is_attached(&self) -> bool {
        self.options.is_attached()
    }

    /// The motion that takes it to another centre and rotation in `time` seconds, which must be
    /// above 0. It turns by less than half a turn.
    ///
    /// Give it to the pieces of a body that turns as a whole, such as the walls of a drum: then they
    /// stay together.
    ///
    /// ```
    /// use blob_fluid::{Collider, FluidWorld, SerialExecutor};
    /// use glam::Vec2;
    /// let mut world = FluidWorld::default();
    /// let blade = world.insert_collider(Collider::circle(Vec2::ZERO, 10.0)?);
    /// let (centre, rotation) = (Vec2::new(3.0, 1.0), Vec2::from_angle(0.1));
    /// let motion = world.collider(blade).expect("there").motion_to(centre, rotation, 0.01);
    /// world.set_collider_motion(blade, motion)?;
    /// world.step(0.01, &SerialExecutor).expect("valid");
    /// let blade = world.collider(blade).expect("there");
    /// assert!(blade.centre().distance(centre) < 1e-5);
    /// assert!(blade.rotation().distance(rotation) < 1e-5);
    /// # Ok::<(), blob_fluid::OutOfRange>(())
    /// ```
    pub fn motion_to(&self, centre: Vec2, rotation: Vec2, time: f32) -> Motion {
        self.pose.motion_to(Pose { centre, rotation }, time)
    }

    /// Whether it is a body that does not sleep.
    pub(crate) fn is_awake_body(&self) -> bool {
        self.options.is_body() && !self.rest.asleep
    }

    /// Whether it has a motion, is a body that is awake, or belongs to a host body.
    pub(crate) fn moves(&self) -> bool {
        self.motion != Motion::STILL || self.is_awake_body() || self.options.is_attached()
    }

    /// Whether the next advance changes its pose or its previous pose.
    pub(crate) fn is_under_way(&self) -> bool {
        self.moves()
            || self.previous_pose != self.pose
            || self.shift != Motion::STILL
            || self.nudged_from.is_some()
    }

    /// Moves it by `time` seconds of its motion.
    pub(crate) fn advance(&mut self, time: f32) {
        self.previous_pose = self.nudged_from.take().unwrap_or(self.pose);
        self.limit_turn(time);
        self.pose = self.pose.after(self.motion, time);
        self.pose = self.pose.after(std::mem::take(&mut self.shift), 1.0);
    }

    /// Limits the speed of its walls to how far they can come in a substep of `time` seconds.
    pub(crate) fn limit_turn(&mut self, time: f32) {
        self.fastest_turn = 2.0 / time;
    }

    /// A box around the region that it swept over in this substep, from its previous to its present
    /// pose. The straight paths of particles relative to a turning solid are curved in the world, so
    /// that the box around a turning solid is larger.
    pub(crate) fn swept(&self) -> FluidBounds {
        let bounds = self.pose.bounds(&self.shape);
        if self.previous_pose == self.pose {
            return bounds;
        }
        let turn = self.turn();
        if turn == 0.0 {
            return self.previous_pose.bounds(&self.shape).union(bounds);
        }
        let farthest = self.farthest();
        let way = self.previous_pose.centre.distance(self.pose.centre);
        let reach = farthest + turn * (way + turn * farthest);
        let around =
            |pose: Pose| FluidBounds { low: pose.centre, high: pose.centre }.inflated(reach);
        around(self.previous_pose).union(around(self.pose))
    }

    /// A box around the region that it sweeps over in the next `time` seconds.
    pub(crate) fn swept_ahead(&self, time: f32) -> FluidBounds {
        let mut ahead = self.clone();
        ahead.advance(time);
        ahead.swept()
    }

    /// Lets it continue from the pose of the solid that it replaces, if no point of it is farther than
    /// `nearest` from where it was. Then the liquid stays on its sides of the walls. Returns whether
    /// it does.
    pub(crate) fn continues_from(&mut self, replaced: &Self, nearest: f32) -> bool {
        let from = replaced.nudged_from.unwrap_or(replaced.pose);
        let turn = from.rotation.distance(self.pose.rotation);
        let swing = if turn > 0.0 { turn * self.farthest() } else { 0.0 };
        let continues = self.shape == replaced.shape
            && from.centre.distance(self.pose.centre) + swing <= nearest;
        if continues && from != self.pose {
            self.nudged_from = Some(from);
        }
        continues
    }

    /// Where a point comes to that moves with it in this substep.
    pub(crate) fn carried(&self, point: Vec2) -> Vec2 {
        self.pose.to_world(self.previous_pose.to_local(point))
    }

    /// The largest distance of a corner of the box around the shape from the centre.
    pub(crate) fn farthest(&self) -> f32 {
        let local = self.shape.bounds();
        local.low.abs().max(local.high.abs()).length()
    }

    /// How far it turned in this substep: the length of the change of its rotation vector, which is
    /// nearly the angle in radians.
    pub(crate) fn turn(&self) -> f32 {
        self.previous_pose.rotation.distance(self.pose.rotation)
    }

    /// Distance below which rounding hides on which side of the edge a point is, in world units.
    pub(crate) fn slack(&self) -> f32 {
        let bounds = self.shape.bounds();
        let extent = bounds.low.abs().max(bounds.high.abs()).max_element();
        let extent = if extent.is_finite() { extent } else { 0.0 };
        32.0 * f32::EPSILON * (extent + self.centre().abs().max_element())
    }

    /// Velocity of the wall near a point at this distance from it. A point far beyond the wall does
    /// not lengthen the wall's lever.
    pub(crate) fn velocity_at(&self, point: Vec2, distance: f32) -> Vec2 {
        let turn = self.motion.angular_velocity;
        if turn == 0.0 {
            return self.motion.velocity;
        }
        let farthest = 1.1 * (self.farthest() + distance.max(0.0));
        let lever = (point - self.centre()).clamp_length_max(farthest);
        let angular_velocity = turn.clamp(-self.fastest_turn, self.fastest_turn);
        Motion { angular_velocity, ..self.motion }.at(lever)
    }

    /// The wall near a point, with its normal and distance there.
    pub(crate) fn near(&self, point: Vec2, normal: Vec2, distance: f32) -> NearWall {
        let velocity = self.velocity_at(point, distance);
        NearWall {
            collider: None,
            among_faces: false,
            fade_in: 1.0,
            slope: Vec2::ZERO,
            normal,
            distance,
            velocity,
            properties: self.wall,
        }
    }
}
