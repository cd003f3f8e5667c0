//! How a world gets a snapshot back.

use bevy::ecs::component::Mutable;
use bevy::ecs::entity::EntityHashMap;
use bevy::prelude::*;
use blob_fluid::air::AirId;

use super::entities::{self, KnownEntity};
use super::error::{FluidRestored, FluidSnapshotError};
use super::taken::FluidSnapshot;
use crate::air::FluidAirState;
use crate::engines::FluidHosts;
use crate::order::{FluidOrder, number_above};
use crate::sensing::{FluidBlobs, FluidSplashes};
#[cfg(feature = "gpu")]
use crate::simulation::FluidBackend;
use crate::simulation::{
    EntityFields, Fluid, FluidForceFields, FluidGovernor, FluidSettings, FluidSimulation,
};
use crate::solids::{FluidColliders, FluidContainers};

impl FluidSnapshot {
    /// Restores the snapshot in the world that it was taken of. What has been spawned since stays; what
    /// has been despawned since is named.
    ///
    /// # Errors
    ///
    /// [`FluidSnapshotError::NoLiquid`] without the plugin.
    pub fn restore(&self, world: &mut World) -> Result<FluidRestored, FluidSnapshotError> {
        self.restore_mapped(world, Some)
    }

    /// Restores the snapshot in a world that has other entities in place of those of then: `map` is given
    /// an entity of then and returns the present one, if there is one. A netcode that spawns entities again
    /// has such a map.
    ///
    /// # Errors
    ///
    /// As [`restore`](Self::restore).
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
        self.put_back(world, &present)
    }

    /// Restores the snapshot in an app with the same level, whose entities may have other ids. An entity
    /// stands for that of then which had the same [key](FluidOrder::key), the same [`Name`] and the same of
    /// the plugin's components; of several such, for itself if it is still there, and otherwise for that which
    /// was spawned as the same one. A game in which entities come and go gives them names or keys of their own,
    /// or uses [`restore_mapped`](Self::restore_mapped).
    ///
    /// # Errors
    ///
    /// As [`restore`](Self::restore).
    pub fn restore_by_order(&self, world: &mut World) -> Result<FluidRestored, FluidSnapshotError> {
        world.flush();
        let present = entities::counterparts(&self.entities, world);
        self.put_back(world, &present)
    }

    fn put_back(
        &self,
        world: &mut World,
        present: &EntityHashMap<Entity>,
    ) -> Result<FluidRestored, FluidSnapshotError> {
        let mut fluid =
            world.get_resource_mut::<FluidSimulation>().ok_or(FluidSnapshotError::NoLiquid)?;
        fluid.world_mut().restore_from(&self.liquid);
        #[cfg(feature = "gpu")]
        {
            // What was taken while the liquid was on a graphics card says nothing of it.
            let was_there = self.settings.backend == FluidBackend::Gpu;
            if !(was_there && world.resource::<FluidSimulation>().particles().is_empty()) {
                crate::simulation::forget(world);
            }
        }
        self.put_back_settings(world);
        self.put_back_solids(world, present);
        for KnownEntity { entity, order, .. } in &self.entities {
            let now = entity.and_then(|entity| present.get(&entity).copied());
            let Some(((key, spawned), now)) = order.zip(now) else { continue };
            number_above(spawned);
            if let Some(mut order) = world.get_mut::<FluidOrder>(now) {
                *order.bypass_change_detection() = FluidOrder::numbered(key, spawned);
            }
        }
        let lacking = self.components.restore(world, present);
        remove_airs_without_entities(world);
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
        // What the liquid is already as they say need not be given to it again.
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
        // The liquid has the fields of then.
        if let Some(mut fields) = world.get_resource_mut::<FluidForceFields>() {
            fields.set_changed();
        }
        if let Some(mut fields) = world.get_resource_mut::<EntityFields>() {
            fields.set_changed();
        }
    }

    /// Solids of entities that are gone go at the next synchronisation: no entity wants them.
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

/// Replaces a resource, if it is there.
fn put<R: Resource<Mutability = Mutable> + Clone>(world: &mut World, kept: &R) {
    if let Some(mut resource) = world.get_resource_mut::<R>() {
        resource.clone_from(kept);
    }
}

/// Air of entities that are gone goes with them, and entities whose air is not there begin with new air.
fn remove_airs_without_entities(world: &mut World) {
    let mut unowned: Vec<AirId> = world.resource::<FluidSimulation>().air_ids().collect();
    let mut states = world.query::<&mut FluidAirState>();
    for mut state in states.iter_mut(world) {
        let Some(id) = state.id else { continue };
        match unowned.iter().position(|unowned| *unowned == id) {
            Some(index) => drop(unowned.remove(index)),
            None => *state = FluidAirState::default(),
        }
    }
    let mut fluid = world.resource_mut::<FluidSimulation>();
    for id in unowned {
        fluid.world_mut().remove_air(id);
    }
}
