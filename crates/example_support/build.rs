//! Takes the code out of the pages of `docs`: the program of `start.md` with its test, and all doc tests.
//!
//! A comment right below a block of Rust is the rest of its doc test. Readers do not see it:
//!
//! ```text
//! <!-- test
//! assert!(..);
//! -->
//! ```

use std::path::Path;
use std::{env, fs};

const DOCS: &str = "../../docs";
const COMMENT: &str = "<!-- test\n";

fn main() {
    // It names the pages that are compiled.
    println!("cargo::rerun-if-changed=src/lib.rs");
    let folder = env::var("OUT_DIR").expect("cargo says where");
    for entry in fs::read_dir(DOCS).expect("the folder of the pages") {
        let path = entry.expect("readable").path();
        if path.extension().is_some_and(|end| end == "md") {
            println!("cargo::rerun-if-changed={}", path.display());
            let page = fs::read_to_string(&path).expect("text");
            let name = path.file_name().expect("a name");
            fs::write(Path::new(&folder).join(name), doc_tests(&page)).expect("written");
        }
    }
    let start = fs::read_to_string(Path::new(DOCS).join("start.md")).expect("the page");
    fs::write(Path::new(&folder).join("start.rs"), program(&start)).expect("written");
}

/// The blocks of Rust of a page, as one file.
fn program(page: &str) -> String {
    let blocks = page.split("\n```rust").skip(1);
    // What follows the language up to the end of its line is for rustdoc.
    let codes = blocks.filter_map(|block| block.split("\n```").next()?.split_once('\n'));
    codes.map(|(_, code)| format!("{code}\n\n")).collect()
}

/// The page with each comment as hidden lines at the end of the block above it. There, tests are functions that
/// the hidden lines call.
fn doc_tests(page: &str) -> String {
    let below_a_block = format!("\n```\n{COMMENT}");
    let mut parts = page.split(&below_a_block);
    let mut text = parts.next().expect("the beginning").to_owned();
    for part in parts {
        let (hidden, rest) = part.split_once("\n-->").expect("the end of the comment");
        let block = text.split_off(text.rfind("\n```rust").expect("a block of Rust"));
        text += &block.replace("\n#[test]\n", "\n");
        text.extend(hidden.lines().map(|line| format!("\n# {line}")));
        text += "\n```";
        text += rest;
    }
    assert!(!text.contains(COMMENT), "a hidden test is right below its block: {text}");
    text
}
