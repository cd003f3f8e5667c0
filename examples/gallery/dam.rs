//! A dam has broken: the water meets a step, and sprays.

use bevy::prelude::*;
use bevy_blob_fluid::prelude::*;

use super::stage::{Stage, VIEW, at, class};

pub fn show(stage: &mut Stage) {
    stage.camera();
    stage.colors(Color::srgb(0.05, 0.09, 0.16), Color::srgb(0.22, 0.27, 0.36));
    let tiles = [
        Color::srgb(0.10, 0.17, 0.28),
        Color::srgb(0.12, 0.20, 0.32),
        Color::srgb(0.09, 0.15, 0.25),
        Color::srgb(0.15, 0.25, 0.38),
    ];
    stage.tiles(80.0, &tiles);
    *stage.settings() = FluidSettings::new(7.9, Vec2::new(0.0, -600.0));
    stage.classes(vec![class("water", 1.0, [0.20, 0.58, 0.86])]);
    stage.look(FluidSurfaceLook::WATER, &[]);
    let basin = FluidContainer::from(Rectangle::new(VIEW.x - 40.0, VIEW.y + 400.0));
    stage.spawn((basin, at(0.0, 220.0)));
    stage.spawn((FluidCollider::from(Rectangle::new(180.0, 70.0)), at(240.0, -305.0)));
    let water = FluidBlob::from(Rectangle::new(620.0, 560.0));
    stage.spawn((water, FluidClass::new(0), at(-305.0, -55.0)));
}
