//! Two colours of smoke meet over a ball.

use bevy::prelude::*;
use bevy_blob_fluid::prelude::*;

use super::stage::{Stage, VIEW, at, rgb, rgba, turned};

pub fn show(stage: &mut Stage) {
    stage.camera();
    stage.colors(rgb(0.025, 0.028, 0.05), rgb(0.62, 0.60, 0.66));
    stage.painter.sky(&[(-360.0, rgb(0.10, 0.09, 0.15)), (200.0, rgb(0.035, 0.04, 0.07))]);
    let beam = [(260.0, 400.0), (-260.0, 400.0), (-640.0, -380.0), (640.0, -380.0)];
    stage.painter.beam(beam, rgba(0.80, 0.88, 1.0, 0.24));
    stage.painter.vignette(VIEW, 0.5);
    let mut air = FluidAir::new(VIEW.x, VIEW.y).with_cell_size(4.0).with_open_sides();
    air.settings.smoke_dissipation = 0.05;
    let look = FluidAirLook {
        light: Vec2::new(0.35, -1.0),
        ambient: Color::srgb(0.72, 0.72, 0.80),
        thickness: 2.4,
        shadow: 0.35,
        ..default()
    };
    stage.spawn((air, look, at(0.0, 0.0)));
    stage.spawn((FluidCollider::from(Circle::new(64.0)), at(0.0, -20.0)));
    for (side, color, speed, tilt) in [
        (-1.0, Color::srgb(1.0, 0.35, 0.45), 260.0, 0.58),
        (1.0, Color::srgb(0.25, 0.72, 1.0), 215.0, 0.66),
    ] {
        let nozzle = FluidAirSource::smoke(&Rectangle::new(46.0, 30.0), 7.0)
            .with_color(color)
            .with_heat(0.9)
            .with_wind(Vec2::Y * speed);
        stage.spawn((nozzle, turned(side * 330.0, -345.0, side * tilt)));
    }
}
