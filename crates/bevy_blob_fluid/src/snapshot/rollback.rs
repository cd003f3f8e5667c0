//! Rollback with bevy_ggrs.

use std::sync::Arc;

use bevy::ecs::entity::EntityHashMap;
use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use bevy_ggrs::{
    AdvanceWorld, AdvanceWorldSystems, LoadWorld, LoadWorldSystems, ResourceSnapshotPlugin,
    RollbackApp, RollbackId, SaveWorld, SaveWorldSystems, Strategy,
};

use crate::simulation::{Fluid, FluidSimulation, begin_frame};
use crate::snapshot::records::{FluidRestored, FluidSnapshotError};
use crate::snapshot::restore::FluidSnapshot;
use crate::solids::place_at_last_tick;

/// Rolls back the complete contents of a [`FluidSnapshot`], such as liquid, air and bodies, with
/// [bevy_ggrs](https://docs.rs/bevy_ggrs/0.22). Simulate the liquid in the schedule `GgrsSchedule`.
///
/// The plugin adds the [`FluidStrategy`], and adds a hash of the liquid's complete state to the checksum of bevy_ggrs.
/// The game itself rolls back the `Transform`s of entities that it moves. Bodies are shown at their poses after the
/// last tick. With interpolation, children of a body would depend on the time at which a frame is drawn.
///
/// ```
/// use std::time::Duration;
///
/// use bevy::prelude::*;
/// use bevy_blob_fluid::FluidRollbackPlugin;
/// use bevy_blob_fluid::prelude::*;
/// use bevy_ggrs::prelude::*;
///
/// let mut app = App::new();
/// app.add_plugins((MinimalPlugins, TransformPlugin))
///     .add_plugins(GgrsPlugin::<GgrsConfig<u8>>::default())
///     .add_plugins((BlobFluidPlugins::new(GgrsSchedule), FluidRollbackPlugin));
/// // A tick for each frame of the netcode.
/// let tick = FluidTick::Every(Duration::from_secs(1) / 60);
/// app.world_mut().resource_mut::<Time<Fluid>>().set_tick(tick);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct FluidRollbackPlugin;

impl Plugin for FluidRollbackPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<FluidRollback>()
            .add_plugins(ResourceSnapshotPlugin::<FluidStrategy>::default())
            .checksum_resource::<FluidSimulation>(|fluid| fluid.deep_hash().all())
            .add_systems(SaveWorld, take.before(SaveWorldSystems::Checksum))
            // After the mapping, entities and the components that the game rolls back are restored.
            .add_systems(LoadWorld, restore.after(LoadWorldSystems::Mapping))
            .add_systems(AdvanceWorld, begin_frame.in_set(AdvanceWorldSystems::First))
            .add_systems(
                AdvanceWorld,
                place_at_last_tick
                    .after(AdvanceWorldSystems::Main)
                    .before(AdvanceWorldSystems::Last),
            );
    }

    /// Runs in `finish`, after all plugins are added.
    fn finish(&self, app: &mut App) {
        if let Some(mut time) = app.world_mut().get_resource_mut::<Time<Fluid>>() {
            time.context_mut().show_last_tick();
        }
    }
}

/// The last state that was saved or loaded for rollback.
#[derive(Resource, Debug, Default)]
pub struct FluidRollback {
    state: Arc<FluidRollbackState>,
    /// All states, including those that bevy_ggrs has dropped: their memory is reused.
    memory: Vec<Arc<FluidRollbackState>>,
}

/// A state of the liquid, and the entities that bevy_ggrs knows.
#[derive(Debug, Default)]
pub struct FluidRollbackState {
    snapshot: FluidSnapshot,
    /// An entity that is spawned again has another [`Entity`], but the same [`RollbackId`].
    known: Vec<(Entity, RollbackId)>,
}

impl FluidRollback {
    /// A state that has no other owner.
    fn unused(&mut self) -> Arc<FluidRollbackState> {
        // The caller replaces this state.
        self.state = Arc::default();
        let free = self.memory.iter_mut().position(|kept| Arc::get_mut(kept).is_some());
        free.map(|index| self.memory.swap_remove(index)).unwrap_or_default()
    }
}

impl FluidRollbackState {
    fn take(&mut self, world: &mut World) -> Result<(), FluidSnapshotError> {
        let mut known = world.query::<(Entity, &RollbackId)>();
        self.known.clear();
        self.known.extend(known.iter(world).map(|(entity, id)| (entity, *id)));
        self.snapshot.take_again(world)
    }

    fn restore(&self, world: &mut World) -> Result<FluidRestored, FluidSnapshotError> {
        let mut present = world.query::<(Entity, &RollbackId)>();
        let present: HashMap<RollbackId, Entity> =
            present.iter(world).map(|(entity, id)| (*id, entity)).collect();
        let now = |(entity, id): &(Entity, RollbackId)| Some((*entity, *present.get(id)?));
        let moved: EntityHashMap<Entity> = self.known.iter().filter_map(now).collect();
        let map = |entity: Entity| Some(moved.get(&entity).copied().unwrap_or(entity));
        self.snapshot.restore_mapped(world, map)
    }
}

/// The strategy with which bevy_ggrs stores the state of the liquid. The strategy shares the states that
/// [`FluidRollbackPlugin`] has taken, and does not copy them. The memory of a dropped state is reused.
#[derive(Clone, Copy, Debug)]
pub struct FluidStrategy;

impl Strategy for FluidStrategy {
    type Target = FluidRollback;

    type Stored = Arc<FluidRollbackState>;

    fn store(target: &FluidRollback) -> Arc<FluidRollbackState> {
        target.state.clone()
    }

    fn load(stored: &Arc<FluidRollbackState>) -> FluidRollback {
        FluidRollback { state: stored.clone(), memory: vec![stored.clone()] }
    }

    fn update(target: &mut FluidRollback, stored: &Arc<FluidRollbackState>) {
        target.state.clone_from(stored);
    }
}

/// Takes the state that bevy_ggrs stores next.
fn take(world: &mut World) {
    world.resource_scope(|world, mut rollback: Mut<FluidRollback>| {
        let mut state = rollback.unused();
        if let Some(free) = Arc::get_mut(&mut state)
            && let Err(error) = free.take(world)
        {
            error_once!("fluid is not rolled back: {error}");
        }
        rollback.memory.push(state.clone());
        rollback.state = state;
    });
}

/// Restores the state that bevy_ggrs has loaded.
fn restore(world: &mut World) {
    let state = world.resource::<FluidRollback>().state.clone();
    match state.restore(world) {
        Ok(restored) => {
            for missing in restored.missing {
                debug!("rolled back: {missing}");
            }
        }
        Err(error) => error_once!("fluid is not rolled back: {error}"),
    }
}
