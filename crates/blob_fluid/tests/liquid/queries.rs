//! Compares queries of the liquid with results from all particles.

use std::hint::black_box;

use blob_fluid::shape::scatter;
use blob_fluid::*;
use glam::Vec2;

use crate::pools::{
    add_container, add_tank, change_parameters, in_tank, moving, pour, spacing, spawn,
};
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
    let mut world = FluidWorld::default();
    change_parameters(&mut world, |parameters| parameters.gravity = Vec2::new(200.0, 0.0));
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
        pour(&mut world, (0..20).map(|x| Vec2::new(8.0 * x as f32, 0.0)));
        world.particles_mut().displace(3, bad);
        let mut tracker = BlobTracker::new(BlobTracking::default());
        tracker.update(&world);
        assert!(measure::blobs(&world, None).iter().all(|blob| blob.count < 20));
        let report = world.begin_tick(1.0 / 60.0, &SerialExecutor).expect("valid");
        world.nearest(Vec2::ZERO, 50.0, ClassFilter::ALL);
        world.end_tick(report, &SerialExecutor);
        assert_eq!(world.particles().len(), 19);
        assert!(world.density_at(Vec2::new(60.0, 0.0)) > 0.0);
    }
}

// Rays and discs that look for the surface.

#[test]
fn rays_meet_a_disc_from_every_side() {
    let centre = Vec2::new(-300.0, 120.0);
    let world = disc(100.0, centre);
    for number in 0..64 {
        let away = scatter(number + 40).normalize();
        let hit = world.cast_ray(centre + away * 300.0, -7.0 * away, 400.0, ALL).expect("a hit");
        assert!((hit.distance - 200.0).abs() < spacing(), "{hit:?}");
        assert!((world.density_at(hit.point) - 0.5).abs() < 0.01);
        assert!(hit.normal.dot(away) > 0.9 && hit.normal.is_normalized(), "{hit:?} {away}");
        assert!(hit.point.distance(centre + away * (300.0 - hit.distance)) < 0.01);
        let short = hit.distance - 0.1;
        assert_eq!(world.cast_ray(centre + away * 300.0, -away, short, ALL), None);
        let beside = centre + away * 300.0 + away.perp() * 130.0;
        assert_eq!(world.cast_ray(beside, -away, f32::INFINITY, ALL), None);
        assert_eq!(world.cast_ray(centre + away * 300.0, away, f32::INFINITY, ALL), None);
        let within = world.cast_ray(centre + away * 50.0, away, 400.0, ALL).expect("liquid");
        assert_eq!((within.distance, within.point), (0.0, centre + away * 50.0));
    }
}

#[test]
fn rays_pass_by_no_liquid_longer_than_their_steps() {
    let world = spray();
    let (step, mut hits) = (0.02 * spacing(), 0);
    for number in 0..100 {
        let (origin, towards) = (scatter(number) * 500.0, scatter(number + 700) * 300.0);
        let direction = (towards - origin).normalize();
        let is_liquid =
            |index: i32| world.density_at(origin + direction * (index as f32 * step)) >= 0.5;
        // The first point from which the liquid continues for more than a quarter of a spacing.
        let mut length = 0;
        let end = (0..2000).find(|index| {
            length = if is_liquid(*index) { length + 1 } else { 0 };
            length == 15
        });
        let longest = 2000.0 * step;
        let hit = world.cast_ray(origin, direction, longest, ALL);
        if let Some(end) = end {
            let distance = hit.map_or(f32::MAX, |hit| hit.distance);
            assert!(distance < (end - 14) as f32 * step + 0.01, "{hit:?} {end}");
        }
        if let Some(hit) = hit.filter(|hit| hit.distance > 0.0) {
            hits += 1;
            assert!((world.density_at(hit.point) - 0.5).abs() < 0.01, "{hit:?}");
        }
    }
    assert!(hits > 30, "{hits}");
}

#[test]
fn rays_look_for_the_classes_they_are_told_to() {
    let mut world = FluidWorld::default();
    let shape = FluidShape::Rectangle { half_size: Vec2::new(200.0, 60.0) };
    body(&mut world, &shape, Vec2::ZERO, 50.0);
    let cast = |classes| world.cast_ray(Vec2::new(-400.0, 0.0), Vec2::X, 900.0, classes);
    let first = cast(ALL).expect("a hit");
    assert!(first.class == ClassId::HEAVY && (first.point.x + 200.0).abs() < spacing());
    let light = cast(ClassId::LIGHT.into()).expect("a hit");
    assert!(light.class == ClassId::LIGHT && (light.point.x - 50.0).abs() < spacing());
    assert_eq!(cast(ClassId::MEDIUM.into()), None);
}

#[test]
fn a_disc_stops_at_the_first_particle_it_touches() {
    let world = spray();
    let particles = world.particles();
    let mut hits = 0;
    for number in 0..200 {
        let origin = scatter(number) * 900.0;
        let direction = scatter(number + 3000).normalize();
        let radius = 1.0 + (number % 7) as f32 * 5.0;
        let (reach, longest) = (radius + 0.5 * spacing(), 700.0);
        let meets = |position: &Vec2| {
            let offset = *position - origin;
            let (along, aside) = (offset.dot(direction), offset.perp_dot(direction).abs());
            if offset.length() <= reach {
                return Some(0.0);
            }
            (aside <= reach && along > 0.0).then(|| along - (reach * reach - aside * aside).sqrt())
        };
        let expected = particles.positions().iter().filter_map(meets).min_by(f32::total_cmp);
        let expected = expected.filter(|distance| *distance <= longest);
        let found = world.cast_circle(origin, direction * 3.0, radius, longest, ALL);
        assert_eq!(found.is_some(), expected.is_some(), "{found:?} {expected:?}");
        if let (Some(found), Some(expected)) = (found, expected) {
            hits += 1;
            assert!((found.distance - expected).abs() < 0.01, "{found:?} {expected}");
            let centre = origin + direction * found.distance;
            if expected > 0.0 {
                assert!((found.point.distance(centre) - radius).abs() < 0.01);
                assert!((found.point + found.normal * radius).distance(centre) < 0.01);
            }
        }
    }
    assert!(hits > 40 && hits < 200, "{hits}");
}

// Sensors: what lies in a region, who came and left, and how much flows.

#[test]
fn sensors_count_what_lies_in_a_turned_region() {
    let world = spray();
    let particles = world.particles();
    let shape = FluidShape::Rectangle { half_size: Vec2::new(150.0, 40.0) };
    let region =
        FluidRegion::new(shape, Vec2::new(60.0, -30.0), Vec2::new(0.6, 0.8)).expect("valid");
    let light = ClassFilter::from(ClassId::LIGHT);
    for (classes, share) in [(ALL, 3), (light, 1)] {
        let mut sensor = Sensor::new(region.clone(), classes);
        let reading = sensor.measure(&world, TICK).clone();
        let inside = |index: &usize| {
            let offset = particles.positions()[*index] - Vec2::new(60.0, -30.0);
            let local =
                Vec2::new(offset.dot(Vec2::new(0.6, 0.8)), offset.dot(Vec2::new(-0.8, 0.6)));
            local.x.abs() <= 150.0 && local.y.abs() <= 40.0
        };
        let counted =
            |index: &usize| inside(index) && classes.contains(particles.classes()[*index]);
        let count = (0..particles.len()).filter(counted).count();
        assert!(count > 20 * share && reading.count == count, "{count}");
        assert_eq!(reading.classes.iter().sum::<usize>(), count);
        assert_eq!(reading.classes[1] > 0, share == 3);
        let fill = count as f32 * spacing() * spacing() / 24_000.0;
        assert!((reading.fill - fill.min(1.0)).abs() < 1e-5);
        assert_eq!((reading.entered, reading.left), (count, 0));
        assert_eq!((reading.inflow, reading.outflow), (0.0, 0.0), "the first does not count");
    }
}

#[test]
fn sensors_know_who_came_and_who_left() {
    let mut world = FluidWorld::default();
    let [a, b, c] = [0.0, 5.0, 10.0].map(|x| add(&mut world, Vec2::new(x, 0.0), ClassId::HEAVY));
    let mut sensor = Sensor::new(FluidRegion::circle(Vec2::ZERO, 20.0).expect("valid"), ALL);
    sensor.set_smoothing(0.0).expect("valid");
    sensor.measure(&world, 0.5);
    assert_eq!(
        (sensor.inside(), sensor.entered(), sensor.left()),
        (&[a, b, c][..], &[a, b, c][..], &[][..])
    );
    // A particle dies, and a new one gets its slot. The new one is a different particle.
    world.despawn(b);
    let d = add(&mut world, Vec2::new(5.0, 0.0), ClassId::HEAVY);
    assert_eq!(d.slot(), b.slot());
    let reading = sensor.measure(&world, 0.5).clone();
    assert_eq!((sensor.entered(), sensor.left()), (&[d][..], &[b][..]));
    assert_eq!((reading.inflow, reading.outflow), (2.0, 2.0));
    // One particle changes its class, and the region moves away from the others.
    sensor.set_classes(ClassId::HEAVY.into());
    world.set_class(a, ClassId::LIGHT).expect("valid");
    sensor.measure(&world, 0.5);
    assert_eq!((sensor.entered(), sensor.left()), (&[][..], &[a][..]));
    sensor.set_region(FluidRegion::circle(Vec2::new(500.0, 0.0), 20.0).expect("valid"));
    let reading = sensor.measure(&world, 0.5);
    assert_eq!((reading.left, reading.count, reading.outflow), (2, 0, 4.0));
    assert!(sensor.set_smoothing(f32::NAN).is_err() && sensor.set_smoothing(-1.0).is_err());
}

#[test]
fn flows_settle_at_what_flows() {
    let mut world = FluidWorld::default();
    let mut sensor = Sensor::new(FluidRegion::circle(Vec2::ZERO, 50.0).expect("valid"), ALL);
    let mut ids = Vec::new();
    for tick in 0..120 {
        if tick % 2 == 0 {
            ids.push(add(&mut world, Vec2::new(0.0, (tick % 40) as f32), ClassId::HEAVY));
        }
        if tick % 2 == 0 && tick > 20 {
            world.despawn(ids.remove(0));
        }
        sensor.measure(&world, TICK);
    }
    let reading = sensor.reading();
    assert!((reading.inflow - 30.0).abs() < 3.0, "{reading:?}");
    assert!((reading.outflow - 30.0).abs() < 3.0, "{reading:?}");
}

#[test]
fn a_level_between_both_thresholds_changes_nothing() {
    let mut world = FluidWorld::default();
    let half_size = Vec2::splat(5.0 * spacing());
    let mut sensor =
        Sensor::new(FluidRegion::rectangle(Vec2::ZERO, half_size).expect("valid"), ALL);
    sensor.set_levels(FillLevels { full_at: 0.5, empty_below: 0.3 }).expect("valid");
    let mut ids = Vec::new();
    let mut crossings = Vec::new();
    // The counts out of 100: 49, 50, then 30, 50, 29, and alternating values around 29.
    for wanted in [49, 50, 49, 50, 30, 50, 29, 30, 29, 49, 50] {
        while ids.len() < wanted {
            ids.push(add(&mut world, Vec2::new(ids.len() as f32 * 0.1, 0.0), ClassId::HEAVY));
        }
        while ids.len() > wanted {
            world.despawn(ids.pop().expect("some"));
        }
        let reading = sensor.measure(&world, TICK);
        assert!((reading.fill - wanted as f32 / 100.0).abs() < 1e-5);
        crossings.extend(reading.crossing.map(|crossing| (wanted, crossing)));
    }
    use LevelCrossing::{Drained, Filled};
    assert_eq!(crossings, [(50, Filled), (29, Drained), (50, Filled)]);
    for (full_at, empty_below) in [(f32::NAN, 0.1), (0.5, 0.6), (1.1, 0.1), (0.5, 0.0)] {
        assert!(sensor.set_levels(FillLevels { full_at, empty_below }).is_err());
    }
    assert_eq!(sensor.levels().full_at, 0.5);
}

#[test]
fn a_sensor_outlives_a_measurement_after_hardly_any_time() {
    let mut world = FluidWorld::default();
    let region = FluidRegion::circle(Vec2::ZERO, 20.0).expect("valid");
    let mut sensor = Sensor::new(region, ClassFilter::ALL);
    sensor.measure(&world, 1e-40);
    world.spawn(ParticleSpawn::default()).expect("valid");
    sensor.measure(&world, 1e-40);
    assert_eq!(sensor.measure(&world, 1.0 / 60.0).inflow, 0.0);
}

// Blobs that keep their names, and splashes, from what is seen in every tick.

/// Two drops. The left one is larger.
fn two_drops() -> FluidWorld {
    let mut world = FluidWorld::default();
    body(&mut world, &FluidShape::Circle { radius: 60.0 }, Vec2::new(-100.0, 0.0), 0.0);
    body(&mut world, &FluidShape::Circle { radius: 40.0 }, Vec2::new(100.0, 0.0), 0.0);
    world
}

#[test]
fn blobs_keep_their_names_when_they_merge_and_split() {
    let mut world = two_drops();
    let mut tracker = BlobTracker::default();
    tracker.update(&world);
    let [left, right] = [0, 1].map(|number| tracker.blobs()[number].clone());
    assert_eq!(tracker.changes(), [left.id, right.id].map(BlobChange::Appeared));
    assert!(left.count > right.count && left.count + right.count == world.particles().len());
    assert!(left.centre.distance(Vec2::new(-100.0, 0.0)) < 3.0, "{left:?}");
    assert_eq!(left.classes, [left.count, 0, 0]);
    assert!((left.area - left.count as f32 * spacing() * spacing()).abs() < 0.1);
    assert_eq!(tracker.update(&world), []);

    // A bridge connects the drops, so that the smaller one becomes a part of the larger.
    let bridge: Vec<ParticleId> = (0..20)
        .map(|n| add(&mut world, Vec2::new(6.0 * n as f32 - 50.0, 0.0), ClassId::HEAVY))
        .collect();
    assert_eq!(tracker.update(&world), [BlobChange::Merged { into: left.id, from: right.id }]);
    assert_eq!(tracker.blobs().len(), 1);
    assert_eq!(tracker.blob_of(bridge[3]), Some(left.id));
    assert_eq!(tracker.get(left.id).map(|blob| blob.count), Some(world.particles().len()));
    assert_eq!(tracker.get(right.id), None);

    // Without the bridge the smaller part is a new blob.
    bridge.iter().for_each(|id| assert!(world.despawn(*id)));
    let changes = tracker.update(&world).to_vec();
    let [BlobChange::Split { from, into }] = changes[..] else { panic!("{changes:?}") };
    assert!(from == left.id && into > right.id);
    assert_eq!(tracker.get(into).map(|blob| blob.count), Some(right.count));
    assert_eq!(tracker.blob_of(bridge[3]), None);

    // New particles in the slots of dead ones do not continue an old blob.
    world.despawn_where(|position, _| position.x > 0.0);
    body(&mut world, &FluidShape::Circle { radius: 40.0 }, Vec2::new(0.0, 300.0), 0.0);
    let changes = tracker.update(&world).to_vec();
    let [BlobChange::Vanished(gone), BlobChange::Appeared(new)] = changes[..] else {
        panic!("{changes:?}")
    };
    assert!(gone == into && new > into);
}

#[test]
fn small_droplets_and_other_classes_are_left_out() {
    let mut world = two_drops();
    for number in 0..7 {
        add(&mut world, Vec2::new(6.0 * number as f32, 200.0), ClassId::HEAVY);
    }
    let tracking = BlobTracking { min_particles: 8, classes: ClassId::HEAVY.into() };
    let mut tracker = BlobTracker::new(tracking);
    tracker.update(&world);
    assert_eq!(tracker.blobs().len(), 1, "the right drop is light");
    let eighth = add(&mut world, Vec2::new(-6.0, 200.0), ClassId::HEAVY);
    tracker.update(&world);
    let droplet = tracker.blob_of(eighth).expect("large enough");
    assert_eq!(tracker.changes(), [BlobChange::Appeared(droplet)]);
    world.despawn(eighth);
    assert_eq!(tracker.update(&world), [BlobChange::Vanished(droplet)]);
}

/// The results of a tracker, a sensor and a splash detector for a world.
struct Watch(BlobTracker, Sensor, SplashDetector);

impl Watch {
    fn new() -> Self {
        let region = FluidRegion::circle(Vec2::new(0.0, -150.0), 60.0).expect("valid");
        let detector = SplashDetector::new(SplashDetection::default()).expect("valid");
        Self(BlobTracker::default(), Sensor::new(region, ALL), detector)
    }

    fn look(&mut self, world: &FluidWorld) -> String {
        let Self(tracker, sensor, detector) = self;
        tracker.update(world);
        sensor.measure(world, TICK);
        detector.update(world, TICK);
        let (blobs, changes) = (tracker.blobs(), tracker.changes());
        format!("{blobs:?} {changes:?} {sensor:?} {:?}", detector.splashes())
    }
}

#[test]
fn what_is_seen_depends_neither_on_threads_nor_on_the_order_of_storage() {
    let start = || {
        let mut world = FluidWorld::default();
        // The second particle is stored first, because it is lower.
        for (radius, centre) in [(50.0, Vec2::new(-80.0, 60.0)), (40.0, Vec2::new(80.0, -60.0))] {
            body(&mut world, &FluidShape::Circle { radius }, centre, 0.0);
        }
        add_container(&mut world, Container::circle(Vec2::ZERO, 170.0));
        world
    };
    let executor = RayonExecutor::new(3).expect("threads");
    let (mut world, mut threaded) = (start(), start());
    let (mut watch, mut threaded_watch, mut resorted_watch) =
        (Watch::new(), Watch::new(), Watch::new());
    let (mut merged, mut splashed, mut other_orders) = (false, false, 0);
    for _ in 0..150 {
        let seen = watch.look(&world);
        assert_eq!(seen, threaded_watch.look(&threaded));
        let mut resorted = world.clone();
        resorted.run_pass(FluidPass::HashPositions, &SerialExecutor);
        other_orders += u32::from(resorted.particles().ids() != world.particles().ids());
        assert_eq!(seen, resorted_watch.look(&resorted));
        world.step(TICK, &SerialExecutor).expect("valid");
        threaded.step(TICK, &executor).expect("valid");
        merged |= seen.contains("Merged");
        splashed |= seen.contains("Splash");
    }
    assert!(merged && splashed && other_orders > 50, "{merged} {splashed} {other_orders}");
}

fn splashes_in(world: &mut FluidWorld, ticks: u32) -> Vec<Splash> {
    let mut detector = SplashDetector::new(SplashDetection::default()).expect("valid");
    let mut splashes = Vec::new();
    for _ in 0..ticks {
        run(world, 1);
        splashes.extend_from_slice(detector.update(world, TICK));
    }
    splashes
}

#[test]
fn a_drop_that_falls_into_a_pool_splashes_once_and_the_pool_alone_does_not() {
    let mut world = settled_pool();
    assert_eq!(splashes_in(&mut world, 120), []);
    let drop = FluidShape::Circle { radius: 20.0 }.fill(Vec2::new(60.0, 180.0), spacing());
    let drop: Vec<Vec2> = drop.collect();
    let speed = 300.0;
    for &position in &drop {
        let falling = moving(position, Vec2::new(0.0, -speed));
        spawn(&mut world, ParticleSpawn { class: ClassId::LIGHT, ..falling });
    }
    let mass = world.classes()[ClassId::LIGHT].mass;
    let energy = 0.5 * mass * drop.len() as f32 * speed * speed;
    let splashes = splashes_in(&mut world, 120);
    let [splash] = splashes[..] else { panic!("{splashes:?}") };
    assert!(splash.position.distance(Vec2::new(60.0, 120.0)) < 30.0, "{splash:?}");
    assert!(splash.energy > 0.1 * energy && splash.energy < 2.0 * energy, "{splash:?} {energy}");
    let unit_speed = FluidParameters::default().speed_unit();
    let unit = 0.5 * unit_speed * unit_speed;
    assert!((splash.strength * unit / splash.energy - 1.0).abs() < 1e-4);
}

#[test]
fn a_place_that_is_hit_all_the_time_splashes_now_and_then() {
    let mut world = FluidWorld::default();
    for x in [-300.0, 300.0] {
        body(&mut world, &FluidShape::Circle { radius: 20.0 }, Vec2::new(x, 0.0), 0.0);
    }
    let mut detector = SplashDetector::new(SplashDetection::default()).expect("valid");
    let mut splashes = Vec::new();
    for tick in 0..61 {
        let velocity = if tick % 2 == 0 { Vec2::X } else { Vec2::NEG_X };
        world.particles_mut().velocities_mut().fill(200.0 * velocity);
        splashes.extend_from_slice(detector.update(&world, TICK));
    }
    for (side, class) in [(-1.0, ClassId::HEAVY), (1.0, ClassId::LIGHT)] {
        let here: Vec<_> = splashes.iter().filter(|splash| splash.class == class).collect();
        assert!(here.iter().all(|splash| (splash.position.x - side * 300.0).abs() < 30.0));
        // One splash in 0.3 s.
        assert!((3..=4).contains(&here.len()), "{here:?}");
    }
}

#[test]
fn splashes_of_nonsense_are_refused() {
    let fine = SplashDetection::default();
    for bad in [
        SplashDetection { min_speed: 0.0, ..fine },
        SplashDetection { min_energy: f32::NAN, ..fine },
        SplashDetection { tile: 0.5, ..fine },
        SplashDetection { gathering: -0.1, ..fine },
        SplashDetection { refractory: f32::INFINITY, ..fine },
    ] {
        assert!(SplashDetector::new(bad).is_err(), "{bad:?}");
    }
    let mut detector = SplashDetector::new(fine).expect("valid");
    for time in [f32::NAN, 0.0, -1.0] {
        assert_eq!(detector.update(&disc(50.0, Vec2::ZERO), time), []);
    }
}
