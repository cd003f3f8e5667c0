//! What runs of an example share: time that waits and stops, the graphics card, and pictures without texts.

use std::time::Duration;

use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use bevy_blob_fluid::{
    Fluid, FluidBackend, FluidBlob, FluidClock, FluidCollider, FluidMaterials, FluidSettings,
    FluidSimulation, FluidText,
};

use crate::art::Hud;

/// Pauses the liquid until all requested materials are loaded and all texts have shapes. A picture therefore does not
/// depend on the duration of loading. Fixed steps continue, because materials come into use in them.
pub(crate) fn wait_for_assets(
    materials: Res<FluidMaterials>,
    unwritten: Query<(), (With<FluidText>, Without<FluidBlob>, Without<FluidCollider>)>,
    mut time: ResMut<Time<Fluid>>,
    mut started: Local<bool>,
) {
    if *started {
        return;
    }
    *started = !materials.are_loading() && unwritten.is_empty();
    if *started {
        time.unpause();
    } else {
        time.pause();
    }
}

/// Stops time for the liquid and for bodies of a physics engine. A picture therefore does not depend on the number of
/// frames until it is drawn.
pub(crate) fn stop_time(fluid: &mut Time<Fluid>, strategy: &mut TimeUpdateStrategy) {
    fluid.pause();
    *strategy = TimeUpdateStrategy::ManualDuration(Duration::ZERO);
}

/// Whether the liquid has reached a simulated time, in seconds.
pub(crate) fn has_come_to(fluid: &FluidSimulation, seconds: f64) -> bool {
    // A slack of 0.1 ms, because sums of tick lengths are not exact.
    fluid.time() + 1e-4 >= seconds
}

// The liquid on the graphics card, independently of an example's initial settings.

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

// Pictures without a game's texts.

/// Hides entities that have just been marked as [`Hud`].
pub(crate) fn hide_hud(mut shown: Query<&mut Visibility, Added<Hud>>) {
    shown.iter_mut().for_each(|mut visibility| *visibility = Visibility::Hidden);
}
