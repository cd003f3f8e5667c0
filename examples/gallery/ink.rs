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
    stage.classes(FluidClasses {
        classes: vec![
            class("water", 1.0, [0.62, 0.83, 0.92]),
            class("ink", 1.08, [0.16, 0.10, 0.45]),
            DensityClass { surface_tension: 0.6, ..class("oil", 0.8, [0.95, 0.72, 0.18]) },
        ],
        pairs: vec![
            ClassPair { cohesion: 0.4, ..ClassPair::new("water", "ink") },
            ClassPair { cohesion: -0.8, ..ClassPair::new("water", "oil") },
            ClassPair { cohesion: -0.8, ..ClassPair::new("ink", "oil") },
        ],
    });
    let oil = FluidSurfaceLook { opacity: 0.9, refraction: 0.8, specular: 0.9, ..default() };
    let clear = FluidSurfaceLook {
        opacity: 0.75,
        depth_color: Color::srgba(0.05, 0.10, 0.30, 0.25),
        caustics: 0.2,
        foam_color: Color::NONE,
        ..FluidSurfaceLook::WATER
    };
    // This makes ink spread in clouds instead of drops.
    let surface = FluidSurface { smoothing: 3.4, ..clear.into() };
    stage.look(surface, &[("oil", oil)]);
    stage.spawn((FluidContainer::from(Rectangle::new(860.0, 640.0)), at(0.0, 0.0)));
    let water = FluidBlob::from(Rectangle::new(840.0, 340.0));
    stage.spawn((water, FluidClass::new(0), at(0.0, -145.0)));
    let down = std::f32::consts::PI;
    stage.spawn((
        FluidEmitter::jet(36.0, 200.0).with_limit(560),
        FluidClass::new(1),
        turned(-190.0, 250.0, down),
    ));
    stage.spawn((
        FluidEmitter::jet(36.0, 160.0).with_limit(420),
        FluidClass::new(2),
        turned(210.0, 250.0, down),
    ));
}
