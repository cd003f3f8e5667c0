//! Bodies that the host simulates, such as those of a physics engine, and the colliders that they
//! carry.

use glam::Vec2;

use crate::boundary::load::{Load, LoadSums};
use crate::boundary::slots::declare_handle;
use crate::geometry::motion::Motion;
use crate::geometry::pose::Pose;
use crate::settings::range::{Check, OutOfRange};
use crate::stored::stored;

declare_handle! {
    /// A handle of one host body of a world. It is valid until that body is removed, and never refers
    /// to another one.
    HostBodyId
}

/// A rigid body that the host simulates, such as one of a physics engine. It carries the colliders
/// that are [attached](Attachment) to it.
///
/// Between two steps of the host the body moves with its `motion`, and the liquid changes this
/// motion in every substep. Without that, a body that is much lighter than the liquid that it pushes
/// aside would be thrown about. After the tick the host applies the liquid's
/// [load](crate::Liquid::host_body_load) to its own body, and sets the motion that leads to where it
/// has moved it.
///
/// ```
/// use blob_fluid::{Attachment, Collider, ColliderOptions, FluidWorld, HostBody, Motion, SerialExecutor};
/// use glam::Vec2;
/// let mut world = FluidWorld::default();
/// let body = HostBody { inverse_mass: Vec2::splat(0.01), ..HostBody::at(Vec2::ZERO, Vec2::X) };
/// let body = world.insert_host_body(body)?;
/// // Two discs, 40 apart, that turn together.
/// for x in [-20.0, 20.0] {
///     let attachment = Attachment { body, centre: Vec2::new(x, 0.0), rotation: Vec2::X };
///     let options = ColliderOptions { attachment: Some(attachment), ..Default::default() };
///     world.insert_collider(Collider::circle(Vec2::new(x, 0.0), 5.0)?.with_options(options)?);
/// }
/// let turned = Vec2::from_angle(0.2);
/// let motion = world.host_body(body).expect("there").motion_to(Vec2::ZERO, turned, 0.01);
/// world.set_host_body_motion(body, motion)?;
/// world.step(0.01, &SerialExecutor).expect("valid");
/// let (_, disc) = world.colliders().next().expect("there");
/// assert!(disc.centre().distance(-20.0 * turned) < 0.01);
/// # Ok::<(), blob_fluid::OutOfRange>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HostBody {
    /// Centre of mass, in world units.
    pub centre: Vec2,
    /// Cosine and sine of its counter-clockwise angle.
    pub rotation: Vec2,
    /// Velocity of its centre of mass, and angular velocity.
    pub motion: Motion,
    /// Acceleration by everything but the liquid, such as gravity and contacts, in world units/s².
    pub acceleration: Vec2,
    /// Angular acceleration by everything but the liquid, in radians/s².
    pub angular_acceleration: f32,
    /// 1/mass along each axis of the world, where a particle of the medium class has mass 1; 0 or
    /// more, and 0 along an axis that is locked.
    pub inverse_mass: Vec2,
    /// 1/moment of inertia about its centre of mass; 0 or more, and 0 if its rotation is locked.
    pub inverse_inertia: f32,
}

stored!(HostBody {
    centre in Limits::FINITE,
    rotation in Limits::FINITE,
    motion,
    acceleration in Limits::FINITE,
    angular_acceleration in Limits::FINITE,
    inverse_mass in Limits::NOT_NEGATIVE,
    inverse_inertia in Limits::NOT_NEGATIVE,
} check Self::validate);

impl HostBody {
    /// A body at rest that nothing moves.
    pub const fn at(centre: Vec2, rotation: Vec2) -> Self {
        Self {
            centre,
            rotation,
            motion: Motion::STILL,
            acceleration: Vec2::ZERO,
            angular_acceleration: 0.0,
            inverse_mass: Vec2::ZERO,
            inverse_inertia: 0.0,
        }
    }

    /// Checks every field.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`], which names the first field outside its range.
    pub fn validate(&self) -> Result<(), OutOfRange> {
        let check = Check("host body");
        Pose::new(check, self.centre, self.rotation)?;
        self.motion.validate()?;
        check.finite("acceleration", &self.acceleration.to_array())?;
        check.finite("angular_acceleration", &[self.angular_acceleration])?;
        for inverse in self.inverse_mass.to_array() {
            check.that((0.0..=1e30).contains(&inverse), "inverse_mass", inverse, "0 to 1e30")?;
        }
        let inverse = self.inverse_inertia;
        check.that((0.0..=1e30).contains(&inverse), "inverse_inertia", inverse, "0 to 1e30")
    }

    /// The motion that takes it to another centre and rotation in `time` seconds, which must be
    /// above 0. It turns by less than half a turn.
    pub fn motion_to(&self, centre: Vec2, rotation: Vec2, time: f32) -> Motion {
        self.pose().motion_to(Pose { centre, rotation }, time)
    }

    fn pose(&self) -> Pose {
        Pose { centre: self.centre, rotation: self.rotation }
    }
}

/// The position of a collider on a [`HostBody`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct Attachment {
    /// The body. A collider whose body was removed stays where it is.
    pub body: HostBodyId,
    /// The collider's centre relative to the centre of mass, along the body's own axes, in world
    /// units.
    pub centre: Vec2,
    /// Cosine and sine of the collider's angle relative to the body.
    pub rotation: Vec2,
}

stored!(Attachment {
    body,
    centre in Limits::FINITE,
    rotation in Limits::FINITE,
} check Self::validate);

impl Attachment {
    /// Checks the centre and the rotation.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] for a centre that is not finite, and for a rotation whose length is
    /// not 1.
    pub fn validate(&self) -> Result<(), OutOfRange> {
        Pose::new(Check("attachment"), self.centre, self.rotation).map(|_| ())
    }
}

/// A host body in a world, and the liquid's load on it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CarriedBody {
    pub body: HostBody,
    sums: LoadSums,
}

stored!(CarriedBody { body, sums });

impl CarriedBody {
    pub(crate) fn new(body: HostBody) -> Self {
        Self { body, sums: LoadSums::default() }
    }

    /// The load of the present or the last tick.
    pub(crate) fn load(&self) -> Load {
        self.sums.load()
    }

    /// Sets the loads to 0 before a tick.
    pub(crate) fn begin_tick(&mut self) {
        *self = Self::new(self.body);
    }

    /// Moves it by `time` seconds of its motion.
    pub(crate) fn advance(&mut self, time: f32) {
        let Pose { centre, rotation } = self.body.pose().after(self.body.motion, time);
        (self.body.centre, self.body.rotation) = (centre, rotation);
    }

    /// Pose of an attached collider.
    pub(crate) fn pose_of(&self, attachment: &Attachment) -> Pose {
        let carrier = self.body.pose();
        let rotation = attachment.rotation.rotate(carrier.rotation);
        let centre = carrier.to_world(attachment.centre);
        Pose { centre, rotation: rotation / rotation.length() }
    }

    /// Pose of an attached collider after `time` seconds of the body's motion.
    pub(crate) fn pose_ahead(mut self, attachment: &Attachment, time: f32) -> Pose {
        self.advance(time);
        self.pose_of(attachment)
    }

    /// Adds the load of a substep on a collider with this centre.
    pub(crate) fn add(&mut self, centre: Vec2, load: Load) {
        let impulse = load.impulse.as_dvec2();
        let lever = (centre - self.body.centre).as_dvec2();
        self.sums.add(impulse, f64::from(load.angular_impulse) + lever.perp_dot(impulse));
    }

    /// Adds an impulse of the liquid at a point that has already changed the motion.
    pub(crate) fn add_reaction(&mut self, point: Vec2, impulse: Vec2) {
        let (impulse, lever) = (impulse.as_dvec2(), (point - self.body.centre).as_dvec2());
        self.sums.add_reaction(impulse, lever.perp_dot(impulse));
    }

    /// Cuts the load of the present substep so that it makes the body, and its edge at the distance `reach`, no faster
    /// than `most`.
    pub(crate) fn limit_load(&mut self, reach: f32, most: f32) {
        let HostBody { motion, inverse_mass, inverse_inertia, .. } = self.body;
        let inverse = (inverse_mass, inverse_inertia);
        self.sums.limit_substep(|load| load.limited(motion, inverse, reach, most));
    }

    /// Ends a substep of `time` seconds: the load and everything else change its motion. Neither
    /// makes it faster than `most`.
    pub(crate) fn end_substep(&mut self, time: f32, most: f32) {
        let Load { impulse, angular_impulse } = self.sums.end_substep();
        let body = &mut self.body;
        let before = body.motion;
        let mut motion = before;
        motion.velocity += impulse * body.inverse_mass + body.acceleration * time;
        motion.angular_velocity +=
            angular_impulse * body.inverse_inertia + body.angular_acceleration * time;
        let fastest = most.max(before.velocity.length());
        motion.velocity = motion.velocity.clamp_length_max(fastest);
        if body.inverse_mass.max_element() > 0.0 && body.inverse_inertia > 0.0 {
            let gyration = (body.inverse_mass.max_element() / body.inverse_inertia).sqrt();
            let fastest = (most / gyration).max(before.angular_velocity.abs());
            motion.angular_velocity = motion.angular_velocity.clamp(-fastest, fastest);
        }
        body.motion = if motion.validate().is_ok() { motion } else { Motion::STILL };
    }
}
