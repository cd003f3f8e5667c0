//! Time that the things of a game add to a frame of 30,000 particles: 100 colliders, 20 sensors and
//! 20 forces; 100 colliders under water; the ground as tiles; a wheel that turns among a thousand
//! tiles; or a lake.

#![allow(missing_docs, reason = "criterion's macros define public functions")]

mod pool;

use std::hint::black_box;
use std::time::{Duration, Instant};

use blob_fluid::shape::{Polygon, Polyline, scatter};
use blob_fluid::{
    Body, ClassFilter, Collider, ColliderId, ColliderOptions, Container, FluidBounds, FluidRegion,
    FluidShape, FluidWorld, Force, Motion, Pool, PoolSettings, Sensor, SerialExecutor,
};
use criterion::{Criterion, criterion_group, criterion_main};
use glam::Vec2;

use pool::{FRAME, settled_pool};

const SIZE: usize = 30_000;

/// Colliders, sensors and forces, spread over the tank. The pool fills the lower half of the tank.
struct Scene {
    colliders: Vec<Collider>,
    sensors: Vec<Sensor>,
    forces: Vec<Force>,
}

fn tank(world: &FluidWorld) -> &Container {
    world.containers().next().expect("there is one").1
}

fn insert_all(world: &mut FluidWorld, colliders: Vec<Collider>) {
    for collider in colliders {
        world.insert_collider(collider);
    }
}

fn scene(world: &FluidWorld) -> Scene {
    let tank = tank(world).centre();
    let point = |index: u32| tank + tank * 0.96 * scatter(index);
    let spacing = world.parameters().particle_spacing;
    let region =
        |index: u32| FluidRegion::circle(point(2000 + index), 8.0 * spacing).expect("valid");
    let sensor = |index| Sensor::new(region(index), ClassFilter::ALL);
    let force = |index: u32| match index % 3 {
        0 => Force::attract(point(3000 + index), 8.0 * spacing, 30.0).expect("valid"),
        1 => Force::drag(region(100 + index), 1.0),
        _ => Force::wind(region(200 + index), Vec2::new(20.0, 0.0), 0.5),
    };
    Scene {
        colliders: hundred_colliders(spacing, point),
        sensors: (0..20).map(sensor).collect(),
        forces: (0..20).map(force).collect(),
    }
}

/// A hundred colliders of five shapes at points given by their numbers.
fn hundred_colliders(spacing: f32, point: impl Fn(u32) -> Vec2) -> Vec<Collider> {
    let star = [(0.0, 3.0), (-1.0, -1.0), (3.0, 0.5), (-3.0, 0.5), (1.0, -1.0)];
    let star = star.map(|(x, y)| Vec2::new(x, y) * spacing);
    let collider = |index: u32| {
        let shape = match index % 5 {
            0 => FluidShape::Circle { radius: 2.0 * spacing },
            1 => FluidShape::Rectangle { half_size: Vec2::new(4.0, 1.0) * spacing },
            2 => FluidShape::Capsule { half_length: 3.0 * spacing, radius: spacing },
            3 => FluidShape::Polygon(Polygon::new(star).expect("valid")),
            _ => FluidShape::Polyline(Polyline::new(star, 0.0).expect("valid")),
        };
        let turn = scatter(1000 + index).normalize_or(Vec2::X);
        Collider::new(shape, point(index), turn).expect("valid")
    };
    (0..100).map(collider).collect()
}

/// The pool with a hundred colliders under water.
fn under_water(plain: &FluidWorld) -> FluidWorld {
    let mut world = plain.clone();
    let bounds = FluidBounds::of(plain.particles().positions());
    let point = |index: u32| bounds.centre() + bounds.half_size() * 0.94 * scatter(index);
    insert_all(&mut world, hundred_colliders(plain.parameters().particle_spacing, point));
    for _ in 0..60 {
        frame(&mut world, &mut []);
    }
    world
}

/// The same liquid after all colliders and forces have gone: its particles no longer stand in the
/// rows that they were spawned in, which costs more to sort.
fn without_solids(world: &FluidWorld) -> FluidWorld {
    let mut bare = world.clone();
    bare.clear_colliders();
    bare.set_forces(&[]).expect("valid");
    for _ in 0..300 {
        frame(&mut bare, &mut []);
    }
    bare
}

/// Hilly ground of square tiles, with a collider for each tile.
fn tiles(world: &FluidWorld) -> Vec<Collider> {
    let tank = tank(world);
    let half = world.parameters().particle_spacing;
    let columns = (tank.centre().x / half) as u32;
    // Triangles, 12 tiles high and 64 wide.
    let height = |column: u32| 12 * (column % 64).min(64 - column % 64) / 32;
    let tile = |column: u32, row: u32| {
        let centre = (Vec2::new(column as f32, row as f32) * 2.0 + 1.0) * half;
        Collider::rectangle(centre, Vec2::splat(half)).expect("valid")
    };
    let column_tiles = |column| (0..height(column)).map(move |row| tile(column, row));
    (0..columns).flat_map(column_tiles).collect()
}

fn frame(world: &mut FluidWorld, sensors: &mut [Sensor]) {
    black_box(world.step(FRAME, &SerialExecutor)).expect("valid");
    for sensor in sensors {
        black_box(sensor.measure(world, FRAME).count);
    }
}

fn gameplay(criterion: &mut Criterion) {
    let mut plain = settled_pool(SIZE);
    let mut full = plain.clone();
    let Scene { colliders, mut sensors, forces } = scene(&plain);
    insert_all(&mut full, colliders);
    full.set_forces(&forces).expect("valid");
    // First the liquid that the colliders displace settles again.
    for _ in 0..60 {
        frame(&mut full, &mut sensors);
    }
    let mut level = plain.clone();
    let ground = tiles(&plain);
    level.despawn_where(|position, _| ground.iter().any(|tile| tile.distance(position) <= 0.0));
    let share = level.particles().len() as f64 / SIZE as f64;
    println!("{} particles on {} tiles", level.particles().len(), ground.len());
    insert_all(&mut level, ground);
    for _ in 0..60 {
        frame(&mut level, &mut []);
    }
    let mut group = criterion.benchmark_group("a game's scene, 30000 particles, one thread");
    group.sample_size(10).measurement_time(Duration::from_secs(2));
    group.bench_function("plain", |bencher| bencher.iter(|| frame(&mut plain, &mut [])));
    group.bench_function("100 colliders, 20 sensors, 20 forces", |bencher| {
        bencher.iter(|| frame(&mut full, &mut sensors));
    });
    group.bench_function("tiles", |bencher| bencher.iter(|| frame(&mut level, &mut [])));
    group.finish();
    // The cases take turns, because the speed of the machine may change.
    let mut submerged = under_water(&plain);
    let (mut disordered, mut lower) = (without_solids(&submerged), without_solids(&level));
    let mut times = [Duration::ZERO; 6];
    for _ in 0..if cfg!(debug_assertions) { 1 } else { 40 } {
        let mut timed = |index: usize, run: &mut dyn FnMut()| {
            let begin = Instant::now();
            run();
            times[index] += begin.elapsed();
        };
        timed(0, &mut || frame(&mut plain, &mut []));
        timed(1, &mut || frame(&mut full, &mut sensors));
        timed(2, &mut || frame(&mut level, &mut []));
        timed(3, &mut || frame(&mut submerged, &mut []));
        timed(4, &mut || frame(&mut disordered, &mut []));
        timed(5, &mut || frame(&mut lower, &mut []));
    }
    let [plain, scene, tiles, submerged, disordered, lower] = times.map(|time| time.as_secs_f64());
    println!("times as long as the pool in rows, and as the same liquid without solids:");
    println!("  the scene     {:.2} {:.2}", scene / plain, scene / disordered);
    println!("  under water   {:.2} {:.2}", submerged / plain, submerged / disordered);
    println!("  tiles         {:.2} {:.2} per particle", tiles / plain / share, tiles / lower);
}

/// A level of a thousand tiles with a wheel `height` particle spacings above the floor.
fn with_wheel(plain: &FluidWorld, height: f32) -> (FluidWorld, ColliderId) {
    let mut level = plain.clone();
    let ground = tiles(plain).into_iter().take(1000).collect::<Vec<_>>();
    let spacing = plain.parameters().particle_spacing;
    let centre = Vec2::new(tank(plain).centre().x, height * spacing);
    let wheel = Collider::rectangle(centre, Vec2::new(10.0, 1.0) * spacing).expect("valid");
    let solid =
        |position| ground.iter().chain([&wheel]).any(|collider| collider.distance(position) <= 0.0);
    level.despawn_where(|position, _| solid(position));
    insert_all(&mut level, ground);
    let wheel = level.insert_collider(wheel);
    for _ in 0..60 {
        frame(&mut level, &mut []);
    }
    (level, wheel)
}

/// How much longer a frame takes while the wheel turns. The host sets the wheel's velocity before
/// each frame, as a game does. It is the smallest of many results, because other programs may slow
/// the machine down.
fn turning(plain: &FluidWorld, height: f32) -> f64 {
    let (mut still, wheel) = with_wheel(plain, height);
    let mut turning = still.clone();
    let mut least = [f64::INFINITY; 2];
    for round in 0..if cfg!(debug_assertions) { 1 } else { 200 } {
        let begin = Instant::now();
        frame(&mut still, &mut []);
        least[0] = least[0].min(begin.elapsed().as_secs_f64());
        let begin = Instant::now();
        let angular_velocity = 3.0 + 0.1 * (round % 2) as f32;
        let motion = Motion { angular_velocity, ..Motion::STILL };
        turning.set_collider_motion(wheel, motion).expect("finite");
        frame(&mut turning, &mut []);
        least[1] = least[1].min(begin.elapsed().as_secs_f64());
    }
    println!("{:.3} ms a frame, and {:.3} ms with it turning", 1e3 * least[0], 1e3 * least[1]);
    least[1] / least[0]
}

fn wheel(_: &mut Criterion) {
    let plain = settled_pool(SIZE);
    println!("a dry wheel that turns among 1000 tiles: {:.4} times", turning(&plain, 85.0));
    println!("a wheel that turns in the water: {:.4} times", turning(&plain, 35.0));
}

/// A pool that is 20,000 particle spacings wide, with ten boats under way, and then asleep without boats.
fn lake(_: &mut Criterion) {
    const COLUMNS: usize = 20_000;
    let mut world = FluidWorld::default();
    let spacing = world.parameters().particle_spacing;
    let bed: Vec<f32> = (0..COLUMNS as u32).map(|column| 40.0 * scatter(column / 50).x).collect();
    let mut lake = Pool::new(Vec2::ZERO, &bed, spacing, PoolSettings::default()).expect("valid");
    lake.fill_to(300.0);
    world.insert_pool(lake).expect("valid");
    let tick = |world: &mut FluidWorld| {
        let begin = Instant::now();
        world.step(FRAME, &SerialExecutor).expect("valid");
        begin.elapsed().as_secs_f64()
    };
    let ticks = if cfg!(debug_assertions) { 1 } else { 600 };
    let mean =
        |world: &mut FluidWorld| 1e3 * (0..ticks).map(|_| tick(world)).sum::<f64>() / ticks as f64;
    mean(&mut world);
    println!("a lake asleep: {:.4} ms a tick", mean(&mut world));
    let hull = FluidShape::Rectangle { half_size: Vec2::new(60.0, 15.0) };
    let under_way = Motion { velocity: Vec2::new(60.0, 0.0), ..Motion::STILL };
    let boats: Vec<ColliderId> = (0..10)
        .map(|boat| {
            let start = Vec2::new((boat as f32 + 0.3) * 2000.0 * spacing, 305.0);
            let body = Some(Body::of_density(0.5, &hull, spacing).expect("valid"));
            let options = ColliderOptions { body, ..Default::default() };
            let boat = Collider::new(hull.clone(), start, Vec2::X)
                .and_then(|boat| boat.with_options(options))
                .expect("valid");
            world.insert_collider(boat)
        })
        .collect();
    let mut time = 0.0;
    for _ in 0..ticks {
        for boat in &boats {
            world.set_collider_motion(*boat, under_way).expect("finite");
        }
        time += tick(&mut world);
    }
    println!("with ten boats under way: {:.4} ms a tick", 1e3 * time / ticks as f64);
}

criterion_group!(benches, gameplay, wheel, lake);
criterion_main!(benches);
