//! Containers and colliders follow their entities, with a velocity that acts on the liquid.

use bevy::ecs::schedule::InternedScheduleLabel;
use bevy::prelude::*;

use super::collider::FluidColliders;
use super::container::FluidContainers;
use crate::schedule::{FluidSchedule, FluidTickSystems};
use crate::simulation::{Fluid, FluidSimulation};

/// Adds this file to the app.
pub(super) fn add_to(app: &mut App, _: InternedScheduleLabel) {
    app.add_systems(FluidSchedule, move_solids.in_set(FluidTickSystems::Move));
}

/// Starts the motion of solids whose entities moved, so that they arrive at the end of the last
/// tick.
pub(crate) fn move_solids(
    containers: Res<FluidContainers>,
    colliders: Res<FluidColliders>,
    fluid_time: Res<Time<Fluid>>,
    mut fluid: ResMut<FluidSimulation>,
) {
    let tick = fluid_time.delta_secs().min(fluid.parameters().max_time_step);
    if tick <= 0.0 {
        return;
    }
    let ticks = fluid_time.context().ticks_ahead().max(1);
    let radius = fluid.parameters().interaction_radius();
    containers.0.set_out(fluid.world_mut(), tick, ticks, radius);
    colliders.0.set_out(fluid.world_mut(), tick, ticks, radius);
}
