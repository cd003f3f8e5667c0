//! Declared settings: their limits are those that are checked, and every number is declared.

mod documents;
mod examples;
mod fields;

use std::collections::BTreeSet;

use blob_fluid::air::{AirProjection, AirSide, AirSource, Wind};
use blob_fluid::ranges::{self, Limits, SettingRange, Settings};
use blob_fluid::scene::Scene;
use blob_fluid::{
    Body, ClassPair, DensityClass, FluidBudget, FluidElasticity, FluidIntoAir, FluidLifetime,
    FluidPaint, FluidParameters, FluidPowder, FluidReaction, FluidThermal, FluidTransition, Force,
    Motion, SplashDetection, Substeps, WallProperties,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use examples::examples;

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
