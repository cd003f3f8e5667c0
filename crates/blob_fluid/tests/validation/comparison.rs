//! Writes the page `docs/solvers.md`, on which every solver does every experiment, or compares it.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::time::Instant;

use blob_fluid::measure::{layer_order, measure};
use blob_fluid::*;
use glam::Vec2;

use crate::experiments::compared::{
    DamBreak, energies_of_impact, largest_energy, momentum_error_around, settle_column,
    twice_as_deep, watch_roundness, wave,
};
use crate::experiments::honey_and_jelly::Spread;
use crate::experiments::{TICK, run_until, scene};
use crate::page::{DOCS, digits};

/// What follows this line is measured with a clock, so it is written but not compared.
const CLOCK: &str = "## What they cost\n";

const ABOVE: &str = include_str!("above_the_comparison.md");

/// What `double_density` does on a device: experiment, measure and number. The suite of `blob_fluid_gpu` writes it.
const ON_A_DEVICE: &str = include_str!("on_a_device.csv");

/// One number of one solver.
type Measured = (&'static str, &'static str, f64);

/// Everything that one solver does.
fn of(solver: FluidSolver) -> Vec<Measured> {
    let with_solver = |name: &str| {
        let mut scene = scene(name);
        scene.parameters.solver = solver;
        scene
    };
    let (shallow, _) = settle_column(&with_solver("deep_pool"), 20.0);
    let mut deep = twice_as_deep();
    deep.parameters.solver = solver;
    let (deep, _) = settle_column(&deep, 20.0);
    let mut dam = with_solver("dam_break");
    dam.duration = 9.5;
    let dam = DamBreak::of(&dam);
    let (period, _) = wave("", 26, 130, solver);
    let theory =
        std::f64::consts::TAU / (std::f64::consts::PI * (0.2 * std::f64::consts::PI).tanh()).sqrt();
    let honey = Spread::of(solver);
    let (early, late) =
        layer_orders(&mut with_solver("stratification").start(&SerialExecutor).expect("valid"));
    let mut blob = with_solver("free_blob").start(&SerialExecutor).expect("valid");
    let round = watch_roundness(&mut blob, 10.0).last().map_or(0.0, |last| last.1);
    let hydrostatics = "hydrostatic column";
    vec![
        (hydrostatics, "density bottom/top, 50 deep", shallow.bottom_top_density),
        (hydrostatics, "density bottom/top, 100 deep", deep.bottom_top_density),
        (hydrostatics, "rms speed at 20 s, 50 deep, px/s", shallow.rms_speed),
        ("dam break", "rms relative error of the front", dam.front_error()),
        ("dam break", "rms error of the height at the wall", dam.height_error()),
        ("standing wave", "error of the period, h/L = 0.2", (period / theory - 1.0).abs()),
        ("stratification", "layer order at 10 s", early),
        ("stratification", "layer order at 60 s", late),
        (
            "momentum",
            "relative error after 10 s",
            momentum_error_around(Vec2::splat(300.0), solver),
        ),
        (
            "impact",
            "largest energy over that before, 2000 px/s",
            largest_energy(&energies_of_impact(2000.0, solver)),
        ),
        ("honey", "slope of log(front) over log(time); law: 0.2", honey.slope),
        ("honey", "front over Huppert's", honey.ratio),
        ("weightless blob", "roundness of a square after 10 s", round),
        ("time step", "fewest substeps of 1/60 s, 50 deep", f64::from(fewest_substeps(solver))),
    ]
}

fn layer_orders(world: &mut FluidWorld) -> (f64, f64) {
    run_until(world, 10.0, |_| {});
    let early = layer_order(world);
    run_until(world, 60.0, |_| {});
    (early, layer_order(world))
}

/// The pool of the column, with a fixed number of substeps.
fn pool(solver: FluidSolver, substeps: u32) -> FluidWorld {
    let mut scene = scene("deep_pool");
    scene.parameters.solver = solver;
    scene.parameters.substeps = Substeps::Fixed(substeps);
    scene.build().expect("valid")
}

/// The fewest substeps with which a pool stays calm and is compressed by less than a tenth: the
/// largest stable time step. It is 5 if 4 are not enough.
fn fewest_substeps(solver: FluidSolver) -> u32 {
    let holds = |substeps: &u32| {
        let mut world = pool(solver, *substeps);
        run_until(&mut world, 8.0, |_| {});
        let report = measure(&world);
        let calm = report.rms_speed < 0.5 * f64::from(world.parameters().speed_unit());
        calm && report.bottom_top_density < 1.1 && report.particles == 1200
    };
    (1..=4).find(holds).unwrap_or(5)
}

/// A calm pool of 10,000, with these substeps or with automatic ones.
fn calm_pool(solver: FluidSolver, substeps: Option<u32>) -> FluidWorld {
    let parameters = FluidParameters { solver, sleeping: FluidSleeping::OFF, ..Default::default() };
    let mut scene = scene("deep_pool");
    scene.parameters = parameters;
    if let Some(substeps) = substeps {
        scene.parameters.substeps = Substeps::Fixed(substeps);
    }
    scene.containers[0].shape = FluidShape::Rectangle { half_size: Vec2::new(795.0, 300.0) };
    let fill = scene::SceneFill::Lattice { columns: 200, rows: 50, spacing: 1.007 };
    scene.blocks[0].fill = fill;
    let mut world = scene.build().expect("valid");
    run_until(&mut world, 2.0, |_| {});
    world
}

/// Milliseconds that a frame of each world takes on one thread: the least of rounds in which all
/// take turns.
fn milliseconds(worlds: &mut [FluidWorld]) -> Vec<f64> {
    let mut best = vec![f64::INFINITY; worlds.len()];
    for _ in 0..7 {
        for (world, best) in worlds.iter_mut().zip(&mut best) {
            let begin = Instant::now();
            for _ in 0..10 {
                world.step(TICK, &SerialExecutor).expect("valid");
            }
            *best = best.min(1e3 * begin.elapsed().as_secs_f64() / 10.0);
        }
    }
    best
}

/// The number of a device, or a dash.
fn on_a_device(experiment: &str, measure: &str) -> String {
    let begin = format!("{experiment};{measure};");
    let mut numbers = ON_A_DEVICE.lines().filter_map(|line| line.strip_prefix(&begin));
    let number = numbers.next().and_then(|number| number.parse().ok());
    number.map_or_else(|| "–".into(), digits)
}

/// Writes the page if requested, or else compares what follows from the simulation.
pub fn settle() -> Result<(), String> {
    let measured = std::thread::scope(|scope| {
        let running = FluidSolver::ALL.map(|solver| (solver, scope.spawn(move || of(solver))));
        running.map(|(solver, of)| (solver, of.join().expect("no experiment panics")))
    });
    let mut text = String::from(ABOVE);
    text.push_str("\n| experiment | measure |");
    for (solver, _) in &measured {
        let _ = write!(text, " `{}` |", solver.name());
    }
    text.push_str(" on a device |\n|---|---|");
    text.push_str(&"---|".repeat(measured.len() + 1));
    text.push('\n');
    for (row, (experiment, measure, _)) in measured[0].1.iter().enumerate() {
        let _ = write!(text, "| {experiment} | {measure} |");
        for (_, numbers) in &measured {
            let _ = write!(text, " {} |", digits(numbers[row].2));
        }
        let _ = writeln!(text, " {} |", on_a_device(experiment, measure));
    }
    text.push('\n');
    let path = Path::new(DOCS).join("solvers.md");
    if std::env::var_os("BLOB_FLUID_WRITE_VALIDATION").is_some() {
        text.push_str(CLOCK);
        text.push_str(
            "\nThe table lists milliseconds per frame of 1/60 s for a calm pool of 10,000 particles, 50 deep. It was measured on one thread of a \
             shared machine; on other\nmachines, only the ratios hold. Each solver runs with its default substeps, and with its largest \
             stable time step.\n\n| solver | by default | at the largest stable time step |\n|---|---|---|\n",
        );
        let mut worlds: Vec<FluidWorld> = measured
            .iter()
            .flat_map(|(solver, numbers)| {
                let fewest = numbers.last().map_or(1.0, |last| last.2).min(4.0) as u32;
                [None, Some(fewest)].map(|substeps| calm_pool(*solver, substeps))
            })
            .collect();
        for ((solver, _), times) in measured.iter().zip(milliseconds(&mut worlds).chunks(2)) {
            let _ = writeln!(text, "| `{}` | {:.2} | {:.2} |", solver.name(), times[0], times[1]);
        }
        return fs::write(&path, &text).map_err(|error| format!("{}: {error}", path.display()));
    }
    let present = fs::read_to_string(&path).unwrap_or_default();
    let compared = present.split(CLOCK).next().unwrap_or_default();
    if compared == text {
        return Ok(());
    }
    let mut differing = text.lines().zip(compared.lines()).filter(|(now, then)| now != then);
    let (now, then) = differing.next().unwrap_or(("", ""));
    Err(format!(
        "docs/solvers.md says otherwise:\n  {then}\nnow:\n  {now}\nwith \
         BLOB_FLUID_WRITE_VALIDATION=1 it is written anew"
    ))
}
