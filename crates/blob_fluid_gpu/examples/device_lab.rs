//! The lab on this machine's graphics adapter: runs a scene without drawing, prints the measures of its liquid, and the time
//! of each pass.
//!
//! `cargo run --release -p blob_fluid_gpu --example device_lab -- stratification --seconds 20 --every 5`

use std::error::Error;
use std::path::{Path, PathBuf};

use blob_fluid::measure::measure;
use blob_fluid::scene::Scene;
use blob_fluid::{FluidWorld, SerialExecutor};
use blob_fluid_gpu::{GpuLiquid, ignored_settings, saved_particles};
use clap::Parser;

mod adapter;

/// Runs a scene on a graphics adapter, and prints what its liquid is like.
#[derive(Parser)]
struct Arguments {
    /// A name in assets/scenes, or the path of a scene file.
    scene: String,
    /// Simulated time in seconds, instead of the scene's own.
    #[arg(long)]
    seconds: Option<f64>,
    /// Simulated time between two samples; only the beginning and the end without it.
    #[arg(long)]
    every: Option<f64>,
    /// About how many particles fill the scene's space, instead of the scene's own number.
    #[arg(long)]
    particles: Option<usize>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    let mut scene = Scene::read(&find(&arguments.scene))?;
    scene.duration = arguments.seconds.unwrap_or(scene.duration);
    if let Some(count) = arguments.particles {
        scene = scene.with_particles(count)?;
    }
    let (device, queue) = adapter::open()?;
    println!("{}: {}", arguments.scene, scene.description);
    let mut world = scene.start(&SerialExecutor)?;
    for ignored in ignored_settings(world.liquid()) {
        println!("note: {ignored}");
    }
    let mut liquid = GpuLiquid::new(&device, &queue, world.liquid())?;
    let timed = liquid.watch_times(true).is_ok();
    world.clear();
    let ticks = (scene.duration * scene.tick_rate).round() as u64;
    let every = arguments.every.map(|s| ((s * scene.tick_rate).round() as u64).max(1));
    for tick in 0..=ticks {
        if tick == 0 || tick == ticks || every.is_some_and(|every| tick % every == 0) {
            print_sample(&mut liquid, &world)?;
        }
        if tick < ticks {
            liquid.step(world.liquid_mut(), scene.time_step())?;
        }
    }
    if timed {
        adapter::print_times(&mut liquid, &mut world, scene.time_step())?;
    }
    Ok(())
}

fn find(name: &str) -> PathBuf {
    if Path::new(name).is_file() {
        return name.into();
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/scenes");
    folder.join(format!("{name}.scene.ron"))
}

/// Prints what the core measures of the device's particles.
fn print_sample(liquid: &mut GpuLiquid, world: &FluidWorld) -> Result<(), Box<dyn Error>> {
    let mut copy = world.clone();
    copy.restore_particles(&saved_particles(&liquid.read_particles()?, world.liquid()))?;
    let awake = liquid.wait_for_report()?.map(|report| report.awake);
    println!("{}, {} awake on the device", measure(&copy), awake.unwrap_or(liquid.len() as u32));
    Ok(())
}
