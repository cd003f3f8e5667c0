//! The panel's plugin: what it adds to the app, and when its systems run.

use std::path::PathBuf;

use bevy::ecs::system::SystemState;
use bevy::input::{InputPlugin, InputSystems};
use bevy::prelude::*;
use bevy::render::RenderApp;
use bevy::window::WindowPlugin;
use bevy_blob_fluid::{FluidSchedule, FluidSimulation, FluidTickSystems};
use bevy_egui::{EguiContexts, EguiPlugin, EguiPrimaryContextPass};

use crate::past::{self, FluidPanelPast};
use crate::pointer::position::{self, FluidPointer, Followed};
use crate::pointer::stroke::{self, FluidStroke};
use crate::pointer::{force, keys, outline, pour, selected};
use crate::state::{FluidPanel, FluidPanelCorner};
use crate::tabs::checkup::{self, FluidCheckup};
use crate::tabs::history::{self, FluidPanelHistory};
use crate::time::{FluidPanelScenes, FluidRestartRequested, FluidScenePicked};
use crate::tools::FluidTools;
use crate::view;

/// The panel and its tools for the pointer.
///
/// It adds [`EguiPlugin`] if that is missing. In an app without a renderer nothing is shown, but
/// everything else works: [`show`](crate::show) draws the panel into a context of the app's own.
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
///
/// For a game in which only F1 shows it, on the right:
///
/// ```
/// use bevy_blob_fluid_panel::{FluidPanelCorner, FluidPanelPlugin};
///
/// let corner = FluidPanelCorner::TopRight;
/// let panel = FluidPanelPlugin { open: false, button: false, corner, ..Default::default() };
/// # assert!(!panel.open);
/// ```
#[derive(Clone, Debug)]
pub struct FluidPanelPlugin {
    /// Whether the panel is open when the app starts. Default true. While it is closed the pointer
    /// does nothing to the liquid.
    pub open: bool,
    /// The corner of the window that it is in, open or closed. Default the upper left one.
    pub corner: FluidPanelCorner,
    /// Whether a closed panel is a button. Default true.
    pub button: bool,
    /// Folder where materials are saved, as `NAME.fluid.ron`. Default `assets/materials`. In
    /// browsers they are copied to the clipboard instead.
    pub materials_folder: PathBuf,
}

impl Default for FluidPanelPlugin {
    fn default() -> Self {
        Self {
            open: true,
            corner: FluidPanelCorner::default(),
            button: true,
            materials_folder: "assets/materials".into(),
        }
    }
}

impl Plugin for FluidPanelPlugin {
    fn build(&self, app: &mut App) {
        let Self { open, corner, button, materials_folder } = self.clone();
        app.insert_resource(FluidPanel::new(open, corner, button, materials_folder))
            .init_resource::<FluidPanelScenes>()
            .init_resource::<FluidTools>()
            .init_resource::<FluidPointer>()
            .init_resource::<Followed>()
            .init_resource::<FluidStroke>()
            .init_resource::<FluidPanelHistory>()
            .init_resource::<FluidCheckup>()
            .init_resource::<FluidPanelPast>()
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
                selected::follow_classes,
                position::follow_pointer,
                keys::read_keys,
                force::hold_force,
                stroke::lengthen_stroke,
                pour::pour_and_erase.run_if(stroke::is_paused),
            )
                .chain()
                .after(InputSystems)
                .run_if(there),
        )
        .add_systems(Update, (history::measure, checkup::examine_fluid).run_if(there))
        // After the ticks of a frame, wherever they are.
        .add_systems(Last, past::keep.run_if(there))
        .add_systems(
            FluidSchedule,
            // It runs between the two sets, so its order to systems in them is defined.
            pour::pour_and_erase.after(FluidTickSystems::Sources).before(FluidTickSystems::Spawn),
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

/// Draws the panel into the primary context, at a size that fits the window. While nothing of it is seen, the context
/// has the app's own size, `before`.
fn show_in_window(world: &mut World, mut before: Local<Option<f32>>) {
    let mut state = SystemState::<EguiContexts>::new(world);
    let context = match state.get_mut(world) {
        Ok(mut contexts) => contexts.ctx_mut().ok().map(|context| context.clone()),
        Err(_) => None,
    };
    let (Some(context), Some(panel)) = (context, world.get_resource::<FluidPanel>()) else {
        return;
    };
    if panel.open || panel.button {
        before.get_or_insert(context.zoom_factor());
        view::fit(&context, panel.size);
    } else if let Some(factor) = before.take() {
        context.set_zoom_factor(factor);
    }
    outline::outline_brush(&context, world);
    view::show(&context, world);
}
