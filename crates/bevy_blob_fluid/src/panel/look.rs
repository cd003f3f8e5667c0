//! The tab of the looks.

use bevy::prelude::*;
use bevy_egui::egui::Ui;

use super::FluidPanel;
use super::form::{Form, Number, section};
use crate::render::FluidMaterial;

const BLOB_RADIUS: Number = Number::new(
    "Blob radius",
    "",
    "spacings",
    (0.05, 10.0),
    "0.5 shows separate drops, 1.2 a closed body.",
)
.usually(0.2, 2.5);
const SOFTNESS: Number =
    Number::new("Softness", "", "of the radius", (0.0, 1.0), "How far the edge fades.");
const OPACITY: Number = Number::new("Opacity", "", "", (0.0, 1.0), "Of a blob, in its middle.");
const SHADING: Number = Number::new(
    "Shading",
    "",
    "",
    (0.0, 1.0),
    "Light from the upper left, and shade at the rim; 0 is flat.",
);
const PANEL_SIZE: Number = Number::new(
    "Panel size",
    "",
    "of the automatic size",
    (0.5, 3.0),
    "How large the panel is. It follows the window's height by itself.",
)
.usually(0.6, 2.0);

/// Edits how the liquid looks, and the panel.
pub(super) fn show(ui: &mut Ui, panel: &mut FluidPanel, world: &mut World) {
    blobs(ui, world);
    section(ui, "Panel", true, |ui| {
        Form::default().number(ui, &PANEL_SIZE, &mut panel.size, 1.0);
    });
}

/// Every [`FluidMaterial`] there is.
fn blobs(ui: &mut Ui, world: &mut World) {
    let mut materials = world.query::<(Entity, &mut FluidMaterial)>();
    let mut all: Vec<_> = materials.iter_mut(world).collect();
    all.sort_by_key(|(entity, _)| *entity);
    let several = all.len() > 1;
    for (index, (_, material)) in all.iter_mut().enumerate() {
        let title = if several { format!("Blobs {}", index + 1) } else { "Blobs".to_owned() };
        let mut edited = **material;
        section(ui, &title, true, |ui| material_rows(ui, &mut edited));
        material.set_if_neq(edited);
    }
}

fn material_rows(ui: &mut Ui, material: &mut FluidMaterial) {
    let form = Form::default();
    let usual = FluidMaterial::default();
    form.number(ui, &BLOB_RADIUS, &mut material.blob_radius, usual.blob_radius);
    form.number(ui, &SOFTNESS, &mut material.softness, usual.softness);
    form.number(ui, &OPACITY, &mut material.opacity, usual.opacity);
    form.number(ui, &SHADING, &mut material.shading, usual.shading);
}
