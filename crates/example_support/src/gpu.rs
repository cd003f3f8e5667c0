//! The liquid on the graphics card, whatever settings an example begins with.

use bevy::prelude::*;
use bevy_blob_fluid::{FluidBackend, FluidSettings};

/// Puts the liquid on the graphics card at first, and whenever settings are replaced. An example that changes the
/// place alone has its way.
pub(crate) struct GpuPlugin;

impl Plugin for GpuPlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(PreStartup, choose_gpu).add_systems(PreUpdate, choose_gpu);
    }
}

/// Scenes bring settings of their own.
fn choose_gpu(mut settings: ResMut<FluidSettings>, mut known: Local<Option<FluidSettings>>) {
    let backend = settings.backend;
    let is_choice = known.is_some_and(|known| FluidSettings { backend, ..known } == *settings);
    if !is_choice && backend != FluidBackend::Gpu {
        settings.backend = FluidBackend::Gpu;
    }
    *known = Some(*settings);
}
