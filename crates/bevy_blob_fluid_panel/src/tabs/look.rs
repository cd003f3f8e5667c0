//! The tab of the looks.

use bevy::prelude::*;
#[cfg(feature = "debug")]
use bevy_blob_fluid::FluidGizmos;
use bevy_blob_fluid::render::{FluidDetail, FluidDots, FluidDrawingBudget, FluidSurface};
use bevy_blob_fluid::{
    FluidClasses, FluidColorBy, FluidColorRange, FluidColorScale, FluidColoring,
    FluidColoringGradient, FluidFoamSettings, FluidGlow, FluidGradient, FluidMaterials,
};
use bevy_egui::egui;
use egui::{Color32, Mesh, Pos2, RichText, Shape, Ui};

use crate::form::{Form, Number, section, short, show_warning};
use crate::state::FluidPanel;
use crate::style;
use crate::tabs::surface_look;

const DOT_RADIUS: Number = Number::new(
    "Dot radius",
    "spacings",
    0.05,
    10.0,
    "0.5 shows separate drops, 1.2 a closed body.",
)
.usually(0.2, 2.5);
const SOFTNESS: Number =
    Number::new("Softness", "of the radius", 0.0, 1.0, "How far the edge fades.");
const OPACITY: Number = Number::new("Opacity", "", 0.0, 1.0, "Of a blob, in its middle.");
const SHADING: Number = Number::new(
    "Shading",
    "",
    0.0,
    1.0,
    "Light from the upper left, and shade at the rim; 0 is flat.",
);
const PANEL_SIZE: Number = Number::new(
    "Panel size",
    "of the automatic size",
    0.5,
    3.0,
    "How large the panel is. It follows the window's height by itself.",
)
.usually(0.6, 2.0);

const FRAME: Number =
    Number::new("Frame time", "ms", 1.0, 1000.0, "Real time from one frame to the next.")
        .usually(5.0, 100.0)
        .by_factors();
/// Frame time of a new budget, in milliseconds: somewhat longer than a frame at 60 Hz.
const USUAL_FRAME: f32 = 20.0;

const FOAM_SPEED: Number = Number::new(
    "Foam speed",
    "spacings/s",
    0.0,
    1000.0,
    "Speed from which broken liquid foams; at twice that fully.",
)
.usually(1.0, 100.0);
const FOAM_IMPACT: Number = Number::new(
    "Foam impact",
    "of gravity",
    0.0,
    1000.0,
    "Acceleration from which liquid at the surface foams; at three times that fully.",
)
.usually(0.5, 20.0);
const FOAM_LIFE: Number = Number::new(
    "Foam half-life",
    "s",
    0.01,
    60.0,
    "How long it takes for half of the foam to clear up.",
)
.usually(0.05, 5.0)
.by_factors();
const BUBBLES: Number = Number::new(
    "Bubbles",
    "1/s",
    0.0,
    5.0,
    "Bubbles of each particle of boiling liquid in a second; 0 for none.",
);
const GLOW_BEGINS: Number =
    Number::new("Glow begins", "degrees", -1e6, 1e6, "Temperature at which the first red is seen.")
        .usually(0.0, 2000.0);
const GLOW_FULL: Number =
    Number::new("Glow is full", "degrees", -1e6, 1e6, "Temperature of the brightest yellow.")
        .usually(0.0, 2000.0);

/// Edits the looks of the liquid and of the panel.
pub(crate) fn show(ui: &mut Ui, panel: &mut FluidPanel, world: &mut World) {
    if let Some(mut coloring) = world.get_resource::<FluidColoring>().cloned() {
        let scale = world.get_resource::<FluidColorScale>().copied().unwrap_or_default();
        section(ui, "Colours", true, |ui| show_coloring(ui, &mut coloring, &scale));
        world.resource_mut::<FluidColoring>().set_if_neq(coloring);
    }
    dots(ui, world);
    surfaces(ui, panel, world);
    #[cfg(feature = "debug")]
    debug_drawing(ui, world);
    section(ui, "Panel", true, |ui| {
        Form::default().number(ui, &PANEL_SIZE, &mut panel.size, 1.0);
    });
}

/// Edits which [`FluidGizmos`] are drawn, in an app that has them.
#[cfg(feature = "debug")]
fn debug_drawing(ui: &mut Ui, world: &mut World) {
    let Some(mut store) = world.get_resource_mut::<GizmoConfigStore>() else { return };
    if store.get_config::<FluidGizmos>().is_none() {
        return;
    }
    let (_, edited) = store.config_mut::<FluidGizmos>();
    section(ui, "Debug drawing", false, |ui| {
        ui.horizontal_wrapped(|ui| {
            for (name, drawn) in edited.layers_mut() {
                ui.checkbox(drawn, format!("Draw {name}"));
            }
        });
    });
}

/// Edits every [`FluidDots`].
fn dots(ui: &mut Ui, world: &mut World) {
    let mut query = world.query::<(Entity, &mut FluidDots)>();
    let mut all: Vec<_> = query.iter_mut(world).collect();
    all.sort_by_key(|(entity, _)| *entity);
    let several = all.len() > 1;
    for (index, (_, dots)) in all.iter_mut().enumerate() {
        let title = if several { format!("Blobs {}", index + 1) } else { "Blobs".to_owned() };
        let mut edited = **dots;
        section(ui, &title, true, |ui| dots_rows(ui, &mut edited));
        dots.set_if_neq(edited);
    }
}

/// Edits every [`FluidSurface`].
fn surfaces(ui: &mut Ui, panel: &mut FluidPanel, world: &mut World) {
    let classes = world.resource::<FluidClasses>().classes.clone();
    let materials = world.get_resource::<FluidMaterials>().cloned().unwrap_or_default();
    let mut surfaces = world.query::<(Entity, &mut FluidSurface)>();
    let mut all: Vec<_> = surfaces.iter_mut(world).collect();
    all.sort_by_key(|(entity, _)| *entity);
    let several = all.len() > 1;
    for (index, (_, surface)) in all.iter_mut().enumerate() {
        let title = if several { format!("Surface {}", index + 1) } else { "Surface".to_owned() };
        let mut edited = surface.clone();
        section(ui, &title, true, |ui| {
            surface_look::show(ui, &mut edited, &mut panel.look_class, &classes, &materials);
        });
        surface.set_if_neq(edited);
    }
    let is_drawn = !all.is_empty();
    if is_drawn {
        section(ui, "Foam and glow", false, |ui| foam_and_glow(ui, world));
        section(ui, "Time of drawing", false, |ui| detail(ui, world));
    }
}

/// Edits the detail of surfaces, and the budget that reduces it.
fn detail(ui: &mut Ui, world: &mut World) {
    let form = Form::default();
    let Some(mut budget) = world.get_resource_mut::<FluidDrawingBudget>() else { return };
    let mut edited = *budget;
    let FluidDrawingBudget { milliseconds } = &mut edited;
    let help = "Gives up detail while frames take longer than this.";
    form.option(ui, "Frame budget", help, milliseconds, || USUAL_FRAME);
    if let Some(milliseconds) = milliseconds {
        form.number(ui, &FRAME, milliseconds, USUAL_FRAME);
    }
    budget.set_if_neq(edited);
    let Some(mut detail) = world.get_resource_mut::<FluidDetail>() else { return };
    let mut chosen = *detail;
    form.choice(
        ui,
        "Detail",
        "Full; without refraction and caustics; with coarser fields; with the coarsest. A budget changes it.",
        &mut chosen,
        &[
            (FluidDetail::Full, "Full"),
            (FluidDetail::Plain, "Plain"),
            (FluidDetail::Coarse, "Coarse"),
            (FluidDetail::Coarsest, "Coarsest"),
        ],
    );
    detail.set_if_neq(chosen);
}

fn foam_and_glow(ui: &mut Ui, world: &mut World) {
    let form = Form::default();
    if let Some(mut foam) = world.get_resource_mut::<FluidFoamSettings>() {
        let usual = FluidFoamSettings::default();
        let mut edited = *foam;
        // Destructured completely, so that a new field without a control is a compile error; also
        // below.
        let FluidFoamSettings { speed, impact, half_life, bubbles } = &mut edited;
        form.number(ui, &FOAM_SPEED, speed, usual.speed);
        form.number(ui, &FOAM_IMPACT, impact, usual.impact);
        form.number(ui, &FOAM_LIFE, half_life, usual.half_life);
        form.number(ui, &BUBBLES, bubbles, usual.bubbles);
        foam.set_if_neq(edited);
    }
    if let Some(mut glow) = world.get_resource_mut::<FluidGlow>() {
        let usual = FluidGlow::default();
        let mut edited = *glow;
        let FluidGlow { begins, full } = &mut edited;
        form.number(ui, &GLOW_BEGINS, begins, usual.begins);
        form.number(ui, &GLOW_FULL, full, usual.full);
        glow.set_if_neq(edited);
    }
}

fn dots_rows(ui: &mut Ui, dots: &mut FluidDots) {
    let form = Form::default();
    let usual = FluidDots::default();
    let FluidDots { radius, softness, opacity, shading, classes: _ } = dots;
    form.number(ui, &DOT_RADIUS, radius, usual.radius);
    form.number(ui, &SOFTNESS, softness, usual.softness);
    form.number(ui, &OPACITY, opacity, usual.opacity);
    form.number(ui, &SHADING, shading, usual.shading);
}

// Colours of particles, in the tab of the looks.

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
fn show_coloring(ui: &mut Ui, coloring: &mut FluidColoring, scale: &FluidColorScale) {
    let form = Form::default();
    let names = FluidColorBy::ALL.map(|by| format!("{by:?}"));
    let mut picked = Some(format!("{:?}", coloring.by));
    let help = "The quantity that the colours of the particles show.";
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
