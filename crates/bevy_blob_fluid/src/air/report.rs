//! What the last step of air did.

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
    mut warned: Local<bevy::ecs::entity::EntityHashSet>,
) {
    warned.retain(|entity| airs.contains(*entity));
    for (entity, state, mut shown) in &mut airs {
        let Some(report) = state.id.and_then(|id| fluid.air_report(id)) else { continue };
        if report.blocked_inflow > BLOCKED && warned.insert(entity) {
            warn!("fluid air {entity}: more flows in than can get out; open one of its sides");
        }
        shown.set_if_neq(FluidAirReport(report));
    }
}

/// Mean divergence, in 1/s, above which something is wrong with the openings.
const BLOCKED: f32 = 1e-2;
