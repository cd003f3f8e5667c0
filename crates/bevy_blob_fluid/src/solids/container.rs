//! Containers as entities.

use bevy::ecs::schedule::InternedScheduleLabel;
use bevy::prelude::*;
use bevy::transform::helper::TransformHelper;
use blob_fluid::{
    Container, ContainerId, ContainerOptions, FluidShape, OutOfRange, WallProperties,
};

use super::built::Built;
use super::targets::{EntityPart, Targets};
use crate::order::{FluidOrder, Rank, Ranks};
use crate::placing::{Placement, from_outline};
use crate::schedule::FluidEntitySystems;
use crate::simulation::FluidSimulation;
use crate::warnings::Warnings;

/// Adds this file to the app.
pub(super) fn add_to(app: &mut App, schedule: InternedScheduleLabel) {
    app.init_resource::<FluidContainers>()
        .register_type::<FluidContainer>()
        .register_type::<FluidContainers>()
        .add_systems(schedule, sync_containers.in_set(FluidEntitySystems::Containers));
}

/// A closed container that holds the liquid, placed by the entity's [`Transform`].
///
/// Particles belong to the container that they are inside of, or else to the nearest one. When the
/// entity is despawned or loses this component, the particles of the container are removed.
/// Containers should not overlap: where they do, liquid flows into the one that comes first and not
/// back. Of those that appear in one frame [`FluidOrder`](crate::FluidOrder) decides, by default
/// for the one spawned last, and one that appears later comes after them. Make a vessel of several
/// rooms of one container and colliders. A round container under an uneven scale takes the smaller
/// factor. An entity whose scale is zero or not finite is left out with a warning, or keeps its
/// last valid placement if it had one.
///
/// When the entity moves, the walls take the liquid along. A move by more than ten interaction
/// radii in a tick is a jump: the liquid is left behind, and then put into the container at its new
/// position.
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
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(Transform, FluidOrder)]
pub struct FluidContainer {
    /// Outline, in the entity's own units.
    pub shape: FluidShape,
    /// Friction, stickiness, wetting and temperature of its walls.
    pub wall: WallProperties,
}

from_outline!(FluidContainer);

impl FluidContainer {
    /// A container of a shape, with default walls.
    pub fn new(shape: FluidShape) -> Self {
        Self { shape, wall: WallProperties::default() }
    }

    /// The same container with other walls.
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

/// The containers by entity, at the poses of their entities, and their handles in the simulation.
#[derive(Resource, Reflect, Clone, Debug, Default)]
#[reflect(opaque, Resource, Default, Debug)]
pub struct FluidContainers(pub(crate) Targets<ContainerOptions>);

impl FluidContainers {
    /// Every container and the entity it belongs to, in the order of the entities.
    pub fn iter(&self) -> impl Iterator<Item = (Entity, &Container)> {
        self.0.iter().map(|target| (target.entity(), &target.solid))
    }

    /// The handle of every container, the entity it belongs to, and where it is on that.
    #[cfg(feature = "render")]
    pub(crate) fn owners(&self) -> impl Iterator<Item = (ContainerId, (Entity, EntityPart))> {
        self.0.iter().map(|target| (target.id, (target.entity(), target.part)))
    }

    /// Handle of an entity's container in the simulation; `None` if it has none.
    pub fn id(&self, entity: Entity) -> Option<ContainerId> {
        self.0.of(entity).map(|target| target.id)
    }

    /// The entity that a container of the simulation belongs to; `None` if it is removed.
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
            let target = built.with_pose(placement.position, placement.rotation);
            target.map_err(|error| error.to_string())
        });
        (entity, EntityPart::WHOLE, target)
    });
    known.0.gather(targets, &ranks, &mut warnings, &mut containers);
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
