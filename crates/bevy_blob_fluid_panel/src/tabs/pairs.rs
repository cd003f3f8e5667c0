//! The tab of the pairs: a triangle of cells, one for every two classes, and the interactions of a
//! pair.

use bevy::prelude::World;
use bevy_blob_fluid::FluidClasses;
use bevy_blob_fluid::blob_fluid::{
    ClassPair, ClassViscosity, FluidPaint, FluidParameters, FluidReaction,
};
use bevy_egui::egui;
use egui::{Button, Color32, RichText, Sense, Stroke, Ui, WidgetInfo, WidgetType};

use crate::form::{Declared, Form, Shown, is_in, section, section_of, show_warning, shown};
use crate::state::FluidPanel;
use crate::style;
use crate::tabs::liquid::{APPROACH, LINEAR, QUADRATIC};
use crate::tabs::material_files;
use crate::tools::colour_of;

/// Largest size of a cell, in points.
const CELL: f32 = 30.0;

/// The presentation of settings, beyond their declarations.
const SHOWN: &[Shown] = &[
    shown("cohesion").usually(-2.0, 2.0),
    LINEAR,
    APPROACH,
    QUADRATIC,
    shown("segregation").usually(0.0, 12.0).hint("The heavier is pulled under the lighter."),
    shown("paint_diffusion").named("Paint spreads").usually(0.0, 0.4).by_factors(),
    shown("reaction.rate").at_least(1e-3).usually(0.01, 20.0).by_factors(),
    shown("reaction.temperature").named("Product at").usually(-100.0, 1500.0),
];
/// Optional groups.
const GROUPS: &[&[&str]] = &[&["viscosity"], &["segregation"], &["paint_diffusion"], &["reaction"]];

/// Shows the tab.
pub(crate) fn show(ui: &mut Ui, panel: &mut FluidPanel, world: &mut World) {
    let mut edited = world.resource::<FluidClasses>().clone();
    edit_pairs(ui, &mut panel.pair, &mut edited);
    material_files::take_over(world, edited);
}

/// Edits pairs; `chosen` are the two classes whose pair is edited.
fn edit_pairs(ui: &mut Ui, chosen: &mut [usize; 2], classes: &mut FluidClasses) {
    let count = classes.len();
    if count < 2 {
        ui.label("It takes two classes to make a pair.");
        return;
    }
    let [low, high] = *chosen;
    if low >= high || high >= count {
        *chosen = [0, 1];
    }
    ui.scope(|ui| triangle(ui, chosen, classes));
    legend(ui);
    let names = chosen.map(|index| classes.classes[index].name.clone());
    if names[0] == names[1] {
        show_warning(ui, "Two classes of the same name cannot be paired.");
        return;
    }
    let index = classes.pairs.iter().position(|pair| is_of(pair, &names));
    let mut pair =
        index.map_or_else(|| ClassPair::new(&names[0], &names[1]), |at| classes.pairs[at].clone());
    let title = format!("{} and {}", names[0], names[1]);
    let cleared = section(ui, &title, true, |ui| edit(ui, &mut pair, classes, index.is_some()));
    match index {
        Some(at) if cleared == Some(true) => drop(classes.pairs.remove(at)),
        Some(at) => classes.pairs[at] = pair,
        // A pair without interactions is not listed.
        None if pair != ClassPair::new(&names[0], &names[1]) => classes.pairs.push(pair),
        None => {}
    }
}

fn is_of(pair: &ClassPair, [one, other]: &[String; 2]) -> bool {
    let [first, second] = &pair.classes;
    (first, second) == (one, other) || (first, second) == (other, one)
}

/// Rows of cells under a diagonal of the classes' colours.
fn triangle(ui: &mut Ui, chosen: &mut [usize; 2], classes: &FluidClasses) {
    let count = classes.len();
    let cell = (ui.available_width() / (count as f32 + 3.2)).min(CELL);
    ui.spacing_mut().item_spacing = egui::vec2(2.0, 2.0);
    egui::ScrollArea::horizontal().id_salt("pairs").show(ui, |ui| {
        for row in 0..count {
            ui.horizontal(|ui| {
                for column in 0..row {
                    pair_cell(ui, cell.max(9.0), classes, [column, row], chosen);
                }
                let (rect, _) =
                    ui.allocate_exact_size(egui::Vec2::splat(cell.max(9.0)), Sense::hover());
                let class = &classes.classes[row];
                let radius = 0.32 * rect.width();
                ui.painter().circle_filled(rect.center(), radius, colour_of(class));
                let picked = chosen.contains(&row);
                let colour = if picked { style::BRIGHT } else { style::WEAK };
                ui.label(RichText::new(&class.name).small().color(colour));
            });
        }
    });
}

fn pair_cell(
    ui: &mut Ui,
    size: f32,
    classes: &FluidClasses,
    cell: [usize; 2],
    chosen: &mut [usize; 2],
) {
    let names = cell.map(|index| classes.classes[index].name.clone());
    let pair = classes.pairs.iter().find(|pair| is_of(pair, &names));
    let (rect, response) = ui.allocate_exact_size(egui::Vec2::splat(size), Sense::click());
    let name = format!("Pair {} and {}", names[0], names[1]);
    response.widget_info(|| {
        WidgetInfo::selected(WidgetType::SelectableLabel, true, *chosen == cell, &name)
    });
    let fill = pair.map_or(style::SUNKEN, |pair| cohesion_colour(pair.cohesion));
    let stroke = match (*chosen == cell, response.hovered()) {
        (true, _) => Stroke::new(1.5, style::ACCENT),
        (_, true) => Stroke::new(1.0, style::TEXT),
        _ => Stroke::new(1.0, Color32::from_rgba_unmultiplied(120, 160, 210, 36)),
    };
    let painter = ui.painter();
    painter.rect(rect, 4, fill, stroke, egui::StrokeKind::Inside);
    let mark = |at: egui::Pos2, colour| {
        painter.circle_filled(at, (0.09 * size).max(1.5), colour);
    };
    if pair.is_some_and(|pair| pair.viscosity.is_some()) {
        mark(rect.center() + egui::vec2(-0.2, 0.2) * size, style::BRIGHT);
    }
    if pair.is_some_and(|pair| pair.reaction.is_some()) {
        mark(rect.center() + egui::vec2(0.2, 0.2) * size, style::WARNING);
    }
    let what = pair.map_or("do not affect each other".to_owned(), |pair| {
        let reacts = if pair.reaction.is_some() { ", react" } else { "" };
        let thick = if pair.viscosity.is_some() { ", own viscosity" } else { "" };
        format!("cohesion {:.2}{thick}{reacts}", pair.cohesion)
    });
    if response.on_hover_text(format!("{} and {}: {what}", names[0], names[1])).clicked() {
        *chosen = cell;
    }
}

/// The colour of a cohesion: warm if the classes attract each other, cold if they repel each other.
fn cohesion_colour(cohesion: f32) -> Color32 {
    let share = if cohesion.is_finite() { cohesion.clamp(-2.0, 2.0) / 2.0 } else { 0.0 };
    let full =
        if share > 0.0 { Color32::from_rgb(250, 128, 92) } else { Color32::from_rgb(74, 134, 245) };
    // This makes even a weak cohesion visible.
    let strength = if share == 0.0 { 0.0 } else { 0.25 + 0.75 * share.abs() };
    Color32::from_rgb(46, 58, 82).lerp_to_gamma(full, strength)
}

fn legend(ui: &mut Ui) {
    ui.horizontal(|ui| {
        for (colour, text) in [
            (cohesion_colour(-2.0), "beads"),
            (cohesion_colour(0.0), "neutral"),
            (cohesion_colour(2.0), "wets"),
            (style::BRIGHT, "viscosity"),
            (style::WARNING, "reaction"),
        ] {
            ui.label(RichText::new("⏺").small().color(colour));
            ui.label(RichText::new(text).small().color(style::WEAK));
        }
    });
}

/// A pair with all optional groups.
fn usual_pair() -> ClassPair {
    let reaction = FluidReaction { rate: 1.0, becomes: [None, None], temperature: Some(20.0) };
    ClassPair {
        viscosity: Some(ClassViscosity::default()),
        segregation: Some(FluidParameters::default().segregation),
        paint_diffusion: Some(FluidPaint::default().diffusion),
        reaction: Some(reaction),
        ..ClassPair::new("", "")
    }
}

/// Edits a pair. Returns whether to clear it.
fn edit(ui: &mut Ui, pair: &mut ClassPair, classes: &FluidClasses, is_listed: bool) -> bool {
    let form = Form::default();
    let rows = |ui: &mut Ui, pair: &mut ClassPair, wanted: &dyn Fn(&str) -> bool| {
        Declared { form: &form, shown: SHOWN }.rows(ui, pair, &usual_pair(), wanted);
    };
    rows(ui, pair, &|path| section_of(path, GROUPS).is_none());
    let help = "Otherwise the mean of both, times the liquid's factor across classes.";
    form.option(ui, "Viscosity between them", help, &mut pair.viscosity, ClassViscosity::default);
    rows(ui, pair, &|path| is_in(path, "viscosity"));
    let help = "Otherwise the liquid's, or none if they attract each other.";
    let new = || FluidParameters::default().segregation;
    form.option(ui, "Own segregation", help, &mut pair.segregation, new);
    rows(ui, pair, &|path| path == "segregation");
    let help = "Otherwise the mean of both, where both take paint.";
    let new = || FluidPaint::default().diffusion;
    form.option(ui, "Own spread of paint", help, &mut pair.paint_diffusion, new);
    rows(ui, pair, &|path| path == "paint_diffusion");
    let new = || FluidReaction { rate: 1.0, becomes: [None, None], temperature: None };
    form.option(ui, "React", "Whether the classes change on contact.", &mut pair.reaction, new);
    rows(ui, pair, &|path| is_in(path, "reaction") && path != "reaction.temperature");
    if let Some(reaction) = &mut pair.reaction {
        let names: Vec<String> = classes.classes.iter().map(|class| class.name.clone()).collect();
        let [one, other] = &pair.classes;
        let [first, second] = &mut reaction.becomes;
        for (name, becomes) in [(one, first), (other, second)] {
            let label = format!("{name} becomes");
            form.name(ui, &label, "Class of the product.", becomes, &names, Some("stays"));
        }
        let help = "Otherwise it keeps its own.";
        form.option(ui, "Product temperature", help, &mut reaction.temperature, || 20.0);
    }
    rows(ui, pair, &|path| path == "reaction.temperature");
    let clear = ui.add_enabled(is_listed, Button::new("Clear pair"));
    clear.on_hover_text("They take no notice of each other again.").clicked()
}
