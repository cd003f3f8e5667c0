//! Marbled paint: bands of colour, stirred.

use bevy::prelude::*;
use bevy_blob_fluid::prelude::*;

use super::stage::{Stage, VIEW, at, class, rgb, rgba};

const RADIUS: f32 = 330.0;
/// Height of a band, and the number of bands.
const BAND: f32 = 62.0;
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
    stage.settings().parameters = FluidParameters::new(6.0, Vec2::ZERO);
    stage.classes(vec![DensityClass {
        paint: Some(FluidPaint { diffusion: 0.004, ..default() }),
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
    for band in 0..BANDS {
        let y = (band as f32 - 0.5 * (BANDS - 1) as f32) * BAND;
        let outer = y.abs() + 0.5 * BAND;
        let width = 2.0 * ((RADIUS - 8.0).powi(2) - outer * outer).max(0.0).sqrt();
        let blob = FluidBlob::from(Rectangle::new(width, BAND)).with_paint(colors[band % 5]);
        stage.spawn((blob, at(0.0, y)));
    }
    for (x, y, acceleration) in [(-120.0, 60.0, 70.0), (120.0, -60.0, 70.0)] {
        // Attraction as well, so that the middle does not become empty.
        let stir = FluidForce { attraction: 60.0, ..FluidForce::vortex(200.0, acceleration) };
        stage.spawn((stir, at(x, y)));
    }
}
