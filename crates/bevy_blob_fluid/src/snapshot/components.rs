//! All components that the plugin writes and that decide what comes next.

use bevy::ecs::entity::EntityHashMap;
use bevy::prelude::*;

use super::column::Column;
use crate::air::{FluidAirReport, FluidAirSource, FluidAirState};
use crate::forces::FluidImpulse;
use crate::scenes::SolidMotion;
use crate::sensing::{FluidAirReading, FluidSensorReading, SensorState};
use crate::solids::{BodyState, FluidBuoyant, FluidLoad, FluidMotion};
use crate::sources::{
    FluidBlobFilled, FluidDrainState, FluidDrainTotals, FluidEmitterState, FluidEmitterTotals,
    FluidPumpState, FluidPumpTotals, FluidTankContents,
};

/// The components of all entities.
#[derive(Clone, Default)]
pub(super) struct Components {
    pub emitters: Column<FluidEmitterState>,
    pub emitter_totals: Column<FluidEmitterTotals>,
    pub drains: Column<FluidDrainState>,
    pub drain_totals: Column<FluidDrainTotals>,
    pub tanks: Column<FluidTankContents>,
    pub pumps: Column<FluidPumpState>,
    pub pump_totals: Column<FluidPumpTotals>,
    pub sensors: Column<SensorState>,
    pub readings: Column<FluidSensorReading>,
    pub air_readings: Column<FluidAirReading>,
    pub airs: Column<FluidAirState>,
    pub reports: Column<FluidAirReport>,
    pub sources: Column<FluidAirSource>,
    pub bodies: Column<BodyState>,
    pub motions: Column<FluidMotion>,
    pub loads: Column<FluidLoad>,
    /// Of bodies and of the moving solids of a scene; all others are the game's.
    pub transforms: Column<Transform>,
    pub filled: Column<FluidBlobFilled>,
    pub impulses: Column<FluidImpulse>,
}

impl Components {
    /// Copies them all.
    pub(super) fn take(&mut self, world: &mut World) {
        self.emitters.take::<()>(world);
        self.emitter_totals.take::<()>(world);
        self.drains.take::<()>(world);
        self.drain_totals.take::<()>(world);
        self.tanks.take::<()>(world);
        self.pumps.take::<()>(world);
        self.pump_totals.take::<()>(world);
        self.sensors.take::<()>(world);
        self.readings.take::<()>(world);
        self.air_readings.take::<()>(world);
        self.airs.take::<()>(world);
        self.reports.take::<()>(world);
        self.sources.take::<()>(world);
        self.bodies.take::<()>(world);
        self.motions.take::<()>(world);
        self.loads.take::<()>(world);
        self.transforms.take::<Or<(With<FluidBuoyant>, With<SolidMotion>)>>(world);
        self.filled.take::<()>(world);
        self.impulses.take::<()>(world);
    }

    /// Gives them all back, and returns the entities that lack a component of the game's.
    pub(super) fn restore(
        &self,
        world: &mut World,
        present: &EntityHashMap<Entity>,
    ) -> Vec<(Entity, &'static str)> {
        let mut missing = Vec::new();
        let mut lack = |entities: Vec<Entity>, component| {
            missing.extend(entities.into_iter().map(|entity| (entity, component)));
        };
        lack(self.emitters.restore(world, present), "FluidEmitter");
        lack(self.drains.restore(world, present), "FluidDrain");
        lack(self.tanks.restore(world, present), "FluidTank");
        lack(self.pumps.restore(world, present), "FluidPump");
        lack(self.sensors.restore(world, present), "FluidSensor");
        lack(self.airs.restore(world, present), "FluidAir");
        lack(self.bodies.restore(world, present), "FluidBuoyant");
        lack(self.loads.restore(world, present), "FluidLoad");
        lack(self.restore_sources(world, present), "FluidAirSource");
        // These come and go with the ones above.
        self.emitter_totals.restore(world, present);
        self.drain_totals.restore(world, present);
        self.pump_totals.restore(world, present);
        self.readings.restore(world, present);
        self.air_readings.restore(world, present);
        self.reports.restore(world, present);
        self.motions.put_back(world, present);
        self.transforms.put_back(world, present);
        // The plugin itself adds and removes these.
        for entity in self.filled.new_since(world, present) {
            world.entity_mut(entity).remove::<FluidBlobFilled>();
        }
        self.filled.insert_back(world, present);
        for entity in self.impulses.new_since(world, present) {
            world.entity_mut(entity).remove::<FluidImpulse>();
        }
        self.impulses.insert_back(world, present);
        missing
    }

    /// Gives sources of air their embers back, and brings bursts back that were still to come.
    fn restore_sources(&self, world: &mut World, present: &EntityHashMap<Entity>) -> Vec<Entity> {
        for entity in self.sources.new_since(world, present) {
            if world.get::<FluidAirSource>(entity).is_some_and(|source| source.burst) {
                world.entity_mut(entity).remove::<FluidAirSource>();
            }
        }
        let mut lacking = Vec::new();
        for (entity, kept) in &self.sources.0 {
            let Some(now) = present.get(entity) else { continue };
            match world.get_mut::<FluidAirSource>(*now) {
                // All else is the game's.
                Some(mut source) => source.embers = kept.embers,
                None if kept.burst => drop(world.entity_mut(*now).insert(kept.clone())),
                None => lacking.push(*entity),
            }
        }
        lacking
    }
}
