//! Targets of passes.

use bevy::prelude::*;
use bevy::render::render_resource::{
    LoadOp, Operations, RenderPassColorAttachment, StoreOp, TextureView,
};

/// A colour attachment that is cleared first.
pub(in crate::render) fn cleared(view: &TextureView) -> Option<RenderPassColorAttachment<'_>> {
    Some(RenderPassColorAttachment {
        view,
        depth_slice: None,
        resolve_target: None,
        ops: Operations { load: LoadOp::Clear(default()), store: StoreOp::Store },
    })
}
