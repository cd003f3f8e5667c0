//! The rows of controls in all tabs: a name, a control, and a reset button.

use std::ops::RangeInclusive;

use bevy::prelude::{Color, ColorToPacked};
use bevy_blob_fluid::blob_fluid::ranges::{SettingRange, Settings};
use bevy_egui::egui;
use egui::{Align, Button, DragValue, Layout, RichText, Slider, Ui, WidgetInfo, WidgetType};

use crate::style;

/// Width of the names, in points.
const NAME_WIDTH: f32 = 112.0;
/// Width of the numbers, in points.
const VALUE_WIDTH: f32 = 66.0;
/// Width of the reset button, in points.
const RESET_WIDTH: f32 = 16.0;

/// The error of a field, shown below it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Problem {
    /// Path of the field in errors.
    pub field: &'static str,
    pub message: String,
}

/// Description of a number to edit.
pub(crate) struct Number<'a> {
    pub name: &'a str,
    /// Path of the field in errors; empty for a field that is never refused.
    pub field: &'a str,
    pub unit: &'a str,
    pub help: &'a str,
    /// Values that may be entered.
    pub range: RangeInclusive<f32>,
    /// Range of the slider.
    pub usual: RangeInclusive<f32>,
    /// Whether the slider is logarithmic.
    pub logarithmic: bool,
    /// Whether it is a whole number.
    pub whole: bool,
}

impl<'a> Number<'a> {
    /// A number that is never refused, with a slider over all valid values.
    pub(crate) const fn new(
        name: &'a str,
        unit: &'a str,
        least: f32,
        most: f32,
        help: &'a str,
    ) -> Self {
        let (range, usual) = (least..=most, least..=most);
        Self { name, field: "", unit, help, range, usual, logarithmic: false, whole: false }
    }

    /// The same number with a smaller range of the slider.
    pub(crate) const fn usually(mut self, least: f32, most: f32) -> Self {
        let within = least >= *self.range.start() && most <= *self.range.end();
        assert!(within, "the slider reaches what cannot be entered");
        self.usual = least..=most;
        self
    }

    /// The same number with a logarithmic slider.
    pub(crate) const fn by_factors(mut self) -> Self {
        self.logarithmic = true;
        self
    }
}

/// Draws rows of controls, and the errors of their fields.
#[derive(Default)]
pub(crate) struct Form {
    pub problem: Option<Problem>,
}

impl Form {
    /// A row with a number; returns whether it was changed.
    pub(crate) fn number(
        &self,
        ui: &mut Ui,
        number: &Number,
        value: &mut f32,
        default: f32,
    ) -> bool {
        let before = value.to_bits();
        let help = tooltip(number, default);
        row(ui, number.name, &help, |ui, name| {
            let reserved = VALUE_WIDTH + RESET_WIDTH + 2.0 * ui.spacing().item_spacing.x;
            ui.spacing_mut().slider_width = (ui.available_width() - reserved).max(30.0);
            let mut slider = Slider::new(value, number.usual.clone())
                .show_value(false)
                .logarithmic(number.logarithmic)
                .smallest_positive(1e-4)
                .clamping(egui::SliderClamping::Edits);
            if number.whole {
                slider = slider.integer();
            }
            ui.add(slider).labelled_by(name).on_hover_text(&help);
            let speed = drag_speed(number, *value);
            let drag = DragValue::new(value)
                .range(number.range.clone())
                .clamp_existing_to_range(false)
                .max_decimals(if number.whole { 0 } else { 4 })
                .speed(speed);
            let size = egui::vec2(VALUE_WIDTH, ui.spacing().interact_size.y);
            ui.add_sized(size, drag).labelled_by(name).on_hover_text(&help);
            if reset(ui, number.name, value.to_bits() != default.to_bits()) {
                *value = default;
            }
        });
        // Typed input may be NaN or infinite.
        if !value.is_finite() {
            *value = f32::from_bits(before);
        }
        self.problem_of(ui, number.field);
        before != value.to_bits()
    }

    /// A row with a whole number; returns whether it was changed.
    pub(crate) fn count(
        &self,
        ui: &mut Ui,
        number: &Number,
        value: &mut u32,
        default: u32,
    ) -> bool {
        let mut shown = *value as f32;
        let changed = self.number(ui, number, &mut shown, default as f32);
        if changed {
            *value = shown.round() as u32;
        }
        changed
    }

    /// A row with a choice of a few values.
    pub(crate) fn choice<T: PartialEq + Clone>(
        &self,
        ui: &mut Ui,
        name: &str,
        help: &str,
        value: &mut T,
        choices: &[(T, &str)],
    ) {
        row(ui, name, help, |ui, _| {
            ui.vertical(|ui| {
                // The row has room for two buttons only.
                for line in choices.chunks(2) {
                    ui.horizontal(|ui| {
                        for (choice, text) in line {
                            let button = Button::selectable(value == choice, *text);
                            if ui.add(button).on_hover_text(help).clicked() {
                                *value = choice.clone();
                            }
                        }
                    });
                }
            });
        });
    }

    /// A row with a colour, opaque or not; returns whether it was changed.
    pub(crate) fn colour(&self, ui: &mut Ui, name: &str, help: &str, colour: &mut [u8; 4]) -> bool {
        row(ui, name, help, |ui, label| {
            // The colour picker rounds even unchanged colours.
            let mut edited = *colour;
            let response = ui.color_edit_button_srgba_unmultiplied(&mut edited);
            let changed = response.labelled_by(label).on_hover_text(help).changed();
            if changed {
                *colour = edited;
            }
            changed
        })
    }

    /// A row with a colour of a look.
    pub(crate) fn look_colour(&self, ui: &mut Ui, name: &str, help: &str, colour: &mut Color) {
        let mut shown = colour.to_srgba().to_u8_array();
        if self.colour(ui, name, help, &mut shown) {
            let [red, green, blue, alpha] = shown;
            *colour = Color::srgba_u8(red, green, blue, alpha);
        }
    }

    /// A row with a colour whose parts are 0 to 1. A colour between two steps of the picker keeps its
    /// values unless it is changed.
    pub(crate) fn class_colour(&self, ui: &mut Ui, name: &str, help: &str, colour: &mut [f32; 4]) {
        let mut shown = colour.map(|value| (value.clamp(0.0, 1.0) * 255.0).round() as u8);
        if self.colour(ui, name, help, &mut shown) {
            *colour = shown.map(|value| f32::from(value) / 255.0);
        }
    }

    /// A row with a checkbox; returns whether it was changed.
    pub(crate) fn option<T>(
        &self,
        ui: &mut Ui,
        name: &str,
        help: &str,
        value: &mut Option<T>,
        new: impl FnOnce() -> T,
    ) -> bool {
        let mut there = value.is_some();
        let changed = ui.checkbox(&mut there, name).on_hover_text(help).changed();
        if changed {
            *value = there.then(new);
        }
        changed
    }

    /// A row with a name from a list. With `none`, it also offers an empty choice with that text.
    pub(crate) fn name(
        &self,
        ui: &mut Ui,
        name: &str,
        help: &str,
        value: &mut Option<String>,
        names: &[String],
        none: Option<&str>,
    ) {
        row(ui, name, help, |ui, label| {
            let shown = value.as_deref().or(none).unwrap_or_default().to_owned();
            let combo = egui::ComboBox::from_id_salt(name).selected_text(shown).width(130.0);
            let response = combo.show_ui(ui, |ui| {
                if let Some(none) = none
                    && ui.selectable_label(value.is_none(), none).clicked()
                {
                    *value = None;
                }
                for choice in names {
                    let chosen = value.as_ref() == Some(choice);
                    if ui.selectable_label(chosen, choice).clicked() {
                        *value = Some(choice.clone());
                    }
                }
            });
            response.response.labelled_by(label).on_hover_text(help);
        });
    }

    /// Shows the error of a field, if it has one.
    pub(crate) fn problem_of(&self, ui: &mut Ui, field: &str) {
        if let Some(problem) = &self.problem
            && problem.field == field
            && !field.is_empty()
        {
            show_warning(ui, &problem.message);
        }
    }
}

/// A line with an error.
pub(crate) fn show_warning(ui: &mut Ui, message: &str) {
    ui.label(RichText::new(message).small().color(style::ERROR));
}

/// A row with a computed value, which cannot be edited.
pub(crate) fn derived(ui: &mut Ui, name: &str, help: &str, value: String) {
    row(ui, name, help, |ui, _| {
        ui.label(RichText::new(value).monospace().color(style::WEAK));
    });
}

/// A collapsible section.
pub(crate) fn section<R>(
    ui: &mut Ui,
    title: &str,
    open: bool,
    contents: impl FnOnce(&mut Ui) -> R,
) -> Option<R> {
    let title = RichText::new(title).strong().color(style::BRIGHT);
    egui::CollapsingHeader::new(title)
        .default_open(open)
        .show_unindented(ui, |ui| {
            style::group()
                .show(ui, |ui| {
                    ui.set_width(ui.available_width());
                    contents(ui)
                })
                .inner
        })
        .body_returned
}

/// A button whose accessible name differs from its text.
pub(crate) fn named_button(ui: &mut Ui, button: Button<'_>, enabled: bool, name: &str) -> bool {
    let response = ui.add_enabled(enabled, button);
    response.widget_info(|| WidgetInfo::labeled(WidgetType::Button, enabled, name));
    response.on_hover_text(name).clicked()
}

fn row<R>(ui: &mut Ui, name: &str, help: &str, contents: impl FnOnce(&mut Ui, egui::Id) -> R) -> R {
    ui.horizontal(|ui| {
        let size = egui::vec2(NAME_WIDTH, ui.spacing().interact_size.y);
        let layout = Layout::left_to_right(Align::Center);
        let label = ui.allocate_ui_with_layout(size, layout, |ui| {
            ui.set_min_width(NAME_WIDTH);
            let text = egui::Label::new(name).truncate().sense(egui::Sense::hover());
            ui.add(text).on_hover_text(help)
        });
        contents(ui, label.inner.id)
    })
    .inner
}

/// The button that resets a value to its default. Without a button, its space stays empty.
fn reset(ui: &mut Ui, name: &str, changed: bool) -> bool {
    let size = egui::vec2(RESET_WIDTH, ui.spacing().interact_size.y);
    if !changed {
        ui.allocate_space(size);
        return false;
    }
    let icon = RichText::new("⟲").color(style::ACCENT);
    let button = Button::new(icon).frame(false).min_size(size);
    named_button(ui, button, true, &format!("Reset {name}"))
}

fn drag_speed(number: &Number, value: f32) -> f64 {
    let span = number.usual.end() - number.usual.start();
    let speed = if number.logarithmic { 0.01 * value.abs().max(1e-3 * span) } else { span / 300.0 };
    f64::from(speed.clamp(1e-6, 1e6))
}

fn tooltip(number: &Number, default: f32) -> String {
    let Number { help, unit, range, .. } = number;
    let unit = match *unit {
        "" => String::new(),
        "d" => "In particle spacings; ".to_owned(),
        "h" => "In interaction radii; ".to_owned(),
        unit => format!("In {unit}; "),
    };
    format!("{help}\n{unit}{} to {}, default {}.", range.start(), range.end(), short(default))
}

/// A number with its significant digits.
pub(crate) fn short(value: f32) -> String {
    let magnitude = value.abs();
    if magnitude == 0.0 {
        "0".into()
    } else if !(1e-3..1e6).contains(&magnitude) {
        format!("{value:.2e}")
    } else if magnitude >= 1000.0 {
        format!("{value:.0}")
    } else {
        let text = format!("{value:.3}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    }
}

// Rows of the settings that the core declares. A new setting needs no code here.

/// The presentation of a setting, beyond its declaration. A vector has one entry for each of its numbers, with
/// the same path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shown {
    path: &'static str,
    label: Option<&'static str>,
    hint: &'static str,
    usual: Option<(f32, f32)>,
    least: f32,
    logarithmic: bool,
}

/// A setting that is shown as declared, unless changed.
pub(crate) const fn shown(path: &'static str) -> Shown {
    Shown { path, label: None, hint: "", usual: None, least: f32::MIN, logarithmic: false }
}

impl Shown {
    /// Sets its name, which otherwise is the last part of its path.
    pub(crate) const fn named(self, label: &'static str) -> Self {
        Self { label: Some(label), ..self }
    }

    /// Sets a sentence after its meaning.
    pub(crate) const fn hint(self, hint: &'static str) -> Self {
        Self { hint, ..self }
    }

    /// Sets the range of its slider.
    pub(crate) const fn usually(self, least: f32, most: f32) -> Self {
        Self { usual: Some((least, most)), ..self }
    }

    /// Sets the least value that can be entered, above the least valid one.
    pub(crate) const fn at_least(self, least: f32) -> Self {
        Self { least, ..self }
    }

    /// Makes its slider logarithmic.
    pub(crate) const fn by_factors(self) -> Self {
        Self { logarithmic: true, ..self }
    }
}

/// Draws rows of settings, some with their own presentation.
#[derive(Clone, Copy)]
pub(crate) struct Declared<'a> {
    pub form: &'a Form,
    pub shown: &'a [Shown],
}

impl Declared<'_> {
    /// Draws a row for each number whose path is `wanted`. Resetting restores the number in `usual`,
    /// or the declared default if `usual` lacks it.
    pub(crate) fn rows<T: Settings>(
        &self,
        ui: &mut Ui,
        settings: &mut T,
        usual: &T,
        wanted: impl Fn(&str) -> bool,
    ) {
        let mut defaults = Vec::new();
        usual.visit(&mut |row, value| defaults.push((row.path, value)));
        let mut seen: Vec<&str> = Vec::new();
        settings.visit_mut(&mut |row, value| {
            let place = seen.iter().filter(|path| **path == row.path).count();
            seen.push(row.path);
            if wanted(row.path) {
                let known = defaults.iter().filter(|(path, _)| *path == row.path).nth(place);
                let default = known.map(|(_, default)| *default).or(row.default);
                self.row(ui, row, place, value, default);
            }
        });
    }

    /// Draws the row of one number. `place` is its index among the numbers with the same path.
    pub(crate) fn row(
        &self,
        ui: &mut Ui,
        row: &SettingRange,
        place: usize,
        value: &mut f32,
        default: Option<f32>,
    ) {
        let said = self.shown.iter().filter(|said| said.path == row.path).nth(place);
        let said = said.copied().unwrap_or(shown(""));
        let label = said.label.map_or_else(|| label_of(row.path), str::to_owned);
        let range = row.limits.smallest().max(said.least)..=row.limits.most;
        let (least, most) = said.usual.unwrap_or_else(|| around(default.unwrap_or_default(), row));
        let number = Number {
            name: &label,
            // The error of a vector is shown once.
            field: if place == 0 { row.path } else { "" },
            unit: row.unit,
            help: &help_of(row, said.hint),
            usual: least.max(*range.start())..=most.min(*range.end()),
            range,
            logarithmic: said.logarithmic,
            whole: row.whole,
        };
        self.form.number(ui, &number, value, default.unwrap_or(*value));
    }
}

/// Whether a path equals a group, or is in it.
pub(crate) fn is_in(path: &str, group: &str) -> bool {
    path.strip_prefix(group).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// The section of a setting: the one with the longest matching part of its path. `sections` are
/// lists of paths and of groups, such as `viscosity`. `None` for a setting without a match.
pub(crate) fn section_of(path: &str, sections: &[&[&str]]) -> Option<usize> {
    let holds = |name: &&&str| is_in(path, name);
    let longest = |names: &[&str]| names.iter().filter(holds).map(|name| name.len()).max();
    let lengths = sections.iter().map(|names| longest(names)).enumerate();
    let found = lengths.filter_map(|(index, length)| Some((length?, index)));
    found.max_by_key(|(length, _)| *length).map(|(_, index)| index)
}

/// The last part of a path, in words.
fn label_of(path: &str) -> String {
    let last = path.rsplit('.').next().unwrap_or(path).replace('_', " ");
    let mut letters = last.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

fn help_of(row: &SettingRange, hint: &str) -> String {
    let meaning = row.meaning.replace('`', "");
    if hint.is_empty() { format!("{meaning}.") } else { format!("{meaning}. {hint}") }
}

/// A range of the slider around the default, which is smaller than a large valid range.
fn around(default: f32, row: &SettingRange) -> (f32, f32) {
    let (least, most) = (row.limits.smallest(), row.limits.most);
    let size = if default == 0.0 { 1.0 } else { default.abs() };
    if most - least <= 50.0 * size {
        return (least, most);
    }
    (least.max(-5.0 * size), most.min(5.0 * size))
}

#[cfg(test)]
mod tests {
    use bevy_blob_fluid::blob_fluid::FluidParameters;

    use super::*;

    #[test]
    fn what_nothing_is_said_of_is_named_by_its_path_and_has_a_slider_around_its_default() {
        assert_eq!(label_of("settling.calm_drag"), "Calm drag");
        let row = FluidParameters::row("viscosity.linear");
        assert_eq!(around(0.1, row), (0.0, 0.5));
        assert_eq!(around(0.65, FluidParameters::row("near_share")), (0.0, 1.0));
        let row = FluidParameters::row("gravity");
        assert_eq!(around(-200.0, row), (-1000.0, 1000.0));
        assert!(help_of(row, "").ends_with('.'));
    }

    #[test]
    fn a_setting_is_where_the_longest_part_of_its_path_is_named() {
        let sections: &[&[&str]] = &[&["stiffness", "sph"], &["walls", "sph.restitution"]];
        assert_eq!(section_of("sph.stiffness", sections), Some(0));
        assert_eq!(section_of("sph.restitution", sections), Some(1));
        assert_eq!(section_of("walls.density", sections), Some(1));
        assert_eq!(section_of("stiffness_of_walls", sections), None);
    }
}
