//! What the pipelines of all looks share: the layouts of views and vertices, depth, and what a view
//! wants of a shader.

use bevy::camera::CompositingSpace;
use bevy::core_pipeline::core_2d::CORE_2D_DEPTH_FORMAT;
use bevy::core_pipeline::tonemapping::{
    DebandDither, Tonemapping, get_lut_bind_group_layout_entries,
};
use bevy::mesh::VertexBufferLayout;
use bevy::prelude::*;
use bevy::render::camera::ExtractedCamera;
use bevy::render::render_resource::binding_types::uniform_buffer;
use bevy::render::render_resource::{
    BindGroupLayoutDescriptor, BindGroupLayoutEntries, CompareFunction, DepthBiasState,
    DepthStencilState, ShaderStages, StencilState, VertexFormat, VertexStepMode,
};
use bevy::render::view::{ExtractedView, ViewUniform};
use bevy::shader::ShaderDefVal;
use bevy::sprite_render::SpritePipelineKey;

use crate::render::instance::FluidInstance;

/// The same entries as for sprites, whose bind group of the view is used.
pub(in crate::render) fn view_layout() -> BindGroupLayoutDescriptor {
    let lookup_table = get_lut_bind_group_layout_entries();
    BindGroupLayoutDescriptor::new(
        "fluid_view_layout",
        &BindGroupLayoutEntries::sequential(
            ShaderStages::VERTEX_FRAGMENT,
            (
                uniform_buffer::<ViewUniform>(true),
                lookup_table[0].visibility(ShaderStages::FRAGMENT),
                lookup_table[1].visibility(ShaderStages::FRAGMENT),
            ),
        ),
    )
}

/// A [`FluidInstance`] for every four vertices.
pub(in crate::render) fn instance_buffer() -> VertexBufferLayout {
    per_instance::<FluidInstance>(&[
        VertexFormat::Float32x2,
        VertexFormat::Float16x2,
        VertexFormat::Uint8x4,
        VertexFormat::Unorm8x4,
    ])
}

/// A `T` for each instance, whose bytes are values of these formats, at locations from 0 on.
pub(in crate::render) fn per_instance<T>(formats: &[VertexFormat]) -> VertexBufferLayout {
    let formats = formats.iter().copied();
    let layout = VertexBufferLayout::from_vertex_formats(VertexStepMode::Instance, formats);
    assert_eq!(layout.array_stride, size_of::<T>() as u64, "the formats are all of it");
    layout
}

/// As for sprites, opaque meshes in front hide the liquid, and it writes no depth.
pub(in crate::render) fn depth_stencil() -> DepthStencilState {
    DepthStencilState {
        format: CORE_2D_DEPTH_FORMAT,
        depth_write_enabled: Some(false),
        depth_compare: Some(CompareFunction::GreaterEqual),
        stencil: StencilState::default(),
        bias: DepthBiasState::default(),
    }
}

/// Properties of a view on which the shader depends.
pub(in crate::render) fn shader_defs(key: SpritePipelineKey) -> Vec<ShaderDefVal> {
    const METHODS: [(SpritePipelineKey, &str); 9] = [
        (SpritePipelineKey::TONEMAP_METHOD_NONE, "TONEMAP_METHOD_NONE"),
        (SpritePipelineKey::TONEMAP_METHOD_REINHARD, "TONEMAP_METHOD_REINHARD"),
        (SpritePipelineKey::TONEMAP_METHOD_REINHARD_LUMINANCE, "TONEMAP_METHOD_REINHARD_LUMINANCE"),
        (SpritePipelineKey::TONEMAP_METHOD_ACES_FITTED, "TONEMAP_METHOD_ACES_FITTED"),
        (SpritePipelineKey::TONEMAP_METHOD_AGX, "TONEMAP_METHOD_AGX"),
        (
            SpritePipelineKey::TONEMAP_METHOD_SOMEWHAT_BORING_DISPLAY_TRANSFORM,
            "TONEMAP_METHOD_SOMEWHAT_BORING_DISPLAY_TRANSFORM",
        ),
        (SpritePipelineKey::TONEMAP_METHOD_BLENDER_FILMIC, "TONEMAP_METHOD_BLENDER_FILMIC"),
        (SpritePipelineKey::TONEMAP_METHOD_TONY_MC_MAPFACE, "TONEMAP_METHOD_TONY_MC_MAPFACE"),
        (SpritePipelineKey::TONEMAP_METHOD_PBR_NEUTRAL, "TONEMAP_METHOD_PBR_NEUTRAL"),
    ];
    let mut defs: Vec<ShaderDefVal> = Vec::new();
    if key.contains(SpritePipelineKey::TONEMAP_IN_SHADER) {
        defs.push("TONEMAP_IN_SHADER".into());
        defs.push(ShaderDefVal::UInt("TONEMAPPING_LUT_TEXTURE_BINDING_INDEX".into(), 1));
        defs.push(ShaderDefVal::UInt("TONEMAPPING_LUT_SAMPLER_BINDING_INDEX".into(), 2));
        let method = key.intersection(SpritePipelineKey::TONEMAP_METHOD_RESERVED_BITS);
        defs.extend(METHODS.iter().find(|(bits, _)| *bits == method).map(|(_, def)| (*def).into()));
        if key.contains(SpritePipelineKey::DEBAND_DITHER) {
            defs.push("DEBAND_DITHER".into());
        }
    }
    if key.contains(SpritePipelineKey::SRGB_COMPOSITING) {
        defs.push("SRGB_OUTPUT".into());
    }
    if key.contains(SpritePipelineKey::OKLAB_COMPOSITING) {
        defs.push("OKLAB_OUTPUT".into());
    }
    defs
}

/// The key of a view.
pub(in crate::render) fn view_key(
    camera: &ExtractedCamera,
    view: &ExtractedView,
    msaa: Msaa,
    tonemapping: Option<&Tonemapping>,
    dither: Option<&DebandDither>,
) -> SpritePipelineKey {
    let mut key = SpritePipelineKey::from_target_format(view.target_format)
        | SpritePipelineKey::from_msaa_samples(msaa.samples());
    match camera.compositing_space {
        Some(CompositingSpace::Srgb) => key |= SpritePipelineKey::SRGB_COMPOSITING,
        Some(CompositingSpace::Oklab) => key |= SpritePipelineKey::OKLAB_COMPOSITING,
        _ => {}
    }
    if camera.hdr {
        return key;
    }
    if let Some(tonemapping) = tonemapping {
        key |= SpritePipelineKey::TONEMAP_IN_SHADER;
        key |= match tonemapping {
            Tonemapping::None => SpritePipelineKey::TONEMAP_METHOD_NONE,
            Tonemapping::Reinhard => SpritePipelineKey::TONEMAP_METHOD_REINHARD,
            Tonemapping::ReinhardLuminance => SpritePipelineKey::TONEMAP_METHOD_REINHARD_LUMINANCE,
            Tonemapping::AcesFitted => SpritePipelineKey::TONEMAP_METHOD_ACES_FITTED,
            Tonemapping::AgX => SpritePipelineKey::TONEMAP_METHOD_AGX,
            Tonemapping::SomewhatBoringDisplayTransform => {
                SpritePipelineKey::TONEMAP_METHOD_SOMEWHAT_BORING_DISPLAY_TRANSFORM
            }
            Tonemapping::TonyMcMapface => SpritePipelineKey::TONEMAP_METHOD_TONY_MC_MAPFACE,
            Tonemapping::BlenderFilmic => SpritePipelineKey::TONEMAP_METHOD_BLENDER_FILMIC,
            Tonemapping::KhronosPbrNeutral => SpritePipelineKey::TONEMAP_METHOD_PBR_NEUTRAL,
        };
    }
    if let Some(DebandDither::Enabled) = dither {
        key |= SpritePipelineKey::DEBAND_DITHER;
    }
    key
}
