//! The controls of time: pause, step, step back, recordings, slow motion, restart, and the choice of a scene.

use bevy::prelude::*;
use bevy_egui::egui;
use egui::{Button, RichText, Ui};

use crate::form::{Form, Number, named_button};
use crate::{state, style};
use bevy_blob_fluid::{Fluid, FluidClock, FluidRecording};

/// The scenes that the panel offers. The app fills this list, and handles [`FluidScenePicked`]. The
/// panel has no choice of scenes while the list is empty.
#[derive(Resource, Reflect, Clone, Debug, Default, PartialEq, Eq)]
#[reflect(Resource, Default, Debug, PartialEq)]
pub struct FluidPanelScenes {
    /// Names of the scenes, in the order of the list.
    pub names: Vec<String>,
    /// Index of the present scene.
    pub current: Option<usize>,
}

/// The user picked a scene; the message contains its index in [`FluidPanelScenes::names`].
///
/// The panel has already set [`FluidPanelScenes::current`] to this index.
#[derive(Message, Clone, Copy, Debug, PartialEq, Eq)]
pub struct FluidScenePicked(pub usize);

/// The user requests a restart of the scene. The app must handle the message; the panel only writes
/// it.
#[derive(Message, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FluidRestartRequested;

/// Messages requested by the controls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Requests {
    pub scene: Option<usize>,
    pub restart: bool,
    pub step_back: bool,
}

const SPEED: Number = Number::new(
    "Speed",
    "of real time",
    0.05,
    2.0,
    "Slow motion, or faster than life. Ticks stay the same.",
)
.by_factors();
const MAX_TICKS: Number = Number::new(
    "Most ticks",
    "per frame",
    1.0,
    64.0,
    "Beyond that the liquid falls behind the clock.",
)
.usually(1.0, 32.0);

/// The controls of time.
pub(crate) fn show(
    ui: &mut Ui,
    time: &mut Time<Fluid>,
    scenes: &mut FluidPanelScenes,
    can_step_back: bool,
) -> Requests {
    let mut asked = Requests::default();
    ui.horizontal(|ui| {
        let paused = time.is_paused();
        let size = egui::vec2(30.0, 24.0);
        let icon = |text: &str| RichText::new(text).size(14.0);
        let back = Button::new(icon("⏮")).min_size(size);
        asked.step_back = named_button(ui, back, can_step_back, "Step back");
        let (text, name) = if paused { ("▶", "Play") } else { ("⏸", "Pause") };
        let play = Button::new(icon(text)).min_size(size).selected(paused);
        if named_button(ui, play, true, name) {
            if paused {
                time.unpause();
            } else {
                time.pause();
            }
        }
        if named_button(ui, Button::new(icon("⏭")).min_size(size), true, "Step") {
            time.pause();
            time.step_once();
        }
        asked.restart = named_button(ui, Button::new(icon("⟲")).min_size(size), true, "Restart");
        scene_picker(ui, scenes, &mut asked);
    });
    let form = Form::default();
    let mut speed = time.relative_speed() as f32;
    if form.number(ui, &SPEED, &mut speed, 1.0) {
        time.set_relative_speed(f64::from(speed));
    }
    asked
}

/// Edits the largest number of ticks in a frame: a setting of the clock.
pub(crate) fn most_ticks(ui: &mut Ui, time: &mut Time<Fluid>) {
    let mut ticks = time.max_ticks_per_frame();
    if Form::default().count(ui, &MAX_TICKS, &mut ticks, 8) {
        time.set_max_ticks_per_frame(ticks);
    }
}

/// The controls of a recording, in an app that has one.
pub(crate) fn recording(ui: &mut Ui, recording: &mut FluidRecording) {
    ui.horizontal(|ui| {
        let (text, name) = if recording.is_running() {
            ("⏹ Stop", "Stop recording")
        } else {
            ("⏺ Record", "Record")
        };
        if named_button(ui, Button::new(text), true, name) {
            state::record(recording);
        }
        // Browsers have no files.
        #[cfg(not(target_arch = "wasm32"))]
        if named_button(ui, Button::new("💾"), recording.has_begun(), "Save recording") {
            state::save(recording);
        }
    });
}

fn scene_picker(ui: &mut Ui, scenes: &mut FluidPanelScenes, asked: &mut Requests) {
    if scenes.names.is_empty() {
        return;
    }
    let shown = scenes.current.and_then(|index| scenes.names.get(index));
    let shown = shown.map_or("Pick a scene", String::as_str);
    let label = ui.label(RichText::new("Scene").color(style::WEAK));
    let combo = egui::ComboBox::from_id_salt("scenes").selected_text(shown).width(120.0);
    let response = combo.show_ui(ui, |ui| {
        for (index, name) in scenes.names.iter().enumerate() {
            if ui.selectable_label(scenes.current == Some(index), name).clicked() {
                asked.scene = Some(index);
            }
        }
    });
    response.response.labelled_by(label.id);
    if asked.scene.is_some() {
        scenes.current = asked.scene;
    }
}
