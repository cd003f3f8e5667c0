//! Bodies (colliders that the liquid moves), host bodies, and the liquid's loads on them.

use glam::{DVec2, Vec2};

use crate::boundary::slots::declare_handle;
use crate::settings::declare::settings;
use crate::settings::range::{Check, Settings, default_in};
use crate::stored::stored;
use crate::{FluidShape, Motion, OutOfRange, Pose};

settings! {
    /// Properties of a collider that the liquid moves (Clavet et al. 2005, Algorithm 6).
    ///
    /// The centre of the collider is the centre of mass. The unit of mass is that of a particle whose
    /// class has a [mass](crate::DensityClass::mass) of 1, such as the medium class. Liquid of such
    /// a class has a mass of 1 per square of the particle spacing.
    ///
    /// A body at rest [sleeps](crate::FluidSleeping) together with the liquid around it, unless its
    /// collider [`reports_load`](crate::ColliderOptions::reports_load). Bodies collide and form
    /// stacks. Large piles are better simulated by a physics engine.
    ///
    /// ```
    /// use blob_fluid::{Body, Collider, FluidWorld, ColliderOptions, FluidShape};
    /// use glam::Vec2;
    /// let world = FluidWorld::default();
    /// let spacing = world.parameters().particle_spacing;
    /// let crate_shape = FluidShape::Rectangle { half_size: Vec2::splat(30.0) };
    /// let body = Body::of_density(0.5, &crate_shape, spacing)?;
    /// let side = 60.0 + 2.0 * Body::GAP * spacing;
    /// let displaced = side * side / (spacing * spacing);
    /// assert!((body.mass / displaced - 0.5).abs() < 0.01);
    /// let options = ColliderOptions { body: Some(body), ..Default::default() };
    /// let floating = Collider::new(crate_shape, Vec2::ZERO, Vec2::X)?.with_options(options)?;
    /// # Ok::<(), blob_fluid::OutOfRange>(())
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    #[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
    #[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
    pub struct Body as "body" {
        /// Mass, in masses of a medium particle.
        pub mass: f32 [above 0],
        /// Moment of inertia about its centre, in masses times square world units.
        pub moment_of_inertia: f32 [above 0] in "world units²",
        /// Factor on gravity.
        #[serde(default = "gravity_scale")]
        pub gravity_scale: f32 [within 1000] = 1,
        /// How fast its velocities decay by themselves.
        ///
        /// Each substep divides the velocity and the angular velocity by `1 + dt drag`.
        #[serde(default)]
        pub drag: f32 [0 to 1000000] in "1/s" = 0,
        /// How much it rubs on other bodies, colliders and containers.
        #[serde(default = "friction")]
        pub friction: f32 [0 to 10] = 0.4,
        /// Whether its centre is fixed, so that it only rotates, like a wheel. Defaults to `false`.
        #[serde(default)]
        pub pinned: bool = { false },
        /// Whether its rotation is locked. Defaults to `false`.
        #[serde(default)]
        pub lock_rotation: bool = { false },
        /// Whether it passes through other bodies, colliders and containers. Defaults to `false`.
        #[serde(default)]
        pub ignore_contacts: bool = { false },
    }
}

stored!(settings Body, check Self::validate);

const fn gravity_scale() -> f32 {
    default_in(Body::ROWS, "gravity_scale")
}

const fn friction() -> f32 {
    default_in(Body::ROWS, "friction")
}

/// Number of sample points along each axis that measure the area and the inertia of a shape.
const SAMPLES: u32 = 80;

impl Body {
    /// Width of the part of the gap around a body that counts as displaced liquid, in particle
    /// spacings. The whole gap is half a spacing wide, up to the centres of the nearest particles.
    /// With this width, the depth of immersion agrees with the density of the body.
    pub const GAP: f32 = 0.3;

    /// Creates a body with this mass and moment of inertia. The other fields have their defaults.
    pub const fn new(mass: f32, moment_of_inertia: f32) -> Self {
        Self {
            mass,
            moment_of_inertia,
            gravity_scale: gravity_scale(),
            drag: 0.0,
            friction: friction(),
            pinned: false,
            lock_rotation: false,
            ignore_contacts: false,
        }
    }

    /// Creates a body with the mass and inertia of a shape of uniform density. `density` is relative to
    /// liquid whose class has a mass of 1, such as the medium class. `particle_spacing` is in world units.
    /// A body of density below 1 floats in that liquid; at 0.5, half of it is below the surface.
    ///
    /// The mass includes that of a [gap](Self::GAP) around the shape, because liquid keeps a distance to bodies.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] if the density or the spacing is not finite and above 0, or if the shape is
    /// invalid. The shape must have a finite area above 0: lines without thickness and half planes are
    /// refused.
    pub fn of_density(
        density: f32,
        shape: &FluidShape,
        particle_spacing: f32,
    ) -> Result<Self, OutOfRange> {
        shape.validate()?;
        let check = Check("body");
        check.size("density", density)?;
        check.size("particle_spacing", particle_spacing)?;
        check.size("area", shape.area())?;
        let gap = Self::GAP * particle_spacing;
        let bounds = shape.bounds().inflated(gap);
        let step = (bounds.high - bounds.low) / SAMPLES as f32;
        let (mut sum_of_squares, mut count) = (0.0_f64, 0_u32);
        for sample in 0..SAMPLES * SAMPLES {
            let cell = Vec2::new((sample % SAMPLES) as f32, (sample / SAMPLES) as f32) + 0.5;
            let point = bounds.low + step * cell;
            if shape.distance(point) <= gap {
                sum_of_squares += f64::from(point.length_squared());
                count += 1;
            }
        }
        let mass =
            density * count as f32 * (step.x / particle_spacing) * (step.y / particle_spacing);
        check.size("mass", mass)?;
        let body = Self::new(mass, mass * (sum_of_squares / f64::from(count)) as f32);
        body.validate().map(|()| body)
    }

    /// Adapts the body of a shape to a change of the particle spacing from `old_spacing` to
    /// `new_spacing`. The density stays the same or, for a shape without an area, the mass in world
    /// units.
    #[cfg(feature = "scene")]
    pub(crate) fn with_spacing(
        self,
        shape: &FluidShape,
        old_spacing: f32,
        new_spacing: f32,
    ) -> Result<Self, OutOfRange> {
        let per_mass = (old_spacing / new_spacing) * (old_spacing / new_spacing);
        let displaced = |spacing| Self::of_density(1.0, shape, spacing);
        let (mass, inertia) = match (displaced(old_spacing), displaced(new_spacing)) {
            (Ok(old), Ok(new)) => {
                (new.mass / old.mass, new.moment_of_inertia / old.moment_of_inertia)
            }
            _ => (per_mass, per_mass),
        };
        let body = Self {
            mass: self.mass * mass,
            moment_of_inertia: self.moment_of_inertia * inertia,
            ..self
        };
        body.validate().map(|()| body)
    }

    /// Checks every field.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`], which names the first field outside its range.
    pub fn validate(&self) -> Result<(), OutOfRange> {
        self.check()
    }

    /// 1/mass, or 0 if the body is pinned.
    pub(crate) fn inverse_mass(&self) -> f32 {
        if self.pinned { 0.0 } else { 1.0 / self.mass }
    }

    /// 1/moment of inertia, or 0 if the body's rotation is locked.
    pub(crate) fn inverse_inertia(&self) -> f32 {
        if self.lock_rotation { 0.0 } else { 1.0 / self.moment_of_inertia }
    }
}

// Host bodies: rigid bodies of the host, such as those of a physics engine. Colliders can be
// attached to them.

declare_handle! {
    /// A handle of a [`HostBody`], which another program moves, such as a physics engine. The handle is valid until
    /// that body is removed, and is never reused.
    HostBodyId
}

/// A rigid body that another program simulates, such as a physics engine. The colliders that are [attached](Attachment)
/// to the body move with it.
///
/// During a tick, the body moves with its `motion`, and the liquid changes this motion in every substep. This keeps a
/// body stable even if it is much lighter than the displaced liquid. After the tick, apply the liquid's
/// [load](crate::Liquid::host_body_load) to the body in the physics engine. Then set the [motion that leads
/// to](Self::motion_to) the new pose of that body.
///
/// ```
/// use blob_fluid::{
///     Attachment, Collider, ColliderOptions, FluidWorld, HostBody, Pose, SerialExecutor,
/// };
/// use glam::Vec2;
/// let mut world = FluidWorld::default();
/// let body = HostBody { inverse_mass: Vec2::splat(0.01), ..HostBody::at(Pose::IDENTITY) };
/// let body = world.insert_host_body(body)?;
/// // Two discs, 40 apart, that turn together.
/// for x in [-20.0, 20.0] {
///     let attachment = Attachment { body, pose: Pose::from_translation(Vec2::new(x, 0.0)) };
///     let options = ColliderOptions { attachment: Some(attachment), ..Default::default() };
///     world.insert_collider(Collider::circle(Vec2::new(x, 0.0), 5.0)?.with_options(options)?);
/// }
/// let turned = Pose::new(Vec2::ZERO, Vec2::from_angle(0.2));
/// let motion = world.host_body(body).expect("there").motion_to(turned, 0.01);
/// world.set_host_body_motion(body, motion)?;
/// world.step(0.01, &SerialExecutor).expect("valid");
/// let (_, disc) = world.colliders().next().expect("there");
/// assert!(disc.centre().distance(-20.0 * turned.rotation) < 0.01);
/// # Ok::<(), blob_fluid::OutOfRange>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HostBody {
    /// Position of the centre of mass, in world units, and rotation.
    pub pose: Pose,
    /// Velocity of the centre of mass, in world units/s, and angular velocity, in rad/s.
    pub motion: Motion,
    /// Acceleration by all causes except the liquid, such as gravity and contacts, in world units/s².
    pub acceleration: Vec2,
    /// Angular acceleration by all causes except the liquid, in rad/s².
    pub angular_acceleration: f32,
    /// Inverse mass along each axis of the world, 0 to 1e30; 0 along a locked axis. A particle of
    /// the medium class has mass 1.
    pub inverse_mass: Vec2,
    /// Inverse moment of inertia about the centre of mass, 0 to 1e30; 0 if the rotation is locked.
    pub inverse_inertia: f32,
}

stored!(HostBody {
    pose,
    motion,
    acceleration in Limits::FINITE,
    angular_acceleration in Limits::FINITE,
    inverse_mass in Limits::NOT_NEGATIVE,
    inverse_inertia in Limits::NOT_NEGATIVE,
} check Self::validate);

impl HostBody {
    /// Creates a body at rest with infinite mass and infinite moment of inertia.
    pub const fn at(pose: Pose) -> Self {
        Self {
            pose,
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
        self.pose.checked(check, "translation")?;
        self.motion.validate()?;
        check.finite("acceleration", &self.acceleration.to_array())?;
        check.finite("angular_acceleration", &[self.angular_acceleration])?;
        for inverse in self.inverse_mass.to_array() {
            check.that((0.0..=1e30).contains(&inverse), "inverse_mass", inverse, "0 to 1e30")?;
        }
        let inverse = self.inverse_inertia;
        check.that((0.0..=1e30).contains(&inverse), "inverse_inertia", inverse, "0 to 1e30")
    }

    /// Returns the motion that leads to another pose in `time` seconds, which must be above 0. The
    /// motion rotates by less than half a turn.
    pub fn motion_to(&self, target: Pose, time: f32) -> Motion {
        self.pose.motion_to(target, time)
    }
}

/// The position of a collider on a [`HostBody`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct Attachment {
    /// The body. A collider whose body was removed stays where it is.
    pub body: HostBodyId,
    /// Pose of the collider relative to the centre of mass and the rotation of the body.
    pub pose: Pose,
}

stored!(Attachment { body, pose } check Self::validate);

impl Attachment {
    /// Checks the pose.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] for a translation beyond ±1e12, and for a rotation whose length is not 1.
    pub fn validate(&self) -> Result<(), OutOfRange> {
        self.pose.checked(Check("attachment"), "translation").map(|_| ())
    }
}

/// A host body in a world, and the liquid's load on it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HostBodyRecord {
    pub body: HostBody,
    load_sums: LoadSums,
}

stored!(HostBodyRecord { body, load_sums });

impl HostBodyRecord {
    pub(crate) fn new(body: HostBody) -> Self {
        Self { body, load_sums: LoadSums::default() }
    }

    /// The load of the present or the last tick.
    pub(crate) fn load(&self) -> Load {
        self.load_sums.load()
    }

    /// Sets the loads to 0 before a tick.
    pub(crate) fn begin_tick(&mut self) {
        *self = Self::new(self.body);
    }

    /// Moves it with its motion for `time` seconds.
    pub(crate) fn advance(&mut self, time: f32) {
        self.body.pose = self.body.pose.after(self.body.motion, time);
    }

    /// Pose of an attached collider.
    pub(crate) fn pose_of(&self, attachment: &Attachment) -> Pose {
        let pose = self.body.pose * attachment.pose;
        Pose { rotation: pose.rotation / pose.rotation.length(), ..pose }.within_reach()
    }

    /// Pose of an attached collider after the body has moved for `time` seconds.
    pub(crate) fn predicted_pose(mut self, attachment: &Attachment, time: f32) -> Pose {
        self.advance(time);
        self.pose_of(attachment)
    }

    /// Adds the load of a substep on an attached collider with this centre.
    pub(crate) fn add(&mut self, centre: Vec2, load: Load) {
        let impulse = load.impulse.as_dvec2();
        let lever = (centre - self.body.pose.translation).as_dvec2();
        self.load_sums.add(impulse, f64::from(load.angular_impulse) + lever.perp_dot(impulse));
    }

    /// Adds an impulse at a point, and an angular impulse about the point, to the tick's load. These impulses have
    /// already changed the motion.
    pub(crate) fn add_reaction(&mut self, point: Vec2, impulse: DVec2, angular_impulse: f64) {
        let lever = (point - self.body.pose.translation).as_dvec2();
        self.load_sums.add_reaction(impulse, angular_impulse + lever.perp_dot(impulse));
    }

    /// Limits the load of the present substep so that neither the centre nor a point at the
    /// distance `radius` gets faster than `max_speed`.
    pub(crate) fn limit_load(&mut self, radius: f32, max_speed: f32) {
        let HostBody { motion, inverse_mass, inverse_inertia, .. } = self.body;
        self.load_sums.limit_substep(|load| {
            load.limited(motion, inverse_mass, inverse_inertia, radius, max_speed)
        });
    }

    /// Ends a substep of `time` seconds: the load and the other accelerations change the motion.
    /// These changes do not increase a speed beyond `max_speed`.
    pub(crate) fn end_substep(&mut self, time: f32, max_speed: f32) {
        let Load { impulse, angular_impulse } = self.load_sums.end_substep();
        let body = &mut self.body;
        let old_motion = body.motion;
        let mut motion = old_motion;
        motion.velocity += impulse * body.inverse_mass + body.acceleration * time;
        motion.angular_velocity +=
            angular_impulse * body.inverse_inertia + body.angular_acceleration * time;
        let limit = max_speed.max(old_motion.velocity.length());
        motion.velocity = motion.velocity.clamp_length_max(limit);
        if body.inverse_mass.max_element() > 0.0 && body.inverse_inertia > 0.0 {
            let gyration = (body.inverse_mass.max_element() / body.inverse_inertia).sqrt();
            let limit = (max_speed / gyration).max(old_motion.angular_velocity.abs());
            motion.angular_velocity = motion.angular_velocity.clamp(-limit, limit);
        }
        body.motion = if motion.validate().is_ok() { motion } else { Motion::STILL };
    }
}

// Loads: the impulses of the liquid on colliders.

/// Impulse of the liquid on a collider in a tick, opposite to the impulse of the collider on the
/// liquid.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct Load {
    /// Impulse, in masses times world units/s, where a particle of the medium class has mass 1.
    pub impulse: Vec2,
    /// Angular impulse about the collider's centre, in masses times square world units/s.
    pub angular_impulse: f32,
}

impl Load {
    /// Returns the part of the load that makes neither the centre of a body nor a point at the
    /// distance `radius` faster than `max_speed`. A body that is already faster does not get
    /// faster.
    pub(crate) fn limited(
        self,
        motion: Motion,
        inverse_mass: Vec2,
        inverse_inertia: f32,
        radius: f32,
        max_speed: f32,
    ) -> Self {
        let edge = |spin: f32| DVec2::new(f64::from(spin) * f64::from(radius), 0.0);
        let pushed = (self.impulse * inverse_mass).as_dvec2();
        let push = speed_limited_fraction(motion.velocity.as_dvec2(), pushed, max_speed.into());
        let turned = edge(self.angular_impulse * inverse_inertia);
        let turn = speed_limited_fraction(edge(motion.angular_velocity), turned, max_speed.into());
        Self {
            impulse: (self.impulse.as_dvec2() * push).as_vec2(),
            angular_impulse: (f64::from(self.angular_impulse) * turn) as f32,
        }
    }
}

/// Largest fraction, 0 to 1, of a velocity change with which the speed stays below `max_speed` or
/// does not grow.
fn speed_limited_fraction(velocity: DVec2, change: DVec2, max_speed: f64) -> f64 {
    let limit = max_speed.max(velocity.length());
    if (velocity + change).length() <= limit {
        return 1.0;
    }
    let (squared, along) = (change.length_squared(), velocity.dot(change));
    let squared_margin = (limit * limit - velocity.length_squared()).max(0.0);
    let fraction = ((along * along + squared * squared_margin).sqrt() - along) / squared;
    if fraction.is_finite() { fraction.clamp(0.0, 1.0) } else { 0.0 }
}

/// Sum of impulses and of angular impulses.
#[derive(Clone, Copy, Debug, Default)]
struct ImpulseSum {
    impulse: DVec2,
    angular_impulse: f64,
}

stored!(ImpulseSum { impulse in Limits::FINITE, angular_impulse in Limits::FINITE });

impl ImpulseSum {
    /// Adds an impulse, and clamps the sums to the range of `f32`. NaN is ignored.
    fn add(&mut self, impulse: DVec2, angular_impulse: f64) {
        let max = f64::from(f32::MAX);
        let add = |sum: f64, more: f64| {
            if more.is_nan() { sum } else { (sum + more).clamp(-max, max) }
        };
        self.impulse = DVec2::new(add(self.impulse.x, impulse.x), add(self.impulse.y, impulse.y));
        self.angular_impulse = add(self.angular_impulse, angular_impulse);
    }

    /// The sum, rounded to `f32`.
    fn to_load(self) -> Load {
        Load { impulse: self.impulse.as_vec2(), angular_impulse: self.angular_impulse as f32 }
    }
}

/// The sums of the impulses on a collider or on a host body.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LoadSums {
    /// Sum of the present substep.
    substep: ImpulseSum,
    /// Sum of the present or the last tick.
    tick: ImpulseSum,
}

stored!(LoadSums { substep, tick });

impl LoadSums {
    /// Adds an impulse of the present substep.
    pub(crate) fn add(&mut self, impulse: DVec2, angular_impulse: f64) {
        self.substep.add(impulse, angular_impulse);
    }

    /// Adds an impulse to the tick's load only, because it has already changed the motion.
    pub(crate) fn add_reaction(&mut self, impulse: DVec2, angular_impulse: f64) {
        self.tick.add(impulse, angular_impulse);
    }

    /// Limits the load of the present substep.
    pub(crate) fn limit_substep(&mut self, limited: impl FnOnce(Load) -> Load) {
        let Load { impulse, angular_impulse } = limited(self.substep.to_load());
        self.substep =
            ImpulseSum { impulse: impulse.as_dvec2(), angular_impulse: f64::from(angular_impulse) };
    }

    /// The impulse of the present substep.
    pub(crate) fn substep_impulse(&self) -> DVec2 {
        self.substep.impulse
    }

    /// Ends the substep and returns the load in it.
    pub(crate) fn end_substep(&mut self) -> Load {
        let substep = std::mem::take(&mut self.substep);
        self.tick.add(substep.impulse, substep.angular_impulse);
        substep.to_load()
    }

    /// The sums without the impulses of the present substep.
    pub(crate) fn without_substep(self) -> Self {
        Self { tick: self.tick, ..Self::default() }
    }

    /// The load of the present or the last tick.
    pub(crate) fn load(&self) -> Load {
        self.tick.to_load()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inertia_is_that_of_the_shape() {
        let square = |half: f32| FluidShape::Rectangle { half_size: Vec2::splat(half) };
        for (shape, squared_gyration) in [
            (FluidShape::Circle { radius: 30.0 }, 450.0),
            (square(30.0), 600.0),
            (FluidShape::Rectangle { half_size: Vec2::new(60.0, 5.0) }, 3625.0 / 3.0),
        ] {
            // The spacing is so small that the gap around the shape is negligible.
            let body = Body::of_density(2.0, &shape, 0.1).expect("valid");
            let expected = squared_gyration * body.mass;
            assert!((body.moment_of_inertia / expected - 1.0).abs() < 0.03, "{shape:?} {body:?}");
        }
    }

    #[test]
    fn impossible_bodies_are_refused_by_field() {
        let disc = FluidShape::Circle { radius: 3.0 };
        assert_eq!(Body::of_density(0.0, &disc, 1.0).expect_err("refused").field, "density");
        let plane = FluidShape::HalfPlane { normal: Vec2::Y };
        assert_eq!(Body::of_density(1.0, &plane, 1.0).expect_err("refused").field, "area");
        let bad: [(&str, fn(&mut Body)); 5] = [
            ("mass", |body| body.mass = 0.0),
            ("moment_of_inertia", |body| body.moment_of_inertia = f32::NAN),
            ("gravity_scale", |body| body.gravity_scale = f32::INFINITY),
            ("drag", |body| body.drag = -1.0),
            ("friction", |body| body.friction = 11.0),
        ];
        for (field, change) in bad {
            let mut body = Body::new(1.0, 1.0);
            change(&mut body);
            assert_eq!(body.validate().expect_err(field).field, field);
        }
    }

    #[test]
    fn a_push_is_cut_where_it_makes_faster_than_allowed() {
        let x = DVec2::X;
        // From rest; already too fast and pushed further; pushed sideways; and braked.
        assert_eq!(speed_limited_fraction(DVec2::ZERO, 100.0 * x, 40.0), 0.4);
        assert_eq!(speed_limited_fraction(50.0 * x, 10.0 * x, 40.0), 0.0);
        let share = speed_limited_fraction(30.0 * x, 80.0 * DVec2::Y, 50.0);
        assert!(((30.0 * x + share * 80.0 * DVec2::Y).length() - 50.0).abs() < 1e-9);
        assert_eq!(speed_limited_fraction(50.0 * x, -60.0 * x, 40.0), 1.0);
        // A change that is not a number has no effect.
        assert_eq!(speed_limited_fraction(DVec2::ZERO, f64::NAN * x, 40.0), 0.0);
    }
}
