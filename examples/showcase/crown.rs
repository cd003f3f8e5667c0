//! A drop falls into a shallow pool of milk, and throws up a crown.

use bevy::prelude::*;
use bevy_blob_fluid::prelude::*;

use super::super::{Painter, Showpiece};

pub const PIECE: Showpiece = Showpiece {
    name: "crown",
    vignette: 0.6,
    surface: || FluidSurface { quality: FluidSurfaceQuality::High, smoothing: 3.0, ..MILK.into() },
    backdrop,
    ..Showpiece::PLAIN
};

const MILK: FluidSurfaceLook = FluidSurfaceLook {
    opacity: 1.0,
    rim_light: 0.35,
    sky_color: Color::srgba(1.0, 0.98, 0.95, 0.9),
    depth_color: Color::srgba(0.94, 0.81, 0.76, 0.55),
    depth: 40.0,
    specular: 0.7,
    gloss: 0.8,
    reflection: 0.12,
    ..FluidSurfaceLook::FLAT
};

/// A red room: light from above, and the dark at its sides.
fn backdrop(painter: &mut Painter) {
    let (rgb, rgba) = (Color::srgb, Color::srgba);
    painter.sky(&[(0.0, rgb(0.56, 0.06, 0.09))]);
    painter.glow((0.0, 40.0), 1100.0, rgba(1.0, 0.35, 0.24, 0.7));
    painter.in_front();
    // The room in the foot of the milk.
    painter.panel(
        (0.0, -400.0),
        (3200.0, 110.0),
        [rgba(0.75, 0.10, 0.10, 0.0), rgba(0.55, 0.05, 0.08, 0.5)],
    );
}
