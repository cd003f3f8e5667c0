//! Looks: the components and resources with which a game chooses how liquid and air are drawn.
//!
//! | file | contents |
//! |---|---|
//! | `mod.rs` | dots, air and custom shaders |
//! | `surface.rs` | the closed surface, and the look of a liquid or gas on it |
//! | `detail.rs` | the quality of surfaces, controlled by the time of a frame |

pub(super) mod detail;
pub(super) mod surface;

use bevy::camera::visibility;
use bevy::camera::visibility::{NoFrustumCulling, VisibilityClass};
use bevy::prelude::*;
use bevy::render::render_resource::AsBindGroup;
use bevy::render::sync_world::SyncToRenderWorld;
use bevy::shader::ShaderRef;
use blob_fluid::ClassFilter;

use crate::render::look::surface::FluidSurface;

// Dots, as a component.

/// Draws all particles, or the particles of some [classes](Self::classes), as soft dots.
///
/// Only the depth (z) of the entity's [`Transform`] is used: it orders the liquid among sprites.
/// [`Visibility`] and `RenderLayers` choose the cameras that see the dots. Several entities draw
/// the liquid several times, for example with different looks on different layers.
///
/// A [`FluidSurface`](crate::render::FluidSurface) draws a closed surface instead. Bevy draws one item per entity, so a
/// surface, a sprite or a mesh needs its own entity. Small dots of powders in front of a surface show their grains:
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
    /// Radius of a dot, in particle spacings; usually from 0.5, separate dots, to 1.2, no gaps.
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

// The looks of air, as components.

/// The quantity of air that is drawn.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FluidAirShow {
    /// Smoke and fire.
    #[default]
    Smoke,
    /// Pressure: blue is low, red is high, with smoke in front.
    Pressure,
    /// Speed: still air is dark, with smoke in front.
    Speed,
    /// Vorticity: blue is clockwise, red is counter-clockwise, with smoke in front.
    Vorticity,
}

/// Streamlines of air.
#[derive(Reflect, Clone, Copy, Debug, PartialEq)]
pub struct FluidStreamlines {
    /// Distance between the starts of streamlines, in world units; above 0. Default 40.
    pub spacing: f32,
    /// Length of a streamline, in world units. Default 120.
    pub length: f32,
    /// Colour of streamlines. Default white, half transparent.
    pub color: Color,
}

impl Default for FluidStreamlines {
    fn default() -> Self {
        Self { spacing: 40.0, length: 120.0, color: Color::srgba(1.0, 1.0, 1.0, 0.55) }
    }
}

/// The look of a [`FluidAir`](crate::FluidAir). Air without a look gets the default look.
///
/// The picture is drawn at the depth (z) of the entity, and behind liquid of the same depth. A higher z puts the
/// picture in front.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn setup(mut commands: Commands) {
///     commands.spawn((
///         FluidAir::new(800.0, 400.0).with_wind_from_left(150.0),
///         FluidAirLook {
///             show: FluidAirShow::Pressure,
///             streamlines: Some(FluidStreamlines::default()),
///             ..default()
///         },
///         Transform::from_xyz(0.0, 0.0, 2.0),
///     ));
/// }
/// ```
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct FluidAirLook {
    /// The quantity that is drawn.
    pub show: FluidAirShow,
    /// Colour of smoke from sources without a colour; this colour also tints coloured smoke. Default a light grey.
    pub smoke: Color,
    /// Optical depth of the picture where the concentration of smoke is 1; 0 draws no smoke. Default 2.5.
    pub thickness: f32,
    /// Optical depth of vapour, relative to smoke of the same concentration; 0 for invisible. Default 12, because a
    /// cloud contains little liquid.
    pub vapour: f32,
    /// Direction in which light travels; the length of the vector does not matter. Default down and to the right.
    pub light: Vec2,
    /// Colour of the light. Default a warm white.
    pub light_color: Color,
    /// Colour of the ambient light. Default a bluish grey.
    pub ambient: Color,
    /// Strength of the shadows of smoke on smoke, 0 to 1. Default 0.75.
    pub shadow: f32,
    /// Brightness of fire; 0 for none. Default 1.
    pub fire: f32,
    /// Value that is drawn with the strongest colours: mass/area times square world units/s² for pressures, world
    /// units/s for speeds, 1/s for vorticities. `None` (default): the 99th percentile of the values.
    pub range: Option<f32>,
    /// Streamlines; `None` (default) for none.
    pub streamlines: Option<FluidStreamlines>,
}

impl Default for FluidAirLook {
    fn default() -> Self {
        Self {
            show: FluidAirShow::default(),
            smoke: Color::srgb(0.82, 0.82, 0.84),
            thickness: 2.5,
            vapour: 12.0,
            light: Vec2::new(0.5, -1.0),
            light_color: Color::srgb(1.0, 0.96, 0.9),
            ambient: Color::srgb(0.42, 0.45, 0.52),
            shadow: 0.75,
            fire: 1.0,
            range: None,
            streamlines: None,
        }
    }
}

// A game's own fragment shader for a surface.

/// Your own fragment shader for a [`FluidSurface`], with its bindings.
///
/// Bindings are in group 2. The shader reads the liquid at its pixel, changes it, and calls `finish`. The plugin
/// resolves the shader's `#import` and `#ifdef` itself: only modules of this crate can be imported.
///
/// ```wgsl
/// #import bevy_blob_fluid::surface::{SurfaceVertex, finish, liquid_at, shade}
///
/// @group(2) @binding(0) var<uniform> stripes: vec4<f32>;
///
/// @fragment
/// fn fragment(in: SurfaceVertex) -> @location(0) vec4<f32> {
///     var liquid = liquid_at(in);
///     let stripe = step(0.5, fract(liquid.world.y / stripes.w));
///     liquid.color = vec4(mix(liquid.color.rgb, stripes.rgb, stripe), liquid.color.a);
///     return finish(in, liquid, shade(liquid));
/// }
/// ```
///
/// ```
/// use bevy::prelude::*;
/// use bevy::render::render_resource::AsBindGroup;
/// use bevy::shader::ShaderRef;
/// use bevy_blob_fluid::render::{FluidSurface, FluidCustomLook, CustomSurfaceLook};
///
/// #[derive(Asset, AsBindGroup, TypePath, Clone)]
/// struct Striped {
///     #[uniform(0)]
///     color_and_width: Vec4,
/// }
///
/// impl CustomSurfaceLook for Striped {
///     fn fragment_shader() -> ShaderRef {
///         "shaders/striped_liquid.wgsl".into()
///     }
/// }
///
/// // With a `FluidCustomLookPlugin::<Striped>::default()` in the app.
/// fn setup(mut commands: Commands, mut materials: ResMut<Assets<Striped>>) {
///     let striped = materials.add(Striped { color_and_width: Vec4::new(1.0, 0.0, 0.0, 20.0) });
///     commands.spawn((FluidSurface::default(), FluidCustomLook(striped)));
/// }
/// ```
pub trait CustomSurfaceLook: Asset + AsBindGroup + Clone + Sized {
    /// The shader in WGSL, with an entry point `fragment`.
    fn fragment_shader() -> ShaderRef;
}

/// Draws the entity's [`FluidSurface`] with the game's own shader.
///
/// Until the asset is loaded, the surface is drawn with the built-in shader. Until the shader is
/// loaded, the surface is not drawn.
#[doc = guide!("custom_look")]
#[derive(Component, FromTemplate, Reflect, Clone, Debug, PartialEq, Eq)]
#[reflect(Component, Default)]
#[require(FluidSurface)]
pub struct FluidCustomLook<M: CustomSurfaceLook>(pub Handle<M>);

impl<M: CustomSurfaceLook> Default for FluidCustomLook<M> {
    /// Without an asset, the surface is drawn with the built-in shader.
    fn default() -> Self {
        Self(Handle::default())
    }
}
