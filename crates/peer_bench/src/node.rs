//! Peers that run under node: processes that answer lines of JSON (`node/peer.mjs`).

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use on_every_target::scene::{FRAME, GRAVITY, HEIGHT, ROWS, Scene};
use on_every_target::setting::Setting;
use serde_json::json;

use crate::peer::Result;
use crate::process::{Process, target_folder};

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
pub fn start(solver: Solver, scene: &Scene) -> Result<Process> {
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
