//! Modes of an example with a command line: a window, a picture, or a run without drawing.

use std::path::PathBuf;

use bevy::app::{PluginGroupBuilder, ScheduleRunnerPlugin};
use bevy::log::{Level, LogPlugin};
use bevy::prelude::*;
use bevy::render::RenderPlugin;
use bevy::render::pipelined_rendering::PipelinedRenderingPlugin;
use bevy::render::settings::{Backends, RenderCreation, WgpuSettings};
use bevy::window::{ExitCondition, WindowResolution};
use bevy::winit::WinitPlugin;
use clap::Parser;

use super::adapter;
use super::arguments::{Arguments, PictureSize, example_name};
use super::film::FilmPlugin;
use super::headless::HeadlessPlugin;
use super::held_keys::HeldKeysPlugin;
use crate::gpu::GpuPlugin;
use crate::native::picture::{ShotPlugin, exit_with};

/// The plugins for the program's command line, and the scene in it.
pub(crate) fn chosen_plugins() -> (PluginGroupBuilder, Option<String>) {
    let arguments = Arguments::parse();
    let held = HeldKeysPlugin(arguments.hold.clone());
    let (scene, gpu) = (arguments.scene.clone(), arguments.gpu);
    let group = match Mode::choose(arguments) {
        Mode::Window { size } => window(size),
        Mode::Shot { file, at, size, backends } => {
            offscreen(Some(backends)).add(ShotPlugin { file, at, size }).add(held)
        }
        Mode::Film { film, backends } => offscreen(Some(backends)).add(film).add(held),
        Mode::Headless { seconds, picture } => {
            offscreen(None).add(HeadlessPlugin { seconds, picture }).add(held)
        }
    };
    (if gpu { group.add(GpuPlugin) } else { group }, scene)
}

/// Message if nothing can be drawn.
const NO_ADAPTER: &str =
    "No graphics adapter (`apt-get install mesa-vulkan-drivers` brings a software one)";

/// The mode of an example.
enum Mode {
    Window {
        size: PictureSize,
    },
    Shot {
        file: PathBuf,
        at: f64,
        size: PictureSize,
        backends: Backends,
    },
    Film {
        film: FilmPlugin,
        backends: Backends,
    },
    /// No drawing, except for a picture by the CPU at the end if a file is named.
    Headless {
        seconds: f64,
        picture: Option<(PathBuf, PictureSize)>,
    },
}

impl Mode {
    fn choose(arguments: Arguments) -> Self {
        let Arguments {
            shot,
            film,
            at,
            size,
            headless,
            seconds,
            hold: _,
            scene: _,
            gpu: _,
            words: _,
        } = arguments;
        if headless {
            return Self::Headless { seconds, picture: None };
        }
        if let Some(folder) = film {
            let film = FilmPlugin { folder, begin: at, end: at + seconds, size };
            return match adapter::find_adapter() {
                Some(backends) => Self::Film { film, backends },
                None => exit_with(NO_ADAPTER),
            };
        }
        let Some(file) = shot else {
            return Self::window_or_else(seconds, size);
        };
        match adapter::find_adapter() {
            Some(backends) => Self::Shot { file, at, size, backends },
            None => {
                eprintln!("{NO_ADAPTER}: the CPU draws the picture.");
                Self::Headless { seconds: at, picture: Some((file, size)) }
            }
        }
    }

    fn window_or_else(seconds: f64, size: PictureSize) -> Self {
        let missing = if !adapter::has_display() {
            "No X11 display (`apt-get install xvfb`, then `xvfb-run -a`, brings a virtual one)"
        } else if adapter::find_adapter().is_none() {
            NO_ADAPTER
        } else {
            return Self::Window { size };
        };
        eprintln!("{missing}: simulating {seconds} s without a window.");
        let file = PathBuf::from(format!("{}.png", example_name()));
        Self::Headless { seconds, picture: Some((file, size)) }
    }
}

fn window(size: PictureSize) -> PluginGroupBuilder {
    let window = Window {
        title: format!("bevy_blob_fluid: {}", example_name()),
        resolution: WindowResolution::new(size.width, size.height),
        ..default()
    };
    DefaultPlugins.set(WindowPlugin { primary_window: Some(window), ..default() })
}

/// Plugins without a window. Without `backends`, they have no renderer either.
fn offscreen(backends: Option<Backends>) -> PluginGroupBuilder {
    let settings = WgpuSettings { backends, ..default() };
    DefaultPlugins
        .set(WindowPlugin {
            primary_window: None,
            exit_condition: ExitCondition::DontExit,
            ..default()
        })
        .set(RenderPlugin {
            render_creation: RenderCreation::Automatic(Box::new(settings)),
            synchronous_pipeline_compilation: true,
            ..default()
        })
        .set(LogPlugin {
            level: Level::WARN,
            // A missing or software renderer has already been reported.
            filter: "bevy_render=error,bevy_render::extract_resource=off".into(),
            ..default()
        })
        .disable::<WinitPlugin>()
        .add(ScheduleRunnerPlugin::default())
        // Without pipelined rendering, because the picture must be of the frame that requested it.
        .disable::<PipelinedRenderingPlugin>()
}
