//! Three layers in a round bowl, before striped wallpaper.

use bevy::prelude::*;
use bevy_blob_fluid::prelude::*;

use super::stage::{Stage, at, class};

const RADIUS: f32 = 320.0;

pub fn show(stage: &mut Stage) {
    stage.camera();
    stage.colors(Color::srgb(0.93, 0.88, 0.80), Color::srgb(0.28, 0.22, 0.26));
    let paper = [Color::srgb(0.93, 0.88, 0.80), Color::srgb(0.90, 0.76, 0.66)];
    stage.stripes(40.0, 0.6, &paper);
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
