//! The systems that draw air.

use bevy::asset::embedded_asset;
use bevy::prelude::*;
use bevy::sprite_render::Material2dPlugin;

use super::material::{AirMaterial, draw_air};
use super::streamlines::draw_streamlines;
use crate::air::FluidAir;
use crate::render::look::air::FluidAirLook;
use crate::render::plugin::OutputShaderPlugin;

/// Draws every [`FluidAir`] by its [`FluidAirLook`], which it gets if it has none.
///
/// In an app without a renderer it only adds the looks.
#[derive(Clone, Copy, Debug, Default)]
pub struct FluidAirRenderPlugin;

impl Plugin for FluidAirRenderPlugin {
    fn build(&self, app: &mut App) {
        app.register_type::<FluidAirLook>();
        if !app.is_plugin_added::<OutputShaderPlugin>() {
            app.add_plugins(OutputShaderPlugin);
        }
    }

    /// This runs in `finish`, because Bevy's plugins may be added after this one.
    fn finish(&self, app: &mut App) {
        if app.get_sub_app(bevy::render::RenderApp).is_none() {
            return;
        }
        embedded_asset!(app, "air.wgsl");
        app.add_plugins(Material2dPlugin::<AirMaterial>::default()).add_systems(
            PostUpdate,
            ((add_looks, draw_air, draw_streamlines).chain().before(TransformSystems::Propagate),),
        );
    }
}

fn add_looks(mut commands: Commands, airs: Query<Entity, (With<FluidAir>, Without<FluidAirLook>)>) {
    for air in &airs {
        commands.entity(air).insert(FluidAirLook::default());
    }
}
