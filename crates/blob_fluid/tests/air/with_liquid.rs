//! What air and liquid do to each other.

use blob_fluid::air::{Air, AirChannel, AirId, AirSettings, AirSide, AirSides, AirSource, Wind};
use blob_fluid::shape::Polygon;
use blob_fluid::*;
use glam::{DVec2, Vec2};

use crate::pools::{
    add_collider, add_container, add_tank, add_tank_from_origin, cells, configured, insert_carried,
    moving, pour, pour_class, spawn_all, world_with,
};
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

fn heavy() -> FluidParameters {
    FluidParameters { gravity: Vec2::new(0.0, -200.0), ..weightless() }
}

fn settings(parameters: &FluidParameters) -> AirSettings {
    let density = RATIO / (parameters.particle_spacing * parameters.particle_spacing);
    AirSettings { density, ..AirSettings::new(parameters.gravity) }
}

fn room(width: f32, height: f32) -> FluidBounds {
    FluidBounds { low: Vec2::ZERO, high: Vec2::new(width, height) }
}

fn fill(world: &mut FluidWorld, shape: &FluidShape, centre: Vec2, velocity: Vec2) {
    let places = shape.fill(centre, SPACING * 1.03);
    spawn_all(world, places.map(|place| moving(place, velocity)));
    world.end_easing();
}

/// Adds columns and rows of a class, from a lower left corner on.
fn add_block(world: &mut FluidWorld, class: ClassId, low: Vec2, columns: usize, rows: usize) {
    pour_class(world, class, cells(columns, rows).map(|cell| cell * SPACING + low));
    world.end_easing();
}

/// Adds air from the origin on, with the settings for the world.
fn insert_air(world: &mut FluidWorld, size: (f32, f32), cell: f32, sides: AirSides) -> AirId {
    let air = Air::new(room(size.0, size.1), cell, settings(world.parameters()), sides);
    world.insert_air(air.expect("valid"))
}

fn mean_height(world: &FluidWorld) -> f32 {
    let heights = world.particles().positions().iter().map(|position| position.y);
    heights.sum::<f32>() / world.particles().len() as f32
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
    let mut world = world_with(weightless());
    // Cells so large that hardly any of their air is displaced.
    let air = insert_air(&mut world, (960.0, 480.0), 80.0, AirSides::all(AirSide::Periodic));
    // Spray: hardly any of the air is displaced.
    let places = cells(10, 6).map(|cell| Vec2::new(60.0, 60.0) + (cell - 0.5) * 62.0);
    spawn_all(&mut world, places.map(|place| moving(place, Vec2::new(300.0, 20.0))));
    let before = momentum_of_liquid(&world);
    run_for(&mut world, 0.5);
    let given = before - momentum_of_liquid(&world);
    let received = momentum_of_air(world.air(air).expect("there"));
    assert!(given.x > 0.02 * before.x, "{given} of {before}");
    assert!(given.distance(received) < 0.01 * given.length(), "{given} {received}");
}

#[test]
fn wind_drives_spray_and_a_fan_holds_drops_up() {
    let mut world = world_with(heavy());
    let fan = AirSide::Inflow { velocity: Vec2::new(0.0, 600.0), smoke: 0.0, heat: 0.0 };
    let sides = AirSides { bottom: fan, top: AirSide::Open, ..AirSides::default() };
    // Cells so large that the drops do not hold up the wind.
    insert_air(&mut world, (160.0, 1600.0), 40.0, sides);
    pour(&mut world, [40.0, 80.0, 120.0].map(|x| Vec2::new(x, 100.0)));
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
    let mut world = world_with(heavy());
    add_tank_from_origin(&mut world, Vec2::splat(200.0));
    let air = insert_air(&mut world, (400.0, 400.0), 8.0, AirSides::default());
    let block = FluidShape::Rectangle { half_size: Vec2::new(60.0, 40.0) };
    fill(&mut world, &block, Vec2::new(200.0, 250.0), Vec2::ZERO);
    run_for(&mut world, 0.8);
    let air = world.air(air).expect("there");
    let falling = -mean_velocity(&world).y;
    assert!(falling > 100.0, "{falling}");
    // What it displaces flows upwards on both sides.
    for x in [60.0, 340.0] {
        let beside = air.velocity_at(Vec2::new(x, mean_height(&world))).expect("inside").y;
        assert!(beside > 0.2 * falling, "{beside} beside a block that falls at {falling}");
    }
}

/// A level that rises pushes the smoke above it out of the vent.
#[test]
fn a_rising_level_drives_air_out() {
    let mut world = world_with(weightless());
    add_tank(&mut world, Vec2::new(80.0, 200.0), Vec2::new(80.0, 300.0));
    // Open below, so that air follows the piston.
    let sides = AirSides { top: AirSide::Open, bottom: AirSide::Open, ..AirSides::default() };
    let id = insert_air(&mut world, (160.0, 400.0), 8.0, sides);
    let air = world.air_mut(id).expect("there");
    let smoke = vec![1.0; air.columns() * air.rows()];
    air.set_channel(AirChannel::Smoke, &smoke).expect("valid");
    // A piston drives a layer of liquid up.
    let piston = FluidShape::Rectangle { half_size: Vec2::new(79.0, 20.0) };
    let piston = Collider::new(piston, Vec2::new(80.0, 20.0), Vec2::X);
    let piston = add_collider(&mut world, piston);
    let up = Motion { velocity: Vec2::new(0.0, 60.0), ..Motion::STILL };
    world.set_collider_motion(piston, up).expect("valid");
    add_block(&mut world, ClassId::default(), Vec2::new(0.0, 40.0), 20, 8);
    run_for(&mut world, 0.2);
    let smoke_above = |world: &FluidWorld| {
        let above = FluidRegion::rectangle(Vec2::new(80.0, 300.0), Vec2::new(80.0, 100.0));
        world.air(id).expect("there").amount_in(AirChannel::Smoke, &above.expect("valid"))
    };
    let wind = world.air(id).expect("there").velocity_at(Vec2::new(80.0, 350.0)).expect("inside");
    assert!((wind.y / 60.0 - 1.0).abs() < 0.1, "{wind} above a level that rises at 60");
    assert!(smoke_above(&world) > 0.0);
}

/// Liquid above a closed pocket of air does not fall into it.
#[test]
fn a_closed_pocket_of_air_bears_the_liquid_above() {
    let fallen = |with_air: bool| {
        let mut world = world_with(heavy());
        add_tank_from_origin(&mut world, Vec2::new(40.0, 200.0));
        if with_air {
            let sides = AirSides { top: AirSide::Open, ..AirSides::default() };
            insert_air(&mut world, (80.0, 400.0), 8.0, sides);
        }
        // It fills the tube from wall to wall.
        add_block(&mut world, ClassId::default(), Vec2::new(0.0, 160.0), 10, 15);
        let before = mean_height(&world);
        run_for(&mut world, 0.5);
        before - mean_height(&world)
    };
    let (with, without) = (fallen(true), fallen(false));
    assert!(without > 20.0, "{without}");
    assert!(with < 0.3 * without, "{with} with air, {without} without");
}

/// The mean velocity of a plug of liquid in a tube after some ticks of a wind of 50 behind it.
fn pushed_plug(mass: f32, ticks: u32) -> f32 {
    let mut world = world_with(weightless());
    let class = DensityClass { name: "plug".into(), mass, ..DensityClass::default() };
    world.set_classes(ClassTable::new(vec![class]).expect("valid")).expect("no particles");
    let inflow = AirSide::Inflow { velocity: Vec2::new(50.0, 0.0), smoke: 0.0, heat: 0.0 };
    let sides = AirSides { left: inflow, right: AirSide::Open, ..AirSides::default() };
    // Without drag only the pressure pushes.
    let settings = AirSettings { drag: 0.0, ..settings(world.parameters()) };
    world.insert_air(Air::new(room(400.0, 80.0), SPACING, settings, sides).expect("valid"));
    add_block(&mut world, ClassId(0), Vec2::new(160.0, 0.0), 10, 10);
    run_by(&SerialExecutor, &mut world, ticks);
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
    let mut world = world_with(weightless());
    let class = |name: &str, mass| DensityClass { name: name.into(), mass, ..Default::default() };
    let classes = ClassTable::new(vec![class("light", 1.0), class("heavy", 5.0)]);
    world.set_classes(classes.expect("valid")).expect("no particles");
    let inflow = AirSide::Inflow { velocity: Vec2::new(200.0, 0.0), smoke: 0.0, heat: 0.0 };
    let sides = AirSides { left: inflow, right: AirSide::Open, ..AirSides::default() };
    let settings = AirSettings { drag: 0.0, ..settings(world.parameters()) };
    world.insert_air(Air::new(room(480.0, 320.0), SPACING, settings, sides).expect("valid"));
    // Two blocks, each the mirror image of the other.
    for (class, side) in [(ClassId(0), 1.0), (ClassId(1), -1.0)] {
        let place = |cell: Vec2| Vec2::new(cell.x - 0.5, side * cell.y) * SPACING;
        let middle = Vec2::new(160.0, 160.0 + 50.0 * side);
        pour_class(&mut world, class, cells(6, 6).map(|cell| middle + place(cell)));
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
    let mut world = world_with(heavy());
    add_container(&mut world, Container::circle(Vec2::splat(160.0), 160.0));
    add_collider(&mut world, Collider::circle(Vec2::new(150.0, 100.0), 30.0));
    let id = insert_air(&mut world, (320.0, 320.0), 6.0, AirSides::default());
    let air = world.air_mut(id).expect("there");
    let region = FluidRegion::circle(Vec2::new(100.0, 200.0), 30.0).expect("valid");
    let wind = Some(Wind { velocity: Vec2::new(200.0, 50.0), strength: Some(3.0) });
    air.set_sources(vec![AirSource { smoke: 1.0, wind, ..AirSource::new(region) }]).expect("valid");
    fill(&mut world, &FluidShape::Circle { radius: 60.0 }, Vec2::new(160.0, 220.0), Vec2::ZERO);
    run_by(executor, &mut world, 60);
    (world.state_hash(), world.air(id).expect("there").state_hash())
}

#[test]
fn threads_change_no_bit() {
    same_on_threads([2, 4], stirred);
}

#[test]
fn air_is_found_until_it_is_removed() {
    let mut world = world_with(weightless());
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
    pour_class(&mut world, ClassId(0), block.fill(Vec2::splat(8.0 * spacing), spacing));
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
    let particle_spacing = SPACING;
    let mut world = world_with(FluidParameters { particle_spacing, ..FluidParameters::default() });
    let (half, surface) = (Vec2::new(40.0, 30.0) * SPACING, 25.0 * SPACING);
    add_tank_from_origin(&mut world, half);
    let start = Vec2::new(half.x, surface);
    let places = cells(80, 25).map(|cell| cell * SPACING);
    pour(&mut world, places.filter(|at| shape.distance(*at - start) > 0.5 * SPACING));
    let body = Body::of_density(*density, shape, SPACING).expect("valid");
    let collider = Collider::new(shape.clone(), start, Vec2::X).expect("valid");
    let collider = if *by_host {
        insert_carried(&mut world, collider, body).1
    } else {
        let options = ColliderOptions { body: Some(body), ..Default::default() };
        world.insert_collider(configured(collider, options))
    };
    if with_air {
        let size = (2.0 * half.x, 2.0 * half.y);
        insert_air(&mut world, size, 2.0 * SPACING, AirSides::default());
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
        let most = 1.3 * fastest_without;
        assert!(fastest_with < most, "{name}: {fastest_with}, not {most}");
    }
}

/// A ball in a wind of 100 units/s without gravity: its velocity after each second.
fn blown_ball(density: f32, asleep: bool) -> Vec<Vec2> {
    let sleeping = FluidSleeping::default();
    let mut world = world_with(FluidParameters { sleeping, ..weightless() });
    let wind = AirSide::Inflow { velocity: Vec2::new(100.0, 0.0), smoke: 0.0, heat: 0.0 };
    let sides = AirSides { left: wind, right: AirSide::Open, ..AirSides::default() };
    let shape = FluidShape::Circle { radius: 3.0 * SPACING };
    let body = Body::of_density(density, &shape, SPACING).expect("valid");
    let options = ColliderOptions { body: Some(body), ..Default::default() };
    let ball = Collider::new(shape, Vec2::new(100.0, 160.0), Vec2::X);
    let ball = add_collider(&mut world, ball.and_then(|ball| ball.with_options(options)));
    if asleep {
        run_for(&mut world, 10.0);
    }
    insert_air(&mut world, (960.0, 320.0), SPACING, sides);
    let second = |_| {
        run_for(&mut world, 1.0);
        world.collider(ball).expect("there").motion().velocity
    };
    (0..4).map(second).collect()
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
    let particle_spacing = SPACING;
    let mut world = world_with(FluidParameters { particle_spacing, ..FluidParameters::default() });
    // It is a cell wider than the air, whose sides close the tube.
    let half_size = Vec2::new(10.0 * SPACING, 2.0 * SPACING);
    let shape = FluidShape::Rectangle { half_size };
    let mut body = Body::of_density(0.5, &shape, SPACING).expect("valid");
    body.lock_rotation = true;
    let options = ColliderOptions { body: Some(body), ..Default::default() };
    let piston = Collider::new(shape, Vec2::new(9.0 * SPACING, 500.0), Vec2::X);
    let piston = add_collider(&mut world, piston.and_then(|piston| piston.with_options(options)));
    insert_air(&mut world, (18.0 * SPACING, 640.0), SPACING, sides);
    run_for(&mut world, 1.0);
    let fallen = 500.0 - world.collider(piston).expect("there").centre().y;
    fallen / (0.5 * world.parameters().gravity.length())
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
