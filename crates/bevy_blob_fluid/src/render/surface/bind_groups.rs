//! The bind groups of each surface in each view.

use bevy::prelude::*;
use bevy::render::render_resource::{
    BindGroupEntries, BindGroupEntry, BindGroupLayoutDescriptor, BufferBinding,
    DynamicBindGroupEntries, PipelineCache,
};
use bevy::render::renderer::RenderDevice;

use super::pipelines::SurfacePipelines;
use super::views::{SurfaceBindGroups, SurfaceViews};
use crate::render::gpu::FluidBuffers;
use crate::render::surface::extract::WallBuffers;

/// Creates the bind groups.
pub(super) fn prepare_bind_groups(
    mut prepared: ResMut<SurfaceViews>,
    buffers: Res<FluidBuffers>,
    walls: Res<WallBuffers>,
    pipelines: Res<SurfacePipelines>,
    pipeline_cache: Res<PipelineCache>,
    device: Res<RenderDevice>,
) {
    let SurfaceViews { views, uniforms, .. } = &mut *prepared;
    let (Some(uniform), Some(palette)) = (uniforms.binding(), buffers.palette()) else {
        return;
    };
    let group = |label, layout: &BindGroupLayoutDescriptor, entries: &[BindGroupEntry]| {
        device.create_bind_group(label, &pipeline_cache.get_bind_group_layout(layout), entries)
    };
    let layouts = &pipelines.layouts;
    let linear = &pipelines.linear;
    let palette = BufferBinding { buffer: palette, offset: 0, size: None };
    for view in views {
        // The shader does not read a missing texture, so the field is bound instead.
        let textures = &view.textures;
        let field = &textures.liquids.field;
        let gases = textures.gases.as_ref();
        let behind = view.behind.as_ref().map(|behind| &behind.texture);
        let [field, details, gas, gas_details, haze, behind, shallow, deep, wide, shape] = [
            Some(field),
            textures.liquids.details.as_ref(),
            gases.map(|gases| &gases.field),
            gases.and_then(|gases| gases.details.as_ref()),
            textures.haze.as_ref(),
            behind,
            Some(&textures.shallow),
            Some(&textures.deep),
            Some(&textures.wide),
            Some(&textures.shape),
        ]
        .map(|texture| &texture.unwrap_or(field).default_view);
        let uniform = || uniform.clone();
        let mut to_field = DynamicBindGroupEntries::sequential((uniform(), palette.clone()));
        let mut to_shallow =
            DynamicBindGroupEntries::sequential((uniform(), field, linear, details, gas_details));
        let to_deep =
            BindGroupEntries::sequential((uniform(), shallow, linear, details, gas_details));
        let to_wide = BindGroupEntries::sequential((uniform(), deep, linear, details, gas_details));
        let to_shape = BindGroupEntries::sequential((uniform(), shallow, deep, wide));
        // The haze is drawn from the gases. The view then reads it at the binding of the gases.
        let [mut to_haze, mut to_view] = [gas, haze].map(|gas_or_haze| {
            DynamicBindGroupEntries::sequential((
                uniform(),
                field,
                details,
                shape,
                deep,
                behind,
                linear,
                gas_or_haze,
                gas_details,
                shallow,
            ))
        });
        let mut at_walls = 0;
        let mut to_walls = None;
        if let Some((textures, walls)) = textures.walls.as_ref().zip(walls.view()) {
            at_walls = 1;
            let nearest = &textures.nearest.default_view;
            to_field = to_field.extend_sequential((walls, nearest));
            to_shallow = to_shallow.extend_sequential((&textures.solid.default_view,));
            to_haze = to_haze.extend_sequential((walls, nearest));
            to_view = to_view.extend_sequential((walls, nearest));
            let entries = BindGroupEntries::sequential((uniform(), walls));
            to_walls = Some(group("fluid_wall_bind_group", &layouts.wall, &entries));
        }
        view.bind_groups = Some(SurfaceBindGroups {
            walls: to_walls,
            field: group("fluid_field_bind_group", &layouts.field[at_walls], &to_field),
            shallow: group("fluid_shallow_bind_group", &layouts.coarser[at_walls], &to_shallow),
            deep: group("fluid_deep_bind_group", &layouts.coarser[0], &to_deep),
            wide: group("fluid_wide_bind_group", &layouts.coarser[0], &to_wide),
            shape: group("fluid_shape_bind_group", &layouts.shape, &to_shape),
            haze: textures
                .haze
                .as_ref()
                .map(|_| group("fluid_haze_bind_group", &layouts.surface[at_walls], &to_haze)),
            surface: group("fluid_surface_bind_group", &layouts.surface[at_walls], &to_view),
        });
    }
}
