//! Pouring by hand.

use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_blob_fluid::FluidSimulation;
use bevy_blob_fluid::blob_fluid::shape::scatter;
use bevy_blob_fluid::blob_fluid::{ClassId, ParticleSpawn};

/// Pours a jet `drops` particles wide, downwards from `nozzle`. Call it once per tick of `tick`
/// seconds. Every second tick adds a row, which moves fast enough to make room for the next.
///
/// Particles that would be outside of all containers, inside a collider, or too many for the world
/// are left out.
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
            // A full world accepts no more particles.
            let _ = fluid.spawn(ParticleSpawn { position, velocity, class, ..default() });
        }
    }
}

/// Position of the mouse in the world.
pub fn pointed_at(
    windows: &Query<&Window, With<PrimaryWindow>>,
    cameras: &Query<(&Camera, &GlobalTransform)>,
) -> Option<Vec2> {
    let cursor = windows.single().ok()?.cursor_position()?;
    let (camera, transform) = cameras.single().ok()?;
    camera.viewport_to_world_2d(transform, cursor).ok()
}
