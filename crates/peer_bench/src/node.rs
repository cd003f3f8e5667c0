//! Peers that run under node: processes that answer lines of JSON (`node/peer.mjs`).

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use on_every_target::setting::Setting;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::peer::{Peer, Result, State};
use on_every_target::scene::{FRAME, GRAVITY, HEIGHT, ROWS, Scene};

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
            return Some("run `crates/on_every_target/build`".into());
        }
        None
    }
}

/// Our liquid, compiled by `crates/on_every_target/build`.
fn our_module() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let target =
        target.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target"));
    target.join("on_every_target/simd128.wasm")
}

/// Folder of the modules.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("node")
}

/// A solver in a process of its own.
pub struct Node {
    process: Child,
    /// `None` once its input is closed.
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

/// The answer to `frames`.
#[derive(Deserialize)]
struct Frames {
    seconds: f64,
}

impl Node {
    /// Starts a process that loads a scene.
    pub fn new(solver: Solver, scene: &Scene) -> Result<Self> {
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
        let mut process = Command::new("node")
            .arg(folder().join("peer.mjs"))
            .arg(solver.module())
            .arg(scene.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let input = process.stdin.take();
        let output = BufReader::new(process.stdout.take().ok_or("node has no output")?);
        Ok(Self { process, input, output })
    }

    fn ask<T: DeserializeOwned>(&mut self, question: &str) -> Result<T> {
        let input = self.input.as_mut().ok_or("node has no input")?;
        writeln!(input, "{question}")?;
        let mut answer = String::new();
        self.output.read_line(&mut answer)?;
        if answer.is_empty() {
            return Err("node ended early; what it said is above".into());
        }
        Ok(serde_json::from_str(&answer)?)
    }
}

impl Peer for Node {
    fn frames(&mut self, count: u32) -> Result<Duration> {
        let frames: Frames = self.ask(&format!("frames {count}"))?;
        Ok(Duration::try_from_secs_f64(frames.seconds)?)
    }

    fn state(&mut self) -> Result<State> {
        self.ask("state")
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        // The end of its input ends the process. Its exit status is ignored.
        self.input = None;
        let _ = self.process.wait();
    }
}
