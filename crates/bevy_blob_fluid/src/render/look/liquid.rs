//! The look of a liquid or gas.

use bevy::prelude::*;

/// The look of a liquid. Values outside their range are clamped.
///
/// Lengths are in particle spacings, so that a look is the same at any scale.
#[derive(Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Default, Debug, PartialEq)]
pub struct FluidSurfaceLook {
    /// Opacity, 0 to 1; it is multiplied by the alpha of the class's colour.
    pub opacity: f32,
    /// Width of the line along the surface, 0 to 3.
    pub outline_width: f32,
    /// Colour of that line; its alpha is the part of the liquid's own colour that it replaces.
    pub outline_color: Color,
    /// Light along the inside of the surface, stronger on the upper side, 0 to 2.
    pub rim_light: f32,
    /// Colour of the liquid far from its surface; its alpha is the part of the liquid's own colour
    /// that it replaces.
    pub depth_color: Color,
    /// Distance from the surface at which that colour is full, 1 to 12.
    pub depth: f32,
    /// Highlights where the surface is turned towards the light, upper left, 0 to 2.
    pub specular: f32,
    /// Sharpness of the highlights, 0 to 1; sharp highlights are small.
    pub gloss: f32,
    /// Refraction: how far the surface shifts the picture behind it, 0 to 4. Above 0 the picture
    /// behind the liquid is copied, which costs as much as a full-screen pass.
    pub refraction: f32,
    /// Moving patterns of light inside, 0 to 1.
    pub caustics: f32,
    /// Colour of foam and spray, which appear where the liquid is fast and torn; its alpha is their
    /// opacity.
    pub foam_color: Color,
    /// Light that hot liquid emits, 0 to 10; above 1 it is brighter than white, for an HDR camera
    /// with bloom. [`FluidGlow`](crate::FluidGlow) holds the temperatures.
    pub glow: f32,
    /// Haze: how much light a gas takes from what is behind it, 0 to 20. At 0 the class is a liquid
    /// with a surface. Above, it has no surface: it is drawn in front of all liquids as a haze that
    /// is the thicker the more particles there are, swirls, shadows itself, and is lit by what glows
    /// near it. Of the rest of the look only opacity and glow then matter.
    pub haze: f32,
}

impl FluidSurfaceLook {
    /// A flat area of the liquid's colour with a smooth edge and no effects.
    pub const FLAT: Self = Self {
        opacity: 1.0,
        outline_width: 0.0,
        outline_color: Color::NONE,
        rim_light: 0.0,
        depth_color: Color::NONE,
        depth: 6.0,
        specular: 0.0,
        gloss: 0.5,
        refraction: 0.0,
        caustics: 0.0,
        foam_color: Color::NONE,
        glow: 0.0,
        haze: 0.0,
    };

    /// A gas: a soft haze.
    pub const GAS: Self = Self { haze: 6.0, glow: 1.5, ..Self::FLAT };

    /// Clear water: translucent, refracting, foaming, with caustics.
    pub const WATER: Self = Self {
        opacity: 0.55,
        outline_width: 0.22,
        outline_color: Color::srgba(0.85, 0.95, 1.0, 0.25),
        rim_light: 0.5,
        depth_color: Color::srgba(0.01, 0.07, 0.22, 0.6),
        depth: 9.0,
        specular: 0.9,
        gloss: 0.75,
        refraction: 1.2,
        caustics: 0.5,
        foam_color: Color::srgba(0.95, 0.98, 1.0, 0.9),
        glow: 1.0,
        haze: 0.0,
    };
}

impl Default for FluidSurfaceLook {
    /// Nearly opaque, softly lit, with a darker outline; it has no effects that cost extra.
    fn default() -> Self {
        Self {
            opacity: 0.96,
            outline_width: 0.28,
            outline_color: Color::srgba(0.0, 0.0, 0.0, 0.35),
            rim_light: 0.35,
            depth_color: Color::srgba(0.0, 0.0, 0.05, 0.35),
            depth: 8.0,
            specular: 0.45,
            gloss: 0.6,
            refraction: 0.0,
            caustics: 0.0,
            foam_color: Color::srgba(1.0, 1.0, 1.0, 0.75),
            glow: 1.5,
            haze: 0.0,
        }
    }
}
