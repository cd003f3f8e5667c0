//! Words of jelly have fallen on a shelf, and wobble.

use bevy::prelude::*;
use bevy_blob_fluid::prelude::*;

use super::stage::{Stage, VIEW, at, class, rgb, rgba};

pub fn show(stage: &mut Stage) {
    stage.camera();
    stage.colors(rgb(0.99, 0.80, 0.30), rgb(0.55, 0.20, 0.30));
    stage.painter.sky(&[(-360.0, rgb(0.98, 0.62, 0.25)), (360.0, rgb(1.0, 0.86, 0.42))]);
    for number in 0..14 {
        let far = |turn: f32| {
            let way =
                1400.0 * Vec2::from_angle(std::f32::consts::PI * (number as f32 + turn) / 14.0);
            (way.x, -320.0 + way.y)
        };
        let pale = rgba(1.0, 0.95, 0.70, 0.3);
        stage.painter.shape(&[(0.0, -320.0), far(0.0), far(0.5)], 0.0, [pale; 2]);
    }
    stage.painter.glow((0.0, -320.0), 700.0, rgba(1.0, 0.98, 0.82, 0.7));
    stage.painter.vignette(VIEW, 0.35);
    stage.settings().parameters.gravity.y = -160.0;
    let jelly = |name, color| DensityClass {
        elasticity: Some(FluidElasticity { stiffness: 500.0, ..default() }),
        ..class(name, 1.0, color)
    };
    stage.classes(vec![jelly("raspberry", [0.88, 0.13, 0.36]), jelly("mint", [0.13, 0.66, 0.50])]);
    let jelly = FluidSurfaceLook {
        opacity: 0.85,
        rim_light: 0.8,
        specular: 1.1,
        refraction: 1.0,
        foam_color: Color::NONE,
        ..default()
    };
    stage.look(jelly, &[]);
    let grip = WallProperties { friction: Some(0.6), ..default() };
    stage.spawn((
        FluidCollider::from(Rectangle::new(VIEW.x + 40.0, 60.0)).with_wall(grip),
        at(0.0, -335.0),
    ));
    for (text, class, y, size) in [("JELLY", 0, -160.0, 360.0), ("blob", 1, 150.0, 260.0)] {
        let letters = FluidText::new(text, size, FluidBlob::default());
        stage.spawn((letters, FluidClass::new(class), at(0.0, y)));
    }
}
