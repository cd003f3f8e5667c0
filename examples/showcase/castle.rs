//! A wave takes a sand castle away.

use bevy::prelude::*;
use bevy_blob_fluid::FluidFoamSettings;
use bevy_blob_fluid::prelude::*;

use super::super::{Painter, Part, Showpiece, Silhouette};

pub const PIECE: Showpiece = Showpiece {
    name: "castle",
    vignette: 0.3,
    surface: || {
        let sand = FluidSurfaceLook {
            rim_light: 0.6,
            sky_color: Color::srgba(1.0, 0.93, 0.72, 0.6),
            depth_color: Color::srgba(0.36, 0.20, 0.10, 0.6),
            depth: 26.0,
            grain: 0.5,
            grain_size: 0.6,
            ..FluidSurfaceLook::POWDER
        };
        let fine = FluidSurface { quality: FluidSurfaceQuality::High, ..WAVE.into() };
        fine.with_look("sand", sand)
    },
    foam: FluidFoamSettings { speed: 45.0, impact: 0.35, half_life: 1.6, bubbles: 0.0 },
    solids: &[Color::srgb(0.80, 0.62, 0.40), POLE, POLE, POLE],
    bodies: &[RED, RED, RED],
    backdrop,
    ..Showpiece::PLAIN
};

const POLE: Color = Color::srgb(0.36, 0.24, 0.16);
const RED: &[Part] = &[(&[(2.0, 58.0), (54.0, 42.0), (2.0, 26.0)], Color::srgb(0.90, 0.20, 0.16))];

const WAVE: FluidSurfaceLook = FluidSurfaceLook {
    opacity: 0.97,
    rim_light: 0.8,
    sky_color: Color::srgba(0.81, 1.0, 0.95, 0.85),
    depth_color: Color::srgba(0.0, 0.22, 0.31, 0.9),
    depth: 9.0,
    caustics: 0.7,
    ..FluidSurfaceLook::WATER
};

/// A bright day at the sea.
fn backdrop(painter: &mut Painter) {
    let (rgb, rgba) = (Color::srgb, Color::srgba);
    painter.sky(&[
        (-120.0, rgb(0.90, 0.93, 0.88)),
        (80.0, rgb(0.62, 0.83, 0.91)),
        (450.0, rgb(0.16, 0.46, 0.78)),
    ]);
    painter.glow((-430.0, 330.0), 560.0, rgba(1.0, 0.97, 0.84, 0.5));
    painter.sun((-430.0, 330.0), 52.0, Color::linear_rgb(1.6, 1.4, 0.9));
    painter.ridge(
        Silhouette::Hills,
        [-150.0, -30.0],
        [rgb(0.45, 0.62, 0.74), rgb(0.72, 0.83, 0.86)],
    );
    // The sea behind.
    painter.panel((0.0, -190.0), (3200.0, 130.0), [rgb(0.20, 0.56, 0.70), rgb(0.36, 0.74, 0.76)]);
    painter.panel((0.0, -300.0), (3200.0, 110.0), [rgb(0.36, 0.74, 0.76), rgb(0.80, 0.80, 0.62)]);
    for (x, y, width) in [
        (330.0, 262.0, 380.0),
        (-30.0, 352.0, 240.0),
        (690.0, 330.0, 260.0),
        (-700.0, 140.0, 260.0),
    ] {
        painter.cloud((x, y), width, rgba(1.0, 1.0, 1.0, 0.95));
    }
    painter.in_front();
    // Pebbles on the beach, a bucket and a spade.
    painter.scatter(
        Rect::new(-800.0, -450.0, 800.0, -300.0),
        260,
        5.0,
        rgba(0.45, 0.30, 0.18, 0.5),
    );
    painter.scatter(Rect::new(-800.0, -450.0, 800.0, -300.0), 140, 6.0, rgba(1.0, 0.92, 0.76, 0.7));
    let bucket = [(-604.0, -290.0), (-716.0, -290.0), (-700.0, -400.0), (-620.0, -400.0)];
    painter.shape(&bucket, 6.0, [rgb(0.22, 0.50, 0.80), rgb(0.12, 0.30, 0.58)]);
    painter.board((-660.0, -292.0), (124.0, 14.0), rgb(0.34, 0.64, 0.92));
    let stick = [(-520.0, -262.0), (-530.0, -266.0), (-556.0, -372.0), (-546.0, -374.0)];
    painter.shape(&stick, 0.0, [rgb(0.62, 0.40, 0.22), rgb(0.48, 0.30, 0.17)]);
    let blade =
        [(-532.0, -356.0), (-572.0, -346.0), (-580.0, -396.0), (-562.0, -420.0), (-542.0, -404.0)];
    painter.shape(&blade, 5.0, [rgb(0.92, 0.24, 0.18), rgb(0.68, 0.14, 0.12)]);
}
