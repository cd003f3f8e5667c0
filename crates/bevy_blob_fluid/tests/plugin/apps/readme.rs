//! The README's example is the one that is compiled and run.

const README: &str = include_str!("../../../../../README.md");

/// What a build without optimisation is told to add to its `Cargo.toml`.
const PROFILE: &str = include_str!("../../../src/simulation/profile.toml");

/// Text of the README's only block of a language.
fn quoted(language: &str) -> String {
    let begin = format!("```{language}\n");
    let mut blocks = README.split(&begin).skip(1);
    let block = blocks.next().expect("a block").split("```").next().expect("its end");
    assert!(blocks.next().is_none(), "a second block would be neither compiled nor checked");
    block.trim().to_owned()
}

/// The lists of features that a `Cargo.toml` asks of a crate.
fn features<'a>(manifest: &'a str, name: &str) -> Vec<Vec<&'a str>> {
    let begin = format!("\n{name} = {{");
    let entries = manifest.split(&begin).skip(1);
    let lists = entries.map(|entry| {
        let list = entry.split("features = [").nth(1).expect("features");
        list.split(']').next().expect("its end").split('"').skip(1).step_by(2).collect()
    });
    lists.collect()
}

#[test]
fn the_readme_quotes_the_minimal_example() {
    let example = include_str!("../../../../../examples/minimal.rs");
    // That line is the one to delete.
    let shown = |line: &&str| !line.starts_with("//!") && !line.contains("example_support");
    let code: Vec<&str> = example.lines().filter(shown).collect();
    assert_eq!(quoted("rust"), code.join("\n").trim());
}

#[test]
fn a_first_game_has_the_folder_that_bevy_watches() {
    // Without it, Bevy warns twice at every start.
    let makes = README.find("mkdir my_game/assets").expect("a line of shell");
    let watches = README.find("\"file_watcher\"").expect("in the manifest");
    assert!(makes < watches);
}

#[test]
fn the_page_of_engines_has_the_manifest_of_the_readme() {
    let bodies = include_str!("../../../../../docs/bodies.md");
    let workspace = include_str!("../../../../../Cargo.toml");
    let manifest = quoted("toml");
    let plain = features(&manifest, "bevy_blob_fluid").concat();
    for (engine, feature) in [("avian2d", "avian2d"), ("bevy_rapier2d", "rapier2d")] {
        let line = workspace.lines().find(|line| line.starts_with(&format!("{engine} = ")));
        assert!(bodies.contains(line.expect("a dependency")), "{engine}");
        let with_it = [vec![feature], plain.clone()].concat();
        assert!(features(bodies, "bevy_blob_fluid").contains(&with_it), "{engine}");
    }
}

#[test]
fn every_example_can_be_copied_without_one_line() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    for file in std::fs::read_dir(folder).expect("examples") {
        let path = file.expect("readable").path();
        if path.is_dir() {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("text");
        let lines: Vec<&str> =
            text.lines().filter(|line| line.contains("example_support")).collect();
        // What is painted also has the art kit, which may be copied.
        let [line, art @ ..] = &lines[..] else { panic!("{}", path.display()) };
        assert!(line.starts_with("use example_support::DefaultPlugins; // "), "{line}");
        assert!(art.len() <= 1, "{}: {art:?}", path.display());
        assert!(art.iter().all(|line| line.starts_with("use example_support::art::")), "{art:?}");
    }
}

#[test]
fn the_readme_s_manifest_has_the_features_of_the_examples() {
    let manifest = quoted("toml");
    let stated = include_str!("../../../../bevy_features/Cargo.toml");
    // Of pages docs/web.md tells more.
    let stated = stated.split("[target.'cfg(target_arch").next().expect("the rest");
    assert_eq!(features(&manifest, "bevy"), features(stated, "bevy"));
    let of_examples =
        features(include_str!("../../../../example_support/Cargo.toml"), "bevy_blob_fluid");
    let explicit = |name| if name == "default" { vec!["render", "snapshot"] } else { vec![name] };
    let of_examples: Vec<&str> = of_examples.concat().into_iter().flat_map(explicit).collect();
    assert_eq!(features(&manifest, "bevy_blob_fluid").concat(), of_examples);
    let of_examples = include_str!("../../../../panel_examples/Cargo.toml");
    let panel = "bevy_blob_fluid_panel";
    assert_eq!(features(&manifest, panel), features(of_examples, panel));
    assert!(manifest.ends_with(PROFILE.trim_end()), "{manifest}");
}

#[test]
fn documents_have_the_lines_that_the_warning_of_slow_builds_asks_for() {
    for text in [README, include_str!("../../../../../docs/games.md")] {
        assert!(text.contains(PROFILE));
    }
}
