//! Pools: columns of water against exact solutions of the shallow-water equations, amounts, bodies, and the exchange
//! with particles.
#![expect(clippy::disallowed_methods, reason = "exact solutions, not states")]

use blob_fluid::shape::scatter;
use blob_fluid::*;
use glam::Vec2;

use crate::pools::{
    add_collider, add_tank, at, body, change_parameters, moving, spacing, spawn, spawn_all,
    ticks_until_asleep,
};
use crate::ticks::{TICK, run, run_by, same_on_threads};

/// The settings of water without friction.
fn free() -> PoolSettings {
    PoolSettings { damping: 0.0, friction: 0.0, ..PoolSettings::default() }
}

/// A pool that begins at the origin, over a bed with the height that `bed` gives for the centre of each column.
fn pool_over(columns: usize, settings: PoolSettings, bed: impl Fn(f32) -> f32) -> Pool {
    let width = settings.column_width as f32 * spacing();
    let heights: Vec<f32> = (0..columns).map(|column| bed((column as f32 + 0.5) * width)).collect();
    Pool::new(Vec2::ZERO, &heights, spacing(), settings).expect("valid")
}

/// Sets the depth of each column from the position of its centre.
fn set_depths(pool: &mut Pool, depth: impl Fn(f32) -> f32) {
    for column in 0..pool.columns() {
        let depth = depth(pool.centre_of(column));
        pool.set_depth(column, depth).expect("valid");
    }
}

fn world_with_pool(pool: Pool) -> (FluidWorld, PoolId) {
    let mut world = FluidWorld::default();
    let id = world.insert_pool(pool).expect("valid");
    (world, id)
}

fn gravity() -> f32 {
    -FluidWorld::default().parameters().gravity.y
}

fn depths(pool: &Pool) -> Vec<f32> {
    (0..pool.columns()).map(|column| pool.depth(column)).collect()
}

/// Mean difference of the depths from those that `expected` gives.
fn mean_error(pool: &Pool, expected: impl Fn(f32) -> f32) -> f32 {
    let error = |column| (pool.depth(column) - expected(pool.centre_of(column))).abs();
    (0..pool.columns()).map(error).sum::<f32>() / pool.columns() as f32
}

/// Hills, an island, a dry valley and steps.
fn rugged(x: f32) -> f32 {
    let hills = 60.0 * (0.01 * x).sin() + 25.0 * (0.037 * x).cos();
    if (900.0..1100.0).contains(&x) { -40.0 } else { hills + if x > 700.0 { 30.0 } else { 0.0 } }
}

#[test]
fn a_lake_over_an_uneven_bed_stays_exactly_at_rest() {
    let mut pool = pool_over(300, PoolSettings::default(), rugged);
    pool.fill_to(20.0);
    let dry = (0..300).filter(|column| pool.depth(*column) == 0.0).count();
    assert!((30..200).contains(&dry), "{dry} columns are dry");
    let before = pool.clone();
    let (mut world, id) = world_with_pool(pool);
    // More ticks than until it sleeps.
    for tick in 0..300 {
        run(&mut world, 1);
        let pool = world.pool(id).expect("there");
        assert_eq!(pool.state_hash(), before.state_hash(), "tick {tick}");
    }
}

/// A dam in the middle of the pool breaks. Returns the pool after a time in seconds, in ticks that are the shorter the
/// narrower the columns.
fn dam_break(columns: usize, settings: PoolSettings, depths: [f32; 2], time: f32) -> Pool {
    let mut pool = pool_over(columns, settings, |_| 0.0);
    let middle = 0.5 * columns as f32 * pool.column_width();
    set_depths(&mut pool, |x| depths[usize::from(x > middle)]);
    let (mut world, id) = world_with_pool(pool);
    let tick = TICK * settings.column_width as f32 / 4.0;
    for _ in 0..(time / tick).round() as u32 {
        world.step(tick, &SerialExecutor).expect("valid");
    }
    world.pool(id).expect("there").clone()
}

/// Depth in Ritter's dam break at `x` from the dam.
fn ritter(depth: f32, x: f32, time: f32) -> f32 {
    let wave = (gravity() * depth).sqrt();
    let fan = (2.0 * wave - x / time).clamp(0.0, 3.0 * wave);
    fan * fan / (9.0 * gravity())
}

/// Depth in Stoker's dam break at `x` from the dam.
fn stoker(depths: [f32; 2], x: f32, time: f32) -> f32 {
    let [deep, shallow] = depths;
    let (c_deep, g) = ((gravity() * deep).sqrt(), gravity());
    // The middle depth, where the velocity behind the bore equals that of the rarefaction wave.
    let behind_bore = |h: f32| (h - shallow) * (0.5 * g * (1.0 / h + 1.0 / shallow)).sqrt();
    let (mut low, mut high) = (shallow, deep);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        let faster = 2.0 * (c_deep - (g * middle).sqrt()) > behind_bore(middle);
        if faster { low = middle } else { high = middle }
    }
    let middle = 0.5 * (low + high);
    let velocity = behind_bore(middle);
    let bore = middle * velocity / (middle - shallow);
    let speed = x / time;
    if speed > bore {
        shallow
    } else if speed > velocity - (g * middle).sqrt() {
        middle
    } else {
        ritter(deep, x, time)
    }
}

#[test]
fn dam_breaks_agree_with_ritter_and_stoker() {
    let (deep, time) = (160.0, 1.5);
    for shallow in [0.0, 8.0, 60.0] {
        let mut errors = Vec::new();
        // Columns of the same pool, four times as wide.
        for (column_width, columns) in [(4, 100), (1, 400)] {
            let settings = PoolSettings { column_width, ..free() };
            let pool = dam_break(columns, settings, [deep, shallow], time);
            let middle = 200.0 * spacing();
            let exact = |x: f32| {
                if shallow == 0.0 {
                    ritter(deep, x - middle, time)
                } else {
                    stoker([deep, shallow], x - middle, time)
                }
            };
            errors.push(mean_error(&pool, exact) / deep);
            let whole = dam_break(columns, settings, [deep, shallow], 0.0);
            assert_eq!(pool.parts(), whole.parts(), "amounts are exact");
        }
        println!("{shallow}: mean errors {errors:?} of the depth behind the dam");
        // A quarter of the width and of the tick: less than half of the error, as of a scheme of first order.
        assert!(errors[1] < 0.5 * errors[0] && errors[1] < 0.005, "{shallow}: {errors:?}");
    }
}

#[test]
fn a_solitary_wave_has_the_speed_of_a_simple_wave() {
    let (depth, height) = (80.0_f32, 4.0_f32);
    let (mut pool, g) = (pool_over(1200, free(), |_| 0.0), gravity());
    let wave = |h: f32| (g * h).sqrt();
    let shape = |x: f32| {
        let phase = (0.75 * height / depth.powi(3)).sqrt() * (x - 2000.0);
        depth + height / phase.cosh().powi(2)
    };
    set_depths(&mut pool, shape);
    // The velocity of a wave that only travels to the right.
    for column in 1..pool.columns() {
        let x = column as f32 * pool.column_width();
        pool.set_face_velocity(column, 2.0 * (wave(shape(x)) - wave(depth))).expect("valid");
    }
    // Centre of the highest part, from a parabola through the highest column and the two beside it.
    let crest = |pool: &Pool| {
        let depths = depths(pool);
        let highest = (0..depths.len()).max_by(|a, b| depths[*a].total_cmp(&depths[*b]));
        let at = highest.expect("columns");
        let [a, b, c] = [depths[at - 1], depths[at], depths[at + 1]];
        pool.centre_of(at) + pool.column_width() * 0.5 * (a - c) / (a - 2.0 * b + c)
    };
    let start = crest(&pool);
    let (mut world, id) = world_with_pool(pool);
    let ticks = 120;
    run(&mut world, ticks);
    let pool = world.pool(id).expect("there");
    let speed = (crest(pool) - start) / (ticks as f32 * TICK);
    // The crest of a simple wave travels with `u + c` there. Rayleigh's speed of a solitary wave, `sqrt(g (h + a))`, is
    // lower by `2 (sqrt(g (h + a)) - sqrt(g h))`, which is `a/h` of it: without dispersion, the front steepens.
    let simple = 3.0 * wave(depth + height) - 2.0 * wave(depth);
    let rayleigh = wave(depth + height);
    println!("speed {speed}, simple wave {simple}, Rayleigh {rayleigh}");
    assert!((speed / simple - 1.0).abs() < 0.005, "{speed} against {simple}");
    assert!((speed / rayleigh - 1.0).abs() < height / depth + 0.005, "{speed} against {rayleigh}");
    let tallest = depths(pool).into_iter().fold(0.0, f32::max) - depth;
    assert!((tallest / height - 1.0).abs() < 0.02, "{tallest} of {height}");
}

#[test]
fn water_in_a_parabolic_bowl_swings_dry_and_wet() {
    // Bed `h x²/a²`, and water of depth `h (1 - (x - s)²/a²)` with `s = S cos(wt)` and `w² = 2gh/a²` (Thacker 1981).
    let (h, a, swing) = (60.0_f32, 600.0_f32, 300.0_f32);
    let middle = 1000.0;
    let mut pool = pool_over(254, free(), |x| h * ((x - middle) / a).powi(2));
    let depth = |x: f32, s: f32| (h * (1.0 - ((x - middle - s) / a).powi(2))).max(0.0);
    set_depths(&mut pool, |x| depth(x, swing));
    let (parts, rate) = (pool.parts(), (2.0 * gravity() * h).sqrt() / a);
    let (mut world, id) = world_with_pool(pool);
    let mut worst = 0.0_f32;
    let ticks = (std::f32::consts::TAU / rate / TICK) as u32;
    for tick in 1..=ticks {
        run(&mut world, 1);
        let pool = world.pool(id).expect("there");
        let s = swing * (rate * tick as f32 * TICK).cos();
        worst = worst.max(mean_error(pool, |x| depth(x, s)) / h);
        assert_eq!(pool.parts(), parts);
    }
    println!("worst mean error in a period: {worst} of the depth");
    assert!(worst < 0.02, "{worst}");
}

/// A pool over a rugged bed with random water and flow, mirrored or not.
fn churned(columns: usize, settings: PoolSettings, seed: u32, is_mirrored: bool) -> Pool {
    let width = settings.column_width as f32 * spacing();
    let turned = |index: usize, count: usize| if is_mirrored { count - 1 - index } else { index };
    let bed = |column: usize| {
        let x = (turned(column, columns) as f32 + 0.5) * width;
        rugged(x) + 40.0 * scatter(x as u32 + seed).x
    };
    let heights: Vec<f32> = (0..columns).map(bed).collect();
    let mut pool = Pool::new(Vec2::ZERO, &heights, spacing(), settings).expect("valid");
    let draw = |index: usize| scatter(1_000_000 * seed + index as u32);
    let sign = if is_mirrored { -1.0 } else { 1.0 };
    for column in 0..columns {
        let depth = (200.0 * draw(turned(column, columns)).x).max(0.0);
        pool.set_depth(column, depth).expect("valid");
        let velocity = sign * 800.0 * draw(turned(column, columns + 1)).y;
        pool.set_face_velocity(column, velocity).expect("valid");
    }
    pool
}

#[test]
fn amounts_are_exact_and_no_depth_is_negative() {
    for seed in 0..8 {
        let column_width = 1 + 3 * (seed % 3);
        let settings = PoolSettings { column_width, ..PoolSettings::default() };
        let pool = churned(300, settings, seed, false);
        let parts = pool.parts();
        let (mut world, id) = world_with_pool(pool);
        for tick in 0..400 {
            world.step(if tick % 7 == 0 { 0.05 } else { TICK }, &SerialExecutor).expect("valid");
            let pool = world.pool(id).expect("there");
            assert_eq!(pool.parts(), parts, "seed {seed}, tick {tick}");
            for column in 0..300 {
                let (depth, velocity) = (pool.depth(column), pool.velocity(column));
                assert!(
                    depth >= 0.0 && velocity.abs() < 2000.0,
                    "{seed}, {tick}: {depth}, {velocity}"
                );
            }
        }
    }
}

#[test]
fn mirrored_pools_have_mirrored_bits() {
    let [pool, mirrored] =
        [false, true].map(|is_mirrored| churned(200, PoolSettings::default(), 3, is_mirrored));
    let (mut world, id) = world_with_pool(pool);
    let (mut other, mirrored) = world_with_pool(mirrored);
    for tick in 0..200 {
        let (pool, other_pool) =
            (world.pool(id).expect("there"), other.pool(mirrored).expect("there"));
        let turned: Vec<f32> = depths(other_pool).into_iter().rev().collect();
        assert_eq!(depths(pool), turned, "tick {tick}");
        run(&mut world, 1);
        run(&mut other, 1);
    }
}

#[test]
fn calm_water_falls_asleep_and_a_wave_wakes_it() {
    let mut pool = basin(600, 100.0);
    pool.set_depth(100, 180.0).expect("valid");
    let (mut world, id) = world_with_pool(pool);
    let crossing = 400.0 * spacing() / (gravity() * 100.0).sqrt();
    // The other columns fall asleep.
    run(&mut world, 130);
    assert_eq!(world.pool(id).expect("there").velocity(500), 0.0, "the wave is not there yet");
    run(&mut world, (crossing / TICK) as u32);
    let level = world.pool(id).expect("there").level(500);
    assert_ne!(level, 100.0, "the wave woke columns that slept");
    let mut ticks = 0;
    loop {
        let before = world.pool(id).expect("there").state_hash();
        run(&mut world, 600);
        ticks += 600;
        let pool = world.pool(id).expect("there");
        if pool.state_hash() == before {
            assert!((0..600).all(|column| pool.velocity(column) == 0.0));
            break;
        }
        assert!(ticks < 60_000, "it never sleeps");
    }
    println!("asleep after {ticks} ticks");
}

#[test]
fn bad_pools_are_refused_by_field() {
    let make = |bed: &[f32], spacing, settings| Pool::new(Vec2::ZERO, bed, spacing, settings);
    let field = |result: Result<Pool, PoolError>| match result.expect_err("refused") {
        PoolError::OutOfRange(error) => error.field,
        other => panic!("{other}"),
    };
    let valid = PoolSettings::default();
    for bad in [f32::NAN, f32::INFINITY, 1e9] {
        assert_eq!(field(make(&[0.0, bad], 8.0, valid)), "bed");
    }
    for bad in [f32::NAN, 0.0, -1.0, 1e9] {
        assert_eq!(field(make(&[0.0], bad, valid)), "particle_spacing");
    }
    assert_eq!(field(Pool::new(Vec2::NAN, &[0.0], 8.0, valid)), "origin");
    assert_eq!(field(make(&[0.0], 8.0, PoolSettings { column_width: 0, ..valid })), "column_width");
    assert_eq!(field(make(&[0.0], 8.0, PoolSettings { friction: f32::NAN, ..valid })), "friction");
    assert_eq!(make(&[], 8.0, valid), Err(PoolError::Columns { columns: 0 }));
    let most = Pool::MAX_COLUMNS;
    assert_eq!(
        make(&vec![0.0; most + 1], 8.0, valid),
        Err(PoolError::Columns { columns: most + 1 })
    );

    let mut world = FluidWorld::default();
    let other = make(&[0.0], 8.0, valid).expect("valid");
    let error = PoolError::Spacing { found: 8.0, expected: spacing() };
    assert_eq!(world.insert_pool(other), Err(error));
    let class = ClassId(9);
    let unknown = make(&[0.0], spacing(), PoolSettings { class, ..valid }).expect("valid");
    assert_eq!(world.insert_pool(unknown), Err(PoolError::UnknownClass(class)));

    let mut pool = make(&[0.0], spacing(), valid).expect("valid");
    for bad in [f32::NAN, -1.0, f32::INFINITY] {
        assert_eq!(pool.set_depth(0, bad).expect_err("refused").field, "depth");
        assert_eq!(pool.set_face_velocity(0, bad * 1e7).expect_err("refused").field, "velocity");
        assert_eq!(pool.move_to(Vec2::splat(bad * 1e13)).expect_err("refused").field, "origin");
    }
    pool.fill_to(f32::NAN);
    assert_eq!(pool.parts(), 0);
    pool.fill_to(f32::INFINITY);
    let full = pool.particles();
    assert_eq!(pool.add(0, 7), 0, "a full column");
    assert_eq!(pool.take(0, 7), 7);
    assert_eq!(pool.add(0, 9), 7);
    assert_eq!(pool.particles(), full);
}

// Bodies.

/// A closed pool with a flat bed and water of this depth, whose waves travel far.
fn basin(columns: usize, depth: f32) -> Pool {
    let settings = PoolSettings { damping: 0.02, ..PoolSettings::default() };
    let mut pool = pool_over(columns, settings, |_| 0.0);
    pool.fill_to(depth);
    pool
}

fn square(half_side: f32) -> FluidShape {
    FluidShape::Rectangle { half_size: Vec2::splat(half_side) }
}

/// Centre, velocity and angle of a collider.
fn state_of(world: &FluidWorld, id: ColliderId) -> (Vec2, Motion, Vec2) {
    let (_, collider) = world.colliders().find(|(other, _)| *other == id).expect("there");
    (collider.centre(), collider.motion(), collider.rotation())
}

#[test]
fn bodies_float_as_deep_as_their_density_and_raise_the_level() {
    let depth = 120.0;
    for (shape, density) in [
        (FluidShape::Rectangle { half_size: Vec2::new(30.0, 12.0) }, 0.3),
        (FluidShape::Rectangle { half_size: Vec2::new(60.0, 15.0) }, 0.6),
        (FluidShape::Circle { radius: 25.0 }, 0.5),
    ] {
        let (mut world, id) = world_with_pool(basin(60, depth));
        let middle = 30.0 * spacing();
        let boat = body(shape.clone(), Vec2::new(middle, depth + 10.0), density);
        let mass = boat.options().body.expect("a body").mass;
        let boat = world.insert_collider(boat);
        // Two minutes, in which waves settle.
        run(&mut world, 7200);
        ticks_until_asleep(&mut world, 600);
        let (centre, ..) = state_of(&world, boat);
        // It displaces its mass, and this area is missing below it: so the water around it is higher.
        let raised = mass * spacing() * spacing() / (60.0 * spacing());
        let pool = world.pool(id).expect("there");
        let level = pool.level(2);
        assert!(
            (level - depth - raised).abs() < 0.05 * raised + 0.1,
            "{level} from {depth} + {raised}"
        );
        assert!((pool.level(57) - level).abs() < 0.5, "the surface is level");
        let half_height = shape.bounds().half_size().y;
        // Immersed part of the height, with the gap: of half a disc it is a half as well.
        let low = centre.y - half_height - Body::GAP * spacing();
        let immersed = (level - low) / (2.0 * (half_height + Body::GAP * spacing()));
        println!("{shape:?} of density {density}: {immersed} immersed, at {centre}");
        assert!((immersed - density).abs() < 0.02, "{shape:?}: {immersed} against {density}");
        assert!((centre.x - middle).abs() < 2.0 * spacing(), "it hardly drifts: {centre}");
    }
}

#[test]
fn bodies_above_a_pool_fall_as_without_it() {
    let (mut world, id) = world_with_pool(basin(60, 120.0));
    for number in 0..40 {
        let place = Vec2::new(30.0 + 9.7 * number as f32, 4000.0);
        let spin = Motion { angular_velocity: 0.3 * number as f32, ..Motion::STILL };
        let falling = body(square(15.0), place, 1.0).with_motion(spin).expect("valid");
        world.insert_collider(falling);
    }
    let mut without = world.clone();
    without.remove_pool(id);
    for _ in 0..60 {
        run(&mut world, 1);
        run(&mut without, 1);
        let differences: Vec<FluidPart> =
            world.deep_hash().differences(&without.deep_hash()).collect();
        assert_eq!(differences, [FluidPart::Pools]);
    }
}

#[test]
fn heavy_bodies_sink_to_the_ground() {
    let (mut world, _) = world_with_pool(basin(60, 120.0));
    let ground = FluidShape::Rectangle { half_size: Vec2::new(300.0, 20.0) };
    add_collider(&mut world, Collider::new(ground, Vec2::new(230.0, -20.0), Vec2::X));
    let stone = world.insert_collider(body(square(15.0), Vec2::new(200.0, 100.0), 3.0));
    run(&mut world, 300);
    let (centre, motion, _) = state_of(&world, stone);
    assert!(
        (centre.y - 15.0).abs() < 0.5 * spacing() && motion.velocity.length() < 1.0,
        "{centre}"
    );
}

#[test]
fn a_tilted_plank_floats_flat() {
    let (mut world, _) = world_with_pool(basin(80, 120.0));
    let plank = FluidShape::Rectangle { half_size: Vec2::new(50.0, 8.0) };
    let tilted = body(plank.clone(), Vec2::new(300.0, 125.0), 0.5);
    let tilted = Collider::new(plank, Vec2::new(300.0, 125.0), Vec2::from_angle(0.5))
        .and_then(|collider| collider.with_options(tilted.options()))
        .expect("valid");
    let id = world.insert_collider(tilted);
    run(&mut world, 1200);
    let (_, _, rotation) = state_of(&world, id);
    assert!(rotation.y.abs() < 0.02, "{rotation}");
}

#[test]
fn a_boat_and_its_water_keep_their_momentum_until_a_wave_meets_an_end() {
    let mut pool = basin(1200, 100.0);
    let settings = PoolSettings { damping: 0.0, friction: 0.0, ..*pool.settings() };
    pool.set_settings(settings).expect("valid");
    let (mut world, id) = world_with_pool(pool);
    let hull = FluidShape::Rectangle { half_size: Vec2::new(40.0, 12.0) };
    let mut boat = body(hull.clone(), Vec2::new(600.0 * spacing(), 100.0), 0.5);
    let mass = f64::from(boat.options().body.expect("a body").mass);
    boat = boat
        .with_motion(Motion { velocity: Vec2::new(120.0, 0.0), ..Motion::STILL })
        .expect("valid");
    let boat = world.insert_collider(boat);
    let momentum = |world: &FluidWorld| {
        let (_, motion, _) = state_of(world, boat);
        (mass * f64::from(motion.velocity.x), world.pool(id).expect("there").momentum())
    };
    let start = momentum(&world).0;
    let mut worst = 0.0_f64;
    for _ in 0..180 {
        run(&mut world, 1);
        let (of_boat, of_water) = momentum(&world);
        worst = worst.max(((of_boat + of_water) / start - 1.0).abs());
    }
    let (of_boat, of_water) = momentum(&world);
    println!("boat {of_boat}, water {of_water} of {start}, worst {worst}");
    assert!(of_boat < 0.6 * start, "the water brakes it");
    assert!(worst < 0.01, "{worst}");
}

#[test]
fn a_boat_sleeps_and_a_wave_or_a_rising_level_wakes_it() {
    let (mut world, id) = world_with_pool(basin(600, 100.0));
    let boat = world.insert_collider(body(square(20.0), Vec2::new(450.0 * spacing(), 102.0), 0.5));
    let sleeps = |world: &FluidWorld| {
        world.colliders().find(|(other, _)| *other == boat).expect("there").1.is_sleeping()
    };
    let mut ticks = 0;
    while !sleeps(&world) {
        run(&mut world, 60);
        ticks += 60;
        assert!(ticks < 20_000, "{:?}", state_of(&world, boat));
    }
    println!("asleep after {ticks} ticks");
    let (asleep, _, _) = state_of(&world, boat);
    let mut waved = world.clone();
    for column in 20..100 {
        waved.pool_mut(id).expect("there").set_depth(column, 140.0).expect("valid");
    }
    let crossing = (430.0 * spacing() / (gravity() * 100.0).sqrt() / TICK) as u32;
    let mut woke = false;
    for _ in 0..2 * crossing {
        run(&mut waved, 1);
        woke |= !sleeps(&waved);
    }
    assert!(woke, "a wave passed below it");
    // Rain: the level rises by 20 within a minute.
    let count = (20.0 * 600.0 / spacing()) as usize;
    for drop in 0..count {
        world.pool_mut(id).expect("there").add(drop * 7 % 100, 1);
        if drop % 3 == 0 {
            run(&mut world, 1);
        }
    }
    run(&mut world, 6000);
    let risen = state_of(&world, boat).0.y - asleep.y;
    assert!((risen - 20.0).abs() < 1.0, "{risen}");
}

#[test]
fn host_bodies_get_the_load_of_the_water() {
    // A host that holds the body still: the load of a tick is the weight of the displaced water.
    let (mut world, _) = world_with_pool(basin(60, 120.0));
    let host = HostBody::at(Pose::from_translation(Vec2::new(230.0, 60.0)));
    let host = world.insert_host_body(host).expect("valid");
    let attachment = Attachment { body: host, pose: Pose::IDENTITY };
    let options = ColliderOptions { attachment: Some(attachment), ..Default::default() };
    let ball = Collider::circle(Vec2::new(230.0, 60.0), 20.0).and_then(|c| c.with_options(options));
    add_collider(&mut world, ball);
    run(&mut world, 1200);
    let load = world.host_body_load(host).expect("there");
    let radius = 20.0 + Body::GAP * spacing();
    let displaced = std::f32::consts::PI * (radius / spacing()).powi(2);
    let weight = displaced * gravity() * TICK;
    assert!((load.impulse.y / weight - 1.0).abs() < 0.01, "{load:?} against {weight}");
    assert!(load.impulse.x.abs() < 0.01 * weight && load.angular_impulse.abs() < 0.1 * weight);
}

/// Heights of the highest wave, above the level at the beginning, at some distances to the right of a box that falls
/// into water, as a pool or as particles.
fn waves_of_box(is_pool: bool) -> Vec<f32> {
    let (depth, columns) = (60.0, 240);
    let half_width = 0.5 * columns as f32 * spacing();
    let mut world = FluidWorld::default();
    if is_pool {
        let mut pool = basin(columns, depth);
        pool.move_to(Vec2::new(-half_width, 0.0)).expect("valid");
        pool.set_settings(PoolSettings::default()).expect("valid");
        world.insert_pool(pool).expect("valid");
    } else {
        add_tank(&mut world, Vec2::new(0.0, 200.0), Vec2::new(half_width, 200.0));
        let block = FluidShape::Rectangle { half_size: Vec2::new(half_width, 0.5 * depth) };
        let places = block.fill(Vec2::new(0.0, 0.5 * depth), spacing());
        spawn_all(&mut world, places.map(at));
        run(&mut world, 300);
    }
    let places = [200.0, 300.0, 400.0];
    let heights = |world: &FluidWorld| {
        places.map(|place| {
            // The mean over some columns, as single particles are rough.
            let nearby = (-3..=3).map(|step| place + step as f32 * spacing());
            let heights = nearby.filter_map(|x| world.surface_height(x));
            heights.sum::<f32>() / 7.0
        })
    };
    let before = heights(&world);
    let hull = FluidShape::Rectangle { half_size: Vec2::new(80.0, 20.0) };
    world.insert_collider(body(hull, Vec2::new(0.0, depth + 30.0), 0.6));
    let mut highest = [0.0_f32; 3];
    for _ in 0..240 {
        run(&mut world, 1);
        for ((highest, height), before) in highest.iter_mut().zip(heights(&world)).zip(before) {
            *highest = highest.max(height - before);
        }
    }
    highest.to_vec()
}

#[test]
fn the_wave_of_a_dropped_box_is_that_in_particles() {
    let (pool, particles) = (waves_of_box(true), waves_of_box(false));
    println!("columns {pool:?}, particles {particles:?}");
    for (pool, particles) in pool.into_iter().zip(particles) {
        assert!((pool / particles - 1.0).abs() < 0.1, "{pool} against {particles}");
    }
}

// Particles.

/// Amount of pools and particles together, in parts.
fn all_parts(world: &FluidWorld) -> i64 {
    let in_pools: i64 = world.pools().map(|(_, pool)| pool.parts()).sum();
    in_pools + Pool::PARTS * world.particles().len() as i64
}

#[test]
fn falling_particles_become_water_with_their_amount_and_momentum() {
    let mut pool = basin(200, 80.0);
    pool.set_settings(free()).expect("valid");
    let (mut world, id) = world_with_pool(pool);
    let velocity = Vec2::new(90.0, -50.0);
    let places = FluidShape::Circle { radius: 60.0 }.fill(Vec2::new(700.0, 180.0), spacing());
    spawn_all(&mut world, places.map(|position| moving(position, velocity)));
    let parts = all_parts(&world);
    let momentum = |world: &FluidWorld| {
        let speeds = world.particles().velocities().iter().map(|velocity| f64::from(velocity.x));
        speeds.sum::<f64>() + world.pool(id).expect("there").momentum()
    };
    let mut splashed = false;
    for tick in 0..400 {
        let report = world.begin_tick(TICK, &SerialExecutor).expect("valid");
        for pass in (0..report.substeps).flat_map(|_| FluidPass::ALL) {
            world.run_pass(pass, &SerialExecutor);
        }
        let before = momentum(&world);
        world.end_tick(report, &SerialExecutor);
        let after = momentum(&world);
        // Later, waves push the ends.
        assert!(tick >= 90 || (after - before).abs() <= 1e-9 * before, "{after} from {before}");
        assert_eq!(all_parts(&world), parts);
        splashed |= world.particles().velocities().iter().any(|velocity| velocity.y > 50.0);
    }
    assert!(splashed && world.particles().is_empty());
}

#[test]
fn particles_of_other_classes_stay_particles() {
    let (mut world, _) = world_with_pool(basin(50, 80.0));
    spawn(&mut world, ParticleSpawn { class: ClassId::HEAVY, ..at(Vec2::new(200.0, 90.0)) });
    run(&mut world, 30);
    assert_eq!(world.particles().len(), 1);
}

#[test]
fn a_body_that_enters_fast_splashes_with_exact_amounts() {
    let (mut world, id) = world_with_pool(basin(200, 120.0));
    let falling = body(square(25.0), Vec2::new(790.0, 160.0), 2.0)
        .with_motion(Motion { velocity: Vec2::new(0.0, -300.0), ..Motion::STILL })
        .expect("valid");
    world.insert_collider(falling);
    let parts = all_parts(&world);
    let mut most = 0;
    for _ in 0..240 {
        run(&mut world, 1);
        most = most.max(world.particles().len());
        assert_eq!(all_parts(&world), parts);
    }
    println!("{most} particles in the air");
    assert!(most > 10, "{most}");
    let pool = world.pool(id).expect("there");
    assert_eq!(world.particles().len(), 0, "all have fallen back");
    assert_eq!(pool.parts(), parts);
}

#[test]
fn a_splash_keeps_amounts_and_momentum_wherever_the_pool_is() {
    for origin in [Vec2::ZERO, Vec2::new(-4321.7, 987.3)] {
        let mut pool = basin(800, 120.0);
        pool.set_settings(free()).expect("valid");
        pool.move_to(origin).expect("valid");
        let (mut world, id) = world_with_pool(pool);
        // The drag on particles in the air would take momentum.
        change_parameters(&mut world, |parameters| parameters.settling = Settling::OFF);
        let thrown = Motion { velocity: Vec2::new(260.0, -420.0), ..Motion::STILL };
        let stone = body(square(25.0), origin + Vec2::new(2700.0, 160.0), 1.5);
        let mass = f64::from(stone.options().body.expect("a body").mass);
        let stone = world.insert_collider(stone.with_motion(thrown).expect("valid"));
        let momentum = |world: &FluidWorld| {
            let drops = world.particles().velocities().iter();
            mass * f64::from(state_of(world, stone).1.velocity.x)
                + drops.map(|velocity| f64::from(velocity.x)).sum::<f64>()
                + world.pool(id).expect("there").momentum()
        };
        let (parts, start) = (all_parts(&world), momentum(&world));
        let (mut most, mut worst) = (0, 0.0_f64);
        // Until all drops have fallen back, and no wave has reached an end.
        for _ in 0..420 {
            run(&mut world, 1);
            most = most.max(world.particles().len());
            worst = worst.max((momentum(&world) / start - 1.0).abs());
            assert_eq!(all_parts(&world), parts);
        }
        println!("{most} particles in the air, momentum within {worst} of it");
        assert!(most > 10 && world.particles().is_empty(), "{most}");
        assert!(worst < 0.01, "{worst}");
    }
}

#[test]
fn a_blast_throws_the_water_and_it_falls_back() {
    let (mut world, id) = world_with_pool(basin(200, 120.0));
    let parts = all_parts(&world);
    let blast = Blast { position: Vec2::new(790.0, 110.0), energy: 2e6, radius: 80.0 };
    let report = world.apply_blast(&blast).expect("valid");
    assert_eq!(report.particles, world.particles().len());
    assert!(report.particles > 100, "{report:?}");
    assert!(world.pool(id).expect("there").level(100) < 60.0, "a crater");
    for _ in 0..600 {
        run(&mut world, 1);
        assert_eq!(all_parts(&world), parts);
    }
    assert_eq!(world.particles().len(), 0);
}

#[test]
fn water_flows_over_an_open_end_as_particles() {
    let settings = PoolSettings { open_right: true, ..free() };
    // A sill of height 60 at the end.
    let mut pool = pool_over(100, settings, |x| if x > 780.0 { 60.0 } else { 0.0 });
    pool.fill_to(80.0);
    let (mut world, id) = world_with_pool(pool);
    let parts = all_parts(&world);
    for _ in 0..3000 {
        run(&mut world, 1);
        assert_eq!(all_parts(&world), parts);
    }
    let pool = world.pool(id).expect("there");
    // The flow over a sill is critical there: `(2/3)^1.5 sqrt(g) H^1.5` for the height `H` of the lake above it.
    let rate = (2.0_f32 / 3.0).powf(1.5) * gravity().sqrt() / (98.0 * spacing());
    let expected = (1.0 / 20.0_f32.sqrt() + 0.5 * rate * 3000.0 * TICK).powi(-2);
    let above = pool.level(50) - 60.0;
    println!("{above} above the sill, against {expected}");
    assert!((above / expected - 1.0).abs() < 0.15, "{above} against {expected}");
}

#[test]
fn drains_and_pumps_take_water_and_emitters_add_it() {
    let (mut world, _) = world_with_pool(basin(100, 80.0));
    // As wide as the pool, so that no drop splashes over an end.
    let half_width = 50.0 * spacing();
    add_tank(&mut world, Vec2::new(half_width, 500.0), Vec2::new(half_width, 600.0));
    let parts = all_parts(&world);
    let region = FluidRegion::circle(Vec2::new(300.0, 40.0), 10.0).expect("valid");
    let mut drain = Drain::new(region.clone()).with_rate(60.0).expect("valid");
    for _ in 0..60 {
        drain.drain(world.liquid_mut(), TICK).expect("valid");
        run(&mut world, 1);
    }
    let drained: u64 = drain.drained().iter().sum();
    assert_eq!(drained, 60);
    assert_eq!(all_parts(&world), parts - 60 * Pool::PARTS);

    let outlet =
        FluidRegion::rectangle(Vec2::new(300.0, 300.0), Vec2::new(30.0, 10.0)).expect("valid");
    let mut pump = Pump::new(PumpSettings::new(60.0), region, outlet).expect("valid");
    for _ in 0..60 {
        pump.pump(world.liquid_mut(), TICK).expect("valid");
        run(&mut world, 1);
    }
    assert_eq!(pump.moved(), 60);
    assert!(world.particles().len() > 10, "they fall from the outlet");
    run(&mut world, 600);
    assert_eq!(world.particles().len(), 0);
    assert_eq!(all_parts(&world), parts - 60 * Pool::PARTS);

    let mut tap = Emitter::new(EmitterSettings::jet(20.0, 200.0)).expect("valid");
    let pose = Pose::new(Vec2::new(500.0, 200.0), Vec2::NEG_X);
    for _ in 0..60 {
        tap.emit(world.liquid_mut(), pose, pose, TICK).expect("valid");
        run(&mut world, 1);
    }
    run(&mut world, 600);
    let added = tap.emitted() as i64 - 60;
    assert!(tap.emitted() > 30);
    assert_eq!(all_parts(&world), parts + added * Pool::PARTS);
    // A drop may cling to a wall.
    assert!(world.particles().len() < 4, "{}", world.particles().len());
}

#[test]
fn queries_treat_its_water_as_liquid() {
    let (world, _) = world_with_pool(basin(100, 80.0));
    let inside = Vec2::new(400.0, 30.0);
    assert!((world.depth_at(inside) - 50.0).abs() < 0.1);
    let below = world.depth_below(Vec2::new(400.0, 200.0));
    assert!((below - 80.0).abs() < 0.1, "{below}");
    assert!((world.surface_height(400.0).expect("liquid") - 80.0).abs() < 0.1);
    assert_eq!(world.surface_height(-10.0), None);
    assert_eq!(world.velocity_at(inside), Some(Vec2::ZERO));
    assert!(world.is_in_liquid(inside, ClassFilter::ALL));
    assert!(!world.is_in_liquid(inside, ClassFilter::ALL.without(ClassId::MEDIUM)));
    let hit = world.cast_ray(Vec2::new(400.0, 300.0), -Vec2::Y, f32::INFINITY, ClassFilter::ALL);
    let hit = hit.expect("water");
    assert!((hit.distance - 220.0).abs() < 0.1 && hit.normal == Vec2::Y);
    assert_eq!(hit.class, ClassId::MEDIUM);
}

#[test]
fn sensors_measure_its_water() {
    let (mut world, id) = world_with_pool(basin(100, 80.0));
    let region = |centre, half_size| FluidRegion::rectangle(centre, half_size).expect("valid");
    // The lower half is in the water.
    let half = region(Vec2::new(400.0, 80.0), Vec2::new(80.0, 40.0));
    let mut sensor = Sensor::new(half, ClassFilter::ALL);
    let below = (160.0 * 40.0 / (spacing() * spacing())).round() as usize;
    let reading = sensor.measure(&world, TICK);
    assert_eq!((reading.count, reading.entered, reading.classes[1]), (below, below, below));
    // Amounts are rounded to whole particles.
    let half_a_particle = 0.5 * spacing() * spacing() / (160.0 * 80.0);
    assert!((reading.fill - 0.5).abs() <= half_a_particle, "{reading:?}");
    let whole = region(Vec2::new(396.0, 50.0), Vec2::new(5000.0, 5000.0));
    let mut all = Sensor::new(whole, ClassFilter::ALL);
    let amount = world.pool(id).expect("there").particles();
    let counted = all.measure(&world, TICK).count as f64;
    assert!((counted / amount - 1.0).abs() < 0.02, "{counted} of {amount}");
    let pool = world.pool_mut(id).expect("there");
    (0..100).for_each(|column| pool.set_depth(column, 40.0).expect("valid"));
    let reading = sensor.measure(&world, TICK);
    assert_eq!((reading.count, reading.entered, reading.left), (0, 0, below));
}

#[test]
fn the_level_at_the_start_of_a_tick_is_kept_for_drawing() {
    let mut pool = basin(300, 80.0);
    pool.set_depth(40, 120.0).expect("valid");
    let (mut world, id) = world_with_pool(pool);
    let levels = |world: &FluidWorld| -> Vec<f32> {
        let pool = world.pool(id).expect("there");
        (0..300).map(|column| pool.level(column)).collect()
    };
    for _ in 0..400 {
        let before = levels(&world);
        run(&mut world, 1);
        let pool = world.pool(id).expect("there");
        let kept: Vec<f32> = (0..300).map(|column| pool.tick_start_level(column)).collect();
        assert_eq!(kept, before);
    }
}

// Saving.

/// A pool with a boat, a splash and an open end.
fn busy() -> FluidWorld {
    let settings = PoolSettings { open_left: true, ..PoolSettings::default() };
    let pool = churned(300, settings, 5, false);
    let (mut world, _) = world_with_pool(pool);
    for number in 0..5 {
        let start = Vec2::new(300.0 + 350.0 * number as f32, 180.0 + 30.0 * number as f32);
        world.insert_collider(body(square(18.0), start, 0.4 + 0.3 * number as f32));
    }
    let places = FluidShape::Circle { radius: 60.0 }.fill(Vec2::new(700.0, 280.0), spacing());
    spawn_all(&mut world, places.map(at));
    run(&mut world, 40);
    world
}

#[test]
fn a_saved_world_continues_with_the_same_bits() {
    let mut world = busy();
    let bytes = world.to_bytes().expect("between two ticks");
    let mut read = FluidWorld::from_bytes(&bytes).expect("valid");
    assert_eq!(read.to_bytes().expect("between two ticks"), bytes);
    let mut kept = KeptState::default();
    world.keep_in(&mut kept).expect("between two ticks");
    let mut copy = world.clone();
    let after = |world: &mut FluidWorld| {
        (0..120)
            .map(|_| {
                run(world, 1);
                world.deep_hash()
            })
            .collect::<Vec<_>>()
    };
    let expected = after(&mut world);
    assert_eq!(after(&mut read), expected);
    assert_eq!(after(&mut copy), expected);
    world.restore_from(&kept);
    assert_eq!(after(&mut world), expected);
    let on_threads = same_on_threads([1, 3], |executor| {
        let mut world = busy();
        run_by(executor, &mut world, 60);
        world.deep_hash()
    });
    assert_eq!(on_threads, expected[59]);
}

#[test]
fn a_replay_follows_a_pool_that_the_host_changes() {
    let mut world = busy();
    let id = world.pools().next().expect("there").0;
    let mut recorder = FluidRecorder::new(&world).expect("between two ticks");
    for tick in 0..60 {
        if tick % 20 == 5 {
            world.pool_mut(id).expect("there").add(150, 40);
        }
        recorder.step(&mut world, TICK, &SerialExecutor).expect("valid");
    }
    let recording = recorder.recording();
    let mut replay = recording.replay().expect("valid");
    while replay.step(&SerialExecutor).expect("the same").is_some() {}
    assert_eq!(replay.world().deep_hash(), world.deep_hash());
}

#[test]
fn damaged_bytes_of_a_pool_are_refused() {
    let world = busy();
    let bytes = world.to_bytes().expect("between two ticks");
    // Every other bit of the end of the file, where the pool is, with a corrected checksum.
    let entry = world.to_entry_bytes().expect("between two ticks");
    for place in (entry.len() - 3000..entry.len()).step_by(7) {
        for bit in [0, 4, 7] {
            let mut damaged = entry.clone();
            damaged[place] ^= 1 << bit;
            if let Ok(mut world) = FluidWorld::from_entry_bytes(&damaged) {
                run(&mut world, 1);
                for (_, pool) in world.pools() {
                    assert!((0..pool.columns()).all(|column| pool.velocity(column).is_finite()));
                }
            }
        }
    }
    assert!(FluidWorld::from_bytes(&bytes[..bytes.len() - 9]).is_err());
}
