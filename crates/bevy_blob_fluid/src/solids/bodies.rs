//! Bodies move their entities: motions, loads and transforms after a tick.

use bevy::ecs::entity::EntityHashMap;
use bevy::ecs::query::QueryData;
use bevy::ecs::schedule::InternedScheduleLabel;
use bevy::math::{Affine2, Affine3A, Mat2};
use bevy::prelude::*;
use bevy::transform::helper::TransformHelper;
use blob_fluid::{Body, Collider, FluidShape, FluidWorld, Motion, OutOfRange, Solid};

use crate::placing::Placement;
use crate::schedule::{FluidSchedule, FluidSenseSystems, FluidSystems, Rank, Ranks};
use crate::simulation::{Fluid, FluidSimulation, interpolation, is_fixed};
use crate::solids::collider::{FluidCollider, FluidColliders, FluidLoad, LoadedHosts, SolidKind};
use crate::warnings::Warnings;

/// Adds this file to the app.
pub(super) fn add_bodies(app: &mut App, schedule: InternedScheduleLabel) {
    let in_fixed_schedule = is_fixed(schedule);
    let between_ticks = move |time: Res<Time<Fluid>>, fixed: Res<Time<Fixed>>| {
        interpolation(&time, &fixed, in_fixed_schedule)
    };
    let sense = (forget_loads, read_bodies).chain().in_set(FluidSenseSystems::Bodies);
    app.add_systems(FluidSchedule, sense).add_systems(
        PostUpdate,
        between_ticks
            .pipe(place_bodies)
            .after(FluidSystems::Tick)
            .before(TransformSystems::Propagate),
    );
}

/// Takes the load from what has no collider any more, and is no body.
fn forget_loads(
    mut loads: Query<(Entity, &mut FluidLoad)>,
    colliders: Res<FluidColliders>,
    hosts: Res<LoadedHosts>,
) {
    for (entity, mut load) in &mut loads {
        if colliders.0.of(entity).is_none() && !hosts.0.contains(&entity) {
            load.set_if_neq(FluidLoad::default());
        }
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
    for Target { rank, id, solid: target, .. } in changed.0.iter_mut() {
        let Some(collider) = fluid.collider(*id) else { continue };
        if collider.is_attached() {
            // The load is that of its body.
            continue;
        }
        if let Ok(mut load) = loads.get_mut(rank.entity)
            && let Some(on_collider) = fluid.load_on(*id)
        {
            let force = on_collider.impulse * rate;
            load.set_if_neq(FluidLoad { force, torque: on_collider.angular_impulse * rate });
        }
        if !collider.is_body() {
            continue;
        }
        let standing = target.clone().with_pose(collider.centre(), collider.rotation());
        if let Ok(moved) = standing.and_then(|standing| standing.with_motion(collider.motion())) {
            *target = moved;
        }
        if let Ok((mut motion, mut state, transform)) = bodies.get_mut(rank.entity) {
            let Motion { velocity, angular_velocity } = collider.motion();
            motion.set_if_neq(FluidMotion { velocity, angular_velocity });
            state.motion = *motion;
            let pose = Pose::of(collider);
            let jumped = state.was_moved(transform) || state.was_flipped(transform);
            state.previous_pose = if jumped { pose } else { state.pose };
            state.pose = pose;
            state.keeps_motion = false;
            state.written = Some(*transform);
        }
    }
}

/// Interpolates the transforms of bodies, `fraction` of the way from before the last tick
/// to after it.
fn place_bodies(
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
        let position = state.previous_pose.position.lerp(state.pose.position, fraction);
        let rotation = state.previous_pose.rotation.lerp(state.pose.rotation, fraction);
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
        let between = Transform { translation, rotation: turned, ..*transform };
        transform.set_if_neq(between);
        state.written = Some(*transform);
    }
}

/// Moves the entities of bodies to where the last tick left them.
#[cfg(feature = "ggrs")]
pub(crate) fn place_at_last_tick(world: &mut World) {
    // It fails only if the world lacks a parameter, and all of them are queries.
    _ = world.run_system_cached_with(place_bodies, 1.0);
}

/// Filter: entities with a body.
type PlacedBody = (With<FluidBuoyant>, With<FluidCollider>);

// Bodies that the liquid carries, without a physics engine.

/// Adds this file to the app.
pub(super) fn add_buoyant_bodies(app: &mut App, _: InternedScheduleLabel) {
    app.register_type::<FluidBuoyant>().register_type::<FluidMotion>();
}

/// Lets the liquid and gravity move the entity's [`FluidCollider`](crate::FluidCollider): it floats or sinks, is dragged
/// along and turns, and it pushes the liquid back.
///
/// Its [`Transform`] follows the body, interpolated between ticks. If the game changes the position
/// or the rotation, the body is moved there and is at rest; [`teleport`](Self::teleport) lets it
/// keep its velocity. Depth and scale are the game's: to flip a sprite by its scale does not stop
/// the body. Read and change its velocity through [`FluidMotion`]. Bodies collide with containers, with other colliders and with each other; the
/// contacts are simple, and a physics engine handles piles of bodies better. The origin of the body
/// counts as its centre of mass. At rest it falls asleep together with the liquid around it, unless it
/// has a [`FluidLoad`](crate::FluidLoad); [`Collider::is_sleeping`] of its [collider](crate::FluidColliders::id) says so. Without a
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
    /// such as the medium class: below 1 it floats in that, at a half half sunk. Above 0. Default
    /// 0.5.
    pub density: f32,
    /// Factor on gravity, within ±1000. Default 1.
    pub gravity_scale: f32,
    /// Rate at which its velocities decay by themselves, as in a rusty bearing, in 1/s; 0 to
    /// 1000000. Default 0.
    pub drag: f32,
    /// How much it rubs on containers, colliders and other bodies; 0 to 10. Default 0.4.
    pub friction: f32,
    /// Whether it keeps its position and only turns, like a wheel. Default no.
    pub pinned: bool,
    /// Whether its rotation is locked. Default no.
    pub lock_rotation: bool,
    /// Whether it passes through containers, colliders and other bodies. Default no.
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

/// Velocity of a [`FluidBuoyant`] entity, updated after every tick. Change it outside of
/// [`FluidSchedule`](crate::FluidSchedule): the change takes effect in the next tick.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(BodyState)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub struct FluidMotion {
    /// Velocity of its centre, in world units/s. A value that is not finite is ignored.
    pub velocity: Vec2,
    /// Angular velocity, counter-clockwise, in radians/s. A value that is not finite is ignored.
    pub angular_velocity: f32,
}

/// What the plugin last wrote to a body's entity.
#[derive(Component, Clone, Copy, Debug, Default)]
pub(crate) struct BodyState {
    /// The transform as written; `None` before the first tick.
    pub written: Option<Transform>,
    pub motion: FluidMotion,
    /// Whether the next change of the transform leaves it its motion.
    pub keeps_motion: bool,
    /// Before the last tick.
    pub previous_pose: Pose,
    /// After the last tick.
    pub pose: Pose,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Pose {
    pub position: Vec2,
    /// Cosine and sine.
    pub rotation: Vec2,
}

impl BodyState {
    /// Whether the game has moved the body or turned it since its transform was written.
    pub(super) fn was_moved(&self, transform: &Transform) -> bool {
        let Some(written) = self.written else { return true };
        let (from, to) = (written.translation.truncate(), transform.translation.truncate());
        // The same angle, computed in another way, is the same place.
        let turn = |rotation: Quat| (written.rotation - rotation).length_squared();
        let turned = turn(transform.rotation).min(turn(-transform.rotation)) > SAME * SAME;
        let near = from.distance(to) <= SAME * from.length().max(1.0);
        turned || !near
    }

    /// Whether the game has turned the body upside down by its scale since then.
    pub(super) fn was_flipped(&self, transform: &Transform) -> bool {
        self.written.is_some_and(|written| written.scale.y * transform.scale.y < 0.0)
    }
}

/// Differences of positions, relative to them, and of rotations that count as rounding.
const SAME: f32 = 1e-6;

impl Pose {
    pub(super) fn of(collider: &Collider) -> Self {
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
    /// The collider at its target pose: that of the simulation, unless the game has moved it or it is
    /// new. `known` is its last target.
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
            collider.with_pose(placement.position, placement.rotation)?
        } else {
            let Pose { position, rotation } = self.state.pose;
            let flipped = self.state.was_flipped(self.transform);
            collider.with_pose(position, if flipped { -rotation } else { rotation })?
        };
        let motion = match known {
            _ if pushed => requested,
            Some(known) if !moved || self.state.keeps_motion => known.motion(),
            _ => Motion::STILL,
        };
        target.with_motion(motion)
    }
}

// The containers and the colliders that entities want, and those in the simulation.

/// Longest move in a tick, in interaction radii; a longer one is a jump.
pub(crate) const LONGEST_WAY: f32 = 10.0;

/// The target of each entity's solid, and its handle, in the order of the entities.
#[derive(Clone, Debug)]
pub(crate) struct Targets<Options: SolidKind> {
    targets: Vec<Target<Options>>,
    /// Index of each entity's first target.
    first: EntityHashMap<usize>,
}

/// The target of an entity's solid.
#[derive(Clone, Debug)]
pub(crate) struct Target<Options: SolidKind> {
    pub rank: Rank,
    pub part: EntityPart,
    /// The solid in the simulation.
    pub id: Options::Id,
    /// The solid at its target pose, that of its entity.
    pub solid: Solid<Options>,
}

/// A solid among those of its entity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct EntityPart {
    /// 0 for the entity's own component, 1 and more for pieces of a physics engine's collider.
    pub number: u32,
    /// Centre relative to the entity, in world units along the entity's axes.
    pub centre: Vec2,
    /// Cosine and sine of the angle relative to the entity.
    pub rotation: Vec2,
}

impl EntityPart {
    /// The solid of the entity's own component.
    pub const WHOLE: Self = Self { number: 0, centre: Vec2::ZERO, rotation: Vec2::X };
}

impl<Options: SolidKind> Target<Options> {
    pub(crate) fn entity(&self) -> Entity {
        self.rank.entity
    }
}

impl<Options: SolidKind> Default for Targets<Options> {
    fn default() -> Self {
        Self { targets: Vec::new(), first: EntityHashMap::default() }
    }
}

#[cfg(feature = "snapshot")]
impl<Options: SolidKind> Targets<Options> {
    /// Targets in any order.
    pub(crate) fn of_all(targets: impl IntoIterator<Item = Target<Options>>) -> Self {
        let mut all = Self { targets: targets.into_iter().collect(), ..Self::default() };
        all.map_entities(|entity| entity);
        all
    }

    /// Replaces the entities by others.
    pub(crate) fn map_entities(&mut self, mut map: impl FnMut(Entity) -> Entity) {
        self.targets.iter_mut().for_each(|target| target.rank.entity = map(target.rank.entity));
        self.targets.sort_by_key(|target| (target.rank, target.part.number));
        self.first.clear();
        for (index, target) in self.targets.iter().enumerate() {
            self.first.entry(target.entity()).or_insert(index);
        }
    }
}

impl<Options: SolidKind> Targets<Options> {
    /// All targets.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Target<Options>> {
        self.targets.iter()
    }

    /// All targets, to change their solids.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Target<Options>> {
        self.targets.iter_mut()
    }

    /// The first target of an entity.
    pub(crate) fn of(&self, entity: Entity) -> Option<&Target<Options>> {
        self.all_of(entity).next()
    }

    /// All targets of an entity.
    pub(crate) fn all_of(&self, entity: Entity) -> impl Iterator<Item = &Target<Options>> {
        let first = self.first.get(&entity).copied().unwrap_or(self.targets.len());
        self.targets[first..].iter().take_while(move |target| target.entity() == entity)
    }

    /// A solid of an entity at its target pose, from the last synchronisation.
    pub(crate) fn solid(&self, entity: Entity, part: EntityPart) -> Option<&Solid<Options>> {
        let same = |target: &&Target<Options>| target.part.number == part.number;
        self.all_of(entity).find(same).map(|target| &target.solid)
    }

    /// Collects the solids of entities at their target poses, in
    /// the order of the entities. An entity with an invalid placement is warned about, and keeps its
    /// last valid target.
    pub(crate) fn gather(
        &self,
        solids: impl Iterator<Item = (Entity, EntityPart, Result<Solid<Options>, String>)>,
        ranks: &Ranks<'_, '_>,
        warnings: &mut Warnings<'_, '_>,
        targets: &mut Vec<(Rank, EntityPart, Solid<Options>)>,
    ) {
        targets.clear();
        for (entity, part, solid) in solids {
            match solid {
                Ok(solid) => {
                    warnings.resolve(entity);
                    targets.push((ranks.of(entity), part, solid));
                }
                Err(error) => {
                    warnings.warn(entity, &format!("fluid {}", Options::NAME), &error);
                    let last = self.solid(entity, part);
                    targets.extend(last.map(|solid| (ranks.of(entity), part, solid.clone())));
                }
            }
        }
        targets.sort_unstable_by_key(|(rank, part, _)| (*rank, part.number));
    }

    /// Whether the simulation has exactly the solids of these targets.
    pub(crate) fn matches(
        &self,
        targets: &[(Rank, EntityPart, Solid<Options>)],
        fluid: &FluidWorld,
    ) -> bool {
        let is = |known: &Target<Options>,
                  (rank, part, solid): &(Rank, EntityPart, Solid<Options>)| {
            (known.rank, known.part) == (*rank, *part)
                && known.solid == *solid
                && Options::find(fluid, known.id).is_some()
        };
        self.targets.len() == targets.len()
            && Options::ids(fluid).len() == targets.len()
            && self.targets.iter().zip(targets).all(|(known, target)| is(known, target))
    }

    /// Stores the targets of the entities, in their order, and inserts, changes and removes only the
    /// solids that differ from before.
    pub(crate) fn replace(
        &mut self,
        targets: &[(Rank, EntityPart, Solid<Options>)],
        fluid: &mut FluidWorld,
    ) {
        let is_there = |known: &Target<Options>| Options::find(fluid, known.id).is_some();
        if Options::ids(fluid).len() != self.targets.len() || !self.targets.iter().all(is_there) {
            // The app has put another simulation in place of the one that these handles are of.
            self.targets.clear();
            let unknown: Vec<Options::Id> = Options::ids(fluid).collect();
            unknown.into_iter().for_each(|id| Options::remove(fluid, id));
        }
        let mut before = std::mem::take(&mut self.targets).into_iter().peekable();
        self.first.clear();
        for (rank, part, solid) in targets {
            let (rank, part, solid) = (*rank, *part, solid.clone());
            let key = |known: &Target<Options>| (known.rank, known.part.number);
            while let Some(gone) = before.next_if(|known| key(known) < (rank, part.number)) {
                Options::remove(fluid, gone.id);
            }
            let id = match before.next_if(|known| key(known) == (rank, part.number)) {
                Some(known) => {
                    if known.solid != solid {
                        change(&known, &solid, fluid);
                    }
                    known.id
                }
                None => Options::insert(fluid, solid.clone()),
            };
            self.first.entry(rank.entity).or_insert(self.targets.len());
            self.targets.push(Target { rank, part, id, solid });
        }
        before.for_each(|gone| Options::remove(fluid, gone.id));
    }

    /// Sets the motions of solids that have not reached their targets, so that they arrive after
    /// `ticks` ticks of `tick` seconds each.
    pub(super) fn set_out(&self, fluid: &mut FluidWorld, tick: f32, ticks: u32, radius: f32) {
        for Target { id, solid: target, .. } in &self.targets {
            let Some(now) = Options::find(fluid, *id).filter(|now| !is_at(now, target)) else {
                continue;
            };
            let (turned, rotation) = (target.rotation(), now.rotation());
            let way = target.centre() - now.centre();
            let (cos, sin) = (rotation.dot(turned), rotation.perp_dot(turned));
            let farthest = LONGEST_WAY * radius * ticks as f32;
            // A distance within rounding error counts as arrived.
            let arrived = way.length() < 1e-4 * radius && sin.abs() < 1e-5 && cos > 0.0;
            let time = tick * ticks as f32;
            let motion = now.motion_to(target.centre(), turned, time);
            // A half turn is a jump as well.
            let jumps = way.length() > farthest || cos < -0.99;
            if arrived || jumps || Options::set_motion(fluid, *id, motion).is_err() {
                Options::set(fluid, *id, target.clone());
            }
        }
    }
}

/// Gives a solid the properties of its target, at its present pose; it starts to move in the next
/// tick.
fn change<Options: SolidKind>(
    before: &Target<Options>,
    target: &Solid<Options>,
    fluid: &mut FluidWorld,
) {
    let Some(now) = Options::find(fluid, before.id) else { return };
    let here = target.clone().with_pose(now.centre(), now.rotation());
    let here = here.unwrap_or_else(|_| target.clone());
    let changed = if target.is_body() {
        let pose = |solid: &Solid<Options>| (solid.centre(), solid.rotation());
        if pose(&before.solid) == pose(target) {
            // A body keeps its own pose and motion.
            here.with_motion(target.motion()).unwrap_or_else(|_| target.clone())
        } else {
            // The app has moved it directly.
            target.clone()
        }
    } else if looks_like(&before.solid, target) {
        return;
    } else {
        here
    };
    Options::set(fluid, before.id, changed);
}

/// Whether two solids are equal except for their poses.
fn looks_like<Options: SolidKind>(a: &Solid<Options>, b: &Solid<Options>) -> bool {
    a.shape() == b.shape() && a.wall() == b.wall() && Options::kind_of(a) == Options::kind_of(b)
}

/// Whether a solid rests at its target, or is not moved by its entity but by its body. Its other properties are up
/// to date since the last synchronisation.
fn is_at<Options: SolidKind>(now: &Solid<Options>, target: &Solid<Options>) -> bool {
    let pose = |solid: &Solid<Options>| (solid.centre(), solid.rotation(), solid.motion());
    target.is_body() || target.is_attached() || pose(now) == pose(target)
}
