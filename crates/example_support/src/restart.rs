//! Starting, and starting again.

use bevy::prelude::*;
use bevy_blob_fluid::{
    Fluid, FluidBlob, FluidClock, FluidCollider, FluidMaterials, FluidSimulation, FluidText,
};

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
    fluid.reset_clock();
    blobs.iter().for_each(|blob| commands.entity(blob).despawn());
    true
}

/// Stops the fluid until all materials that were asked for have been loaded, and all texts written.
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
