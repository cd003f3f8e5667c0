//! Two columns collapse onto each other, simulated by smoothed particle hydrodynamics.

use bevy::prelude::*;
use bevy_blob_fluid::prelude::*;

use super::stage::{Stage, VIEW, at, class, rgb, rgba};

pub fn show(stage: &mut Stage) {
    stage.camera();
    stage.colors(rgb(0.055, 0.05, 0.11), rgb(0.27, 0.24, 0.40));
    stage.painter.sky(&[
        (-360.0, rgb(0.20, 0.09, 0.22)),
        (100.0, rgb(0.08, 0.06, 0.15)),
        (360.0, rgb(0.04, 0.035, 0.09)),
    ]);
    stage.painter.scatter(
        Rect::new(-640.0, -60.0, 640.0, 360.0),
        120,
        4.0,
        rgba(0.85, 0.80, 1.0, 0.8),
    );
    stage.painter.glow((0.0, 60.0), 480.0, rgba(0.75, 0.35, 0.85, 0.45));
    for (radius, alpha) in [(210.0, 0.10), (206.0, 0.25), (120.0, 0.10)] {
        stage.painter.disc((0.0, 60.0), radius, rgba(0.93, 0.62, 0.72, alpha));
    }
    stage.painter.vignette(VIEW, 0.5);
    let settings = stage.settings();
    *settings = FluidSettings::new(7.5, Vec2::new(0.0, -600.0));
    settings.parameters.solver = FluidSolver::Sph;
    stage.classes(vec![
        class("rose", 1.0, [0.93, 0.33, 0.45]),
        class("amber", 1.0, [0.97, 0.69, 0.26]),
    ]);
    stage.look(FluidSurfaceLook::WATER, &[]);
    let basin = FluidContainer::from(Rectangle::new(VIEW.x - 40.0, VIEW.y + 400.0));
    stage.spawn((basin, at(0.0, 220.0)));
    stage.spawn((FluidCollider::from(Circle::new(46.0)), at(0.0, -230.0)));
    for (side, number) in [(-1.0, 0), (1.0, 1)] {
        let column = FluidBlob::from(Rectangle::new(250.0, 600.0));
        stage.spawn((column, FluidClass::new(number), at(side * 490.0, -36.0)));
    }
}
