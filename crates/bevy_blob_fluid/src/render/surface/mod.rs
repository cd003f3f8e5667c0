//! The closed surface of the liquid.
//!
//! | file | what it holds |
//! |---|---|
//! | `look.rs` | the look of the liquid, as components |
//! | `liquids.rs` | which classes are drawn as one liquid or gas |
//! | `layout.rs` | sizes of the field's textures |
//! | `uniform.rs`, `types.wgsl` | a surface as the shaders read it |
//! | `extract.rs` | the copy from the app's world to the renderer's |
//! | `views.rs` | textures and bind groups of each view |
//! | `pipeline.rs` | the pipelines |
//! | `passes.rs`, `field.wgsl`, `coarser.wgsl` | adding particles up to a field, and how full the surroundings are |
//! | `walls.rs`, `walls.wgsl`, `nearest_wall.wgsl`, `solid.wgsl` | the walls, and where the field meets them |
//! | `behind.rs` | the picture behind the liquid, for refraction |
//! | `strips.rs` | where in a view the surface is drawn |
//! | `draw.rs`, `draw.wgsl`, `surface.wgsl`, `haze.wgsl` | the surface itself and its light, and gases |
//! | `custom_look.rs` | shaders of a game's own |

mod behind;
mod custom_look;
mod draw;
mod extract;
mod layout;
mod liquids;
mod look;
mod passes;
mod pipeline;
mod strips;
mod uniform;
mod views;
mod walls;

pub use custom_look::{CustomSurfaceLook, FluidCustomLook, FluidCustomLookPlugin};
pub(super) use look::spawn_default_surface;
pub use look::{FluidSurface, FluidSurfaceLook, FluidSurfaceMixing, FluidSurfaceQuality};

use bevy::asset::embedded_asset;
use bevy::core_pipeline::core_2d::{Transparent2d, main_opaque_pass_2d, main_transparent_pass_2d};
use bevy::core_pipeline::{Core2d, Core2dSystems};
use bevy::prelude::*;
use bevy::render::render_phase::AddRenderCommand;
use bevy::render::render_resource::SpecializedRenderPipelines;
use bevy::render::{
    ExtractSchedule, GpuResourceAppExt, Render, RenderApp, RenderStartup, RenderSystems,
};
use bevy::shader::load_shader_library;

use behind::DrawnBefore;
use draw::DrawSurface;
use extract::ExtractedSurfaces;
use pipeline::{FieldPrecision, SurfacePipelines};
use views::SurfaceViews;
use walls::WallBuffers;

/// Sets up the renderer's side, in an app that has a renderer.
pub(super) fn add_to(app: &mut App, half_floats: bool) {
    load_shader_library!(app, "types.wgsl");
    load_shader_library!(app, "haze.wgsl");
    load_shader_library!(app, "walls.wgsl");
    load_shader_library!(app, "surface.wgsl");
    embedded_asset!(app, "nearest_wall.wgsl");
    embedded_asset!(app, "solid.wgsl");
    embedded_asset!(app, "field.wgsl");
    embedded_asset!(app, "coarser.wgsl");
    embedded_asset!(app, "draw.wgsl");
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
        .add_systems(RenderStartup, pipeline::init_pipelines)
        .add_systems(ExtractSchedule, (extract::extract_surfaces, walls::extract_walls))
        .add_systems(
            Render,
            (
                draw::queue_surfaces.in_set(RenderSystems::Queue),
                (views::prepare_views, walls::prepare_walls)
                    .in_set(RenderSystems::PrepareResources),
                views::prepare_bind_groups.in_set(RenderSystems::PrepareBindGroups),
            ),
        )
        .add_systems(
            Core2d,
            (
                passes::draw_fields.before(main_opaque_pass_2d),
                (behind::draw_behind, behind::skip_drawn)
                    .chain()
                    .after(main_opaque_pass_2d)
                    .before(main_transparent_pass_2d),
                behind::restore_drawn.after(main_transparent_pass_2d),
            )
                .in_set(Core2dSystems::MainPass),
        );
}
