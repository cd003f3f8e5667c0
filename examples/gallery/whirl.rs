//! Two whirls in a round basin: coloured by speed.

use bevy::prelude::*;
use bevy_blob_fluid::prelude::*;

use super::stage::{Stage, at, class};

pub fn show(stage: &mut Stage) {
    stage.camera();
    stage.colors(Color::srgb(0.93, 0.93, 0.95), Color::srgb(0.24, 0.24, 0.32));
    stage.settings().parameters.gravity = Vec2::ZERO;
    stage.classes(vec![class("water", 1.0, [0.25, 0.45, 0.80])]);
    stage.look(SurfaceLook { opacity: 1.0, foam_color: Color::NONE, ..default() }, &[]);
    stage.spawn(FluidContainer::from(Circle::new(330.0)));
    stage.spawn((FluidBlob::from(Circle::new(326.0)), FluidClass(ClassId(0))));
    for (x, acceleration) in [(-140.0, 40.0), (140.0, -40.0)] {
        stage.spawn((FluidForce::vortex(190.0, acceleration), at(x, 0.0)));
    }
}
