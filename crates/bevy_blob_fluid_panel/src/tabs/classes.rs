//! The tab of the classes: every field of a [`DensityClass`], and saving it as a material.

use bevy::prelude::*;
use bevy_blob_fluid::blob_fluid::material::Material;
use bevy_blob_fluid::blob_fluid::ranges::classes::class as row;
use bevy_blob_fluid::blob_fluid::{
    ClassError, ClassTable, ClassViscosity, DensityClass, Elasticity, IntoAir, Transition,
};
use bevy_blob_fluid::{FluidClasses, FluidSimulation};
use bevy_egui::egui;
use egui::{RichText, TextEdit, Ui};

use crate::controls::form::{Form, Number, Problem, section, show_warning};
use crate::controls::style;
use crate::state::{ClassesState, Draft, FluidPanel};
use crate::tabs::class_list::{Files, add_copy, remove_last, rename, why_it_stays};
use crate::tabs::history::class_counts;
use crate::tabs::material_files::{self, SaveError};
use crate::tabs::viscosity::{APPROACH, LINEAR, QUADRATIC};
use crate::tools::class_button;

/// Requests of the tab.
#[derive(Clone, Debug, PartialEq)]
enum ClassesAction {
    /// Write the material.
    Save {
        material: Material,
        /// Whether to overwrite a file that the class did not come from.
        overwrite: bool,
    },
}

/// Shows the tab.
pub(crate) fn show(ui: &mut Ui, panel: &mut FluidPanel, world: &mut World) {
    let mut edited = world.resource::<FluidClasses>().clone();
    let counts = class_counts(world.resource::<FluidSimulation>());
    let files = |name: &str| Files {
        is_asset: material_files::is_asset(world, name),
        is_product: material_files::is_product(world, name),
    };
    let wish = edit(ui, &mut panel.classes, &mut edited, &counts, files);
    if let Some(ClassesAction::Save { mut material, overwrite }) = wish {
        let name = material.class.name.clone();
        material_files::complete(world, &mut material, &edited);
        let saved = keep(panel, world, material, &edited, overwrite);
        panel.classes.saved = Some((name, saved));
    }
    material_files::take_over(world, edited);
}

/// Writes a material into its file; in browsers, which have no files, copies it to the clipboard.
fn keep(
    panel: &mut FluidPanel,
    world: &World,
    material: Material,
    classes: &FluidClasses,
    overwrite: bool,
) -> Result<String, SaveError> {
    if cfg!(target_arch = "wasm32") {
        return material_files::copy(&material.to_ron()).map_err(SaveError::Refused);
    }
    let FluidPanel { materials_folder: folder, written, .. } = panel;
    let is_its_own = material_files::came_from(world, written, folder, &material.class.name);
    material_files::save(folder, material, classes, written, is_its_own, overwrite)
}

/// Edits classes. `counts` are how many particles there are of each; `files` returns the relation
/// of a name to files.
fn edit(
    ui: &mut Ui,
    state: &mut ClassesState,
    classes: &mut FluidClasses,
    counts: &[usize],
    files: impl Fn(&str) -> Files,
) -> Option<ClassesAction> {
    let refused = ClassTable::with_pairs(classes.classes.clone(), classes.pairs.clone()).err();
    if let Some(error) = &refused {
        show_warning(ui, &format!("Refused, the last valid classes stay: {error}"));
    }
    state.chosen = state.chosen.min(classes.len().saturating_sub(1));
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = egui::vec2(4.0, 4.0);
        for (index, class) in classes.classes.iter().enumerate() {
            if class_button(ui, "Edit", class, index, state.chosen == index) {
                *state = ClassesState { chosen: index, ..ClassesState::default() };
            }
        }
    });
    ui.horizontal(|ui| {
        let help = "Adds a class like the chosen one.";
        let room = classes.len() < ClassTable::MAX_CLASSES;
        if ui.add_enabled(room, egui::Button::new("Add class")).on_hover_text(help).clicked() {
            add_copy(classes, state);
        }
        let why_not = why_it_stays(classes, counts, &files);
        let help = "Removes the last class. Others keep their numbers.";
        let remove = ui.add_enabled(why_not.is_none(), egui::Button::new("Remove last"));
        let remove = remove.on_disabled_hover_text(why_not.unwrap_or_default());
        if remove.on_hover_text(help).clicked() {
            remove_last(classes, state);
        }
    });
    let names: Vec<String> = classes.classes.iter().map(|class| class.name.clone()).collect();
    let class_name = names.get(state.chosen)?.clone();
    let problem = refused.and_then(|error| problem_of(&error, &class_name));
    let form = Form { problem };
    let from_file = files(&class_name).is_asset;
    section(ui, "Looks and name", true, |ui| identity(ui, state, classes, from_file));
    let class = &mut classes.classes[state.chosen];
    section(ui, "Weight and pressure", true, |ui| body(ui, &form, class));
    section(ui, "Thickness", true, |ui| thickness(ui, &form, &mut class.viscosity));
    section(ui, "Springs", true, |ui| springs(ui, &form, &mut class.elasticity));
    section(ui, "Heat", false, |ui| heat(ui, &form, class, &names));
    section(ui, "Collisions", false, |ui| layers(ui, &mut class.collision_layers));
    save(ui, state, classes)
}

fn problem_of(error: &ClassError, name: &str) -> Option<Problem> {
    let (class, field) = match error {
        ClassError::OutOfRange { class, field, .. }
        | ClassError::UnknownClass { class, field, .. } => (class, *field),
        _ => return None,
    };
    (class == name).then(|| Problem { field, message: error.to_string() })
}

fn identity(ui: &mut Ui, state: &mut ClassesState, classes: &mut FluidClasses, from_file: bool) {
    let chosen = state.chosen;
    let class_name = classes.classes[chosen].name.clone();
    state.draft = state.draft.take().filter(|draft| draft.class == class_name);
    let mut name = state.draft.as_ref().map_or(&class_name, |draft| &draft.text).clone();
    ui.horizontal(|ui| {
        let label = ui.label("Name");
        let edit = TextEdit::singleline(&mut name).desired_width(140.0);
        let help = if from_file {
            "Its file names it. Edits are kept until that changes."
        } else {
            "How other classes, pairs and files call it."
        };
        let response = ui.add_enabled(!from_file, edit).labelled_by(label.id).on_hover_text(help);
        if response.changed() {
            state.draft = Some(Draft { class: class_name, text: name.clone() });
        }
    });
    let help = "What it looks like, and how opaque it is.";
    Form::default().class_colour(ui, "Colour", help, &mut classes.classes[chosen].color);
    let Some(Draft { text: draft, .. }) = state.draft.clone() else { return };
    let taken = |(index, class): (usize, &DensityClass)| index != chosen && class.name == draft;
    if draft.trim().is_empty() {
        show_warning(ui, "A class needs a name.");
    } else if classes.classes.iter().enumerate().any(taken) {
        show_warning(ui, "Another class has this name.");
    } else {
        rename(classes, chosen, &draft);
        state.draft = None;
    }
}

const MASS: Number = Number::of(
    "Mass",
    row::MASS,
    "Relative to the medium class. Heavy classes sink. Ratios above 5 separate violently.",
)
.usually(0.2, 5.0)
.by_factors();
const REST_DENSITY: Number = Number::of(
    "Rest density",
    row::RELATIVE_REST_DENSITY,
    "How tightly it packs, relative to the liquid. Slight differences keep classes from mixing.",
)
.usually(0.5, 2.0);
const GRAVITY_SCALE: Number = Number::of(
    "Gravity scale",
    row::GRAVITY_SCALE,
    "Factor on gravity: 0 floats, negative values rise.",
)
.usually(-2.0, 2.0);
const STIFFNESS: Number =
    Number::of("Stiffness", row::STIFFNESS, "Factor on the liquid's k.").usually(0.0, 4.0);
const NEAR_STIFFNESS: Number = Number::of(
    "Near stiffness",
    row::NEAR_STIFFNESS,
    "Factor on the liquid's repulsion of close particles.",
)
.usually(0.0, 4.0);
const TENSION: Number = Number::of(
    "Surface tension",
    row::SURFACE_TENSION,
    "Attraction among its own: 1 draws drops into beads, beyond 2 it sets like a gel.",
)
.usually(-2.0, 4.0);

fn body(ui: &mut Ui, form: &Form, class: &mut DensityClass) {
    let usual = DensityClass::default();
    form.number(ui, &MASS, &mut class.mass, usual.mass);
    let default = usual.relative_rest_density;
    form.number(ui, &REST_DENSITY, &mut class.relative_rest_density, default);
    form.number(ui, &GRAVITY_SCALE, &mut class.gravity_scale, usual.gravity_scale);
    form.number(ui, &STIFFNESS, &mut class.stiffness, usual.stiffness);
    form.number(ui, &NEAR_STIFFNESS, &mut class.near_stiffness, usual.near_stiffness);
    form.number(ui, &TENSION, &mut class.surface_tension, usual.surface_tension);
}

fn thickness(ui: &mut Ui, form: &Form, viscosity: &mut Option<ClassViscosity>) {
    let help = "Otherwise the liquid's.";
    form.option(ui, "Own viscosity", help, viscosity, ClassViscosity::default);
    if let Some(own) = viscosity {
        viscosity_rows(ui, form, own);
    }
}

/// The three numbers of a viscosity, of a class or of a pair.
pub(crate) fn viscosity_rows(ui: &mut Ui, form: &Form, own: &mut ClassViscosity) {
    let usual = ClassViscosity::default();
    // Destructured completely, so that a new field without a control is a compile error; also
    // below.
    let ClassViscosity { approach, quadratic, linear } = own;
    form.number(ui, &LINEAR, linear, usual.linear);
    form.number(ui, &APPROACH, approach, usual.approach);
    form.number(ui, &QUADRATIC, quadratic, usual.quadratic);
}

const SPRING: Number =
    Number::of("Spring stiffness", row::ELASTICITY_STIFFNESS, "How hard its springs pull back.")
        .usually(0.0, 300.0)
        .by_factors();
const YIELD: Number =
    Number::of("Yield ratio", row::ELASTICITY_YIELD_RATIO, "Strain before a spring flows.")
        .usually(0.0, 1.0);
const PLASTICITY: Number = Number::of(
    "Plasticity",
    row::ELASTICITY_PLASTICITY,
    "How fast it takes on another shape: 0 is a jelly, more a dough.",
)
.usually(0.0, 10.0)
.by_factors();
const MIN_LENGTH: Number = Number::of(
    "Least length",
    row::ELASTICITY_LEAST_REST_LENGTH,
    "Shortest rest length of a spring.",
);

fn springs(ui: &mut Ui, form: &Form, elasticity: &mut Option<Elasticity>) {
    form.option(ui, "Elastic", "Springs between its particles.", elasticity, Elasticity::default);
    let Some(own) = elasticity else { return };
    let usual = Elasticity::default();
    let Elasticity { stiffness, yield_ratio, plasticity, min_rest_length } = own;
    form.number(ui, &SPRING, stiffness, usual.stiffness);
    form.number(ui, &YIELD, yield_ratio, usual.yield_ratio);
    form.number(ui, &PLASTICITY, plasticity, usual.plasticity);
    form.number(ui, &MIN_LENGTH, min_rest_length, usual.min_rest_length);
}

const TEMPERATURE: Number =
    Number::of("Temperature", row::THERMAL_TEMPERATURE, "Of its new particles.")
        .usually(-100.0, 1500.0);
const CONDUCTIVITY: Number =
    Number::of("Conductivity", row::THERMAL_CONDUCTIVITY, "How fast neighbours exchange heat.")
        .usually(0.0, 5.0)
        .by_factors();
const COOLING: Number = Number::of(
    "Cooling",
    row::THERMAL_COOLING,
    "How fast it takes on the temperature of the surroundings.",
)
.usually(0.0, 1.0)
.by_factors();
const EXPANSION: Number = Number::of(
    "Expansion",
    row::THERMAL_EXPANSION,
    "Part of its weight lost per degree above the surroundings: hot liquid rises.",
)
.usually(0.0, 0.02);
const ABOVE: Number =
    Number::of("Boils at", row::THERMAL_ABOVE_TEMPERATURE, "Above this it becomes another class.")
        .usually(-100.0, 1500.0);
const BELOW: Number =
    Number::of("Sets at", row::THERMAL_BELOW_TEMPERATURE, "Below this it becomes another class.")
        .usually(-100.0, 1500.0);

const TO_AIR: Number = Number::of(
    "To the air",
    row::THERMAL_AIR_CONDUCTIVITY,
    "How fast its surface exchanges heat with the air.",
)
.usually(0.0, 5.0)
.by_factors();
const INTO_AIR_ABOVE: Number =
    Number::of("Turns at", row::THERMAL_INTO_AIR_ABOVE, "From this on it becomes air.")
        .usually(-100.0, 1500.0);
const LATENT_HEAT: Number = Number::of(
    "Latent heat",
    row::THERMAL_INTO_AIR_LATENT_HEAT,
    "Heat that the change takes: with much, liquid boils away slowly.",
)
.usually(0.0, 1000.0);
const VAPOUR: Number =
    Number::of("Vapour", row::THERMAL_INTO_AIR_VAPOUR, "Vapour that a particle becomes.")
        .usually(0.0, 2.0);
const SMOKE: Number =
    Number::of("Smoke", row::THERMAL_INTO_AIR_SMOKE, "Smoke that a particle becomes.")
        .usually(0.0, 20.0);
const FUEL: Number =
    Number::of("Fuel", row::THERMAL_INTO_AIR_FUEL, "Fuel that a particle becomes.")
        .usually(0.0, 40.0);
const GAS: Number =
    Number::of("Gas", row::THERMAL_INTO_AIR_EXPANSION, "Gas that a particle becomes.")
        .usually(0.0, 20.0);
const RAINS_BELOW: Number = Number::of(
    "Rains below",
    row::THERMAL_INTO_AIR_RAINS_TEMPERATURE,
    "In colder air vapour becomes drops.",
)
.usually(-100.0, 500.0);

fn heat(ui: &mut Ui, form: &Form, class: &mut DensityClass, names: &[String]) {
    let own_name = class.name.clone();
    let thermal = &mut class.thermal;
    let help = "Otherwise that of the surroundings.";
    form.option(ui, "Own temperature", help, &mut thermal.temperature, || 20.0);
    if let Some(temperature) = &mut thermal.temperature {
        form.number(ui, &TEMPERATURE, temperature, 20.0);
    }
    form.number(ui, &CONDUCTIVITY, &mut thermal.conductivity, CONDUCTIVITY.default);
    form.number(ui, &COOLING, &mut thermal.cooling, COOLING.default);
    form.number(ui, &EXPANSION, &mut thermal.expansion, EXPANSION.default);
    form.number(ui, &TO_AIR, &mut thermal.air_conductivity, TO_AIR.default);
    let other = names.iter().find(|name| **name != own_name).unwrap_or(&own_name).clone();
    let help = "Becomes another class beyond a temperature.";
    for (row, transition) in [(&BOILS, &mut thermal.above), (&SETS, &mut thermal.below)] {
        transition_rows(ui, form, row, help, transition, (&other, names));
    }
    let help = "Becomes smoke, vapour or fuel of the air that it is in.";
    let new = || IntoAir { above: 100.0, vapour: 1.0, ..IntoAir::default() };
    form.option(ui, "Turns into air", help, &mut thermal.into_air, new);
    let Some(own) = &mut thermal.into_air else { return };
    let IntoAir { above, latent_heat, vapour, smoke, fuel, colour, expansion, rains } = own;
    form.number(ui, &INTO_AIR_ABOVE, above, 100.0);
    form.number(ui, &LATENT_HEAT, latent_heat, LATENT_HEAT.default);
    form.number(ui, &VAPOUR, vapour, VAPOUR.default);
    form.number(ui, &SMOKE, smoke, SMOKE.default);
    form.option(ui, "Own smoke colour", "Otherwise that of the air.", colour, || [1.0; 3]);
    if let Some([red, green, blue]) = colour {
        let mut shown = [*red, *green, *blue, 1.0];
        form.class_colour(ui, "Smoke colour", "Of the smoke that it becomes.", &mut shown);
        [*red, *green, *blue, _] = shown;
    }
    form.number(ui, &FUEL, fuel, FUEL.default);
    form.number(ui, &GAS, expansion, GAS.default);
    let help = "Vapour becomes drops where the air is cold.";
    transition_rows(ui, form, &RAINS, help, rains, (&other, names));
}

/// Names and numbers of the rows of a transition.
struct TransitionRows {
    title: &'static str,
    number: Number,
    into: &'static str,
    usual: f32,
    field: &'static str,
}

const BOILS: TransitionRows = TransitionRows {
    title: "Boils",
    number: ABOVE,
    into: "Boils into",
    usual: 100.0,
    field: "thermal.above.becomes",
};
const SETS: TransitionRows = TransitionRows {
    title: "Sets",
    number: BELOW,
    into: "Sets into",
    usual: 0.0,
    field: "thermal.below.becomes",
};
const RAINS: TransitionRows = TransitionRows {
    title: "Rains",
    number: RAINS_BELOW,
    into: "Rains into",
    usual: 80.0,
    field: "thermal.into_air.rains.becomes",
};

/// Edits a transition; new ones lead to the first of the names.
fn transition_rows(
    ui: &mut Ui,
    form: &Form,
    row: &TransitionRows,
    help: &str,
    transition: &mut Option<Transition>,
    (other, names): (&str, &[String]),
) {
    let new = || Transition { temperature: row.usual, becomes: other.to_owned() };
    form.option(ui, row.title, help, transition, new);
    let Some(own) = transition else { return };
    form.number(ui, &row.number, &mut own.temperature, row.usual);
    let mut becomes = Some(own.becomes.clone());
    form.name(ui, row.into, "The class it becomes.", &mut becomes, names, None);
    own.becomes = becomes.unwrap_or_default();
    form.problem_of(ui, row.field);
}

/// One box for each of the first eight layers, and one for all others.
fn layers(ui: &mut Ui, layers: &mut u32) {
    ui.label(RichText::new("Colliders that share no layer let it pass.").color(style::WEAK));
    ui.horizontal_wrapped(|ui| {
        for layer in 0..8 {
            let bit = 1 << layer;
            let mut on = *layers & bit != 0;
            if ui.checkbox(&mut on, format!("Layer {layer}")).changed() {
                *layers ^= bit;
            }
        }
        let rest = !0xff;
        let mut on = *layers & rest == rest;
        if ui.checkbox(&mut on, "Layers 8 to 31").changed() {
            *layers = if on { *layers | rest } else { *layers & !rest };
        }
    });
}

fn save(ui: &mut Ui, state: &mut ClassesState, classes: &FluidClasses) -> Option<ClassesAction> {
    let name = classes.classes.get(state.chosen)?.name.clone();
    let (text, help) = if cfg!(target_arch = "wasm32") {
        ("Copy as material", "Copies the class and its pairs as the text of a .fluid.ron file.")
    } else {
        ("Save as material", "Writes the class and its pairs as NAME.fluid.ron.")
    };
    ui.add_space(4.0);
    let clicked =
        ui.vertical_centered_justified(|ui| ui.button(text).on_hover_text(help).clicked()).inner;
    let mut overwrite = false;
    // A message about another class, or under another name, does not apply to this one.
    state.saved = state.saved.take().filter(|(class, _)| *class == name);
    match state.saved.as_ref().map(|(_, saved)| saved) {
        Some(Ok(message)) => {
            ui.label(RichText::new(message).small().color(style::GOOD));
        }
        Some(Err(SaveError::Refused(message))) => show_warning(ui, message),
        Some(Err(SaveError::Foreign)) => {
            show_warning(ui, "There is a file of that name, which this class did not come from.");
            let cancelled = ui.horizontal_wrapped(|ui| {
                overwrite = ui.button(format!("Overwrite {name}.fluid.ron")).clicked();
                ui.button("Cancel").clicked()
            });
            if cancelled.inner {
                state.saved = None;
            }
        }
        None => {}
    }
    let material = || Material::of_class(&name, &classes.classes, &classes.pairs);
    let wish = |material| ClassesAction::Save { material, overwrite };
    (clicked || overwrite).then(material).flatten().map(wish)
}
