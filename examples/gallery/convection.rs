//! Hot liquid rises from plates and sinks where it has cooled; its glow shows its temperature.

use bevy::prelude::*;
use bevy_blob_fluid::prelude::*;

use super::stage::{Stage, VIEW, at, class, rgb, rgba};

pub fn show(stage: &mut Stage) {
    stage.camera();
    stage.colors(rgb(0.04, 0.04, 0.07), rgb(0.24, 0.24, 0.32));
    stage.painter.sky(&[(-360.0, rgb(0.12, 0.07, 0.11)), (360.0, rgb(0.045, 0.05, 0.09))]);
    stage.bands(2.0, 40.0, 0.0, rgba(0.5, 0.6, 0.9, 0.07));
    stage.bands(2.0, 40.0, std::f32::consts::FRAC_PI_2, rgba(0.5, 0.6, 0.9, 0.07));
    for x in [-330.0, 0.0, 330.0] {
        stage.painter.glow((x, -300.0), 420.0, rgba(1.0, 0.45, 0.20, 0.4));
    }
    stage.painter.vignette(VIEW, 0.5);
    stage.settings().parameters.gravity.y = -400.0;
    let thermal = FluidThermal { conductivity: 0.35, expansion: 0.006, ..default() };
    let glycerine = class("glycerine", 1.0, [0.10, 0.13, 0.32]);
    stage.classes(vec![DensityClass { thermal, ..glycerine }]);
    stage.glow(25.0, 110.0);
    let glowing = FluidSurfaceLook {
        opacity: 1.0,
        depth_color: Color::NONE,
        foam_color: Color::NONE,
        glow: 1.0,
        ..default()
    };
    stage.look(glowing, &[]);
    let wall = |temperature| WallProperties { temperature: Some(temperature), ..default() };
    stage.spawn(FluidContainer::from(Rectangle::new(1000.0, 560.0)).with_wall(wall(0.0)));
    for x in [-330.0, 0.0, 330.0] {
        let plate = FluidCollider::from(Rectangle::new(150.0, 24.0)).with_wall(wall(200.0));
        stage.spawn((plate, at(x, -266.0)));
    }
    let liquid = FluidBlob::from(Rectangle::new(990.0, 330.0));
    stage.spawn((liquid, FluidClass::new(0), at(0.0, -85.0)));
}
