use blob_fluid::measure::layer_order;
use blob_fluid::shape::scatter;
use blob_fluid::{
    ClassId, ClassTable, Collider, Container, DensityClass, FluidParameters, FluidPowder,
    FluidShape, FluidSleeping, FluidWorld, Motion, ParticleId, ParticleSpawn, SerialExecutor,
    WallProperties,
};
use glam::Vec2;

use crate::experiments::TICK;
use crate::experiments::compared::slope;
use crate::page::Finding;

/// Particles that fall at a time while a heap is poured.
const STREAM: usize = 4;

/// The distance between grains, in world units.
pub const SPACING: f32 = 7.894_737;

pub fn run_for(world: &mut FluidWorld, seconds: f32) {
    (0..(seconds / TICK).round() as usize).for_each(|_| step(world));
}

/// Spawns a particle at rest at a place in spacings, a little beside it by chance.
pub fn spawn(world: &mut FluidWorld, class: u8, place: Vec2) {
    let position = SPACING * (place + 0.05 * scatter(world.particles().len() as u32));
    let particle = ParticleSpawn { position, class: ClassId(class), ..Default::default() };
    world.spawn(particle).expect("valid");
}

/// The centres of a block of cells, in spacings: from the floor up, and symmetric about 0.
pub fn block(columns: u32, rows: u32) -> impl Iterator<Item = Vec2> {
    let left = 0.5 - 0.5 * columns as f32;
    (0..columns * rows).map(move |index| {
        Vec2::new(left + (index % columns) as f32, 0.5 + (index / columns) as f32)
    })
}

/// A container this many spacings wide and high, on the height 0.
pub fn tank(size: Vec2) -> Container {
    let half_size = 0.5 * SPACING * size;
    Container::rectangle(Vec2::new(0.0, half_size.y), half_size).expect("valid")
}

/// A wall that holds the grains at it.
pub fn rough() -> WallProperties {
    WallProperties { friction: Some(1.0), ..WallProperties::default() }
}

/// Powder of mass 1.
pub fn sand(friction_angle: f32) -> DensityClass {
    let powder = Some(FluidPowder { friction_angle, ..FluidPowder::default() });
    DensityClass { powder, ..DensityClass::default() }
}

/// A world of these classes, in which nothing sleeps.
pub fn world_of_classes(classes: Vec<DensityClass>) -> FluidWorld {
    let parameters = FluidParameters {
        sleeping: FluidSleeping::OFF,
        ..FluidParameters::new(SPACING, Vec2::new(0.0, -200.0))
    };
    let mut world = FluidWorld::new(parameters).expect("valid");
    world.set_classes(ClassTable::new(classes).expect("valid")).expect("no particles yet");
    world
}

/// A world with a class of powder on a floor that holds it, in which nothing sleeps.
fn on_rough_floor(friction_angle: f32) -> FluidWorld {
    let mut world = world_of_classes(vec![sand(friction_angle)]);
    let floor = tank(Vec2::splat(260.0)).with_wall(rough());
    world.insert_container(floor.expect("valid"));
    world
}

pub fn step(world: &mut FluidWorld) {
    world.step(TICK, &SerialExecutor).expect("a valid step");
}

fn grain(position: Vec2, velocity: Vec2) -> ParticleSpawn {
    ParticleSpawn { position, velocity, class: ClassId(0), ..Default::default() }
}

/// Stacks grains at rest in columns about the middle, so many rows from the floor up, each a little beside its place.
pub fn stack(world: &mut FluidWorld, (columns, rows): (u32, u32), floor: f32) {
    for (number, cell) in block(columns, rows).enumerate() {
        let place = cell + 0.05 * scatter(number as u32);
        let position = place * SPACING + Vec2::new(0.0, floor);
        world.spawn(grain(position, Vec2::ZERO)).expect("valid");
    }
}

/// Pours a heap of `count` grains, a few at a time from a little above its top.
fn pour(world: &mut FluidWorld, count: usize, seed: u32) {
    let speed = world.parameters().speed_unit();
    for number in 0..count.div_ceil(STREAM) {
        let particles = world.particles();
        let settled = particles.positions().iter().zip(particles.velocities());
        let settled = settled
            .filter(|(at, v)| at.x.abs() < 5.0 * SPACING && v.length() < 1.5 * speed)
            .fold(0.0_f32, |top, (at, _)| top.max(at.y));
        for place in 0..STREAM {
            let jitter = scatter(seed.wrapping_mul(7919) + (number * STREAM + place) as u32);
            let across = place as f32 - 0.5 * (STREAM - 1) as f32;
            let position = Vec2::new(across, 4.0 + settled / SPACING) + 0.05 * jitter;
            world.spawn(grain(position * SPACING, Vec2::new(0.0, -1.5 * speed))).expect("valid");
        }
        (0..6).for_each(|_| step(world));
    }
}

/// The mean angle in degrees of both flanks of a heap of the class 0 on a bed of this height: lines
/// fitted to its surface, in bins two spacings wide, between 20 and 80 % of its height above the bed.
pub fn angle_above(world: &FluidWorld, bed: f32) -> f64 {
    let (width, bins) = (2.0 * SPACING, 130_usize);
    let mut heights = vec![0.0_f64; 2 * bins];
    let particles = world.particles();
    let grains = particles.positions().iter().zip(particles.classes());
    for (at, _) in grains.filter(|(_, class)| class.index() == 0) {
        let bin = (at.x / width + bins as f32).clamp(0.0, 2.0 * bins as f32 - 1.0) as usize;
        heights[bin] = heights[bin].max(f64::from(at.y + 0.5 * SPACING - bed));
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
    run_for(world, seconds);
    let particles = world.particles();
    let moved = before.iter().map(|(id, before)| {
        let index = particles.index_of(*id).expect("alive");
        f64::from(particles.positions()[index].distance(*before))
    });
    moved.sum::<f64>() / (before.len() as f64 * f64::from(seconds))
}

/// Heaps of one friction angle.
struct Heaps {
    /// The mean angle of twelve: of three sizes and four seeds each, after 20 s.
    angle: f64,
    /// The mean creep, in world units/s, of the four of 900 grains, in the minute after the first.
    creep: f64,
}

fn heaps(friction_angle: f32) -> Heaps {
    let mut heaps = Heaps { angle: 0.0, creep: 0.0 };
    for count in [400, 900, 1600] {
        for seed in 1..=4 {
            let mut world = on_rough_floor(friction_angle);
            pour(&mut world, count, seed);
            run_for(&mut world, 20.0);
            heaps.angle += angle_above(&world, 0.0) / 12.0;
            if count == 900 {
                run_for(&mut world, 40.0);
                heaps.creep += creep(&mut world, 60.0) / 4.0;
            }
        }
    }
    heaps
}

/// The mean speed, in world units/s, at which the heap that a column 20 wide and high has become moves
/// between 20 and 60 s.
fn creep_of_column(friction_angle: f32) -> f64 {
    let mut world = on_rough_floor(friction_angle);
    stack(&mut world, (20, 20), 0.0);
    run_for(&mut world, 20.0);
    creep(&mut world, 40.0)
}

/// Grains per second that leave a silo 40 wide and filled with so many rows through an opening, while its
/// level falls by a quarter, and by the next one, from ten rows below where it began.
fn silo(opening: f32, rows: u32) -> [f64; 2] {
    let mut world = on_rough_floor(FluidPowder::default().friction_angle);
    let (floor, half_height) = (60.0 * SPACING, 0.5 * (rows + 20) as f32);
    for side in [-1.0, 1.0] {
        let (near, far) = (0.5 * opening * SPACING, 20.0 * SPACING);
        let half_size = Vec2::new(0.5 * (far + 4.0 * SPACING - near), 2.0 * SPACING);
        let centre = Vec2::new(side * (near + half_size.x), floor - half_size.y);
        world.insert_collider(Collider::rectangle(centre, half_size).expect("valid"));
        let wall = Vec2::new(side * (far + 2.0 * SPACING), floor + half_height * SPACING);
        let half_size = Vec2::new(2.0, half_height + 4.0) * SPACING;
        world.insert_collider(Collider::rectangle(wall, half_size).expect("valid"));
    }
    stack(&mut world, (40, rows), floor);
    let mut times = Vec::new();
    let (mut gone, mut ticks) = (0, 0_u32);
    for share in [0, 1, 2].map(|quarter| 400 + quarter * 10 * (rows as usize - 10)) {
        while gone < share && ticks < 7200 {
            step(&mut world);
            ticks += 1;
            gone += world.despawn_where(|at, _| at.y < floor - 15.0 * SPACING);
        }
        times.push((f64::from(ticks) * f64::from(TICK), gone as f64));
    }
    [0, 1].map(|part| {
        let ((t0, n0), (t1, n1)) = (times[part], times[part + 1]);
        (n1 - n0) / (t1 - t0)
    })
}

/// By how many spacings an opening is narrower to grains: Beverloo's `k`, which others found from 1 to 3.
const NARROWER: f64 = 2.0;

/// An opening, in spacings, and the flows through it, early and late.
type Flow = (f64, [f64; 2]);

/// The flows through these openings of silos with so many rows.
fn flows<const N: usize>(openings: [f32; N], rows: u32) -> [Flow; N] {
    openings.map(|opening| (f64::from(opening), silo(opening, rows)))
}

/// Flow late over flow early, where the two differ most.
fn steadiness(flows: &[Flow]) -> f64 {
    let ratios = flows.iter().map(|(_, [early, late])| late / early);
    ratios.max_by(|a, b| (a - 1.0).abs().total_cmp(&(b - 1.0).abs())).expect("flows")
}

/// The exponent `n` of Beverloo's law in two dimensions, `c (W - k)^n`, and the largest part by which a
/// flow differs from the law with 3/2.
#[expect(clippy::disallowed_methods, reason = "a measure, not a state")]
fn beverloo(flows: &[Flow; 5]) -> (f64, f64) {
    let flows = flows.map(|(opening, [early, late])| (opening - NARROWER, 0.5 * (early + late)));
    let exponent = slope(&flows.map(|(opening, flow)| (opening.ln(), flow.ln())));
    let ratios = flows.map(|(opening, flow)| flow / opening.powf(1.5));
    let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
    let deviations = ratios.iter().map(|ratio| (ratio / mean - 1.0).abs());
    (exponent, deviations.fold(0.0, f64::max))
}

/// The flow to the power of 2/3 through the middle one of three openings, over the mean of the others: by
/// Beverloo's law it is a straight line over the opening, whatever `k`.
#[expect(clippy::disallowed_methods, reason = "a measure, not a state")]
fn straightness(flows: &[Flow; 3]) -> f64 {
    let [first, middle, last] =
        flows.map(|(_, [early, late])| (0.5 * (early + late)).powf(2.0 / 3.0));
    middle / (0.5 * (first + last))
}

pub fn run() -> Finding {
    let low = flows([6.0, 8.0, 11.0, 15.0, 20.0], 60);
    // The law is for levels above 1.2 widths. Lower down an opening of 16 lets 8 to 14 % more through.
    let high = flows([8.0, 12.0, 16.0], 110);
    let (exponent, deviation) = beverloo(&low);
    let [shallow, middle, steep] = [20.0, 30.0, 40.0].map(heaps);
    Finding {
        experiment: "powder",
        description: "Heaps of 400, 900 and 1,600 grains are poured on a rough floor, four of each. Their slope \
                      between 20 and 80 % of the height must be the friction angle. Heaps of 900 grains must stand \
                      still from a minute after they are poured. Columns of 20 by 20 grains collapse, and the \
                      heaps that they become stand still. A silo 40 spacings wide runs empty. With 60 rows, its \
                      openings are 6, 8, 11, 15 and 20 spacings wide; with 110 rows, they are 8, 12 and 16 \
                      spacings wide. A silo that is half full must run as fast as a full one, and both as fast as \
                      Beverloo's law says.",
        measured: vec![
            ("angle of repose, setting 20°", shallow.angle),
            ("angle of repose, setting 30°", middle.angle),
            ("angle of repose, setting 40°", steep.angle),
            ("creep of a poured heap, setting 20°, px/s", shallow.creep),
            ("creep of a poured heap, setting 30°, px/s", middle.creep),
            ("creep of a poured heap, setting 40°, px/s", steep.creep),
            ("creep of a collapsed column, setting 20°, px/s", creep_of_column(20.0)),
            ("creep of a collapsed column, setting 30°, px/s", creep_of_column(30.0)),
            ("creep of a collapsed column, setting 40°, px/s", creep_of_column(40.0)),
            (
                "flow of a high silo from half over that from full, the worst of three",
                steadiness(&high),
            ),
            ("flow of a silo from half over that from full, the worst of five", steadiness(&low)),
            ("flow^(2/3) through 12 spacings over the mean of 8 and 16", straightness(&high)),
            ("exponent of a silo's flow over its opening less 2 spacings", exponent),
            ("deviation of a silo's flow from Beverloo's law, the worst of five", deviation),
        ],
        plots: vec![],
    }
}

/// Half the width of a column, in spacings, by its height over half its width. With few the front, which is as high as
/// a grain, is too high; tall columns have many grains anyway.
fn half_width(aspect: f64) -> u32 {
    if aspect < 2.3 { 30 } else { 20 }
}

/// Run-out beyond a column's edge over half its width, by its height over half its width, for one that
/// collapses to both sides. The law leaves 1.8 to 2.8 open.
#[expect(clippy::disallowed_methods, reason = "a reference, not a state")]
fn run_out_of_lube(aspect: f64) -> f64 {
    if aspect < 2.3 { 1.2 * aspect } else { 1.9 * aspect.powf(2.0 / 3.0) }
}

/// The same of powder at 31 degrees, the angle of their sand, on a floor that rubs as the grains do: to
/// where the heap ends, and not to grains that lie alone.
fn run_out(aspect: f64) -> f64 {
    let mut world = world_of_classes(vec![sand(31.0)]);
    world.insert_container(tank(Vec2::splat(500.0)));
    let half_width = half_width(aspect);
    let (columns, rows) = (2 * half_width, (aspect * f64::from(half_width)).round() as u32);
    stack(&mut world, (columns, rows), 0.0);
    run_for(&mut world, 15.0);
    let positions = world.particles().positions();
    let end = |side: f32| {
        let mut ways: Vec<f32> = positions.iter().map(|at| side * at.x / SPACING).collect();
        ways.retain(|way| *way >= 0.0);
        ways.sort_unstable_by(f32::total_cmp);
        let ends = ways.windows(2).find(|pair| pair[1] - pair[0] > 1.5).map(|pair| pair[0]);
        f64::from(ends.or_else(|| ways.last().copied()).expect("grains") + 0.5)
    };
    0.5 * (end(1.0) + end(-1.0)) / f64::from(half_width) - 1.0
}

pub fn collapse() -> Finding {
    let over = |aspect: f64| run_out(aspect) / run_out_of_lube(aspect);
    Finding {
        experiment: "powder that collapses",
        description: "Columns of sand 60 grains wide (40 if their height is 4 half widths or more) collapse on a floor with \
                      the friction of the grains. The run-out of a column, divided by half its width, is compared with \
                      Lube, Huppert, Sparks and Freundt 2005.",
        measured: vec![
            ("run-out over Lube's, height 0.5 half widths", over(0.5)),
            ("run-out over Lube's, height 1 half widths", over(1.0)),
            ("run-out over Lube's, height 2 half widths", over(2.0)),
            ("run-out over Lube's, height 4 half widths", over(4.0)),
            ("run-out over Lube's, height 7 half widths", over(7.0)),
            ("run-out over Lube's, height 10 half widths", over(10.0)),
        ],
        plots: vec![],
    }
}

/// Powder of a mass, and water.
fn in_water(friction_angle: f32, mass: f32) -> Vec<DensityClass> {
    let water = DensityClass { name: "water".into(), ..DensityClass::default() };
    vec![DensityClass { name: "powder".into(), mass, ..sand(friction_angle) }, water]
}

/// The layer order of one part of watertight powder that was mixed with three of water, after 30 s.
fn order_in_water(mass: f32) -> f64 {
    let mut classes = in_water(30.0, mass);
    classes[0].powder = classes[0].powder.map(|powder| FluidPowder { permeability: 0.0, ..powder });
    let mut world = world_of_classes(classes);
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
    let mut world = world_of_classes(in_water(friction_angle, 1.6));
    world.insert_container(tank(Vec2::new(110.0, 60.0)));
    let (steepness, bed) = ((friction_angle + 10.0).to_radians().tan(), 4.0);
    for place in block(110, 34) {
        let is_water = place.y > bed && steepness * place.x.abs() + place.y > 20.0 + bed;
        spawn(&mut world, u8::from(is_water), place);
    }
    run_for(&mut world, 30.0);
    angle_above(&world, bed * SPACING)
}

pub fn sunk_in_water() -> Finding {
    Finding {
        experiment: "powder in water",
        description: "One part of watertight powder is mixed with three parts of water. After 30 s, the powder has \
                      floated up or sunk. Heaps of sand on a bed are released under water, with flanks ten degrees \
                      steeper than their friction angle. Their angle is measured after 30 s.",
        measured: vec![
            ("layer order of powder of mass 0.6", order_in_water(0.6)),
            ("layer order of powder of mass 1.6", order_in_water(1.6)),
            ("angle of a heap under water, setting 20°", angle_under_water(20.0)),
            ("angle of a heap under water, setting 30°", angle_under_water(30.0)),
        ],
        plots: vec![],
    }
}

/// The angle in degrees to which a board has been tilted, by a degree a second, when the upper quarter
/// of a layer of powder on it has slid by a spacing. The board holds the lowest grains, and the layer is so
/// long that its lower end may slump.
fn sliding_angle(friction_angle: f32) -> f64 {
    let mut world = world_of_classes(vec![sand(friction_angle)]);
    let half_size = Vec2::new(200.0, 2.0) * SPACING;
    let board = Collider::rectangle(Vec2::new(0.0, -half_size.y), half_size);
    let board = board.and_then(|board| board.with_wall(rough())).expect("valid");
    let id = world.insert_collider(board);
    block(120, 15).for_each(|place| spawn(&mut world, 0, place));
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

/// The mean speed, in world units/s, at which the upper half of a layer of powder goes down along a floor that
/// rubs as the grains do, in the half minute after it was tilted to five sixths of its friction angle. The
/// lower end slumps, and the upper half only goes where all of it slides.
#[expect(clippy::disallowed_methods, reason = "an experiment, on one machine")]
fn creep_below_angle(friction_angle: f32) -> f64 {
    let mut world = world_of_classes(vec![sand(friction_angle)]);
    let half_plane = FluidShape::HalfPlane { normal: Vec2::Y };
    world.insert_collider(Collider::new(half_plane, Vec2::ZERO, Vec2::X).expect("valid"));
    block(240, 10).for_each(|place| spawn(&mut world, 0, place));
    run_for(&mut world, 5.0);
    for part in 1..=200_u8 {
        let angle = (friction_angle * 5.0 / 6.0 * f32::from(part) / 200.0).to_radians();
        let gravity = Vec2::new(angle.sin(), -angle.cos()) * 200.0;
        let parameters = FluidParameters { gravity, ..*world.parameters() };
        world.set_parameters(parameters).expect("valid");
        run_for(&mut world, 0.1);
    }
    let particles = world.particles();
    let places = particles.ids().iter().zip(particles.positions());
    let upper = places.filter(|(_, at)| (-90.0..0.0).contains(&(at.x / SPACING)));
    let before: Vec<(ParticleId, f32)> = upper.map(|(id, at)| (*id, at.x)).collect();
    run_for(&mut world, 30.0);
    let particles = world.particles();
    let way = |(id, before): &(ParticleId, f32)| {
        let index = particles.index_of(*id).expect("alive");
        f64::from(particles.positions()[index].x - before)
    };
    before.iter().map(way).sum::<f64>() / (before.len() as f64 * 30.0)
}

/// How much higher than on average a heap at 30 degrees still is somewhere, in spacings, when its tray
/// has been shaken up and down for 20 s, by half a spacing to each side and twice a second: by 3 g.
#[expect(clippy::disallowed_methods, reason = "an experiment, on one machine")]
fn shaken() -> f64 {
    let mut world = world_of_classes(vec![sand(30.0)]);
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

pub fn on_board() -> Finding {
    Finding {
        experiment: "powder on a board",
        description: "A layer of powder 15 grains high on a board, which is tilted by a degree a second, slides at \
                      its friction angle. A layer 10 grains high, on a floor as rough as the grains, stands still \
                      at five sixths of the friction angle. A heap in a shaken tray becomes level.",
        measured: vec![
            ("angle at which a layer slides, setting 20°", sliding_angle(20.0)),
            ("angle at which a layer slides, setting 30°", sliding_angle(30.0)),
            ("angle at which a layer slides, setting 40°", sliding_angle(40.0)),
            (
                "creep of a layer at five sixths of its angle, setting 20°, px/s",
                creep_below_angle(20.0),
            ),
            (
                "creep of a layer at five sixths of its angle, setting 30°, px/s",
                creep_below_angle(30.0),
            ),
            (
                "creep of a layer at five sixths of its angle, setting 40°, px/s",
                creep_below_angle(40.0),
            ),
            ("height of a shaken heap over its mean, spacings", shaken()),
        ],
        plots: vec![],
    }
}
