//! Honey folds onto a plate.

use bevy::prelude::*;
use bevy_blob_fluid::blob_fluid::shape::Polyline;
use bevy_blob_fluid::prelude::*;

use super::stage::{Stage, at, class, turned};

pub fn show(stage: &mut Stage) {
    stage.camera();
    stage.colors(Color::srgb(0.97, 0.93, 0.84), Color::srgb(0.32, 0.42, 0.52));
    let cloth = [Color::srgb(0.97, 0.93, 0.84), Color::srgb(0.82, 0.87, 0.88)];
    stage.stripes(56.0, 0.0, &cloth);
    stage.write("HONEY", 250.0, Color::srgb(0.55, 0.62, 0.66), at(0.0, -40.0));
    // The stream leaves the nozzle row by row.
    stage.look(FluidSurface { smoothing: 3.2, ..FluidSurfaceLook::HONEY.into() }, &[]);
    stage.settings().parameters.gravity.y = -250.0;
    let rim = [(-300.0, 50.0), (-210.0, 0.0), (210.0, 0.0), (300.0, 50.0)];
    let plate = FluidShape::Polyline(Polyline::new(rim.map(Vec2::from), 16.0).expect("a line"));
    let sticky = WallProperties { friction: Some(0.9), ..default() };
    stage.spawn((FluidCollider::new(plate).with_wall(sticky), at(0.0, -290.0)));
    stage.classes(vec![DensityClass {
        viscosity: Some(ClassViscosity { approach: 1.0, quadratic: 0.2, linear: 30.0 }),
        ..class("honey", 1.0, [0.95, 0.55, 0.04])
    }]);
    let down = std::f32::consts::PI;
    stage.spawn((FluidEmitter::jet(58.0, 190.0), FluidClass::new(0), turned(0.0, 360.0, down)));
}
