//! Taking and restoring a snapshot.

use std::fmt;

use bevy::ecs::component::Mutable;
use bevy::ecs::entity::EntityHashMap;
use bevy::prelude::*;
use blob_fluid::air::AirId;
use blob_fluid::{BlobTracker, FluidWorld, Governor, KeptState, PoolId, SplashDetector};

use crate::air::FluidAirState;
use crate::engines::FluidHosts;
use crate::schedule::{FluidOrder, number_above};
use crate::sensing::{FluidBlobs, FluidSplashes};
#[cfg(feature = "gpu")]
use crate::simulation::FluidBackend;
use crate::simulation::{
    EntityFields, Fluid, FluidClasses, FluidForceFields, FluidGovernor, FluidSettings,
    FluidSimulation,
};
use crate::snapshot::components::Components;
use crate::snapshot::records;
use crate::snapshot::records::{FluidRestored, FluidSnapshotError, KnownEntity};
use crate::solids::{FluidColliders, FluidContainers};
use crate::sources::FluidPoolState;
use crate::streaming::{FluidRegions, move_to_regions};

impl FluidSnapshot {
    /// Restores the snapshot in the world from which it was taken. Entities that have been spawned since then stay. The
    /// result names the entities that have been despawned since then. In worlds with
    /// [`FluidStreaming`](crate::FluidStreaming), whose observers spawn and despawn entities, use
    /// [`restore_by_order`](Self::restore_by_order).
    ///
    /// # Errors
    ///
    /// [`FluidSnapshotError::NoLiquid`] without the plugin.
    pub fn restore(&self, world: &mut World) -> Result<FluidRestored, FluidSnapshotError> {
        move_to_regions(world, self.regions.as_ref());
        self.restore_mapped(world, Some)
    }

    /// Restores the snapshot in a world whose entities have other ids. `map` takes an entity of the snapshot and
    /// returns the entity that stands for it in this world, or `None` without such an entity. Netcode that spawns
    /// entities again keeps such a map.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`restore`](Self::restore).
    pub fn restore_mapped(
        &self,
        world: &mut World,
        mut map: impl FnMut(Entity) -> Option<Entity>,
    ) -> Result<FluidRestored, FluidSnapshotError> {
        world.flush();
        let known = self.entities.iter().filter_map(|known| known.entity);
        let there = known.filter_map(|entity| {
            let now = map(entity).filter(|now| world.get_entity(*now).is_ok())?;
            Some((entity, now))
        });
        let present = there.collect();
        self.put_back(world, present)
    }

    /// Restores the snapshot in an app with the same level, whose entities may have other ids.
    ///
    /// An entity of the snapshot is matched with an entity that has the same [key](FluidOrder::key), the same [`Name`]
    /// and the same components of the plugin. If several entities match, an entity that still exists is matched with
    /// itself. Other entities are matched in the order in which they were spawned. A game that spawns and despawns
    /// entities during play gives them unique names or keys, or uses [`restore_mapped`](Self::restore_mapped).
    ///
    /// Before entities are matched, each region present only in the snapshot triggers
    /// [`FluidRegionEntered`](crate::FluidRegionEntered), so observers spawn walls in time. Each region present only in
    /// the world triggers [`FluidRegionLeft`](crate::FluidRegionLeft).
    ///
    /// # Errors
    ///
    /// Returns the errors of [`restore`](Self::restore).
    pub fn restore_by_order(&self, world: &mut World) -> Result<FluidRestored, FluidSnapshotError> {
        world.flush();
        move_to_regions(world, self.regions.as_ref());
        let present = records::counterparts(&self.entities, world);
        self.put_back(world, present)
    }

    fn put_back(
        &self,
        world: &mut World,
        mut present: EntityHashMap<Entity>,
    ) -> Result<FluidRestored, FluidSnapshotError> {
        let mut fluid =
            world.get_resource_mut::<FluidSimulation>().ok_or(FluidSnapshotError::NoLiquid)?;
        fluid.world_mut().restore_from(&self.liquid);
        #[cfg(feature = "gpu")]
        {
            // A snapshot that was taken while the liquid was on the GPU does not contain that liquid.
            let was_there = self.settings.backend == FluidBackend::Gpu;
            if !(was_there && world.resource::<FluidSimulation>().particles().is_empty()) {
                crate::simulation::forget(world);
            }
        }
        self.put_back_settings(world);
        records::restore_tiles(&self.entities, world, &mut present);
        self.put_back_solids(world, &present);
        for KnownEntity { entity, order, .. } in &self.entities {
            let now = entity.and_then(|entity| present.get(&entity).copied());
            let Some(((key, spawned), now)) = order.zip(now) else { continue };
            number_above(spawned);
            if let Some(mut order) = world.get_mut::<FluidOrder>(now) {
                *order.bypass_change_detection() = FluidOrder::numbered(key, spawned);
            }
        }
        let lacking = self.components.restore(world, &present);
        let fluid = world.resource::<FluidSimulation>();
        let airs: Vec<AirId> = fluid.air_ids().collect();
        let pools: Vec<PoolId> = fluid.pools().map(|(id, _)| id).collect();
        remove_without_entities(
            world,
            airs,
            |state: &FluidAirState| state.id,
            |fluid, id| drop(fluid.remove_air(id)),
        );
        remove_without_entities(
            world,
            pools,
            |state: &FluidPoolState| state.id,
            |fluid, id| drop(fluid.remove_pool(id)),
        );
        let mut missing = Vec::new();
        for known in &self.entities {
            let Some(entity) = known.entity else { continue };
            if present.contains_key(&entity) {
                let lost = lacking.iter().filter(|(of, _)| *of == entity);
                missing.extend(lost.map(|(_, component)| known.missing(Some(component))));
            } else {
                missing.push(known.missing(None));
            }
        }
        Ok(FluidRestored { missing })
    }

    fn put_back_settings(&self, world: &mut World) {
        let fluid = world.resource::<FluidSimulation>();
        let FluidSettings {
            parameters,
            capacity,
            when_full,
            kill_bounds,
            backend: _,
            fallback_spacing: _,
            budget,
        } = self.settings;
        let settings_hold = *fluid.parameters() == parameters
            && (fluid.capacity(), fluid.capacity_policy()) == (capacity, when_full)
            && fluid.kill_bounds() == kill_bounds
            && self.governor.map(|governor| governor.budget()) == budget;
        let classes_hold = fluid.classes().iter().eq(&self.classes)
            && *fluid.classes().pairs() == self.classes.pairs;
        // Settings and classes that the liquid already has are not applied again.
        if !settings_hold || world.get_resource() != Some(&self.settings) {
            put(world, &self.settings);
        }
        if !classes_hold || world.get_resource() != Some(&self.classes) {
            put(world, &self.classes);
        }
        put(world, &FluidGovernor(self.governor));
        put::<Time<Fluid>>(world, &self.clock);
        if let Some((mut blobs, kept)) =
            world.get_resource_mut::<FluidBlobs>().zip(self.blobs.as_ref())
        {
            blobs.0.clone_from(kept);
        }
        let splashes = world.get_resource_mut::<FluidSplashes>();
        if let Some((mut splashes, kept)) = splashes.zip(self.splashes.as_ref()) {
            splashes.0.clone_from(kept);
        }
        if let Some(mut regions) = world.get_resource_mut::<FluidRegions>() {
            match &self.regions {
                Some(kept) => regions.clone_from(kept),
                None => regions.forget(),
            }
        }
        // The restored liquid has the fields of the snapshot. The present ones replace them in the next tick.
        if let Some(mut fields) = world.get_resource_mut::<FluidForceFields>() {
            fields.set_changed();
        }
        if let Some(mut fields) = world.get_resource_mut::<EntityFields>() {
            fields.set_changed();
        }
    }

    /// The next synchronisation removes the solids of entities that are gone.
    fn put_back_solids(&self, world: &mut World, present: &EntityHashMap<Entity>) {
        let map = |entity: Entity| present.get(&entity).copied().unwrap_or(Entity::PLACEHOLDER);
        let mut containers: FluidContainers = self.containers.clone();
        containers.0.map_entities(map);
        put(world, &containers);
        let mut colliders: FluidColliders = self.colliders.clone();
        colliders.0.map_entities(map);
        put(world, &colliders);
        let Some(mut hosts) = world.get_resource_mut::<FluidHosts>() else { return };
        hosts.gone.clone_from(&self.hosts.gone);
        hosts.hosts.clear();
        for (entity, host) in &self.hosts.hosts {
            match present.get(entity) {
                Some(now) => drop(hosts.hosts.insert(*now, host.clone())),
                None => hosts.gone.extend(host.id),
            }
        }
    }
}

/// Replaces a resource, if the world has it.
fn put<R: Resource<Mutability = Mutable> + Clone>(world: &mut World, kept: &R) {
    if let Some(mut resource) = world.get_resource_mut::<R>() {
        resource.clone_from(kept);
    }
}

/// Removes what belongs to entities that are gone, from a list of all `ids`. Entities whose own does not exist begin
/// anew.
fn remove_without_entities<State, Id>(
    world: &mut World,
    mut ids: Vec<Id>,
    id_of: fn(&State) -> Option<Id>,
    remove: fn(&mut FluidWorld, Id),
) where
    State: Component<Mutability = Mutable> + Default,
    Id: PartialEq,
{
    let mut states = world.query::<&mut State>();
    for mut state in states.iter_mut(world) {
        let Some(id) = id_of(&state) else { continue };
        match ids.iter().position(|unowned| *unowned == id) {
            Some(index) => drop(ids.remove(index)),
            None => *state = State::default(),
        }
    }
    let mut fluid = world.resource_mut::<FluidSimulation>();
    for id in ids {
        remove(fluid.world_mut(), id);
    }
}

// The snapshot, and how it is taken.

/// The state of the plugin that affects later ticks: liquid, air and bodies, and the state of their entities. A world
/// that restores the snapshot continues with the same bits.
///
/// | contained | not contained |
/// |---|---|
/// | the liquid, all pools and all air, as in [`FluidWorld::to_bytes`] | entities: a game spawns and despawns them |
/// | [`FluidSettings`], [`FluidClasses`], [`Time<Fluid>`](Fluid), the quality given up for the [budget](FluidSettings::budget) | [force fields][fields], which are code |
/// | the state of emitters, drains, pumps, tanks and sensors: remainders, contents, counts and measurements | their components, such as [`FluidEmitter`] |
/// | [`FluidBuoyant`](crate::FluidBuoyant) bodies, with motion and [`Transform`] | transforms of everything else |
/// | [`FluidStrength`](crate::FluidStrength), and which tiles with a [`FluidWear`](crate::FluidWear) are solid | other [`FluidTiles`](crate::FluidTiles) |
/// | [`FluidRegions`] with the stored liquid | |
/// | loads, blobs, splashes, pending impulses, blasts and bursts, embers, which blobs are filled | messages, statistics |
/// | the order of entities ([`FluidOrder`]), pending impulses on bodies of an engine | the engine itself |
///
/// [fields]: crate::FluidForceFields
/// [`FluidEmitter`]: crate::FluidEmitter
/// [`FluidOrder`]: crate::FluidOrder
///
/// A snapshot does not contain liquid on the graphics card, and logs a warning if there is any. Before you save, set
/// [`FluidSettings::backend`] to [`FluidBackend::Cpu`](crate::FluidBackend::Cpu), and wait until
/// [`FluidStatistics::on_device`](crate::FluidStatistics::on_device) is 0.
///
/// A snapshot is taken between two ticks. Within the same app a game keeps it in memory, and
/// [`take_again`](Self::take_again) reuses that memory:
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
/// [`save`](Self::save) and [`load`](Self::load) are for files. The guide has a saved game that includes the game's own
/// state.
#[doc = guide!("saving")]
#[derive(Clone, Default)]
pub struct FluidSnapshot {
    pub(super) liquid: KeptState,
    pub(super) settings: FluidSettings,
    pub(super) classes: FluidClasses,
    pub(super) clock: Time<Fluid>,
    pub(super) governor: Option<Governor>,
    pub(super) blobs: Option<BlobTracker>,
    pub(super) splashes: Option<SplashDetector>,
    pub(super) regions: Option<FluidRegions>,
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

    /// Replaces this snapshot by a new one, and reuses its memory.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`take`](Self::take). This snapshot is unchanged then.
    pub fn take_again(&mut self, world: &mut World) -> Result<(), FluidSnapshotError> {
        world.flush();
        let fluid = world.get_resource::<FluidSimulation>().ok_or(FluidSnapshotError::NoLiquid)?;
        fluid.keep_in(&mut self.liquid)?;
        #[cfg(feature = "gpu")]
        if world
            .get_resource::<crate::FluidStatistics>()
            .is_some_and(crate::FluidStatistics::is_on_device)
        {
            warn_once!(
                "a snapshot does not contain the liquid on the graphics card: set `FluidSettings::backend` to `Cpu` a frame before"
            );
        }
        keep(world, &mut self.settings);
        keep(world, &mut self.classes);
        keep(world, &mut self.clock);
        keep(world, &mut self.containers);
        keep(world, &mut self.colliders);
        keep(world, &mut self.hosts);
        self.governor = world.get_resource::<FluidGovernor>().and_then(|governor| governor.0);
        self.blobs = world.get_resource::<FluidBlobs>().map(|blobs| blobs.0.clone());
        self.splashes = world.get_resource::<FluidSplashes>().map(|splashes| splashes.0.clone());
        self.regions = world.get_resource::<FluidRegions>().filter(|of| of.is_in_use()).cloned();
        records::take(&mut self.entities, world);
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
    /// Returns the errors of [`take`](Self::take) and [`to_bytes`](Self::to_bytes).
    pub fn save(world: &mut World) -> Result<Vec<u8>, FluidSnapshotError> {
        Self::take(world)?.to_bytes()
    }

    /// Restores a snapshot from bytes, also in another app with the same level:
    /// [`from_bytes`](Self::from_bytes) and [`restore_by_order`](Self::restore_by_order).
    ///
    /// # Errors
    ///
    /// Returns the errors of [`from_bytes`](Self::from_bytes) and [`restore_by_order`](Self::restore_by_order).
    /// Then nothing is changed.
    pub fn load(world: &mut World, bytes: &[u8]) -> Result<FluidRestored, FluidSnapshotError> {
        Self::from_bytes(bytes)?.restore_by_order(world)
    }
}

/// Copies a resource, or uses the default if the world lacks it.
fn keep<R: Resource + Clone + Default>(world: &World, into: &mut R) {
    match world.get_resource::<R>() {
        Some(resource) => into.clone_from(resource),
        None => *into = R::default(),
    }
}
