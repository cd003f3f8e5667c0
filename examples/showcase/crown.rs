//! A drop falls into a shallow pool of milk, and throws up a crown.

use bevy::prelude::*;
use bevy_blob_fluid::prelude::*;

use super::super::{Painter, Showpiece, VIEW};

pub const PIECE: Showpiece = Showpiece {
    name: "crown",
    surface: || FluidSurface { smoothing: 2.6, ..MILK.into() },
    backdrop,
    ..Showpiece::PLAIN
};

const MILK: FluidSurfaceLook = FluidSurfaceLook {
    opacity: 1.0,
    rim_light: 0.35,
    sky_color: Color::srgba(1.0, 0.98, 0.95, 0.9),
    depth_color: Color::srgba(0.66, 0.40, 0.40, 0.8),
    depth: 18.0,
    specular: 0.7,
    gloss: 0.8,
    reflection: 0.12,
    ..FluidSurfaceLook::FLAT
};

/// A red room: light from above, and the dark at its sides.
fn backdrop(painter: &mut Painter) {
    let rgb = Color::srgb;
    painter.sky(&[
        (-330.0, rgb(0.30, 0.02, 0.05)),
        (60.0, rgb(0.66, 0.05, 0.09)),
        (450.0, rgb(0.24, 0.01, 0.05)),
    ]);
    painter.glow((0.0, 0.0), 900.0, Color::srgba(1.0, 0.42, 0.30, 0.6));
    painter.vignette(VIEW, 0.6);
}
