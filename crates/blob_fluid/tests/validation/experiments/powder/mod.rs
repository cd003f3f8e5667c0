//! Powder: heaps, a silo, columns that collapse, boards, and powder in water.

pub mod boards;
pub mod collapse;
pub mod heaps;
pub mod in_water;
pub mod silo;

use blob_fluid::shape::scatter;
use blob_fluid::{
    ClassId, ClassTable, Container, DensityClass, FluidParameters, FluidPowder, FluidSleeping,
    FluidWorld, ParticleId, ParticleSpawn, SerialExecutor, WallProperties,
};
use glam::Vec2;

use super::TICK;
use super::dam_break::slope;

/// The distance between grains, in world units.
const SPACING: f32 = 7.894_737;

/// Powder of mass 1 with this friction angle, in degrees.
fn powder(friction_angle: f32) -> DensityClass {
    let powder = FluidPowder { friction_angle, ..FluidPowder::default() };
    DensityClass { name: "powder".into(), powder: Some(powder), ..DensityClass::default() }
}

/// A world of these classes, in which nothing sleeps.
fn world_of(classes: Vec<DensityClass>) -> FluidWorld {
    let parameters = FluidParameters {
        sleeping: FluidSleeping::OFF,
        ..FluidParameters::new(SPACING, Vec2::new(0.0, -200.0))
    };
    let mut world = FluidWorld::new(parameters).expect("valid");
    world.set_classes(ClassTable::new(classes).expect("valid")).expect("no particles yet");
    world
}

/// A container this many spacings wide and high on the height 0, whose walls hold grains.
fn rough_box(size: Vec2) -> Container {
    let half_size = 0.5 * SPACING * size;
    let rough = WallProperties { friction: Some(1.0), ..WallProperties::default() };
    let container = Container::rectangle(Vec2::new(0.0, half_size.y), half_size);
    container.and_then(|container| container.with_wall(rough)).expect("valid")
}

/// A world of powder with this friction angle on a wide floor.
fn on_a_floor(friction_angle: f32) -> FluidWorld {
    let mut world = world_of(vec![powder(friction_angle)]);
    world.insert_container(rough_box(Vec2::splat(260.0)));
    world
}

fn step(world: &mut FluidWorld) {
    world.step(TICK, &SerialExecutor).expect("a valid step");
}

fn run_for(world: &mut FluidWorld, seconds: f32) {
    (0..(seconds / TICK).round() as usize).for_each(|_| step(world));
}

/// Spawns a particle at rest, at a place in spacings. A little of chance is added, as rows that lie
/// exactly above each other would not fall.
fn spawn(world: &mut FluidWorld, class: u8, place: Vec2) {
    let position = SPACING * (place + 0.05 * scatter(world.particles().len() as u32));
    let particle = ParticleSpawn { position, class: ClassId(class), ..Default::default() };
    world.spawn(particle).expect("valid");
}

/// The centres of a block of cells, in spacings: from the floor up, and symmetric about 0.
fn block(columns: u32, rows: u32) -> impl Iterator<Item = Vec2> {
    let left = 0.5 - 0.5 * columns as f32;
    (0..columns * rows).map(move |index| {
        Vec2::new(left + (index % columns) as f32, 0.5 + (index / columns) as f32)
    })
}

/// The mean angle of both flanks of a heap of the class 0 in degrees: lines fitted to its surface, in bins two
/// spacings wide, between 20 and 80 % of its height.
#[expect(clippy::disallowed_methods, reason = "a measure, not a state")]
fn angle_of(world: &FluidWorld) -> f64 {
    let (width, bins) = (2.0 * SPACING, 130_usize);
    let mut heights = vec![0.0_f64; 2 * bins];
    let particles = world.particles();
    let grains = particles.positions().iter().zip(particles.classes());
    for (at, _) in grains.filter(|(_, class)| class.index() == 0) {
        let bin = (at.x / width + bins as f32).clamp(0.0, 2.0 * bins as f32 - 1.0) as usize;
        heights[bin] = heights[bin].max(f64::from(at.y + 0.5 * SPACING));
    }
    let smooth = |bin: usize| (heights[bin - 1] + heights[bin] + heights[bin + 1]) / 3.0;
    let peak = (1..2 * bins - 1).max_by(|a, b| smooth(*a).total_cmp(&smooth(*b))).expect("bins");
    let top = smooth(peak);
    let flank = |bins: &mut dyn Iterator<Item = usize>| {
        let points: Vec<_> = bins
            .take_while(|bin| heights[*bin] >= 0.2 * top)
            .filter(|bin| heights[*bin] <= 0.8 * top)
            .map(|bin| (bin as f64 * f64::from(width), heights[bin]))
            .collect();
        slope(&points).abs().atan().to_degrees()
    };
    let left = flank(&mut (0..=peak).rev());
    let right = flank(&mut (peak..2 * bins));
    0.5 * (left + right)
}

/// The mean speed, in world units/s, at which grains have moved away from where they were `seconds`
/// ago, while the world runs on.
fn creep(world: &mut FluidWorld, seconds: f32) -> f64 {
    let before: Vec<(ParticleId, Vec2)> = {
        let particles = world.particles();
        particles.ids().iter().copied().zip(particles.positions().iter().copied()).collect()
    };
    (0..(seconds / TICK) as usize).for_each(|_| step(world));
    let particles = world.particles();
    let moved = before.iter().map(|(id, before)| {
        let index = particles.index_of(*id).expect("alive");
        f64::from(particles.positions()[index].distance(*before))
    });
    moved.sum::<f64>() / (before.len() as f64 * f64::from(seconds))
}
