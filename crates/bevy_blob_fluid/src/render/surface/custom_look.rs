//! Draws surfaces with a game's own fragment shader.

use std::marker::PhantomData;

use bevy::ecs::system::SystemParamItem;
use bevy::ecs::system::lifetimeless::SRes;
use bevy::prelude::*;
use bevy::render::render_asset::{
    PrepareAssetError, RenderAsset, RenderAssetPlugin, RenderAssets, prepare_assets,
};
use bevy::render::render_resource::{AsBindGroupError, BindGroup, PipelineCache};
use bevy::render::renderer::RenderDevice;
use bevy::render::sync_world::MainEntityHashMap;
use bevy::render::texture::GpuImage;
use bevy::render::{Extract, ExtractSchedule, Render, RenderApp, RenderStartup, RenderSystems};
use bevy::shader::{Shader, ShaderRef, Source};

use super::extract::ExtractedSurfaces;
use crate::render::look::{CustomSurfaceLook, FluidCustomLook};
use crate::render::shader::{ShaderSource, ShaderVariants};
use crate::render::surface::extract::{AttachedLook, SurfaceShader};
use crate::render::surface::passes::queue_surfaces;

/// Adds support for [`FluidCustomLook`]s of one type. Add this plugin after Bevy's own plugins. Without an asset
/// server, the plugin does nothing.
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
            .add_systems(ExtractSchedule, (extract_looks::<M>, extract_shader::<M>))
            .add_systems(
                Render,
                attach_looks::<M>
                    .in_set(RenderSystems::Queue)
                    .after(prepare_assets::<PreparedLook<M>>)
                    .before(queue_surfaces),
            );
    }
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
        param: &mut SystemParamItem<Self::Param>,
        _previous: Option<&Self>,
    ) -> Result<Self, PrepareAssetError<M>> {
        let (device, pipeline_cache, shader, parameters) = param;
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
    /// The asset with its text; none for the built-in shader.
    asset: Option<Handle<Shader>>,
    kind: PhantomData<fn() -> M>,
}

fn init_shader<M: CustomSurfaceLook>(
    mut commands: Commands,
    asset_server: Res<AssetServer>,
    device: Res<RenderDevice>,
) {
    let asset = match M::fragment_shader() {
        ShaderRef::Default => None,
        ShaderRef::Handle(handle) => Some(handle),
        ShaderRef::Path(path) => Some(asset_server.load(path)),
    };
    let fragment =
        asset.as_ref().map_or(ShaderSource::Draw, |asset| ShaderSource::Look(asset.id()));
    let shader = SurfaceShader { fragment, layout: M::bind_group_layout_descriptor(&device) };
    commands.insert_resource(CustomLookShader::<M> { shader, asset, kind: PhantomData });
}

/// Copies the text of the shader when it is loaded or changes.
fn extract_shader<M: CustomSurfaceLook>(
    look: Option<Res<CustomLookShader<M>>>,
    variants: Option<Res<ShaderVariants>>,
    shaders: Extract<Res<Assets<Shader>>>,
) {
    let asset = look.as_ref().and_then(|look| look.asset.as_ref());
    let (Some(asset), Some(variants)) = (asset, variants) else { return };
    if let Some(shader) = shaders.get(asset)
        && let Source::Wgsl(text) = &shader.source
    {
        variants.set_look(asset.id(), &shader.path, text);
    }
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

/// Attaches the prepared custom looks to their surfaces.
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
