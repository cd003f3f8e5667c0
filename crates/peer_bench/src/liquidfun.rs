//! LiquidFun in C++, compiled from a checkout of its sources (`cpp/liquidfun.cpp`).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use on_every_target::scene::{FRAME, GRAVITY, HEIGHT, ROWS, Scene};

use crate::peer::Result;
use crate::process::{Process, target_folder};

/// Where the headers and the sources lie in a checkout: in Google's own, and in those of Box2D 2.4
/// with LiquidFun.
const LAYOUTS: [Layout; 3] = [
    Layout {
        headers: "liquidfun/Box2D",
        sources: "liquidfun/Box2D/Box2D",
        known_by: "Box2D/Box2D.h",
    },
    Layout { headers: ".", sources: "Box2D", known_by: "Box2D/Box2D.h" },
    Layout { headers: "include", sources: "src", known_by: "box2d/box2d.h" },
];

/// Folders of a checkout.
struct Layout {
    headers: &'static str,
    sources: &'static str,
    /// A header that only this layout has.
    known_by: &'static str,
}

/// Compiles LiquidFun from a checkout, and returns the program.
pub fn build(checkout: &Path) -> Result<PathBuf> {
    let layout = LAYOUTS
        .iter()
        .find(|layout| checkout.join(layout.headers).join(layout.known_by).is_file())
        .ok_or_else(|| {
            format!("{}: neither Box2D/Box2D.h nor include/box2d/box2d.h", checkout.display())
        })?;
    let mut sources = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("cpp/liquidfun.cpp")];
    find_sources(&checkout.join(layout.sources), &mut sources)?;
    let folder = target_folder().join("peer_bench");
    fs::create_dir_all(&folder)?;
    let program = folder.join("liquidfun");
    let compiler = std::env::var_os("CXX").unwrap_or_else(|| "c++".into());
    eprintln!("compiling LiquidFun from {}", checkout.display());
    let mut command = Command::new(&compiler);
    command.args(["-std=c++17", "-O3", "-DNDEBUG", "-w"]);
    for folder in [layout.headers, layout.sources] {
        command.arg("-I").arg(checkout.join(folder));
    }
    let status = command.args(&sources).arg("-o").arg(&program).status();
    let status = status.map_err(|error| format!("{} does not run: {error}", compiler.display()))?;
    if status.success() { Ok(program) } else { Err("LiquidFun does not compile".into()) }
}

/// Starts the program with a scene.
pub fn start(program: &Path, scene: &Scene) -> Result<Process> {
    let size = [scene.columns, ROWS].map(|count| count.to_string());
    let lengths = [scene.width(), HEIGHT, GRAVITY, FRAME].map(|value| value.to_string());
    Process::start(Command::new(program).args(size).args(lengths))
}

/// Adds the sources in a folder and the folders in it.
fn find_sources(folder: &Path, sources: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            find_sources(&path, sources)?;
        } else if path.extension().is_some_and(|extension| extension == "cpp") {
            sources.push(path);
        }
    }
    Ok(())
}
