//! Requirements for powder that do not all hold yet: measured by hand, and told in
//! `docs/materials.md`. A row moves into the suite once it holds.

use blob_fluid::measure::layer_order;
use blob_fluid::shape::scatter;
use blob_fluid::{
    ClassId, Collider, Container, DensityClass, FluidPowder, FluidWorld, Motion, ParticleSpawn,
};
use glam::Vec2;

use crate::bars::Limit::{self, AtLeast, AtMost, Within};
use crate::experiments::TICK;
use crate::experiments::dam_break::slope;
use crate::experiments::powder::{
    angle_above, creep, pour, silo, step, world_of, world_of_classes,
};
use crate::page::digits;

/// The distance between grains, in world units.
const SPACING: f32 = 7.894_737;

/// Measures all, and prints it beside what is required.
pub fn print() {
    println!("| measure | measured | required | holds |\n|---|---|---|---|");
    for angle in [20.0, 30.0, 40.0] {
        let most = if angle < 40.0 { 0.001 } else { 0.02 };
        let name = format!("creep of a poured heap, setting {angle}°, px/s");
        print_row(&name, creep_of_heap(angle), AtMost(most));
    }
    for angle in [20.0, 30.0, 40.0] {
        let name = format!("angle at which a layer slides, setting {angle}°");
        print_row(&name, sliding_angle(angle), Within(f64::from(angle), 3.0));
    }
    print_row("height of a shaken heap over its mean, spacings", shaken(), AtMost(1.0));
    print_row("exponent of a silo's flow, openings of 6 to 20", exponent(), Within(1.5, 0.15));
    for mass in [0.6, 1.6] {
        let name = format!("layer order in water, mass {mass}");
        print_row(&name, order_in_water(mass), AtLeast(0.995));
    }
    for angle in [20.0, 30.0] {
        let name = format!("angle of a heap let go under water, setting {angle}°");
        print_row(&name, angle_under_water(angle), Within(f64::from(angle), 5.0));
    }
}

fn print_row(measure: &str, value: f64, limit: Limit) {
    let holds = if limit.holds(value) { "yes" } else { "**no**" };
    println!("| {measure} | {} | {limit} | {holds} |", digits(value));
}

fn powder(friction_angle: f32) -> FluidPowder {
    FluidPowder { friction_angle, ..FluidPowder::default() }
}

fn run_for(world: &mut FluidWorld, seconds: f32) {
    (0..(seconds / TICK).round() as usize).for_each(|_| step(world));
}

/// Spawns a particle at rest at a place in spacings, a little beside it by chance.
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

/// A container this many spacings wide and high, on the height 0.
fn tank(size: Vec2) -> Container {
    let half_size = 0.5 * SPACING * size;
    Container::rectangle(Vec2::new(0.0, half_size.y), half_size).expect("valid")
}

/// The creep of a heap of 900 grains between 20 and 80 s after it was poured.
fn creep_of_heap(friction_angle: f32) -> f64 {
    let mut world = world_of(powder(friction_angle), SPACING);
    pour(&mut world, 900, 1);
    run_for(&mut world, 20.0);
    creep(&mut world, 60.0)
}

/// The angle in degrees to which a board has been tilted, by a degree a second, when the upper quarter
/// of a layer of powder on it has slid by a spacing. The layer is so thin and long that its lower end
/// may slump.
fn sliding_angle(friction_angle: f32) -> f64 {
    let powder = Some(powder(friction_angle));
    let mut world = world_of_classes(vec![DensityClass { powder, ..Default::default() }], SPACING);
    let half_size = Vec2::new(200.0, 2.0) * SPACING;
    let board = Collider::rectangle(Vec2::new(0.0, -half_size.y), half_size).expect("valid");
    let id = world.insert_collider(board);
    block(120, 5).for_each(|place| spawn(&mut world, 0, place));
    run_for(&mut world, 5.0);
    let upper_quarter = |world: &FluidWorld| {
        let board = world.collider(id).expect("there");
        let along = |at: &Vec2| (*at - board.centre()).dot(board.rotation());
        let mut ways: Vec<f32> = world.particles().positions().iter().map(along).collect();
        ways.sort_unstable_by(|a, b| b.total_cmp(a));
        let count = ways.len() / 4;
        ways[..count].iter().sum::<f32>() / count as f32
    };
    let before = upper_quarter(&world);
    let motion = Motion { angular_velocity: 1.0_f32.to_radians(), ..Motion::STILL };
    world.set_collider_motion(id, motion).expect("valid");
    let mut ticks = 0_u32;
    while before - upper_quarter(&world) < SPACING && ticks < 60 * 60 {
        step(&mut world);
        ticks += 1;
    }
    f64::from(ticks) * f64::from(TICK)
}

/// How much higher than on average a heap at 30 degrees still is somewhere, in spacings, when its tray
/// has been shaken up and down for 20 s, by half a spacing to each side and twice a second: by 3 g.
#[expect(clippy::disallowed_methods, reason = "an experiment, on one machine")]
fn shaken() -> f64 {
    let powder = Some(powder(30.0));
    let mut world = world_of_classes(vec![DensityClass { powder, ..Default::default() }], SPACING);
    let tray = world.insert_container(tank(Vec2::new(40.0, 100.0)));
    for place in block(40, 20).filter(|place| place.x.abs() + place.y < 20.0) {
        spawn(&mut world, 0, place);
    }
    run_for(&mut world, 5.0);
    let frequency = std::f32::consts::TAU * 2.0;
    for tick in 0..1200_u16 {
        let phase = frequency * (f32::from(tick) + 0.5) * TICK;
        let velocity = Vec2::new(0.0, 0.5 * SPACING * frequency * phase.cos());
        let motion = Motion { velocity, ..Motion::STILL };
        world.set_container_motion(tray, motion).expect("valid");
        step(&mut world);
    }
    world.set_container_motion(tray, Motion::STILL).expect("valid");
    run_for(&mut world, 2.0);
    let mut heights = [0.0_f32; 10];
    for at in world.particles().positions() {
        let bin = (at.x / SPACING / 4.0 + 5.0).clamp(0.0, 9.0) as usize;
        heights[bin] = heights[bin].max(at.y / SPACING);
    }
    let highest = heights.iter().fold(0.0, |most, height| height.max(most));
    f64::from(highest - heights.iter().sum::<f32>() / 10.0)
}

/// The exponent `n` of `c (W - k)^n` that fits flows through openings `W` best, with any `k`.
fn exponent() -> f64 {
    let flows = [6.0, 8.0, 11.0, 15.0, 20.0].map(|opening| {
        let [early, late] = silo(opening);
        (f64::from(opening), 0.5 * (early + late))
    });
    let fit = |lost: f64| {
        let points = flows.map(|(opening, flow)| ((opening - lost).ln(), flow.ln()));
        let exponent = slope(&points);
        let offsets = points.map(|(x, y)| y - exponent * x);
        let mean = offsets.iter().sum::<f64>() / offsets.len() as f64;
        (offsets.iter().map(|offset| (offset - mean).powi(2)).sum::<f64>(), exponent)
    };
    let fits = (-300..500).map(|hundredths| fit(0.01 * f64::from(hundredths)));
    fits.min_by(|a, b| a.0.total_cmp(&b.0)).expect("fits").1
}

/// Powder of a mass, and water.
fn in_water(friction_angle: f32, mass: f32) -> Vec<DensityClass> {
    let powder = Some(powder(friction_angle));
    let water = DensityClass { name: "water".into(), ..DensityClass::default() };
    vec![DensityClass { name: "powder".into(), mass, powder, ..DensityClass::default() }, water]
}

/// The layer order of one part of powder that was mixed with three of water, after 30 s.
fn order_in_water(mass: f32) -> f64 {
    let mut world = world_of_classes(in_water(30.0, mass), SPACING);
    world.insert_container(tank(Vec2::new(40.0, 60.0)));
    for (index, place) in block(40, 36).enumerate() {
        // By a fixed shuffle: the top bits of a multiplied index.
        let shuffled = (index as u32).wrapping_mul(2_654_435_761) >> 30;
        spawn(&mut world, u8::from(shuffled != 0), place);
    }
    run_for(&mut world, 30.0);
    layer_order(&world)
}

/// The angle of a heap of powder of mass 1.6 on a bed of it, 30 s after it was let go under water with
/// flanks ten degrees steeper than its friction angle.
#[expect(clippy::disallowed_methods, reason = "an experiment, on one machine")]
fn angle_under_water(friction_angle: f32) -> f64 {
    let mut world = world_of_classes(in_water(friction_angle, 1.6), SPACING);
    world.insert_container(tank(Vec2::new(110.0, 60.0)));
    let (steepness, bed) = ((friction_angle + 10.0).to_radians().tan(), 4.0);
    for place in block(110, 34) {
        let is_water = place.y > bed && steepness * place.x.abs() + place.y > 20.0 + bed;
        spawn(&mut world, u8::from(is_water), place);
    }
    run_for(&mut world, 30.0);
    angle_above(&world, bed * SPACING)
}
