//! A fragment shader of the game's own for a surface.

use bevy::prelude::*;
use bevy::render::render_resource::AsBindGroup;
use bevy::shader::ShaderRef;

use super::surface::FluidSurface;

/// A fragment shader of your own for a [`FluidSurface`], with its bindings.
///
/// Bindings are in group 2. The shader reads the liquid at its pixel, changes it, and passes it on:
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
    /// The shader, with an entry point `fragment`.
    fn fragment_shader() -> ShaderRef;
}

/// Draws the entity's [`FluidSurface`] with a shader of the game's own.
///
/// Until the asset is loaded, the surface is drawn without it; until the shader is loaded, it is
/// not drawn.
#[derive(Component, Reflect, Clone, Debug, PartialEq, Eq)]
#[reflect(Component)]
#[require(FluidSurface)]
pub struct FluidCustomLook<M: CustomSurfaceLook>(pub Handle<M>);
