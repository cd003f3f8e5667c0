//! Instructions per frame, counted by valgrind's callgrind. The number does not depend on how busy
//! the machine is.
//!
//! Valgrind simulates AVX2 instructions but not their timing. So the count shows whether a change
//! adds instructions, not how long they take.

mod pool;

use std::hint::black_box;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use blob_fluid::scene::Scene;
use blob_fluid::{
    ClassTable, Collider, DensityClass, FluidPaint, FluidParameters, FluidPowder, FluidSleeping,
    FluidSolver, FluidWorld, Motion, SerialExecutor,
};
use glam::Vec2;

use pool::{FRAME, SIZES, settled_pool, settled_pool_of};

/// Frames that are counted.
const FRAMES: u32 = 10;

/// The cases that are counted: a name, and a function that makes the world.
const CASES: [(&str, fn() -> FluidWorld); 14] = [
    ("pool of 1,000", || settled_pool(1_000)),
    ("pool of 1,000 under classic", || under(FluidSolver::Classic)),
    ("pool of 1,000 under sph", || under(FluidSolver::Sph)),
    ("pool of 1,000 under shared_pressure", || under(FluidSolver::SharedPressure)),
    ("pool of 1,000 under incompressible", || under(FluidSolver::Incompressible)),
    ("pool of 3,000", || settled_pool(SIZES[0])),
    ("pool of 3,000 asleep", asleep),
    ("pool of 3,000 of powder", powder),
    ("pool of 3,000 of liquid, with a class of powder", unused_powder),
    ("pool of 3,000 with paint", paint),
    ("stratification of 3,000 after 2 s", stratification),
    ("the same without segregation", unsorted),
    ("pool of 3,000 on 1,000 tiles", || tiled(0.0)),
    ("the same, and a dry wheel turns", || tiled(3.0)),
];

/// A small pool that another solver has stepped for a while.
fn under(solver: FluidSolver) -> FluidWorld {
    let mut world = settled_pool(1_000);
    let parameters = FluidParameters { solver, ..*world.parameters() };
    world.set_parameters(parameters).expect("valid");
    for _ in 0..10 {
        frame(&mut world);
    }
    world
}

/// A pool of the same depth and width, with all velocities 0, so that all of it may sleep soon.
fn asleep() -> FluidWorld {
    let mut world = settled_pool(SIZES[0]);
    let sleeping = FluidSleeping { after: 0.1, drift: 1.0 };
    let parameters = FluidParameters { sleeping, ..*world.parameters() };
    world.set_parameters(parameters).expect("valid");
    for _ in 0..10 {
        frame(&mut world);
    }
    assert_eq!(world.asleep(), world.particles().len());
    world
}

/// A class of grains that rub against each other.
fn sand() -> DensityClass {
    let powder = Some(FluidPowder { friction_angle: 32.0, ..FluidPowder::default() });
    DensityClass { name: "sand".into(), powder, ..DensityClass::default() }
}

fn pool_of(classes: Vec<DensityClass>) -> FluidWorld {
    settled_pool_of(ClassTable::new(classes).expect("valid"), SIZES[0])
}

fn powder() -> FluidWorld {
    pool_of(vec![sand()])
}

/// Liquid beside which there may be powder.
fn unused_powder() -> FluidWorld {
    pool_of(vec![DensityClass { name: "water".into(), ..DensityClass::default() }, sand()])
}

fn paint() -> FluidWorld {
    let paint = Some(FluidPaint::default());
    pool_of(vec![DensityClass { paint, ..DensityClass::default() }])
}

/// Ten rows of a hundred tiles at the bottom of the pool, and a wheel with the given angular
/// velocity above them.
fn tiled(angular_velocity: f32) -> FluidWorld {
    let mut world = settled_pool(SIZES[0]);
    let (_, tank) = world.containers().next().expect("there is one");
    let (width, size) = (2.0 * tank.centre().x, 0.02 * tank.centre().x);
    let tile = |index: u32| {
        let cell = Vec2::new((index % 100) as f32, (index / 100) as f32);
        Collider::rectangle((cell + 0.5) * size, Vec2::splat(0.5 * size)).expect("valid")
    };
    let spacing = world.parameters().particle_spacing;
    world.despawn_where(|position, _| position.y < 10.0 * size + 0.5 * spacing);
    for index in 0..1000 {
        world.insert_collider(tile(index));
    }
    let wheel = Collider::rectangle(Vec2::new(0.5 * width, 80.0 * spacing), Vec2::splat(20.0));
    let motion = Motion { angular_velocity, ..Motion::STILL };
    world.insert_collider(wheel.and_then(|wheel| wheel.with_motion(motion)).expect("valid"));
    for _ in 0..10 {
        frame(&mut world);
    }
    world
}

fn stratification() -> FluidWorld {
    let text = include_str!("../../../assets/scenes/stratification.scene.ron");
    let scene = Scene::from_ron(text).expect("a valid scene");
    let mut world = scene.start(&SerialExecutor).expect("a valid scene");
    while world.time() < 2.0 {
        frame(&mut world);
    }
    world
}

/// The same mixed liquid, whose classes are no longer sorted.
fn unsorted() -> FluidWorld {
    let mut world = stratification();
    let parameters = FluidParameters { segregation: 0.0, ..*world.parameters() };
    world.set_parameters(parameters).expect("valid");
    world
}

fn frame(world: &mut FluidWorld) {
    black_box(world.step(FRAME, &SerialExecutor)).expect("valid");
}

/// The frames that callgrind counts. It finds them by the name of this function.
#[inline(never)]
fn counted_frames(world: &mut FluidWorld) {
    for _ in 0..FRAMES {
        frame(world);
    }
}

/// Runs this program under callgrind, and returns the instructions per frame.
fn count(case: &str) -> Result<f64, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--toggle-collect=*counted_frames*"])
        .arg("--callgrind-out-file=/dev/null")
        .arg(program)
        .args(["--case", case])
        .output()
        .map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stderr);
    let collected = text.lines().find_map(|line| line.split("Collected :").nth(1));
    let collected = collected.and_then(|number| number.trim().parse::<f64>().ok());
    Ok(collected.ok_or_else(|| text.into_owned())? / f64::from(FRAMES))
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, name] = &arguments[..]
        && flag == "--case"
    {
        let (_, start) = CASES.iter().find(|case| case.0 == name).expect("a case");
        counted_frames(&mut start());
        return ExitCode::SUCCESS;
    }
    let installed = Command::new("valgrind").arg("--version").stdout(Stdio::null()).status();
    if !installed.is_ok_and(|status| status.success()) || !Path::new("/dev/null").exists() {
        println!("instructions are counted by valgrind, which is not installed");
        return ExitCode::SUCCESS;
    }
    // `cargo bench -- --test` only checks that the benchmark runs.
    let only_try = arguments.iter().any(|argument| argument == "--test");
    for (name, _) in &CASES[..if only_try { 1 } else { CASES.len() }] {
        match count(name) {
            Ok(instructions) => println!("{name}: {:.3} million per frame", instructions / 1e6),
            Err(error) => {
                eprintln!("{name}: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}
