//! The liquid on the graphics card, independently of an example's initial settings.

use bevy::prelude::*;
use bevy_blob_fluid::{FluidBackend, FluidSettings};

/// Puts the liquid on the graphics card at the start, and whenever settings are replaced. A change of only the backend
/// by an example is accepted.
pub(crate) struct GpuPlugin;

impl Plugin for GpuPlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(PreStartup, choose_gpu).add_systems(PreUpdate, choose_gpu);
    }
}

/// Runs every frame, because scenes replace the settings.
fn choose_gpu(mut settings: ResMut<FluidSettings>, mut known: Local<Option<FluidSettings>>) {
    let backend = settings.backend;
    let is_choice = known.is_some_and(|known| FluidSettings { backend, ..known } == *settings);
    if !is_choice && backend != FluidBackend::Gpu {
        settings.backend = FluidBackend::Gpu;
    }
    *known = Some(*settings);
}
