//! The snapshot, and how it is taken.

use std::fmt;

use bevy::prelude::*;
use blob_fluid::{BlobTracker, FluidWorld, Governor, KeptState, SplashDetector};

use super::components::Components;
use super::entities::{self, KnownEntity};
use super::error::{FluidRestored, FluidSnapshotError};
use crate::engines::FluidHosts;
use crate::sensing::{FluidBlobs, FluidSplashes};
use crate::simulation::{Fluid, FluidClasses, FluidGovernor, FluidSettings, FluidSimulation};
use crate::solids::{FluidColliders, FluidContainers};

/// Everything of the plugin's that decides what comes next: liquid, air and bodies, and what their entities
/// keep of them. A world that gets it back goes on with the same bits.
///
/// | in it | not in it |
/// |---|---|
/// | the liquid and all air, as in [`FluidWorld::to_bytes`] | entities: a game spawns and despawns them |
/// | [`FluidSettings`], [`FluidClasses`], [`Time<Fluid>`](Fluid), the governor | [force fields][fields], which are code |
/// | emitters, drains, pumps, tanks and sensors, with what they owe, hold, count and remember | their components, such as [`FluidEmitter`] |
/// | [`FluidBuoyant`](crate::FluidBuoyant) bodies, with motion and [`Transform`] | transforms of everything else |
/// | loads, blobs, splashes, impulses and bursts that wait, embers, which blobs are filled | messages, statistics |
/// | the order of entities ([`FluidOrder`]), and what the liquid owes bodies of an engine | the engine itself |
///
/// [fields]: crate::FluidForceFields
/// [`FluidEmitter`]: crate::FluidEmitter
/// [`FluidOrder`]: crate::FluidOrder
///
/// It is taken between two ticks. Within the same app it is kept in memory, and taken again and again in
/// the same memory:
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::{FluidSnapshot, FluidSnapshotError};
///
/// #[derive(Resource, Default)]
/// struct Checkpoint(FluidSnapshot);
///
/// fn keep(world: &mut World) -> Result<(), FluidSnapshotError> {
///     world.resource_scope(|world, mut kept: Mut<Checkpoint>| kept.0.take_again(world))
/// }
///
/// fn go_back(world: &mut World) -> Result<(), FluidSnapshotError> {
///     let restored = world.resource_scope(|world, kept: Mut<Checkpoint>| kept.0.restore(world))?;
///     for missing in restored.missing {
///         warn!("{missing}");
///     }
///     Ok(())
/// }
/// ```
///
/// [`save`](Self::save) and [`load`](Self::load) are for files; `docs/saving.md` in the repository has a
/// saved game that includes the game's own state.
#[derive(Clone, Default)]
pub struct FluidSnapshot {
    pub(super) liquid: KeptState,
    pub(super) settings: FluidSettings,
    pub(super) classes: FluidClasses,
    pub(super) clock: Time<Fluid>,
    pub(super) governor: Option<Governor>,
    pub(super) blobs: Option<BlobTracker>,
    pub(super) splashes: Option<SplashDetector>,
    pub(super) containers: FluidContainers,
    pub(super) colliders: FluidColliders,
    pub(super) hosts: FluidHosts,
    pub(super) entities: Vec<KnownEntity>,
    pub(super) components: Components,
}

impl fmt::Debug for FluidSnapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FluidSnapshot")
            .field("elapsed", &self.clock.elapsed())
            .field("entities", &self.entities.len())
            .finish_non_exhaustive()
    }
}

impl FluidSnapshot {
    /// Takes a snapshot of a world.
    ///
    /// # Errors
    ///
    /// [`FluidSnapshotError::NoLiquid`] without the plugin, and
    /// [`SnapshotError::WithinTick`](blob_fluid::SnapshotError::WithinTick) from a system within a tick.
    pub fn take(world: &mut World) -> Result<Self, FluidSnapshotError> {
        let mut snapshot = Self::default();
        snapshot.take_again(world)?;
        Ok(snapshot)
    }

    /// Takes a snapshot in place of this one, and uses its memory again.
    ///
    /// # Errors
    ///
    /// As [`take`](Self::take). This one stays as it was then.
    pub fn take_again(&mut self, world: &mut World) -> Result<(), FluidSnapshotError> {
        world.flush();
        let fluid = world.get_resource::<FluidSimulation>().ok_or(FluidSnapshotError::NoLiquid)?;
        fluid.keep_in(&mut self.liquid)?;
        keep(world, &mut self.settings);
        keep(world, &mut self.classes);
        keep(world, &mut self.clock);
        keep(world, &mut self.containers);
        keep(world, &mut self.colliders);
        keep(world, &mut self.hosts);
        self.governor = world.get_resource::<FluidGovernor>().and_then(|governor| governor.0);
        self.blobs = world.get_resource::<FluidBlobs>().map(|blobs| blobs.0.clone());
        self.splashes = world.get_resource::<FluidSplashes>().map(|splashes| splashes.0.clone());
        entities::take(&mut self.entities, world);
        self.components.take(world);
        Ok(())
    }

    /// The liquid and the air alone, as a world without force fields.
    pub fn world(&self) -> FluidWorld {
        let mut world = FluidWorld::default();
        world.restore_from(&self.liquid);
        world.set_force_fields(Vec::new());
        world
    }

    /// Takes a snapshot of a world as bytes, for a file: [`take`](Self::take) and
    /// [`to_bytes`](Self::to_bytes).
    ///
    /// # Errors
    ///
    /// As [`take`](Self::take) and [`to_bytes`](Self::to_bytes).
    pub fn save(world: &mut World) -> Result<Vec<u8>, FluidSnapshotError> {
        Self::take(world)?.to_bytes()
    }

    /// Restores a snapshot from bytes, also in another app with the same level:
    /// [`from_bytes`](Self::from_bytes) and [`restore_by_order`](Self::restore_by_order).
    ///
    /// # Errors
    ///
    /// As [`from_bytes`](Self::from_bytes). Nothing is changed then.
    pub fn load(world: &mut World, bytes: &[u8]) -> Result<FluidRestored, FluidSnapshotError> {
        Self::from_bytes(bytes)?.restore_by_order(world)
    }
}

/// Copies a resource, if it is there.
fn keep<R: Resource + Clone + Default>(world: &World, into: &mut R) {
    match world.get_resource::<R>() {
        Some(resource) => into.clone_from(resource),
        None => *into = R::default(),
    }
}
