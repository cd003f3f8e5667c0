//! Two columns collapse onto each other, simulated by smoothed particle hydrodynamics.

use bevy::prelude::*;
use bevy_blob_fluid::prelude::*;

use super::stage::{Stage, VIEW, at, class};

pub fn show(stage: &mut Stage) {
    stage.camera();
    let night = Color::srgb(0.055, 0.05, 0.11);
    stage.colors(night, Color::srgb(0.27, 0.24, 0.40));
    for (radius, shade) in [(330.0, 0.03), (250.0, 0.05), (170.0, 0.08)] {
        let glow = Color::srgb(0.055 + 1.6 * shade, 0.05 + shade, 0.11 + 1.9 * shade);
        stage.disc(radius, glow, at(0.0, 60.0));
    }
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
