//! Drawing: a closed surface ([`FluidSurface`]), or a soft dot for every particle in one draw call
//! ([`FluidDots`]).
//!
//! | file | what it holds |
//! |---|---|
//! | `instance.rs` | the data of each particle on the GPU, and the resource that the simulation fills |
//! | `palette.rs` | the colours of particles, which classes blend, and which are gases |
//! | `dots.rs` | the look of dots, as a component |
//! | `walls.rs` | the walls that surfaces meet |
//! | `surface` | the closed surface |
//! | `detail.rs` | how much of the looks of surfaces is drawn, by the time that frames take |
//! | `extract.rs` | the copy from the app's world to the renderer's |
//! | `pipeline.rs` | vertex layout, blending and specialisation |
//! | `buffers.rs` | the GPU buffers |
//! | `draw.rs` | the draw call |
//! | `air` | smoke, fire and streamlines |
//! | `dots.wgsl` | the shader of dots |
//! | `instance.wgsl`, `output.wgsl` | parts that shaders share: input of particles, output of colours |
//!
//! Particles reach the GPU in a vertex buffer stepped per instance, which works on WebGL2 as well.
//! The GPU interpolates their positions between the last two ticks, so a frame without a tick
//! uploads no particles.

mod air;
mod buffers;
mod detail;
mod dots;
mod draw;
mod extract;
mod instance;
mod palette;
mod pipeline;
mod surface;
mod walls;

pub use air::{FluidAirLook, FluidAirRenderPlugin, FluidAirShow, FluidStreamlines};
pub use detail::{FluidDetail, FluidDrawingBudget};
pub use dots::FluidDots;
pub use instance::{FluidInstance, FluidInstances, FluidInterpolation};
pub use palette::{FluidBlending, FluidGases, FluidPalette};
pub use surface::{
    CustomSurfaceLook, FluidCustomLook, FluidCustomLookPlugin, FluidSurface, FluidSurfaceLook,
    FluidSurfaceMixing, FluidSurfaceQuality,
};
pub(crate) use walls::SolidTriangle;
pub use walls::{FluidWall, FluidWalls};

use bevy::asset::embedded_asset;
use bevy::core_pipeline::core_2d::Transparent2d;
use bevy::prelude::*;
use bevy::render::render_phase::AddRenderCommand;
use bevy::render::render_resource::SpecializedRenderPipelines;
use bevy::render::{
    ExtractSchedule, GpuResourceAppExt, Render, RenderApp, RenderStartup, RenderSystems,
};
use bevy::shader::load_shader_library;
use bevy::time::TimeSystems;

use buffers::FluidBuffers;
use draw::DrawFluid;
use extract::ExtractedDotsList;
use pipeline::FluidPipeline;

/// Draws the particles that [`FluidInstances`] holds, for every entity with a [`FluidSurface`] or a
/// [`FluidDots`].
///
/// In an app without a renderer it only adds its resources.
#[derive(Clone, Copy, Debug)]
pub struct FluidRenderPlugin {
    /// Whether an entity with a [`FluidSurface`] is spawned if the app starts without one and
    /// without a [`FluidDots`]. Default true.
    pub spawn_surface: bool,
    /// Whether fields are summed in half floats if the device can do so. Otherwise they are summed
    /// in bytes, which show steps in soft highlights and end at twice the rest density. Default
    /// true.
    pub half_floats: bool,
}

impl Default for FluidRenderPlugin {
    fn default() -> Self {
        Self { spawn_surface: true, half_floats: true }
    }
}

impl Plugin for FluidRenderPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<FluidInstances>()
            .init_resource::<FluidInterpolation>()
            .init_resource::<FluidPalette>()
            .init_resource::<FluidBlending>()
            .init_resource::<FluidGases>()
            .init_resource::<FluidWalls>()
            .init_resource::<FluidDetail>()
            .init_resource::<FluidDrawingBudget>()
            .add_systems(First, detail::choose_detail.after(TimeSystems))
            .register_type::<FluidDetail>()
            .register_type::<FluidDrawingBudget>()
            .register_type::<FluidInstance>()
            .register_type::<FluidInstances>()
            .register_type::<FluidInterpolation>()
            .register_type::<FluidPalette>()
            .register_type::<FluidBlending>()
            .register_type::<FluidGases>()
            .register_type::<FluidWall>()
            .register_type::<FluidWalls>()
            .register_type::<FluidDots>()
            .register_type::<FluidSurface>();
        if self.spawn_surface {
            app.add_systems(PostStartup, surface::spawn_default_surface);
        }
    }

    /// Sets up the renderer's side. It runs in `finish`, because Bevy's plugins may be added after
    /// this one.
    fn finish(&self, app: &mut App) {
        // The shader needs the asset server, and the rest needs the renderer; headless apps have
        // neither.
        if app.get_sub_app(RenderApp).is_none() {
            return;
        }
        load_shader_library!(app, "instance.wgsl");
        load_shader_library!(app, "output.wgsl");
        embedded_asset!(app, "dots.wgsl");
        surface::add_to(app, self.half_floats);
        let Some(render_app) = app.get_sub_app_mut(RenderApp) else {
            return;
        };
        render_app
            .init_resource::<ExtractedDotsList>()
            .init_gpu_resource::<FluidBuffers>()
            .init_gpu_resource::<SpecializedRenderPipelines<FluidPipeline>>()
            .add_render_command::<Transparent2d, DrawFluid>()
            .add_systems(RenderStartup, pipeline::init_pipeline)
            .add_systems(ExtractSchedule, (extract::extract_dots, extract::extract_particles))
            .add_systems(
                Render,
                (
                    draw::queue_fluid.in_set(RenderSystems::Queue),
                    draw::prepare_buffers.in_set(RenderSystems::PrepareResources),
                    draw::prepare_bind_group.in_set(RenderSystems::PrepareBindGroups),
                ),
            );
    }
}
