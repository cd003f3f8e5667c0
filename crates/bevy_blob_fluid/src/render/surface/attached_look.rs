//! A fragment shader of the game's own, ready to be drawn with.

use bevy::prelude::*;
use bevy::render::render_resource::{BindGroup, BindGroupLayoutDescriptor};
use bevy::shader::Shader;

/// A shader of the game's own, and its bind group layout.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct SurfaceShader {
    pub fragment: Handle<Shader>,
    pub layout: BindGroupLayoutDescriptor,
}

/// A custom look on the GPU.
#[derive(Clone)]
pub(super) struct AttachedLook {
    pub shader: SurfaceShader,
    pub bind_group: BindGroup,
}
