//! The last moments of the liquid, to step back through, and recordings.

use std::collections::VecDeque;
use std::time::Duration;

use bevy::prelude::*;
use bevy_blob_fluid::{
    Fluid, FluidClock, FluidRecording, FluidSimulation, FluidSnapshot, FluidStatistics,
};

use crate::state::FluidPanel;

/// Most moments that are kept, one for each frame in which there was a tick.
const MOST: usize = 300;
/// About the memory that moments may take, in bytes, and that of a particle and of a cell of air in one.
const MEMORY: usize = 64 << 20;
const PARTICLE: usize = 130;
const CELL: usize = 100;

/// What the liquid was while the panel was open, the oldest moment first.
#[derive(Resource, Default)]
pub(crate) struct FluidPanelPast {
    /// The time and the ticks of the liquid, and all that was then.
    moments: VecDeque<((Duration, u64), FluidSnapshot)>,
}

impl FluidPanelPast {
    /// Whether there is a moment before the present one.
    pub(crate) fn can_step_back(&self) -> bool {
        self.moments.len() > 1
    }
}

/// Keeps the present moment.
pub(crate) fn keep(world: &mut World) {
    world.resource_scope(|world, mut past: Mut<FluidPanelPast>| {
        let moments = &mut past.moments;
        // On a graphics card the liquid has no moments that can be kept.
        let is_away = world.resource::<FluidStatistics>().is_on_device();
        if !world.resource::<FluidPanel>().open || is_away {
            moments.clear();
            return;
        }
        let fluid = world.resource::<FluidSimulation>();
        let now = (world.resource::<Time<Fluid>>().elapsed(), fluid.ticks());
        match moments.back() {
            Some((last, _)) if *last == now => return,
            // It has started over or shows another scene, or somebody else has gone back.
            Some((last, _)) if last.0 > now.0 || last.1 > now.1 => moments.clear(),
            _ => {}
        }
        let cells: usize = fluid.airs().map(|air| air.columns() * air.rows()).sum();
        let bytes = 1 + PARTICLE * fluid.particles().len() + CELL * cells;
        let most = (MEMORY / bytes).clamp(2, MOST);
        // The memory of what is too long ago is used again.
        let mut oldest = None;
        while moments.len() >= most {
            oldest = moments.pop_front();
        }
        let (_, mut moment) = oldest.unwrap_or_default();
        match moment.take_again(world) {
            Ok(()) => moments.push_back((now, moment)),
            Err(_) => moments.clear(),
        }
    });
}

/// Pauses, and goes back by a frame. Entities that are gone since are named in warnings.
pub(crate) fn step_back(world: &mut World) {
    world.resource_scope(|world, mut past: Mut<FluidPanelPast>| {
        if past.can_step_back() {
            past.moments.pop_back();
        }
        let Some((_, moment)) = past.moments.back() else { return };
        match moment.restore(world) {
            Ok(restored) => restored.missing.iter().for_each(|missing| warn!("{missing}")),
            Err(error) => warn!("{error}"),
        }
        world.resource_mut::<Time<Fluid>>().pause();
    });
}

/// Begins to record, or ends it.
pub(crate) fn record(recording: &mut FluidRecording) {
    if recording.is_running() {
        recording.stop();
    } else {
        recording.start_anew();
    }
}

/// The file that a recording is saved in.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) const FILE: &str = "fluid.recording";

/// Saves what was recorded in the working directory.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn save(recording: &FluidRecording) {
    let Some(bytes) = recording.to_bytes() else { return };
    match std::fs::write(FILE, bytes) {
        Ok(()) => info!("saved {FILE}: `lab --replay {FILE}` plays it"),
        Err(error) => warn!("{FILE}: {error}"),
    }
}
