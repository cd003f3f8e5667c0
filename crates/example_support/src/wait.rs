//! The beginning of a run without a window.

use bevy::prelude::*;
use bevy_blob_fluid::{Fluid, FluidBlob, FluidClock, FluidCollider, FluidMaterials, FluidText};

/// Pauses the fluid until all requested materials are loaded and all texts have shapes, so that a
/// picture does not depend on how long that takes.
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
