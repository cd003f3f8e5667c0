//! Marbled paint: bands of colour, stirred.

use bevy::prelude::*;
use bevy_blob_fluid::blob_fluid::shape::Polygon;
use bevy_blob_fluid::prelude::*;

use super::stage::{Stage, VIEW, at, class, rgb, rgba};

const RADIUS: f32 = 330.0;
/// Number of bands.
const BANDS: usize = 10;

pub fn show(stage: &mut Stage) {
    stage.camera();
    stage.colors(rgb(0.94, 0.91, 0.86), rgb(0.17, 0.15, 0.22));
    stage.painter.sky(&[(0.0, rgb(0.62, 0.45, 0.33))]);
    for number in 0..9_i16 {
        let shade = [0.0, 0.035, 0.015][usize::from(number.unsigned_abs() % 3)];
        let plank = rgb(0.74 - shade, 0.56 - shade, 0.42 - shade);
        stage.painter.board((0.0, 88.0 * f32::from(number - 4)), (VIEW.x * 2.0, 85.0), plank);
    }
    stage.painter.glow((-420.0, 330.0), 820.0, rgba(1.0, 0.95, 0.82, 0.55));
    for part in 0..8 {
        let radius = RADIUS + 6.0 + 8.0 * part as f32;
        stage.painter.disc((10.0, -14.0), radius, rgba(0.16, 0.07, 0.04, 0.07));
    }
    stage.painter.vignette(VIEW, 0.35);
    stage.settings().parameters =
        FluidParameters { reference_acceleration: 500.0, ..FluidParameters::new(5.0, Vec2::ZERO) };
    stage.classes(vec![DensityClass {
        paint: Some(FluidPaint { diffusion: 0.001, ..default() }),
        ..class("paint", 1.0, [1.0; 3])
    }]);
    let look = FluidSurfaceLook {
        opacity: 1.0,
        outline_width: 0.0,
        depth_color: Color::NONE,
        foam_color: Color::NONE,
        ..default()
    };
    let (quality, smoothing) = (FluidSurfaceQuality::High, 1.9);
    stage.look(FluidSurface { quality, smoothing, ..FluidSurface::from(look) }, &[]);
    stage.spawn(FluidContainer::from(Circle::new(RADIUS)));
    let colors = [
        rgb(0.13, 0.17, 0.42),
        rgb(0.16, 0.62, 0.64),
        rgb(0.97, 0.93, 0.82),
        rgb(0.95, 0.42, 0.33),
        rgb(0.95, 0.73, 0.24),
    ];
    for number in 0..BANDS {
        let blob = FluidBlob::new(FluidShape::Polygon(band(number)));
        // A little too full, so that no hole opens where it turns.
        let blob = FluidBlob { spacing: 0.95, ..blob.with_paint(colors[number % 5]) };
        stage.spawn((blob, at(0.0, 0.0)));
    }
    for (x, y, acceleration) in [(-125.0, 65.0, 96.0), (125.0, -65.0, 96.0)] {
        // Attraction as well, so that the middle does not become empty.
        let stir =
            FluidForce { attraction: 90.0, drag: 1.2, ..FluidForce::vortex(200.0, acceleration) };
        stage.spawn((stir, at(x, y)));
    }
}

/// What is in the dish between two heights, and a little beyond its wall, which cuts it.
fn band(number: usize) -> Polygon {
    let reach = RADIUS + 12.0;
    let side = |step: usize| {
        let part = (number as f32 + step as f32 / 8.0) / BANDS as f32;
        let y = reach * (2.0 * part - 1.0);
        Vec2::new((reach * reach - y * y).max(1.0).sqrt(), y)
    };
    let left = (0..=8).rev().map(|step| side(step) * Vec2::new(-1.0, 1.0));
    Polygon::new((0..=8).map(side).chain(left)).expect("a band")
}
