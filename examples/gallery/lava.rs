//! Lava runs down a mountain into the sea, and glows.

use bevy::post_process::bloom::Bloom;
use bevy::prelude::*;
use bevy_blob_fluid::blob_fluid::shape::Polygon;
use bevy_blob_fluid::prelude::*;

use super::super::{Painter, Silhouette};
use super::stage::{Stage, VIEW, at, rgb, rgba, turned};

pub fn show(stage: &mut Stage) {
    stage.camera().insert((bevy::camera::Hdr, Bloom::NATURAL));
    stage.colors(rgb(0.035, 0.03, 0.06), rgb(0.13, 0.10, 0.12));
    scenery(&mut stage.painter);
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

fn scenery(painter: &mut Painter) {
    painter.sky(&[
        (-200.0, rgb(0.34, 0.12, 0.13)),
        (120.0, rgb(0.13, 0.07, 0.14)),
        (360.0, rgb(0.045, 0.04, 0.09)),
    ]);
    painter.scatter(Rect::new(-640.0, 0.0, 640.0, 360.0), 130, 4.5, rgba(0.85, 0.85, 1.0, 0.8));
    painter.glow((430.0, 230.0), 200.0, rgba(0.80, 0.80, 0.95, 0.4));
    painter.disc((430.0, 230.0), 46.0, rgb(0.87, 0.84, 0.80));
    painter.disc((414.0, 242.0), 10.0, rgb(0.76, 0.73, 0.72));
    painter.disc((446.0, 220.0), 7.0, rgb(0.77, 0.74, 0.73));
    painter.ridge(
        Silhouette::Hills,
        [-350.0, -40.0],
        [rgb(0.20, 0.08, 0.12), rgb(0.36, 0.13, 0.13)],
    );
    painter.ridge(
        Silhouette::Rocks,
        [-350.0, -120.0],
        [rgb(0.11, 0.05, 0.08), rgb(0.24, 0.09, 0.10)],
    );
    painter.glow((40.0, -250.0), 480.0, rgba(1.0, 0.40, 0.10, 0.4));
    painter.vignette(VIEW, 0.45);
}
