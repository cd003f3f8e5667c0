//! Lava runs into the sea at night: it glows, the sea steams, and stone sinks.

use bevy::prelude::*;
use bevy_blob_fluid::prelude::*;

use super::super::{Painter, Showpiece, Silhouette, VIEW};

pub const PIECE: Showpiece = Showpiece {
    name: "lava",
    surface: || {
        let lava = FluidSurfaceLook { glow: 3.0, ..FluidSurfaceLook::LAVA };
        FluidSurface::from(SEA)
            .with_look(["lava", "stone"], lava)
            .with_look("water", SEA)
            .with_look("steam", FluidSurfaceLook { haze: 6.0, ..FluidSurfaceLook::GAS })
    },
    solids: &[Color::srgb(0.055, 0.042, 0.055)],
    backdrop,
    ..Showpiece::PLAIN
};

const SEA: FluidSurfaceLook = FluidSurfaceLook {
    opacity: 0.72,
    sky_color: Color::srgba(1.0, 0.55, 0.35, 0.6),
    depth_color: Color::srgba(0.012, 0.03, 0.085, 0.96),
    depth: 7.0,
    caustics: 0.0,
    foam_color: Color::srgba(0.85, 0.75, 0.78, 0.7),
    ..FluidSurfaceLook::WATER
};

/// A bay under stars: islands before the last light, and the fire of the lava on the rocks.
fn backdrop(painter: &mut Painter) {
    let (rgb, rgba) = (Color::srgb, Color::srgba);
    painter.sky(&[
        (-160.0, rgb(0.46, 0.16, 0.16)),
        (20.0, rgb(0.22, 0.09, 0.18)),
        (220.0, rgb(0.07, 0.05, 0.15)),
        (450.0, rgb(0.015, 0.018, 0.06)),
    ]);
    painter.scatter(Rect::new(-800.0, 20.0, 800.0, 450.0), 220, 3.4, rgba(0.9, 0.88, 1.0, 0.8));
    painter.glow((540.0, 250.0), 330.0, rgba(0.72, 0.76, 1.0, 0.28));
    painter.disc((540.0, 250.0), 44.0, rgb(0.93, 0.90, 0.86));
    painter.disc((524.0, 262.0), 9.0, rgb(0.82, 0.79, 0.77));
    painter.disc((556.0, 240.0), 7.0, rgb(0.83, 0.80, 0.78));
    painter.ridge(
        Silhouette::Hills,
        [-200.0, -20.0],
        [rgb(0.15, 0.07, 0.15), rgb(0.36, 0.13, 0.16)],
    );
    // The bay behind the liquid, and the moon in it.
    painter.panel((0.0, -305.0), (3200.0, 290.0), [rgb(0.20, 0.09, 0.14), rgb(0.02, 0.02, 0.06)]);
    painter.glow((-60.0, -130.0), 620.0, rgba(1.0, 0.36, 0.10, 0.5));
    painter.in_front();
    // The lava lights the rocks.
    for number in 0_u8..30 {
        let along = f32::from(number) / 29.0;
        let at = Vec2::new(-860.0, 300.0).lerp(Vec2::new(60.0, -250.0), along);
        painter.glow(at, 150.0, rgba(1.0, 0.32, 0.06, 0.06));
    }
    painter.vignette(VIEW, 0.5);
}
