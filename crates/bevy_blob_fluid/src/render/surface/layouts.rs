//! The layouts of the bind groups of a surface.

use bevy::render::render_resource::binding_types::{sampler, texture_2d, uniform_buffer};
use bevy::render::render_resource::{
    BindGroupLayoutDescriptor, BindGroupLayoutEntries, DynamicBindGroupLayoutEntries,
    SamplerBindingType, ShaderStages, TextureSampleType,
};

use super::uniform::SurfaceUniform;
use crate::render::gpu::buffers::PaletteUniform;

/// The layouts of the bind groups of a surface.
pub(super) struct SurfaceLayouts {
    /// That of the passes that draw walls.
    pub wall: BindGroupLayoutDescriptor,
    /// Without walls and with walls, like `coarser` and `surface`.
    pub field: [BindGroupLayoutDescriptor; 2],
    pub coarser: [BindGroupLayoutDescriptor; 2],
    pub shape: BindGroupLayoutDescriptor,
    pub surface: [BindGroupLayoutDescriptor; 2],
}

impl SurfaceLayouts {
    pub(super) fn new() -> Self {
        let both = ShaderStages::VERTEX_FRAGMENT;
        let surface = uniform_buffer::<SurfaceUniform>(true);
        let texture = texture_2d(TextureSampleType::Float { filterable: true });
        let linear = sampler(SamplerBindingType::Filtering);
        // The texture of all walls, and that of the nearest ones.
        let walls = texture_2d(TextureSampleType::Float { filterable: false });
        let nearest = texture_2d(TextureSampleType::Uint);
        Self {
            wall: BindGroupLayoutDescriptor::new(
                "fluid_wall_layout",
                &BindGroupLayoutEntries::sequential(both, (surface, walls)),
            ),
            field: [false, true].map(|at_walls| {
                let palette = uniform_buffer::<PaletteUniform>(false);
                let entries = DynamicBindGroupLayoutEntries::sequential(both, (surface, palette));
                let entries =
                    if at_walls { entries.extend_sequential((walls, nearest)) } else { entries };
                BindGroupLayoutDescriptor::new("fluid_field_layout", &entries)
            }),
            coarser: [false, true].map(|at_walls| {
                let entries = DynamicBindGroupLayoutEntries::sequential(
                    ShaderStages::FRAGMENT,
                    (surface, texture, linear, texture, texture),
                );
                let entries =
                    if at_walls { entries.extend_sequential((texture,)) } else { entries };
                BindGroupLayoutDescriptor::new("fluid_coarser_field_layout", &entries)
            }),
            shape: BindGroupLayoutDescriptor::new(
                "fluid_shape_layout",
                &BindGroupLayoutEntries::sequential(
                    ShaderStages::FRAGMENT,
                    (surface, texture, texture, texture),
                ),
            ),
            surface: [false, true].map(|at_walls| {
                let entries = DynamicBindGroupLayoutEntries::sequential(
                    both,
                    (
                        surface, texture, texture, texture, texture, texture, linear, texture,
                        texture, texture,
                    ),
                );
                let entries =
                    if at_walls { entries.extend_sequential((walls, nearest)) } else { entries };
                BindGroupLayoutDescriptor::new("fluid_surface_layout", &entries)
            }),
        }
    }
}
