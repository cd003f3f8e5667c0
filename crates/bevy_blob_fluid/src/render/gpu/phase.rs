//! What a view sees, and the items of its transparent phase.

use bevy::core_pipeline::core_2d::Transparent2d;
use bevy::math::FloatOrd;
use bevy::prelude::*;
use bevy::render::render_phase::{DrawFunctionId, PhaseItemExtraIndex};
use bevy::render::render_resource::CachedRenderPipelineId;
use bevy::render::sync_world::MainEntity;
use bevy::render::view::RenderVisibleEntities;

/// Whether a view sees an entity that has a `T`.
pub(in crate::render) fn sees<T: 'static>(
    visible: &RenderVisibleEntities,
    entity: MainEntity,
) -> bool {
    let with_component = visible.get::<T>();
    with_component.is_some_and(|visible| visible.iter_visible().any(|(_, seen)| *seen == entity))
}

/// The phase item of the extracted entity at an index, at its depth among sprites.
pub(in crate::render) fn phase_item(
    entity: (Entity, MainEntity),
    depth: f32,
    index: usize,
    pipeline: CachedRenderPipelineId,
    draw_function: DrawFunctionId,
) -> Transparent2d {
    Transparent2d {
        sort_key: FloatOrd(depth),
        entity,
        pipeline,
        draw_function,
        batch_range: 0..1,
        extracted_index: index,
        extra_index: PhaseItemExtraIndex::None,
        indexed: false,
    }
}
