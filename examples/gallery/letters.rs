//! Words of jelly have fallen on a shelf, and wobble.

use bevy::prelude::*;
use bevy_blob_fluid::prelude::*;

use super::stage::{Stage, VIEW, at, class};

pub fn show(stage: &mut Stage) {
    stage.camera();
    stage.colors(Color::srgb(0.99, 0.80, 0.30), Color::srgb(0.55, 0.20, 0.30));
    let rays = [Color::srgb(0.99, 0.80, 0.30), Color::srgb(0.98, 0.74, 0.22)];
    stage.stripes(70.0, 0.9, &rays);
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
