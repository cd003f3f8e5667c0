//! What air and liquid do to each other.

use blob_fluid::air::{Air, AirChannel, AirId, AirSettings, AirSide, AirSides, AirSource, Wind};
use blob_fluid::shape::Polygon;
use blob_fluid::*;
use glam::{DVec2, Vec2};

use crate::ticks::{TICK, run_by, run_for, same_on_threads, step};

const SPACING: f32 = 8.0;

/// Density of the air over that of the liquid.
const RATIO: f32 = 0.02;

fn weightless() -> FluidParameters {
    FluidParameters {
        gravity: Vec2::ZERO,
        settling: Settling::OFF,
        sleeping: FluidSleeping::OFF,
        particle_spacing: SPACING,
        ..FluidParameters::default()
    }
}

fn settings(parameters: &FluidParameters) -> AirSettings {
    let density = RATIO / (parameters.particle_spacing * parameters.particle_spacing);
    AirSettings { density, ..AirSettings::new(parameters.gravity) }
}

fn room(width: f32, height: f32) -> FluidBounds {
    FluidBounds { low: Vec2::ZERO, high: Vec2::new(width, height) }
}

fn fill(world: &mut FluidWorld, shape: &FluidShape, centre: Vec2, velocity: Vec2) {
    for position in shape.fill(centre, SPACING * 1.03) {
        let spawn = ParticleSpawn { position, velocity, ..Default::default() };
        world.spawn(spawn).expect("valid");
    }
    world.end_easing();
}

fn momentum_of_liquid(world: &FluidWorld) -> DVec2 {
    let masses: Vec<f64> = world.classes().iter().map(|class| f64::from(class.mass)).collect();
    let particles = world.particles();
    let particles = particles.velocities().iter().zip(particles.classes());
    particles.map(|(velocity, class)| velocity.as_dvec2() * masses[class.index()]).sum()
}

/// The momentum of all air as if there were no liquid in it.
fn momentum_of_air(air: &Air) -> DVec2 {
    let cell = f64::from(air.cell_size() * air.cell_size() * air.settings().density);
    let cells = 0..air.columns() * air.rows();
    cells.map(|index| air.velocity_in_cell(index).as_dvec2() * cell).sum()
}

fn mean_velocity(world: &FluidWorld) -> Vec2 {
    let velocities = world.particles().velocities();
    velocities.iter().sum::<Vec2>() / velocities.len() as f32
}

#[test]
fn what_the_liquid_loses_the_air_gains() {
    let parameters = weightless();
    let mut world = FluidWorld::new(parameters).expect("valid");
    // Cells so large that hardly any of their air is displaced.
    let air =
        Air::new(room(960.0, 480.0), 80.0, settings(&parameters), AirSides::all(AirSide::Periodic));
    let air = world.insert_air(air.expect("valid"));
    // Spray: hardly any of the air is displaced.
    for number in 0..60_u32 {
        let cell = Vec2::new((number % 10) as f32, (number / 10) as f32);
        let position = Vec2::new(60.0, 60.0) + cell * 62.0;
        let velocity = Vec2::new(300.0, 20.0);
        let spawn = ParticleSpawn { position, velocity, ..Default::default() };
        world.spawn(spawn).expect("valid");
    }
    let before = momentum_of_liquid(&world);
    run_for(&mut world, 0.5);
    let given = before - momentum_of_liquid(&world);
    let received = momentum_of_air(world.air(air).expect("there"));
    assert!(given.x > 0.02 * before.x, "{given} of {before}");
    assert!(given.distance(received) < 0.01 * given.length(), "{given} {received}");
}

#[test]
fn wind_drives_spray_and_a_fan_holds_drops_up() {
    let parameters = FluidParameters { gravity: Vec2::new(0.0, -200.0), ..weightless() };
    let mut world = FluidWorld::new(parameters).expect("valid");
    let fan = AirSide::Inflow { velocity: Vec2::new(0.0, 600.0), smoke: 0.0, heat: 0.0 };
    let sides = AirSides { bottom: fan, top: AirSide::Open, ..AirSides::default() };
    // Cells so large that the drops do not hold up the wind.
    let air = Air::new(room(160.0, 1600.0), 40.0, settings(&parameters), sides);
    world.insert_air(air.expect("valid"));
    for x in [40.0, 80.0, 120.0] {
        let position = Vec2::new(x, 100.0);
        world.spawn(ParticleSpawn { position, ..Default::default() }).expect("valid");
    }
    run_for(&mut world, 1.0);
    assert!(mean_velocity(&world).y > 0.0, "the fan is stronger than gravity: {world:?}");
    run_for(&mut world, 2.5);
    let drag = 2.0 / std::f32::consts::PI * RATIO / SPACING;
    let hovering = (200.0 / drag).sqrt();
    let falls = 600.0 - mean_velocity(&world).y;
    assert!((falls / hovering - 1.0).abs() < 0.05, "{falls} relative to the wind, not {hovering}");
}

#[test]
fn a_falling_block_blows() {
    let parameters = FluidParameters { gravity: Vec2::new(0.0, -200.0), ..weightless() };
    let mut world = FluidWorld::new(parameters).expect("valid");
    let tank = Container::rectangle(Vec2::new(200.0, 200.0), Vec2::new(200.0, 200.0));
    world.insert_container(tank.expect("valid"));
    let air = Air::new(room(400.0, 400.0), 8.0, settings(&parameters), AirSides::default());
    let air = world.insert_air(air.expect("valid"));
    let block = FluidShape::Rectangle { half_size: Vec2::new(60.0, 40.0) };
    fill(&mut world, &block, Vec2::new(200.0, 250.0), Vec2::ZERO);
    run_for(&mut world, 0.8);
    let air = world.air(air).expect("there");
    let falling = -mean_velocity(&world).y;
    assert!(falling > 100.0, "{falling}");
    // What it displaces flows upwards on both sides.
    for x in [60.0, 340.0] {
        let height = world.particles().positions().iter().map(|position| position.y).sum::<f32>()
            / world.particles().len() as f32;
        let beside = air.velocity_at(Vec2::new(x, height)).expect("inside").y;
        assert!(beside > 0.2 * falling, "{beside} beside a block that falls at {falling}");
    }
}

/// A level that rises pushes the smoke above it out of the vent.
#[test]
fn a_rising_level_drives_air_out() {
    let parameters = weightless();
    let mut world = FluidWorld::new(parameters).expect("valid");
    let tank = Container::rectangle(Vec2::new(80.0, 200.0), Vec2::new(80.0, 300.0));
    world.insert_container(tank.expect("valid"));
    // Open below, so that air follows the piston.
    let sides = AirSides { top: AirSide::Open, bottom: AirSide::Open, ..AirSides::default() };
    let mut air = Air::new(room(160.0, 400.0), 8.0, settings(&parameters), sides).expect("valid");
    let cells = air.columns() * air.rows();
    air.set_channel(AirChannel::Smoke, &vec![1.0; cells]).expect("valid");
    let air = world.insert_air(air);
    // A piston drives a layer of liquid up.
    let piston = FluidShape::Rectangle { half_size: Vec2::new(79.0, 20.0) };
    let piston = Collider::new(piston, Vec2::new(80.0, 20.0), Vec2::X).expect("valid");
    let piston = world.insert_collider(piston);
    let up = Motion { velocity: Vec2::new(0.0, 60.0), ..Motion::STILL };
    world.set_collider_motion(piston, up).expect("valid");
    for number in 0..160_u32 {
        let cell = Vec2::new((number % 20) as f32, (number / 20) as f32);
        let position = (cell + 0.5) * SPACING + Vec2::new(0.0, 40.0);
        world.spawn(ParticleSpawn { position, ..Default::default() }).expect("valid");
    }
    world.end_easing();
    run_for(&mut world, 0.2);
    let smoke_above = |world: &FluidWorld| {
        let above = FluidRegion::rectangle(Vec2::new(80.0, 300.0), Vec2::new(80.0, 100.0));
        world.air(air).expect("there").amount_in(AirChannel::Smoke, &above.expect("valid"))
    };
    let wind = world.air(air).expect("there").velocity_at(Vec2::new(80.0, 350.0)).expect("inside");
    assert!((wind.y / 60.0 - 1.0).abs() < 0.1, "{wind} above a level that rises at 60");
    assert!(smoke_above(&world) > 0.0);
}

/// Liquid above a closed pocket of air does not fall into it.
#[test]
fn a_closed_pocket_of_air_bears_the_liquid_above() {
    let parameters = FluidParameters { gravity: Vec2::new(0.0, -200.0), ..weightless() };
    let fallen = |with_air: bool| {
        let mut world = FluidWorld::new(parameters).expect("valid");
        let tube = Container::rectangle(Vec2::new(40.0, 200.0), Vec2::new(40.0, 200.0));
        world.insert_container(tube.expect("valid"));
        if with_air {
            let sides = AirSides { top: AirSide::Open, ..AirSides::default() };
            let air = Air::new(room(80.0, 400.0), 8.0, settings(&parameters), sides);
            world.insert_air(air.expect("valid"));
        }
        // It fills the tube from wall to wall.
        for number in 0..150_u32 {
            let cell = Vec2::new((number % 10) as f32, (number / 10) as f32);
            let position = (cell + 0.5) * SPACING + Vec2::new(0.0, 160.0);
            world.spawn(ParticleSpawn { position, ..Default::default() }).expect("valid");
        }
        world.end_easing();
        let height = |world: &FluidWorld| {
            let heights = world.particles().positions().iter().map(|position| position.y);
            heights.sum::<f32>() / world.particles().len() as f32
        };
        let before = height(&world);
        run_for(&mut world, 0.5);
        before - height(&world)
    };
    let (with, without) = (fallen(true), fallen(false));
    assert!(without > 20.0, "{without}");
    assert!(with < 0.3 * without, "{with} with air, {without} without");
}

/// The mean velocity of a plug of liquid in a tube after some ticks of a wind of 50 behind it.
fn pushed_plug(mass: f32, ticks: u32) -> f32 {
    let mut world = FluidWorld::new(weightless()).expect("valid");
    let class = DensityClass { name: "plug".into(), mass, ..DensityClass::default() };
    world.set_classes(ClassTable::new(vec![class]).expect("valid")).expect("no particles");
    let inflow = AirSide::Inflow { velocity: Vec2::new(50.0, 0.0), smoke: 0.0, heat: 0.0 };
    let sides = AirSides { left: inflow, right: AirSide::Open, ..AirSides::default() };
    // Without drag only the pressure pushes.
    let settings = AirSettings { drag: 0.0, ..settings(world.parameters()) };
    world.insert_air(Air::new(room(400.0, 80.0), SPACING, settings, sides).expect("valid"));
    for number in 0..100_u32 {
        let cell = Vec2::new((number % 10) as f32, (number / 10) as f32);
        let position = (cell + 0.5) * SPACING + Vec2::new(160.0, 0.0);
        let class = ClassId(0);
        world.spawn(ParticleSpawn { position, class, ..Default::default() }).expect("valid");
    }
    world.end_easing();
    for _ in 0..ticks {
        step(&mut world);
    }
    mean_velocity(&world).x
}

#[test]
fn a_plug_of_any_mass_follows_the_air_that_pushes_it() {
    for mass in [0.2, 1.0, 5.0, 50.0] {
        for ticks in [3, 12] {
            let velocity = pushed_plug(mass, ticks);
            assert!((velocity / 50.0 - 1.0).abs() < 0.1, "mass {mass}, {ticks} ticks: {velocity}");
        }
    }
}

#[test]
fn wind_pushes_heavy_liquid_less_than_light_liquid() {
    let mut world = FluidWorld::new(weightless()).expect("valid");
    let class = |name: &str, mass| DensityClass { name: name.into(), mass, ..Default::default() };
    let classes = ClassTable::new(vec![class("light", 1.0), class("heavy", 5.0)]);
    world.set_classes(classes.expect("valid")).expect("no particles");
    let inflow = AirSide::Inflow { velocity: Vec2::new(200.0, 0.0), smoke: 0.0, heat: 0.0 };
    let sides = AirSides { left: inflow, right: AirSide::Open, ..AirSides::default() };
    let settings = AirSettings { drag: 0.0, ..settings(world.parameters()) };
    world.insert_air(Air::new(room(480.0, 320.0), SPACING, settings, sides).expect("valid"));
    // Two blocks, each the mirror image of the other.
    for number in 0..72_u32 {
        let cell = Vec2::new((number % 6) as f32, (number / 6 % 6) as f32);
        let class = ClassId((number / 36) as u8);
        let above_middle = 50.0 + 0.5 * SPACING + cell.y * SPACING;
        let y = if class == ClassId(0) { 160.0 + above_middle } else { 160.0 - above_middle };
        let position = Vec2::new(160.0 + cell.x * SPACING, y);
        world.spawn(ParticleSpawn { position, class, ..Default::default() }).expect("valid");
    }
    world.end_easing();
    run_for(&mut world, 0.2);
    let [light, heavy] = [ClassId(0), ClassId(1)].map(|class| {
        let particles = world.particles().velocities().iter().zip(world.particles().classes());
        particles.filter(|(_, id)| **id == class).map(|(velocity, _)| velocity.x).sum::<f32>()
            / 36.0
    });
    assert!(0.0 < heavy && heavy < light, "light {light}, heavy {heavy}");
}

fn stirred(executor: &dyn Executor) -> (u64, u64) {
    let parameters = FluidParameters { gravity: Vec2::new(0.0, -200.0), ..weightless() };
    let mut world = FluidWorld::new(parameters).expect("valid");
    world.insert_container(Container::circle(Vec2::splat(160.0), 160.0).expect("valid"));
    world.insert_collider(Collider::circle(Vec2::new(150.0, 100.0), 30.0).expect("valid"));
    let mut air = Air::new(room(320.0, 320.0), 6.0, settings(&parameters), AirSides::default())
        .expect("valid");
    let region = FluidRegion::circle(Vec2::new(100.0, 200.0), 30.0).expect("valid");
    let wind = Some(Wind { velocity: Vec2::new(200.0, 50.0), strength: Some(3.0) });
    air.set_sources(vec![AirSource { smoke: 1.0, wind, ..AirSource::new(region) }]).expect("valid");
    let air = world.insert_air(air);
    fill(&mut world, &FluidShape::Circle { radius: 60.0 }, Vec2::new(160.0, 220.0), Vec2::ZERO);
    run_by(executor, &mut world, 60);
    (world.state_hash(), world.air(air).expect("there").state_hash())
}

#[test]
fn threads_change_no_bit() {
    same_on_threads([2, 4], stirred);
}

#[test]
fn air_is_found_until_it_is_removed() {
    let mut world = FluidWorld::new(weightless()).expect("valid");
    let new = || {
        Air::new(room(64.0, 64.0), 8.0, AirSettings::default(), AirSides::default()).expect("valid")
    };
    let [first, second]: [AirId; 2] = [world.insert_air(new()), world.insert_air(new())];
    assert_eq!(world.airs().count(), 2);
    assert!(world.remove_air(first).is_some() && world.remove_air(first).is_none());
    assert!(world.air(first).is_none() && world.air_mut(second).is_some());
    step(&mut world);
    assert!(world.air_report(second).is_some() && world.air_report(first).is_none());
    assert_eq!(world.air(second).map(Air::time), Some(f64::from(TICK)));
}

#[test]
fn air_far_denser_than_liquid_drives_it_and_stays_finite() {
    // The air weighs 1e22 times as much as the liquid, and moves up to a million times as fast as liquid falls.
    let spacing = 1e6;
    let parameters = FluidParameters::new(spacing, Vec2::new(0.0, -600.0));
    let mut world = FluidWorld::new(parameters).expect("valid");
    let light = DensityClass { mass: 1e-3, relative_rest_density: 0.1, ..Default::default() };
    world.set_classes(ClassTable::new(vec![light]).expect("valid")).expect("unused");
    let settings = AirSettings { density: 1e6, drag: 1e3, ..AirSettings::new(parameters.gravity) };
    let bounds = FluidBounds { low: Vec2::ZERO, high: Vec2::splat(16.0 * spacing) };
    let mut air = Air::new(bounds, spacing, settings, AirSides::all(AirSide::Open)).expect("valid");
    let fast = |index: usize| if index.is_multiple_of(3) { -1e12 } else { 1e12 };
    let faces = 16 * 17;
    let speeds: Vec<f32> = (0..faces).map(fast).collect();
    air.set_velocities(&speeds, &speeds).expect("valid");
    world.insert_air(air);
    let block = FluidShape::Rectangle { half_size: Vec2::splat(4.0 * spacing) };
    for position in block.fill(Vec2::splat(8.0 * spacing), spacing) {
        let spawn = ParticleSpawn { position, class: ClassId(0), ..Default::default() };
        world.spawn(spawn).expect("valid");
    }
    let before = world.particles().len();
    for _ in 0..20 {
        world.step(5e-4, &SerialExecutor).expect("valid");
        assert!(world.particles().velocities().iter().all(|velocity| velocity.is_finite()));
    }
    assert_eq!((world.particles().len(), world.quarantined()), (before, 0));
}

// Bodies in the air.

/// The shape of a body, its density, and whether a host simulates it.
struct Afloat {
    shape: FluidShape,
    density: f32,
    by_host: bool,
}

/// Height of a body in spacings after each second, and its largest speed. It is released at the surface of a tank with 25 rows
/// of liquid, with or without air in the whole tank.
fn heights_afloat(Afloat { shape, density, by_host }: &Afloat, with_air: bool) -> (Vec<f32>, f32) {
    let parameters = FluidParameters { particle_spacing: SPACING, ..FluidParameters::default() };
    let mut world = FluidWorld::new(parameters).expect("valid");
    let (half, surface) = (Vec2::new(40.0, 30.0) * SPACING, 25.0 * SPACING);
    world.insert_container(Container::rectangle(half, half).expect("valid"));
    let start = Vec2::new(half.x, surface);
    for index in 0..80 * 25_u16 {
        let cell = Vec2::new(f32::from(index % 80), f32::from(index / 80)) + 0.5;
        let position = cell * SPACING;
        if shape.distance(position - start) > 0.5 * SPACING {
            world.spawn(ParticleSpawn { position, ..Default::default() }).expect("room");
        }
    }
    let body = Body::of_density(*density, shape, SPACING).expect("valid");
    let host = by_host.then(|| {
        let host = HostBody {
            acceleration: parameters.gravity,
            inverse_mass: Vec2::splat(1.0 / body.mass),
            inverse_inertia: 1.0 / body.moment_of_inertia,
            ..HostBody::at(Pose::from_translation(start))
        };
        world.insert_host_body(host).expect("valid")
    });
    let options = match host {
        Some(body) => {
            let attachment = Attachment { body, pose: Pose::IDENTITY };
            ColliderOptions { attachment: Some(attachment), ..Default::default() }
        }
        None => ColliderOptions { body: Some(body), ..Default::default() },
    };
    let collider = Collider::new(shape.clone(), start, Vec2::X).expect("valid");
    let collider = world.insert_collider(collider.with_options(options).expect("valid"));
    if with_air {
        let room = FluidBounds { low: Vec2::ZERO, high: 2.0 * half };
        let air = Air::new(room, 2.0 * SPACING, settings(&parameters), AirSides::default());
        world.insert_air(air.expect("valid"));
    }
    let (mut heights, mut fastest) = (Vec::new(), 0.0_f32);
    for tick in 1..=480 {
        step(&mut world);
        let motion = world.collider(collider).expect("there").motion();
        fastest = fastest.max(motion.velocity.length());
        if tick % 60 == 0 {
            heights.push(world.collider(collider).expect("there").centre().y / SPACING);
        }
    }
    (heights, fastest)
}

#[test]
fn bodies_float_in_air_as_without() {
    let box_of = |x, y| FluidShape::Rectangle { half_size: Vec2::new(x, y) * SPACING };
    let hull = [(-14.0, 5.0), (-9.0, -4.0), (9.0, -4.0), (14.0, 5.0)];
    let hull = Polygon::new(hull.map(|(x, y)| Vec2::new(x, y) * SPACING)).expect("corners");
    let afloat = |shape, density, by_host| Afloat { shape, density, by_host };
    let bodies = [
        afloat(box_of(12.0, 4.0), 0.05, false),
        afloat(box_of(12.0, 4.0), 0.2, false),
        afloat(box_of(12.0, 4.0), 0.2, true),
        afloat(box_of(12.0, 4.0), 0.8, false),
        afloat(FluidShape::Polygon(hull.clone()), 0.4, false),
        afloat(FluidShape::Polygon(hull), 0.4, true),
        afloat(FluidShape::Circle { radius: 4.0 * SPACING }, 0.3, false),
        afloat(box_of(12.0, 0.4), 0.5, false),
    ];
    for body in bodies {
        let (without, fastest_without) = heights_afloat(&body, false);
        let (with, fastest_with) = heights_afloat(&body, true);
        let Afloat { shape, density, by_host } = body;
        let name = format!("{shape:?} of density {density}, by a host: {by_host}");
        println!("{name}: {with:.2?} {fastest_with}, without air {without:.2?} {fastest_without}");
        let apart = (with[7] - without[7]).abs();
        assert!(apart < 0.2, "{name}: {with:?}, without air {without:?}");
        assert!(
            fastest_with < 1.3 * fastest_without,
            "{name}: {fastest_with} of {fastest_without}"
        );
    }
}

/// A ball in a wind of 100 units/s without gravity: its velocity after each second.
fn blown_ball(density: f32, asleep: bool) -> Vec<Vec2> {
    let mut world =
        FluidWorld::new(FluidParameters { sleeping: FluidSleeping::default(), ..weightless() })
            .expect("valid");
    let wind = AirSide::Inflow { velocity: Vec2::new(100.0, 0.0), smoke: 0.0, heat: 0.0 };
    let sides = AirSides { left: wind, right: AirSide::Open, ..AirSides::default() };
    let shape = FluidShape::Circle { radius: 3.0 * SPACING };
    let body = Body::of_density(density, &shape, SPACING).expect("valid");
    let options = ColliderOptions { body: Some(body), ..Default::default() };
    let ball = Collider::new(shape, Vec2::new(100.0, 160.0), Vec2::X).expect("valid");
    let ball = world.insert_collider(ball.with_options(options).expect("valid"));
    if asleep {
        run_for(&mut world, 10.0);
    }
    let air = Air::new(room(960.0, 320.0), SPACING, settings(world.parameters()), sides);
    world.insert_air(air.expect("valid"));
    let seconds = 0..4;
    let mut second = |_| {
        run_for(&mut world, 1.0);
        world.collider(ball).expect("there").motion().velocity
    };
    seconds.map(&mut second).collect()
}

#[test]
fn wind_carries_light_bodies_along_and_wakes_them() {
    for asleep in [false, true] {
        let mut slower = f32::MAX;
        // A balloon, as dense as the air, and denser.
        for density in [0.005, RATIO, 0.1, 0.5] {
            let velocities = blown_ball(density, asleep);
            println!("density {density}, asleep at first: {asleep}: {velocities:.1?}");
            let last = velocities[3];
            assert!(last.x > 0.0 && last.x < 130.0 && last.y.abs() < 10.0, "{density}: {last}");
            assert!(last.x < slower, "a denser ball is slower: {density}");
            slower = last.x;
        }
    }
}

/// How far a piston sinks in a second, in a tube that is closed below, or open at both ends, relative to a free fall.
fn sinking(sides: AirSides) -> f32 {
    let parameters = FluidParameters { particle_spacing: SPACING, ..FluidParameters::default() };
    let mut world = FluidWorld::new(parameters).expect("valid");
    // It is a cell wider than the air, whose sides close the tube.
    let half_size = Vec2::new(10.0 * SPACING, 2.0 * SPACING);
    let shape = FluidShape::Rectangle { half_size };
    let body =
        Body { lock_rotation: true, ..Body::of_density(0.5, &shape, SPACING).expect("valid") };
    let options = ColliderOptions { body: Some(body), ..Default::default() };
    let piston = Collider::new(shape, Vec2::new(9.0 * SPACING, 500.0), Vec2::X).expect("valid");
    let piston = world.insert_collider(piston.with_options(options).expect("valid"));
    let room = room(18.0 * SPACING, 640.0);
    world.insert_air(Air::new(room, SPACING, settings(&parameters), sides).expect("valid"));
    run_for(&mut world, 1.0);
    let fallen = 500.0 - world.collider(piston).expect("there").centre().y;
    fallen / (0.5 * parameters.gravity.length())
}

#[test]
fn a_piston_rests_on_air_that_cannot_leave() {
    let open = AirSides { top: AirSide::Open, bottom: AirSide::Open, ..AirSides::default() };
    let closed = AirSides { top: AirSide::Open, ..AirSides::default() };
    let (open, closed) = (sinking(open), sinking(closed));
    println!("open below: {open}, closed below: {closed} of a free fall");
    assert!(open > 0.5 && open < 1.0, "{open}");
    assert!(closed.abs() < 0.02, "{closed}");
}
