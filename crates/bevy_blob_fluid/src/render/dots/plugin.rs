//! The systems that draw dots.

use bevy::asset::embedded_asset;
use bevy::core_pipeline::core_2d::Transparent2d;
use bevy::prelude::*;
use bevy::render::render_phase::AddRenderCommand;
use bevy::render::render_resource::SpecializedRenderPipelines;
use bevy::render::{
    ExtractSchedule, GpuResourceAppExt, Render, RenderApp, RenderStartup, RenderSystems,
};

use super::draw::{DrawDots, queue_dots};
use super::extract::{ExtractedDotsList, extract_dots};
use super::pipeline::{DotsPipeline, init_pipeline};
use super::uniforms::{DotsUniforms, bind_dots, upload_dots};

/// Draws dots, in an app that has a renderer.
pub(in crate::render) fn add_dots(app: &mut App) {
    embedded_asset!(app, "dots.wgsl");
    let Some(render_app) = app.get_sub_app_mut(RenderApp) else {
        return;
    };
    render_app
        .init_resource::<ExtractedDotsList>()
        .init_gpu_resource::<DotsUniforms>()
        .init_gpu_resource::<SpecializedRenderPipelines<DotsPipeline>>()
        .add_render_command::<Transparent2d, DrawDots>()
        .add_systems(RenderStartup, init_pipeline)
        .add_systems(ExtractSchedule, extract_dots)
        .add_systems(
            Render,
            (
                queue_dots.in_set(RenderSystems::Queue),
                upload_dots.in_set(RenderSystems::PrepareResources),
                bind_dots.in_set(RenderSystems::PrepareBindGroups),
            ),
        );
}
