//! Takes the program of `docs/start.md`, and its test, out of the page, so that the tests can play them.

use std::path::Path;
use std::{env, fs};

fn main() {
    let page = "../../docs/start.md";
    println!("cargo::rerun-if-changed={page}");
    let text = fs::read_to_string(page).expect("the page");
    let blocks = text.split("\n```rust").skip(1);
    // What follows the language up to the end of its line is for rustdoc.
    let codes = blocks.filter_map(|block| block.split("\n```").next()?.split_once('\n'));
    let program: String = codes.map(|(_, code)| format!("{code}\n\n")).collect();
    let folder = env::var("OUT_DIR").expect("cargo says where");
    fs::write(Path::new(&folder).join("start.rs"), program).expect("written");
}
