//! The tab of the graphs, and their data.

use std::collections::VecDeque;

use bevy::prelude::{World, *};
use bevy_blob_fluid::blob_fluid::DensityClass;
use bevy_blob_fluid::blob_fluid::air::AirPass;
use bevy_blob_fluid::blob_fluid::measure::{energies, layer_order};
use bevy_blob_fluid::{
    FluidClasses, FluidDeviceTimes, FluidPassTimes, FluidSimulation, FluidStatistics,
};
use bevy_egui::egui;
use egui::{Align2, Color32, FontId, Mesh, Pos2, Rect, RichText, Shape, Stroke, Ui};

use crate::form::short;
use crate::state::{FluidPanel, FluidPanelTab};
use crate::style;
use crate::tools::colour_of;

/// Height of a graph, in points.
const HEIGHT: f32 = 52.0;
/// Height of a bar, in points.
const BAR: f32 = 12.0;

const KINETIC: Color32 = Color32::from_rgb(246, 173, 85);
const POTENTIAL: Color32 = Color32::from_rgb(129, 140, 248);

/// Time of a pass.
struct PassCost {
    name: String,
    milliseconds: f32,
}

/// Shows the tab.
pub(crate) fn show(ui: &mut Ui, world: &mut World) {
    let passes = pass_costs(world);
    let classes = &world.resource::<FluidClasses>().classes;
    let history = world.resource::<FluidPanelHistory>();
    let statistics = world.resource::<FluidStatistics>();
    if draw(ui, history, statistics, &passes, classes) {
        *world.resource_mut::<FluidPanelHistory>() = FluidPanelHistory::default();
    }
}

/// The time of each pass in the last tick, in the order in which they run. The passes of air are included
/// only if they took time. While the liquid is on the graphics card, these are the passes of the card.
fn pass_costs(world: &World) -> Vec<PassCost> {
    let on_device = world.get_resource::<FluidDeviceTimes>();
    let on_device = on_device.into_iter().flat_map(FluidDeviceTimes::iter);
    let on_device: Vec<_> = on_device
        .map(|(name, milliseconds)| PassCost {
            name: format!("Card: {}", name.replace('_', " ")),
            milliseconds,
        })
        .collect();
    if !on_device.is_empty() {
        return on_device;
    }
    let Some(times) = world.get_resource::<FluidPassTimes>() else { return Vec::new() };
    let liquid = times
        .iter()
        .map(|(pass, time)| PassCost { name: words(&format!("{pass:?}")), milliseconds: time });
    let air = AirPass::ALL.into_iter().filter(|_| times.air_total() > 0.0).map(|pass| PassCost {
        name: format!("Air: {}", words(&format!("{pass:?}")).to_lowercase()),
        milliseconds: times.air(pass),
    });
    liquid.chain(air).collect()
}

/// A name such as `RelaxDensity` in words.
fn words(name: &str) -> String {
    let mut written = String::new();
    for character in name.chars() {
        if character.is_uppercase() && !written.is_empty() {
            written.push(' ');
            written.extend(character.to_lowercase());
        } else {
            written.push(character);
        }
    }
    written
}

/// Shows the measurements. Returns whether to clear them.
fn draw(
    ui: &mut Ui,
    history: &FluidPanelHistory,
    statistics: &FluidStatistics,
    passes: &[PassCost],
    classes: &[DensityClass],
) -> bool {
    let tick = format!("{:.2} ms", history.tick.latest());
    graph(ui, "Tick", &tick, true, &[(&history.tick, style::ACCENT)]);
    if !passes.is_empty() {
        costs(ui, passes);
    }
    ui.label(
        RichText::new(format!(
            "{} substeps   {} asleep   {:.2} ms in passes",
            statistics.substeps, statistics.asleep, statistics.passes_milliseconds
        ))
        .small()
        .color(style::WEAK),
    );
    let lines: Vec<(&Series, Color32)> = history
        .classes
        .iter()
        .zip(classes)
        .filter(|(series, _)| series.values().any(|count| count > 0.0))
        .map(|(series, class)| (series, colour_of(class)))
        .collect();
    let total: f32 = history.classes.iter().map(Series::latest).sum();
    graph(ui, "Particles", &format!("{total}"), true, &lines);
    ui.horizontal_wrapped(|ui| {
        for (series, class) in history.classes.iter().zip(classes) {
            if series.latest() > 0.0 {
                let text = format!("⏺ {} {}", class.name, series.latest());
                ui.label(RichText::new(text).small().color(colour_of(class)));
            }
        }
    });
    let order = format!("{:.3}", history.layer_order.latest());
    graph(ui, "Layer order", &order, false, &[(&history.layer_order, style::GOOD)]);
    let kinetic = short(history.kinetic.latest());
    graph(ui, "Kinetic energy", &kinetic, true, &[(&history.kinetic, KINETIC)]);
    let potential = short(history.potential.latest());
    graph(ui, "Potential energy", &potential, false, &[(&history.potential, POTENTIAL)]);
    ui.add_space(2.0);
    let help = "Graphs are measured ten times a second while they are seen.";
    ui.button("Clear graphs").on_hover_text(help).clicked()
}

/// A graph of several lines with one scale, which starts at 0 if `from_zero`.
fn graph(ui: &mut Ui, title: &str, value: &str, from_zero: bool, lines: &[(&Series, Color32)]) {
    ui.horizontal(|ui| {
        ui.label(RichText::new(title).color(style::TEXT));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            ui.label(RichText::new(value).monospace().color(style::BRIGHT));
        });
    });
    let size = egui::vec2(ui.available_width(), HEIGHT);
    let (rect, _) = ui.allocate_exact_size(size, egui::Sense::hover());
    let painter = ui.painter_at(rect);
    painter.rect_filled(rect, 6, style::SUNKEN);
    let values = || lines.iter().flat_map(|(series, _)| series.values());
    let highest = values().fold(f32::MIN, f32::max);
    let lowest = values().fold(f32::MAX, f32::min);
    if highest < lowest {
        return;
    }
    let low = if from_zero { lowest.min(0.0) } else { lowest };
    let span = (highest - low).max(1e-3 * highest.abs()).max(1e-6);
    let inner = rect.shrink2(egui::vec2(4.0, 5.0));
    let faint = Stroke::new(1.0, Color32::from_rgba_unmultiplied(120, 160, 210, 26));
    for share in [0.0, 0.5, 1.0] {
        painter.hline(inner.x_range(), egui::lerp(inner.bottom()..=inner.top(), share), faint);
    }
    let point = |index: usize, count: usize, value: f32| {
        // The latest value is at the right edge.
        let from_right = (count - 1 - index) as f32 / (Series::width() - 1) as f32;
        let height = (value - low) / span;
        Pos2::new(
            inner.right() - from_right * inner.width(),
            inner.bottom() - height * inner.height(),
        )
    };
    for (series, colour) in lines {
        let count = series.values().len();
        let points: Vec<Pos2> =
            series.values().enumerate().map(|(at, value)| point(at, count, value)).collect();
        painter.add(shade(&points, inner, *colour));
        if let Some(last) = points.last() {
            painter.circle_filled(*last, 2.2, *colour);
        }
        painter.add(Shape::line(points, Stroke::new(1.5, *colour)));
    }
    let font = FontId::monospace(8.5);
    let at = inner.left_top() + egui::vec2(1.0, -1.0);
    painter.text(at, Align2::LEFT_TOP, short(low + span), font.clone(), style::WEAK);
    let at = inner.left_bottom() + egui::vec2(1.0, 1.0);
    painter.text(at, Align2::LEFT_BOTTOM, short(low), font, style::WEAK);
}

/// The area under a line, fading downwards.
fn shade(points: &[Pos2], inner: Rect, colour: Color32) -> Shape {
    let mut mesh = Mesh::default();
    for point in points {
        let depth = (inner.bottom() - point.y) / inner.height();
        mesh.colored_vertex(*point, colour.gamma_multiply(0.04 + 0.26 * depth.clamp(0.0, 1.0)));
        mesh.colored_vertex(Pos2::new(point.x, inner.bottom()), colour.gamma_multiply(0.02));
    }
    for pair in 0..points.len().saturating_sub(1) as u32 {
        mesh.add_triangle(2 * pair, 2 * pair + 1, 2 * pair + 2);
        mesh.add_triangle(2 * pair + 1, 2 * pair + 3, 2 * pair + 2);
    }
    Shape::mesh(mesh)
}

/// A bar of all passes, and the names of the most expensive.
fn costs(ui: &mut Ui, passes: &[PassCost]) {
    let total: f32 = passes.iter().map(|pass| pass.milliseconds.max(0.0)).sum();
    let size = egui::vec2(ui.available_width(), BAR);
    let (rect, response) = ui.allocate_exact_size(size, egui::Sense::hover());
    let painter = ui.painter_at(rect);
    painter.rect_filled(rect, 4, style::SUNKEN);
    if total <= 0.0 {
        return;
    }
    let mut left = rect.left();
    for (index, pass) in passes.iter().enumerate() {
        let right = left + rect.width() * pass.milliseconds.max(0.0) / total;
        let part = Rect::from_x_y_ranges(left..=right, rect.y_range());
        painter.rect_filled(part, 0, pass_colour(index, passes.len()));
        left = right;
    }
    let mut dearest: Vec<(usize, &PassCost)> = passes.iter().enumerate().collect();
    dearest.sort_by(|(_, one), (_, other)| other.milliseconds.total_cmp(&one.milliseconds));
    let line = |pass: &PassCost| format!("{:>7.3} ms  {}", pass.milliseconds, pass.name);
    let all: Vec<String> = dearest.iter().map(|(_, pass)| line(pass)).collect();
    response.on_hover_text(RichText::new(all.join("\n")).monospace());
    ui.horizontal_wrapped(|ui| {
        for (index, pass) in dearest.into_iter().take(3) {
            let text = format!("⏺ {} {:.2}", pass.name, pass.milliseconds);
            ui.label(RichText::new(text).small().color(pass_colour(index, passes.len())));
        }
    });
}

/// Colours of evenly spaced hues.
fn pass_colour(index: usize, count: usize) -> Color32 {
    let hue = index as f32 / count.max(1) as f32;
    egui::ecolor::Hsva::new(hue, 0.6, 0.85, 1.0).into()
}

// Data of the graphs: measurements of the last half minute.

/// Time between two measurements, in seconds.
const INTERVAL: f32 = 0.1;
/// Largest number of stored measurements.
const KEPT: usize = 300;

/// Measurements over time, the latest last.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Series(VecDeque<f32>);

impl Series {
    fn push(&mut self, value: f32) {
        if self.0.len() == KEPT {
            self.0.pop_front();
        }
        self.0.push_back(if value.is_finite() { value } else { 0.0 });
    }

    fn latest(&self) -> f32 {
        self.0.back().copied().unwrap_or_default()
    }

    fn values(&self) -> impl ExactSizeIterator<Item = f32> + '_ {
        self.0.iter().copied()
    }

    /// Number of measurements along the width of a graph.
    const fn width() -> usize {
        KEPT
    }
}

/// Measurements taken while the graphs were visible.
#[derive(Resource, Clone, Debug, Default, PartialEq)]
pub(crate) struct FluidPanelHistory {
    /// Real time of a tick, in milliseconds.
    pub tick: Series,
    /// Number of particles of each class, by its index.
    pub classes: Vec<Series>,
    pub layer_order: Series,
    pub kinetic: Series,
    pub potential: Series,
    next: f32,
}

impl FluidPanelHistory {
    fn measure(&mut self, fluid: &FluidSimulation, statistics: &FluidStatistics) {
        self.tick.push(statistics.tick_milliseconds);
        let counts = class_counts(fluid);
        let classes = self.classes.len().max(counts.len());
        let measured = self.tick.0.len() - 1;
        // A new class had no particles before.
        let empty = || Series(std::iter::repeat_n(0.0, measured).collect());
        self.classes.resize_with(classes, empty);
        for (index, series) in self.classes.iter_mut().enumerate() {
            series.push(counts.get(index).copied().unwrap_or_default() as f32);
        }
        self.layer_order.push(layer_order(fluid) as f32);
        let [kinetic, potential] = energies(fluid);
        self.kinetic.push(kinetic as f32);
        self.potential.push(potential as f32);
    }
}

/// Number of particles of each class.
pub(crate) fn class_counts(fluid: &FluidSimulation) -> Vec<usize> {
    let mut counts = vec![0; fluid.classes().len()];
    for class in fluid.particles().classes() {
        counts[class.index()] += 1;
    }
    counts
}

/// Measures the liquid while the graphs are visible.
pub(crate) fn measure(
    panel: Res<FluidPanel>,
    fluid: Res<FluidSimulation>,
    statistics: Res<FluidStatistics>,
    time: Option<Res<Time<Real>>>,
    mut history: ResMut<FluidPanelHistory>,
) {
    if !panel.open || panel.tab != FluidPanelTab::Graphs {
        return;
    }
    let now = time.map_or(0.0, |time| time.elapsed_secs());
    if now >= history.next {
        history.next = now + INTERVAL;
        history.measure(&fluid, &statistics);
    }
}
