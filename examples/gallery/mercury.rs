//! Beads of mercury on a table.

use bevy::prelude::*;
use bevy_blob_fluid::prelude::*;

use super::stage::{Stage, VIEW, at, class};

pub fn show(stage: &mut Stage) {
    stage.camera();
    stage.colors(Color::srgb(0.16, 0.07, 0.08), Color::srgb(0.36, 0.20, 0.13));
    let wall = [Color::srgb(0.30, 0.09, 0.11), Color::srgb(0.25, 0.07, 0.09)];
    stage.stripes(48.0, std::f32::consts::FRAC_PI_2, &wall);
    let dry = WallProperties { friction: Some(0.1), wetting: 0.0, ..default() };
    stage.spawn((
        FluidCollider::from(Rectangle::new(VIEW.x + 40.0, 160.0)).with_wall(dry),
        at(0.0, -320.0),
    ));
    stage.look(FluidSurfaceLook::MERCURY, &[]);
    stage.settings().parameters.gravity.y = -14.0;
    stage.classes(vec![DensityClass {
        surface_tension: 2.6,
        viscosity: Some(ClassViscosity { linear: 0.3, ..default() }),
        ..class("mercury", 1.0, [0.78, 0.80, 0.84])
    }]);
    for (x, y, radius) in [
        (-520.0, -190.0, 46.0),
        (-405.0, -215.0, 22.0),
        (-250.0, -160.0, 76.0),
        (-95.0, -208.0, 30.0),
        (-60.0, 120.0, 26.0),
        (95.0, -175.0, 60.0),
        (235.0, -215.0, 20.0),
        (300.0, -205.0, 32.0),
        (480.0, -165.0, 70.0),
        (596.0, -215.0, 22.0),
    ] {
        let bead = FluidBlob::from(Circle::new(radius));
        stage.spawn((bead, FluidClass::new(0), at(x, y)));
    }
}
