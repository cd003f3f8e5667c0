//! The bind groups of each surface in each view.

use bevy::prelude::*;
use bevy::render::render_resource::{
    BindGroupEntries, BindGroupEntry, BindGroupLayoutDescriptor, BufferBinding,
    DynamicBindGroupEntries, PipelineCache,
};
use bevy::render::renderer::RenderDevice;

use super::pipelines::SurfacePipelines;
use super::views::SurfaceViews;
use super::walls::WallBuffers;
use crate::render::gpu::buffers::FluidBuffers;

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
        // A missing texture is not read by the shader: any texture will do.
        let details = view.details.as_ref().unwrap_or(&view.field);
        let behind = view.behind.as_ref().map_or(&view.field, |behind| &behind.texture);
        let [field, details, shallow, deep, behind] =
            [&view.field, details, &view.shallow, &view.deep, behind]
                .map(|texture| &texture.default_view);
        let uniform = || uniform.clone();
        let mut to_field = DynamicBindGroupEntries::sequential((uniform(), palette.clone()));
        let mut to_shallow =
            DynamicBindGroupEntries::sequential((uniform(), field, linear, details));
        let to_deep = BindGroupEntries::sequential((uniform(), shallow, linear, details));
        let mut to_view = DynamicBindGroupEntries::sequential((
            uniform(),
            field,
            details,
            shallow,
            deep,
            behind,
            linear,
        ));
        let mut at_walls = 0;
        if let Some((textures, walls)) = view.walls.as_mut().zip(walls.view()) {
            at_walls = 1;
            let nearest = &textures.nearest.default_view;
            to_field = to_field.extend_sequential((walls, nearest));
            to_shallow = to_shallow.extend_sequential((&textures.solid.default_view,));
            to_view = to_view.extend_sequential((walls, nearest));
            let to_walls = BindGroupEntries::sequential((uniform(), walls));
            textures.bind_group = Some(group("fluid_wall_bind_group", &layouts.wall, &to_walls));
        }
        view.bind_groups = Some([
            group("fluid_field_bind_group", &layouts.field[at_walls], &to_field),
            group("fluid_coarser_field_bind_group", &layouts.coarser[at_walls], &to_shallow),
            group("fluid_coarser_field_bind_group", &layouts.coarser[0], &to_deep),
            group("fluid_surface_bind_group", &layouts.surface[at_walls], &to_view),
        ]);
    }
}
