//! Colours of particles, in the tab of the looks.

use bevy::prelude::*;
use bevy_egui::egui;
use egui::{Color32, Mesh, Pos2, RichText, Shape, Ui};

use crate::controls::form::{Form, Number, short, show_warning};
use crate::controls::style;
use bevy_blob_fluid::{
    FluidColorBy, FluidColorRange, FluidColorScale, FluidColoring, FluidColoringGradient,
    FluidGradient,
};

/// Height of the picture of a gradient, in points.
const BAR: f32 = 14.0;
/// Number of colours in that picture.
const STEPS: u16 = 48;

const LOW: Number =
    Number::new("From", "the quantity's unit", -1e9, 1e9, "The value of the gradient's beginning.")
        .usually(-100.0, 500.0);
const HIGH: Number = Number::new(
    "To",
    "the quantity's unit",
    -1e9,
    1e9,
    "The value of its end; below the beginning it turns the gradient round.",
)
.usually(-100.0, 500.0);

/// Edits the meaning of colours; `scale` is the range in use.
pub(crate) fn show(ui: &mut Ui, coloring: &mut FluidColoring, scale: &FluidColorScale) {
    let form = Form::default();
    let names = FluidColorBy::ALL.map(|by| format!("{by:?}"));
    let mut picked = Some(format!("{:?}", coloring.by));
    let help = "What the colours of the particles show.";
    form.name(ui, "Colour by", help, &mut picked, &names, None);
    let index = names.iter().position(|name| Some(name) == picked.as_ref());
    coloring.by = index.map_or(coloring.by, |index| FluidColorBy::ALL[index]);
    if !coloring.by.has_scale() {
        return;
    }
    gradient(ui, &form, &mut coloring.gradient);
    range(ui, &form, &mut coloring.range, scale);
    picture(ui, &coloring.gradient, scale, coloring.by.unit());
}

fn gradient(ui: &mut Ui, form: &Form, gradient: &mut FluidColoringGradient) {
    let names: Vec<String> = FluidGradient::BUILT_IN.map(str::to_owned).into();
    let known = |name: &&String| match &*gradient {
        FluidColoringGradient::Own(stops) => FluidGradient::built_in(name).as_ref() == Some(stops),
        FluidColoringGradient::Asset(_) => false,
    };
    let before = names.iter().find(known).cloned();
    let mut picked = before.clone();
    let none = match gradient {
        FluidColoringGradient::Own(_) => "its own",
        FluidColoringGradient::Asset(_) => "from a file",
    };
    let other = before.is_none().then_some(none);
    form.name(ui, "Gradient", "The colours, from low to high.", &mut picked, &names, other);
    if picked != before
        && let Some(chosen) = picked.as_deref().and_then(FluidGradient::built_in)
    {
        *gradient = chosen.into();
    }
}

fn range(ui: &mut Ui, form: &Form, range: &mut FluidColorRange, scale: &FluidColorScale) {
    let fixed = matches!(range, FluidColorRange::Fixed { .. });
    let mut chosen = fixed;
    form.choice(
        ui,
        "Range",
        "Follows the liquid, or is always the same.",
        &mut chosen,
        &[(false, "Automatic range"), (true, "Fixed range")],
    );
    if chosen != fixed {
        // A fixed range starts as the present range, so that the colours do not change.
        *range = if chosen {
            FluidColorRange::Fixed { low: scale.low(), high: scale.high() }
        } else {
            FluidColorRange::Auto
        };
    }
    if let FluidColorRange::Fixed { low, high } = range {
        form.number(ui, &LOW, low, 0.0);
        form.number(ui, &HIGH, high, 100.0);
        if low == high {
            show_warning(ui, "The range is refused: both ends are the same.");
        }
    }
}

/// The gradient with the values at its ends.
fn picture(ui: &mut Ui, gradient: &FluidColoringGradient, scale: &FluidColorScale, unit: &str) {
    let FluidColoringGradient::Own(gradient) = gradient else { return };
    let size = egui::vec2(ui.available_width(), BAR);
    let (rect, _) = ui.allocate_exact_size(size, egui::Sense::hover());
    let mut mesh = Mesh::default();
    for step in 0..=STEPS {
        let share = f32::from(step) / f32::from(STEPS);
        let [red, green, blue, _] = gradient.color(share).to_srgba().to_u8_array();
        let colour = Color32::from_rgb(red, green, blue);
        let across = egui::lerp(rect.x_range().min..=rect.x_range().max, share);
        mesh.colored_vertex(Pos2::new(across, rect.top()), colour);
        mesh.colored_vertex(Pos2::new(across, rect.bottom()), colour);
    }
    for step in 0..u32::from(STEPS) {
        mesh.add_triangle(2 * step, 2 * step + 1, 2 * step + 2);
        mesh.add_triangle(2 * step + 1, 2 * step + 3, 2 * step + 2);
    }
    ui.painter().add(Shape::mesh(mesh));
    ui.horizontal(|ui| {
        let text = |value| RichText::new(short(value)).monospace().size(10.0).color(style::WEAK);
        ui.label(text(scale.low()));
        ui.label(RichText::new(unit).small().color(style::WEAK));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            ui.label(text(scale.high()));
        });
    });
}
