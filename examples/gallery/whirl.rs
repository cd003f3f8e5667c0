//! A whirl in a round basin: coloured by speed.

use bevy::prelude::*;
use bevy_blob_fluid::prelude::*;

use super::stage::{Stage, at, class, turned};

pub fn show(stage: &mut Stage) {
    stage.camera();
    stage.colors(Color::srgb(0.93, 0.93, 0.95), Color::srgb(0.24, 0.24, 0.32));
    stage.settings().parameters.gravity = Vec2::ZERO;
    stage.classes(vec![class("water", 1.0, [0.25, 0.45, 0.80])]);
    stage.look(SurfaceLook { opacity: 1.0, foam_color: Color::NONE, ..default() }, &[]);
    stage.spawn(FluidContainer::from(Circle::new(330.0)));
    for (x, y, angle) in [(150.0, 0.0, 0.4), (-75.0, 130.0, 2.5), (-75.0, -130.0, 4.6)] {
        stage.spawn((FluidCollider::from(Capsule2d::new(16.0, 70.0)), turned(x, y, angle)));
    }
    stage.spawn((FluidBlob::from(Circle::new(322.0)), FluidClass(ClassId(0))));
    stage.spawn((FluidForce::vortex(420.0, 150.0), at(0.0, 0.0)));
}
