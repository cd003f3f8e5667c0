//! Ink blends into water; oil does not.

use bevy::prelude::*;
use bevy_blob_fluid::prelude::*;

use super::stage::{Stage, VIEW, at, class, rgb, rgba, turned};

pub fn show(stage: &mut Stage) {
    stage.camera();
    stage.colors(rgb(0.95, 0.94, 0.90), rgb(0.20, 0.22, 0.28));
    stage.painter.sky(&[(0.0, rgb(0.72, 0.70, 0.66))]);
    stage.tiles(Vec2::splat(72.0), rgb(0.90, 0.885, 0.85), 0.03);
    stage.painter.glow((-420.0, 330.0), 800.0, rgba(1.0, 1.0, 0.96, 0.8));
    stage.painter.board((0.0, -350.0), (VIEW.x * 2.0, 60.0), rgb(0.46, 0.36, 0.30));
    stage.painter.vignette(VIEW, 0.35);
    let water = DensityClass {
        paint: Some(FluidPaint { color: [0.60, 0.84, 0.93], diffusion: 0.012 }),
        ..class("water", 1.0, [1.0; 3])
    };
    let oil = DensityClass { surface_tension: 0.9, ..class("oil", 0.8, [0.95, 0.72, 0.18]) };
    stage.classes(FluidClasses {
        classes: vec![water, oil],
        pairs: vec![ClassPair { cohesion: -0.8, ..ClassPair::new("water", "oil") }],
    });
    let oil = FluidSurfaceLook { opacity: 0.95, refraction: 0.8, specular: 0.9, ..default() };
    let clear = FluidSurfaceLook {
        opacity: 0.82,
        depth_color: Color::srgba(0.05, 0.10, 0.30, 0.25),
        caustics: 0.2,
        foam_color: Color::NONE,
        ..FluidSurfaceLook::WATER
    };
    stage.look(clear, &[("oil", oil)]);
    stage.spawn((FluidContainer::from(Rectangle::new(1200.0, 690.0)), at(0.0, 10.0)));
    let water = FluidBlob::from(Rectangle::new(1180.0, 480.0));
    stage.spawn((water, FluidClass::new(0), at(0.0, -90.0)));
    let down = std::f32::consts::PI;
    let ink = FluidEmitter::jet(24.0, 260.0).with_limit(900).with_paint(rgb(0.16, 0.06, 0.42));
    stage.spawn((ink, FluidClass::new(0), turned(-420.0, 340.0, down + 0.3)));
    // Slow eddies, which draw the ink out.
    for (x, y, acceleration) in [(-230.0, -90.0, -70.0), (70.0, -140.0, 60.0)] {
        stage.spawn((FluidForce::vortex(210.0, acceleration), at(x, y)));
    }
    let oil = FluidEmitter::jet(44.0, 200.0).with_limit(500);
    stage.spawn((oil, FluidClass::new(1), turned(290.0, 340.0, down)));
}
