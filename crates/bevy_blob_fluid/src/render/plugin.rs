//! The plugin that draws liquid.

use bevy::prelude::*;
use bevy::render::{ExtractSchedule, GpuResourceAppExt, Render, RenderApp, RenderSystems};
use bevy::time::TimeSystems;

use super::instance::{FluidDrawnTime, FluidInstance, FluidInstances, FluidInterpolation};
use super::look::detail::{FluidDetail, FluidDrawingBudget, choose_detail};
use super::look::surface::FluidSurface;
use crate::render::dots::add_dots;
use crate::render::gpu::{
    FluidBuffers, FluidDrawingWork, begin_counting, extract_particles, upload_particles,
};
use crate::render::instance::{FluidBlending, FluidGases, FluidPalette, FluidWall, FluidWalls};
use crate::render::look::FluidDots;
use crate::render::shader::ShaderPlugin;
use crate::render::surface::add_surfaces;

/// Draws the particles that [`FluidInstances`] holds, for every entity with a [`FluidSurface`] or a
/// [`FluidDots`].
///
/// In an app without a renderer it only adds its resources.
#[derive(Clone, Copy, Debug)]
pub struct FluidRenderPlugin {
    /// Whether to spawn an entity with a [`FluidSurface`] if the app has neither a surface nor
    /// [`FluidDots`] after startup. Default true.
    pub spawn_surface: bool,
    /// Whether fields are summed in half floats if the GPU can blend them. Otherwise they are
    /// summed in bytes, which show steps in soft highlights and saturate at twice the rest density.
    /// Default true.
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

    /// Sets up the renderer's side. It runs in `finish`, because Bevy's plugins may be added after
    /// this one.
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
