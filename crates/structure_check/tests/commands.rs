//! Each filter of a `cargo test` command in the scripts and the documents matches a test: a command whose filter matches
//! nothing passes whatever the code does.

use std::fs;
use std::path::{Path, PathBuf};

use structure_check::workspace;
use walkdir::WalkDir;

/// A `cargo test` command: the package, the test targets, and the filters. Without a package it runs all packages, and
/// without a target all targets.
#[derive(Debug, Default, PartialEq)]
struct Command {
    package: Option<String>,
    targets: Vec<String>,
    filters: Vec<String>,
}

/// The commands in a script or a page.
fn commands(text: &str) -> Vec<Command> {
    let text = text.replace("\\\n", " ").replace("\\\"", "\"");
    let ends = |end: char| matches!(end, '`' | ')' | ';' | '\n' | '&' | '|' | '}');
    // Scripts search for the command at the beginning of a line.
    let text = text.replace("^cargo test", "");
    text.split("cargo test")
        .skip(1)
        .map(|rest| command(rest.split(ends).next().unwrap_or_default()))
        .collect()
}

/// The command with these arguments.
fn command(arguments: &str) -> Command {
    let mut command = Command::default();
    // Text in quotes is one argument.
    let mut words = arguments.split(['"', '\'']).enumerate().flat_map(|(number, part)| {
        let whole = (number % 2 == 1).then_some(part);
        whole.into_iter().chain(part.split_whitespace().filter(move |_| number % 2 == 0))
    });
    while let Some(word) = words.next() {
        match word {
            "-p" => command.package = words.next().map(Into::into),
            "--test" => command.targets.extend(words.next().map(Into::into)),
            "--skip" => command.filters.extend(words.next().map(Into::into)),
            "--features" | "--exclude" | "--example" | "--bench" => _ = words.next(),
            _ if word.starts_with('-') || word.contains('$') => {}
            _ => command.filters.push(word.into()),
        }
    }
    command
}

/// The paths of the test functions in the text of a file of this module, a line each, and the texts in quotes of a file
/// without any, which name trials of tests without a harness.
fn names(module: &str, text: &str) -> String {
    let mut names = String::new();
    let mut modules: Vec<(usize, &str)> = Vec::new();
    let has_harness = text.contains("#[test]");
    let mut is_test = false;
    for line in text.lines() {
        let (indent, line) = (line.len() - line.trim_start().len(), line.trim());
        modules.retain(|(depth, _)| line.is_empty() || indent > *depth);
        is_test |= line == "#[test]";
        if let Some(name) = line.strip_prefix("mod ").and_then(|rest| rest.strip_suffix(" {")) {
            modules.push((indent, name));
        } else if let Some((name, _)) =
            line.split_once("fn ").and_then(|(_, rest)| rest.split_once('('))
            && std::mem::take(&mut is_test)
        {
            let inner = modules.iter().map(|(_, name)| *name);
            let path: Vec<&str> =
                module.split_terminator("::").chain(inner).chain([name]).collect();
            names += &path.join("::");
            names.push('\n');
        }
        for quoted in line.split('"').skip(1).step_by(2).filter(|_| !has_harness) {
            names += quoted;
            names.push('\n');
        }
    }
    names
}

/// The names in these test targets of a package, or in all of its tests.
fn names_in(package: &Path, targets: &[String]) -> String {
    let tests = package.join("tests");
    let files = |target: &String| [tests.join(target), tests.join(format!("{target}.rs"))];
    let mut folders: Vec<PathBuf> = targets.iter().flat_map(files).collect();
    if targets.is_empty() {
        folders = vec![tests, package.join("src")];
    }
    let mut all = String::new();
    for root in folders.iter().filter(|folder| folder.exists()) {
        for file in WalkDir::new(root).into_iter().map(|entry| entry.expect("readable").into_path())
        {
            if file.extension().is_none_or(|extension| extension != "rs") {
                continue;
            }
            let path = file.strip_prefix(root).expect("inside").with_extension("");
            let parts = path.iter().filter_map(|part| part.to_str());
            let module: Vec<&str> =
                parts.filter(|part| !["main", "mod", "lib"].contains(part)).collect();
            all += &names(&module.join("::"), &fs::read_to_string(&file).expect("text"));
        }
    }
    all
}

/// The filters of commands in this text that match nothing.
fn stale(text: &str) -> Vec<String> {
    let crates = workspace().join("crates");
    let mut stale = Vec::new();
    for command in commands(text) {
        let packages: Vec<PathBuf> = match &command.package {
            Some(package) => vec![crates.join(package)],
            None => fs::read_dir(&crates)
                .expect("a folder")
                .map(|entry| entry.expect("readable").path())
                .collect(),
        };
        let names: String =
            packages.iter().map(|package| names_in(package, &command.targets)).collect();
        let unmatched = command.filters.iter().filter(|filter| !names.contains(filter.as_str()));
        stale.extend(unmatched.map(|filter| format!("`{filter}` of {command:?}")));
    }
    stale
}

#[test]
fn each_filter_matches_a_test() {
    let root = workspace();
    let files = ["README.md", ".ci", "docs", "crates"].map(|path| root.join(path));
    let mut found = Vec::new();
    let mut count = 0;
    for entry in files.iter().flat_map(WalkDir::new) {
        let file = entry.expect("readable").into_path();
        let name = file.to_string_lossy();
        let read = name.ends_with(".md")
            || name.contains("/.ci/")
            || name.ends_with(".rs") && !name.ends_with("commands.rs");
        let Some(text) = (read && file.is_file()).then(|| fs::read_to_string(&file).ok()).flatten()
        else {
            continue;
        };
        count += commands(&text).len();
        found.extend(stale(&text).into_iter().map(|stale| format!("{}: {stale}", file.display())));
    }
    assert!(count > 50, "{count} commands");
    assert!(found.is_empty(), "these filters match no test:\n{}", found.join("\n"));
}

#[test]
fn a_filter_that_matches_nothing_is_found() {
    // The name is put together so that this file does not contain it.
    let missing = ["no_such", "test"].join("_");
    let arguments = "-p structure_check --test commands -- each_filter --skip";
    let text = format!("`cargo test {arguments} {missing}`");
    let filters = vec!["each_filter".into(), missing];
    let command = Command {
        package: Some("structure_check".into()),
        targets: vec!["commands".into()],
        filters,
    };
    assert_eq!(commands(&text), [command]);
    assert_eq!(stale(&text).len(), 1, "{:?}", stale(&text));
    let tests =
        "mod b {\n    #[test]\n    fn c() {}\n}\n#[test]\nfn d() {}\nfn helper() { \"text\" }";
    assert_eq!(names("a", tests), "a::b::c\na::d\n");
}
