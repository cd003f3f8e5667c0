//! What the last step of air did.

use bevy::ecs::entity::EntityHashMap;
use bevy::ecs::schedule::InternedScheduleLabel;
use bevy::prelude::*;
use blob_fluid::air::AirReport;

use super::state::FluidAirState;
use crate::schedule::{FluidSchedule, FluidSenseSystems};
use crate::simulation::FluidSimulation;

/// Adds this file to the app.
pub(super) fn add_to(app: &mut App, _: InternedScheduleLabel) {
    app.register_type::<FluidAirReport>()
        .add_systems(FluidSchedule, read_reports.in_set(FluidSenseSystems::Air));
}

/// What the last step of a [`FluidAir`](crate::FluidAir) did: iterations of the pressure, what is left of the
/// divergence, and the largest speed. It is removed with the air.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Deref)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct FluidAirReport(pub AirReport);

/// Copies the reports, and warns of air that cannot get out.
fn read_reports(
    mut airs: Query<(Entity, &FluidAirState, &mut FluidAirReport)>,
    fluid: Res<FluidSimulation>,
    mut blocked: Local<EntityHashMap<u32>>,
) {
    blocked.retain(|entity, _| airs.contains(*entity));
    for (entity, state, mut shown) in &mut airs {
        let Some(report) = state.id.and_then(|id| fluid.air_report(id)) else { continue };
        let ticks = blocked.entry(entity).or_insert(0);
        if *ticks < LASTING {
            let place = report.blocked_at.filter(|_| report.blocked_inflow > BLOCKED);
            *ticks = if place.is_some() { *ticks + 1 } else { 0 };
            if let Some(place) = place.filter(|_| *ticks == LASTING) {
                warn!(
                    "fluid air {entity}: more flows in around {place} than can get out; open a side of the air, or a \
                     way to one"
                );
            }
        }
        shown.set_if_neq(FluidAirReport(report));
    }
}

/// Mean divergence, in 1/s, above which something is wrong with the openings.
const BLOCKED: f32 = 1e-2;

/// Ticks after which there is a warning. What moves may close a part of the air off for a while, and
/// press on it.
const LASTING: u32 = 60;
