//! The table of ranges agrees with the checks, with the defaults and with the documentation.

mod documents;
mod examples;
mod fields;

use std::collections::BTreeSet;

use blob_fluid::ranges::{self, Limits, SettingRange};
use serde_json::Value;

use examples::{apply, examples, number_at, numbers_in, set};

/// Returns a value just inside the lower limit, and one just outside.
fn around_least(row: &SettingRange) -> (f64, f64) {
    let Limits { least, least_included, .. } = row.limits;
    let outside = match (row.whole, least_included) {
        (true, _) => least - 1.0,
        (false, true) => least.next_down(),
        (false, false) => least,
    };
    (row.limits.smallest().into(), outside.into())
}

/// Returns a value just inside the upper limit, and one just outside.
fn around_most(row: &SettingRange) -> (f64, f64) {
    let most = row.limits.most;
    let outside = if row.whole { most + 1.0 } else { most.next_up() };
    (most.into(), outside.into())
}

#[test]
fn the_limits_of_every_row_are_those_that_are_checked() {
    for row in ranges::all() {
        let name = format!("{}: {}", row.subject, row.path);
        let with_row: Vec<Value> = examples(row.subject)
            .into_iter()
            .filter(|example| number_at(example, row.path).is_some())
            .collect();
        assert!(!with_row.is_empty(), "no example has {name}");
        for (inside, outside) in [around_least(row), around_most(row)] {
            let results = |value: f64| {
                with_row.iter().map(move |example| {
                    let mut example = example.clone();
                    set(&mut example, row, value);
                    apply(row.subject, &example)
                })
            };
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
    for row in ranges::all() {
        let name = format!("{}: {}", row.subject, row.path);
        let Some(default) = row.default else { continue };
        assert!(row.limits.contains(default), "{name}: the default {default} is out of range");
        let present = examples(row.subject);
        let actual = present.iter().find_map(|example| number_at(example, row.path));
        assert_eq!(actual, Some(default), "{name}");
    }
}

#[test]
fn every_number_has_a_row_and_no_row_is_listed_twice() {
    let mut rows = BTreeSet::new();
    for row in ranges::all() {
        assert!(rows.insert((row.subject, row.path)), "{} {} twice", row.subject, row.path);
        assert_eq!(ranges::find(row.subject, row.path), Some(row));
    }
    for subject in rows.iter().map(|(subject, _)| *subject).collect::<BTreeSet<_>>() {
        for path in examples(subject).iter().flat_map(numbers_in) {
            assert!(rows.contains(&(subject, path.as_str())), "no row of {subject}: {path}");
        }
    }
}
