//! The textures of a surface in a view.

use bevy::prelude::*;
use bevy::render::render_resource::{
    Extent3d, TextureDescriptor, TextureDimension, TextureFormat, TextureUsages,
    TextureViewDescriptor,
};
use bevy::render::renderer::RenderDevice;
use bevy::render::texture::CachedTexture;

use super::field_layout::{DEEP_STEP, FieldLayout};
use super::walls::{NEAREST_DEPTH, NEAREST_FORMAT, SOLID_FORMAT, WallTextures};

/// A field's layout, and whether heat, foam, opacity and shade have a texture of their own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FieldKind {
    pub layout: FieldLayout,
    pub details: bool,
}

/// What the textures of a surface in a view are like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TextureKinds {
    pub liquids: FieldKind,
    /// `None` without gases.
    pub gases: Option<FieldKind>,
    pub walls: bool,
    pub format: TextureFormat,
}

/// A field, and the texture of its heat, foam, opacity and shade.
#[derive(Clone)]
pub(super) struct FieldTextures {
    pub field: CachedTexture,
    pub details: Option<CachedTexture>,
}

/// The textures of a surface in a view.
#[derive(Clone)]
pub(super) struct SurfaceTextures {
    pub liquids: FieldTextures,
    pub gases: Option<FieldTextures>,
    /// How full the surroundings are, their light and shade: near, far, and over a large part of the view.
    pub shallow: CachedTexture,
    pub deep: CachedTexture,
    pub wide: CachedTexture,
    /// How the surface leans, and how deep a place is.
    pub shape: CachedTexture,
    /// The haze of gases, if there are any.
    pub haze: Option<CachedTexture>,
    /// The walls that the surface meets, if there are any.
    pub walls: Option<WallTextures>,
}

impl SurfaceTextures {
    /// Textures of the given kinds, whose contents are not defined.
    pub(super) fn new(kinds: &TextureKinds, device: &RenderDevice) -> Self {
        let texture = |label, size, format| create(device, label, size, format);
        let field = |kind: &FieldKind, [field, details]: [&'static str; 2]| FieldTextures {
            field: texture(field, kind.layout.texture(), kinds.format),
            details: kind.details.then(|| texture(details, kind.layout.texture(), kinds.format)),
        };
        let layout = &kinds.liquids.layout;
        let shallow = layout.tile / layout.step();
        let deep = shallow / DEEP_STEP;
        // The last texel may reach beyond the deep texture.
        let wide = (deep + DEEP_STEP - 1) / DEEP_STEP;
        Self {
            liquids: field(&kinds.liquids, ["fluid_field", "fluid_field_details"]),
            gases: kinds.gases.map(|gases| field(&gases, ["fluid_gas", "fluid_gas_details"])),
            shallow: texture("fluid_field_shallow", shallow, kinds.format),
            deep: texture("fluid_field_deep", deep, kinds.format),
            wide: texture("fluid_field_wide", wide, kinds.format),
            shape: texture("fluid_shape", shallow, kinds.format),
            haze: kinds.gases.map(|_| texture("fluid_haze", layout.tile, kinds.format)),
            walls: kinds.walls.then(|| WallTextures {
                nearest: texture("fluid_nearest_wall", layout.walls(), NEAREST_FORMAT),
                depth: texture("fluid_nearest_wall_depth", layout.walls(), NEAREST_DEPTH),
                solid: texture("fluid_solid", shallow, SOLID_FORMAT),
            }),
        }
    }
}

fn create(
    device: &RenderDevice,
    label: &'static str,
    size: UVec2,
    format: TextureFormat,
) -> CachedTexture {
    let texture = device.create_texture(&TextureDescriptor {
        label: Some(label),
        size: Extent3d { width: size.x, height: size.y, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: TextureDimension::D2,
        format,
        usage: TextureUsages::RENDER_ATTACHMENT | TextureUsages::TEXTURE_BINDING,
        view_formats: &[],
    });
    let default_view = texture.create_view(&TextureViewDescriptor::default());
    CachedTexture { texture, default_view }
}
