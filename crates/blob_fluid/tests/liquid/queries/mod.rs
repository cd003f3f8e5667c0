//! Compares queries of the liquid with results from all particles.

mod rays;
mod sensors;
mod tracked_blobs;

use std::hint::black_box;

use blob_fluid::shape::{FluidShape, scatter};
use blob_fluid::{
    BlobTracker, BlobTracking, ClassFilter, ClassId, FluidParameters, FluidRegion, FluidWorld,
    ParticleId, ParticleSpawn, Sensor, SerialExecutor, SplashDetection, SplashDetector,
};
use glam::Vec2;

use crate::pools::{add_tank, in_tank, spacing};
use crate::ticks::{TICK, run};

const ALL: ClassFilter = ClassFilter::ALL;

const NOWHERE: [Vec2; 4] =
    [Vec2::NAN, Vec2::INFINITY, Vec2::new(0.0, f32::NEG_INFINITY), Vec2::new(f32::NAN, 0.0)];

fn add(world: &mut FluidWorld, position: Vec2, class: ClassId) -> ParticleId {
    world.spawn(ParticleSpawn { position, class, ..Default::default() }).expect("valid")
}

/// A block of liquid. The part right of `border` is of the light class.
fn body(world: &mut FluidWorld, shape: &FluidShape, centre: Vec2, border: f32) {
    for position in shape.fill(centre, spacing()) {
        let class = if position.x > border { ClassId::LIGHT } else { ClassId::HEAVY };
        add(world, position, class);
    }
}

fn disc(radius: f32, centre: Vec2) -> FluidWorld {
    let mut world = FluidWorld::default();
    body(&mut world, &FluidShape::Circle { radius }, centre, f32::MAX);
    world
}

/// Particles of three classes at random positions.
fn spray() -> FluidWorld {
    let mut world = FluidWorld::default();
    for number in 0..3000 {
        add(&mut world, scatter(number) * 400.0, ClassId((number % 3) as u8));
    }
    world
}

/// A tank, 400 world units wide and with its floor at 0, half filled with liquid at rest.
fn settled_pool() -> FluidWorld {
    let mut world = in_tank(Vec2::new(0.0, 150.0), Vec2::new(200.0, 150.0));
    let half_size = Vec2::new(195.0, 60.0);
    body(&mut world, &FluidShape::Rectangle { half_size }, Vec2::new(0.0, 65.0), f32::MAX);
    run(&mut world, 600);
    world
}

#[test]
fn the_nearest_particle_is_the_nearest_of_all() {
    let world = spray();
    let particles = world.particles();
    for number in 0..300 {
        let point = scatter(90_000 + number) * 600.0;
        let classes = ClassFilter::from(ClassId((number % 3) as u8));
        let reach = if number % 2 == 0 { f32::INFINITY } else { 12.0 };
        let all = (0..particles.len())
            .filter(|index| classes.contains(particles.classes()[*index]))
            .map(|index| (particles.positions()[index].distance(point), particles.ids()[index]));
        let nearest = all.min_by(|a, b| a.0.total_cmp(&b.0)).filter(|(d, _)| *d <= reach);
        let found = world.nearest(point, reach, classes);
        assert_eq!(found, nearest.map(|(distance, id)| (id, distance)), "{point}");
    }
}

#[test]
fn of_equally_near_ones_the_lowest_id_is_the_nearest() {
    let mut world = FluidWorld::default();
    let ids = [-10.0, 10.0].map(|x| add(&mut world, Vec2::new(x, 0.0), ClassId::HEAVY));
    assert_eq!(world.nearest(Vec2::ZERO, 20.0, ALL), Some((ids[0], 10.0)));
    // Its index is greater than the other's now.
    let third = add(&mut world, Vec2::new(0.0, 5.0), ClassId::HEAVY);
    world.despawn(ids[0]);
    let new = add(&mut world, Vec2::new(-10.0, 0.0), ClassId::HEAVY);
    assert!(new < ids[1] && world.despawn(third));
    assert_eq!(world.nearest(Vec2::ZERO, 20.0, ALL), Some((new, 10.0)));
}

#[test]
fn samples_are_sums_over_all_particles() {
    let mut world = spray();
    let velocities = world.particles_mut().velocities_mut();
    for (number, velocity) in velocities.iter_mut().enumerate() {
        *velocity = scatter(5000 + number as u32) * 50.0;
    }
    let radius = world.parameters().interaction_radius();
    let particles = world.particles();
    for number in 0..200 {
        let point = scatter(70_000 + number) * 450.0;
        let (mut total, mut velocity, mut shares) = (0.0_f64, Vec2::ZERO, [0.0; 3]);
        for index in 0..particles.len() {
            let q = 1.0 - particles.positions()[index].distance(point) / radius;
            if q > 0.0 {
                // The density of an unbounded liquid at rest, by `FluidParameters`.
                let plane = 0.65
                    * FluidParameters::default().effective_rest_density()
                    * world.classes()[particles.classes()[index]].relative_rest_density
                    + 1.0;
                let part = q * q / plane;
                total += f64::from(part);
                velocity += part * particles.velocities()[index];
                shares[particles.classes()[index].index()] += part;
            }
        }
        let density = f64::from(world.density_at(point));
        assert!((density - total).abs() < 1e-5, "{density} {total}");
        let Some(found) = world.velocity_at(point) else {
            assert!(total == 0.0 && world.mix_at(point).is_none());
            continue;
        };
        assert!(found.distance(velocity / total as f32) < 1e-2, "{found}");
        let mix = world.mix_at(point).expect("as for the velocity");
        assert!((mix.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        for (share, sum) in mix.iter().zip(shares) {
            assert!((share - sum / total as f32).abs() < 1e-4);
        }
    }
}

#[test]
fn a_settled_pool_is_as_high_and_as_dense_as_it_should_be() {
    let world = settled_pool();
    let height = world.particles().len() as f32 * spacing() * spacing() / 400.0;
    assert!((height - 120.0).abs() < 10.0, "{height}");
    let mut mean = 0.0;
    for number in 0..19 {
        let x = 20.0 * (number as f32 - 9.0);
        let surface = world.surface_height(x).expect("liquid");
        assert!((surface - height).abs() < spacing(), "{surface} at {x}, not {height}");
        let edge = world.density_at(Vec2::new(x, surface));
        assert!((edge - 0.5).abs() < 0.01, "{edge}");
        for depth in [20.0, 50.0, 90.0] {
            let found = world.depth_at(Vec2::new(x, surface - depth));
            assert!((found - depth).abs() < 0.05, "{found}, not {depth}");
            mean += world.density_at(Vec2::new(x, surface - depth)) / 57.0;
        }
        assert_eq!(world.depth_at(Vec2::new(x, surface + 5.0)), 0.0);
        // Half a spacing above the floor the outermost particles end.
        let whole = world.depth_below(Vec2::new(x, surface + 5.0));
        assert!((whole - surface).abs() < spacing(), "{whole} of {surface}");
        let deeper = world.depth_below(Vec2::new(x, surface - 50.0));
        assert!((whole - deeper - 50.0).abs() < 0.1, "{deeper}, not {whole} less 50");
        assert_eq!(world.depth_below(Vec2::new(x, -50.0)), 0.0);
        let down = world.cast_ray(Vec2::new(x, 280.0), -Vec2::Y, 300.0, ALL).expect("a hit");
        assert!((down.point.y - surface).abs() < 0.05 && down.normal.y > 0.8, "{down:?}");
    }
    assert!((mean - 1.0).abs() < 0.08, "{mean}");
    assert_eq!(world.surface_height(260.0), None);
    let still = world.velocity_at(Vec2::new(0.0, 50.0)).expect("liquid");
    assert!(still.length() < 2.0, "{still}");
}

#[test]
fn up_is_against_gravity() {
    let gravity = Vec2::new(200.0, 0.0);
    let parameters = FluidParameters { gravity, ..FluidParameters::default() };
    let mut world = FluidWorld::new(parameters).expect("valid");
    body(&mut world, &FluidShape::Circle { radius: 100.0 }, Vec2::new(50.0, 30.0), f32::MAX);
    // Up is -x, and right is +y.
    let height = world.surface_height(30.0).expect("liquid");
    assert!((height - 50.0).abs() < spacing(), "{height}");
    assert_eq!(world.surface_height(-90.0), None);
    let depth = world.depth_at(Vec2::new(50.0, 30.0));
    assert!((depth - 100.0).abs() < spacing(), "{depth}");
    let below = world.depth_below(Vec2::new(-200.0, 30.0));
    assert!((below - 200.0).abs() < 2.0 * spacing(), "{below}");
}

#[test]
fn nonsense_and_emptiness_find_nothing() {
    let empty = FluidWorld::default();
    for (world, points) in [(&disc(50.0, Vec2::ZERO), &NOWHERE[..]), (&empty, &[Vec2::ZERO])] {
        for point in points {
            assert_eq!(world.nearest(*point, 1e9, ALL), None);
            assert_eq!(world.density_at(*point), 0.0);
            assert_eq!((world.velocity_at(*point), world.mix_at(*point)), (None, None));
            assert_eq!(world.cast_ray(*point, Vec2::X, 1e9, ALL), None);
            assert_eq!(world.cast_circle(*point, Vec2::X, 5.0, f32::INFINITY, ALL), None);
            assert_eq!(world.surface_height(point.y + point.x), None);
            assert_eq!(world.depth_at(*point), 0.0);
        }
    }
    let world = disc(50.0, Vec2::ZERO);
    for direction in NOWHERE.into_iter().chain([Vec2::ZERO]) {
        assert_eq!(world.cast_ray(Vec2::ZERO, direction, 1e9, ALL), None);
        assert_eq!(world.cast_circle(Vec2::ZERO, direction, 5.0, 1e9, ALL), None);
    }
    for length in [f32::NAN, -1.0] {
        assert_eq!(world.nearest(Vec2::ZERO, length, ALL), None);
        assert_eq!(world.cast_ray(Vec2::new(0.0, 90.0), -Vec2::Y, length, ALL), None);
        assert_eq!(world.cast_circle(Vec2::new(0.0, 90.0), -Vec2::Y, length, 1e9, ALL), None);
        assert_eq!(world.cast_circle(Vec2::new(0.0, 90.0), -Vec2::Y, 5.0, length, ALL), None);
    }
    assert_eq!(world.cast_circle(Vec2::ZERO, Vec2::X, f32::INFINITY, 1e9, ALL), None);
    // Far from the origin, where positions are coarse.
    assert!(world.cast_ray(Vec2::new(3e7, 0.0), -Vec2::X, f32::INFINITY, ALL).is_some());
    assert_eq!(world.cast_ray(Vec2::splat(1e30), -Vec2::X, f32::INFINITY, ALL), None);
    assert_eq!(world.nearest(Vec2::splat(1e30), f32::INFINITY, ALL), None);
    let mut tracker = BlobTracker::default();
    assert_eq!(tracker.update(&empty), []);
    assert_eq!(tracker.blobs(), []);
    let mut sensor = Sensor::new(FluidRegion::circle(Vec2::ZERO, 5.0).expect("valid"), ALL);
    assert_eq!((sensor.measure(&empty, f32::NAN).count, sensor.reading().fill), (0, 0.0));
}

/// Prints timings, and has no limit, because a busy machine would exceed it. Run it with
/// `--ignored --nocapture`.
#[test]
#[ignore = "measures time"]
fn what_questions_cost() {
    let mut world = FluidWorld::default();
    let half_size = Vec2::new(1000.0, 500.0);
    add_tank(&mut world, Vec2::ZERO, half_size);
    body(&mut world, &FluidShape::Rectangle { half_size: half_size * 0.98 }, Vec2::ZERO, 0.0);
    run(&mut world, 5);
    println!("{} particles", world.particles().len());
    let mut tracker = BlobTracker::default();
    let mut sensor = Sensor::new(FluidRegion::circle(Vec2::ZERO, 200.0).expect("valid"), ALL);
    let mut detector = SplashDetector::new(SplashDetection::default()).expect("valid");
    let time = |name: &str, work: &mut dyn FnMut()| {
        let begin = std::time::Instant::now();
        (0..20).for_each(|_| work());
        println!("{name}: {:.3} ms", begin.elapsed().as_secs_f64() * 50.0);
    };
    time("blobs", &mut || _ = black_box(tracker.update(&world)));
    time("sensor", &mut || _ = black_box(sensor.measure(&world, TICK).count));
    time("splashes", &mut || _ = black_box(detector.update(&world, TICK).len()));
    time("density", &mut || _ = black_box(world.density_at(Vec2::ZERO)));
    time("nearest", &mut || _ = black_box(world.nearest(Vec2::new(0.0, 900.0), 1e9, ALL)));
    time("ray", &mut || _ = black_box(world.cast_ray(Vec2::new(0.0, 900.0), -Vec2::Y, 1e9, ALL)));
    time("disc", &mut || {
        _ = black_box(world.cast_circle(Vec2::splat(900.0), -Vec2::ONE, 10.0, 1e9, ALL))
    });
    time("height", &mut || _ = black_box(world.surface_height(0.0)));
    time("depth", &mut || _ = black_box(world.depth_at(Vec2::new(0.0, -300.0))));
}

#[test]
fn what_is_no_place_is_part_of_no_blob_and_disturbs_no_question() {
    for bad in [Vec2::NAN, Vec2::splat(f32::INFINITY), Vec2::splat(1e30), Vec2::new(f32::NAN, 1.0)]
    {
        let mut world = FluidWorld::default();
        for x in 0..20 {
            let position = Vec2::new(8.0 * x as f32, 0.0);
            world.spawn(ParticleSpawn { position, ..Default::default() }).expect("valid");
        }
        world.particles_mut().displace(3, bad);
        let mut tracker = BlobTracker::new(BlobTracking::default());
        tracker.update(&world);
        assert!(blob_fluid::measure::blobs(&world, None).iter().all(|blob| blob.count < 20));
        let report = world.begin_tick(1.0 / 60.0, &SerialExecutor).expect("valid");
        world.nearest(Vec2::ZERO, 50.0, ClassFilter::ALL);
        world.end_tick(report, &SerialExecutor);
        assert_eq!(world.particles().len(), 19);
        assert!(world.density_at(Vec2::new(60.0, 0.0)) > 0.0);
    }
}
