//! The liquid on the graphics card, whatever settings an example begins with.

use bevy::prelude::*;
use bevy_blob_fluid::{FluidBackend, FluidSettings};

/// Keeps the liquid on the graphics card.
pub(crate) struct GpuPlugin;

impl Plugin for GpuPlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(PreStartup, choose_gpu).add_systems(PreUpdate, choose_gpu);
    }
}

/// Scenes bring settings of their own.
fn choose_gpu(mut settings: ResMut<FluidSettings>) {
    if settings.backend != FluidBackend::Gpu {
        settings.backend = FluidBackend::Gpu;
    }
}
