//! Starting, and starting again.

use bevy::prelude::*;
use bevy_blob_fluid::{Fluid, FluidBlob, FluidClock, FluidMaterials, FluidSimulation};

/// When R is pressed, takes all liquid away; says whether it was, to be piped into what fills anew.
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
    fluid.restart_clock();
    blobs.iter().for_each(|blob| commands.entity(blob).despawn());
    true
}

/// Stops the fluid until all materials that were asked for have been loaded.
pub fn wait_for_materials(
    materials: Res<FluidMaterials>,
    mut time: ResMut<Time<Fluid>>,
    mut started: Local<bool>,
) {
    if *started {
        return;
    }
    *started = !materials.are_loading();
    if *started {
        time.unpause();
    } else {
        time.pause();
    }
}
