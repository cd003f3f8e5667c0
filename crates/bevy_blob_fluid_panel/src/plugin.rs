//! The plugin of the panel, the order of its systems, and the panel as a whole.

use std::path::PathBuf;

use bevy::ecs::system::SystemState;
use bevy::input::{InputPlugin, InputSystems};
use bevy::prelude::*;
use bevy::render::RenderApp;
use bevy::window::WindowPlugin;
use bevy_blob_fluid::{
    Fluid, FluidClasses, FluidRecording, FluidSchedule, FluidSettings, FluidSimulation,
    FluidStatistics, FluidTickSystems,
};
use bevy_egui::{EguiContexts, EguiPlugin, EguiPrimaryContextPass, egui};
use egui::{Align, Align2, Button, Color32, Id, Layout, Order, RichText, ScrollArea, Ui};

use crate::form::{named_button, section};
use crate::pointer::{FluidPointer, FluidStroke, Followed};
use crate::state::{FluidPanel, FluidPanelCorner, FluidPanelPast, FluidPanelTab};
use crate::tabs::checkup::FluidCheckup;
use crate::tabs::graphs::FluidPanelHistory;
use crate::tabs::{air, checkup, classes, graphs, liquid, look, pairs};
use crate::time::{FluidPanelScenes, FluidRestartRequested, FluidScenePicked};
use crate::tools::FluidTools;
use crate::{pointer, state, style, time, tools};

/// The panel and its tools for the pointer.
///
/// The plugin adds [`EguiPlugin`] if that is missing. In an app without a renderer the panel is not shown, but all its
/// systems run; [`show`](crate::show) draws it into the app's own egui context.
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
/// A game in which only F1 shows the panel, on the right:
///
/// ```
/// use bevy_blob_fluid_panel::{FluidPanelCorner, FluidPanelPlugin};
///
/// let corner = FluidPanelCorner::TopRight;
/// let panel = FluidPanelPlugin { open: false, button: false, corner, ..Default::default() };
/// # assert!(!panel.open);
/// ```
///
/// Guide: `docs/faults.md` in the repository, on the doctor of the panel.
#[derive(Clone, Debug)]
pub struct FluidPanelPlugin {
    /// Whether the panel is open when the app starts. Default true. While the panel is closed, the pointer does not
    /// affect the liquid.
    pub open: bool,
    /// The panel's corner of the window, open or closed. Default the upper left corner.
    pub corner: FluidPanelCorner,
    /// Whether a closed panel is shown as a button. Default true.
    pub button: bool,
    /// Folder where materials are saved, as `NAME.fluid.ron`. Default `assets/materials`. In browsers, materials are
    /// copied to the clipboard instead.
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
        // The systems need the plugins of the fluid.
        let there = resource_exists::<FluidSimulation>;
        app.add_systems(
            PreUpdate,
            (
                pointer::follow_classes,
                pointer::follow_pointer,
                pointer::read_keys,
                pointer::hold_force,
                pointer::lengthen_stroke,
                pointer::pour_and_erase.run_if(pointer::is_paused),
            )
                .chain()
                .after(InputSystems)
                .run_if(there),
        )
        .add_systems(Update, (graphs::measure, checkup::examine_fluid).run_if(there))
        // It runs after the ticks of a frame, in whatever schedule they run.
        .add_systems(Last, state::keep.run_if(there))
        .add_systems(
            FluidSchedule,
            // It runs between two sets, so that its order relative to the systems in them is defined.
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

/// Draws the panel into the primary context, at a scale that fits the window. While the panel and its button are
/// hidden, the context has the app's own scale, which `before` stores.
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
        fit(&context, panel.size);
    } else if let Some(factor) = before.take() {
        context.set_zoom_factor(factor);
    }
    pointer::outline_brush(&context, world);
    show(&context, world);
}

// The panel as a whole.

/// Height of a window, in logical pixels, above which the panel is scaled up.
const FULL_SIZE_HEIGHT: f32 = 1080.0;
/// Largest automatic scale of the panel.
const MAX_ZOOM: f32 = 4.0;
/// Width of a window, in panel widths, below which an open panel covers at most half of its height.
const NARROW: f32 = 1.6;

/// Draws the panel into an egui context; call this function within an egui pass of that context. This is for apps that
/// draw egui themselves, and for tests. A world without a fluid or without a
/// [`FluidPanelPlugin`](crate::FluidPanelPlugin) shows no panel.
pub fn show(context: &egui::Context, world: &mut World) {
    let complete = world.contains_resource::<FluidSimulation>()
        && world.contains_resource::<FluidSettings>()
        && world.contains_resource::<FluidClasses>()
        && world.contains_resource::<FluidStatistics>()
        && world.contains_resource::<Time<Fluid>>();
    if !complete || !world.contains_resource::<FluidPanel>() {
        return;
    }
    // Other parts of the context keep the app's own style.
    let app_style = context.global_style();
    context.set_global_style(style::panel_style(context));
    world.resource_scope(|world, mut panel: Mut<FluidPanel>| {
        if !panel.open && !panel.button {
            return;
        }
        let corner = corner_of(panel.corner);
        // The open panel and the button have ids of their own, because egui places an area by its last size.
        let area = egui::Area::new(Id::new(("fluid panel", panel.open)))
            .order(Order::Middle)
            .constrain(false)
            .pivot(corner)
            .fixed_pos(corner.pos_in_rect(&context.content_rect().shrink(style::MARGIN)));
        let window = context.content_rect().size();
        let part = if window.x < NARROW * style::OUTER_WIDTH { 0.5 } else { 1.0 };
        let height = part * window.y - 2.0 * style::MARGIN;
        area.show(context, |ui| {
            if panel.open {
                style::card().show(ui, |ui| {
                    ui.set_width(style::WIDTH);
                    whole(ui, &mut panel, world, height);
                });
            } else {
                let text = if corner.x() == Align::Max { "⏴ Fluid" } else { "⏵ Fluid" };
                let text = RichText::new(text).color(style::ACCENT);
                let button = Button::new(text).fill(Color32::from_black_alpha(150));
                panel.open = named_button(ui, button, true, "Show panel (F1)");
            }
        });
    });
    context.set_global_style(app_style);
}

/// The corner as a type of egui.
fn corner_of(corner: FluidPanelCorner) -> Align2 {
    match corner {
        FluidPanelCorner::TopLeft => Align2::LEFT_TOP,
        FluidPanelCorner::TopRight => Align2::RIGHT_TOP,
        FluidPanelCorner::BottomLeft => Align2::LEFT_BOTTOM,
        FluidPanelCorner::BottomRight => Align2::RIGHT_BOTTOM,
    }
}

/// Scales a context with its window's height: 1 up to 1080 pixels, 2 at 2160, times `size`. The panel never
/// becomes wider than the window.
pub(crate) fn fit(context: &egui::Context, size: f32) {
    let window = context.content_rect().size() * context.zoom_factor();
    let by_height = (window.y / FULL_SIZE_HEIGHT).clamp(1.0, MAX_ZOOM);
    let size = if size.is_finite() { size.clamp(0.5, 3.0) } else { 1.0 };
    let wanted = (by_height * size).min(window.x / style::OUTER_WIDTH);
    // While a slider is dragged the panel must not change its size.
    if window.min_elem() > 0.0
        && !context.egui_is_using_pointer()
        && (wanted - context.zoom_factor()).abs() > 0.01
    {
        context.set_zoom_factor(wanted);
    }
}

fn whole(ui: &mut Ui, panel: &mut FluidPanel, world: &mut World, height: f32) {
    let top = ui.min_rect().top();
    header(ui, panel, world);
    ui.add_space(2.0);
    style::group().show(ui, |ui| {
        ui.set_width(ui.available_width());
        clock(ui, world);
    });
    brush(ui, world);
    ui.add_space(2.0);
    let has_air = air::is_there(world);
    tabs(ui, panel, world.resource::<FluidCheckup>(), has_air);
    ui.separator();
    let used = ui.min_rect().bottom() - top;
    // The card has a margin of its own.
    let left = (height - used - 30.0).max(80.0);
    ScrollArea::vertical()
        .id_salt(panel.tab as u8)
        .max_height(left)
        .min_scrolled_height(left)
        .auto_shrink([false, true])
        .show(ui, |ui| {
            // This leaves room for the scroll bar.
            ui.set_width(style::WIDTH - 8.0);
            page(ui, panel, world);
        });
}

fn header(ui: &mut Ui, panel: &mut FluidPanel, world: &World) {
    let statistics = world.resource::<FluidStatistics>();
    let here = world.resource::<FluidSimulation>().particles().len();
    let particles = here + statistics.on_device;
    ui.horizontal(|ui| {
        ui.label(RichText::new("💧").size(15.0).color(style::ACCENT));
        ui.label(RichText::new("Fluid").heading().strong().color(style::BRIGHT));
        let numbers = format!("{particles} particles  {:.1} ms", statistics.tick_milliseconds);
        ui.label(RichText::new(numbers).monospace().size(10.5).color(style::WEAK));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let to_the_edge = if corner_of(panel.corner).x() == Align::Max { "⏵" } else { "⏴" };
            let hide = Button::new(RichText::new(to_the_edge).color(style::WEAK)).frame(false);
            if named_button(ui, hide, true, "Hide panel (F1)") {
                panel.open = false;
            }
        });
    });
}

fn clock(ui: &mut Ui, world: &mut World) {
    let mut scenes = world.resource::<FluidPanelScenes>().clone();
    let can_step_back = world.resource::<FluidPanelPast>().can_step_back();
    let mut clock = world.resource_mut::<Time<Fluid>>();
    let asked = time::show(ui, &mut clock, &mut scenes, can_step_back);
    world.resource_mut::<FluidPanelScenes>().set_if_neq(scenes);
    if let Some(mut recording) = world.get_resource_mut::<FluidRecording>() {
        time::recording(ui, &mut recording);
    }
    if asked.step_back {
        state::step_back(world);
    }
    if asked.restart {
        world.write_message(FluidRestartRequested);
    }
    if let Some(index) = asked.scene {
        world.write_message(FluidScenePicked(index));
    }
}

fn brush(ui: &mut Ui, world: &mut World) {
    let mut edited = *world.resource::<FluidTools>();
    let classes = world.resource::<FluidClasses>();
    let is_on_card = world.resource::<FluidStatistics>().is_on_device();
    section(ui, "Tools", true, |ui| tools::show(ui, &mut edited, &classes.classes, is_on_card));
    world.resource_mut::<FluidTools>().set_if_neq(edited);
}

fn tabs(ui: &mut Ui, panel: &mut FluidPanel, checkup: &FluidCheckup, has_air: bool) {
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        for (tab, name) in [
            (FluidPanelTab::Liquid, "Liquid"),
            (FluidPanelTab::Classes, "Classes"),
            (FluidPanelTab::Pairs, "Pairs"),
            (FluidPanelTab::Look, "Look"),
            (FluidPanelTab::Graphs, "Graphs"),
            (FluidPanelTab::Doctor, "Doctor"),
            (FluidPanelTab::Air, "Air"),
        ] {
            if tab == FluidPanelTab::Air && !has_air {
                continue;
            }
            let chosen = panel.tab == tab;
            let button = Button::selectable(chosen, RichText::new(name).strong());
            let response = ui.add(button);
            if response.clicked() {
                panel.tab = tab;
            }
            if tab == FluidPanelTab::Doctor
                && let Some(worst) = checkup.findings.first()
            {
                let at = response.rect.right_top() + egui::vec2(1.0, 3.0);
                let colour = checkup::severity_colour(worst.severity);
                ui.painter().circle_filled(at, 3.5, colour);
            }
        }
    });
}

fn page(ui: &mut Ui, panel: &mut FluidPanel, world: &mut World) {
    match panel.tab {
        FluidPanelTab::Liquid => liquid::show(ui, panel, world),
        FluidPanelTab::Classes => classes::show(ui, panel, world),
        FluidPanelTab::Pairs => pairs::show(ui, panel, world),
        FluidPanelTab::Look => look::show(ui, panel, world),
        FluidPanelTab::Graphs => graphs::show(ui, world),
        FluidPanelTab::Doctor => {
            checkup::show(ui, &world.resource::<FluidCheckup>().findings);
        }
        FluidPanelTab::Air => air::show(ui, world),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_panel_fits_the_window() {
        let cases = [
            ((1280.0, 720.0), 1.0, 1.0),
            ((1920.0, 1080.0), 1.0, 1.0),
            ((3840.0, 2160.0), 1.0, 2.0),
            ((3840.0, 2160.0), 1.5, 3.0),
            ((3840.0, 2160.0), f32::NAN, 2.0),
            ((7680.0, 4320.0), 1.0, 4.0),
            ((9000.0, 9000.0), 1.0, MAX_ZOOM),
            // A phone.
            ((360.0, 740.0), 1.0, 360.0 / style::OUTER_WIDTH),
            ((360.0, 740.0), 3.0, 360.0 / style::OUTER_WIDTH),
        ];
        for ((width, height), size, zoom) in cases {
            let context = egui::Context::default();
            // Runs several times: the panel's own zoom must not count as a smaller window.
            for _ in 0..3 {
                let points = egui::vec2(width, height) / context.zoom_factor();
                let screen_rect = Some(egui::Rect::from_min_size(egui::Pos2::ZERO, points));
                let input = egui::RawInput { screen_rect, ..Default::default() };
                context.run_ui(input, |ui| fit(ui.ctx(), size)).textures_delta.clear();
            }
            let found = context.zoom_factor();
            assert!((found - zoom).abs() < 0.01, "{width} by {height}, {size}: {found}");
        }
    }
}
