//! Lava runs into the sea at night: it glows, the sea steams, and stone sinks.

use bevy::prelude::*;
use bevy_blob_fluid::prelude::*;

use super::super::{Painter, Showpiece, Silhouette};

pub const PIECE: Showpiece = Showpiece {
    name: "lava",
    view: Rect { min: Vec2::new(-390.0, -389.0), max: Vec2::new(850.0, 309.0) },
    surface: || {
        let lava = FluidSurfaceLook { glow: 2.4, ..FluidSurfaceLook::LAVA };
        FluidSurface::from(SEA)
            .with_look(["lava", "stone"], lava)
            .with_look("water", SEA)
            .with_look("steam", FluidSurfaceLook { haze: 2.5, ..FluidSurfaceLook::GAS })
    },
    solids: &[Color::srgb(0.10, 0.07, 0.086)],
    backdrop,
    ..Showpiece::PLAIN
};

const SEA: FluidSurfaceLook = FluidSurfaceLook {
    opacity: 0.6,
    sky_color: Color::srgba(1.0, 0.55, 0.35, 0.6),
    depth_color: Color::srgba(0.04, 0.04, 0.25, 0.92),
    depth: 14.0,
    caustics: 0.0,
    foam_color: Color::srgba(1.0, 0.60, 0.40, 0.3),
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
    painter.glow((260.0, -200.0), 420.0, rgba(1.0, 0.35, 0.10, 0.55));
    painter.in_front();
    // The lava lights the rocks.
    let slope = [
        (-640.0, 240.0),
        (-500.0, 150.0),
        (-340.0, 60.0),
        (-190.0, -30.0),
        (-60.0, -120.0),
        (60.0, -230.0),
        (180.0, -350.0),
    ];
    for pair in slope.map(Vec2::from).windows(2) {
        for part in 0_u8..5 {
            let at = pair[0].lerp(pair[1], f32::from(part) / 5.0) - Vec2::new(16.0, 22.0);
            painter.glow(at, 80.0, rgba(1.0, 0.32, 0.06, 0.11));
        }
    }
}
