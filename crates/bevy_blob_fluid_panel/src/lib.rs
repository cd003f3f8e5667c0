//! A panel to change settings, pour liquid and measure it.
//!
//! Add [`FluidPanelPlugin`] beside [`BlobFluidPlugins`](bevy_blob_fluid::BlobFluidPlugins), after Bevy's own
//! plugins. F1 opens and closes it.
//!
//! | file | what it holds |
//! |---|---|
//! | `view.rs` | the panel as a whole: header, time, tools and tabs |
//! | `form.rs`, `style.rs` | rows of controls, and their style |
//! | `time.rs`, `tools.rs` | the controls that are always visible |
//! | `settings.rs`, `classes.rs`, `pairs.rs`, `look.rs`, `coloring.rs`, `surface_look.rs`, `graphs.rs`, `checkup.rs`, `air.rs` | a tab each |
//! | `viscosity.rs` | settings that several tabs share |
//! | `follow.rs` | keeps the selected classes when the class table changes |
//! | `pointer.rs` | what the pointer does to the liquid |
//! | `stroke.rs` | the path of the pointer between two ticks |
//! | `history.rs` | data of the graphs |
//! | `material_files.rs` | classes from material files, and classes saved as files |
//!
//! It needs no window: [`show`] draws into any egui context.

mod air;
mod checkup;
mod classes;
mod coloring;
mod follow;
mod form;
mod graphs;
mod history;
mod look;
mod material_files;
mod pairs;
mod pointer;
mod settings;
mod stroke;
mod style;
mod surface_look;
mod time;
mod tools;
mod view;
mod viscosity;

pub use pointer::FluidPointer;
pub use time::{FluidPanelScenes, FluidRestartRequested, FluidScenePicked};
pub use tools::{FluidTool, FluidTools};
pub use view::show;

use std::path::PathBuf;

use bevy::input::{InputPlugin, InputSystems};
use bevy::prelude::*;
use bevy::render::RenderApp;
use bevy::window::WindowPlugin;
use bevy_blob_fluid::blob_fluid::ClassId;
use bevy_egui::{EguiContexts, EguiPlugin, EguiPrimaryContextPass};

use bevy_blob_fluid::{FluidSchedule, FluidTickSystems};
use bevy_blob_fluid::{FluidSettings, FluidSimulation};

/// The panel and its tools for the pointer.
///
/// It adds [`EguiPlugin`] if that is missing. In an app without a renderer nothing is shown, but
/// everything else works: [`show`] draws the panel into a context of the app's own.
///
/// ```no_run
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
/// use bevy_blob_fluid_panel::FluidPanelPlugin;
///
/// App::new()
///     .add_plugins((DefaultPlugins, BlobFluidPlugins::default(), FluidPanelPlugin::default()))
///     .run();
/// ```
#[derive(Clone, Debug)]
pub struct FluidPanelPlugin {
    /// Whether the panel is open when the app starts. Default true. While it is closed the pointer
    /// does nothing to the liquid.
    pub open: bool,
    /// Folder where materials are saved, as `NAME.fluid.ron`. Default `assets/materials`. In
    /// browsers they are copied to the clipboard instead.
    pub materials_folder: PathBuf,
}

impl Default for FluidPanelPlugin {
    fn default() -> Self {
        Self { open: true, materials_folder: "assets/materials".into() }
    }
}

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
    /// Times, and how the layers sort themselves.
    Graphs,
    /// Findings of the doctor.
    Doctor,
    /// The air, in a world that has any.
    Air,
}

/// State of the panel. The app may change it.
#[derive(Resource, Clone, Debug)]
pub struct FluidPanel {
    /// Whether it is open. A closed panel is a button in the corner, and its tools do nothing.
    pub open: bool,
    /// The page that is shown.
    pub tab: FluidPanelTab,
    /// Factor on its size, which follows from the size of the window; 0.5 to 3. Default 1.
    pub size: f32,
    /// Folder where materials are saved.
    pub materials_folder: PathBuf,
    /// Settings of the app; resetting keeps their scale.
    started_with: FluidSettings,
    /// Settings as the panel left them.
    seen_settings: Option<FluidSettings>,
    classes: classes::ClassesState,
    written: material_files::Written,
    pair: [usize; 2],
    look_class: Option<ClassId>,
}

impl Plugin for FluidPanelPlugin {
    fn build(&self, app: &mut App) {
        app.insert_resource(FluidPanel {
            open: self.open,
            tab: FluidPanelTab::default(),
            size: 1.0,
            materials_folder: self.materials_folder.clone(),
            started_with: FluidSettings::default(),
            seen_settings: None,
            classes: classes::ClassesState::default(),
            written: material_files::Written::default(),
            pair: [0, 1],
            look_class: None,
        })
        .init_resource::<FluidPanelScenes>()
        .init_resource::<FluidTools>()
        .init_resource::<FluidPointer>()
        .init_resource::<stroke::FluidStroke>()
        .init_resource::<history::FluidPanelHistory>()
        .init_resource::<checkup::FluidCheckup>()
        .register_type::<FluidPanelScenes>()
        .register_type::<FluidTools>()
        .register_type::<FluidPointer>()
        .add_message::<FluidScenePicked>()
        .add_message::<FluidRestartRequested>();
        // Without the plugins of the fluid there is nothing to show.
        let there = resource_exists::<FluidSimulation>;
        app.add_systems(
            PreUpdate,
            (
                follow::follow_classes,
                pointer::follow_pointer,
                pointer::read_keys,
                pointer::hold_force,
                stroke::lengthen_stroke,
                pointer::pour_and_erase.run_if(stroke::is_paused),
            )
                .chain()
                .after(InputSystems)
                .run_if(there),
        )
        .add_systems(Update, (history::measure, checkup::examine_fluid).run_if(there))
        .add_systems(
            FluidSchedule,
            // It runs between the two sets, so its order to systems in them is defined.
            pointer::pour_and_erase
                .after(FluidTickSystems::Sources)
                .before(FluidTickSystems::Spawn),
        );
        // Egui needs windows, input and a renderer.
        let drawn = app.get_sub_app(RenderApp).is_some()
            && app.is_plugin_added::<InputPlugin>()
            && app.is_plugin_added::<WindowPlugin>();
        if !drawn {
            return;
        }
        if !app.is_plugin_added::<EguiPlugin>() {
            app.add_plugins(EguiPlugin::default());
        }
        app.add_systems(EguiPrimaryContextPass, show_in_window);
    }
}

/// Draws the panel into the primary context, at a size that fits the window.
fn show_in_window(world: &mut World) {
    let mut state = bevy::ecs::system::SystemState::<EguiContexts>::new(world);
    let context = match state.get_mut(world) {
        Ok(mut contexts) => contexts.ctx_mut().ok().map(|context| context.clone()),
        Err(_) => None,
    };
    let (Some(context), Some(panel)) = (context, world.get_resource::<FluidPanel>()) else {
        return;
    };
    view::fit(&context, panel.size);
    view::outline_brush(&context, world);
    show(&context, world);
}
