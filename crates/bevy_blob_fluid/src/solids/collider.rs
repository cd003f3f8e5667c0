//! Colliders as entities.

use bevy::ecs::entity::{EntityHashMap, EntityHashSet};
use bevy::ecs::schedule::InternedScheduleLabel;
use bevy::prelude::*;
use bevy::transform::helper::TransformHelper;
use blob_fluid::shape::Polygon;
use blob_fluid::{
    Body, ClassFilter, Collider, ColliderId, ColliderOptions, Container, ContainerId,
    ContainerOptions, FluidShape, HostBodyId, OutOfRange, Solid, WallProperties,
};

use crate::placing::{Placement, from_outline, shape_or_warn};
use crate::schedule::{
    FluidEntitySystems, FluidOrder, FluidSchedule, FluidTickSystems, Rank, Ranks,
};
use crate::simulation::{Fluid, FluidSettings, FluidSimulation};
use crate::solids::buoyant::{BodyParts, FluidBuoyant};
use crate::solids::targets::{EntityPart, Target, Targets};
use crate::warnings::Warnings;

/// Adds the types and systems below.
pub(super) fn add_colliders(app: &mut App, schedule: InternedScheduleLabel) {
    app.init_resource::<FluidColliders>()
        .init_resource::<ForeignColliders>()
        .register_type::<FluidCollider>()
        .register_type::<FluidColliders>()
        .add_systems(schedule, sync_colliders.in_set(FluidEntitySystems::Colliders));
}

/// A solid shape that the liquid cannot enter, placed by the entity's [`Transform`].
///
/// When the entity moves, the collider pushes and drags the liquid along. The collider does not leak while it moves by
/// less than ten interaction radii in a tick. A larger move is a jump: liquid at the new position is then pushed out
/// slowly. The liquid moves the collider only if the entity has a [`FluidBuoyant`] too. Colliders that touch, such as
/// the tiles of a level, have no gaps between them. A round collider with different scales along its axes uses the
/// smaller scale. An entity whose scale is zero or not finite keeps its last valid placement, or is left out, with a
/// warning.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn setup(mut commands: Commands) {
///     let rough = WallProperties { friction: Some(0.8), ..default() };
///     commands.spawn((
///         FluidCollider::from(Rectangle::new(200.0, 10.0)).with_wall(rough),
///         Transform::from_xyz(0.0, -50.0, 0.0).with_rotation(Quat::from_rotation_z(0.3)),
///     ));
/// }
/// ```
#[doc = guide!("parts")]
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(Transform, FluidOrder)]
pub struct FluidCollider {
    /// Outline, in the entity's own units.
    pub shape: FluidShape,
    /// Friction, stickiness, wetting and temperature of the solid's walls.
    pub wall: WallProperties,
    /// The solid side of the outline, the stopped classes, and other options.
    pub options: ColliderOptions,
}

from_outline!(FluidCollider);

impl FluidCollider {
    /// A collider of a shape, with default walls.
    pub fn new(shape: FluidShape) -> Self {
        Self { shape, wall: WallProperties::default(), options: ColliderOptions::default() }
    }

    /// The ground below a row of heights, down to `depth` below the lowest height. The heights are
    /// `step` world units apart, from left to right, with the entity in the middle. Invalid ground,
    /// such as a single height, is left out with a warning.
    ///
    /// ```
    /// use bevy_blob_fluid::prelude::*;
    /// let valley = FluidCollider::heightfield(&[80.0, 20.0, 0.0, 30.0, 90.0], 100.0, 50.0);
    /// assert!(valley.shape.contains(bevy::math::Vec2::new(0.0, -1.0)));
    /// ```
    pub fn heightfield(heights: &[f32], step: f32, depth: f32) -> Self {
        let ground = Polygon::heightfield(heights, step, depth).map(FluidShape::Polygon);
        Self::new(shape_or_warn(ground))
    }

    /// Mass and moment of inertia of the collider, for a physics engine or a body of your own
    /// ([`FluidLoad`]). `density` is a multiple of the density of liquid with a mass of 1, and `scale`
    /// is the scale of the entity. The [gap](Body::GAP) between collider and liquid counts as part of
    /// the collider.
    ///
    /// # Errors
    ///
    /// [`OutOfRange`] for a density that is not above 0, and for shapes without an area, such as
    /// lines.
    ///
    /// ```
    /// use bevy::math::Vec2;
    /// use bevy::prelude::Rectangle;
    /// use bevy_blob_fluid::blob_fluid::Body;
    /// use bevy_blob_fluid::prelude::*;
    /// let settings = FluidSettings::default();
    /// let spacing = settings.parameters.particle_spacing;
    /// let raft = FluidCollider::from(Rectangle::new(100.0, 20.0));
    /// let gaps = 2.0 * Body::GAP * spacing;
    /// let displaced = (100.0 + gaps) * (20.0 + gaps) / (spacing * spacing);
    /// let mass = raft.body(0.5, Vec2::ONE, &settings)?.mass;
    /// assert!((mass / displaced - 0.5).abs() < 0.01);
    /// # Ok::<(), bevy_blob_fluid::blob_fluid::OutOfRange>(())
    /// ```
    pub fn body(
        &self,
        density: f32,
        scale: Vec2,
        settings: &FluidSettings,
    ) -> Result<Body, OutOfRange> {
        let spacing = settings.parameters.particle_spacing;
        Body::of_density(density, &self.shape.scaled(scale), spacing)
    }

    /// The same collider, solid outside of its shape: the liquid stays inside.
    pub const fn inside_out(mut self) -> Self {
        self.options.inside_out = true;
        self
    }

    /// The same collider as a membrane: liquid inside can leave, and liquid outside cannot enter. A
    /// polyline stops liquid that comes from its left, seen from its first point.
    pub const fn one_way(mut self) -> Self {
        self.options.one_way = true;
        self
    }

    /// The same collider, which stops only these classes.
    pub const fn stopping(mut self, classes: ClassFilter) -> Self {
        self.options.classes = classes;
        self
    }

    /// The same collider on these layers, one bit per layer. The collider stops the classes that share a layer with it
    /// ([`DensityClass::collision_layers`](blob_fluid::DensityClass::collision_layers)).
    pub const fn on_layers(mut self, layers: u32) -> Self {
        self.options.layers = layers;
        self
    }

    /// The same collider with other properties of its walls.
    pub const fn with_wall(mut self, wall: WallProperties) -> Self {
        self.wall = wall;
        self
    }
}

/// Marks a [`FluidCollider`] that gets its shape from another component, and names that component in warnings.
#[derive(Component, Clone, Copy, Debug)]
pub(crate) struct ShapedBy(pub &'static str);

/// All colliders: the shape of each entity in the world, and its handle in the simulation.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// /// Says which colliders are still coming out of liquid that they appeared in.
/// fn report(colliders: Res<FluidColliders>, fluid: Res<FluidSimulation>) {
///     for (entity, _) in colliders.iter() {
///         let presence = colliders.id(entity).and_then(|id| fluid.collider_fade_in(id));
///         if let Some(presence) = presence.filter(|presence| *presence < 1.0) {
///             info!("{entity} bears {presence} of the pressure");
///         }
///     }
/// }
/// ```
#[derive(Resource, Reflect, Clone, Debug, Default)]
#[reflect(opaque, Resource, Default, Debug)]
pub struct FluidColliders(pub(crate) Targets<ColliderOptions>);

impl FluidColliders {
    /// Every collider and the entity it belongs to, in the order of the entities.
    pub fn iter(&self) -> impl Iterator<Item = (Entity, &Collider)> {
        self.0.iter().map(|target| (target.entity(), &target.solid))
    }

    /// The handle of every collider, its entity, and its part of that entity.
    #[cfg(feature = "render")]
    pub(crate) fn owners(&self) -> impl Iterator<Item = (ColliderId, (Entity, EntityPart))> {
        self.0.iter().map(|target| (target.id, (target.entity(), target.part)))
    }

    /// The colliders that a host body carries, and their handles.
    pub(crate) fn attached_to(
        &self,
        body: HostBodyId,
    ) -> impl Iterator<Item = (ColliderId, &Collider)> {
        let carried = move |target: &&Target<ColliderOptions>| {
            target.solid.options().attachment.is_some_and(|on| on.body == body)
        };
        self.0.iter().filter(carried).map(|target| (target.id, &target.solid))
    }

    /// Handles of all pieces that an entity's collider has in the simulation. A collider of a physics engine may have
    /// several pieces.
    pub fn ids(&self, entity: Entity) -> impl Iterator<Item = ColliderId> {
        self.0.all_of(entity).map(|target| target.id)
    }

    /// Handle of an entity's collider in the simulation, or of its first piece; `None` without a collider.
    pub fn id(&self, entity: Entity) -> Option<ColliderId> {
        self.0.of(entity).map(|target| target.id)
    }

    /// The entity of a collider of the simulation; `None` if the collider is removed.
    pub fn entity(&self, id: ColliderId) -> Option<Entity> {
        self.0.iter().find(|target| target.id == id).map(|target| target.entity())
    }
}

/// Colliders without a [`FluidCollider`]: those of a physics engine, and those of absent regions. Each entry has the
/// entity, the part of it (numbered from 1), and the collider or an error. Their owners list all of them before each
/// run of [`FluidEntitySystems::Colliders`].
#[derive(Resource, Default)]
pub(crate) struct ForeignColliders(pub Vec<(Entity, EntityPart, Result<Collider, String>)>);

/// Copies the colliders into the simulation.
pub(crate) fn sync_colliders(
    entities: Query<(Entity, &FluidCollider, Option<BodyParts>, Has<FluidLoad>, Option<&ShapedBy>)>,
    transforms: TransformHelper,
    ranks: Ranks,
    mut known: ResMut<FluidColliders>,
    mut fluid: ResMut<FluidSimulation>,
    mut warnings: Warnings,
    mut built: Local<Built<ColliderSource, ColliderOptions>>,
    mut colliders: Local<Vec<(Rank, EntityPart, Collider)>>,
    mut foreign: ResMut<ForeignColliders>,
) {
    let particle_spacing = fluid.parameters().particle_spacing;
    // A collider without a shape belongs to an invalid component, such as a pipe, which has its own warning.
    let unshaped = FluidCollider::default().shape;
    let made = entities
        .iter()
        .filter(|(_, collider, .., shaped)| shaped.is_none() || collider.shape != unshaped);
    let targets = made.map(|(entity, collider, body, reports_load, _)| {
        let placement = Placement::of(entity, &transforms).map_err(|error| error.to_string());
        let target = placement.and_then(|placement| {
            let buoyant = body.as_ref().map(|body| *body.buoyant);
            let collider = collider.clone();
            let source = ColliderSource { collider, buoyant, reports_load, particle_spacing };
            let scale = placement.scale;
            let new = built.get(entity, &source, scale, || source.build(scale));
            let target = new.and_then(|new| match body {
                Some(body) => body.target(new, known.0.solid(entity, EntityPart::WHOLE), placement),
                None => new.with_pose(placement.pose),
            });
            target.map_err(|error| error.to_string())
        });
        (entity, EntityPart::WHOLE, target)
    });
    let foreign = std::mem::take(&mut foreign.0);
    let is_foreign = |entity| foreign.iter().any(|(foreign, ..)| *foreign == entity);
    let targets = targets.chain(foreign.iter().cloned());
    let kind_of = |entity| {
        let shaped = entities.get(entity).ok().and_then(|(.., shaped)| shaped);
        shaped.map_or("fluid collider", |ShapedBy(kind)| kind)
    };
    known.0.gather(kind_of, targets, &ranks, &mut warnings, &mut colliders);
    built.retain(|entity| entities.contains(entity));
    warnings.retain(|entity| entities.contains(entity) || is_foreign(entity));
    if !known.0.matches(&colliders, &fluid) {
        known.0.replace(&colliders, fluid.world_mut());
    }
}

/// The inputs of a collider other than its scale.
#[derive(Clone, PartialEq)]
pub(crate) struct ColliderSource {
    collider: FluidCollider,
    buoyant: Option<FluidBuoyant>,
    reports_load: bool,
    particle_spacing: f32,
}

impl ColliderSource {
    /// The collider at a scale, around the origin.
    fn build(&self, scale: Vec2) -> Result<Collider, OutOfRange> {
        let Self { collider, buoyant, reports_load, particle_spacing } = self;
        let shape = collider.shape.scaled(scale);
        let body = buoyant.map(|buoyant| buoyant.body(&shape, *particle_spacing)).transpose()?;
        let options = ColliderOptions { body, reports_load: *reports_load, ..collider.options };
        let built = Collider::new(shape, Vec2::ZERO, Vec2::X)?;
        built.with_options(options)?.with_wall(collider.wall)
    }
}

// Containers as entities.

/// Adds the types and systems below.
pub(super) fn add_containers(app: &mut App, schedule: InternedScheduleLabel) {
    app.init_resource::<FluidContainers>()
        .register_type::<FluidContainer>()
        .register_type::<FluidContainers>()
        .add_systems(schedule, sync_containers.in_set(FluidEntitySystems::Containers));
}

/// A closed container that holds the liquid, placed by the entity's [`Transform`].
///
/// A particle belongs to the container around it, or else to the nearest container. When the entity is despawned or
/// loses this component, the particles of the container are removed. Containers should not overlap. In an overlap,
/// liquid flows into the first container and not back. [`FluidOrder`](crate::FluidOrder) decides the order of
/// containers that appear in one frame: by default the container spawned last is first. Containers of later frames come
/// after containers of earlier frames. Build a vessel of several rooms from one container and colliders. A round
/// container with different scales along its axes uses the smaller scale. An entity whose scale is zero or not finite
/// keeps its last valid placement, or is left out, with a warning.
///
/// When the entity moves, the walls carry the liquid along. A move by more than ten interaction radii in a tick is a
/// jump. The liquid stays behind, and is then moved into the moved container.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn setup(mut commands: Commands) {
///     commands.spawn(FluidContainer::from(Circle::new(400.0)));
///     commands.spawn((
///         FluidContainer::from(Rectangle::new(300.0, 200.0)),
///         Transform::from_xyz(800.0, 0.0, 0.0),
///     ));
/// }
/// ```
#[doc = guide!("start")]
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(Transform, FluidOrder)]
pub struct FluidContainer {
    /// Outline, in the entity's own units.
    pub shape: FluidShape,
    /// Friction, stickiness, wetting and temperature of the solid's walls.
    pub wall: WallProperties,
}

from_outline!(FluidContainer);

impl FluidContainer {
    /// A container of a shape, with default walls.
    pub fn new(shape: FluidShape) -> Self {
        Self { shape, wall: WallProperties::default() }
    }

    /// The same container with other properties of its walls.
    pub const fn with_wall(mut self, wall: WallProperties) -> Self {
        self.wall = wall;
        self
    }

    /// The container at a scale, around the origin.
    fn build(&self, scale: Vec2) -> Result<Container, OutOfRange> {
        let container = Container::new(self.shape.scaled(scale), Vec2::ZERO, Vec2::X)?;
        container.with_wall(self.wall)
    }
}

/// All containers: the shape of each entity in the world, and its handle in the simulation.
#[derive(Resource, Reflect, Clone, Debug, Default)]
#[reflect(opaque, Resource, Default, Debug)]
pub struct FluidContainers(pub(crate) Targets<ContainerOptions>);

impl FluidContainers {
    /// Every container and the entity it belongs to, in the order of the entities.
    pub fn iter(&self) -> impl Iterator<Item = (Entity, &Container)> {
        self.0.iter().map(|target| (target.entity(), &target.solid))
    }

    /// The handle of every container, its entity, and its part of that entity.
    #[cfg(feature = "render")]
    pub(crate) fn owners(&self) -> impl Iterator<Item = (ContainerId, (Entity, EntityPart))> {
        self.0.iter().map(|target| (target.id, (target.entity(), target.part)))
    }

    /// Handle of an entity's container in the simulation; `None` without a container.
    pub fn id(&self, entity: Entity) -> Option<ContainerId> {
        self.0.of(entity).map(|target| target.id)
    }

    /// The entity of a container of the simulation; `None` if the container is removed.
    pub fn entity(&self, id: ContainerId) -> Option<Entity> {
        self.0.iter().find(|target| target.id == id).map(|target| target.entity())
    }
}

/// Copies the containers into the simulation, and removes the particles of removed containers.
fn sync_containers(
    entities: Query<(Entity, &FluidContainer)>,
    transforms: TransformHelper,
    ranks: Ranks,
    mut known: ResMut<FluidContainers>,
    mut fluid: ResMut<FluidSimulation>,
    mut warnings: Warnings,
    mut built: Local<Built<FluidContainer, ContainerOptions>>,
    mut containers: Local<Vec<(Rank, EntityPart, Container)>>,
) {
    let targets = entities.iter().map(|(entity, container)| {
        let placement = Placement::of(entity, &transforms).map_err(|error| error.to_string());
        let target = placement.and_then(|placement| {
            let built =
                built.get(entity, container, placement.scale, || container.build(placement.scale));
            let built = built.map_err(|error| error.to_string())?;
            let target = built.with_pose(placement.pose);
            target.map_err(|error| error.to_string())
        });
        (entity, EntityPart::WHOLE, target)
    });
    let kind_of = |_| "fluid container";
    known.0.gather(kind_of, targets, &ranks, &mut warnings, &mut containers);
    built.retain(|entity| entities.contains(entity));
    warnings.retain(|entity| entities.contains(entity));
    if known.0.matches(&containers, &fluid) {
        return;
    }
    for target in known.0.iter().filter(|target| !entities.contains(target.entity())) {
        fluid.despawn_in_container(target.id);
    }
    known.0.replace(&containers, fluid.world_mut());
}

// Solids built from their components. They are rebuilt only when the components change, because shapes
// with many corners or pixels are slow to build.

/// The solid built for each entity, and its source.
pub(crate) struct Built<Source, Options>(EntityHashMap<(Source, Vec2, Solid<Options>)>);

impl<Source, Options> Default for Built<Source, Options> {
    fn default() -> Self {
        Self(EntityHashMap::default())
    }
}

impl<Source: Clone + PartialEq, Options: Clone> Built<Source, Options> {
    /// The solid of an entity for a source and a scale. `build` is called only if one of them has
    /// changed.
    pub(crate) fn get(
        &mut self,
        entity: Entity,
        source: &Source,
        scale: Vec2,
        build: impl FnOnce() -> Result<Solid<Options>, OutOfRange>,
    ) -> Result<Solid<Options>, OutOfRange> {
        if let Some((built_from, at_scale, solid)) = self.0.get(&entity)
            && built_from == source
            && *at_scale == scale
        {
            return Ok(solid.clone());
        }
        let solid = build()?;
        self.0.insert(entity, (source.clone(), scale, solid.clone()));
        Ok(solid)
    }

    /// Removes the entities for which `keep` returns false.
    pub(crate) fn retain(&mut self, keep: impl Fn(Entity) -> bool) {
        self.0.retain(|entity, _| keep(*entity));
    }
}

// Containers and colliders follow their entities, with a velocity that acts on the liquid.

/// Adds the types and systems below.
pub(super) fn add_motions(app: &mut App, _: InternedScheduleLabel) {
    app.add_systems(FluidSchedule, move_solids.in_set(FluidTickSystems::Move));
}

/// Starts the motion of solids whose entities moved, so that they arrive at the end of the last
/// tick.
pub(crate) fn move_solids(
    containers: Res<FluidContainers>,
    colliders: Res<FluidColliders>,
    fluid_time: Res<Time<Fluid>>,
    mut fluid: ResMut<FluidSimulation>,
) {
    let tick = fluid_time.delta_secs().min(fluid.parameters().max_time_step);
    if tick <= 0.0 {
        return;
    }
    let ticks = fluid_time.context().ticks_ahead().max(1);
    let radius = fluid.parameters().interaction_radius();
    containers.0.set_out(fluid.world_mut(), tick, ticks, radius);
    colliders.0.set_out(fluid.world_mut(), tick, ticks, radius);
}

// The load of the liquid on a collider.

/// Adds the types and systems below.
pub(super) fn add_loads(app: &mut App, _: InternedScheduleLabel) {
    app.init_resource::<LoadedHosts>().register_type::<FluidLoad>();
}

/// The bodies of physics engines, whose loads come from the colliders of other entities.
#[derive(Resource, Default)]
pub(crate) struct LoadedHosts(pub EntityHashSet);

/// Force and torque of the liquid on the entity's [`FluidCollider`](crate::FluidCollider), with or without a
/// [`FluidBuoyant`](crate::FluidBuoyant). Pass force and torque to a physics engine to couple it to the liquid. The
/// plugin updates the component after every tick; without a collider force and torque are 0.
///
/// The unit of mass is that of [`FluidCollider::body`](crate::FluidCollider::body): a particle of a class with
/// mass 1 has mass 1. Liquid around the collider does not sleep, and neither does a body with this component.
///
/// In the example, the game itself moves a floating collider. The forces of liquid and gravity change the collider's
/// velocity, and the velocity changes its position.
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
#[doc = guide!("gate")]
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub struct FluidLoad {
    /// Force over the last tick, in masses times world units/s^2.
    pub force: Vec2,
    /// Torque about the collider's centre over the last tick, counter-clockwise, in masses times square world
    /// units/s^2.
    pub torque: f32,
}
