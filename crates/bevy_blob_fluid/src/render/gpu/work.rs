//! What is done to draw the liquid.

use bevy::prelude::*;
use bytemuck::Pod;

/// What was done in the last frame to draw the liquid: a resource of the render world. Where neither
/// liquid, camera, walls nor looks change, nothing is uploaded, and the fields of surfaces are kept; but for the time that
/// gases and caustics need, which stands still while the fluid is paused.
///
/// ```
/// use bevy::prelude::*;
/// use bevy::render::{Render, RenderApp, RenderPlugin, RenderSystems};
/// use bevy_blob_fluid::render::FluidDrawingWork;
///
/// fn print(work: Res<FluidDrawingWork>) {
///     println!("{} bytes, {} fields", work.bytes_uploaded, work.fields_drawn);
/// }
///
/// fn watch(app: &mut App) {
///     app.sub_app_mut(RenderApp).add_systems(Render, print.in_set(RenderSystems::Cleanup));
/// }
/// ```
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FluidDrawingWork {
    /// Bytes of particles, colours, walls and surfaces that were uploaded.
    pub bytes_uploaded: u64,
    /// Number of surfaces in views whose fields were drawn anew.
    pub fields_drawn: u32,
    /// How many texels a particle of liquid covered in these fields, in all their textures together; the most of
    /// all surfaces, and 0 if none was drawn.
    pub texels_per_particle: u32,
}

impl FluidDrawingWork {
    /// Counts what is uploaded.
    pub(in crate::render) fn add_bytes<T: Pod>(&mut self, uploaded: &[T]) {
        self.bytes_uploaded += size_of_val(uploaded) as u64;
    }
}

/// Begins a frame's count.
pub(in crate::render) fn begin_counting(mut work: ResMut<FluidDrawingWork>) {
    *work = FluidDrawingWork::default();
}
