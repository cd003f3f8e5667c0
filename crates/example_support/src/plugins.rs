//! Bevy's plugins, chosen by the command line and by the abilities of the machine.

use std::path::{Path, PathBuf};

use bevy::app::{PluginGroupBuilder, ScheduleRunnerPlugin};
use bevy::asset::AssetMetaCheck;
use bevy::log::{Level, LogPlugin};
use bevy::prelude::*;
use bevy::render::RenderPlugin;
#[cfg(not(target_arch = "wasm32"))]
use bevy::render::pipelined_rendering::PipelinedRenderingPlugin;
use bevy::render::settings::{Backends, RenderCreation, WgpuSettings};
use bevy::window::{ExitCondition, WindowResolution};
use bevy::winit::WinitPlugin;

use crate::adapter;
use crate::arguments::{Arguments, PictureSize, example_name};
use crate::headless::HeadlessPlugin;
use crate::held_keys::HeldKeysPlugin;
use crate::scene_choice::SceneChoicePlugin;
use crate::shot::ShotPlugin;

/// Bevy's default plugins, plus the command line that every example has ([`Arguments`]).
///
/// If a window was requested and there is no display or graphics adapter, it prints one line,
/// simulates without drawing, and saves a picture drawn by the CPU.
#[derive(Clone, Copy, Debug, Default)]
pub struct DefaultPlugins;

impl PluginGroup for DefaultPlugins {
    fn build(self) -> PluginGroupBuilder {
        let arguments = Arguments::of_program();
        let held = HeldKeysPlugin(arguments.hold.clone());
        let scene = SceneChoicePlugin(arguments.scene.clone());
        let group = match Mode::choose(arguments) {
            Mode::Window { size } => window(size),
            Mode::Shot { file, at, size, backends } => {
                offscreen(Some(backends)).add(ShotPlugin { file, at, size }).add(held)
            }
            Mode::Headless { seconds, picture } => {
                offscreen(None).add(HeadlessPlugin { seconds, picture }).add(held)
            }
        };
        // There are no meta files, and a browser would request one for each asset.
        let meta_check = AssetMetaCheck::Never;
        let assets = AssetPlugin { file_path: assets_folder(), meta_check, ..default() };
        group.set(assets).add(scene)
    }
}

/// The folder of the checkout's assets, whatever the working directory is; the one beside the
/// program if the checkout no longer exists.
fn assets_folder() -> String {
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets");
    checkout.canonicalize().map_or("assets".into(), |folder| folder.display().to_string())
}

/// How an example runs.
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
    /// No drawing; a picture drawn by the CPU at the end if a file is named.
    Headless {
        seconds: f64,
        picture: Option<(PathBuf, PictureSize)>,
    },
}

impl Mode {
    fn choose(arguments: Arguments) -> Self {
        let Arguments { shot, at, size, headless, seconds, hold: _, scene: _ } = arguments;
        if headless {
            return Self::Headless { seconds, picture: None };
        }
        let Some(file) = shot else {
            return Self::window_or_else(seconds, size);
        };
        match adapter::find_adapter() {
            Some(backends) => Self::Shot { file, at, size, backends },
            None => {
                eprintln!(
                    "No graphics adapter (`apt-get install mesa-vulkan-drivers` brings a software \
                     one): the CPU draws the picture."
                );
                Self::Headless { seconds: at, picture: Some((file, size)) }
            }
        }
    }

    fn window_or_else(seconds: f64, size: PictureSize) -> Self {
        let missing = if !adapter::has_display() {
            "No X11 display (`apt-get install xvfb`, then `xvfb-run -a`, brings a virtual one)"
        } else if adapter::find_adapter().is_none() {
            "No graphics adapter (`apt-get install mesa-vulkan-drivers` brings a software one)"
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
        fit_canvas_to_parent: true,
        ..default()
    };
    bevy::DefaultPlugins.set(WindowPlugin { primary_window: Some(window), ..default() })
}

/// Plugins without a window, and without a renderer unless there are `backends`.
fn offscreen(backends: Option<Backends>) -> PluginGroupBuilder {
    let settings = WgpuSettings { backends, ..default() };
    let group = bevy::DefaultPlugins
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
            // The user has already been told about a missing or software renderer.
            filter: "bevy_render=error,bevy_render::extract_resource=off".into(),
            ..default()
        })
        .disable::<WinitPlugin>()
        .add(ScheduleRunnerPlugin::default());
    // Without pipelining: the picture must be of the frame that requested it.
    #[cfg(not(target_arch = "wasm32"))]
    let group = group.disable::<PipelinedRenderingPlugin>();
    group
}
