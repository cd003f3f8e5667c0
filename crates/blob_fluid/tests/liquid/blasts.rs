//! Blasts: momentum, energy, walls in between, pressures, and extreme values.

use std::f32::consts::PI;

use blob_fluid::shape::{Polygon, Polyline, scatter};
use blob_fluid::{
    Attachment, Blast, BlastReport, Body, ClassFilter, ClassId, Collider, ColliderOptions,
    Container, FluidParameters, FluidShape, FluidWorld, HostBody, Motion, ParticleSpawn, Pose,
};
use glam::{DVec2, Vec2};

use crate::pools::{add_tank, assert_finite, body, cells, pour, spacing, ticks_until_asleep};
use crate::ticks::{run, run_by, same_on_threads};

const BLAST: Blast = Blast { position: Vec2::ZERO, energy: 1e6, radius: 100.0 };

fn weightless() -> FluidWorld {
    FluidWorld::new(FluidParameters::new(spacing(), Vec2::ZERO)).expect("valid")
}

/// Fills a square around the origin, `side` particles wide, at the density of rest.
fn fill(world: &mut FluidWorld, side: usize) {
    let half = 0.5 * side as f32;
    pour(world, cells(side, side).map(|cell| (cell - half) * spacing()));
}

fn mass(world: &FluidWorld, index: usize) -> f64 {
    world.classes()[world.particles().classes()[index]].mass.into()
}

/// Momentum of the liquid; momentum of bodies and host bodies; kinetic energy of all.
fn motion(world: &FluidWorld) -> (DVec2, DVec2, f64) {
    let (mut of_liquid, mut of_bodies, mut energy) = (DVec2::ZERO, DVec2::ZERO, 0.0);
    for (index, velocity) in world.particles().velocities().iter().enumerate() {
        let (mass, velocity) = (mass(world, index), velocity.as_dvec2());
        of_liquid += mass * velocity;
        energy += 0.5 * mass * velocity.length_squared();
    }
    let mut add = |motion: Motion, mass: f64, inertia: f64| {
        let velocity = motion.velocity.as_dvec2();
        of_bodies += mass * velocity;
        energy += 0.5 * mass * velocity.length_squared()
            + 0.5 * inertia * f64::from(motion.angular_velocity).powi(2);
    };
    for (_, collider) in world.colliders() {
        if let Some(Body { mass, moment_of_inertia, .. }) = collider.options().body {
            add(collider.motion(), mass.into(), moment_of_inertia.into());
        }
    }
    for (_, host) in world.host_bodies() {
        let inverse = f64::from(host.inverse_mass.x);
        add(host.motion, 1.0 / inverse, 1.0 / f64::from(host.inverse_inertia));
    }
    (of_liquid, of_bodies, energy)
}

/// Applies a blast, and compares its report with the changes of the world.
#[track_caller]
fn apply(world: &mut FluidWorld, blast: &Blast) -> BlastReport {
    let (liquid, bodies, energy) = motion(world);
    let report = world.apply_blast(blast).expect("valid");
    let after = motion(world);
    // The momentum of the whole pulse and of the liquid, without regard to direction.
    let pulse = 0.25 * PI * PI * blast.radius / spacing() * (2.0 * blast.energy / PI).sqrt();
    let speeds = world.particles().velocities().iter().enumerate();
    let scale = f64::from(pulse)
        + speeds.map(|(at, speed)| mass(world, at) * f64::from(speed.length())).sum::<f64>();
    let near = |one: DVec2, other: Vec2| {
        let error = one.distance(other.as_dvec2());
        assert!(error <= 1e-6 * scale, "{one} against {other}: {error:e} of {scale}");
    };
    near(after.0 - liquid, report.impulse_on_liquid);
    near(after.1 - bodies, report.impulse_on_bodies);
    let BlastReport { impulse_on_liquid, impulse_on_bodies, impulse_on_walls, escaped, .. } =
        report;
    near(DVec2::ZERO, impulse_on_liquid + impulse_on_bodies + impulse_on_walls + escaped);
    let gained = after.2 - energy;
    let (stated, rounding) = (f64::from(blast.energy), f64::from(f32::EPSILON) * energy);
    assert!(gained <= stated + rounding, "{gained} of {stated}");
    assert!((gained - f64::from(report.energy)).abs() < 1e-5 * (stated + energy), "{report:?}");
    report
}

#[test]
fn a_free_blast_has_its_formula_no_momentum_and_its_energy() {
    let mut world = weightless();
    fill(&mut world, 30);
    let report = apply(&mut world, &BLAST);
    let pulse = 0.25 * PI * PI * BLAST.radius / spacing() * (2.0 * BLAST.energy / PI).sqrt();
    let error = report.impulse_on_liquid.length() / pulse;
    println!("momentum {error:e}, {} of the energy, {report:?}", report.energy / BLAST.energy);
    assert!(error < 1e-6, "{report:?}");
    assert!((0.95..=1.0).contains(&(report.energy / BLAST.energy)), "{report:?}");
    let mut thrown = 0;
    for (at, velocity) in world.particles().positions().iter().zip(world.particles().velocities()) {
        let distance = at.length();
        let share = 2.0 * BLAST.energy * (1.0 - distance / BLAST.radius).max(0.0);
        let speed = spacing() * (share / (PI * BLAST.radius * distance)).sqrt();
        let expected = *at / distance * speed;
        let factor = (report.energy / BLAST.energy).min(1.0).sqrt();
        assert!(velocity.distance(expected) < (1.01 - factor) * speed + 1e-3, "{at} {velocity}");
        thrown += usize::from(speed > 0.0);
    }
    assert_eq!(report.particles, thrown);
}

#[test]
fn nothing_behind_a_wall_is_thrown() {
    let square = [(-9.0, -30.0), (9.0, -30.0), (9.0, 30.0), (-9.0, 30.0)].map(Vec2::from);
    let line = |thickness| Polyline::new([Vec2::Y * -30.0, Vec2::Y * 30.0], thickness);
    let shapes = [
        FluidShape::Circle { radius: 25.0 },
        FluidShape::Rectangle { half_size: Vec2::new(0.5, 30.0) },
        FluidShape::Capsule { half_length: 20.0, radius: 3.0 },
        FluidShape::HalfPlane { normal: Vec2::NEG_X },
        FluidShape::Polygon(Polygon::new(square).expect("valid")),
        FluidShape::Polyline(line(0.0).expect("valid")),
        FluidShape::Polyline(line(4.0).expect("valid")),
    ];
    for shape in shapes {
        for turn in [Vec2::X, Vec2::new(0.6, 0.8)] {
            let mut world = weightless();
            fill(&mut world, 24);
            let wall = Collider::new(shape.clone(), turn * 40.0, turn).expect("valid");
            world.insert_collider(wall.clone());
            let report = apply(&mut world, &BLAST);
            let particles = world.particles();
            let (mut hidden, mut seen) = (0, 0);
            for (at, velocity) in particles.positions().iter().zip(particles.velocities()) {
                // Sampled, unlike the code. Grazing lines are uncertain.
                let steps = || (0..=4000).map(|step| *at * (step as f32 / 4000.0));
                let nearest = steps().map(|point| wall.distance(point)).fold(f32::MAX, f32::min);
                if nearest < -0.05 || nearest < 0.01 && at.dot(turn) > 41.0 {
                    assert_eq!(*velocity, Vec2::ZERO, "{at} behind {shape:?}");
                    hidden += 1;
                } else if nearest > 0.2 && at.length() < BLAST.radius {
                    assert_ne!(*velocity, Vec2::ZERO, "{at} beside {shape:?}");
                    seen += 1;
                }
            }
            assert!(hidden > 10 && seen > 100, "{hidden} {seen} {shape:?}");
            assert!(report.impulse_on_walls.dot(turn) > 0.0, "{report:?}");
        }
    }
    // Nor through the wall of a container, from inside and from outside.
    for centre in [Vec2::ZERO, Vec2::X * 60.0] {
        let mut world = weightless();
        world.insert_container(Container::circle(Vec2::ZERO, 50.0).expect("valid"));
        fill(&mut world, 24);
        apply(&mut world, &Blast { position: centre, ..BLAST });
        let particles = world.particles();
        for (at, velocity) in particles.positions().iter().zip(particles.velocities()) {
            if (at.length() - 50.0) * (centre.length() - 50.0) < 0.0 {
                assert_eq!(*velocity, Vec2::ZERO, "{at}");
            }
        }
    }
}

/// Liquid of three classes that moves, bodies, a host body of two colliders, walls and a membrane.
fn crowded() -> FluidWorld {
    let mut world = weightless();
    add_tank(&mut world, Vec2::new(20.0, 0.0), Vec2::new(120.0, 70.0));
    for number in 0..600 {
        let position = scatter(number) * 110.0;
        let velocity = scatter(5000 + number) * 80.0 - 0.5 * position;
        let class = ClassId((number % 3) as u8);
        world
            .spawn(ParticleSpawn { position, velocity, class, ..Default::default() })
            .expect("room");
    }
    let square = FluidShape::Rectangle { half_size: Vec2::splat(9.0) };
    for (number, density) in (0..).zip([0.02, 0.4, 3.0]) {
        let centre = Vec2::new(-50.0 + 40.0 * number as f32, 35.0 - 8.0 * number as f32);
        let motion = Motion { velocity: scatter(number) * 50.0, angular_velocity: 1.0 };
        let body = body(square.clone(), centre, density).with_motion(motion).expect("valid");
        world.insert_collider(body);
    }
    let at = Pose::new(Vec2::new(0.0, -45.0), Vec2::new(0.8, 0.6));
    let host =
        HostBody { inverse_mass: Vec2::splat(0.05), inverse_inertia: 2e-4, ..HostBody::at(at) };
    let host = world.insert_host_body(host).expect("valid");
    for x in [-12.0, 12.0] {
        let pose = Pose::from_translation(Vec2::X * x);
        let options = ColliderOptions {
            attachment: Some(Attachment { body: host, pose }),
            ..Default::default()
        };
        let disc = Collider::circle((at * pose).translation, 8.0).expect("valid");
        world.insert_collider(disc.with_options(options).expect("valid"));
    }
    let post = Collider::rectangle(Vec2::new(60.0, 0.0), Vec2::new(3.0, 20.0)).expect("valid");
    world.insert_collider(post);
    let options = ColliderOptions { one_way: true, ..Default::default() };
    let membrane = Collider::circle(Vec2::new(-70.0, 0.0), 12.0).expect("valid");
    world.insert_collider(membrane.with_options(options).expect("valid"));
    world
}

#[test]
fn momentum_is_shared_and_energy_limited_whatever_is_hit() {
    for energy in [0.0, 1.0, 1e4, 1e6, 1e8] {
        for position in [Vec2::ZERO, Vec2::new(30.0, 10.0), Vec2::new(-80.0, -60.0)] {
            for radius in [1.0, 40.0, 300.0] {
                let report = apply(&mut crowded(), &Blast { position, energy, radius });
                assert!(radius < 300.0 || energy < 1.0 || report.bodies > 1, "{report:?}");
            }
        }
    }
}

#[test]
fn a_closed_box_does_not_drive_itself() {
    let mut world = weightless();
    let at = Pose::new(Vec2::new(7.0, 3.0), Vec2::new(0.8, 0.6));
    let host =
        HostBody { inverse_mass: Vec2::splat(0.01), inverse_inertia: 1e-5, ..HostBody::at(at) };
    let host = world.insert_host_body(host).expect("valid");
    for side in [Vec2::X, Vec2::Y, Vec2::NEG_X, Vec2::NEG_Y] {
        let pose = Pose::new(side * 64.0, side);
        let options = ColliderOptions {
            attachment: Some(Attachment { body: host, pose }),
            ..Default::default()
        };
        let place = at * pose;
        let shape = FluidShape::Rectangle { half_size: Vec2::new(4.0, 68.0) };
        let wall = Collider::new(shape, place.translation, place.rotation).expect("valid");
        world.insert_collider(wall.with_options(options).expect("valid"));
    }
    pour(&mut world, cells(12, 5).map(|cell| at.to_world((cell - Vec2::new(6.0, 7.0)) * 8.0)));
    let blast = Blast { position: at.to_world(Vec2::new(10.0, 20.0)), radius: 200.0, ..BLAST };
    let report = apply(&mut world, &blast);
    assert!(report.bodies == 1 && report.particles > 30, "{report:?}");
    assert!(report.impulse_on_bodies.length() > 100.0, "{report:?}");
    assert_eq!((report.impulse_on_walls, report.escaped), (Vec2::ZERO, Vec2::ZERO));
    let load = world.host_body_load(host).expect("there").impulse;
    assert!(load.distance(report.impulse_on_bodies) < 1e-3 * load.length(), "{load} {report:?}");
}

#[test]
fn pressure_is_energy_per_area_and_lasts_only_between_closed_walls() {
    let mut world = weightless();
    let wall = |x: f32, y: f32| {
        Collider::rectangle(
            Vec2::new(x, y) * 50.0,
            Vec2::new(2.0, 2.0) + 50.0 * Vec2::new(y, x).abs(),
        )
    };
    let sides = [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)];
    let ids = sides.map(|(x, y)| world.insert_collider(wall(x, y).expect("valid")));
    let hits = world.blast_hits(&BLAST).expect("valid");
    let expected = BLAST.energy / (96.0 * 96.0);
    assert!((hits.enclosed_pressure / expected - 1.0).abs() < 1e-3, "{}", hits.enclosed_pressure);
    for hit in &hits.list {
        let pressure = BLAST.energy / (PI * hit.point.length_squared());
        assert!((hit.pressure / pressure - 1.0).abs() < 1e-4, "{hit:?}");
        assert!(hit.direction.distance(hit.point / hit.distance) < 1e-5, "{hit:?}");
        let collider = world.collider(hit.collider.expect("a collider")).expect("there");
        assert!(collider.distance(hit.point).abs() < 1e-3, "{hit:?}");
    }
    assert!(ids.iter().all(|id| hits.list.iter().any(|hit| hit.collider == Some(*id))));
    let small = world.blast_hits(&Blast { radius: 60.0, ..BLAST }).expect("valid");
    assert!(small.enclosed_pressure == 0.0 && !small.list.is_empty(), "the corners are too far");
    // What stops no particle stops no gas.
    for options in [
        ColliderOptions { classes: ClassFilter::NONE, ..Default::default() },
        ColliderOptions { one_way: true, ..Default::default() },
    ] {
        let open = wall(1.0, 0.0).and_then(|wall| wall.with_options(options)).expect("valid");
        world.set_collider(ids[0], open);
        let hits = world.blast_hits(&BLAST).expect("valid");
        assert!(
            hits.enclosed_pressure == 0.0
                && hits.list.iter().all(|hit| hit.collider != Some(ids[0]))
        );
    }
}

#[test]
fn the_strongest_blasts_break_nothing() {
    for (spacing, radius) in [(0.01, 1e-3), (0.01, 1.0), (8.0, 1e6), (8.0, 120.0), (100.0, 1500.0)]
    {
        let mut world =
            FluidWorld::new(FluidParameters::new(spacing, Vec2::NEG_Y * 25.0 * spacing))
                .expect("valid");
        let half = Vec2::new(14.0, 10.0) * spacing;
        add_tank(&mut world, Vec2::ZERO, half);
        pour(&mut world, cells(26, 10).map(|cell| (cell - Vec2::new(13.0, 10.0)) * spacing));
        let crate_shape = FluidShape::Rectangle { half_size: Vec2::splat(2.0 * spacing) };
        let light = Body::of_density(0.001, &crate_shape, spacing).expect("valid");
        let options = ColliderOptions { body: Some(light), ..Default::default() };
        let floating = Collider::new(crate_shape, Vec2::Y * 4.0 * spacing, Vec2::X);
        world.insert_collider(floating.and_then(|it| it.with_options(options)).expect("valid"));
        let post = Collider::rectangle(Vec2::X * 6.0 * spacing, Vec2::new(0.05, 8.0) * spacing);
        world.insert_collider(post.expect("valid"));
        let count = world.particles().len();
        for energy in [1e12, 1e-30, f32::MIN_POSITIVE] {
            for position in [Vec2::Y * -spacing, half * 0.9, Vec2::splat(1e12)] {
                let report = world.apply_blast(&Blast { position, energy, radius }).expect("valid");
                assert!(report.energy <= energy, "{report:?}");
                run(&mut world, 20);
                assert_finite(&world);
                assert_eq!(world.particles().len(), count, "spacing {spacing}, radius {radius}");
                let within = |at: &Vec2| at.abs().cmple(half + 0.01 * spacing).all();
                assert!(world.particles().positions().iter().all(within), "a leak");
            }
        }
    }
}

#[test]
fn it_wakes_what_it_throws_and_is_the_same_on_threads() {
    let result = same_on_threads([2], |executor| {
        let mut world = FluidWorld::default();
        add_tank(&mut world, Vec2::ZERO, Vec2::new(400.0, 100.0));
        pour(&mut world, cells(96, 6).map(|cell| Vec2::new(-390.0, -98.0) + cell * 8.0));
        let square = FluidShape::Rectangle { half_size: Vec2::splat(10.0) };
        let stone = world.insert_collider(body(square, Vec2::new(-300.0, -88.0), 3.0));
        ticks_until_asleep(&mut world, 3000);
        let blast = Blast { position: Vec2::new(-300.0, -40.0), ..BLAST };
        let report = apply(&mut world, &blast);
        assert!(report.bodies == 1 && !world.collider(stone).expect("there").is_sleeping());
        run_by(executor, &mut world, 1);
        let (asleep, count) = (world.asleep(), world.particles().len());
        assert!((count / 3..count).contains(&asleep), "{asleep} of {count} sleep");
        run_by(executor, &mut world, 60);
        world.state_hash()
    });
    assert_ne!(result, 0);
}

#[test]
fn a_blast_out_of_range_is_refused() {
    let mut world = crowded();
    let hash = world.state_hash();
    let bad: [(&str, Blast); 6] = [
        ("position", Blast { position: Vec2::new(f32::NAN, 0.0), ..BLAST }),
        ("energy", Blast { energy: -1.0, ..BLAST }),
        ("energy", Blast { energy: f32::INFINITY, ..BLAST }),
        ("energy", Blast { energy: f32::NAN, ..BLAST }),
        ("radius", Blast { radius: 0.0, ..BLAST }),
        ("radius", Blast { radius: 2e6, ..BLAST }),
    ];
    for (field, blast) in bad {
        assert_eq!(world.apply_blast(&blast).expect_err("refused").field, field);
        assert_eq!(world.blast_hits(&blast).expect_err("refused").field, field);
    }
    assert_eq!(world.state_hash(), hash);
}
