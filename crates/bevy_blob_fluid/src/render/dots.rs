//! How dots look.

use bevy::camera::visibility::{self, NoFrustumCulling, VisibilityClass};
use bevy::prelude::*;
use bevy::render::sync_world::SyncToRenderWorld;

/// Draws all particles as soft dots.
///
/// Only the depth (z) of the entity's [`Transform`] counts: it orders the liquid among sprites.
/// [`Visibility`] and `RenderLayers` say which cameras see it. Several entities draw the liquid
/// several times, say with different looks on different layers.
///
/// A [`FluidSurface`](super::FluidSurface) draws them as one body instead. Bevy draws one thing per
/// entity: a surface, a sprite or a mesh has to be on another one.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(Transform, Visibility, VisibilityClass, NoFrustumCulling, SyncToRenderWorld)]
#[component(on_add = visibility::add_visibility_class::<FluidDots>)]
pub struct FluidDots {
    /// Radius of a dot, in particle spacings; usually 0.5 (separate drops) to 1.2 (a closed
    /// body).
    pub radius: f32,
    /// Part of the radius over which the edge fades, 0 (hard, only antialiased) to 1.
    pub softness: f32,
    /// Opacity in the middle of a dot, 0 to 1.
    pub opacity: f32,
    /// Strength of the light from the upper left and of the shade at the rim, 0 (flat) to 1.
    pub shading: f32,
}

impl Default for FluidDots {
    fn default() -> Self {
        Self { radius: 1.08, softness: 0.4, opacity: 1.0, shading: 0.5 }
    }
}
