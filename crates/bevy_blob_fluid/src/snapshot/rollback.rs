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

/// Rolls the liquid back with [bevy_ggrs](https://docs.rs/bevy_ggrs/0.22): liquid, air, bodies and all that a
/// [`FluidSnapshot`] holds. Simulate the liquid in the schedule `GgrsSchedule`.
///
/// It adds the [`FluidStrategy`], and the deep hash of the liquid to the checksum. `Transform`s of what the
/// game moves are the game's to roll back. Bodies are shown where the last tick left them, and not between
/// two ticks: otherwise what hangs on a body would depend on when a frame is drawn.
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
            // Entities are there again by then, and components that the game rolls back as well.
            .add_systems(LoadWorld, restore.after(LoadWorldSystems::Mapping))
            .add_systems(AdvanceWorld, begin_frame.in_set(AdvanceWorldSystems::First))
            .add_systems(
                AdvanceWorld,
                place_at_last_tick
                    .after(AdvanceWorldSystems::Main)
                    .before(AdvanceWorldSystems::Last),
            );
    }

    /// This runs in `finish`, because the clock may be added after this plugin.
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
    /// All states, those that bevy_ggrs has forgotten included: their memory is used again.
    memory: Vec<Arc<FluidRollbackState>>,
}

/// A state of the liquid, and which of its entities bevy_ggrs knows.
#[derive(Debug, Default)]
pub struct FluidRollbackState {
    snapshot: FluidSnapshot,
    /// An entity that is spawned again has another id, but the same one in bevy_ggrs.
    known: Vec<(Entity, RollbackId)>,
}

impl FluidRollback {
    /// A state that nobody else holds.
    fn unused(&mut self) -> Arc<FluidRollbackState> {
        // This one is replaced in any case.
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

/// How bevy_ggrs stores the liquid's state: it holds states that [`FluidRollbackPlugin`] has taken, and
/// copies none. A state that it forgets is memory for the next.
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
