//! Makes a module of every example, in which its `main` can be called from outside, and lists of them.

use std::io::{Error, Result};
use std::path::Path;
use std::{env, fs};

fn main() -> Result<()> {
    let examples =
        Path::new(&env::var("CARGO_MANIFEST_DIR").map_err(Error::other)?).join("../../examples");
    println!("cargo::rerun-if-changed={}", examples.display());
    let folder = env::var("OUT_DIR").map_err(Error::other)?;
    let folder = Path::new(&folder);
    let in_browser = env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|name| name == "wasm32");
    let panel = env::var("CARGO_FEATURE_PANEL").is_ok();
    let (mut names, mut with_engines) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(&examples)? {
        let path = entry?.path();
        let name = path.file_stem().unwrap_or_default().display().to_string();
        if path.is_dir() {
            // The modules of an example.
            fs::create_dir_all(folder.join(&name))?;
            for module in fs::read_dir(&path)? {
                let module = module?;
                fs::copy(module.path(), folder.join(&name).join(module.file_name()))?;
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let code = fs::read_to_string(&path)?;
            if !panel && code.contains("bevy_blob_fluid_panel") {
                continue;
            }
            // Physics engines would take a fifth of a page's program that does not need them.
            let is_apart = in_browser
                && ["avian2d::", "bevy_rapier2d::"].iter().any(|name| code.contains(name));
            let code = code + "\npub(super) fn run() {\n    main();\n}\n";
            fs::write(folder.join(format!("{name}.rs")), code)?;
            if is_apart { with_engines.push(name) } else { names.push(name) }
        }
    }
    write_list(folder, "examples.rs", names)?;
    write_list(folder, "with_engines.rs", with_engines)
}

/// Writes the modules of some examples, and a table of their names and functions.
fn write_list(folder: &Path, file: &str, mut names: Vec<String>) -> Result<()> {
    names.sort();
    let mut modules: String = names
        .iter()
        .map(|name| format!("#[path = {:?}]\nmod {name};\n", folder.join(format!("{name}.rs"))))
        .collect();
    let table: String =
        names.iter().map(|name| format!("    ({name:?}, {name}::run),\n")).collect();
    modules += &format!("\npub(super) const EXAMPLES: &[(&str, fn())] = &[\n{table}];\n");
    fs::write(folder.join(file), modules)
}
