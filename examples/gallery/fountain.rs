//! A fountain over stones.

use bevy::prelude::*;
use bevy_blob_fluid::blob_fluid::shape::Polygon;
use bevy_blob_fluid::prelude::*;

use super::super::{Painter, Silhouette};
use super::stage::{Stage, VIEW, at, class, rgb, rgba, turned};

pub fn show(stage: &mut Stage) {
    stage.camera();
    stage.colors(rgb(0.55, 0.74, 0.78), rgb(0.46, 0.43, 0.42));
    scenery(&mut stage.painter);
    *stage.settings() = FluidSettings::new(7.9, Vec2::new(0.0, -400.0));
    stage.classes(vec![class("water", 1.0, [0.30, 0.66, 0.84])]);
    stage.look(FluidSurfaceLook { caustics: 0.3, ..FluidSurfaceLook::WATER }, &[]);
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
    for (x, angle) in [(-24.0, 0.32), (24.0, -0.32)] {
        let jet = FluidEmitter::jet(20.0, 580.0).with_spread(0.03);
        stage.spawn((jet, FluidClass::new(0), turned(x, -108.0, angle)));
    }
}

fn scenery(painter: &mut Painter) {
    painter.sky(&[
        (-260.0, rgb(0.99, 0.90, 0.74)),
        (60.0, rgb(0.76, 0.87, 0.88)),
        (360.0, rgb(0.42, 0.68, 0.84)),
    ]);
    painter.glow((300.0, 180.0), 420.0, rgba(1.0, 0.97, 0.82, 0.8));
    painter.ridge(
        Silhouette::Hills,
        [-330.0, 40.0],
        [rgb(0.55, 0.72, 0.70), rgb(0.80, 0.86, 0.78)],
    );
    painter.ridge(
        Silhouette::Leaves,
        [-330.0, -30.0],
        [rgb(0.34, 0.56, 0.42), rgb(0.62, 0.74, 0.56)],
    );
    painter.ridge(
        Silhouette::Leaves,
        [-330.0, -120.0],
        [rgb(0.22, 0.43, 0.33), rgb(0.42, 0.60, 0.42)],
    );
    painter.panel(
        (0.0, -340.0),
        (VIEW.x * 2.0, 60.0),
        [rgb(0.44, 0.40, 0.38), rgb(0.24, 0.22, 0.22)],
    );
    painter.vignette(VIEW, 0.35);
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
