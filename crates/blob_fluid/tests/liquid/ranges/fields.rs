//! Where documentation does not follow from a declaration, it states the range and the default that the
//! table has.

use std::fs;
use std::path::Path;

use blob_fluid::ranges;

/// The text of all source files in a folder of the workspace's crates.
fn source(folder: &Path) -> String {
    let mut text = String::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            text.push_str(&source(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            text.push_str(&fs::read_to_string(&path).expect("text"));
        }
    }
    text
}

/// All that is said, in lower case, of items that begin with `item` in a block that begins with `block`.
fn said_of(source: &str, block: &str, item: &str) -> Vec<String> {
    let mut all = Vec::new();
    for (begin, _) in source.match_indices(&format!("\n{block} {{\n")) {
        let text = &source[begin + 1..];
        let text = &text[..text.find("\n}\n").expect("an end")];
        let mut said = String::new();
        for line in text.lines().map(str::trim) {
            if let Some(more) = line.strip_prefix("///") {
                said.push_str(more);
                continue;
            }
            if line.strip_prefix("pub ").unwrap_or(line).starts_with(item) {
                all.push(said.to_lowercase());
            }
            if !line.starts_with("#[") {
                said.clear();
            }
        }
    }
    all
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

/// Checks what is said of an item that sets a row's number.
fn check(source: &str, [block, item, subject, path]: [&str; 4]) {
    let row = ranges::find(subject, path).expect("a row");
    let limits = format!("{:#}", row.limits);
    let default = row.default.map(|default| format!("default {default}"));
    let said = said_of(source, block, item);
    let states = |said: &String| {
        has(said, &limits) && default.as_ref().is_none_or(|default| has(said, default))
    };
    assert!(said.iter().any(states), "{block} {item}: {limits}, {default:?} is not in {said:?}");
}

#[test]
fn what_is_said_of_fields_states_their_ranges_and_defaults() {
    let source = source(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    for item in [
        ["pub enum FluidShape", "radius", "shape", "radius"],
        ["pub enum FluidShape", "half_size", "shape", "half_size"],
        ["pub enum FluidShape", "half_length", "shape", "half_length"],
        ["impl Polyline", "fn new", "polyline", "thickness"],
        ["impl Drain", "fn set_rate", "drain", "rate"],
        ["impl Pipe", "fn new", "pipe", "width"],
        ["impl Pipe", "fn new", "pipe", "thickness"],
        ["impl Sensor", "fn set_smoothing", "sensor", "smoothing"],
        ["impl Air", "fn new", "air", "cell_size"],
    ] {
        check(&source, item);
    }
}

/// Tests the plugin's components that have the fields of the core's settings.
#[test]
fn what_is_said_of_components_states_their_ranges_and_defaults() {
    let source = source(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../bevy_blob_fluid/src"));
    // Some settings are those of the entity.
    for (subject, block, set_elsewhere) in [
        ("force", "pub struct FluidForce", "centre"),
        ("body", "pub struct FluidBuoyant", "mass moment_of_inertia"),
        ("drain", "pub struct FluidDrain", ""),
        ("pump", "pub struct FluidPump", ""),
    ] {
        let rows = ranges::all().filter(|row| row.subject == subject);
        for row in rows.filter(|row| !set_elsewhere.contains(row.path)) {
            check(&source, [block, &format!("{}:", row.path), subject, row.path]);
        }
    }
}
