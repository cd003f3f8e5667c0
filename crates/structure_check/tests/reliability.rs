//! docs/reliability.md names a command for each promise, and for each row of bad input tests that are there and bear
//! the row's number.

use std::collections::BTreeSet;
use std::fs;

use structure_check::workspace;
use walkdir::WalkDir;

/// Number of rows of bad input.
const ROWS: u32 = 32;

/// A row, the file of a test, from the root of the repository, and the name of its function.
type Test = (u32, String, String);

/// The cells of a line of a table, without quotes of code around them; none of another line.
fn cells(line: &str) -> Vec<&str> {
    let inner = line.trim().strip_prefix('|').and_then(|line| line.strip_suffix('|'));
    inner.map(|inner| inner.split(" | ").map(str::trim).collect()).unwrap_or_default()
}

fn unquoted(cell: &str) -> Option<&str> {
    cell.strip_prefix('`').and_then(|cell| cell.strip_suffix('`'))
}

/// The rows that the page describes, the tests that it names, and what is wrong with both.
fn read_page(page: &str) -> (BTreeSet<Test>, Vec<String>) {
    let (mut described, mut tests) = (BTreeSet::new(), BTreeSet::new());
    let mut wrong = Vec::new();
    let mut promises = 0;
    let mut section = "";
    for line in page.lines() {
        section = line.strip_prefix("## ").unwrap_or(section);
        let cells = cells(line);
        match cells[..] {
            [row, file, test] if row.parse::<u32>().is_ok() => {
                let row = row.parse().unwrap_or_default();
                match (unquoted(file), unquoted(test)) {
                    (Some(file), Some(test)) => _ = tests.insert((row, file.into(), test.into())),
                    _ => _ = described.insert(row),
                }
            }
            [promise, command, result]
                if section == "Promises" && promise != "promise" && !promise.starts_with('-') =>
            {
                promises += 1;
                if !command.contains('`') || result.is_empty() {
                    wrong.push(format!("no command, or no result, for: {promise}"));
                }
            }
            _ => {}
        }
    }
    if promises == 0 {
        wrong.push("nothing is promised".into());
    }
    let tested = |row: &u32| tests.iter().any(|(of, ..)| of == row);
    for row in 1..=ROWS {
        if !described.contains(&row) {
            wrong.push(format!("row {row} is not described"));
        }
        if !tested(&row) {
            wrong.push(format!("row {row} has no test"));
        }
    }
    (tests, wrong)
}

/// The numbers in a comment such as "Rows 1, 2 and 3 of docs/reliability.md."
fn rows(line: &str) -> Option<Vec<u32>> {
    let text = line.trim().strip_prefix("// Row")?.strip_suffix(" of docs/reliability.md.")?;
    let text = text.strip_prefix('s').unwrap_or(text);
    text.replace(" and ", ", ").split(',').map(|row| row.trim().parse().ok()).collect()
}

/// The tests in the text of a file that bear numbers of rows, and comments that belong to none.
fn read_source(file: &str, text: &str) -> (BTreeSet<Test>, Vec<String>) {
    let (mut tests, mut wrong) = (BTreeSet::new(), Vec::new());
    let mut lines = text.lines().map(str::trim).peekable();
    while let Some(line) = lines.next() {
        if !line.starts_with("// Row") || !line.contains("docs/reliability.md") {
            continue;
        }
        let mut is_test = false;
        while let Some(attribute) = lines.next_if(|line| line.starts_with("#[")) {
            is_test |= attribute == "#[test]";
        }
        let function = lines.peek().and_then(|line| line.strip_prefix("fn "));
        let name = function.and_then(|function| function.split_once('(')).map(|(name, _)| name);
        match (rows(line), name.filter(|_| is_test)) {
            (Some(rows), Some(name)) => {
                tests.extend(rows.into_iter().map(|row| (row, file.into(), name.into())));
            }
            _ => wrong.push(format!("{file}: above no test, or not as others are: {line}")),
        }
    }
    (tests, wrong)
}

/// What does not fit between a page and sources.
fn misfits(page: &str, sources: &[(String, String)]) -> Vec<String> {
    let (listed, mut wrong) = read_page(page);
    let mut borne = BTreeSet::new();
    for (file, text) in sources {
        let (tests, more) = read_source(file, text);
        borne.extend(tests);
        wrong.extend(more);
    }
    for (row, file, test) in listed.difference(&borne) {
        wrong.push(format!("the page names {test} of {file}, which does not bear row {row}"));
    }
    for (row, file, test) in borne.difference(&listed) {
        wrong.push(format!("{test} of {file} bears row {row}, and the page does not name it"));
    }
    wrong
}

#[test]
fn each_row_of_the_page_has_tests_that_bear_its_number() {
    let root = workspace();
    let page = fs::read_to_string(root.join("docs/reliability.md")).expect("the page");
    let mut sources = Vec::new();
    for entry in WalkDir::new(root.join("crates")).sort_by_file_name() {
        let path = entry.expect("readable").into_path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            let name =
                path.strip_prefix(&root).expect("within").to_string_lossy().replace('\\', "/");
            sources.push((name, fs::read_to_string(&path).expect("text")));
        }
    }
    let wrong = misfits(&page, &sources);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A page that describes all rows, and names one test for each.
fn page() -> String {
    let described: String =
        (1..=ROWS).map(|row| format!("| {row} | nonsense | refused |\n")).collect();
    let tests: String =
        (1..=ROWS).map(|row| format!("| {row} | `a.rs` | `test_{row}` |\n")).collect();
    format!(
        "## Promises\n\n| it holds | `cargo test` | it held |\n\n## Rows\n\n{described}\n{tests}"
    )
}

fn source() -> String {
    let test =
        |row| format!("// Row {row} of docs/reliability.md.\n#[test]\nfn test_{row}() {{}}\n\n");
    (1..=ROWS).map(test).collect()
}

fn wrong_with(page: String, source: String) -> Vec<String> {
    misfits(&page, &[("a.rs".into(), source)])
}

#[test]
fn what_does_not_fit_is_found() {
    assert_eq!(wrong_with(page(), source()), [""; 0]);
    let both = source().replace("// Row 5 of", "// Rows 4, 5 and 6 of");
    assert_eq!(wrong_with(page(), both).len(), 2, "two more than the page names");
    for (what, page, source) in [
        ("a row without a test", page().replace("| 7 | `a.rs` | `test_7` |\n", ""), source()),
        (
            "a row that is not described",
            page().replace("| 7 | nonsense | refused |\n", ""),
            source(),
        ),
        ("a test that is not there", page(), source().replace("fn test_9(", "fn test_90(")),
        (
            "a function that is no test",
            page(),
            source().replace("#[test]\nfn test_9(", "fn test_9("),
        ),
        ("another number", page(), source().replace("// Row 9 of", "// Row 10 of")),
        ("no number", page(), source().replace("// Row 9 of docs/reliability.md.\n", "")),
        ("another form", page(), source().replace("// Row 9 of", "// Row nine of")),
        ("another file", page().replace("| 9 | `a.rs`", "| 9 | `b.rs`"), source()),
        ("no command", page().replace("`cargo test`", "believe it"), source()),
        ("no result", page().replace("it held", ""), source()),
        ("no promise", page().replace("| it holds | `cargo test` | it held |\n", ""), source()),
    ] {
        assert!(!wrong_with(page, source).is_empty(), "{what}");
    }
}
