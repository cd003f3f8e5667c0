//! Rows of the settings that the core declares. A new setting has its row without a line here.

use bevy_blob_fluid::blob_fluid::ranges::{SettingRange, Settings};
use egui::Ui;

use bevy_egui::egui;

use crate::controls::form::{Form, Number};

/// What the panel says of a setting beyond its declaration. Of several with one path, as for a vector,
/// each is for one of its numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shown {
    path: &'static str,
    label: Option<&'static str>,
    hint: &'static str,
    usual: Option<(f32, f32)>,
    least: f32,
    logarithmic: bool,
}

/// A setting that is shown as it is declared, unless changed.
pub(crate) const fn shown(path: &'static str) -> Shown {
    Shown { path, label: None, hint: "", usual: None, least: f32::MIN, logarithmic: false }
}

impl Shown {
    /// Its name, where that is not the last part of its path.
    pub(crate) const fn named(self, label: &'static str) -> Self {
        Self { label: Some(label), ..self }
    }

    /// A sentence after its meaning.
    pub(crate) const fn hint(self, hint: &'static str) -> Self {
        Self { hint, ..self }
    }

    /// The range of its slider.
    pub(crate) const fn usually(self, least: f32, most: f32) -> Self {
        Self { usual: Some((least, most)), ..self }
    }

    /// Less than this cannot be entered, although it is valid.
    pub(crate) const fn at_least(self, least: f32) -> Self {
        Self { least, ..self }
    }

    /// Equal steps of its slider are equal factors.
    pub(crate) const fn by_factors(self) -> Self {
        Self { logarithmic: true, ..self }
    }
}

/// Draws rows of settings, with what is said of some of them.
#[derive(Clone, Copy)]
pub(crate) struct Declared<'a> {
    pub form: &'a Form,
    pub shown: &'a [Shown],
}

impl Declared<'_> {
    /// Draws a row for each number whose declaration is `wanted`. Resetting restores that of `usual`,
    /// or the declared default where `usual` has none.
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

    /// Draws the row of one number, which has this place among those with its path.
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

/// Whether a path is this one, or one in this group.
pub(crate) fn is_in(path: &str, group: &str) -> bool {
    path.strip_prefix(group).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// The section that holds a setting: the one that names the longest part of its path. `sections` are
/// lists of paths and of groups, such as `viscosity`; `None` for a setting that none names.
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

/// A range of the slider that does not lose the default among all that is valid.
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
