//! A dam has broken: the water meets a step, and sprays.

use bevy::prelude::*;
use bevy_blob_fluid::prelude::*;

use super::stage::{Stage, VIEW, at, class, rgb, rgba};

pub fn show(stage: &mut Stage) {
    stage.camera();
    stage.colors(rgb(0.05, 0.09, 0.16), rgb(0.30, 0.34, 0.42));
    stage.painter.sky(&[(0.0, rgb(0.22, 0.16, 0.14))]);
    stage.tiles(Vec2::new(128.0, 64.0), rgb(0.34, 0.26, 0.23), 0.04);
    for x in [-400.0, 0.0, 400.0] {
        stage.painter.glow((x, 330.0), 460.0, rgba(1.0, 0.80, 0.56, 0.30));
        stage.painter.board((x, 345.0), (150.0, 14.0), rgb(1.0, 0.93, 0.80));
    }
    stage.painter.vignette(VIEW, 0.55);
    *stage.settings() = FluidSettings::new(7.9, Vec2::new(0.0, -600.0));
    stage.classes(vec![class("water", 1.0, [0.20, 0.58, 0.86])]);
    stage.look(FluidSurfaceLook::WATER, &[]);
    let basin = FluidContainer::from(Rectangle::new(VIEW.x - 40.0, VIEW.y + 400.0));
    stage.spawn((basin, at(0.0, 220.0)));
    stage.spawn((FluidCollider::from(Rectangle::new(180.0, 70.0)), at(240.0, -305.0)));
    let water = FluidBlob::from(Rectangle::new(620.0, 560.0));
    stage.spawn((water, FluidClass::new(0), at(-305.0, -55.0)));
}
