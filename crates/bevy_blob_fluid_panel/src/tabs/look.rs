//! The tab of the looks.

use bevy::prelude::*;
#[cfg(feature = "debug")]
use bevy_blob_fluid::FluidGizmos;
use bevy_blob_fluid::render::{FluidDetail, FluidDots, FluidDrawingBudget, FluidSurface};
use bevy_blob_fluid::{
    FluidClasses, FluidColorScale, FluidColoring, FluidFoamSettings, FluidGlow, FluidMaterials,
};
use bevy_egui::egui::Ui;

use crate::controls::form::{Form, Number, section};
use crate::state::FluidPanel;
use crate::tabs::{coloring, surface_look};

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
        section(ui, "Colours", true, |ui| coloring::show(ui, &mut coloring, &scale));
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
