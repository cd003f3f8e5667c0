//! Bodies that the liquid carries, without a physics engine.

use bevy::ecs::query::QueryData;
use bevy::ecs::schedule::InternedScheduleLabel;
use bevy::prelude::*;
use blob_fluid::{Body, Collider, FluidShape, Motion, OutOfRange, Pose};

use crate::placing::Placement;

/// Adds the types and systems below.
pub(super) fn add_buoyant_bodies(app: &mut App, _: InternedScheduleLabel) {
    app.register_type::<FluidBuoyant>().register_type::<FluidMotion>();
}

/// Lets the liquid and gravity move the entity's [`FluidCollider`](crate::FluidCollider). The collider floats or sinks,
/// is dragged along, turns, and pushes the liquid back.
///
/// The entity's [`Transform`] follows the body, interpolated between ticks. If the game changes the position or the
/// rotation, the body moves there at once and its velocity becomes 0; [`teleport`](Self::teleport) keeps the velocity.
/// The game may change depth and scale at any time: a sprite that is flipped by its scale does not stop the body. Read
/// and change the velocity through [`FluidMotion`].
///
/// Bodies collide with containers, with other colliders and with each other. The contacts are simple: a physics engine
/// handles piles of bodies better. The origin of the body is its centre of mass. A body at rest falls asleep together
/// with the liquid around it, unless it has a [`FluidLoad`](crate::FluidLoad). [`Collider::is_sleeping`] of its
/// [collider](crate::FluidColliders::id) tells whether the body sleeps. Without a collider, the component does
/// nothing. A collider without an area, such as a line, cannot be a body, and is left out with a warning.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn setup(mut commands: Commands) {
///     commands.spawn((
///         FluidCollider::from(Rectangle::new(80.0, 50.0)),
///         FluidBuoyant::of_density(0.5),
///         Transform::from_xyz(0.0, 200.0, 0.0),
///     ));
/// }
/// ```
#[doc = guide!("bodies")]
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(Transform, FluidMotion)]
pub struct FluidBuoyant {
    /// Density, as a multiple of the density of liquid with a [mass](blob_fluid::DensityClass::mass) of 1, such as the
    /// medium class. In that liquid a body of density 0.5 is half immersed, and any body below 1 floats. Above 0.
    /// Default 0.5.
    pub density: f32,
    /// Factor on gravity, within ±1000. Default 1.
    pub gravity_scale: f32,
    /// Rate in 1/s at which the body's velocities decay, in liquid and outside of it, as in a rusty bearing; 0 to
    /// 1000000. Default 0.
    pub drag: f32,
    /// Coefficient of friction on containers, colliders and other bodies; 0 to 10. Default 0.4.
    pub friction: f32,
    /// Whether the body keeps its position and only turns, like a wheel. Default no.
    pub pinned: bool,
    /// Whether the body's rotation is locked. Default no.
    pub lock_rotation: bool,
    /// Whether the body passes through containers, colliders and other bodies. Default no.
    pub ignore_contacts: bool,
}

impl Default for FluidBuoyant {
    /// A body half as dense as liquid with a mass of 1.
    fn default() -> Self {
        Self::of_density(0.5)
    }
}

impl FluidBuoyant {
    /// A free body of a density, as a multiple of the density of liquid with a mass of 1.
    pub const fn of_density(density: f32) -> Self {
        let Body { gravity_scale, drag, friction, pinned, lock_rotation, ignore_contacts, .. } =
            Body::new(1.0, 1.0);
        Self { density, gravity_scale, drag, friction, pinned, lock_rotation, ignore_contacts }
    }

    /// The same body, turning about a fixed position, like a wheel.
    pub const fn pinned(mut self) -> Self {
        self.pinned = true;
        self
    }

    /// The same body with its rotation locked.
    pub const fn lock_rotation(mut self) -> Self {
        self.lock_rotation = true;
        self
    }

    /// The same body without contacts: it passes through containers, colliders and other bodies.
    pub const fn ignore_contacts(mut self) -> Self {
        self.ignore_contacts = true;
        self
    }

    /// The same body with velocities that decay at a rate in 1/s, in liquid and outside of it.
    pub const fn with_drag(mut self, drag: f32) -> Self {
        self.drag = drag;
        self
    }

    /// A command that moves a body at once and keeps its velocity, as at the edge of a wrapping world. The body's
    /// transform becomes `to`. For another velocity, change the body's [`FluidMotion`].
    ///
    /// ```
    /// use bevy::prelude::*;
    /// use bevy_blob_fluid::prelude::*;
    ///
    /// fn wrap(boats: Query<(Entity, &Transform), With<FluidBuoyant>>, mut commands: Commands) {
    ///     for (boat, transform) in &boats {
    ///         if transform.translation.x > 400.0 {
    ///             let back = transform.with_translation(transform.translation - Vec3::X * 800.0);
    ///             commands.entity(boat).queue(FluidBuoyant::teleport(back));
    ///         }
    ///     }
    /// }
    /// ```
    pub fn teleport(to: Transform) -> impl EntityCommand {
        move |mut body: EntityWorldMut| {
            if let Some(mut transform) = body.get_mut::<Transform>() {
                *transform = to;
            }
            if let Some(mut state) = body.get_mut::<BodyState>() {
                state.keeps_motion = true;
            }
        }
    }

    /// The body of a shape in world units.
    pub(super) fn body(
        self,
        shape: &FluidShape,
        particle_spacing: f32,
    ) -> Result<Body, OutOfRange> {
        let Self { density, gravity_scale, drag, friction, pinned, lock_rotation, ignore_contacts } =
            self;
        let body = Body::of_density(density, shape, particle_spacing)?;
        Ok(Body { gravity_scale, drag, friction, pinned, lock_rotation, ignore_contacts, ..body })
    }
}

/// Velocity of a [`FluidBuoyant`] entity, updated after every tick. Change the velocity outside of
/// [`FluidSchedule`](crate::FluidSchedule): the change takes effect in the next tick.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(BodyState)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub struct FluidMotion {
    /// Velocity of the body's centre, in world units/s. A value that is not finite is ignored.
    pub velocity: Vec2,
    /// Angular velocity, counter-clockwise, in radians/s. A value that is not finite is ignored.
    pub angular_velocity: f32,
}

/// The values that the plugin last wrote to a body's entity.
#[derive(Component, Clone, Copy, Debug, Default)]
pub(crate) struct BodyState {
    /// The transform as written; `None` before the first tick.
    pub written: Option<Transform>,
    pub motion: FluidMotion,
    /// Whether the body keeps its motion at the next change of the transform.
    pub keeps_motion: bool,
    /// Pose before the last tick.
    pub previous_pose: Pose,
    /// Pose after the last tick.
    pub pose: Pose,
}

impl BodyState {
    /// Whether the game has moved the body or turned it since its transform was written.
    pub(super) fn was_moved(&self, transform: &Transform) -> bool {
        let Some(written) = self.written else { return true };
        let (from, to) = (written.translation.truncate(), transform.translation.truncate());
        // `q` and `-q` are the same rotation, and rounding may differ.
        let turn = |rotation: Quat| (written.rotation - rotation).length_squared();
        let turned = turn(transform.rotation).min(turn(-transform.rotation)) > SAME * SAME;
        let near = from.distance(to) <= SAME * from.length().max(1.0);
        turned || !near
    }

    /// Whether the game has turned the body upside down by its scale since its transform was written.
    pub(super) fn was_flipped(&self, transform: &Transform) -> bool {
        self.written.is_some_and(|written| written.scale.y * transform.scale.y < 0.0)
    }
}

/// Largest differences that count as rounding: of positions, relative to them, and of rotations.
const SAME: f32 = 1e-6;

/// The components that make an entity's collider a body.
#[derive(QueryData)]
pub(crate) struct BodyParts {
    pub buoyant: &'static FluidBuoyant,
    motion: &'static FluidMotion,
    state: &'static BodyState,
    transform: &'static Transform,
}

impl BodyPartsItem<'_, '_> {
    /// The collider at its target pose. That is the pose in the simulation, unless the game has moved
    /// the collider or it is new. `known` is its last target.
    pub(super) fn target(
        &self,
        collider: Collider,
        known: Option<&Collider>,
        placement: Placement,
    ) -> Result<Collider, OutOfRange> {
        let known = known.filter(|known| known.is_body());
        let FluidMotion { velocity, angular_velocity } = *self.motion;
        let requested = Motion { velocity, angular_velocity };
        let pushed = *self.motion != self.state.motion && requested.validate().is_ok();
        let moved = known.is_none() || self.state.was_moved(self.transform);
        let target = if moved {
            collider.with_pose(placement.pose)?
        } else {
            let mut pose = self.state.pose;
            if self.state.was_flipped(self.transform) {
                pose.rotation = -pose.rotation;
            }
            collider.with_pose(pose)?
        };
        let motion = match known {
            _ if pushed => requested,
            Some(known) if !moved || self.state.keeps_motion => known.motion(),
            _ => Motion::STILL,
        };
        target.with_motion(motion)
    }
}
