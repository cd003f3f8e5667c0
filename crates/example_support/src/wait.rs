//! Control of time in a run without a window, and in a page that stops.

use std::time::Duration;

use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use bevy_blob_fluid::{
    Fluid, FluidBlob, FluidClock, FluidCollider, FluidMaterials, FluidSimulation, FluidText,
};

/// Pauses the liquid until all requested materials are loaded and all texts have shapes. A picture therefore does not
/// depend on the duration of loading. Fixed steps continue, because materials come into use in them.
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

/// Stops time for the liquid and for bodies of a physics engine. A picture therefore does not depend on the number of
/// frames until it is drawn.
pub(crate) fn stop_time(fluid: &mut Time<Fluid>, strategy: &mut TimeUpdateStrategy) {
    fluid.pause();
    *strategy = TimeUpdateStrategy::ManualDuration(Duration::ZERO);
}

/// Whether the liquid has reached a simulated time, in seconds.
pub(crate) fn has_come_to(fluid: &FluidSimulation, seconds: f64) -> bool {
    // A slack of 0.1 ms, because sums of tick lengths are not exact.
    fluid.time() + 1e-4 >= seconds
}
