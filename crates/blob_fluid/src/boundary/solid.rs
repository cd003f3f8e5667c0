//! The common part of containers and colliders: shape, pose, motion and wall properties.

use glam::Vec2;

use crate::settings::declare::settings;
use crate::settings::range::{Check, Settings, default_in};
#[cfg(feature = "snapshot")]
use crate::stored::bytes::sound;
use crate::stored::stored;
use crate::{FluidBounds, FluidShape, Motion, OutOfRange, Pose};

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

/// A container or a collider: a shape with a pose, a motion and wall properties. You set the motion, unless the solid
/// is a [body](crate::Body).
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
    /// Additional translation, in world units, and rotation, in radians, at the next advance.
    pub(crate) shift: Motion,
    /// Pose of the nearly identical solid that this one replaced, until the next advance. Until
    /// then, the liquid is still in contact with the walls at that pose.
    pub(crate) continued_from: Option<Pose>,
    /// Largest angular velocity that walls give to the liquid, in rad/s. With it, a point of the
    /// wall moves twice its distance from the centre per substep, as in half a turn.
    pub(crate) max_angular_velocity: f32,
    /// How long it has been at rest, if it is a body.
    pub(crate) rest: RestState,
    pub(crate) options: Options,
}

stored!(Solid<Options> where Options: SolidOptions {
    shape,
    pose,
    previous_pose,
    motion,
    wall,
    shift,
    continued_from,
    rest,
    max_angular_velocity in Limits::between(0.0, f32::INFINITY),
    options,
} check |solid: &Self| sound(solid.options.validate()));

/// Ignores the largest angular velocity, which follows from the time step, and the rest state.
impl<Options: PartialEq> PartialEq for Solid<Options> {
    fn eq(&self, other: &Self) -> bool {
        let poses = |solid: &Self| (solid.pose, solid.previous_pose, solid.continued_from);
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
    /// Returns [`OutOfRange`] if a size is not finite and above zero, the centre is beyond ±1e12,
    /// or the length of the rotation is not 1.
    pub fn new(shape: FluidShape, centre: Vec2, rotation: Vec2) -> Result<Self, OutOfRange> {
        shape.validate().map_err(|error| OutOfRange { subject: Options::NAME, ..error })?;
        let pose = Pose::new(centre, rotation).checked(Check(Options::NAME), "centre")?;
        let (motion, wall, options) =
            (Motion::STILL, WallProperties::default(), Options::default());
        let (shift, continued_from, max_angular_velocity) = (Motion::STILL, None, f32::MAX);
        let rest = RestState::awake_at(pose);
        Ok(Self {
            shape,
            pose,
            previous_pose: pose,
            motion,
            wall,
            shift,
            continued_from,
            max_angular_velocity,
            rest,
            options,
        })
    }

    /// Creates a disc. `centre` and `radius` are in world units.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Solid::new`].
    pub fn circle(centre: Vec2, radius: f32) -> Result<Self, OutOfRange> {
        Self::new(FluidShape::Circle { radius }, centre, Vec2::X)
    }

    /// Creates a rectangle with sides parallel to the axes. `centre` and `half_size` are in world units.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Solid::new`].
    pub fn rectangle(centre: Vec2, half_size: Vec2) -> Result<Self, OutOfRange> {
        Self::new(FluidShape::Rectangle { half_size }, centre, Vec2::X)
    }

    /// Returns the solid with another pose, at rest.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] for a translation beyond ±1e12, and for a rotation whose length is not 1.
    pub fn with_pose(self, pose: Pose) -> Result<Self, OutOfRange> {
        self.with_named_pose(pose, "translation")
    }

    /// As [`with_pose`](Self::with_pose), but errors call the translation `field`.
    pub(crate) fn with_named_pose(
        self,
        pose: Pose,
        field: &'static str,
    ) -> Result<Self, OutOfRange> {
        let pose = pose.checked(Check(Options::NAME), field)?;
        let (motion, shift, continued_from) = (Motion::STILL, Motion::STILL, None);
        Ok(Self { pose, previous_pose: pose, motion, shift, continued_from, ..self })
    }

    /// Returns the solid with other wall properties.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`WallProperties::validate`].
    pub fn with_wall(self, wall: WallProperties) -> Result<Self, OutOfRange> {
        wall.validate()?;
        Ok(Self { wall, ..self })
    }

    /// Returns the solid with this motion. A moving collider pushes the liquid, and a moving
    /// container carries it along.
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
        self.pose.translation
    }

    /// Cosine and sine of the solid's angle, counter-clockwise.
    pub fn rotation(&self) -> Vec2 {
        self.pose.rotation
    }

    /// Centre and rotation of the solid.
    pub fn pose(&self) -> Pose {
        self.pose
    }

    /// Pose of the solid at the beginning of the present or the last substep.
    pub fn previous_pose(&self) -> Pose {
        self.previous_pose
    }

    /// Wall properties of the solid.
    pub fn wall(&self) -> WallProperties {
        self.wall
    }

    /// Motion of the solid.
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

    /// Returns the motion that leads to another pose in `time` seconds, which must be above 0. The
    /// motion rotates by less than half a turn.
    ///
    /// Set this motion for every part of an assembly that rotates as a whole, such as the walls of
    /// a drum. Then the parts stay together.
    ///
    /// ```
    /// use blob_fluid::{Collider, FluidWorld, Pose, SerialExecutor};
    /// use glam::Vec2;
    /// let mut world = FluidWorld::default();
    /// let blade = world.insert_collider(Collider::circle(Vec2::ZERO, 10.0)?);
    /// let target = Pose::new(Vec2::new(3.0, 1.0), Vec2::from_angle(0.1));
    /// let motion = world.collider(blade).expect("there").motion_to(target, 0.01);
    /// world.set_collider_motion(blade, motion)?;
    /// world.step(0.01, &SerialExecutor).expect("valid");
    /// let blade = world.collider(blade).expect("there");
    /// assert!(blade.centre().distance(target.translation) < 1e-5);
    /// assert!(blade.rotation().distance(target.rotation) < 1e-5);
    /// # Ok::<(), blob_fluid::OutOfRange>(())
    /// ```
    pub fn motion_to(&self, target: Pose, time: f32) -> Motion {
        self.pose.motion_to(target, time)
    }

    /// Whether it is an awake body.
    pub(crate) fn is_awake_body(&self) -> bool {
        self.options.is_body() && !self.rest.asleep
    }

    /// Whether it has a motion, is an awake body, or belongs to a host body.
    pub(crate) fn moves(&self) -> bool {
        self.motion != Motion::STILL || self.is_awake_body() || self.options.is_attached()
    }

    /// Whether the next advance changes its pose or its previous pose.
    pub(crate) fn will_change_pose(&self) -> bool {
        self.moves()
            || self.previous_pose != self.pose
            || self.shift != Motion::STILL
            || self.continued_from.is_some()
    }

    /// Moves it with its motion for `time` seconds, and by its shift.
    pub(crate) fn advance(&mut self, time: f32) {
        self.previous_pose = self.continued_from.take().unwrap_or(self.pose);
        self.limit_angular_velocity(time);
        self.pose = self.pose.after(self.motion, time);
        self.pose = self.pose.after(std::mem::take(&mut self.shift), 1.0);
    }

    /// Limits the angular velocity that its walls give to the liquid in substeps of `time` seconds.
    pub(crate) fn limit_angular_velocity(&mut self, time: f32) {
        self.max_angular_velocity = 2.0 / time;
    }

    /// A box around the region that it swept over in this substep, from its previous to its present
    /// pose. The box around a rotating solid is larger, because straight paths of particles
    /// relative to the solid are curved in the world.
    pub(crate) fn swept_bounds(&self) -> FluidBounds {
        let bounds = self.pose.bounds(&self.shape);
        if self.previous_pose == self.pose {
            return bounds;
        }
        let rotation = self.rotation_change();
        if rotation == 0.0 {
            return self.previous_pose.bounds(&self.shape).union(bounds);
        }
        let radius = self.bounding_radius();
        let distance = self.previous_pose.translation.distance(self.pose.translation);
        let reach = radius + rotation * (distance + rotation * radius);
        let bounds_at = |pose: Pose| FluidBounds::at(pose.translation).inflated(reach);
        bounds_at(self.previous_pose).union(bounds_at(self.pose))
    }

    /// A box around the region that it sweeps over in the next `time` seconds.
    pub(crate) fn predicted_swept_bounds(&self, time: f32) -> FluidBounds {
        let mut predicted = self.clone();
        predicted.advance(time);
        predicted.swept_bounds()
    }

    /// Continues from the pose of the solid that it replaces, if the shape is the same and no point
    /// moves farther than `max_distance`. Then particles stay on their side of the walls. Returns
    /// whether it continues.
    pub(crate) fn continue_from(&mut self, replaced: &Self, max_distance: f32) -> bool {
        let from = replaced.continued_from.unwrap_or(replaced.pose);
        let rotation = from.rotation.distance(self.pose.rotation);
        let edge_distance = if rotation > 0.0 { rotation * self.bounding_radius() } else { 0.0 };
        let continues = self.shape == replaced.shape
            && from.translation.distance(self.pose.translation) + edge_distance <= max_distance;
        if continues && from != self.pose {
            self.continued_from = Some(from);
        }
        continues
    }

    /// Moves a point with the solid, from its previous to its present pose.
    pub(crate) fn carry_point(&self, point: Vec2) -> Vec2 {
        self.pose.to_world(self.previous_pose.to_local(point))
    }

    /// Largest distance from the centre to a corner of the box around the shape.
    pub(crate) fn bounding_radius(&self) -> f32 {
        let local = self.shape.bounds();
        local.low.abs().max(local.high.abs()).length()
    }

    /// Rotation in this substep: the length of the change of the rotation vector, which is close to
    /// the angle in radians.
    pub(crate) fn rotation_change(&self) -> f32 {
        self.previous_pose.rotation.distance(self.pose.rotation)
    }

    /// Distance from the edge, in world units, below which the side of a point is uncertain by rounding.
    pub(crate) fn slack(&self) -> f32 {
        let bounds = self.shape.bounds();
        let extent = bounds.low.abs().max(bounds.high.abs()).max_element();
        let extent = if extent.is_finite() { extent } else { 0.0 };
        32.0 * f32::EPSILON * (extent + self.centre().abs().max_element())
    }

    /// Velocity of the wall near a point at this distance from it. The lever is limited, because a
    /// point far beyond the wall must not increase the velocity.
    pub(crate) fn velocity_at(&self, point: Vec2, distance: f32) -> Vec2 {
        let angular_velocity = self.motion.angular_velocity;
        if angular_velocity == 0.0 {
            return self.motion.velocity;
        }
        let max_lever = 1.1 * (self.bounding_radius() + distance.max(0.0));
        let lever = (point - self.centre()).clamp_length_max(max_lever);
        let angular_velocity =
            angular_velocity.clamp(-self.max_angular_velocity, self.max_angular_velocity);
        Motion { angular_velocity, ..self.motion }.at(lever)
    }

    /// Creates the wall near a point from its normal and its distance.
    pub(crate) fn wall_at(&self, point: Vec2, normal: Vec2, distance: f32) -> NearWall {
        let velocity = self.velocity_at(point, distance);
        NearWall {
            collider: None,
            is_one_of_several_faces: false,
            fade_in: 1.0,
            weight_gradient: Vec2::ZERO,
            normal,
            distance,
            velocity,
            properties: self.wall,
        }
    }
}

// How long a body has been at rest, and whether it sleeps.

/// How long a body has stayed at a pose, and whether it sleeps. It has no meaning for other solids.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RestState {
    /// The pose at which it has stayed.
    pub pose: Pose,
    /// Time at this pose, in seconds; at most the time after which a body may sleep.
    pub time: f32,
    /// Whether it sleeps.
    pub asleep: bool,
}

stored!(RestState { pose, time in Limits::NOT_NEGATIVE, asleep });

impl RestState {
    /// The state of a body that has just reached a pose.
    pub(crate) const fn awake_at(pose: Pose) -> Self {
        Self { pose, time: 0.0, asleep: false }
    }
}

// Wall properties: how containers and colliders act on the liquid that touches them.

settings! {
    /// Friction, stickiness, wetting and temperature of the walls of a container or a collider (Clavet
    /// et al. 2005, Algorithm 6).
    ///
    /// ```
    /// use blob_fluid::{Container, WallProperties};
    /// use glam::Vec2;
    /// let sticky = WallProperties { friction: Some(1.0), stickiness: 4.0, ..Default::default() };
    /// let jar = Container::circle(Vec2::ZERO, 200.0)?.with_wall(sticky)?;
    /// assert_eq!(jar.wall().friction, Some(1.0));
    /// # Ok::<(), blob_fluid::OutOfRange>(())
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct WallProperties as "wall" with validate in files with default {
        /// 0 lets the liquid slip, 1 holds it.
        ///
        /// `mu`: a particle that hits the wall at the speed unit V0 or faster loses this fraction of its
        /// tangential speed. Slower particles lose less, so that friction on particles at rest does not depend on
        /// the number of substeps. Within a particle spacing of the wall, the tangential speed of particles decays
        /// at the rate `mu/(1 - mu)` per time unit T0, less with distance. Tangential speeds are relative to the
        /// wall's motion. `None` (default) uses [`Settling::wall_friction`](crate::Settling::wall_friction), which
        /// acts within half an interaction radius, without a loss on impact.
        pub friction: Option<f32> [0 to 1] = { None },
        /// Pull on particles that are close; 4 holds a film against gravity.
        ///
        /// `k_stick`: in a substep of `dt`, a particle at a distance `d` within
        /// [`stick_distance`](Self::stick_distance) gains the speed `dt k_stick d (1 - d/d_stick)` towards the wall.
        pub stickiness: f32 [0 to 1000] in "1/T0²" keeps "d²/T0²" = 0,
        /// Distance within which stickiness pulls.
        ///
        /// `d_stick`: distances beyond the interaction radius have no effect.
        pub stick_distance: f32 [above 0 to 6] in "d" = 2,
        /// How much liquid clings by itself: 1 keeps a thin film, 0 is dry.
        ///
        /// Wetting matters where walls have a ghost density ([`GhostWalls`](crate::GhostWalls)). At
        /// 1, a thin film sticks to the wall, slides down and drips off, because the wall's
        /// attraction is weaker than the liquid's weight. At 0, the wall only repels the liquid.
        pub wetting: f32 [0 to 1] = 1,
        /// Temperature of the surface.
        ///
        /// The wall exchanges heat with the liquid within half an interaction radius. With `None`
        /// (default), it exchanges no heat.
        pub temperature: Option<f32> [within 1000000] in "degrees" = { None },
    }
}

stored!(settings WallProperties, check Self::validate);

impl Default for WallProperties {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl WallProperties {
    /// The default properties.
    const DEFAULT: Self = Self {
        friction: None,
        stickiness: default_in(Self::ROWS, "stickiness"),
        stick_distance: default_in(Self::ROWS, "stick_distance"),
        wetting: default_in(Self::ROWS, "wetting"),
        temperature: None,
    };
}

/// A wall near a particle: its unit normal, which points into the liquid, its signed distance, and
/// its velocity there in world units/s.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NearWall {
    /// The collider's index; `None` for a container.
    pub collider: Option<u32>,
    /// Whether it is one of several faces of its collider near the particle, all of them flat.
    pub is_one_of_several_faces: bool,
    /// Fraction of the liquid's pressure that the wall bears, 0 to 1. It is below 1 for a collider
    /// that has just jumped into liquid, and for a wall that shares liquid with a nearer one.
    pub fade_in: f32,
    /// Gradient of that fraction with respect to the particle's position, per world unit.
    pub weight_gradient: Vec2,
    pub normal: Vec2,
    pub distance: f32,
    pub velocity: Vec2,
    pub properties: WallProperties,
}

/// The result of a search for a wall near a point.
#[derive(Clone, Copy, Debug)]
pub(crate) enum WallQueryResult {
    /// It is not within reach, and the point is not beyond it.
    OutOfReach,
    /// It may be within reach, but does not act on liquid at the point. The point is behind a
    /// membrane, or the solid has jumped onto it.
    Inactive,
    /// It is within reach and acts.
    Active(NearWall),
}

impl WallQueryResult {
    /// The wall, if it is near and acts.
    pub(crate) fn wall(self) -> Option<NearWall> {
        match self {
            Self::Active(wall) => Some(wall),
            Self::OutOfReach | Self::Inactive => None,
        }
    }
}

impl NearWall {
    /// The point of the wall that is nearest to a particle at `point`.
    pub(crate) fn foot(&self, point: Vec2) -> Vec2 {
        point - self.normal * self.distance
    }

    /// An unused entry of a list.
    pub(crate) const NONE: Self = Self {
        collider: None,
        is_one_of_several_faces: false,
        fade_in: 0.0,
        weight_gradient: Vec2::ZERO,
        normal: Vec2::ZERO,
        distance: f32::INFINITY,
        velocity: Vec2::ZERO,
        properties: WallProperties::DEFAULT,
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_wall_properties_are_refused_by_field() {
        let bad: [(&str, fn(&mut WallProperties)); 8] = [
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
            let mut wall = WallProperties::default();
            change(&mut wall);
            assert_eq!(wall.validate().expect_err(field).field, field);
        }
        let motion = Motion { angular_velocity: f32::NAN, ..Motion::STILL };
        assert_eq!(motion.validate().expect_err("refused").field, "angular_velocity");
    }
}
