//! Lava runs down a mountain into the sea, and glows.

use bevy::post_process::bloom::Bloom;
use bevy::prelude::*;
use bevy_blob_fluid::blob_fluid::shape::Polygon;
use bevy_blob_fluid::prelude::*;

use super::stage::{Stage, VIEW, at, turned};

pub fn show(stage: &mut Stage) {
    stage.camera().insert((bevy::camera::Hdr, Bloom::NATURAL));
    stage.colors(Color::srgb(0.035, 0.03, 0.06), Color::srgb(0.13, 0.10, 0.12));
    for (height, color) in [
        (150.0, Color::srgb(0.07, 0.045, 0.09)),
        (30.0, Color::srgb(0.12, 0.06, 0.10)),
        (-70.0, Color::srgb(0.19, 0.08, 0.10)),
    ] {
        stage.paint(Rectangle::new(VIEW.x, 200.0), color, at(0.0, height));
    }
    stage.disc(46.0, Color::srgb(0.85, 0.80, 0.72), at(430.0, 230.0));
    let lava = FluidSurfaceLook::LAVA;
    stage.look(FluidSurfaceLook::WATER, &[("lava", lava), ("stone", lava)]);
    let basin = FluidContainer::from(Rectangle::new(VIEW.x - 40.0, VIEW.y + 200.0));
    stage.spawn((basin, at(0.0, 120.0)));
    let mountain = [
        Vec2::new(-620.0, -460.0),
        Vec2::new(60.0, -460.0),
        Vec2::new(-60.0, -340.0),
        Vec2::new(-200.0, -190.0),
        Vec2::new(-330.0, -110.0),
        Vec2::new(-470.0, 40.0),
        Vec2::new(-620.0, 90.0),
    ];
    let mountain = FluidShape::Polygon(Polygon::new(mountain).expect("an outline"));
    let rough = WallProperties { friction: Some(0.3), ..default() };
    stage.spawn((FluidCollider::new(mountain).with_wall(rough), at(0.0, 120.0)));
    let sea = FluidBlob::from(Rectangle::new(540.0, 200.0));
    stage.spawn((sea, FluidMadeOf::WATER, at(330.0, -235.0)));
    let vent = FluidEmitter::jet(60.0, 130.0);
    stage.spawn((vent, FluidMadeOf::LAVA, turned(-580.0, 290.0, -2.0)));
}
