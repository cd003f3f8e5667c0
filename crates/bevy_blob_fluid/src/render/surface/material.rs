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

/// A fragment shader of your own for a [`FluidSurface`], with what it is bound to.
///
/// Bindings are in group 2. The shader finds the liquid at its pixel, changes what it likes of it,
/// and hands it back:
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
/// use bevy_blob_fluid::render::{FluidSurface, FluidSurfaceMaterial, SurfaceMaterial};
///
/// #[derive(Asset, AsBindGroup, TypePath, Clone)]
/// struct Striped {
///     #[uniform(0)]
///     color_and_width: Vec4,
/// }
///
/// impl SurfaceMaterial for Striped {
///     fn fragment_shader() -> ShaderRef {
///         "shaders/striped_liquid.wgsl".into()
///     }
/// }
///
/// // With a `FluidSurfaceMaterialPlugin::<Striped>::default()` in the app.
/// fn setup(mut commands: Commands, mut materials: ResMut<Assets<Striped>>) {
///     let striped = materials.add(Striped { color_and_width: Vec4::new(1.0, 0.0, 0.0, 20.0) });
///     commands.spawn((FluidSurface::default(), FluidSurfaceMaterial(striped)));
/// }
/// ```
pub trait SurfaceMaterial: Asset + AsBindGroup + Clone + Sized {
    /// The shader, with an entry point `fragment`.
    fn fragment_shader() -> ShaderRef;
}

/// Draws the entity's [`FluidSurface`] with a shader of the game's own.
///
/// Until the asset is loaded the surface looks as without; until its shader is, there is none.
#[derive(Component, Reflect, Clone, Debug, PartialEq, Eq)]
#[reflect(Component)]
#[require(FluidSurface)]
pub struct FluidSurfaceMaterial<M: SurfaceMaterial>(pub Handle<M>);

/// Makes [`FluidSurfaceMaterial`]s of one kind count. To be added after Bevy's own plugins; does nothing
/// in an app without assets.
pub struct FluidSurfaceMaterialPlugin<M>(PhantomData<M>);

impl<M> Default for FluidSurfaceMaterialPlugin<M> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<M: SurfaceMaterial> Plugin for FluidSurfaceMaterialPlugin<M> {
    fn build(&self, app: &mut App) {
        if !app.world().contains_resource::<AssetServer>() {
            return;
        }
        app.init_asset::<M>()
            .add_plugins(RenderAssetPlugin::<PreparedSurfaceMaterial<M>, GpuImage>::default());
        let Some(render_app) = app.get_sub_app_mut(RenderApp) else {
            return;
        };
        render_app
            .init_resource::<SurfaceMaterialIds<M>>()
            .add_systems(RenderStartup, init_shader::<M>)
            .add_systems(ExtractSchedule, extract_materials::<M>)
            .add_systems(
                Render,
                attach_materials::<M>
                    .in_set(RenderSystems::Queue)
                    .after(prepare_assets::<PreparedSurfaceMaterial<M>>)
                    .before(queue_surfaces),
            );
    }
}

/// A material on the GPU.
#[derive(Clone)]
pub(super) struct AttachedMaterial {
    pub shader: SurfaceShader,
    pub bind_group: BindGroup,
}

/// A [`SurfaceMaterial`] on the GPU.
struct PreparedSurfaceMaterial<M> {
    bind_group: BindGroup,
    kind: PhantomData<fn() -> M>,
}

impl<M: SurfaceMaterial> RenderAsset for PreparedSurfaceMaterial<M> {
    type SourceAsset = M;
    type Param =
        (SRes<RenderDevice>, SRes<PipelineCache>, SRes<SurfaceMaterialShader<M>>, M::Param);

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

/// The shader of all materials of a kind.
#[derive(Resource)]
struct SurfaceMaterialShader<M> {
    shader: SurfaceShader,
    kind: PhantomData<fn() -> M>,
}

fn init_shader<M: SurfaceMaterial>(
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
    commands.insert_resource(SurfaceMaterialShader::<M> { shader, kind: PhantomData });
}

/// Which material each entity has.
#[derive(Resource)]
struct SurfaceMaterialIds<M: SurfaceMaterial>(MainEntityHashMap<AssetId<M>>);

impl<M: SurfaceMaterial> Default for SurfaceMaterialIds<M> {
    fn default() -> Self {
        Self(default())
    }
}

fn extract_materials<M: SurfaceMaterial>(
    mut ids: ResMut<SurfaceMaterialIds<M>>,
    materials: Extract<Query<(Entity, &FluidSurfaceMaterial<M>)>>,
) {
    ids.0.clear();
    ids.0.extend(materials.iter().map(|(entity, material)| (entity.into(), material.0.id())));
}

/// Gives surfaces the materials that are ready.
fn attach_materials<M: SurfaceMaterial>(
    surfaces: Option<ResMut<ExtractedSurfaces>>,
    ids: Res<SurfaceMaterialIds<M>>,
    shader: Res<SurfaceMaterialShader<M>>,
    prepared: Res<RenderAssets<PreparedSurfaceMaterial<M>>>,
) {
    let Some(mut surfaces) = surfaces else { return };
    for surface in &mut surfaces.0 {
        let id = ids.0.get(&surface.entity.1);
        if let Some(material) = id.and_then(|id| prepared.get(*id)) {
            surface.material = Some(AttachedMaterial {
                shader: shader.shader.clone(),
                bind_group: material.bind_group.clone(),
            });
        }
    }
}
