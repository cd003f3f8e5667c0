//! What particles keep of their resistance to compression. Pools with random settings do not boil with it where they do not
//! without.
//!
//! `BLOB_FLUID_RANDOM_POOLS` sets how many pools are tried.

use blob_fluid::measure::measure;
use blob_fluid::ranges::Settings;
use blob_fluid::*;
use glam::Vec2;

use crate::pools::{
    add_collider, add_container, add_tank, add_tank_from_origin, body, cells, change_parameters,
    fastest, moving, pour, pour_class, spacing, spawn_all, top_speed,
};
use crate::random_scenes::Random;
use crate::ticks::{TICK, run, run_for, step};

/// A pool of this many columns and rows in a box of twice its height, which one substep per tick
/// steps.
fn pool(columns: usize, rows: usize, memory: f32) -> FluidWorld {
    let parameters = FluidParameters {
        pressure_memory: memory,
        substeps: Substeps::Fixed(1),
        sleeping: FluidSleeping::OFF,
        ..FluidParameters::default()
    };
    let mut world = FluidWorld::new(parameters).expect("valid");
    let half_size = 0.5 * spacing() * Vec2::new(columns as f32, 2.0 * rows as f32);
    add_tank_from_origin(&mut world, half_size);
    pour(&mut world, cells(columns, rows).map(|cell| cell * spacing()));
    world
}

/// Kinetic and potential energy of particles of mass 1.
fn energy(world: &FluidWorld) -> f64 {
    let particles = world.particles();
    let gravity = f64::from(world.parameters().gravity.y);
    let all = particles.positions().iter().zip(particles.velocities());
    all.map(|(at, v)| 0.5 * f64::from(v.length_squared()) - gravity * f64::from(at.y)).sum()
}

#[test]
fn a_lasting_load_compresses_liquid_half_as_much() {
    // Against a constant load the resistances of all substeps add up to 1/(1 - w) of one.
    let [plain, kept] = [0.0, 0.5].map(|memory| {
        let mut world = pool(20, 50, memory);
        run_for(&mut world, 8.0);
        measure(&world).bottom_top_density - 1.0
    });
    assert!((kept / plain - 0.5).abs() < 0.1, "{kept} of {plain}");
}

/// Substeps of a pool of 60 columns with automatic substeps, after 10 s, and its compression.
fn automatic_pool(rows: usize) -> (u32, f64) {
    let mut world = pool(60, rows, 0.5);
    change_parameters(&mut world, |parameters| parameters.substeps = Substeps::default());
    run_for(&mut world, 10.0);
    (world.substeps(), measure(&world).bottom_top_density - 1.0)
}

#[test]
fn automatic_substeps_are_as_few_as_keep_the_compression() {
    let Substeps::Automatic { compression, .. } = Substeps::default() else { unreachable!() };
    // The compression grows in proportion to the depth, and the pool of 56 rows nearly reaches the bound.
    for (rows, substeps) in [(30, 1), (50, 1), (56, 1), (62, 2), (100, 2), (150, 2)] {
        let (taken, compressed) = automatic_pool(rows);
        assert_eq!(taken, substeps, "{rows} rows");
        assert!(compressed < f64::from(compression), "{compressed} with {rows} rows");
    }
}

/// The rms speed of a pool from 15 to 20 s, with automatic substeps and ticks of these lengths.
fn restlessness(rows: usize, length: impl Fn(u32) -> f32) -> f32 {
    let mut world = pool(20, rows, 0.5);
    change_parameters(&mut world, |parameters| parameters.substeps = Substeps::default());
    let (mut squares, mut summed) = (0.0, 0.0);
    for tick in 0.. {
        if world.time() > 20.0 {
            break;
        }
        world.step(length(tick), &SerialExecutor).expect("valid");
        if world.time() > 15.0 {
            let velocities = world.particles().velocities();
            squares += velocities.iter().map(|velocity| velocity.length_squared()).sum::<f32>();
            summed += velocities.len() as f32;
        }
    }
    (squares / summed).sqrt()
}

/// A long tick that follows a short one would have the resistance of both.
#[test]
fn ticks_of_changing_length_keep_no_pool_awake() {
    for rows in [12, 25] {
        let even = [20.0, 30.0, 60.0].map(|rate| restlessness(rows, |_| 1.0 / rate));
        let most = even.into_iter().fold(0.5, |most: f32, rms| most.max(1.2 * rms));
        let in_turns = |tick: u32| if tick.is_multiple_of(2) { 1.0 / 30.0 } else { 1.0 / 120.0 };
        let disorderly = |tick: u32| {
            let share = (tick.wrapping_mul(2_654_435_761) >> 8) as f32 / (1 << 24) as f32;
            1.0 / 144.0 + share * (1.0 / 20.0 - 1.0 / 144.0)
        };
        // They may shake a pool twice as much.
        let rms = [restlessness(rows, in_turns), restlessness(rows, disorderly)];
        let calm = rms.into_iter().all(|rms| rms < 2.0 * most);
        assert!(calm, "{rows} rows: {rms:?}, and {even:?} with equal ticks");
    }
}

#[test]
fn a_pool_rises_and_sinks_slowly_where_it_begins_and_ends() {
    let mut world = pool(40, 30, 0.0);
    run_for(&mut world, 30.0);
    // It grows by a fifth of that in 10 s, and shrinks within 1 s.
    for (pressure_memory, seconds) in [(0.5, 10.0), (0.0, 1.0)] {
        change_parameters(&mut world, |parameters| parameters.pressure_memory = pressure_memory);
        let height = |world: &FluidWorld| {
            let particles = world.particles().positions();
            particles.iter().map(|at| at.y).sum::<f32>() / particles.len() as f32
        };
        let (before, mut fastest) = (height(&world), 0.0_f32);
        for _ in 0..600 {
            run(&mut world, 1);
            let velocities = world.particles().velocities();
            let squares = velocities.iter().map(|velocity| velocity.length_squared()).sum::<f32>();
            fastest = fastest.max((squares / velocities.len() as f32).sqrt());
        }
        let even = (height(&world) - before).abs() / seconds;
        assert!(fastest < 0.5 + 4.0 * even, "{pressure_memory}: {fastest}, by {even} px/s");
    }
}

#[test]
fn a_blow_gains_nothing() {
    // A block that is let go at rest gains what its lattice is compressed by.
    let mut of_lattice = 0.0_f64;
    for speed in [0.0, 200.0, 500.0, 1500.0, 4000.0] {
        let mut world = pool(63, 32, 0.5);
        world.despawn_where(|_, _| true);
        let half_size = Vec2::splat(20.0 * spacing());
        let block = FluidShape::Rectangle { half_size };
        let places = block.fill(Vec2::splat(32.0 * spacing()), spacing());
        spawn_all(&mut world, places.map(|place| moving(place, Vec2::X * speed)));
        let before = energy(&world);
        for _ in 0..120 {
            run(&mut world, 1);
            let gained = energy(&world) - before;
            if speed == 0.0 {
                of_lattice = of_lattice.max(gained);
            }
            let most = of_lattice + 0.001 * before;
            assert!(gained <= most, "{gained} of {before} after a blow at {speed}");
        }
    }
}

#[test]
fn what_flies_keeps_nothing() {
    let mut world = pool(12, 30, 0.5);
    run_for(&mut world, 3.0);
    assert!(world.particles().kept_pressures().iter().any(|kept| *kept > 0.0));
    // Everything is thrown far apart.
    let particles = world.particles_mut();
    for index in 0..particles.len() {
        let at = particles.positions()[index];
        particles.displace(index, (at - Vec2::new(40.0, 100.0)) * 9.0 + Vec2::Y * 2000.0);
    }
    let containers: Vec<_> = world.containers().map(|(id, _)| id).collect();
    containers.into_iter().for_each(|id| _ = world.remove_container(id));
    run(&mut world, 1);
    assert_eq!(world.particles().kept_pressures(), vec![0.0; 12 * 30]);
}

#[test]
fn a_plug_that_is_pulled_lets_liquid_fall_freely() {
    let mut world = pool(20, 60, 0.5);
    let shape = FluidShape::Rectangle { half_size: Vec2::new(10.0, 2.0) * spacing() };
    let plug = Collider::new(shape, Vec2::new(10.0, -2.0) * spacing(), Vec2::X);
    // The box goes on below its old floor, which is a plug now.
    let (id, walls) =
        world.containers().map(|(id, walls)| (id, walls.clone())).next().expect("one");
    let half_size = spacing() * Vec2::new(10.0, 120.0);
    world.remove_container(id).expect("there");
    add_tank(&mut world, walls.centre() - Vec2::Y * 60.0 * spacing(), half_size);
    let plug = world.insert_collider(plug.expect("valid"));
    run_for(&mut world, 6.0);
    assert!(top_speed(&world) < 20.0, "{}", top_speed(&world));
    let compression = measure(&world).bottom_top_density as f32 - 1.0;
    world.remove_collider(plug).expect("there");
    let gravity = world.parameters().gravity.length();
    // Liquid that was compressed expands at `sqrt(g D e)`, and at twice that at a free surface. Its
    // sound, of the speed `sqrt(g D/e)`, tells the top.
    let head = gravity * 60.0 * spacing();
    let expands = 2.0 * (head * compression).sqrt();
    let delay = 60.0 * spacing() / (head / compression).sqrt();
    for tick in 1..=60 {
        run(&mut world, 1);
        let free = gravity * tick as f32 * TICK + expands;
        assert!(top_speed(&world) < free, "{} of {free} after {tick} ticks", top_speed(&world));
    }
    // Nothing lags behind either: it falls as one, but for what clings to the walls.
    let particles = world.particles();
    let apart = |at: &Vec2| (at.x - 10.0 * spacing()).abs() < 5.0 * spacing();
    let all = particles.positions().iter().zip(particles.velocities());
    let slowest = all.filter(|(at, _)| apart(at)).map(|(_, v)| -v.y).fold(f32::INFINITY, f32::min);
    let told = gravity * (60.0 * TICK - delay);
    assert!(slowest > 0.8 * told, "{slowest} of {told}");
}

#[test]
fn sleep_keeps_it_and_waking_kicks_nothing() {
    let mut world = pool(40, 20, 0.5);
    let sleeping = FluidParameters::default().sleeping;
    change_parameters(&mut world, |parameters| parameters.sleeping = sleeping);
    run_for(&mut world, 30.0);
    assert_eq!(world.asleep(), world.particles().len(), "a shallow pool sleeps");
    let kept = |world: &FluidWorld| -> f32 { world.particles().kept_pressures().iter().sum() };
    let before = kept(&world);
    assert!(before > 0.0);
    run_for(&mut world, 1.0);
    assert_eq!(kept(&world), before);
    // A change of settings wakes everything.
    change_parameters(&mut world, |parameters| parameters.max_time_step = 0.04);
    run(&mut world, 3);
    assert_eq!(world.asleep(), 0);
    assert!((kept(&world) / before - 1.0).abs() < 0.01, "{} of {before}", kept(&world));
    let fastest = fastest(&world, |_| true);
    assert!(fastest < 0.1 * world.parameters().speed_unit(), "{fastest}");
}

#[test]
fn a_body_that_touches_no_liquid_changes_no_bit_of_it() {
    let [alone, beside] = [false, true].map(|with_body| {
        let mut world = pool(40, 30, 0.5);
        if with_body {
            let above = Vec2::new(20.0, 50.0) * spacing();
            let body =
                world.insert_host_body(HostBody::at(Pose::from_translation(above))).expect("valid");
            let attachment = Attachment { body, pose: Pose::IDENTITY };
            let options = ColliderOptions { attachment: Some(attachment), ..Default::default() };
            let shape = FluidShape::Circle { radius: spacing() };
            let held = Collider::new(shape, above, Vec2::X);
            add_collider(&mut world, held.and_then(|held| held.with_options(options)));
        }
        run_for(&mut world, 3.0);
        let particles = world.particles();
        assert!(particles.kept_pressures().iter().any(|kept| *kept > 0.0));
        (particles.positions().to_vec(), particles.kept_pressures().to_vec())
    });
    assert_eq!(alone, beside);
}

#[test]
fn a_body_takes_as_many_substeps_as_liquid_of_its_depth_without_memory() {
    let rows = 50;
    let substeps_and_depth = |memory: f32, density: Option<f32>| {
        let mut world = pool(60, rows, memory);
        change_parameters(&mut world, |parameters| parameters.substeps = Substeps::default());
        let surface = Vec2::new(30.0, rows as f32) * spacing();
        let shape = FluidShape::Rectangle { half_size: Vec2::new(3.0, 2.0) * spacing() };
        let crates = density.map(|density| world.insert_collider(body(shape, surface, density)));
        run_for(&mut world, 20.0);
        let depth = crates.map_or(0.0, |id| {
            (surface - world.collider(id).expect("there").centre()).y / spacing()
        });
        (step(&mut world).substeps, depth)
    };
    let [(alone, _), (without_memory, _)] =
        [0.5, 0.0].map(|memory| substeps_and_depth(memory, None));
    assert!(alone < without_memory, "{alone} {without_memory}");
    let (with_floating, depth) = substeps_and_depth(0.5, Some(0.4));
    assert!(depth < 2.0, "it floats: {depth}");
    assert_eq!(with_floating, alone);
    let (with_sunken, depth) = substeps_and_depth(0.5, Some(4.0));
    assert!(depth > 0.9 * rows as f32, "it lies on the floor: {depth}");
    assert_eq!(with_sunken, without_memory);
}

// Pools with random settings.

/// Number of pools by default.
const POOLS: u64 = 8;
/// Particles in a row.
const COLUMNS: usize = 14;
/// Seconds that a pool has to come to rest in, and seconds for which its speed is measured after them.
const SECONDS: (f32, f32) = (30.0, 2.0);
/// Speed from which on a pool boils, in V0. Below it, half of the pools with extreme settings simmer, with memory or without.
const BOIL: f32 = 0.15;

#[derive(Debug)]
struct Pool {
    parameters: FluidParameters,
    rows: usize,
    masses: [f32; 2],
    friction: f32,
    tick: f32,
}

fn draw(seed: u64) -> Pool {
    let mut random = Random::new(seed, "pool");
    let mut parameters = FluidParameters {
        radius_ratio: random.between(FluidParameters::row("radius_ratio").limits.least, 5.0),
        near_share: random.between(0.0, 1.0),
        near_stiffness_ratio: random.between(0.0, 8.0),
        stiffness: random.magnitude(0.01, 30.0),
        ..FluidParameters::default()
    };
    if random.chance(0.2) {
        parameters.substeps = Substeps::Fixed(1 + random.below(3) as u32);
    }
    Pool {
        parameters,
        rows: 6 + random.below(44),
        masses: [1.0, if random.chance(0.5) { 1.0 } else { random.magnitude(0.1, 10.0) }],
        friction: random.between(0.0, 1.0),
        tick: 1.0 / random.between(30.0, 144.0),
    }
}

/// Root of the mean square of the speeds in the last seconds, in V0.
fn speed(pool: &Pool, memory: f32) -> f32 {
    let parameters = FluidParameters { pressure_memory: memory, ..pool.parameters };
    let mut world = FluidWorld::new(parameters).expect("valid");
    let class = |mass| DensityClass { mass, ..Default::default() };
    let classes = pool.masses.into_iter().map(class).collect();
    world.set_classes(ClassTable::new(classes).expect("valid")).expect("valid");
    let spacing = parameters.particle_spacing;
    let half_size = 0.5 * spacing * Vec2::new(COLUMNS as f32, 2.0 * pool.rows as f32);
    let wall = WallProperties { friction: Some(pool.friction), ..Default::default() };
    let container = Container::rectangle(half_size, half_size);
    add_container(&mut world, container.and_then(|container| container.with_wall(wall)));
    for row in 0..pool.rows {
        for column in 0..COLUMNS {
            let position = spacing * (Vec2::new(column as f32, row as f32) + 0.5);
            // Two layers, the heavier one below.
            let is_below = row < pool.rows / 2;
            let class = ClassId(u8::from(is_below != (pool.masses[0] > pool.masses[1])));
            pour_class(&mut world, class, [position]);
        }
    }
    let (settle, measure) = SECONDS;
    let (mut squares, mut count) = (0.0_f64, 0_u32);
    for tick in 0..((settle + measure) / pool.tick) as u32 {
        world.step(pool.tick, &SerialExecutor).expect("valid");
        if tick as f32 * pool.tick >= settle {
            squares += world
                .particles()
                .velocities()
                .iter()
                .map(|velocity| f64::from(velocity.length_squared()))
                .sum::<f64>();
            count += world.particles().len() as u32;
        }
    }
    let unit = (parameters.reference_acceleration * spacing).sqrt();
    (squares / f64::from(count)).sqrt() as f32 / unit
}

#[test]
fn no_pool_boils_that_does_not_boil_without_memory() {
    let pools = std::env::var("BLOB_FLUID_RANDOM_POOLS")
        .map_or(POOLS, |count| count.parse().expect("a number"));
    // Pools that boil with memory only, of one liquid and of two; and those that boil without it only.
    let mut only_kept = [Vec::new(), Vec::new()];
    let mut only_plain = [0_usize, 0];
    for seed in 0..pools {
        let pool = draw(seed);
        let kinds = usize::from(pool.masses[0] != pool.masses[1]);
        let [kept, plain] =
            [pool.parameters.pressure_memory, 0.0].map(|memory| speed(&pool, memory));
        if plain < BOIL && kept >= BOIL.max(1.5 * plain) {
            println!("seed {seed}: {kept:.4} and {plain:.4} V0: {pool:?}");
            only_kept[kinds].push(seed);
        } else if kept < BOIL && plain >= BOIL.max(1.5 * kept) {
            only_plain[kinds] += 1;
        }
    }
    println!("of {pools} pools {only_kept:?} boil with it only, {only_plain:?} without it only");
    let [one_liquid, two_liquids] = only_kept;
    assert!(one_liquid.is_empty(), "{one_liquid:?}");
    // Whether the last drops still sort themselves is chance: neither has more of that, within two standard deviations.
    let chance = 2.0 * ((two_liquids.len() + only_plain[1]) as f64).sqrt();
    assert!(two_liquids.len() as f64 <= only_plain[1] as f64 + chance, "{two_liquids:?}");
}
