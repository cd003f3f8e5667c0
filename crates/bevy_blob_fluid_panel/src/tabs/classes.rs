//! The tab of the classes: every field of a [`DensityClass`], and saving it as a material.

use bevy::prelude::*;
use bevy_blob_fluid::blob_fluid::material::Material;
use bevy_blob_fluid::blob_fluid::{
    ClassError, ClassTable, ClassViscosity, DensityClass, FluidElasticity, FluidIntoAir,
    FluidPaint, FluidPowder, FluidThermal, FluidTransition,
};
use bevy_blob_fluid::{FluidClasses, FluidSimulation, FluidStatistics};
use bevy_egui::egui;
use egui::{RichText, TextEdit, Ui};

use crate::form::{
    Declared, Form, Problem, Shown, is_in, section, section_of, show_warning, shown,
};
use crate::state::{ClassesState, Draft, FluidPanel};
use crate::style;
use crate::tabs::graphs::class_counts;
use crate::tabs::liquid::{APPROACH, LINEAR, QUADRATIC};
use crate::tabs::material_files;
use crate::tabs::material_files::SaveError;
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
    let mut counts = class_counts(world.resource::<FluidSimulation>());
    if world.resource::<FluidStatistics>().is_on_device() {
        // The classes of particles on the graphics card are unknown, so no class can be removed.
        counts.fill(1);
    }
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

/// Writes a material into its file, or in browsers, which have no files, to the clipboard.
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

/// Edits classes. `counts` are the numbers of particles of each class; `files` returns the relation
/// of a class name to material files.
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
    let other = names.iter().find(|name| **name != class_name).unwrap_or(&class_name);
    let rows = Rows { form: &form, usual: usual_class(other) };
    let from_file = files(&class_name).is_asset;
    section(ui, "Looks and name", true, |ui| identity(ui, state, classes, from_file));
    let class = &mut classes.classes[state.chosen];
    section(ui, "Weight and pressure", true, |ui| {
        rows.wanted(ui, class, |path| section_of(path, SECTIONS).is_none());
    });
    section(ui, "Thickness", true, |ui| thickness(ui, &rows, class));
    section(ui, "Springs", true, |ui| springs(ui, &rows, class));
    section(ui, "Grains", true, |ui| grains(ui, &rows, class));
    section(ui, "Painting", true, |ui| paint(ui, &rows, class));
    section(ui, "Heat", false, |ui| heat(ui, &rows, class, &names));
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
    let help = "Colour and opacity of the class.";
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

/// The sections, except that of weight and pressure, which has all other settings.
const SECTIONS: &[&[&str]] =
    &[&["viscosity"], &["elasticity"], &["powder"], &["paint"], &["thermal"], &["color"]];
/// Optional groups of heat settings.
const CHANGES: &[&[&str]] =
    &[&["thermal.temperature"], &["thermal.above"], &["thermal.below"], &["thermal.into_air"]];

/// The presentation of settings, beyond their declarations.
const SHOWN: &[Shown] = &[
    shown("mass")
        .usually(0.2, 5.0)
        .by_factors()
        .hint("Heavy classes sink. Ratios above 5 separate violently."),
    shown("relative_rest_density")
        .named("Rest density")
        .usually(0.5, 2.0)
        .hint("Slight differences keep classes from mixing."),
    shown("gravity_scale").usually(-2.0, 2.0).hint("0 floats, negative values rise."),
    shown("stiffness").usually(0.0, 4.0),
    shown("near_stiffness").usually(0.0, 4.0),
    shown("surface_tension").usually(-2.0, 4.0),
    LINEAR,
    APPROACH,
    QUADRATIC,
    shown("elasticity.stiffness").named("Spring stiffness").usually(0.0, 300.0).by_factors(),
    shown("elasticity.yield_ratio").usually(0.0, 1.0),
    shown("elasticity.plasticity").usually(0.0, 10.0).by_factors(),
    shown("elasticity.min_rest_length").named("Least length"),
    shown("powder.friction_angle").usually(15.0, 45.0).hint("Sand 32, snow 36."),
    shown("powder.cohesion").named("Grain cohesion").usually(0.0, 0.5).by_factors(),
    shown("powder.permeability").usually(0.0, 3.0).by_factors().hint("Sand 0.3, clay 0."),
    shown("paint.diffusion").named("Spreads").usually(0.0, 0.4).by_factors(),
    shown("thermal.temperature").usually(-100.0, 1500.0),
    shown("thermal.conductivity").usually(0.0, 5.0).by_factors(),
    shown("thermal.air_conductivity").named("To the air").usually(0.0, 5.0).by_factors(),
    shown("thermal.cooling").usually(0.0, 1.0).by_factors(),
    shown("thermal.expansion").usually(0.0, 0.02).hint("Hot liquid rises."),
    shown("thermal.above.temperature").named("Boils at").usually(-100.0, 1500.0),
    shown("thermal.latent_heat").usually(0.0, 1000.0).hint("With much, liquid boils away slowly."),
    shown("thermal.below.temperature").named("Sets at").usually(-100.0, 1500.0),
    shown("thermal.into_air.above").named("Turns at").usually(-100.0, 1500.0),
    shown("thermal.into_air.vapour").usually(0.0, 2.0),
    shown("thermal.into_air.smoke").usually(0.0, 20.0),
    shown("thermal.into_air.fuel").usually(0.0, 40.0),
    shown("thermal.into_air.afterglow")
        .usually(0.0, 1000.0)
        .hint("With much, a heap that conducts heat burns on."),
    shown("thermal.into_air.expansion").named("Gas").usually(0.0, 20.0),
    shown("thermal.into_air.rains.temperature").named("Rains below").usually(-100.0, 500.0),
];

/// Rows of a class.
struct Rows<'a> {
    form: &'a Form,
    /// The values that resetting restores, and the initial values of optional groups.
    usual: DensityClass,
}

impl Rows<'_> {
    /// The settings of a group, if the class has it.
    fn group(&self, ui: &mut Ui, class: &mut DensityClass, group: &str) {
        self.wanted(ui, class, |path| is_in(path, group));
    }

    fn wanted(&self, ui: &mut Ui, class: &mut DensityClass, wanted: impl Fn(&str) -> bool) {
        Declared { form: self.form, shown: SHOWN }.rows(ui, class, &self.usual, wanted);
    }
}

/// A class with all optional groups; `other` is the class into which it turns.
fn usual_class(other: &str) -> DensityClass {
    let change = |temperature| Some(FluidTransition { temperature, becomes: other.to_owned() });
    DensityClass {
        viscosity: Some(ClassViscosity::default()),
        elasticity: Some(FluidElasticity::default()),
        powder: Some(FluidPowder::default()),
        paint: Some(FluidPaint::default()),
        thermal: FluidThermal {
            temperature: Some(20.0),
            above: change(100.0),
            below: change(0.0),
            into_air: Some(FluidIntoAir {
                above: 100.0,
                rains: change(80.0),
                ..FluidIntoAir::default()
            }),
            ..FluidThermal::default()
        },
        ..DensityClass::default()
    }
}

fn thickness(ui: &mut Ui, rows: &Rows, class: &mut DensityClass) {
    let help = "Otherwise the liquid's.";
    let viscosity = &mut class.viscosity;
    rows.form.option(ui, "Own viscosity", help, viscosity, ClassViscosity::default);
    rows.group(ui, class, "viscosity");
}

fn springs(ui: &mut Ui, rows: &Rows, class: &mut DensityClass) {
    let help = "Springs between its particles.";
    rows.form.option(ui, "Elastic", help, &mut class.elasticity, FluidElasticity::default);
    rows.group(ui, class, "elasticity");
}

fn grains(ui: &mut Ui, rows: &Rows, class: &mut DensityClass) {
    let help = "Friction between its particles: it piles up, as sand does.";
    rows.form.option(ui, "Powder", help, &mut class.powder, FluidPowder::default);
    rows.group(ui, class, "powder");
}

fn paint(ui: &mut Ui, rows: &Rows, class: &mut DensityClass) {
    let help = "A colour of each particle, which its neighbours take on.";
    rows.form.option(ui, "Takes paint", help, &mut class.paint, FluidPaint::default);
    rows.wanted(ui, class, |path| is_in(path, "paint") && path != "paint.color");
    let Some(FluidPaint { color, .. }) = &mut class.paint else { return };
    let [red, green, blue] = *color;
    let mut shown = Color::linear_rgb(red, green, blue).to_srgba().to_f32_array();
    let before = shown;
    let help = "Colour of particles that spawn without paint.";
    rows.form.class_colour(ui, "New paint", help, &mut shown);
    if shown != before {
        let [red, green, blue, _] = shown;
        let LinearRgba { red, green, blue, .. } = Color::srgb(red, green, blue).to_linear();
        *color = [red, green, blue].map(|value| value.clamp(0.0, 1.0));
    }
}

fn heat(ui: &mut Ui, rows: &Rows, class: &mut DensityClass, names: &[String]) {
    let usual = &rows.usual.thermal;
    let help = "Otherwise that of the surroundings.";
    rows.form.option(ui, "Own temperature", help, &mut class.thermal.temperature, || 20.0);
    rows.group(ui, class, "thermal.temperature");
    rows.wanted(ui, class, |path| is_in(path, "thermal") && section_of(path, CHANGES).is_none());
    let help = "Becomes another class beyond a temperature.";
    let change = &mut class.thermal.above;
    rows.form.option(ui, "Boils", help, change, || usual.above.clone().unwrap_or_default());
    rows.group(ui, class, "thermal.above");
    becomes(ui, rows, "Boils into", "thermal.above.becomes", &mut class.thermal.above, names);
    let change = &mut class.thermal.below;
    rows.form.option(ui, "Sets", help, change, || usual.below.clone().unwrap_or_default());
    rows.group(ui, class, "thermal.below");
    becomes(ui, rows, "Sets into", "thermal.below.becomes", &mut class.thermal.below, names);
    let help = "Becomes smoke, vapour or fuel of the air that it is in.";
    let new = || FluidIntoAir { above: 100.0, vapour: 1.0, ..FluidIntoAir::default() };
    rows.form.option(ui, "Turns into air", help, &mut class.thermal.into_air, new);
    const APART: &[&[&str]] = &[&["thermal.into_air.rains"], &["thermal.into_air.colour"]];
    rows.wanted(ui, class, |path| {
        is_in(path, "thermal.into_air") && section_of(path, APART).is_none()
    });
    let Some(FluidIntoAir { colour, rains, .. }) = &mut class.thermal.into_air else { return };
    rows.form.option(ui, "Own smoke colour", "Otherwise that of the air.", colour, || [1.0; 3]);
    if let Some([red, green, blue]) = colour {
        let mut shown = [*red, *green, *blue, 1.0];
        rows.form.class_colour(ui, "Smoke colour", "Of the smoke that it becomes.", &mut shown);
        [*red, *green, *blue, _] = shown;
    }
    let usual = usual.into_air.as_ref().and_then(|usual| usual.rains.clone());
    let help = "Vapour becomes drops where the air is cold.";
    rows.form.option(ui, "Rains", help, rains, || usual.unwrap_or_default());
    rows.group(ui, class, "thermal.into_air.rains");
    let into_air = class.thermal.into_air.as_mut();
    let field = "thermal.into_air.rains.becomes";
    if let Some(into_air) = into_air {
        becomes(ui, rows, "Rains into", field, &mut into_air.rains, names);
    }
}

/// Edits the class into which a transition turns particles.
fn becomes(
    ui: &mut Ui,
    rows: &Rows,
    label: &str,
    field: &str,
    change: &mut Option<FluidTransition>,
    names: &[String],
) {
    let Some(FluidTransition { becomes, .. }) = change else { return };
    let mut chosen = Some(becomes.clone());
    rows.form.name(ui, label, "The class it becomes.", &mut chosen, names, None);
    *becomes = chosen.unwrap_or_default();
    rows.form.problem_of(ui, field);
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
    // A message about another class, or about an earlier name, is dropped.
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

// Adding, removing and renaming classes, with all references to them.

/// Relation of a class to material files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Files {
    /// Whether it is the class of a material from a file.
    pub is_asset: bool,
    /// Whether the material of a file turns into it.
    pub is_product: bool,
}

/// The reason why the last class cannot be removed; `None` if it can.
pub(crate) fn why_it_stays(
    classes: &FluidClasses,
    counts: &[usize],
    files: impl Fn(&str) -> Files,
) -> Option<&'static str> {
    let last = classes.classes.last()?;
    let Files { is_asset, is_product } = files(&last.name);
    if classes.len() == 1 {
        Some("There must be one class.")
    } else if is_asset {
        Some("It is that of a file, which others may refer to.")
    } else if is_product {
        Some("The material of a file turns into it.")
    } else if counts.get(classes.len() - 1).is_some_and(|count| *count > 0) {
        Some("There are particles of it.")
    } else {
        None
    }
}

/// Adds a copy of the chosen class, and chooses it.
pub(crate) fn add_copy(classes: &mut FluidClasses, state: &mut ClassesState) {
    let Some(like) = classes.classes.get(state.chosen).cloned() else { return };
    let taken = |name: &str| classes.find(name).is_some();
    let mut number = 2;
    let name = loop {
        let name = format!("{} {number}", like.name);
        if !taken(&name) {
            break name;
        }
        number += 1;
    };
    classes.classes.push(DensityClass { name, ..like });
    *state = ClassesState { chosen: classes.len() - 1, ..ClassesState::default() };
}

/// Removes the last class, and the references to it.
pub(crate) fn remove_last(classes: &mut FluidClasses, state: &mut ClassesState) {
    let Some(removed) = classes.classes.pop() else { return };
    // Another class may have the same name.
    if classes.find(&removed.name).is_none() {
        let name = &removed.name;
        classes.pairs.retain(|pair| !pair.classes.contains(name));
        for pair in &mut classes.pairs {
            if let Some(reaction) = &mut pair.reaction {
                let gone = |becomes: &&mut Option<String>| becomes.as_ref() == Some(name);
                reaction.becomes.iter_mut().filter(gone).for_each(|becomes| *becomes = None);
            }
        }
        for class in &mut classes.classes {
            for transition in transitions(class) {
                if transition.as_ref().is_some_and(|transition| transition.becomes == *name) {
                    *transition = None;
                }
            }
        }
    }
    *state = ClassesState { chosen: classes.len() - 1, ..ClassesState::default() };
}

/// Renames a class, including all references to it.
pub(crate) fn rename(classes: &mut FluidClasses, chosen: usize, new: &str) {
    let old = std::mem::replace(&mut classes.classes[chosen].name, new.to_owned());
    let update = |name: &mut String| {
        if *name == old {
            *name = new.to_owned();
        }
    };
    for pair in &mut classes.pairs {
        pair.classes.iter_mut().for_each(update);
        if let Some(reaction) = &mut pair.reaction {
            reaction.becomes.iter_mut().flatten().for_each(update);
        }
    }
    for class in &mut classes.classes {
        transitions(class)
            .into_iter()
            .flatten()
            .for_each(|transition| update(&mut transition.becomes));
    }
}

/// All transitions of a class by temperature, present or not. The last one exists only for a class that
/// turns into air.
fn transitions(class: &mut DensityClass) -> Vec<&mut Option<FluidTransition>> {
    let thermal = &mut class.thermal;
    let rains = thermal.into_air.as_mut().map(|into_air| &mut into_air.rains);
    [&mut thermal.above, &mut thermal.below].into_iter().chain(rains).collect()
}
