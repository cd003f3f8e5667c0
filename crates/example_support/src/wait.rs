//! When time passes in a run without a window, and in a page that stands still.

use std::time::Duration;

use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use bevy_blob_fluid::{FluidBlob, FluidCollider, FluidMaterials, FluidText};

/// No time passes: what [`wait_for_assets`] begins with.
pub(crate) const NO_TIME: TimeUpdateStrategy = TimeUpdateStrategy::ManualDuration(Duration::ZERO);

/// Lets time pass, a tick per frame, once all requested materials are loaded and all texts have shapes,
/// so that a picture does not depend on how long that takes.
pub(crate) fn wait_for_assets(
    materials: Res<FluidMaterials>,
    unwritten: Query<(), (With<FluidText>, Without<FluidBlob>, Without<FluidCollider>)>,
    mut strategy: ResMut<TimeUpdateStrategy>,
    mut started: Local<bool>,
) {
    if !*started && !materials.are_loading() && unwritten.is_empty() {
        *started = true;
        *strategy = TimeUpdateStrategy::FixedTimesteps(1);
    }
}
