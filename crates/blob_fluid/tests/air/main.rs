//! Air on a grid: against an independent reference, its walls, symmetry, amounts and bad input.

mod fire_and_sources;
mod oracle;
mod pass_by_pass;
mod phase_changes;
#[allow(dead_code, reason = "the tests of the liquid use the rest")]
#[path = "../support/pools.rs"]
mod pools;
mod quenching;
mod state;
#[path = "../support/ticks.rs"]
mod ticks;
mod walls;
mod with_liquid;

use std::path::Path;

use blob_fluid::air::{Air, AirId, AirReport, AirSettings, AirSides, AirSource, AirWorkspace};
use blob_fluid::material::{read_materials, table_with};
use blob_fluid::{ClassTable, FluidBounds, FluidRegion, FluidWorld, SerialExecutor};
use glam::Vec2;

use crate::ticks::TICK;

/// A rectangle of cells of side 1 from the origin on.
fn room(columns: usize, rows: usize, settings: AirSettings, sides: AirSides) -> Air {
    let bounds = FluidBounds { low: Vec2::ZERO, high: Vec2::new(columns as f32, rows as f32) };
    Air::new(bounds, 1.0, settings, sides).expect("valid")
}

/// Hot air rises in it.
fn gravity() -> AirSettings {
    AirSettings::new(Vec2::new(0.0, -60.0))
}

/// Smoke and heat, all at once.
fn burst(centre: Vec2, radius: f32) -> AirSource {
    let region = FluidRegion::circle(centre, radius).expect("valid");
    AirSource { smoke: 1.0, heat: 1.0, burst: true, ..AirSource::new(region) }
}

fn run(air: &mut Air, steps: usize) -> AirReport {
    let mut work = AirWorkspace::default();
    let mut report = AirReport::default();
    for _ in 0..steps {
        report = air.step(TICK, &mut work, &SerialExecutor).expect("valid");
    }
    report
}

/// The air of a world.
fn there(world: &FluidWorld, air: AirId) -> &Air {
    world.air(air).expect("there")
}

/// The classes of bundled materials.
fn materials(names: &[&str]) -> ClassTable {
    let folder = Path::new("../../assets/materials");
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let materials = read_materials(folder, &names).expect("valid");
    table_with(Vec::new(), Vec::new(), &materials).expect("valid")
}

/// Numbers from -1 to 1 that look random.
fn noise(count: usize, seed: u32) -> Vec<f32> {
    (0..count as u32).map(|index| blob_fluid::shape::scatter(index * 7 + seed * 7919).x).collect()
}
