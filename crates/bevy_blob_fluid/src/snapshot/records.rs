//! What is written of a snapshot beside the core's own parts, for serde.

use std::time::Duration;

use bevy::prelude::*;
use blob_fluid::Motion;
use blob_fluid::air::AirEmbers;
use serde::{Deserialize, Serialize};

use crate::air::FluidAirSource;
use crate::engines::Host;
use crate::forces::FluidImpulse;
use crate::sensing::FluidAirReading;
use crate::simulation::{Fluid, FluidClasses, FluidSettings};
use crate::solids::{BodyState, EntityPart, FluidLoad, FluidMotion, Pose};
use crate::sources::{FluidBlobFilled, FluidDrainTotals, FluidEmitterTotals, FluidPumpTotals};

/// An entity of then. It is only a name: it need not exist.
#[derive(Serialize, Deserialize, Clone, Copy)]
pub(super) struct Id(u64);

impl From<Entity> for Id {
    fn from(entity: Entity) -> Self {
        Self(entity.to_bits())
    }
}

impl Id {
    pub(super) fn entity(self) -> Option<Entity> {
        Entity::try_from_bits(self.0)
    }
}

/// Everything but what the core writes.
#[derive(Serialize, Deserialize)]
pub(super) struct Records {
    pub entities: Vec<EntityRecord>,
    pub settings: FluidSettings,
    pub classes: FluidClasses,
    pub clock: ClockRecord,
    pub containers: Vec<TargetRecord>,
    pub colliders: Vec<TargetRecord>,
    pub hosts: Vec<HostRecord>,
    pub emitters: Vec<EmitterRecord>,
    pub emitter_totals: Vec<(Id, FluidEmitterTotals)>,
    /// With whether there is a drain.
    pub drains: Vec<(Id, bool)>,
    pub drain_totals: Vec<(Id, FluidDrainTotals)>,
    pub tanks: Vec<Id>,
    /// With whether there is a pump.
    pub pumps: Vec<(Id, bool)>,
    pub pump_totals: Vec<(Id, FluidPumpTotals)>,
    /// With the time of the last measurement, if there is a sensor.
    pub sensors: Vec<(Id, Option<f64>)>,
    pub air_readings: Vec<(Id, FluidAirReading)>,
    pub airs: Vec<AirRecord>,
    pub sources: Vec<SourceRecord>,
    pub bodies: Vec<BodyRecord>,
    pub motions: Vec<(Id, FluidMotion)>,
    pub loads: Vec<(Id, FluidLoad)>,
    pub transforms: Vec<(Id, TransformRecord)>,
    pub filled: Vec<(Id, FluidBlobFilled)>,
    pub impulses: Vec<(Id, FluidImpulse)>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct EntityRecord {
    pub id: Id,
    pub order: Option<(i64, u64)>,
    pub name: Option<String>,
    pub kinds: u32,
}

#[derive(Serialize, Deserialize)]
pub(super) struct ClockRecord {
    pub context: Fluid,
    pub elapsed: Duration,
    pub delta: Duration,
}

#[derive(Serialize, Deserialize)]
pub(super) struct TargetRecord {
    pub id: Id,
    pub order: (i64, u64),
    pub number: u32,
    pub centre: Vec2,
    pub rotation: Vec2,
}

impl TargetRecord {
    pub(super) fn part(&self) -> EntityPart {
        EntityPart { number: self.number, centre: self.centre, rotation: self.rotation }
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct HostRecord {
    pub id: Id,
    pub has_body: bool,
    pub host: Host,
}

#[derive(Serialize, Deserialize)]
pub(super) struct EmitterRecord {
    pub id: Id,
    pub has_emitter: bool,
    pub way: Option<[(Vec2, Vec2); 2]>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct AirRecord {
    pub id: Id,
    pub has_air: bool,
    pub size: Vec2,
    pub cell_size: f32,
}

#[derive(Serialize, Deserialize)]
pub(super) struct SourceRecord {
    pub id: Id,
    pub embers: Option<AirEmbers>,
    /// A burst that is still to come, and its colour.
    pub burst: Option<(FluidAirSource, Option<[f32; 4]>)>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct TransformRecord {
    translation: Vec3,
    rotation: [f32; 4],
    scale: Vec3,
}

impl From<Transform> for TransformRecord {
    fn from(transform: Transform) -> Self {
        let Transform { translation, rotation, scale } = transform;
        Self { translation, rotation: rotation.to_array(), scale }
    }
}

impl TransformRecord {
    pub(super) fn transform(&self) -> Transform {
        let Self { translation, rotation, scale } = *self;
        Transform { translation, rotation: Quat::from_array(rotation), scale }
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct BodyRecord {
    pub id: Id,
    written: Option<TransformRecord>,
    motion: Motion,
    keeps_motion: bool,
    /// Position and rotation before and after the last tick.
    poses: [(Vec2, Vec2); 2],
}

impl BodyRecord {
    pub(super) fn new(entity: Entity, state: &BodyState) -> Self {
        let BodyState { written, motion, keeps_motion, previous_pose, pose } = *state;
        let FluidMotion { velocity, angular_velocity } = motion;
        Self {
            id: entity.into(),
            written: written.map(TransformRecord::from),
            motion: Motion { velocity, angular_velocity },
            keeps_motion,
            poses: [previous_pose, pose].map(|pose| (pose.position, pose.rotation)),
        }
    }

    pub(super) fn state(&self) -> BodyState {
        let Motion { velocity, angular_velocity } = self.motion;
        let [previous_pose, pose] =
            self.poses.map(|(position, rotation)| Pose { position, rotation });
        BodyState {
            written: self.written.as_ref().map(TransformRecord::transform),
            motion: FluidMotion { velocity, angular_velocity },
            keeps_motion: self.keeps_motion,
            previous_pose,
            pose,
        }
    }
}
