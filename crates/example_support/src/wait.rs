//! When time passes in a run without a window, and in a page that stands still.

use std::time::Duration;

use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use bevy_blob_fluid::{
    Fluid, FluidBlob, FluidClock, FluidCollider, FluidMaterials, FluidSimulation, FluidText,
};

/// Pauses the fluid until all requested materials are loaded and all texts have shapes, so that a
/// picture does not depend on how long that takes. Fixed steps go on, since materials come into use in
/// them.
pub(crate) fn wait_for_assets(
    materials: Res<FluidMaterials>,
    unwritten: Query<(), (With<FluidText>, Without<FluidBlob>, Without<FluidCollider>)>,
    mut time: ResMut<Time<Fluid>>,
    mut started: Local<bool>,
) {
    if *started {
        return;
    }
    *started = !materials.are_loading() && unwritten.is_empty();
    if *started {
        time.unpause();
    } else {
        time.pause();
    }
}

/// Lets no time pass any more, neither for the liquid nor for bodies of an engine, so that a picture
/// does not depend on how many frames it takes to draw.
pub(crate) fn stop_time(fluid: &mut Time<Fluid>, strategy: &mut TimeUpdateStrategy) {
    fluid.pause();
    *strategy = TimeUpdateStrategy::ManualDuration(Duration::ZERO);
}

/// Whether the liquid has come to a simulated time, in seconds.
pub(crate) fn has_come_to(fluid: &FluidSimulation, seconds: f64) -> bool {
    // Half a tick of slack, because sums of tick lengths are not exact.
    fluid.time() + 1e-4 >= seconds
}
