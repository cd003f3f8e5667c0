//! Shapes that are made from assets in background tasks.

use std::marker::PhantomData;

use bevy::asset::AssetLoadFailedEvent;
use bevy::ecs::entity::EntityHashMap;
use bevy::ecs::schedule::InternedScheduleLabel;
use bevy::platform::collections::HashSet;
use bevy::prelude::*;
use bevy::tasks::futures::check_ready;
use bevy::tasks::{AsyncComputeTaskPool, Task, TaskPool};
use blob_fluid::FluidShape;

use super::blob::FluidBlob;
use crate::schedule::FluidEntitySystems;
use crate::solids::{FluidCollider, FluidContainer};
use crate::warnings::Warnings;

/// The component that an entity gets once its shape has been made. The made shape replaces the
/// component's shape.
///
/// If the entity already has the component, only its shape is changed.
#[derive(Reflect, Clone, Debug, PartialEq)]
#[reflect(Default, Debug, PartialEq)]
pub enum FluidShapeTarget {
    /// A blob of liquid, which is filled once: later changes of the shape fill nothing.
    Blob(FluidBlob),
    /// A collider.
    Collider(FluidCollider),
    /// A container.
    Container(FluidContainer),
}

impl Default for FluidShapeTarget {
    /// A blob.
    fn default() -> Self {
        Self::Blob(FluidBlob::default())
    }
}

impl From<FluidBlob> for FluidShapeTarget {
    fn from(blob: FluidBlob) -> Self {
        Self::Blob(blob)
    }
}

impl From<FluidCollider> for FluidShapeTarget {
    fn from(collider: FluidCollider) -> Self {
        Self::Collider(collider)
    }
}

impl From<FluidContainer> for FluidShapeTarget {
    fn from(container: FluidContainer) -> Self {
        Self::Container(container)
    }
}

impl FluidShapeTarget {
    /// Inserts the component with a shape, or changes the shape of an existing component.
    fn shape(self, entity: &mut EntityWorldMut, shape: FluidShape) {
        match self {
            Self::Blob(blob) => match entity.get_mut::<FluidBlob>() {
                Some(mut present) => present.shape = shape,
                None => drop(entity.insert(FluidBlob { shape, ..blob })),
            },
            Self::Collider(collider) => match entity.get_mut::<FluidCollider>() {
                Some(mut present) => present.shape = shape,
                None => drop(entity.insert(FluidCollider { shape, ..collider })),
            },
            Self::Container(container) => match entity.get_mut::<FluidContainer>() {
                Some(mut present) => present.shape = shape,
                None => drop(entity.insert(FluidContainer { shape, ..container })),
            },
        }
    }
}

/// A component that an entity's shape is made from.
pub(crate) trait ShapeSource: Component {
    /// Asset type that the shape is made from.
    type Material: Asset;

    /// Its name in warnings.
    const NAME: &'static str;

    fn material(&self) -> &Handle<Self::Material>;

    fn target(&self) -> &FluidShapeTarget;

    /// Creates the closure that computes the shape on another thread.
    fn work(
        &self,
        material: &Self::Material,
    ) -> impl FnOnce() -> Result<FluidShape, String> + Send + 'static;
}

/// Progress of an entity's shape.
enum Progress {
    /// Its asset is not loaded.
    Waiting,
    /// It is being made.
    Making(Task<Result<FluidShape, String>>),
    /// It is finished, or was refused.
    Done,
}

/// Makes the shapes of one kind of source, if the app has its type of asset.
pub(super) struct ShapeSourcePlugin<S: ShapeSource> {
    schedule: InternedScheduleLabel,
    source: PhantomData<fn() -> S>,
}

impl<S: ShapeSource> ShapeSourcePlugin<S> {
    pub(super) fn new(schedule: InternedScheduleLabel) -> Self {
        Self { schedule, source: PhantomData }
    }
}

impl<S: ShapeSource> Plugin for ShapeSourcePlugin<S> {
    fn build(&self, _: &mut App) {}

    /// Runs in `finish`, after all plugins are added.
    fn finish(&self, app: &mut App) {
        let world = app.world();
        if world.contains_resource::<Assets<S::Material>>()
            && world.contains_resource::<AssetServer>()
        {
            app.add_systems(self.schedule, make_shapes::<S>.in_set(FluidEntitySystems::Shapes));
        }
    }
}

/// Makes the shapes of sources that are new or changed, or whose assets are new or changed.
fn make_shapes<S: ShapeSource>(
    mut commands: Commands,
    sources: Query<(Entity, Ref<S>)>,
    assets: Res<Assets<S::Material>>,
    server: Res<AssetServer>,
    mut events: MessageReader<AssetEvent<S::Material>>,
    mut failures: MessageReader<AssetLoadFailedEvent<S::Material>>,
    mut all: Local<EntityHashMap<Progress>>,
    mut warnings: Warnings,
) {
    // A new asset is found as soon as it is loaded, which may be before its event.
    let changed: HashSet<AssetId<S::Material>> = events
        .read()
        .filter_map(|event| match event {
            AssetEvent::Modified { id } => Some(*id),
            _ => None,
        })
        .collect();
    let failed: HashSet<AssetId<S::Material>> = failures.read().map(|failure| failure.id).collect();
    // Dropping the task of a removed entity cancels it.
    all.retain(|entity, _| {
        let stays = sources.contains(*entity);
        if !stays {
            warnings.resolve(*entity);
        }
        stays
    });
    for (entity, source) in &sources {
        let id = source.material().id();
        let progress = all.entry(entity).or_insert(Progress::Waiting);
        if source.is_changed() || changed.contains(&id) {
            *progress = Progress::Waiting;
        }
        if matches!(progress, Progress::Waiting) {
            if let Some(material) = assets.get(id) {
                let work = source.work(material);
                let pool = AsyncComputeTaskPool::get_or_init(TaskPool::default);
                *progress = Progress::Making(pool.spawn(async move { work() }));
            } else if failed.contains(&id) || server.load_state(id).is_failed() {
                warnings.warn(entity, S::NAME, &"its asset could not be loaded");
            }
        }
        let Progress::Making(task) = progress else { continue };
        let Some(made) = check_ready(task) else { continue };
        *progress = Progress::Done;
        match made {
            Ok(shape) => {
                warnings.resolve(entity);
                let target = source.target().clone();
                commands.queue(move |world: &mut World| {
                    if let Ok(mut entity) = world.get_entity_mut(entity) {
                        target.shape(&mut entity, shape);
                    }
                });
            }
            Err(error) => warnings.warn(entity, S::NAME, &error),
        }
    }
}
