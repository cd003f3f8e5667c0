//! The column of a device in `docs/solvers.md`.

use std::f64::consts::{PI, TAU};
use std::fmt::Write;
use std::fs;

use blob_fluid::measure::{layer_order, measure};
use blob_fluid::scene::Scene;
use blob_fluid::{FluidSolver, FluidWorld, SerialExecutor, Substeps};
use glam::Vec2;

use crate::experiments::compared::{
    DamBreak, energies_of_impact, largest_energy, momentum_error_around, settle_column,
    twice_as_deep, watch_roundness, wave,
};
use crate::experiments::{run_until, scene};

/// Where the core's suite finds the numbers.
const FILE: &str = "../blob_fluid/tests/validation/on_a_device.csv";

/// An experiment, what is measured in it, and the number.
type Measured = (&'static str, &'static str, f64);

/// As the core's suite measures a solver, but for honey, which needs several sweeps.
fn measured() -> Vec<Measured> {
    let solver = FluidSolver::DoubleDensity;
    let (shallow, _) = settle_column(&scene("deep_pool"), 20.0);
    let (deep, _) = settle_column(&twice_as_deep(), 20.0);
    let mut dam = scene("dam_break");
    dam.duration = 9.5;
    let dam = DamBreak::of(&dam);
    let (period, _) = wave("", 26, 130, solver);
    let theory = TAU / (PI * (0.2 * PI).tanh()).sqrt();
    let mut layers = start(&scene("stratification"));
    run_until(&mut layers, 10.0, |_| {});
    let early = layer_order(&layers);
    run_until(&mut layers, 60.0, |_| {});
    let mut blob = start(&scene("free_blob"));
    let round = watch_roundness(&mut blob, 10.0).last().map_or(0.0, |last| last.1);
    let momentum = momentum_error_around(Vec2::splat(300.0), solver);
    let impact = largest_energy(&energies_of_impact(2000.0, solver));
    vec![
        ("hydrostatic column", "density bottom/top, 50 deep", shallow.bottom_top_density),
        ("hydrostatic column", "density bottom/top, 100 deep", deep.bottom_top_density),
        ("hydrostatic column", "rms speed at 20 s, 50 deep, px/s", shallow.rms_speed),
        ("dam break", "rms relative error of the front", dam.front_error()),
        ("dam break", "rms error of the height at the wall", dam.height_error()),
        ("standing wave", "error of the period, h/L = 0.2", (period / theory - 1.0).abs()),
        ("stratification", "layer order at 10 s", early),
        ("stratification", "layer order at 60 s", layer_order(&layers)),
        ("momentum", "relative error after 10 s", momentum),
        ("impact", "largest energy over that before, 2000 px/s", impact),
        ("weightless blob", "roundness of a square after 10 s", round),
        ("time step", "fewest substeps of 1/60 s, 50 deep", fewest_substeps()),
    ]
}

fn start(scene: &Scene) -> FluidWorld {
    scene.start(&SerialExecutor).expect("valid")
}

/// The fewest substeps with which a pool stays calm and is compressed by less than a tenth.
fn fewest_substeps() -> f64 {
    let holds = |substeps: &u32| {
        let mut scene = scene("deep_pool");
        scene.parameters.substeps = Substeps::Fixed(*substeps);
        let mut world = scene.build().expect("valid");
        run_until(&mut world, 8.0, |_| {});
        let report = measure(&world);
        let calm = report.rms_speed < 0.5 * f64::from(world.parameters().speed_unit());
        calm && report.bottom_top_density < 1.1 && report.particles == 1200
    };
    (1..=4).find(holds).map_or(5.0, f64::from)
}

/// Writes the numbers if requested, or else tells those that are there: other devices round otherwise, so
/// that only bars are compared.
pub fn settle() {
    let mut text = String::new();
    for (experiment, measure, value) in measured() {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{experiment};{measure};{value:e}");
    }
    println!("{text}");
    if std::env::var_os("BLOB_FLUID_WRITE_VALIDATION").is_some() {
        fs::write(FILE, &text).expect("writable");
    }
    let present = fs::read_to_string(FILE).expect("readable");
    assert_eq!(present.lines().count(), text.lines().count(), "the file lacks what is measured");
}
