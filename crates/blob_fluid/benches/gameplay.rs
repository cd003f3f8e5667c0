//! What a game's scene adds to a frame of 30,000 particles: 100 colliders, 20 sensors and 20 forces, or
//! the ground as tiles.

#![allow(missing_docs, reason = "criterion's macros define public functions")]

mod pool;

use std::hint::black_box;
use std::time::{Duration, Instant};

use blob_fluid::shape::{Polygon, Polyline, scatter};
use blob_fluid::{
    ClassFilter, Collider, Container, FluidWorld, Force, Region, Sensor, SerialExecutor, Shape,
};
use criterion::{Criterion, criterion_group, criterion_main};
use glam::Vec2;

use pool::{FRAME, settled_pool};

const SIZE: usize = 30_000;

/// A scene's worth of things, spread over the tank, of which the pool fills the lower half.
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
    let place = |index: u32| tank + tank * 0.96 * scatter(index);
    let spacing = world.parameters().particle_spacing;
    let star = [(0.0, 3.0), (-1.0, -1.0), (3.0, 0.5), (-3.0, 0.5), (1.0, -1.0)];
    let star = star.map(|(x, y)| Vec2::new(x, y) * spacing);
    let collider = |index: u32| {
        let shape = match index % 5 {
            0 => Shape::Circle { radius: 2.0 * spacing },
            1 => Shape::Rectangle { half_size: Vec2::new(4.0, 1.0) * spacing },
            2 => Shape::Capsule { half_length: 3.0 * spacing, radius: spacing },
            3 => Shape::Polygon(Polygon::new(star).expect("valid")),
            _ => Shape::Polyline(Polyline::new(star, 0.0).expect("valid")),
        };
        let turn = scatter(1000 + index).normalize_or(Vec2::X);
        Collider::new(shape, place(index), turn).expect("valid")
    };
    let region = |index: u32| Region::circle(place(2000 + index), 8.0 * spacing).expect("valid");
    let sensor = |index| Sensor::new(region(index), ClassFilter::ALL);
    let force = |index: u32| match index % 3 {
        0 => Force::attract(place(3000 + index), 8.0 * spacing, 30.0).expect("valid"),
        1 => Force::drag(region(100 + index), 1.0),
        _ => Force::wind(region(200 + index), Vec2::new(20.0, 0.0), 0.5),
    };
    Scene {
        colliders: (0..100).map(collider).collect(),
        sensors: (0..20).map(sensor).collect(),
        forces: (0..20).map(force).collect(),
    }
}

/// Hilly ground of square tiles, a collider each.
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
    let of_column = |column| (0..height(column)).map(move |row| tile(column, row));
    (0..columns).flat_map(of_column).collect()
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
    // What the colliders displace finds its place first.
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
    // Turn by turn, because the machine may not be as fast all the time.
    let mut times = [Duration::ZERO; 3];
    for _ in 0..if cfg!(debug_assertions) { 1 } else { 40 } {
        let mut timed = |index: usize, run: &mut dyn FnMut()| {
            let begin = Instant::now();
            run();
            times[index] += begin.elapsed();
        };
        timed(0, &mut || frame(&mut plain, &mut []));
        timed(1, &mut || frame(&mut full, &mut sensors));
        timed(2, &mut || frame(&mut level, &mut []));
    }
    let [plain, scene, tiles] = times.map(|time| time.as_secs_f64());
    println!("a frame takes {:.2} times as long with the scene as without", scene / plain);
    println!("and {:.2} times as long per particle on tiles", tiles / plain / share);
}

criterion_group!(benches, gameplay);
criterion_main!(benches);
