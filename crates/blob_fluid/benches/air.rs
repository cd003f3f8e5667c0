//! Time of a step of air per cell, and of multigrid beside Gauss-Seidel at the same residual.
//!
//! The least of many rounds counts, because other programs slow a machine down and nothing speeds it
//! up.

use std::time::{Duration, Instant};

use blob_fluid::air::{
    Air, AirReport, AirSettings, AirSource, AirWorkspace, Projection, Side, Sides,
};
use blob_fluid::shape::scatter;
use blob_fluid::{Bounds, Collider, Region, SerialExecutor};
use glam::Vec2;

const FRAME: f32 = 1.0 / 60.0;

/// Smoke and heat rise in a chimney, 1 high, around discs and bars.
fn chimney(rows: usize, obstacles: bool) -> Air {
    let bounds = Bounds { low: Vec2::ZERO, high: Vec2::ONE };
    let settings = AirSettings { smoke_weight: 0.1, ..AirSettings::new(Vec2::new(0.0, -2.0)) };
    let sides = Sides { top: Side::Open, ..Sides::default() };
    let mut air = Air::new(bounds, 1.0 / rows as f32, settings, sides).expect("valid");
    let fire = Region::circle(Vec2::new(0.5, 0.1), 0.05).expect("valid");
    let source = AirSource { smoke: 2.0, heat: 3.0, ..AirSource::new(fire) };
    air.set_sources(vec![source]).expect("valid");
    if obstacles {
        let post = |index: u32| {
            let centre = Vec2::splat(0.5) + scatter(index) * Vec2::new(0.4, 0.25);
            if index.is_multiple_of(2) {
                Collider::circle(centre, 0.05).expect("valid")
            } else {
                Collider::rectangle(centre, Vec2::new(0.08, 0.004)).expect("valid")
            }
        };
        let posts: Vec<Collider> = (0..8).map(post).collect();
        air.set_solids([], &posts);
    }
    air
}

/// The shortest of some steps, with its report.
fn shortest(air: &mut Air, steps: usize) -> (Duration, AirReport) {
    let mut work = AirWorkspace::default();
    let mut best = (Duration::MAX, AirReport::default());
    let mut mean = 0;
    for _ in 0..steps {
        let begin = Instant::now();
        let report = air.step(FRAME, &mut work, &SerialExecutor).expect("valid");
        mean += report.iterations;
        best.0 = best.0.min(begin.elapsed());
        best.1 = report;
    }
    best.1.iterations = mean / steps as u32;
    best
}

fn main() {
    let rounds = if cfg!(debug_assertions) { 1 } else { 60 };
    for rows in [128, 256, 512] {
        for obstacles in [false, true] {
            let mut air = chimney(rows, obstacles);
            for _ in 0..rounds {
                shortest(&mut air, 1);
            }
            let (time, report) = shortest(&mut air, rounds);
            let each = time.as_nanos() as f64 / (air.columns() * air.rows()) as f64;
            println!(
                "{rows:4} rows, obstacles {obstacles:5}: {time:9.2?}, {each:6.1} ns per cell, {} iterations, residual {:.1e}",
                report.iterations, report.residual
            );
        }
    }
    let scene = || {
        let mut air = chimney(256, true);
        shortest(&mut air, rounds);
        air
    };
    for residual in [1e-2, 1e-4] {
        let mut multigrid = scene();
        let settings = *multigrid.settings();
        let max_cycles = 100;
        let projection = Projection::Multigrid { residual, max_cycles };
        multigrid.set_settings(AirSettings { projection, ..settings }).expect("valid");
        let (fast, report) = shortest(&mut multigrid.clone(), 5);
        println!("multigrid to {residual}: {fast:.2?}, {report:?}");
        for iterations in [50, 100, 200, 400, 800, 1600, 3200, 6400] {
            let projection = Projection::GaussSeidel { iterations, over_relaxation: 1.9 };
            let mut relaxed = scene();
            relaxed.set_settings(AirSettings { projection, ..settings }).expect("valid");
            let (time, report) = shortest(&mut relaxed, 5);
            if report.residual < residual || iterations == 6400 {
                println!("Gauss-Seidel: {time:.2?}, {report:?}");
                break;
            }
        }
    }
}
