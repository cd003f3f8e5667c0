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
const PARTS: [Part; 17] = [
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
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(document);
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
