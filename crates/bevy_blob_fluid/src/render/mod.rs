//! Drawing of liquid and air. [`FluidSurface`] draws a closed surface. [`FluidDots`] draws a soft
//! dot for every particle, in one draw call. [`FluidAirLook`] draws air.
//!
//! | file | contents |
//! |---|---|
//! | `instance.rs` | instances of particles, the palette, and the walls that surfaces meet |
//! | `look` | components and resources with which a game chooses the looks |
//! | `view.rs` | the properties of a view on which pipelines depend |
//! | `shader` | composes shaders, and holds the modules that all of them share |
//! | `gpu.rs` | parts of the renderer that all looks share |
//! | `dots`, `surface`, `air` | draw dots, the closed surface, and smoke, fire and streamlines |
//! | `mod.rs` | the plugin, and `raw`: public names of `instance.rs`, for apps that draw particles of their own |
//!
//! Every file uses only the files above it in the table.
//!
//! Particles reach the GPU in a vertex buffer that is stepped per instance, which WebGL2 supports
//! as well. The GPU interpolates their positions between the last two ticks, so a frame without a
//! tick uploads no particles.

pub(super) mod air;
pub(super) mod dots;
pub(super) mod gpu;
mod instance;
pub(super) mod look;
mod shader;
pub(super) mod surface;
mod view;

use bevy::prelude::*;
use bevy::render::{ExtractSchedule, GpuResourceAppExt, Render, RenderApp, RenderSystems};
use bevy::time::TimeSystems;

pub use air::FluidAirRenderPlugin;
use dots::add_dots;
use gpu::{FluidBuffers, FluidDrawingWork, begin_counting, extract_particles, upload_particles};
pub(crate) use instance::{
    FluidBlending, FluidDrawnTime, FluidGases, FluidInstance, FluidInstances, FluidInterpolation,
    FluidPalette, FluidWall, FluidWalls, SolidTriangle,
};
use look::detail::choose_detail;
pub use look::detail::{FluidDetail, FluidDrawingBudget};
pub use look::surface::{FluidSurface, FluidSurfaceLook, FluidSurfaceMixing, FluidSurfaceQuality};
pub use look::{
    CustomSurfaceLook, FluidAirLook, FluidAirShow, FluidCustomLook, FluidDots, FluidStreamlines,
};
use shader::ShaderPlugin;
use surface::add_surfaces;
pub use surface::custom_look::FluidCustomLookPlugin;

// The plugin that draws liquid.

/// Draws the particles that [`FluidInstances`] holds, for every entity with a [`FluidSurface`] or a
/// [`FluidDots`].
///
/// In an app without a renderer, the plugin only adds its resources.
#[derive(Clone, Copy, Debug)]
pub struct FluidRenderPlugin {
    /// Whether to spawn an entity with a [`FluidSurface`] if the app has neither a surface nor
    /// [`FluidDots`] after startup. Default true.
    pub spawn_surface: bool,
    /// Whether the fields from which surfaces are computed are summed in half floats, if the GPU can blend these.
    /// Otherwise the fields are summed in bytes, which show steps in soft highlights and saturate at twice the rest
    /// density. Default true.
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
            .init_resource::<FluidDrawnTime>()
            .init_resource::<FluidPalette>()
            .init_resource::<FluidBlending>()
            .init_resource::<FluidGases>()
            .init_resource::<FluidWalls>()
            .init_resource::<FluidDetail>()
            .init_resource::<FluidDrawingBudget>()
            .add_systems(First, choose_detail.after(TimeSystems))
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
        if !app.is_plugin_added::<ShaderPlugin>() {
            app.add_plugins(ShaderPlugin);
        }
        if self.spawn_surface {
            app.add_systems(PostStartup, spawn_default_surface);
        }
    }

    /// Sets up the renderer's side, after all plugins are added.
    fn finish(&self, app: &mut App) {
        let Some(render_app) = app.get_sub_app_mut(RenderApp) else {
            return;
        };
        render_app
            .init_gpu_resource::<FluidBuffers>()
            .init_resource::<FluidDrawingWork>()
            .add_systems(ExtractSchedule, (begin_counting, extract_particles))
            .add_systems(Render, upload_particles.in_set(RenderSystems::PrepareResources));
        add_dots(app);
        add_surfaces(app, self.half_floats);
    }
}

/// Spawns a surface in an app that has neither surface nor dots.
fn spawn_default_surface(
    mut commands: Commands,
    drawn: Query<(), Or<(With<FluidDots>, With<FluidSurface>)>>,
) {
    if drawn.is_empty() {
        commands.spawn((Name::new("Fluid surface"), FluidSurface::default()));
    }
}

/// The particles, colours and walls that surfaces and dots draw. The plugin sets these resources in every frame.
///
/// Only an app that draws its own particles needs this module. In the example `solvers` the plugin's liquid is empty,
/// and a system in `Last` sets [`FluidInstances`].
pub mod raw {
    pub use super::gpu::FluidDrawingWork;
    pub use super::instance::{
        FluidBlending, FluidDeviceInstances, FluidGases, FluidInstance, FluidInstances,
        FluidInterpolation, FluidPalette, FluidWall, FluidWalls,
    };
}
