//! Pouring by hand.

use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_blob_fluid::FluidSimulation;
use bevy_blob_fluid::blob_fluid::shape::scatter;
use bevy_blob_fluid::blob_fluid::{ClassId, ParticleSpawn};

/// Pours a jet of `drops` particles across, downwards from `nozzle`. To be called once per tick, of
/// `tick` seconds; every other one brings a row, moving fast enough to be out of the next one's way.
///
/// What would be outside of all containers or inside a collider is left out, and so is what there
/// is no room for.
pub fn pour(fluid: &mut FluidSimulation, class: ClassId, nozzle: Vec2, drops: i32, tick: f32) {
    let number = fluid.ticks() as u32;
    if !number.is_multiple_of(2) {
        return;
    }
    let spacing = 1.05 * fluid.parameters().particle_spacing;
    let velocity = Vec2::NEG_Y * spacing / (2.0 * tick);
    for column in 0..drops {
        let across = column as f32 - 0.5 * (drops - 1) as f32;
        let offset = Vec2::X * across + 0.05 * scatter(number + column.unsigned_abs());
        let position = nozzle + offset * spacing;
        let inside = fluid.containers().any(|(_, own)| own.depth(position) > 0.0);
        let blocked = fluid.colliders().any(|(_, own)| own.distance(position) < 0.0);
        if inside && !blocked {
            // A full world takes no more.
            let _ = fluid.spawn(ParticleSpawn { position, velocity, class, ..default() });
        }
    }
}

/// Where the mouse points to in the world.
pub fn pointed_at(
    windows: &Query<&Window, With<PrimaryWindow>>,
    cameras: &Query<(&Camera, &GlobalTransform)>,
) -> Option<Vec2> {
    let cursor = windows.single().ok()?.cursor_position()?;
    let (camera, transform) = cameras.single().ok()?;
    camera.viewport_to_world_2d(transform, cursor).ok()
}
