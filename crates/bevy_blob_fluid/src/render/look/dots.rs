//! Dots, as a component.

use bevy::camera::visibility::{self, NoFrustumCulling, VisibilityClass};
use bevy::prelude::*;
use bevy::render::sync_world::SyncToRenderWorld;
use blob_fluid::ClassFilter;

/// Draws particles as soft dots: all of them, or those of some [classes](Self::classes).
///
/// Of the entity's [`Transform`] only the depth (z) is used: it orders the liquid among sprites.
/// [`Visibility`] and `RenderLayers` choose the cameras that see it. Several entities draw the
/// liquid several times, with different looks on different layers for example.
///
/// A [`FluidSurface`](crate::render::FluidSurface) draws a closed surface instead. Bevy draws one item per
/// entity: a surface, a sprite or a mesh must be on another entity. Small dots of the powders in front of a
/// surface show their grains:
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn setup(mut commands: Commands) {
///     commands.spawn(FluidSurface::default());
///     let sand = ClassFilter::from(ClassId::HEAVY);
///     let grains = FluidDots { radius: 0.55, classes: sand, ..default() };
///     commands.spawn((grains, Transform::from_xyz(0.0, 0.0, 0.1)));
/// }
/// # let _ = setup;
/// ```
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(Transform, Visibility, VisibilityClass, NoFrustumCulling, SyncToRenderWorld)]
#[component(on_add = visibility::add_visibility_class::<FluidDots>)]
pub struct FluidDots {
    /// Radius of a dot, in particle spacings; usually 0.5 (separate drops) to 1.2 (no gaps).
    /// Default 1.08.
    pub radius: f32,
    /// Fraction of the radius over which the edge fades, 0 (hard, only antialiased) to 1. Default
    /// 0.4.
    pub softness: f32,
    /// Opacity in the middle of a dot, 0 to 1. Default 1.
    pub opacity: f32,
    /// Strength of the light from the upper left and of the shade at the rim, 0 (flat) to 1.
    /// Default 0.5.
    pub shading: f32,
    /// Classes that are drawn. Default all.
    pub classes: ClassFilter,
}

impl Default for FluidDots {
    fn default() -> Self {
        Self { radius: 1.08, softness: 0.4, opacity: 1.0, shading: 0.5, classes: ClassFilter::ALL }
    }
}
