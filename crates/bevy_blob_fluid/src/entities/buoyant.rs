//! Bodies that the liquid carries, without a physics engine.

use bevy::ecs::entity::EntityHashMap;
use bevy::ecs::query::QueryData;
use bevy::math::{Affine2, Affine3A, Mat2};
use bevy::prelude::*;
use bevy::transform::helper::TransformHelper;
use blob_fluid::{Body, Collider, Motion, OutOfRange, Shape};

use super::collider::{FluidCollider, FluidColliders};
use super::motion::Target;
use super::placement::Placement;
use crate::simulation::FluidSimulation;

/// Lets the liquid and gravity move the entity's [`FluidCollider`]: it floats or sinks, is dragged
/// along and turns, and it pushes the liquid back.
///
/// Its [`Transform`] follows the body, interpolated between ticks. If the game changes the position
/// or the rotation, the body is moved there and is at rest; [`teleport`](Self::teleport) lets it
/// keep its velocity. Depth and scale are the game's: to flip a sprite by its scale does not stop
/// the body. Read and change its velocity through [`FluidMotion`]. Bodies collide with containers, with other colliders and with each other; the
/// contacts are simple, and a physics engine handles piles of bodies better. The origin of the body
/// counts as its centre of mass. At rest it falls asleep together with the liquid around it, unless it
/// has a [`FluidLoad`]; [`Collider::is_sleeping`] of its [collider](FluidColliders::id) says so. Without a
/// collider the component does nothing. A collider without
/// an area, such as a line, cannot be a body, and is left out with a warning.
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
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(Transform, FluidMotion)]
pub struct FluidBuoyant {
    /// Density, as a multiple of that of liquid with a [mass](blob_fluid::DensityClass::mass) of 1,
    /// such as the medium class: below 1 it floats in that, at a half half sunk. Above 0.
    pub density: f32,
    /// Factor on gravity, within ±1000. Default 1.
    pub gravity_scale: f32,
    /// Rate at which its velocities decay by themselves, as in a rusty bearing, in 1/s; 0 to
    /// 1000000. Default 0.
    pub drag: f32,
    /// How much it rubs on containers, colliders and other bodies; 0 to 10. Default 0.4.
    pub friction: f32,
    /// Whether it keeps its position and only turns, like a wheel.
    pub pinned: bool,
    /// Whether its rotation is locked.
    pub lock_rotation: bool,
    /// Whether it passes through containers, colliders and other bodies.
    pub ignore_contacts: bool,
}

impl Default for FluidBuoyant {
    /// Half as dense as liquid with a mass of 1.
    fn default() -> Self {
        Self::of_density(0.5)
    }
}

impl FluidBuoyant {
    /// A free body of a density, as a multiple of that of liquid with a mass of 1.
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

    /// The same body with velocities that decay by themselves, at a rate in 1/s.
    pub const fn with_drag(mut self, drag: f32) -> Self {
        self.drag = drag;
        self
    }

    /// A command that moves a body at once and lets it keep its velocity, as at the edge of a world
    /// without ends. Its transform becomes `to`. Change its [`FluidMotion`] for another velocity.
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
    pub(super) fn body(self, shape: &Shape, particle_spacing: f32) -> Result<Body, OutOfRange> {
        let Self { density, gravity_scale, drag, friction, pinned, lock_rotation, ignore_contacts } =
            self;
        let body = Body::of_density(density, shape, particle_spacing)?;
        Ok(Body { gravity_scale, drag, friction, pinned, lock_rotation, ignore_contacts, ..body })
    }
}

/// Velocity of a [`FluidBuoyant`] entity, updated after every tick. Change it outside of
/// [`FluidSchedule`](crate::FluidSchedule): the change takes effect in the next tick.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(BodyState)]
pub struct FluidMotion {
    /// Velocity of its centre, in world units/s. A value that is not finite is ignored.
    pub velocity: Vec2,
    /// Angular velocity, counter-clockwise, in radians/s. A value that is not finite is ignored.
    pub angular_velocity: f32,
}

/// Force and torque of the liquid on the entity's [`FluidCollider`], whether or not it is a
/// [`FluidBuoyant`]. Pass them on to a physics engine to couple it to the liquid. Add the
/// component, and the plugin updates it after every tick.
///
/// Masses are those of [`FluidCollider::body`]: a particle of a class with mass 1 has mass 1. Liquid
/// around the collider does not sleep, and a body does not either.
///
/// A collider that a game moves by itself floats with a few lines: forces of liquid and gravity
/// change its velocity, and the velocity its position.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// #[derive(Component)]
/// struct Boat {
///     mass: f32,
///     velocity: Vec2,
/// }
///
/// fn launch(mut commands: Commands, settings: Res<FluidSettings>) -> Result {
///     let hull = FluidCollider::from(Rectangle::new(80.0, 40.0));
///     let mass = hull.body(0.5, Vec2::ONE, &settings)?.mass;
///     let boat = Boat { mass, velocity: Vec2::ZERO };
///     commands.spawn((hull, FluidLoad::default(), boat, Transform::from_xyz(0.0, 100.0, 0.0)));
///     Ok(())
/// }
///
/// /// Runs in `FixedUpdate`: the liquid ticks after it.
/// fn sail(
///     mut boats: Query<(&mut Boat, &FluidLoad, &mut Transform)>,
///     settings: Res<FluidSettings>,
///     time: Res<Time>,
/// ) {
///     let tick = time.delta_secs();
///     for (mut boat, load, mut transform) in &mut boats {
///         let acceleration = load.force / boat.mass + settings.parameters.gravity;
///         boat.velocity += acceleration * tick;
///         transform.translation += (boat.velocity * tick).extend(0.0);
///     }
/// }
/// # App::new().add_systems(Startup, launch).add_systems(FixedUpdate, sail);
/// ```
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct FluidLoad {
    /// Force over the last tick, in masses times world units/s^2.
    pub force: Vec2,
    /// Torque about the centre over the last tick, counter-clockwise, in masses times square world
    /// units/s^2.
    pub torque: f32,
}

/// What the plugin last wrote to a body's entity.
#[derive(Component, Clone, Copy, Debug, Default)]
pub(crate) struct BodyState {
    /// The transform as written; `None` before the first tick.
    written: Option<Transform>,
    motion: FluidMotion,
    /// Whether the next change of the transform leaves it its motion.
    keeps_motion: bool,
    /// Position and rotation before the last tick and after it.
    before: Pose,
    now: Pose,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Pose {
    position: Vec2,
    /// Cosine and sine.
    rotation: Vec2,
}

impl BodyState {
    /// Whether the game has moved the body or turned it since its transform was written.
    fn was_moved(&self, transform: &Transform) -> bool {
        let Some(written) = self.written else { return true };
        let (from, to) = (written.translation.truncate(), transform.translation.truncate());
        // The same angle, computed in another way, is the same place.
        let turn = |rotation: Quat| (written.rotation - rotation).length_squared();
        let turned = turn(transform.rotation).min(turn(-transform.rotation)) > SAME * SAME;
        let near = from.distance(to) <= SAME * from.length().max(1.0);
        turned || !near
    }

    /// Whether the game has turned the body upside down by its scale since then.
    fn was_flipped(&self, transform: &Transform) -> bool {
        self.written.is_some_and(|written| written.scale.y * transform.scale.y < 0.0)
    }
}

/// Differences of positions, relative to them, and of rotations that count as rounding.
const SAME: f32 = 1e-6;

impl Pose {
    fn of(collider: &Collider) -> Self {
        Self { position: collider.centre(), rotation: collider.rotation() }
    }
}

/// The components that make an entity's collider a body.
#[derive(QueryData)]
pub(crate) struct BodyParts {
    pub buoyant: &'static FluidBuoyant,
    motion: &'static FluidMotion,
    state: &'static BodyState,
    transform: &'static Transform,
}

impl BodyPartsItem<'_, '_> {
    /// The collider at the pose it should have: that of the simulation, unless the game has moved
    /// it or it is new.
    pub(super) fn placed(
        &self,
        collider: Collider,
        held: Option<&Collider>,
        placement: Placement,
    ) -> Result<Collider, OutOfRange> {
        let held = held.filter(|held| held.is_body());
        let FluidMotion { velocity, angular_velocity } = *self.motion;
        let requested = Motion { velocity, angular_velocity };
        let pushed = *self.motion != self.state.motion && requested.validate().is_ok();
        let moved = held.is_none() || self.state.was_moved(self.transform);
        let placed = if moved {
            collider.placed(placement.position, placement.rotation)?
        } else {
            let Pose { position, rotation } = self.state.now;
            let flipped = self.state.was_flipped(self.transform);
            collider.placed(position, if flipped { -rotation } else { rotation })?
        };
        let motion = match held {
            _ if pushed => requested,
            Some(held) if !moved || self.state.keeps_motion => held.motion(),
            _ => Motion::STILL,
        };
        placed.with_motion(motion)
    }
}

/// Copies the motions and loads of colliders to their entities after a tick.
pub(crate) fn read_bodies(
    mut known: ResMut<FluidColliders>,
    fluid: Res<FluidSimulation>,
    time: Res<Time>,
    mut bodies: Query<(&mut FluidMotion, &mut BodyState, &Transform), With<FluidBuoyant>>,
    mut loads: Query<&mut FluidLoad>,
) {
    let rate = 1.0 / time.delta_secs().min(fluid.parameters().max_time_step);
    let changed = known.bypass_change_detection();
    for Target { entity, id, wanted: target, .. } in &mut changed.0.0 {
        let Some(collider) = fluid.collider(*id) else { continue };
        if collider.is_attached() {
            // The load is that of its body.
            continue;
        }
        if let Ok(mut load) = loads.get_mut(*entity)
            && let Some(own) = fluid.load_on(*id)
        {
            let force = own.impulse * rate;
            load.set_if_neq(FluidLoad { force, torque: own.angular_impulse * rate });
        }
        if !collider.is_body() {
            continue;
        }
        let standing = target.clone().placed(collider.centre(), collider.rotation());
        if let Ok(moved) = standing.and_then(|own| own.with_motion(collider.motion())) {
            *target = moved;
        }
        if let Ok((mut motion, mut state, transform)) = bodies.get_mut(*entity) {
            let Motion { velocity, angular_velocity } = collider.motion();
            motion.set_if_neq(FluidMotion { velocity, angular_velocity });
            state.motion = *motion;
            let now = Pose::of(collider);
            let jumped = state.was_moved(transform) || state.was_flipped(transform);
            state.before = if jumped { now } else { state.now };
            state.now = now;
            state.keeps_motion = false;
            state.written = Some(*transform);
        }
    }
}

/// Interpolates the transforms of bodies, `fraction` of the way from before the last tick
/// to after it.
pub(crate) fn place_bodies(
    In(fraction): In<f32>,
    mut bodies: ParamSet<(
        (TransformHelper, Query<(Entity, &ChildOf), PlacedBody>),
        Query<(Entity, &mut Transform, &mut BodyState), PlacedBody>,
    )>,
    mut parents: Local<EntityHashMap<Affine2>>,
) {
    parents.clear();
    let (transforms, children) = bodies.p0();
    parents.extend(children.iter().filter_map(|(entity, child_of)| {
        let parent = transforms.compute_global_transform(child_of.parent()).ok()?;
        let Affine3A { matrix3, translation } = parent.affine();
        let axes = Mat2::from_cols(matrix3.x_axis.truncate(), matrix3.y_axis.truncate());
        Some((entity, Affine2::from_mat2_translation(axes, translation.truncate())))
    }));
    for (entity, mut transform, mut state) in &mut bodies.p1() {
        if state.was_moved(&transform) || state.was_flipped(&transform) {
            // Not simulated yet, or just moved by the game.
            continue;
        }
        let position = state.before.position.lerp(state.now.position, fraction);
        let rotation = state.before.rotation.lerp(state.now.rotation, fraction);
        let parent = parents.get(&entity).copied().unwrap_or_default();
        let inverse = parent.inverse();
        // The axis that defines its rotation, as in `Placement`.
        let mirrored = parent.matrix2.determinant() * transform.scale.x * transform.scale.y < 0.0;
        let own_x = if mirrored {
            -inverse.transform_vector2(rotation.perp() * transform.scale.y.signum()).perp()
        } else {
            inverse.transform_vector2(rotation * transform.scale.x.signum())
        };
        let local = inverse.transform_point2(position);
        if !local.is_finite() || !own_x.is_finite() || own_x == Vec2::ZERO {
            // Its parent has no valid placement in the plane.
            continue;
        }
        let turned = Quat::from_rotation_z(own_x.to_angle());
        let translation = local.extend(transform.translation.z);
        let placed = Transform { translation, rotation: turned, ..*transform };
        transform.set_if_neq(placed);
        state.written = Some(*transform);
    }
}

/// Filter: entities with a body.
type PlacedBody = (With<FluidBuoyant>, With<FluidCollider>);
