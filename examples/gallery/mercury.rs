//! Beads of mercury on a table.

use bevy::prelude::*;
use bevy_blob_fluid::prelude::*;

use super::stage::{Stage, VIEW, at, class, rgb, rgba};

pub fn show(stage: &mut Stage) {
    stage.camera();
    stage.colors(rgb(0.16, 0.07, 0.08), rgb(0.36, 0.20, 0.13));
    stage.painter.sky(&[(-240.0, rgb(0.17, 0.04, 0.06)), (360.0, rgb(0.30, 0.08, 0.10))]);
    stage.bands(30.0, 66.0, std::f32::consts::FRAC_PI_2, rgba(0.55, 0.14, 0.17, 0.22));
    stage.painter.glow((-330.0, 260.0), 640.0, rgba(1.0, 0.74, 0.50, 0.5));
    stage.painter.board((0.0, -240.0), (VIEW.x * 2.0, 12.0), rgb(0.58, 0.34, 0.22));
    stage.painter.vignette(VIEW, 0.5);
    let dry = WallProperties { friction: Some(0.1), wetting: 0.0, ..default() };
    stage.spawn((
        FluidCollider::from(Rectangle::new(VIEW.x + 40.0, 160.0)).with_wall(dry),
        at(0.0, -320.0),
    ));
    stage.look(FluidSurface { smoothing: 3.2, ..FluidSurfaceLook::MERCURY.into() }, &[]);
    stage.settings().parameters.gravity.y = -14.0;
    stage.classes(vec![DensityClass {
        surface_tension: 2.6,
        viscosity: Some(ClassViscosity { linear: 0.3, ..default() }),
        ..class("mercury", 1.0, [0.78, 0.80, 0.84])
    }]);
    for (x, y, radius) in [
        (-505.0, -150.0, 74.0),
        (-372.0, -205.0, 30.0),
        (-215.0, -110.0, 118.0),
        (-40.0, -195.0, 42.0),
        (-75.0, 190.0, 38.0),
        (130.0, -140.0, 94.0),
        (272.0, -208.0, 26.0),
        (352.0, -190.0, 44.0),
        (520.0, -130.0, 100.0),
    ] {
        let bead = FluidBlob::from(Circle::new(radius));
        stage.spawn((bead, FluidClass::new(0), at(x, y)));
    }
}
