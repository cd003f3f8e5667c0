//! The bind groups of each surface in each view.

use bevy::prelude::*;
use bevy::render::render_resource::{BindGroupEntries, BufferBinding, PipelineCache};
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
    let prepared = &mut *prepared;
    let (Some(uniform), Some(palette)) = (prepared.uniforms.binding(), buffers.palette()) else {
        return;
    };
    let layout = |layout| pipeline_cache.get_bind_group_layout(layout);
    for view in &mut prepared.views {
        let palette = BufferBinding { buffer: palette, offset: 0, size: None };
        let linear = &pipelines.linear;
        // A missing texture is not read by the shader: any texture will do.
        let details = view.details.as_ref().unwrap_or(&view.field);
        let behind = view.behind.as_ref().map_or(&view.field, |behind| &behind.texture);
        let textures = [&view.field, details, &view.shallow, &view.deep, behind]
            .map(|texture| &texture.default_view);
        let [coarser, coarser_at_walls] = &pipelines.coarser_layouts;
        let coarser = layout(coarser);
        let from_shallow = device.create_bind_group(
            "fluid_coarser_field_bind_group",
            &coarser,
            &BindGroupEntries::sequential((
                uniform.clone(),
                &view.shallow.default_view,
                linear,
                textures[1],
            )),
        );
        let with_walls = view.walls.as_mut().zip(walls.view());
        let Some((wall_textures, walls)) = with_walls else {
            view.bind_groups = Some([
                device.create_bind_group(
                    "fluid_field_bind_group",
                    &layout(&pipelines.field_layouts[0]),
                    &BindGroupEntries::sequential((uniform.clone(), palette)),
                ),
                device.create_bind_group(
                    "fluid_coarser_field_bind_group",
                    &coarser,
                    &BindGroupEntries::sequential((
                        uniform.clone(),
                        textures[0],
                        linear,
                        textures[1],
                    )),
                ),
                from_shallow,
                device.create_bind_group(
                    "fluid_surface_bind_group",
                    &layout(&pipelines.surface_layouts[0]),
                    &BindGroupEntries::sequential((
                        uniform.clone(),
                        textures[0],
                        textures[1],
                        textures[2],
                        textures[3],
                        textures[4],
                        linear,
                    )),
                ),
            ]);
            continue;
        };
        let nearest = &wall_textures.nearest.default_view;
        view.bind_groups = Some([
            device.create_bind_group(
                "fluid_field_at_walls_bind_group",
                &layout(&pipelines.field_layouts[1]),
                &BindGroupEntries::sequential((uniform.clone(), palette, walls, nearest)),
            ),
            device.create_bind_group(
                "fluid_coarser_field_at_walls_bind_group",
                &layout(coarser_at_walls),
                &BindGroupEntries::sequential((
                    uniform.clone(),
                    textures[0],
                    linear,
                    textures[1],
                    &wall_textures.solid.default_view,
                )),
            ),
            from_shallow,
            device.create_bind_group(
                "fluid_surface_at_walls_bind_group",
                &layout(&pipelines.surface_layouts[1]),
                &BindGroupEntries::sequential((
                    uniform.clone(),
                    textures[0],
                    textures[1],
                    textures[2],
                    textures[3],
                    textures[4],
                    linear,
                    walls,
                    nearest,
                )),
            ),
        ]);
        wall_textures.bind_group = Some(device.create_bind_group(
            "fluid_wall_bind_group",
            &layout(&pipelines.wall_layout),
            &BindGroupEntries::sequential((uniform.clone(), walls)),
        ));
    }
}
