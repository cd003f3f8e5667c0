//! Three layers in a round bowl on a table, before striped wallpaper.

use bevy::prelude::*;
use bevy_blob_fluid::prelude::*;

use super::stage::{Stage, VIEW, at, class, rgb, rgba};

const RADIUS: f32 = 320.0;

pub fn show(stage: &mut Stage) {
    stage.camera();
    stage.colors(rgb(0.93, 0.88, 0.80), rgba(0.55, 0.50, 0.56, 0.45));
    scenery(stage);
    *stage.settings() = FluidSettings::new(7.9, Vec2::new(0.0, -700.0));
    stage.classes(vec![
        class("syrup", 1.5, [0.78, 0.16, 0.27]),
        class("juice", 1.0, [0.96, 0.56, 0.16]),
        class("cream", 0.6, [0.99, 0.91, 0.72]),
    ]);
    stage.look(FluidSurfaceLook { opacity: 0.88, refraction: 0.6, ..default() }, &[]);
    stage.spawn(FluidContainer::from(Circle::new(RADIUS)));
    for (class, x, width) in [(1, -175.0, 170.0), (0, 0.0, 170.0), (2, 175.0, 170.0)] {
        let column = FluidBlob::from(Rectangle::new(width, 430.0));
        stage.spawn((column, FluidClass::new(class), at(x, -10.0)));
    }
}

fn scenery(stage: &mut Stage) {
    stage.painter.sky(&[(-300.0, rgb(0.10, 0.24, 0.27)), (360.0, rgb(0.20, 0.42, 0.44))]);
    stage.bands(34.0, 80.0, std::f32::consts::FRAC_PI_2, rgba(0.75, 0.95, 0.92, 0.07));
    let painter = &mut stage.painter;
    painter.glow((-470.0, 330.0), 760.0, rgba(1.0, 0.96, 0.84, 0.35));
    painter.panel(
        (0.0, -330.0),
        (VIEW.x * 2.0, 60.0),
        [rgb(0.52, 0.31, 0.24), rgb(0.33, 0.18, 0.15)],
    );
    painter.board((0.0, -306.0), (VIEW.x * 2.0, 16.0), rgb(0.66, 0.42, 0.31));
    painter.glow((40.0, -318.0), 330.0, rgba(0.16, 0.06, 0.05, 0.55));
    painter.shape(
        &[(150.0, -352.0), (118.0, -290.0), (-118.0, -290.0), (-150.0, -352.0)],
        10.0,
        [rgb(0.42, 0.33, 0.36), rgb(0.24, 0.18, 0.22)],
    );
    painter.in_front();
    painter.glass(Vec2::ZERO, RADIUS);
    painter.vignette(VIEW, 0.4);
}
