//! Honey folds onto a plate.

use bevy::prelude::*;
use bevy_blob_fluid::blob_fluid::shape::Polyline;
use bevy_blob_fluid::prelude::*;

use super::stage::{Stage, VIEW, at, class, rgb, rgba, turned};

pub fn show(stage: &mut Stage) {
    stage.camera();
    stage.colors(rgb(0.97, 0.93, 0.84), rgb(0.36, 0.46, 0.55));
    stage.painter.sky(&[(-360.0, rgb(0.62, 0.72, 0.74)), (360.0, rgb(0.90, 0.92, 0.88))]);
    stage.bands(40.0, 96.0, 0.0, rgba(1.0, 0.97, 0.88, 0.35));
    stage.painter.glow((-380.0, 320.0), 720.0, rgba(1.0, 0.97, 0.86, 0.85));
    stage.write("HONEY", 250.0, rgba(0.33, 0.44, 0.50, 0.55), at(0.0, -40.0));
    stage.painter.glow((20.0, -345.0), 420.0, rgba(0.10, 0.16, 0.20, 0.45));
    stage.painter.vignette(VIEW, 0.35);
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
