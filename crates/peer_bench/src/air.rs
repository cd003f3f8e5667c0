//! Our air beside the way of tutorials, in JavaScript with typed arrays (`node/air.mjs`): the same
//! chimney, the same residual.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use blob_fluid::air::{
    Air, AirProjection, AirSettings, AirSide, AirSides, AirSource, AirWorkspace,
};
use blob_fluid::{FluidBounds, FluidRegion, SerialExecutor};
use glam::Vec2;

use crate::peer::{Peer, Process, Result};
use crate::report::median;

const FRAME: f32 = 1.0 / 60.0;
/// Remaining divergence, divided by the divergence before.
const RESIDUAL: f32 = 1e-4;
/// Steps before the first is timed: then the smoke rises.
const WARM: u32 = 30;
/// Steps of a turn.
const STEPS: u32 = 5;

/// Smoke and heat rise in a chimney, 1 high, closed but for its top.
struct Chimney {
    air: Air,
    workspace: AirWorkspace,
}

impl Chimney {
    fn new(rows: usize) -> Result<Self> {
        let bounds = FluidBounds { low: Vec2::ZERO, high: Vec2::ONE };
        let projection = AirProjection::Multigrid { residual: RESIDUAL, max_cycles: 100 };
        let gravity = Vec2::new(0.0, -2.0);
        let settings = AirSettings { smoke_weight: 0.1, projection, ..AirSettings::new(gravity) };
        let sides = AirSides { top: AirSide::Open, ..AirSides::default() };
        let mut air = Air::new(bounds, 1.0 / rows as f32, settings, sides)?;
        let fire = FluidRegion::circle(Vec2::new(0.5, 0.1), 0.05)?;
        air.set_sources(vec![AirSource { smoke: 2.0, heat: 3.0, ..AirSource::new(fire) }])?;
        Ok(Self { air, workspace: AirWorkspace::default() })
    }

    fn steps(&mut self, count: u32) -> Result<Duration> {
        let begin = Instant::now();
        for _ in 0..count {
            self.air.step(FRAME, &mut self.workspace, &SerialExecutor)?;
        }
        Ok(begin.elapsed())
    }
}

/// Times both on grids of so many rows, in turns, and returns a table.
pub fn compare(sizes: &[usize], rounds: usize) -> Result<String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("node/peer.mjs");
    let mut table = String::from(
        "| cells | ours, ms per step | ns per cell | JavaScript, ms per step | times ours |\n|---|---|---|---|---|\n",
    );
    for rows in sizes {
        let scene =
            serde_json::json!({ "rows": rows, "residual": RESIDUAL, "frame": FRAME }).to_string();
        let mut other = Process::start(Command::new("node").arg(&script).arg("air").arg(scene))?;
        let mut ours = Chimney::new(*rows)?;
        ours.steps(WARM)?;
        other.frames(WARM)?;
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..rounds {
            times[0].push(1e3 * ours.steps(STEPS)?.as_secs_f64() / f64::from(STEPS));
            times[1].push(1e3 * other.frames(STEPS)?.as_secs_f64() / f64::from(STEPS));
        }
        let [ours, other] = times.map(|own| median(&own));
        let each = 1e6 * ours / (rows * rows) as f64;
        let times = other / ours;
        let _ = writeln!(
            table,
            "| {rows} x {rows} | {ours:.2} | {each:.0} | {other:.1} | {times:.1} |"
        );
    }
    Ok(table)
}
