//! A fountain over stones.

use bevy::prelude::*;
use bevy_blob_fluid::blob_fluid::shape::Polygon;
use bevy_blob_fluid::prelude::*;

use super::stage::{Stage, VIEW, at, class, turned};

pub fn show(stage: &mut Stage) {
    stage.camera();
    stage.colors(Color::srgb(0.55, 0.74, 0.78), Color::srgb(0.40, 0.37, 0.36));
    let sky = [
        Color::srgb(0.98, 0.86, 0.70),
        Color::srgb(0.93, 0.85, 0.75),
        Color::srgb(0.80, 0.83, 0.80),
        Color::srgb(0.66, 0.79, 0.81),
    ];
    for (number, color) in sky.into_iter().enumerate() {
        let height = 0.25 * VIEW.y;
        let transform = at(0.0, (number as f32 - 1.5) * height);
        stage.paint(Rectangle::new(VIEW.x, height + 1.0), color, transform);
    }
    for (x, y, radius, color) in [
        (-420.0, -150.0, 260.0, Color::srgb(0.47, 0.62, 0.52)),
        (80.0, -220.0, 300.0, Color::srgb(0.42, 0.57, 0.48)),
        (520.0, -130.0, 240.0, Color::srgb(0.50, 0.65, 0.54)),
    ] {
        stage.disc(radius, color, at(x, y));
    }
    *stage.settings() = FluidSettings::new(7.9, Vec2::new(0.0, -400.0));
    stage.classes(vec![class("water", 1.0, [0.30, 0.66, 0.84])]);
    stage.look(FluidSurfaceLook { caustics: 1.0, ..FluidSurfaceLook::WATER }, &[]);
    stage.spawn((FluidContainer::from(Rectangle::new(VIEW.x - 120.0, 1100.0)), at(0.0, 240.0)));
    let water = FluidBlob::from(Rectangle::new(VIEW.x - 140.0, 90.0));
    stage.spawn((water, FluidClass::new(0), at(0.0, -262.0)));
    for (x, y, size) in [
        (-430.0, -276.0, 70.0),
        (-300.0, -256.0, 105.0),
        (-130.0, -280.0, 60.0),
        (140.0, -277.0, 66.0),
        (310.0, -250.0, 112.0),
        (455.0, -282.0, 58.0),
    ] {
        let stone = FluidShape::Polygon(stone(size));
        stage.spawn((FluidCollider::new(stone), at(x, y)));
    }
    stage.spawn((FluidCollider::from(Rectangle::new(70.0, 190.0)), at(0.0, -215.0)));
    stage.paint(Rectangle::new(VIEW.x, 60.0), Color::srgb(0.30, 0.28, 0.27), at(0.0, -340.0));
    for (x, angle) in [(-24.0, 0.32), (24.0, -0.32)] {
        let jet = FluidEmitter::jet(20.0, 580.0).with_spread(0.03);
        stage.spawn((jet, FluidClass::new(0), turned(x, -108.0, angle)));
    }
}

/// A boulder of nine corners and about the given size.
fn stone(size: f32) -> Polygon {
    let corners = [
        (-1.00, -0.55),
        (1.00, -0.55),
        (1.04, -0.10),
        (0.80, 0.32),
        (0.42, 0.56),
        (-0.05, 0.66),
        (-0.52, 0.52),
        (-0.86, 0.20),
        (-1.05, -0.18),
    ];
    Polygon::new(corners.map(|corner| size * Vec2::from(corner))).expect("an outline")
}
