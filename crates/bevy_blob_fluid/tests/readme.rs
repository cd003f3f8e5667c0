//! The README's example is the one that is compiled and run.

/// Code of the README's only Rust block.
fn quoted() -> String {
    let readme = include_str!("../../../README.md");
    let mut blocks = readme.split("```rust\n").skip(1);
    let block = blocks.next().expect("a block of Rust").split("```").next().expect("its end");
    assert!(blocks.next().is_none(), "a second block would be neither compiled nor checked");
    block.trim().to_owned()
}

#[test]
fn the_readme_quotes_the_minimal_example() {
    let example = include_str!("../../../examples/minimal.rs");
    // The example's own plugins stand in for Bevy's to add a command line.
    let shown = |line: &&str| !line.starts_with("//!") && !line.contains("example_support");
    let code: Vec<&str> = example.lines().filter(shown).collect();
    let code = code.join("\n").replace("ExamplePlugins", "DefaultPlugins");
    assert_eq!(quoted(), code.trim());
}

#[test]
fn the_pictures_are_there() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let readme = include_str!("../../../README.md");
    let links: Vec<&str> =
        readme.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect();
    let local: Vec<&&str> = links.iter().filter(|link| !link.starts_with("http")).collect();
    assert!(local.len() >= 4);
    for link in local {
        let (file, heading) = link.split_once('#').unwrap_or((link, ""));
        let path = std::path::Path::new(root).join(file);
        assert!(path.is_file(), "{link}");
        let has_heading = |text: String| {
            let headings = text.lines().filter_map(|line| line.strip_prefix('#'));
            let words = headings.map(|line| line.trim_start_matches('#').trim().to_lowercase());
            words.map(|words| words.replace(' ', "-")).any(|anchor| anchor == heading)
        };
        assert!(
            heading.is_empty() || has_heading(std::fs::read_to_string(&path).expect("text")),
            "{link}: no such heading"
        );
    }
}
