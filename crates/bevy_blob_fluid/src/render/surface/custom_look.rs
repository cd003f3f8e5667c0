//! Surfaces with a fragment shader of the game's own.

use std::marker::PhantomData;

use bevy::asset::load_embedded_asset;
use bevy::ecs::system::SystemParamItem;
use bevy::ecs::system::lifetimeless::SRes;
use bevy::prelude::*;
use bevy::render::Extract;
use bevy::render::render_asset::{
    PrepareAssetError, RenderAsset, RenderAssetPlugin, RenderAssets, prepare_assets,
};
use bevy::render::render_resource::{AsBindGroup, AsBindGroupError, BindGroup, PipelineCache};
use bevy::render::renderer::RenderDevice;
use bevy::render::sync_world::MainEntityHashMap;
use bevy::render::texture::GpuImage;
use bevy::render::{ExtractSchedule, Render, RenderApp, RenderStartup, RenderSystems};
use bevy::shader::ShaderRef;

use super::draw::queue_surfaces;
use super::extract::ExtractedSurfaces;
use super::look::FluidSurface;
use super::pipeline::SurfaceShader;

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

/// Adds support for [`FluidCustomLook`]s of one type. Add it after Bevy's own plugins. It does
/// nothing in an app without assets.
pub struct FluidCustomLookPlugin<M>(PhantomData<M>);

impl<M> Default for FluidCustomLookPlugin<M> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<M: CustomSurfaceLook> Plugin for FluidCustomLookPlugin<M> {
    fn build(&self, app: &mut App) {
        if !app.world().contains_resource::<AssetServer>() {
            return;
        }
        app.init_asset::<M>()
            .add_plugins(RenderAssetPlugin::<PreparedLook<M>, GpuImage>::default());
        let Some(render_app) = app.get_sub_app_mut(RenderApp) else {
            return;
        };
        render_app
            .init_resource::<CustomLookIds<M>>()
            .add_systems(RenderStartup, init_shader::<M>)
            .add_systems(ExtractSchedule, extract_looks::<M>)
            .add_systems(
                Render,
                attach_looks::<M>
                    .in_set(RenderSystems::Queue)
                    .after(prepare_assets::<PreparedLook<M>>)
                    .before(queue_surfaces),
            );
    }
}

/// A custom look on the GPU.
#[derive(Clone)]
pub(super) struct AttachedLook {
    pub shader: SurfaceShader,
    pub bind_group: BindGroup,
}

/// A [`CustomSurfaceLook`] on the GPU.
struct PreparedLook<M> {
    bind_group: BindGroup,
    kind: PhantomData<fn() -> M>,
}

impl<M: CustomSurfaceLook> RenderAsset for PreparedLook<M> {
    type SourceAsset = M;
    type Param = (SRes<RenderDevice>, SRes<PipelineCache>, SRes<CustomLookShader<M>>, M::Param);

    fn prepare_asset(
        material: M,
        _id: AssetId<M>,
        (device, pipeline_cache, shader, parameters): &mut SystemParamItem<Self::Param>,
        _previous: Option<&Self>,
    ) -> Result<Self, PrepareAssetError<M>> {
        let layout = &shader.shader.layout;
        match material.as_bind_group(layout, device, pipeline_cache, parameters) {
            Ok(prepared) => Ok(Self { bind_group: prepared.bind_group, kind: PhantomData }),
            Err(AsBindGroupError::RetryNextUpdate) => {
                Err(PrepareAssetError::RetryNextUpdate(material))
            }
            Err(error) => Err(PrepareAssetError::AsBindGroupError(error)),
        }
    }
}

/// The shader of all looks of one type.
#[derive(Resource)]
struct CustomLookShader<M> {
    shader: SurfaceShader,
    kind: PhantomData<fn() -> M>,
}

fn init_shader<M: CustomSurfaceLook>(
    mut commands: Commands,
    asset_server: Res<AssetServer>,
    device: Res<RenderDevice>,
) {
    let fragment = match M::fragment_shader() {
        ShaderRef::Default => load_embedded_asset!(asset_server.as_ref(), "draw.wgsl"),
        ShaderRef::Handle(handle) => handle,
        ShaderRef::Path(path) => asset_server.load(path),
    };
    let shader = SurfaceShader { fragment, layout: M::bind_group_layout_descriptor(&device) };
    commands.insert_resource(CustomLookShader::<M> { shader, kind: PhantomData });
}

/// The custom look of each entity.
#[derive(Resource)]
struct CustomLookIds<M: CustomSurfaceLook>(MainEntityHashMap<AssetId<M>>);

impl<M: CustomSurfaceLook> Default for CustomLookIds<M> {
    fn default() -> Self {
        Self(default())
    }
}

fn extract_looks<M: CustomSurfaceLook>(
    mut ids: ResMut<CustomLookIds<M>>,
    looks: Extract<Query<(Entity, &FluidCustomLook<M>)>>,
) {
    ids.0.clear();
    ids.0.extend(looks.iter().map(|(entity, look)| (entity.into(), look.0.id())));
}

/// Attaches custom looks that are ready to their surfaces.
fn attach_looks<M: CustomSurfaceLook>(
    surfaces: Option<ResMut<ExtractedSurfaces>>,
    ids: Res<CustomLookIds<M>>,
    shader: Res<CustomLookShader<M>>,
    prepared: Res<RenderAssets<PreparedLook<M>>>,
) {
    let Some(mut surfaces) = surfaces else { return };
    for surface in &mut surfaces.0 {
        let id = ids.0.get(&surface.entity.1);
        if let Some(look) = id.and_then(|id| prepared.get(*id)) {
            surface.custom_look = Some(AttachedLook {
                shader: shader.shader.clone(),
                bind_group: look.bind_group.clone(),
            });
        }
    }
}
