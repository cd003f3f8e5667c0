//! Declared settings: their limits are those that are checked, and every number is declared.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use blob_fluid::air::*;
use blob_fluid::material::MaterialLook;
use blob_fluid::ranges::{Limits, SettingRange, Settings};
use blob_fluid::scene::Scene;
use blob_fluid::shape::Polyline;
use blob_fluid::*;
use glam::Vec2;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Returns a value just inside the lower limit, and one just outside.
fn around_least(row: &SettingRange) -> (f32, f32) {
    let Limits { least, least_included, .. } = row.limits;
    let outside = match (row.whole, least_included) {
        (true, _) => least - 1.0,
        (false, true) => least.next_down(),
        (false, false) => least,
    };
    (row.limits.smallest(), outside)
}

/// Returns a value just inside the upper limit, and one just outside.
fn around_most(row: &SettingRange) -> (f32, f32) {
    let most = row.limits.most;
    (most, if row.whole { most + 1.0 } else { most.next_up() })
}

#[test]
fn the_limits_of_every_row_are_those_that_are_checked() {
    let examples = examples();
    for row in ranges::all() {
        let name = format!("{}: {}", row.subject, row.path);
        let has_row = |numbers: &[(&SettingRange, f32)]| numbers.iter().any(|(of, _)| *of == row);
        let with_row: Vec<_> =
            examples.iter().filter(|example| has_row(&example.numbers)).collect();
        assert!(!with_row.is_empty(), "no example has {name}");
        for (inside, outside) in [around_least(row), around_most(row)] {
            let results = |value: f32| with_row.iter().map(move |of| (of.with)(row, value));
            assert!(results(inside).any(|result| result.is_ok()), "{name} may not be {inside}");
            // The type itself has no smaller values.
            if row.whole && outside < 0.0 {
                continue;
            }
            for result in results(outside) {
                let error = result.expect_err(&format!("{name} may be {outside}"));
                let limits = row.limits.to_string();
                assert!(error.contains(row.path) && error.contains(&limits), "{name}: {error}");
            }
        }
    }
}

#[test]
fn defaults_are_those_of_the_table() {
    let examples = examples();
    for row in ranges::all() {
        let name = format!("{}: {}", row.subject, row.path);
        let Some(default) = row.default else { continue };
        assert!(row.limits.contains(default), "{name}: the default {default} is out of range");
        let mut numbers = examples.iter().flat_map(|example| &example.numbers);
        let actual = numbers.find(|(of, _)| *of == row).map(|(_, number)| *number);
        assert_eq!(actual, Some(default), "{name}");
    }
}

/// Whether the numbers that a text does not state are the defaults of their rows.
fn takes_defaults<S: Settings + DeserializeOwned>(text: Value) {
    let mut stated = BTreeSet::new();
    numbers_in(&text, "", &mut stated);
    let read: S = serde_json::from_value(text).expect("valid");
    read.visit(&mut |row, value| {
        if !stated.contains(row.path) {
            assert_eq!(Some(value), row.default, "{}: {}", row.subject, row.path);
        }
    });
}

#[test]
fn fields_that_a_file_does_not_state_have_the_defaults_of_the_table() {
    takes_defaults::<FluidParameters>(json!({ "gravity": [0, -200] }));
    takes_defaults::<DensityClass>(json!({ "name": "any", "color": [1, 1, 1, 1] }));
    takes_defaults::<ClassPair>(json!({ "classes": ["heavy", "light"] }));
    takes_defaults::<FluidReaction>(json!({ "rate": 1, "becomes": [null, null] }));
    takes_defaults::<FluidElasticity>(json!({}));
    takes_defaults::<FluidPowder>(json!({}));
    takes_defaults::<FluidPaint>(json!({ "color": [1, 1, 1] }));
    takes_defaults::<FluidThermal>(json!({}));
    takes_defaults::<FluidIntoAir>(json!({ "above": 1 }));
    takes_defaults::<FluidTransition>(json!({ "temperature": 1, "becomes": "any" }));
    takes_defaults::<WallProperties>(json!({}));
    takes_defaults::<Motion>(json!({}));
    takes_defaults::<Body>(json!({ "mass": 1, "moment_of_inertia": 1 }));
    takes_defaults::<FluidLifetime>(json!({ "seconds": 1 }));
    takes_defaults::<Force>(json!({}));
    takes_defaults::<Blast>(json!({}));
    takes_defaults::<PoolSettings>(json!({}));
    takes_defaults::<SplashDetection>(json!({}));
    takes_defaults::<FluidBudget>(json!({}));
    takes_defaults::<Scene>(json!({}));
    takes_defaults::<AirProjection>(json!({ "Multigrid": {} }));
    takes_defaults::<AirSide>(json!({ "Inflow": { "velocity": [1, 1] } }));
    takes_defaults::<Wind>(json!({ "velocity": [1, 1] }));
    takes_defaults::<AirSource>(json!({
        "region": { "shape": { "Circle": { "radius": 1 } }, "centre": [0, 0] },
    }));
    assert_eq!(
        serde_json::from_value::<Substeps>(json!({ "Fixed": 3 })).ok(),
        Some(Substeps::Fixed(3))
    );
}

/// Numbers that are not settings with a range: bits, indices of classes, positions, and what has rows
/// of its own.
const NO_SETTINGS: [&str; 5] = ["collision_layers", "class", "classes", "points", "region"];

/// Paths of all numbers that are settings. Variants of enums, which begin with a capital, are no part
/// of a path.
fn numbers_in(value: &Value, path: &str, paths: &mut BTreeSet<String>) {
    match value {
        Value::Number(_) => {
            paths.insert(path.to_owned());
        }
        Value::Array(items) => items.iter().take(1).for_each(|item| numbers_in(item, path, paths)),
        Value::Object(fields) => {
            for (name, value) in fields {
                let variant = name.starts_with(|first: char| first.is_ascii_uppercase());
                let longer = match (variant, path) {
                    (true, _) => path.to_owned(),
                    (false, "") => name.clone(),
                    (false, _) => format!("{path}.{name}"),
                };
                if !NO_SETTINGS.contains(&name.as_str()) {
                    numbers_in(value, &longer, paths);
                }
            }
        }
        _ => {}
    }
}

#[test]
fn every_number_has_a_row_and_no_row_is_listed_twice() {
    let mut rows = BTreeSet::new();
    for row in ranges::all() {
        assert!(rows.insert((row.subject, row.path)), "{} {} twice", row.subject, row.path);
        assert_eq!(ranges::find(row.subject, row.path), Some(row));
    }
    for example in examples() {
        let subject = example.numbers[0].0.subject;
        let mut paths = BTreeSet::new();
        numbers_in(&example.written, "", &mut paths);
        for path in paths {
            assert!(rows.contains(&(subject, path.as_str())), "no row of {subject}: {path}");
        }
    }
}

// The tables in `docs` agree with the table of ranges.

/// A part of a document that describes the settings of a subject.
struct Part {
    document: &'static str,
    title: &'static str,
    subject: &'static str,
    /// Prefix of the paths in this part.
    of: &'static str,
    /// Prefix of these settings in the document instead.
    shown: &'static str,
}

const fn part(
    [document, title, subject]: [&'static str; 3],
    of: &'static str,
    shown: &'static str,
) -> Part {
    Part { document, title, subject, of, shown }
}

const SOLIDS: &str = "### `containers[]` and `colliders[]`";
const SIZES: &str = "### Sizes of shapes";
const PARTS: [Part; 18] = [
    part(["scenes.md", "## Scene", "scene"], "", ""),
    part(["scenes.md", SOLIDS, "wall"], "", "wall."),
    part(["scenes.md", SOLIDS, "motion"], "", "motion."),
    part(["scenes.md", SOLIDS, "body"], "", "options.body."),
    part(["scenes.md", SIZES, "shape"], "", ""),
    part(["scenes.md", SIZES, "polyline"], "", ""),
    part(["scenes.md", "### `classes[]`", "class"], "", ""),
    part(["scenes.md", "### `classes[].elasticity`", "class"], "elasticity.", ""),
    part(["scenes.md", "### `classes[].powder`", "class"], "powder.", ""),
    part(["scenes.md", "### `classes[].paint`", "class"], "paint.", ""),
    part(["scenes.md", "### `classes[].thermal`", "class"], "thermal.", ""),
    part(["scenes.md", "### `pairs[]`", "pair"], "", ""),
    part(["scenes.md", "### `parameters`", "fluid parameters"], "", ""),
    part(["materials.md", "### `pairs`", "pair"], "", ""),
    part(["materials.md", "### `look`", "look"], "", ""),
    part(["air.md", "### Settings", "air"], "", ""),
    part(["air.md", "### Sides", "air side"], "", ""),
    part(["air.md", "### Sources", "air source"], "", ""),
];

impl Part {
    /// Name of a row in the document, if it is in this part.
    fn name_of(&self, row: &SettingRange) -> Option<String> {
        let rest = row.path.strip_prefix(self.of).filter(|_| row.subject == self.subject)?;
        let has_own_part = PARTS.iter().any(|other| {
            (other.document, other.subject) == (self.document, self.subject)
                && other.of.len() > self.of.len()
                && row.path.starts_with(other.of)
        });
        (!has_own_part).then(|| format!("{}{rest}", self.shown))
    }

    /// Updates this part of the document's lines: those of rows, and those of rows that it lacks.
    fn update(&self, lines: &mut Vec<String>) {
        let begin = lines.iter().position(|line| line == self.title).expect("a title") + 1;
        let table = lines[begin..].iter().position(|line| line.contains("| range |"));
        let header = begin + table.expect("a table");
        let columns = lines[header].clone();
        let columns: Vec<&str> = cells(&columns).collect();
        // Below the line between header and table.
        let mut after = header + 1;
        for row in ranges::all() {
            let Some(name) = self.name_of(row) else { continue };
            let start = format!("| `{name}` |");
            let length = lines[header..].iter().position(|line| !line.starts_with('|'));
            let end = length.map_or(lines.len(), |length| header + length);
            match lines[header..end].iter().position(|line| line.starts_with(&start)) {
                Some(line) => after = header + line,
                None => {
                    after += 1;
                    lines.insert(after, new_line(&name, &columns, row));
                }
            }
            lines[after] = updated(&lines[after], &columns, row);
        }
    }
}

fn cells(line: &str) -> impl Iterator<Item = &str> {
    line.trim_matches('|').split(" |").map(str::trim)
}

/// The line of a row that has none yet.
fn new_line(name: &str, columns: &[&str], row: &SettingRange) -> String {
    let cell = |column: &&str| match *column {
        "field" => format!("`{name}`"),
        "type" if row.whole => "whole number".to_owned(),
        "type" => "number".to_owned(),
        "default" => "*required*".to_owned(),
        _ => String::new(),
    };
    format!("| {} |", columns.iter().map(cell).collect::<Vec<_>>().join(" | "))
}

/// The meaning of a row as part of a table.
fn meaning(row: &SettingRange) -> String {
    let mut letters = row.meaning.chars();
    letters.next().into_iter().flat_map(char::to_lowercase).chain(letters).collect()
}

/// A line of a document's table, with the row's values in its columns.
fn updated(line: &str, columns: &[&str], row: &SettingRange) -> String {
    let cell = |(column, present): (&&str, &str)| match *column {
        "unit" => row.unit.to_owned(),
        "range" => format!("{:#}", row.limits),
        "meaning" => meaning(row),
        "default" => match row.default {
            Some(default) if line.contains("| (x, y) |") => format!("({default}, {default})"),
            Some(default) => default.to_string(),
            None => present.to_owned(),
        },
        _ => present.to_owned(),
    };
    let cells: Vec<String> = columns.iter().zip(cells(line)).map(cell).collect();
    let filled = cells
        .iter()
        .map(|cell| if cell.is_empty() { " |".to_owned() } else { format!(" {cell} |") });
    format!("|{}", filled.collect::<String>())
}

/// With the environment variable `BLOB_FLUID_UPDATE_DOCS=1` this test writes the tables.
#[test]
fn the_tables_of_the_documents_state_all_rows() {
    let update = std::env::var_os("BLOB_FLUID_UPDATE_DOCS").is_some();
    for document in ["scenes.md", "materials.md", "air.md"] {
        let path = Path::new("../../docs").join(document);
        let present = fs::read_to_string(&path).expect("a document");
        let before: Vec<String> = present.lines().map(str::to_owned).collect();
        let mut lines = before.clone();
        let parts = PARTS.iter().filter(|part| part.document == document);
        parts.for_each(|part| part.update(&mut lines));
        if update {
            fs::write(&path, lines.join("\n") + "\n").expect("written");
        } else if lines != before {
            let differ: Vec<_> = lines.iter().filter(|line| !before.contains(line)).collect();
            panic!(
                "docs/{document} lacks these lines (BLOB_FLUID_UPDATE_DOCS=1 writes them):\n{differ:#?}"
            );
        }
    }
}

// Values of every type with settings, whose numbers can be changed one by one.

/// A valid value with numbers that have rows.
pub struct Example {
    /// Its numbers, with their rows.
    pub numbers: Vec<(&'static SettingRange, f32)>,
    /// The value as it is written to files; `Null` if it is not.
    pub written: Value,
    /// Checks the value with the last number of a row changed.
    pub with: Box<dyn Fn(&SettingRange, f32) -> Result<(), String>>,
}

/// Valid values with defaults, and with all optional settings.
pub fn examples() -> Vec<Example> {
    let default = FluidParameters { rest_density: Some(10.0), ..FluidParameters::default() };
    let fixed = FluidParameters { substeps: Substeps::Fixed(2), ..default };
    let transition = || Some(FluidTransition { temperature: 1.0, becomes: "any".into() });
    let into_air = FluidIntoAir {
        above: 1.0,
        colour: Some([1.0; 3]),
        rains: transition(),
        ..FluidIntoAir::default()
    };
    let class = DensityClass {
        name: "any".into(),
        viscosity: Some(ClassViscosity::default()),
        elasticity: Some(FluidElasticity::default()),
        powder: Some(FluidPowder::default()),
        paint: Some(FluidPaint::default()),
        thermal: FluidThermal {
            temperature: Some(1.0),
            above: transition(),
            below: transition(),
            into_air: Some(into_air),
            ..FluidThermal::default()
        },
        ..DensityClass::default()
    };
    let pair = ClassPair {
        viscosity: Some(ClassViscosity::default()),
        segregation: Some(1.0),
        paint_diffusion: Some(0.1),
        reaction: Some(FluidReaction { rate: 1.0, becomes: [None, None], temperature: Some(1.0) }),
        ..ClassPair::new("heavy", "light")
    };
    let wall =
        WallProperties { friction: Some(0.5), temperature: Some(1.0), ..WallProperties::default() };
    let emitter = EmitterSettings {
        rate: Some(1.0),
        // There is another error if all shares are 0.
        mix: vec![(Default::default(), 1.0), (Default::default(), 1.0)],
        temperature: Some(1.0),
        paint: Some([1.0; 3]),
        burst: Some(1),
        ..EmitterSettings::jet(1.0, 1.0)
    };
    let blob = Blob {
        seed: Some(Vec2::ONE),
        mix: vec![(Default::default(), 1.0), (Default::default(), 1.0)],
        temperature: Some(1.0),
        paint: Some([1.0; 3]),
        ..Blob::new(region(), Default::default())
    };
    let projection = AirProjection::GaussSeidel { iterations: 9, over_relaxation: 1.5 };
    let sticky = AirSide::Closed { slip: AirSlip::NoSlip { velocity: 1.0 } };
    let inflow = AirSide::Inflow { velocity: Vec2::ONE, smoke: 0.0, heat: 0.0 };
    let wind = Some(Wind { velocity: Vec2::ONE, strength: Some(1.0) });
    let embers = Some(AirEmbers::default());
    let source = AirSource { colour: Some([1.0; 3]), wind, embers, ..AirSource::new(region()) };
    let sides = |left: &AirSide| text(AirSides { left: *left, ..AirSides::default() }.validate());
    vec![
        written(default, |value| text(value.validate())),
        written(fixed, |value| text(value.validate())),
        written(class, |value| text(ClassTable::new(vec![value.clone()]))),
        written(pair, |value| {
            let classes = ClassTable::default().iter().cloned().collect();
            text(ClassTable::with_pairs(classes, vec![value.clone()]))
        }),
        number("shape", "radius", |radius| text(FluidShape::Circle { radius }.validate())),
        number("shape", "radius", |radius| {
            text(FluidShape::Capsule { half_length: 1.0, radius }.validate())
        }),
        number("shape", "half_length", |half_length| {
            text(FluidShape::Capsule { half_length, radius: 1.0 }.validate())
        }),
        number("shape", "half_size", |height| {
            text(FluidShape::Rectangle { half_size: Vec2::new(1.0, height) }.validate())
        }),
        number("polyline", "thickness", |thickness| {
            text(Polyline::new([Vec2::ZERO, Vec2::ONE], thickness))
        }),
        written(wall, |value| text(value.validate())),
        written(Motion::default(), |value| text(value.validate())),
        written(Body::new(1.0, 1.0), |value| text(value.validate())),
        written(FluidLifetime::new(1.0), |value| text(value.validate())),
        example(emitter.clone(), |value| text(value.validate())),
        example(emitter.nozzle.clone(), |nozzle| {
            let nozzle = nozzle.clone();
            text(EmitterSettings { nozzle, ..EmitterSettings::jet(1.0, 1.0) }.validate())
        }),
        example(blob, |value| text(value.validate())),
        number("pipe", "width", |width| text(Pipe::new(line(), width, 1.0))),
        number("pipe", "thickness", |thickness| text(Pipe::new(line(), 1.0, thickness))),
        example(Valve { width: 1.0, thickness: 1.0, seat: 1.0, opening: 0.0 }, |value| {
            text(value.validate())
        }),
        written(BakeSettings::default(), |value| text(value.validate())),
        example(PumpSettings { max_head: Some(1.0), ..PumpSettings::default() }, |value| {
            text(value.validate())
        }),
        number("drain", "rate", |rate| text(Drain::new(region()).set_rate(Some(rate)))),
        written(Force::default(), |value| text(value.validate())),
        written(Blast::default(), |value| text(value.validate())),
        written(PoolSettings::default(), |value| text(value.validate())),
        // The limits of these two depend on each other.
        written(FillLevels::default(), |value| text(value.validate())),
        written(FillLevels { full_at: 1.0, empty_below: f32::MIN_POSITIVE }, |value| {
            text(value.validate())
        }),
        number("sensor", "smoothing", |smoothing| {
            text(Sensor::new(region(), ClassFilter::ALL).set_smoothing(smoothing))
        }),
        written(SplashDetection::default(), |value| text(value.validate())),
        written(FluidBudget::default(), |value| text(value.validate())),
        example(Scene::default(), |value| text(value.build())),
        written(look(), |value| text(value.check())),
        number("air", "cell_size", |cell| {
            let bounds = FluidBounds { low: Vec2::ZERO, high: Vec2::splat(cell) };
            text(Air::new(bounds, cell, AirSettings::default(), AirSides::default()))
        }),
        written(AirSettings::default(), |value| text(value.validate())),
        written(AirSettings { projection, ..AirSettings::default() }, |value| {
            text(value.validate())
        }),
        written(inflow, sides),
        written(sticky, sides),
        written(source, |value| text(value.validate())),
    ]
}

fn example<S: Settings + Clone + 'static>(
    value: S,
    check: impl Fn(&S) -> Result<(), String> + 'static,
) -> Example {
    let mut numbers = Vec::new();
    value.visit(&mut |row, number| numbers.push((row, number)));
    let with = move |row: &SettingRange, number: f32| {
        let (mut changed, mut count, mut last) = (value.clone(), 0, 0);
        value.visit(&mut |visited, _| {
            count += 1;
            last = if visited == row { count } else { last };
        });
        count = 0;
        changed.visit_mut(&mut |_, value| {
            count += 1;
            *value = if count == last { number } else { *value };
        });
        check(&changed)
    };
    Example { numbers, written: Value::Null, with: Box::new(with) }
}

/// The example of a value that can be written to files.
fn written<S: Settings + Clone + Serialize + 'static>(
    value: S,
    check: impl Fn(&S) -> Result<(), String> + 'static,
) -> Example {
    let written = serde_json::to_value(&value).expect("data");
    Example { written, ..example(value, check) }
}

/// The example of a number that is given to a function.
fn number(
    subject: &str,
    path: &str,
    check: impl Fn(f32) -> Result<(), String> + 'static,
) -> Example {
    let row = ranges::find(subject, path).expect("a row");
    let numbers = vec![(row, row.default.unwrap_or(1.0))];
    Example { numbers, written: Value::Null, with: Box::new(move |_, number| check(number)) }
}

/// A look that states every field.
fn look() -> MaterialLook {
    let fields: Vec<String> = MaterialLook::ROWS
        .iter()
        .map(|row| if row.path.ends_with("_color") { [1; 4].into() } else { json!(1) })
        .zip(MaterialLook::ROWS)
        .map(|(value, row): (Value, _)| format!("\"{}\": {value}", row.path))
        .collect();
    serde_json::from_str(&format!("{{{}}}", fields.join(","))).expect("valid")
}

fn region() -> FluidRegion {
    FluidRegion::circle(Vec2::ZERO, 1.0).expect("valid")
}

fn line() -> [Vec2; 2] {
    [Vec2::ZERO, Vec2::X]
}

fn text<T, E: ToString>(result: Result<T, E>) -> Result<(), String> {
    result.map(|_| ()).map_err(|error| error.to_string())
}

// Where documentation does not follow from a declaration, it states the range and the default that the
// table has.

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
    let source = source(Path::new("src"));
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
    let source = source(Path::new("../bevy_blob_fluid/src"));
    // Some settings are those of the entity.
    for (subject, block, set_elsewhere) in [
        ("force", "pub struct FluidForce", "centre"),
        ("blast", "pub struct FluidBlast", "position"),
        ("body", "pub struct FluidBuoyant", "mass moment_of_inertia"),
        ("drain", "pub struct FluidDrain", ""),
        ("pump", "pub struct FluidPump", ""),
        (
            "look",
            "pub struct FluidSurfaceLook",
            "outline_color sky_color depth_color foam_color crust_color",
        ),
    ] {
        let rows = ranges::all().filter(|row| row.subject == subject);
        for row in rows.filter(|row| !set_elsewhere.contains(row.path)) {
            check(&source, [block, &format!("{}:", row.path), subject, row.path]);
        }
    }
}
