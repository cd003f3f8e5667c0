//! Times of the passes and of whole ticks on this machine's graphics adapter: a pool, a dam, a dam whose liquid may sleep, one whose
//! oldest particles are recycled, and a pool on which twenty boxes float, of 100,000 and of 1,000,000 particles.
//!
//! `cargo run --release -p blob_fluid_gpu --example pass_times -- [particles ...]`

use std::error::Error;
use std::time::{Duration, Instant};

use blob_fluid::{
    Body, Collider, ColliderOptions, Container, FluidParameters, FluidShape, FluidSleeping,
    FluidWorld, Substeps,
};
use blob_fluid_gpu::{GpuLiquid, GpuParticle};
use glam::Vec2;

mod adapter;

/// Length of a tick, in seconds.
const TICK: f32 = 1.0 / 60.0;
/// Ticks before the measured ones.
const BEFORE: u32 = 3;
/// For how long another liquid is stepped before the measured ticks, because a card that has rested is slow.
const WARMED: Duration = Duration::from_secs(1);

/// Ticks of which the whole is timed.
const TICKS: u32 = 100;

/// What is timed.
struct Scene {
    name: &'static str,
    width_per_height: f32,
    /// Width of the tank, in widths of the liquid.
    tank: f32,
    boxes: u32,
    may_sleep: bool,
    /// How many of the oldest particles are removed in each tick, and come back as the newest.
    recycled: u32,
}

/// As wide as high, in a tank of thrice its width.
const DAM: Scene = Scene {
    name: "dam",
    width_per_height: 1.0,
    tank: 3.0,
    boxes: 0,
    may_sleep: false,
    recycled: 0,
};
/// Four times as wide as deep.
const POOL: Scene = Scene { name: "pool", width_per_height: 4.0, tank: 1.0, ..DAM };
const SCENES: [Scene; 5] = [
    POOL,
    DAM,
    Scene { name: "dam that may sleep", may_sleep: true, ..DAM },
    Scene { name: "dam, 100 recycled in each tick", recycled: 100, ..DAM },
    Scene { name: "pool with boxes", boxes: 20, ..POOL },
];

fn main() -> Result<(), Box<dyn Error>> {
    let asked: Result<Vec<u32>, _> = std::env::args().skip(1).map(|text| text.parse()).collect();
    let mut counts = asked?;
    if counts.is_empty() {
        counts = vec![100_000, 1_000_000];
    }
    let (device, queue) = adapter::open()?;
    for count in counts {
        for scene in SCENES {
            let rows = (count as f32 / scene.width_per_height).sqrt().ceil();
            let columns = (count as f32 / rows).ceil();
            let sleeping =
                if scene.may_sleep { FluidSleeping::default() } else { FluidSleeping::OFF };
            let mut world = empty_tank(columns * scene.tank, 1.5 * rows, sleeping)?;
            for number in 0..scene.boxes {
                let x = columns * (number as f32 + 0.5) / scene.boxes as f32;
                add_box(&mut world, Vec2::new(x, rows + 6.0))?;
            }
            let mut liquid = GpuLiquid::new(&device, &queue, world.liquid())?;
            let block = block(count, columns as u32, world.parameters().particle_spacing);
            liquid.insert(&block)?;
            let mut other = GpuLiquid::new(&device, &queue, world.liquid())?;
            other.insert(&block)?;
            report(scene.name, [&mut liquid, &mut other], &mut world)?;
            report_ticks(&mut liquid, &mut world, &block[..scene.recycled as usize])?;
        }
    }
    Ok(())
}

/// A tank without liquid, so many spacings wide and high.
fn empty_tank(
    width: f32,
    height: f32,
    sleeping: FluidSleeping,
) -> Result<FluidWorld, Box<dyn Error>> {
    let parameters =
        FluidParameters { substeps: Substeps::Fixed(1), sleeping, ..FluidParameters::default() };
    let mut world = FluidWorld::new(parameters)?;
    let half_size = 0.5 * parameters.particle_spacing * Vec2::new(width, height);
    world.insert_container(Container::rectangle(half_size, half_size)?);
    Ok(world)
}

/// Adds a box 20 spacings wide and 12 high that floats, at a place in spacings.
fn add_box(world: &mut FluidWorld, at: Vec2) -> Result<(), Box<dyn Error>> {
    let spacing = world.parameters().particle_spacing;
    let shape = FluidShape::Rectangle { half_size: Vec2::new(10.0, 6.0) * spacing };
    let body = Some(Body::of_density(0.5, &shape, spacing)?);
    let options = ColliderOptions { body, ..ColliderOptions::default() };
    world.insert_collider(Collider::new(shape, at * spacing, Vec2::X)?.with_options(options)?);
    Ok(())
}

/// Rows of particles from the origin on.
fn block(count: u32, columns: u32, spacing: f32) -> Vec<GpuParticle> {
    let particle = |id: u32| {
        let cell = Vec2::new((id % columns) as f32 + 0.5, (id / columns) as f32 + 0.5);
        GpuParticle { id, position: cell * spacing, ..GpuParticle::default() }
    };
    (0..count).map(particle).collect()
}

/// Prints the means of a few ticks of the first liquid, of one substep each.
fn report(
    name: &str,
    [liquid, other]: [&mut GpuLiquid; 2],
    world: &mut FluidWorld,
) -> Result<(), Box<dyn Error>> {
    for _ in 0..BEFORE {
        liquid.step_timed(world.liquid_mut(), TICK)?;
    }
    let mut others = world.liquid().clone();
    let begin = Instant::now();
    while begin.elapsed() < WARMED {
        other.step_timed(&mut others, TICK)?;
    }
    let count = liquid.len();
    let bytes = liquid.device_bytes() as f64 / count as f64;
    println!("\n{name}, {count} particles, {bytes:.0} bytes of memory for each");
    adapter::print_times(liquid, world, TICK)
}

/// Prints the mean of many whole ticks, as far as they take longer on the device than on the host: with the choice of what
/// sleeps, recycling and the report, which have no timestamps.
fn report_ticks(
    liquid: &mut GpuLiquid,
    world: &mut FluidWorld,
    recycled: &[GpuParticle],
) -> Result<(), Box<dyn Error>> {
    liquid.wait_for_report()?;
    let begin = Instant::now();
    for _ in 0..TICKS {
        liquid.recycle_oldest(recycled.len() as u32);
        liquid.append(recycled)?;
        liquid.step(world.liquid_mut(), TICK)?;
    }
    let of_host = begin.elapsed();
    liquid.wait_for_report()?;
    let each = |time: Duration| 1e3 * time.as_secs_f64() / f64::from(TICKS);
    let [whole, host] = [begin.elapsed(), of_host].map(each);
    println!("{:>16} {whole:9.3} ms a tick, asked for within {host:.3} ms", "all");
    Ok(())
}
