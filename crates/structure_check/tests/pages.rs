//! Links between README and the pages of docs lead somewhere, and the book has every page.

use std::fs::{read_dir, read_to_string};
use std::path::{Path, PathBuf};

use structure_check::workspace;

fn pages_of_docs() -> Vec<PathBuf> {
    let entries = read_dir(workspace().join("docs")).expect("a folder");
    let paths = entries.map(|entry| entry.expect("readable").path());
    paths.filter(|path| path.extension().is_some_and(|end| end == "md")).collect()
}

fn read(path: &Path) -> String {
    read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The targets of a page's links to files of this repository, without code.
fn links(page: &str) -> Vec<String> {
    let prose = page.split("```").step_by(2);
    let targets = prose.flat_map(|part| part.split("](").skip(1));
    let targets = targets.filter_map(|rest| rest.split(')').next());
    targets.filter(|target| !target.contains("://")).map(str::to_owned).collect()
}

/// The anchor of a heading, as GitHub and mdBook make it.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

#[test]
fn every_link_leads_to_a_file_and_a_heading() {
    let mut followed = 0;
    let own = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md"].map(|name| workspace().join(name));
    for page in pages_of_docs().into_iter().chain(own) {
        for link in links(&read(&page)) {
            let (file, heading) = link.split_once('#').unwrap_or((&link, ""));
            let folder = page.parent().expect("a folder");
            let target = if file.is_empty() { page.clone() } else { folder.join(file) };
            assert!(target.exists(), "{}: {link}", page.display());
            // The book copies the files that its pages link to, and has a page of its own for the examples.
            let in_the_book = !page.ends_with("CONTRIBUTING.md") && !page.ends_with("CHANGELOG.md");
            let has_a_copy = target.is_file() || target.ends_with("examples");
            assert!(has_a_copy || !in_the_book, "{}: {link} is a folder", page.display());
            if !heading.is_empty() {
                let text = read(&target);
                let headings = text.lines().filter(|line| line.starts_with('#'));
                let mut anchors = headings.map(|line| anchor(line.trim_start_matches('#')));
                assert!(anchors.any(|found| found == heading), "{}: {link}", page.display());
            }
            followed += 1;
        }
    }
    assert!(followed > 100, "{followed}");
}

#[test]
fn the_book_has_every_page() {
    let summary = workspace().join("docs/SUMMARY.md");
    let text = read(&summary);
    for page in pages_of_docs().into_iter().filter(|page| *page != summary) {
        let name = page.file_name().expect("a name").display();
        assert!(text.contains(&format!("({name})")), "{name} is not in the book");
    }
}

#[test]
fn the_readme_is_for_one_minute() {
    assert!(read(&workspace().join("README.md")).lines().count() <= 110);
}

/// Pages of the book's guide: file names and texts.
fn guide() -> Vec<(String, String)> {
    let summary = read(&workspace().join("docs/SUMMARY.md"));
    let section = summary.split("# Guide").nth(1).and_then(|rest| rest.split("\n# ").next());
    let names = links(section.expect("a guide"));
    names
        .into_iter()
        .map(|name| {
            let text = read(&workspace().join("docs").join(&name));
            (name, text)
        })
        .collect()
}

/// A page without its comments: a reader sees neither them nor the tests that they hide.
fn visible(page: &str) -> String {
    let parts = page.split("<!--").enumerate();
    let seen = parts.map(|(index, part)| match index {
        0 => part,
        _ => part.split_once("-->").expect("the end of a comment").1,
    });
    seen.collect()
}

/// Words of a page without code and comments.
fn words(page: &str) -> usize {
    let prose: String = visible(page).split("```").step_by(2).collect();
    prose.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count()
}

#[test]
fn pages_of_the_guide_are_short() {
    assert_eq!(words("Two words.\n\n```rust\nlet a = 1;\n```\n<!-- test\nlet b = 2;\n-->\n"), 2);
    let guide = guide();
    assert!(guide.len() > 20, "{}", guide.len());
    for (name, text) in &guide {
        let count = words(text);
        assert!(count <= 600, "{name} has {count} words");
    }
}

#[test]
fn the_guide_is_short() {
    let page = "Two words.\n\n```rust\nlet a = 1;\n```\n<!-- test\nlet b = 2;\n-->\n";
    assert_eq!(visible(page).split_whitespace().count(), 8);
    let count: usize =
        guide().iter().map(|(_, text)| visible(text).split_whitespace().count()).sum();
    assert!(count <= 20_000, "with its visible code it has {count} words");
}

/// The announcement has the number of bars that hold from the page of the validation.
#[test]
fn the_announcement_counts_bars_as_the_validation_does() {
    let page = read(&workspace().join("docs/validation.md"));
    let (failed, rest) = page
        .split_once(" bars do not hold**")
        .expect("a sentence")
        .0
        .rsplit_once(" of ")
        .expect("two");
    let failed = failed.rsplit("**").next().expect("a number");
    let [failed, all] = [failed, rest].map(|number| number.parse::<usize>().expect("a number"));
    let holds = format!("{} of {all} bars hold", all - failed);
    assert!(read(&workspace().join("release/post.md")).contains(&holds), "{holds}");
}

/// GitHub shows lines that begin with `# `, so the pages have comments instead: `example_support` adds them.
#[test]
fn pages_hide_no_lines_of_rust() {
    for page in pages_of_docs() {
        for block in read(&page).split("```rust").skip(1) {
            let code = block.split("\n```").next().expect("code");
            let hidden = code.lines().find(|line| *line == "#" || line.starts_with("# "));
            assert_eq!(hidden, None, "{}", page.display());
        }
    }
}

#[test]
fn rust_in_the_guide_is_compiled() {
    let compiled = read(&workspace().join("crates/example_support/src/lib.rs"));
    for (name, text) in guide() {
        // The first steps have a test of their own.
        let has_test = name == "start.md" || compiled.contains(&format!("\"{name}\""));
        assert!(has_test || !text.contains("```rust\n"), "{name} is in no doc test");
    }
}

#[test]
fn every_example_has_a_page_and_a_picture() {
    let pages = read(&workspace().join("web/examples.json"));
    for entry in read_dir(workspace().join("examples")).expect("a folder") {
        let path = entry.expect("readable").path();
        let name = path.file_stem().expect("a name").display();
        if path.extension().is_some_and(|end| end == "rs") {
            assert!(
                pages.contains(&format!("\"name\": \"{name}\"")),
                "{name} is not in web/examples.json"
            );
            assert!(
                workspace().join(format!("web/pictures/{name}.jpg")).exists(),
                "{name} has no picture"
            );
        }
    }
}

/// The features of Bevy in a manifest or a page with one.
fn features_of_bevy(text: &str) -> &str {
    let rest = text.split("bevy = { version").nth(1).expect("Bevy is a dependency");
    rest.split(']').next().expect("a list")
}

#[test]
fn the_template_is_the_readme_s_game_with_a_name_to_fill_in() {
    let template = read(&workspace().join("template/Cargo.toml"));
    let readme = read(&workspace().join("README.md"));
    assert_eq!(features_of_bevy(&template), features_of_bevy(&readme));
    let filled = read(&workspace().join("template/Cargo.toml.liquid"));
    assert_eq!(filled.replace("{{project-name}}", "fluid_game"), template);
    assert_ne!(filled, template);
}
