//! Recordings of a game's liquid, for reports of faults.

use std::path::PathBuf;
use std::thread;

use bevy::prelude::*;
use blob_fluid::{FluidRecorder, Recording, SnapshotFile};

use crate::blasts::blast;
use crate::schedule::{FluidAirSystems, FluidSchedule, FluidTickSystems};
use crate::simulation::{Fluid, FluidSimulation, run_substeps, set_effort};
use crate::snapshot::records::FluidSnapshotError;

/// The entry of a file that `lab --replay` plays.
const ENTRY: &str = "recording";

/// Adds [`FluidRecording`], which records the last seconds of the liquid for reports of faults. `lab --replay FILE`
/// plays a recording on any machine, compares it, and names the first tick, part and particle that differ.
///
/// This plugin is not part of [`BlobFluidPlugins`](crate::BlobFluidPlugins). The recording contains the liquid, its
/// air, solids and bodies, and their changes between two ticks. The recording contains neither the game nor changes by
/// a system between two passes of a tick. While the liquid is [on the graphics card](crate::FluidBackend), nothing is
/// recorded.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::FluidRecorderPlugin;
/// use bevy_blob_fluid::prelude::*;
///
/// let mut app = App::new();
/// app.add_plugins((
///     MinimalPlugins,
///     BlobFluidPlugins::default(),
///     // Writes the file when a tick panics, or a particle is quarantined.
///     FluidRecorderPlugin::of_last(10.0).saving_faults_to("fault.recording"),
/// ));
/// ```
#[derive(Clone, Debug)]
pub struct FluidRecorderPlugin {
    /// Length of the recording, in seconds. The plugin keeps up to one second more. An infinite length keeps
    /// everything.
    pub seconds: f64,
    /// The file that is written when something panics, and the first time that a particle is quarantined.
    pub faults: Option<PathBuf>,
}

impl FluidRecorderPlugin {
    /// A plugin that keeps the last `seconds` seconds, and writes no file.
    pub fn of_last(seconds: f64) -> Self {
        Self { seconds, faults: None }
    }

    /// Writes a file when something panics, and the first time that a particle is quarantined.
    pub fn saving_faults_to(mut self, file: impl Into<PathBuf>) -> Self {
        self.faults = Some(file.into());
        self
    }
}

impl Plugin for FluidRecorderPlugin {
    fn build(&self, app: &mut App) {
        let Self { seconds, faults } = self.clone();
        let systems = (
            begin.in_set(FluidTickSystems::Substeps).after(set_effort).before(run_substeps),
            end.in_set(FluidTickSystems::Air).after(FluidAirSystems::LAST).before(blast),
        );
        #[cfg(feature = "gpu")]
        let systems = systems.run_if(not(crate::simulation::is_on_device));
        app.insert_resource(FluidRecording { recorder: None, seconds, faults, is_running: true })
            .add_systems(FluidSchedule, systems);
    }
}

/// The recording of the liquid by the [`FluidRecorderPlugin`], from the first tick.
#[derive(Resource, Debug)]
pub struct FluidRecording {
    recorder: Option<FluidRecorder>,
    seconds: f64,
    faults: Option<PathBuf>,
    is_running: bool,
}

impl FluidRecording {
    /// Whether anything has been recorded.
    pub fn has_begun(&self) -> bool {
        self.recorder.is_some()
    }

    /// The recording; `None` before the first tick.
    pub fn recording(&self) -> Option<Recording> {
        self.recorder.as_ref().map(FluidRecorder::recording)
    }

    /// The recording as the bytes of a file that `lab --replay` plays; `None` before the first tick.
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        let mut file = SnapshotFile::default();
        file.insert(ENTRY, &self.recording()?).ok()?;
        Some(file.to_bytes())
    }

    /// Discards the recording, and begins a new one with the next tick.
    pub fn start_anew(&mut self) {
        (self.recorder, self.is_running) = (None, true);
    }

    /// Stops recording, and keeps the recording.
    pub fn stop(&mut self) {
        self.is_running = false;
    }

    /// Whether ticks are recorded.
    pub fn is_running(&self) -> bool {
        self.is_running
    }

    fn begin(&mut self, fluid: &FluidSimulation, tick: f32) -> Result<(), FluidSnapshotError> {
        if !self.is_running {
            return Ok(());
        }
        let seconds = self.seconds;
        let recorder = match &mut self.recorder {
            Some(recorder) => recorder,
            none if seconds.is_finite() => none.insert(FluidRecorder::of_last(fluid, seconds)?),
            none => none.insert(FluidRecorder::new(fluid)?),
        };
        Ok(recorder.before_tick(fluid, tick)?)
    }

    fn end(&mut self, fluid: &FluidSimulation) -> Result<(), FluidSnapshotError> {
        if let Some(recorder) = &mut self.recorder {
            recorder.after_tick(fluid)?;
        }
        if !fluid.just_quarantined().is_empty() {
            self.save_fault();
        }
        Ok(())
    }

    /// Writes the file, once.
    fn save_fault(&mut self) {
        let Some(file) = self.faults.take() else { return };
        let Some(bytes) = self.to_bytes() else { return };
        match std::fs::write(&file, bytes) {
            Ok(()) => error!(
                "something went wrong with the fluid: the last seconds are in {}; \
                 `lab --replay FILE` plays them",
                file.display()
            ),
            Err(error) => error!("{}: {error}", file.display()),
        }
    }
}

/// When a tick panics, no system runs after it: only `drop` can write the file.
impl Drop for FluidRecording {
    fn drop(&mut self) {
        if thread::panicking() {
            self.save_fault();
        }
    }
}

fn begin(
    mut recording: ResMut<FluidRecording>,
    fluid: Res<FluidSimulation>,
    time: Res<Time<Fluid>>,
) {
    if let Err(error) = recording.begin(&fluid, time.delta_secs()) {
        error_once!("the fluid is not recorded: {error}");
    }
}

fn end(mut recording: ResMut<FluidRecording>, fluid: Res<FluidSimulation>) {
    if let Err(error) = recording.end(&fluid) {
        error_once!("the fluid is not recorded: {error}");
    }
}
