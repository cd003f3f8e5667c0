//! The properties of a view on which the pipelines of liquid and air depend. Most of the render code that changes with
//! Bevy's version is here.

use bevy::camera::CompositingSpace;
use bevy::core_pipeline::tonemapping::{DebandDither, Tonemapping};
use bevy::ecs::query::QueryData;
use bevy::prelude::*;
use bevy::render::camera::ExtractedCamera;
use bevy::render::view::ExtractedView;
pub(in crate::render) use bevy::render::view::ViewDepthTexture as ViewDepth;
use bevy::sprite_render::SpritePipelineKey;

/// The components of a view that decide on its pipelines.
#[derive(QueryData)]
pub(in crate::render) struct ViewParts {
    pub view: &'static ExtractedView,
    camera: &'static ExtractedCamera,
    msaa: &'static Msaa,
    tonemapping: Option<&'static Tonemapping>,
    dither: Option<&'static DebandDither>,
}

impl ViewPartsItem<'_, '_> {
    /// The key of the view, as for sprites.
    pub(in crate::render) fn key(&self) -> SpritePipelineKey {
        let mut key = SpritePipelineKey::from_target_format(self.view.target_format)
            | SpritePipelineKey::from_msaa_samples(self.msaa.samples());
        match self.camera.compositing_space {
            Some(CompositingSpace::Srgb) => key |= SpritePipelineKey::SRGB_COMPOSITING,
            Some(CompositingSpace::Oklab) => key |= SpritePipelineKey::OKLAB_COMPOSITING,
            _ => {}
        }
        if self.camera.hdr {
            return key;
        }
        if let Some(tonemapping) = self.tonemapping {
            key |= SpritePipelineKey::TONEMAP_IN_SHADER;
            key |= match tonemapping {
                Tonemapping::None => SpritePipelineKey::TONEMAP_METHOD_NONE,
                Tonemapping::Reinhard => SpritePipelineKey::TONEMAP_METHOD_REINHARD,
                Tonemapping::ReinhardLuminance => {
                    SpritePipelineKey::TONEMAP_METHOD_REINHARD_LUMINANCE
                }
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
        if let Some(DebandDither::Enabled) = self.dither {
            key |= SpritePipelineKey::DEBAND_DITHER;
        }
        key
    }
}

/// Shader flags for the properties of a view.
pub(in crate::render) fn view_flags(key: SpritePipelineKey) -> Vec<&'static str> {
    const METHODS: [(SpritePipelineKey, &str); 8] = [
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
    let mut flags = Vec::new();
    if key.contains(SpritePipelineKey::TONEMAP_IN_SHADER) {
        flags.push("TONEMAP_IN_SHADER");
        let method = key.intersection(SpritePipelineKey::TONEMAP_METHOD_RESERVED_BITS);
        flags.extend(METHODS.iter().find(|(bits, _)| *bits == method).map(|(_, flag)| *flag));
    }
    if key.contains(SpritePipelineKey::SRGB_COMPOSITING) {
        flags.push("SRGB_OUTPUT");
    }
    if key.contains(SpritePipelineKey::OKLAB_COMPOSITING) {
        flags.push("OKLAB_OUTPUT");
    }
    flags
}
