use blob_fluid::shape::scatter;
use blob_fluid::{
    ClassTable, Collider, Container, DensityClass, FluidParameters, FluidPowder, FluidSleeping,
    FluidWorld, ParticleId, ParticleSpawn, SerialExecutor, WallProperties,
};
use glam::Vec2;

use super::TICK;
use super::dam_break::slope;
use crate::page::Finding;

/// Particles that fall at a time while a heap is poured.
const STREAM: usize = 4;

/// A world of these classes, in which nothing sleeps.
pub fn world_of_classes(classes: Vec<DensityClass>, spacing: f32) -> FluidWorld {
    let parameters = FluidParameters {
        sleeping: FluidSleeping::OFF,
        ..FluidParameters::new(spacing, Vec2::new(0.0, -200.0))
    };
    let mut world = FluidWorld::new(parameters).expect("valid");
    world.set_classes(ClassTable::new(classes).expect("valid")).expect("no particles yet");
    world
}

/// A world with a class of powder of mass 1 on a floor that holds it, in which nothing sleeps.
pub fn world_of(powder: FluidPowder, spacing: f32) -> FluidWorld {
    let sand = DensityClass { powder: Some(powder), ..DensityClass::default() };
    let mut world = world_of_classes(vec![sand], spacing);
    let half_size = 130.0 * Vec2::splat(spacing);
    let rough = WallProperties { friction: Some(1.0), ..WallProperties::default() };
    let floor = Container::rectangle(Vec2::new(0.0, half_size.y), half_size);
    world.insert_container(floor.and_then(|floor| floor.with_wall(rough)).expect("valid"));
    world
}

pub fn step(world: &mut FluidWorld) {
    world.step(TICK, &SerialExecutor).expect("a valid step");
}

fn grain(position: Vec2, velocity: Vec2) -> ParticleSpawn {
    ParticleSpawn { position, velocity, class: blob_fluid::ClassId(0), ..Default::default() }
}

/// Stacks grains at rest in columns about the middle, so many rows from the floor up, each a little beside its place.
pub fn stack(world: &mut FluidWorld, (columns, rows): (u32, u32), floor: f32) {
    let spacing = world.parameters().particle_spacing;
    let left = 0.5 - 0.5 * columns as f32;
    for number in 0..columns * rows {
        let (column, row) = ((number % columns) as f32, (number / columns) as f32);
        let place = Vec2::new(column + left, row + 0.5) + 0.05 * scatter(number);
        let position = place * spacing + Vec2::new(0.0, floor);
        world.spawn(grain(position, Vec2::ZERO)).expect("valid");
    }
}

/// Pours a heap of `count` grains, a few at a time from a little above its top.
pub fn pour(world: &mut FluidWorld, count: usize, seed: u32) {
    let spacing = world.parameters().particle_spacing;
    let speed = world.parameters().speed_unit();
    for number in 0..count.div_ceil(STREAM) {
        let particles = world.particles();
        let settled = particles.positions().iter().zip(particles.velocities());
        let settled = settled
            .filter(|(at, v)| at.x.abs() < 5.0 * spacing && v.length() < 1.5 * speed)
            .fold(0.0_f32, |top, (at, _)| top.max(at.y));
        for place in 0..STREAM {
            let jitter = scatter(seed.wrapping_mul(7919) + (number * STREAM + place) as u32);
            let across = place as f32 - 0.5 * (STREAM - 1) as f32;
            let position = Vec2::new(across, 4.0 + settled / spacing) + 0.05 * jitter;
            world.spawn(grain(position * spacing, Vec2::new(0.0, -1.5 * speed))).expect("valid");
        }
        (0..6).for_each(|_| step(world));
    }
}

/// The mean angle of both flanks of a heap in degrees: lines fitted to its surface, in bins two
/// spacings wide, between 20 and 80 % of its height.
fn angle_of(world: &FluidWorld) -> f64 {
    angle_above(world, 0.0)
}

/// The same of a heap of the class 0 on a bed of this height.
pub fn angle_above(world: &FluidWorld, bed: f32) -> f64 {
    let spacing = world.parameters().particle_spacing;
    let (width, bins) = (2.0 * spacing, 130_usize);
    let mut heights = vec![0.0_f64; 2 * bins];
    let particles = world.particles();
    let grains = particles.positions().iter().zip(particles.classes());
    for (at, _) in grains.filter(|(_, class)| class.index() == 0) {
        let bin = (at.x / width + bins as f32).clamp(0.0, 2.0 * bins as f32 - 1.0) as usize;
        heights[bin] = heights[bin].max(f64::from(at.y + 0.5 * spacing - bed));
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
pub fn creep(world: &mut FluidWorld, seconds: f32) -> f64 {
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

/// The angle of a heap that has stood for 20 s.
fn angle_of_heap(friction_angle: f32, spacing: f32, count: usize, seed: u32) -> f64 {
    let powder = FluidPowder { friction_angle, ..FluidPowder::default() };
    let mut world = world_of(powder, spacing);
    pour(&mut world, count, seed);
    (0..1200).for_each(|_| step(&mut world));
    angle_of(&world)
}

/// The mean angle of heaps of two sizes and three seeds each.
fn mean_angle(friction_angle: f32) -> f64 {
    let heaps = [(900, 7.894_737), (1600, 7.894_737)].into_iter();
    let heaps = heaps.flat_map(|size| (1..=3).map(move |seed| (size, seed)));
    let angles: Vec<f64> = heaps
        .map(|((count, spacing), seed)| angle_of_heap(friction_angle, spacing, count, seed))
        .collect();
    angles.iter().sum::<f64>() / angles.len() as f64
}

/// The mean speed, in world units/s, at which the heap that a column 20 wide and high has become moves
/// between 20 and 60 s.
fn creep_of_column(friction_angle: f32) -> f64 {
    let powder = FluidPowder { friction_angle, ..FluidPowder::default() };
    let mut world = world_of(powder, 7.894_737);
    stack(&mut world, (20, 20), 0.0);
    (0..1200).for_each(|_| step(&mut world));
    creep(&mut world, 40.0)
}

/// Grains per second that leave a silo 40 wide through an opening, while its level falls from 50 to
/// 38 and from 38 to 25 spacings.
pub fn silo(opening: f32) -> [f64; 2] {
    let mut world = world_of(FluidPowder::default(), 7.894_737);
    let spacing = world.parameters().particle_spacing;
    let floor = 60.0 * spacing;
    for side in [-1.0, 1.0] {
        let (near, far) = (0.5 * opening * spacing, 20.0 * spacing);
        let half_size = Vec2::new(0.5 * (far + 4.0 * spacing - near), 2.0 * spacing);
        let centre = Vec2::new(side * (near + half_size.x), floor - half_size.y);
        world.insert_collider(Collider::rectangle(centre, half_size).expect("valid"));
        let wall = Vec2::new(side * (far + 2.0 * spacing), floor + 40.0 * spacing);
        let half_size = Vec2::new(2.0, 44.0) * spacing;
        world.insert_collider(Collider::rectangle(wall, half_size).expect("valid"));
    }
    stack(&mut world, (40, 60), floor);
    let mut times = Vec::new();
    let (mut gone, mut ticks) = (0, 0_u32);
    for share in [400, 900, 1400] {
        while gone < share && ticks < 7200 {
            step(&mut world);
            ticks += 1;
            gone += world.despawn_where(|at, _| at.y < floor - 15.0 * spacing);
        }
        times.push((f64::from(ticks) * f64::from(TICK), gone as f64));
    }
    [0, 1].map(|part| {
        let ((t0, n0), (t1, n1)) = (times[part], times[part + 1]);
        (n1 - n0) / (t1 - t0)
    })
}

#[expect(clippy::disallowed_methods, reason = "a measure, not a state")]
pub fn run() -> Finding {
    let flows = [8.0, 12.0, 16.0].map(|opening| (f64::from(opening), silo(opening)));
    let steady = flows.iter().map(|(_, [early, late])| late / early);
    let steadiest =
        steady.fold(
            1.0,
            |worst: f64, ratio| {
                if (ratio - 1.0).abs() > (worst - 1.0).abs() { ratio } else { worst }
            },
        );
    // Beverloo's law in two dimensions, with an opening that is narrower by `k` spacings: the flow to
    // the power of 2/3 is a straight line over the opening.
    let lines =
        flows.map(|(opening, [early, late])| (opening, (0.5 * (early + late)).powf(2.0 / 3.0)));
    let [first, middle, last] = lines.map(|(_, flow)| flow);
    let straightness = middle / (0.5 * (first + last));
    Finding {
        experiment: "powder",
        description: "Heaps of 900 and 1,600 grains are poured on a rough floor, three of each; their slope between 20 and 80 % of the \
                      height is the friction angle's. Columns of 20 by 20 grains collapse, and the heaps that they \
                      become stand still. A silo 40 spacings wide runs empty through openings of 8, 12 and 16 \
                      spacings: as fast from half as from full, and as Beverloo's law says.",
        measured: vec![
            ("angle of repose, setting 20°", mean_angle(20.0)),
            ("angle of repose, setting 30°", mean_angle(30.0)),
            ("angle of repose, setting 40°", mean_angle(40.0)),
            ("creep of a collapsed column, setting 20°, px/s", creep_of_column(20.0)),
            ("creep of a collapsed column, setting 30°, px/s", creep_of_column(30.0)),
            ("creep of a collapsed column, setting 40°, px/s", creep_of_column(40.0)),
            ("flow of a silo from half over that from full, the worst of three", steadiest),
            ("flow^(2/3) through 12 spacings over the mean of 8 and 16", straightness),
        ],
        plots: vec![],
    }
}
