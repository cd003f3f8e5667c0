//! Beads of mercury on a table.

use bevy::prelude::*;
use bevy_blob_fluid::prelude::*;

use super::stage::{Stage, VIEW, at};

pub fn show(stage: &mut Stage) {
    stage.camera();
    stage.colors(Color::srgb(0.16, 0.07, 0.08), Color::srgb(0.36, 0.20, 0.13));
    let wall = [Color::srgb(0.30, 0.09, 0.11), Color::srgb(0.25, 0.07, 0.09)];
    stage.stripes(48.0, std::f32::consts::FRAC_PI_2, &wall);
    let dry = Surface { friction: Some(0.1), wetting: 0.0, ..default() };
    stage.spawn((
        FluidCollider::from(Rectangle::new(VIEW.x + 40.0, 160.0)).with_surface(dry),
        at(0.0, -320.0),
    ));
    let metal = SurfaceLook {
        opacity: 1.0,
        outline_color: Color::srgba(0.05, 0.05, 0.08, 0.8),
        rim_light: 0.9,
        depth_color: Color::srgba(0.22, 0.23, 0.28, 0.75),
        depth: 5.0,
        specular: 1.8,
        gloss: 0.9,
        foam_color: Color::NONE,
        ..default()
    };
    stage.look(metal, &[]);
    stage.settings().parameters.gravity.y = -120.0;
    for (x, y, radius) in [
        (-470.0, -150.0, 62.0),
        (-330.0, -190.0, 30.0),
        (-215.0, -100.0, 90.0),
        (-40.0, -185.0, 36.0),
        (30.0, 90.0, 24.0),
        (120.0, -140.0, 74.0),
        (265.0, -190.0, 28.0),
        (350.0, -170.0, 46.0),
        (500.0, -120.0, 84.0),
    ] {
        let mercury = stage.made_of("mercury");
        stage.spawn((FluidBlob::from(Circle::new(radius)), mercury, at(x, y)));
    }
}
