//! The tables in `docs` agree with the table of ranges.

use std::fs;
use std::path::Path;

use blob_fluid::ranges::{self, SettingRange};

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
const PARTS: [Part; 15] = [
    part(["scenes.md", "## Scene", "scene"], "", ""),
    part(["scenes.md", SOLIDS, "wall"], "", "wall."),
    part(["scenes.md", SOLIDS, "motion"], "", "motion."),
    part(["scenes.md", SOLIDS, "body"], "", "options.body."),
    part(["scenes.md", SIZES, "shape"], "", ""),
    part(["scenes.md", SIZES, "polyline"], "", ""),
    part(["scenes.md", "### `classes[]`", "class"], "", ""),
    part(["scenes.md", "### `classes[].elasticity`", "class"], "elasticity.", ""),
    part(["scenes.md", "### `classes[].thermal`", "class"], "thermal.", ""),
    part(["scenes.md", "### `pairs[]`", "pair"], "", ""),
    part(["scenes.md", "### `parameters`", "fluid parameters"], "", ""),
    part(["materials.md", "### `pairs`", "pair"], "", ""),
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

    /// Updates this part of the document's lines, and returns the names that it lacks.
    fn update(&self, lines: &mut [String]) -> Vec<String> {
        let begin = lines.iter().position(|line| line == self.title).expect("a title") + 1;
        let length = lines[begin..].iter().position(|line| line.starts_with('#'));
        let end = length.map_or(lines.len(), |length| begin + length);
        let lines = &mut lines[begin..end];
        let columns =
            lines.iter().find(|line| line.contains("| range |")).expect("a table").clone();
        let columns: Vec<&str> = cells(&columns).collect();
        let mut missing = Vec::new();
        for row in ranges::all() {
            let Some(name) = self.name_of(row) else { continue };
            let start = format!("| `{name}` |");
            match lines.iter_mut().find(|line| line.starts_with(&start)) {
                Some(line) => *line = updated(line, &columns, row),
                None => missing.push(format!("{}: {name}", self.title)),
            }
        }
        missing
    }
}

fn cells(line: &str) -> impl Iterator<Item = &str> {
    line.trim_matches('|').split(" |").map(str::trim)
}

/// A line of a document's table, with the row's values in its columns.
fn updated(line: &str, columns: &[&str], row: &SettingRange) -> String {
    let cell = |(column, present): (&&str, &str)| match *column {
        "unit" => row.unit.to_owned(),
        "range" => format!("{:#}", row.limits),
        "meaning" => row.meaning.to_owned(),
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

/// With the environment variable `BLOB_FLUID_UPDATE_DOCS=1` this test writes the expected
/// documents.
#[test]
fn the_tables_of_the_documents_state_all_rows() {
    let update = std::env::var_os("BLOB_FLUID_UPDATE_DOCS").is_some();
    for document in ["scenes.md", "materials.md", "air.md"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(document);
        let present = fs::read_to_string(&path).expect("a document");
        let before: Vec<String> = present.lines().map(str::to_owned).collect();
        let mut lines = before.clone();
        let parts = PARTS.iter().filter(|part| part.document == document);
        let missing: Vec<String> = parts.flat_map(|part| part.update(&mut lines)).collect();
        assert!(missing.is_empty(), "docs/{document} lacks lines of {missing:#?}");
        if update {
            fs::write(&path, lines.join("\n") + "\n").expect("written");
            continue;
        }
        if let Some((old, new)) = before.iter().zip(&lines).find(|(old, new)| old != new) {
            panic!(
                "docs/{document} has\n{old}\nand should have\n{new}\n(BLOB_FLUID_UPDATE_DOCS=1 \
                 writes it)"
            );
        }
    }
}
