//! `docs/pictures` says how every picture of README and docs is drawn, so that `docs/redraw` can draw it.

use std::collections::BTreeSet;
use std::fs::{read_dir, read_to_string};
use std::path::PathBuf;

fn root() -> PathBuf {
    "../..".into()
}

/// The pictures that the table names, without their folder and extension.
fn in_table() -> BTreeSet<String> {
    let table = read_to_string(root().join("docs/pictures")).expect("a table");
    let lines = table.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let [name, by, moment, size, compared, example, ..] = words[..] else {
                panic!("six columns: {line}");
            };
            assert!(["still", "film", "browser"].contains(&by), "{line}");
            let mut seconds = moment.split('+').map(str::parse::<f64>);
            let numbers = if by == "film" { 2 } else { 1 };
            let valid = seconds.clone().count() == numbers && seconds.all(|second| second.is_ok());
            assert!(valid, "{line}");
            let numbers: Vec<&str> = size.split('x').collect();
            assert!(
                numbers.len() == 2 && numbers.iter().all(|n| n.parse::<u32>().is_ok()),
                "{line}"
            );
            assert!(["yes", "no"].contains(&compared), "{line}");
            assert!(root().join(format!("examples/{example}.rs")).exists(), "{line}");
            name.to_owned()
        })
        .collect()
}

/// The files with an extension in a folder.
fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let entries = read_dir(root().join(folder)).expect("a folder");
    let paths = entries.map(|entry| entry.expect("readable").path());
    paths.filter(|path| path.extension().is_some_and(|found| found == extension)).collect()
}

#[test]
fn every_picture_is_in_the_table() {
    let stored = |folder: &str, before: &str| -> BTreeSet<String> {
        let names = files(folder, "png").into_iter().chain(files(folder, "webp"));
        names
            .map(|path| format!("{before}{}", path.file_stem().expect("a name").display()))
            .collect()
    };
    let mut all = stored("docs/images", "");
    all.extend(stored("docs/images/gallery", "gallery/"));
    assert_eq!(all, in_table());
}

#[test]
fn every_picture_that_is_shown_is_in_the_table() {
    let table = in_table();
    let mut shown = 0;
    for path in files("docs", "md").into_iter().chain([root().join("README.md")]) {
        let text = read_to_string(&path).expect("a page");
        for part in text.split("images/").skip(1) {
            let file = part.split(')').next().unwrap_or_default();
            let name = [".png", ".webp"].iter().find_map(|end| file.split_once(end));
            let Some((name, _)) = name else {
                continue;
            };
            assert!(table.contains(name), "{}: {name}", path.display());
            shown += 1;
        }
    }
    assert!(shown > 20, "{shown}");
}
