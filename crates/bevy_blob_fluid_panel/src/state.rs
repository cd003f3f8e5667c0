//! The state of the panel and the user's choices, earlier moments to step back to, and recordings.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::time::Duration;

use bevy::prelude::*;
use bevy_blob_fluid::blob_fluid::ClassId;
use bevy_blob_fluid::{
    Fluid, FluidClock, FluidRecording, FluidSettings, FluidSimulation, FluidSnapshot,
    FluidStatistics,
};

use crate::tabs::material_files::{SaveError, Written};

/// A page of the panel.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FluidPanelTab {
    /// The settings of the liquid as a whole.
    #[default]
    Liquid,
    /// The classes, one by one.
    Classes,
    /// The interactions of two classes.
    Pairs,
    /// The looks of the liquid.
    Look,
    /// Graphs: times, and how well the layers are sorted.
    Graphs,
    /// Findings of the doctor, which checks the liquid for faults.
    Doctor,
    /// The air, in a world with air.
    Air,
}

/// The corner of the window in which the panel is, open or closed.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FluidPanelCorner {
    /// The upper left corner.
    #[default]
    TopLeft,
    /// The upper right corner.
    TopRight,
    /// The lower left corner.
    BottomLeft,
    /// The lower right corner.
    BottomRight,
}

/// State of the panel. The app may change this resource.
#[derive(Resource, Clone, Debug)]
pub struct FluidPanel {
    /// Whether the panel is open. The tools of a closed panel have no effect.
    pub open: bool,
    /// The panel's corner of the window, open or closed.
    pub corner: FluidPanelCorner,
    /// Whether a closed panel is shown as a button. Otherwise a closed panel is hidden, and only F1 opens it.
    pub button: bool,
    /// The shown page.
    pub tab: FluidPanelTab,
    /// Factor on the panel's automatic size, which depends on the size of the window; 0.5 to 3. Default 1.
    pub size: f32,
    /// Folder where materials are saved.
    pub materials_folder: PathBuf,
    /// Settings of the app; resetting keeps their scale.
    pub(crate) started_with: FluidSettings,
    /// Settings as the panel last set them.
    pub(crate) seen_settings: Option<FluidSettings>,
    pub(crate) classes: ClassesState,
    /// Files that the panel wrote.
    pub(crate) written: Written,
    /// The classes whose pair is edited.
    pub(crate) pair: [usize; 2],
    /// The class whose look is edited; `None` for the look of all others.
    pub(crate) look_class: Option<ClassId>,
}

/// State of the tab of the classes.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClassesState {
    /// The class that is edited.
    pub chosen: usize,
    /// A name that the user is typing.
    pub draft: Option<Draft>,
    /// The class that was saved last, and the result.
    pub saved: Option<(String, Result<String, SaveError>)>,
}

/// A name that the user is typing and that is not valid yet.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    /// Present name of the class.
    pub class: String,
    pub text: String,
}

impl FluidPanel {
    /// The panel of an app that has just started.
    pub(crate) fn new(
        open: bool,
        corner: FluidPanelCorner,
        button: bool,
        materials_folder: PathBuf,
    ) -> Self {
        Self {
            open,
            corner,
            button,
            tab: FluidPanelTab::default(),
            size: 1.0,
            materials_folder,
            started_with: FluidSettings::default(),
            seen_settings: None,
            classes: ClassesState::default(),
            written: Written::default(),
            pair: [0, 1],
            look_class: None,
        }
    }
}

// Earlier moments of the liquid, to step back to, and recordings.

/// Largest number of stored moments, one for each frame with a tick.
const MOST: usize = 300;
/// Approximate limit of the memory of all moments, and the memory of a particle and of a cell of air, in bytes.
const MEMORY: usize = 64 << 20;
const PARTICLE: usize = 130;
const CELL: usize = 100;

/// The states of the liquid while the panel was open, the oldest one first.
#[derive(Resource, Default)]
pub(crate) struct FluidPanelPast {
    /// The time and the tick count of the liquid, and a snapshot of that moment.
    moments: VecDeque<((Duration, u64), FluidSnapshot)>,
}

impl FluidPanelPast {
    /// Whether there is a moment before the present one.
    pub(crate) fn can_step_back(&self) -> bool {
        self.moments.len() > 1
    }
}

/// Stores the present moment.
pub(crate) fn keep(world: &mut World) {
    world.resource_scope(|world, mut past: Mut<FluidPanelPast>| {
        let moments = &mut past.moments;
        // Snapshots do not contain liquid on a graphics card.
        let is_away = world.resource::<FluidStatistics>().is_on_device();
        if !world.resource::<FluidPanel>().open || is_away {
            moments.clear();
            return;
        }
        let fluid = world.resource::<FluidSimulation>();
        let now = (world.resource::<Time<Fluid>>().elapsed(), fluid.ticks());
        match moments.back() {
            Some((last, _)) if *last == now => return,
            // The liquid has started over or shows another scene, or the app has restored a snapshot.
            Some((last, _)) if last.0 > now.0 || last.1 > now.1 => moments.clear(),
            _ => {}
        }
        let cells: usize = fluid.airs().map(|air| air.columns() * air.rows()).sum();
        let bytes = 1 + PARTICLE * fluid.particles().len() + CELL * cells;
        let most = (MEMORY / bytes).clamp(2, MOST);
        // The memory of the oldest moment is reused.
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

/// Pauses, and restores the state of the previous frame. There are warnings for entities that are gone.
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

/// Starts a new recording, or stops the present one.
pub(crate) fn record(recording: &mut FluidRecording) {
    if recording.is_running() {
        recording.stop();
    } else {
        recording.start_anew();
    }
}

/// The file of a saved recording.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) const FILE: &str = "fluid.recording";

/// Saves the recording in the working directory.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn save(recording: &FluidRecording) {
    let Some(bytes) = recording.to_bytes() else { return };
    match std::fs::write(FILE, bytes) {
        Ok(()) => info!("saved {FILE}: `lab --replay {FILE}` plays it"),
        Err(error) => warn!("{FILE}: {error}"),
    }
}
