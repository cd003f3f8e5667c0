//! The closed surface of the liquid.
//!
//! | file | contents |
//! |---|---|
//! | `extract.rs` | extraction to the render world: surfaces, walls and custom looks |
//! | `uniform.rs` | liquids that are drawn as one, the layout of fields, and the uniform of a surface |
//! | `strips.rs` | the part of a view that a surface covers |
//! | `pipelines.rs` | layouts of bind groups, and pipelines |
//! | `views.rs` | textures and bind groups of each view |
//! | `passes.rs`, `passes.wgsl` | the passes, and their shaders |
//! | `shaders` | libraries that these shaders share |
//! | `custom_look.rs` | a game's own shaders |

pub(super) mod custom_look;
mod extract;
pub(super) mod passes;
mod pipelines;
mod strips;
mod uniform;
mod views;

use bevy::core_pipeline::core_2d::{Transparent2d, main_opaque_pass_2d, main_transparent_pass_2d};
use bevy::core_pipeline::{Core2d, Core2dSystems};
use bevy::prelude::*;
use bevy::render::render_phase::AddRenderCommand;
use bevy::render::render_resource::SpecializedRenderPipelines;
use bevy::render::{
    ExtractSchedule, GpuResourceAppExt, Render, RenderApp, RenderStartup, RenderSystems,
};

use crate::render::surface::extract::{
    ExtractedSurfaces, WallBuffers, extract_surfaces, extract_walls, prepare_walls,
};
use crate::render::surface::passes::{
    DrawSurface, DrawnBefore, draw_behind, draw_fields, queue_surfaces, restore_drawn, skip_drawn,
};
use crate::render::surface::pipelines::{FieldPrecision, SurfacePipelines, init_pipelines};
use crate::render::surface::views::{SurfaceViews, prepare_bind_groups, prepare_views};

// The systems that draw surfaces.

/// Adds the drawing of surfaces, if the app has a renderer.
pub(in crate::render) fn add_surfaces(app: &mut App, half_floats: bool) {
    let Some(render_app) = app.get_sub_app_mut(RenderApp) else {
        return;
    };
    render_app
        .insert_resource(FieldPrecision { half_floats })
        .init_resource::<ExtractedSurfaces>()
        .init_resource::<DrawnBefore>()
        .init_gpu_resource::<SurfaceViews>()
        .init_gpu_resource::<WallBuffers>()
        .init_gpu_resource::<SpecializedRenderPipelines<SurfacePipelines>>()
        .add_render_command::<Transparent2d, DrawSurface>()
        .add_systems(RenderStartup, init_pipelines)
        .add_systems(ExtractSchedule, (extract_surfaces, extract_walls))
        .add_systems(
            Render,
            (
                queue_surfaces.in_set(RenderSystems::Queue),
                (prepare_walls, prepare_views).chain().in_set(RenderSystems::PrepareResources),
                prepare_bind_groups.in_set(RenderSystems::PrepareBindGroups),
            ),
        )
        .add_systems(
            Core2d,
            (
                draw_fields.before(main_opaque_pass_2d),
                (draw_behind, skip_drawn)
                    .chain()
                    .after(main_opaque_pass_2d)
                    .before(main_transparent_pass_2d),
                restore_drawn.after(main_transparent_pass_2d),
            )
                .in_set(Core2dSystems::MainPass),
        );
}
