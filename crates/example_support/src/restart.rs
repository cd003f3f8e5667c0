//! Start and restart of a scene.

use bevy::prelude::*;
use bevy_blob_fluid::{
    Fluid, FluidBlob, FluidClock, FluidCollider, FluidMaterials, FluidSimulation, FluidText,
};

/// When R is pressed, removes all liquid. Returns whether it was pressed, for a system that fills
/// the scene again.
pub fn restart(
    keys: Res<ButtonInput<KeyCode>>,
    mut commands: Commands,
    blobs: Query<Entity, With<FluidBlob>>,
    mut fluid: ResMut<FluidSimulation>,
) -> bool {
    if !keys.just_pressed(KeyCode::KeyR) {
        return false;
    }
    fluid.clear();
    fluid.reset_clock();
    blobs.iter().for_each(|blob| commands.entity(blob).despawn());
    true
}

/// Pauses the fluid until all requested materials are loaded and all texts have shapes.
pub fn wait_for_assets(
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
