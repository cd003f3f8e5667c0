//! Peers: solvers that simulate frames of a scene and return their particles. Ours runs in this process, those under node
//! and LiquidFun in C++ in processes of their own.

use std::error::Error;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use blob_fluid::measure::measure;
use blob_fluid::{FluidWorld, RayonExecutor, SerialExecutor};
use glam::Vec2;
use on_every_target::scene::{FRAME, GRAVITY, HEIGHT, ROWS, Scene, Setting};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Any error of a peer.
pub type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// A solver with a scene loaded.
pub trait Peer {
    /// Simulates a number of frames and returns how long they took.
    fn frames(&mut self, count: u32) -> Result<Duration>;

    /// Present positions and velocities of the particles.
    fn state(&mut self) -> Result<State>;
}

/// Particles at one moment, in spacings and seconds.
#[derive(Clone, Debug, Deserialize)]
pub struct State {
    /// Interaction radius of this solver.
    pub interaction_radius: f32,
    /// Positions.
    pub positions: Vec<[f32; 2]>,
    /// Velocities.
    pub velocities: Vec<[f32; 2]>,
    /// Density by the solver's own measure; only ours has one.
    #[serde(default)]
    pub own_density: Option<OwnDensity>,
}

/// Density relative to that at rest, from `blob_fluid::measure`.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub struct OwnDensity {
    /// Mean over all particles.
    pub mean: f64,
    /// The 99th percentile.
    pub p99: f64,
    /// Density above the floor divided by that below the surface.
    pub bottom_top: f64,
}

// Peers that are processes of their own: each answers one line of JSON for every line it reads.

/// Folder of what cargo and its helpers compile.
pub fn target_folder() -> PathBuf {
    let chosen = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    chosen.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target"))
}

/// A solver in a process of its own, with a scene loaded.
pub struct Process {
    child: Child,
    /// `None` once its input is closed.
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

/// The answer to `frames`.
#[derive(Deserialize)]
struct Frames {
    seconds: f64,
}

impl Process {
    /// Starts it.
    pub fn start(command: &mut Command) -> Result<Self> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().ok_or("the process has no output")?);
        Ok(Self { child, input, output })
    }

    /// Writes a line that is not answered.
    pub fn tell(&mut self, line: &str) -> Result<()> {
        Ok(writeln!(self.input.as_mut().ok_or("the process has no input")?, "{line}")?)
    }

    fn ask<T: DeserializeOwned>(&mut self, question: &str) -> Result<T> {
        self.tell(question)?;
        let mut answer = String::new();
        self.output.read_line(&mut answer)?;
        if answer.is_empty() {
            return Err("the process ended early; what it said is above".into());
        }
        Ok(serde_json::from_str(&answer)?)
    }
}

impl Peer for Process {
    fn frames(&mut self, count: u32) -> Result<Duration> {
        let frames: Frames = self.ask(&format!("frames {count}"))?;
        Ok(Duration::try_from_secs_f64(frames.seconds)?)
    }

    fn state(&mut self) -> Result<State> {
        self.ask("state")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The end of its input ends the process. Its exit status is ignored.
        self.input = None;
        let _ = self.child.wait();
    }
}

// `blob_fluid` itself, natively.

/// Our liquid in a scene.
pub struct Ours {
    world: FluidWorld,
    /// `None` runs on the calling thread only.
    pool: Option<RayonExecutor>,
}

impl Ours {
    /// Loads a scene, to run on a number of threads.
    pub fn new(setting: Setting, scene: &Scene, threads: usize) -> Result<Self> {
        let world = setting.world(scene)?;
        let pool = if threads > 1 { Some(RayonExecutor::new(threads)?) } else { None };
        Ok(Self { world, pool })
    }
}

impl Peer for Ours {
    fn frames(&mut self, count: u32) -> Result<Duration> {
        let start = Instant::now();
        for _ in 0..count {
            match &self.pool {
                Some(pool) => self.world.step(FRAME, pool)?,
                None => self.world.step(FRAME, &SerialExecutor)?,
            };
        }
        Ok(start.elapsed())
    }

    fn state(&mut self) -> Result<State> {
        let particles = self.world.particles();
        let report = measure(&self.world);
        Ok(State {
            interaction_radius: self.world.parameters().interaction_radius(),
            positions: particles.positions().iter().map(Vec2::to_array).collect(),
            velocities: particles.velocities().iter().map(Vec2::to_array).collect(),
            own_density: Some(OwnDensity {
                mean: report.density_ratio.mean,
                p99: report.density_ratio.p99,
                bottom_top: report.bottom_top_density,
            }),
        })
    }
}

// Peers that run under node: processes that answer lines of JSON (`node/peer.mjs`).

/// The solver to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Solver {
    /// Our own plain JavaScript of the paper, on a grid of so many cells per interaction radius.
    Clavet { cells_per_radius: u32 },
    /// LiquidFun as WebAssembly.
    LiquidFun,
    /// Ours as WebAssembly.
    Ours(Setting),
}

impl Solver {
    /// The module that holds it.
    fn module(self) -> &'static str {
        match self {
            Self::Clavet { .. } => "clavet",
            Self::LiquidFun => "liquidfun",
            Self::Ours(_) => "ours",
        }
    }

    /// What it needs that is missing, and how to install it.
    pub fn missing(self) -> Option<String> {
        let version = Command::new("node").arg("--version").stdout(Stdio::null()).status();
        if !version.is_ok_and(|status| status.success()) {
            return Some("node does not run; install Node.js 20 or newer".into());
        }
        let package = folder().join("node_modules/liquidfun-wasm");
        if self == Self::LiquidFun && !package.is_dir() {
            return Some("run `npm ci --prefix crates/peer_bench/node`".into());
        }
        if matches!(self, Self::Ours(_)) && !our_module().is_file() {
            return Some("run `crates/on_every_target/build simd128.wasm`".into());
        }
        None
    }
}

/// Our liquid, compiled by `crates/on_every_target/build`.
fn our_module() -> PathBuf {
    target_folder().join("on_every_target/simd128.wasm")
}

/// Folder of the modules.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("node")
}

/// Starts a process that loads a scene.
pub fn start_node(solver: Solver, scene: &Scene) -> Result<Process> {
    let cells_per_radius = match solver {
        Solver::Clavet { cells_per_radius } => cells_per_radius,
        Solver::LiquidFun | Solver::Ours(_) => 1,
    };
    let setting = match solver {
        Solver::Ours(setting) => Setting::ALL.into_iter().position(|own| own == setting),
        Solver::Clavet { .. } | Solver::LiquidFun => None,
    };
    let scene = json!({
        "columns": scene.columns,
        "rows": ROWS,
        "width": scene.width(),
        "height": HEIGHT,
        "gravity": GRAVITY,
        "frame": FRAME,
        "cells_per_radius": cells_per_radius,
        "kind": scene.kind.name(),
        "setting": setting,
        "module": our_module(),
    });
    start_module(solver.module(), &scene.to_string())
}

/// Starts a process of a module that loads a scene, given as JSON.
pub fn start_module(module: &str, scene: &str) -> Result<Process> {
    let peer = folder().join("peer.mjs");
    let mut process = Process::start(Command::new("node").arg(peer).arg(module))?;
    process.tell(scene)?;
    Ok(process)
}

// LiquidFun in C++, compiled from a checkout of its sources (`cpp/liquidfun.cpp`).

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
pub fn build_liquidfun(checkout: &Path) -> Result<PathBuf> {
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
pub fn start_liquidfun(program: &Path, scene: &Scene) -> Result<Process> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_ends_early_is_an_error() {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        let mut process = Process::start(command.arg("--list")).expect("it starts");
        assert!(process.frames(1).is_err(), "a list of tests is no time");
    }
}
