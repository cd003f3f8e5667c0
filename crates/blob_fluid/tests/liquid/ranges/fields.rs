//! Where the documentation of a field does not follow from its declaration, it states the range and the
//! default that the table has.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use blob_fluid::ranges::{self, SettingRange};

/// Documentation of fields, variants and functions: for each type and name, all docs of that name,
/// each with the type of the field.
type Fields = HashMap<(String, String), Vec<(String, String)>>;

/// Reads all source files in a folder.
fn read_folder(folder: &Path, fields: &mut Fields) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            read_folder(&path, fields);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            read_source(&fs::read_to_string(&path).expect("text"), fields);
        }
    }
}

fn read_source(source: &str, fields: &mut Fields) {
    let (mut of, mut said) = (String::new(), String::new());
    for line in source.lines() {
        let code = line.trim();
        let indented = line.starts_with(' ');
        if let Some(text) = code.strip_prefix("///") {
            said.push(' ');
            said.push_str(text.trim());
        } else if !indented && let Some(name) = type_that_begins(code) {
            (of, said) = (name, String::new());
        } else if !code.starts_with("#[") {
            if indented
                && !said.is_empty()
                && let Some((name, kind)) = member(code)
            {
                let found = (std::mem::take(&mut said), kind);
                fields.entry((of.clone(), name)).or_default().push(found);
            }
            said.clear();
        }
    }
}

fn identifier(text: &str) -> String {
    text.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect()
}

fn type_that_begins(code: &str) -> Option<String> {
    let starts = ["pub struct ", "pub enum ", "impl "];
    let begins = starts.iter().find_map(|start| code.strip_prefix(start)).map(identifier);
    // Items in other blocks belong to no type.
    begins.or_else(|| code.ends_with('{').then(String::new))
}

/// Name and type of a field, a variant or a function.
fn member(code: &str) -> Option<(String, String)> {
    let code = code.strip_prefix("pub ").unwrap_or(code);
    let code = code.strip_prefix("fn ").unwrap_or(code);
    let name = identifier(code);
    let kind = code[name.len()..].trim_start_matches([':', '(', ' ']);
    let kind = kind.strip_prefix("Option<").unwrap_or(kind);
    (!name.is_empty()).then(|| (name, identifier(kind)))
}

/// All documentation of a path, starting at a type.
fn said_of(fields: &Fields, of: &str, path: &str) -> Vec<String> {
    let (name, rest) = path.split_once('.').unwrap_or((path, ""));
    let of_name = |name: &str| fields.get(&(of.to_owned(), name.to_owned()));
    // A field, or a function that sets it.
    let names = [name, &format!("set_{name}"), "new"];
    let found = names.iter().filter_map(|name| of_name(name)).flatten();
    let inside = |(said, kind): &(String, String)| {
        if !rest.is_empty() {
            return said_of(fields, kind, rest);
        }
        // A variant that holds only this number.
        let variants = fields.iter().filter(|((of, _), _)| of == kind);
        let variants = variants.flat_map(|(_, found)| found);
        let plain = variants.filter(|(_, kind)| kind == "u32").map(|(said, _)| said.clone());
        plain.chain([said.clone()]).collect()
    };
    found.flat_map(inside).collect()
}

/// Whether a text contains a phrase that is not part of a longer number.
fn has(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase).any(|(start, _)| {
        let before = text[..start].chars().next_back();
        let mut after = text[start + phrase.len()..].chars();
        let (next, second) = (after.next(), after.next());
        let digit = |letter: Option<char>| letter.is_some_and(|letter| letter.is_ascii_digit());
        let begins = !digit(before) && before != Some('-') && before != Some('.');
        begins && !digit(next) && !(next == Some('.') && digit(second))
    })
}

/// Returns a message if the documentation of a row's field does not state its limits and default.
fn missing(fields: &Fields, of: &[&str], row: &SettingRange) -> Option<String> {
    let said: Vec<String> = of.iter().flat_map(|of| said_of(fields, of, row.path)).collect();
    let limits = format!("{:#}", row.limits);
    let default = row.default.map(|default| format!("default {default}"));
    let states = |text: &String| {
        let stated = default.as_ref().is_none_or(|default| has(&text.to_lowercase(), default));
        has(text, &limits) && stated
    };
    let default = default.as_deref().unwrap_or("any default");
    (!said.iter().any(states))
        .then(|| format!("{of:?} {}: {limits}, {default}: {said:?}", row.path))
}

fn source(folder: &str) -> Fields {
    let mut fields = Fields::new();
    read_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut fields);
    fields
}

/// Tests what is said of the sizes of shapes, and of functions that set what is no public field.
#[test]
fn what_is_said_of_fields_states_their_ranges_and_defaults() {
    let fields = source("src");
    for (of, subject, path) in [
        ("Shape", "shape", "radius"),
        ("Shape", "shape", "half_size"),
        ("Shape", "shape", "half_length"),
        ("Polyline", "polyline", "thickness"),
        ("Drain", "drain", "rate"),
        ("Sensor", "sensor", "smoothing"),
        ("Air", "air", "cell_size"),
    ] {
        let row = ranges::find(subject, path).expect("a row");
        assert_eq!(missing(&fields, &[of], row), None);
    }
}

/// Tests the plugin's components that have the fields of the core's settings.
#[test]
fn what_is_said_of_components_states_their_ranges_and_defaults() {
    let fields = source("../bevy_blob_fluid/src");
    for (subject, component, set_elsewhere) in [
        ("force", "FluidForce", "centre"),
        ("body", "FluidBuoyant", "mass moment_of_inertia"),
        ("drain", "FluidDrain", ""),
    ] {
        // Some settings are those of the entity.
        let rows =
            ranges::all().filter(|row| row.subject == subject && !set_elsewhere.contains(row.path));
        let missing: Vec<String> =
            rows.filter_map(|row| missing(&fields, &[component], row)).collect();
        assert!(missing.is_empty(), "the documentation of fields lacks\n{}", missing.join("\n"));
    }
}
