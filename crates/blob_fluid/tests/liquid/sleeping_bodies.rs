//! Bodies at rest sleep together with the liquid around them, and wake when something happens to
//! them.

use blob_fluid::*;
use glam::Vec2;

use crate::pools::{
    add_collider, add_tank, at as particle_at, body, change, change_parameters, configured,
    in_tank, pour, pour_around_colliders, spacing, spawn, ticks_until_asleep, world_with,
};
use crate::ticks::{TICK, run};

fn crate_at(centre: Vec2, density: f32) -> Collider {
    body(FluidShape::Rectangle { half_size: Vec2::new(25.0, 15.0) }, centre, density)
}

/// A tank of this width around `x = 0`, with its floor at -150, filled up to about -20.
fn tank(width: f32, sleeping: FluidSleeping) -> FluidWorld {
    let mut world = world_with(FluidParameters { sleeping, ..FluidParameters::default() });
    add_tank(&mut world, Vec2::ZERO, Vec2::new(0.5 * width, 150.0));
    fill(&mut world, Vec2::new(width, 130.0));
    world
}

/// Adds liquid of this width and height around the colliders in a tank.
fn fill(world: &mut FluidWorld, size: Vec2) {
    let shape = FluidShape::Rectangle { half_size: 0.5 * size - Vec2::new(2.0, 0.0) };
    pour_around_colliders(world, shape.fill(Vec2::new(0.0, 0.5 * size.y - 149.0), 8.0));
}

/// A pond into which three boxes fall that float, and their handles.
fn pond(sleeping: FluidSleeping) -> (FluidWorld, [ColliderId; 3]) {
    let mut world = tank(800.0, sleeping);
    let boxes = [(-200.0, 0.3), (0.0, 0.5), (200.0, 0.8)];
    let ids =
        boxes.map(|(x, density)| world.insert_collider(crate_at(Vec2::new(x, 20.0), density)));
    (world, ids)
}

/// The pond asleep.
fn asleep() -> (FluidWorld, [ColliderId; 3]) {
    let (mut world, ids) = pond(FluidSleeping::default());
    ticks_until_asleep(&mut world, 40 * 60);
    (world, ids)
}

fn collider(world: &FluidWorld, id: ColliderId) -> &Collider {
    world.collider(id).expect("there")
}

fn sleeps(world: &FluidWorld, id: ColliderId) -> bool {
    collider(world, id).is_sleeping()
}

/// Places, angles and motions of all colliders.
fn poses(world: &FluidWorld) -> Vec<(Vec2, Vec2, Motion)> {
    world
        .colliders()
        .map(|(_, collider)| (collider.centre(), collider.rotation(), collider.motion()))
        .collect()
}

/// Number of particles that are awake within 80 of a point, at least.
fn moving_near(world: &FluidWorld, point: Vec2) -> usize {
    let particles = world.particles();
    let all = particles.positions().iter().zip(particles.velocities());
    all.filter(|(at, velocity)| at.distance(point) < 80.0 && **velocity != Vec2::ZERO).count()
}

#[test]
fn a_pond_with_boxes_falls_asleep_and_costs_nothing() {
    let (mut world, ids) = pond(FluidSleeping::default());
    let ticks = ticks_until_asleep(&mut world, 40 * 60);
    assert!(ids.iter().all(|id| sleeps(&world, *id)));
    assert_eq!(world.asleep(), world.particles().len());
    let (before, hash) = (poses(&world), world.state_hash());
    for _ in 0..3600 {
        let report = world.step(TICK, &SerialExecutor).expect("valid");
        assert_eq!((report.substeps, report.asleep), (0, world.particles().len()));
    }
    assert_eq!(poses(&world), before, "nothing drifts");
    assert!(before.iter().all(|(_, _, motion)| *motion == Motion::STILL));
    assert_eq!(world.state_hash(), hash);
    // They lie where they would without sleep. Awake they go on to wander, by a tenth of a spacing.
    let (mut awake, _) = pond(FluidSleeping::OFF);
    run(&mut awake, ticks);
    for ((at, turned, _), (expected, angle, _)) in before.iter().zip(poses(&awake)) {
        assert!((at.y - expected.y).abs() < 0.05 * spacing(), "{at} of {expected}");
        assert!((turned.y - angle.y).abs() < 0.05, "{turned} of {angle}");
    }
}

#[test]
fn until_the_first_falls_asleep_sleep_changes_no_bit() {
    let (mut world, _) = pond(FluidSleeping::default());
    let (mut without, ids) = pond(FluidSleeping::OFF);
    let mut ticks = 0;
    loop {
        run(&mut world, 1);
        if world.asleep() > 0 || ids.iter().any(|id| sleeps(&world, *id)) {
            break;
        }
        run(&mut without, 1);
        assert_eq!((world.state_hash(), poses(&world)), (without.state_hash(), poses(&without)));
        ticks += 1;
    }
    assert!(ticks > 120, "{ticks} ticks");
    run(&mut without, 1800);
    assert!(without.asleep() == 0 && ids.iter().all(|id| !sleeps(&without, *id)));
}

#[test]
fn whatever_happens_to_a_body_wakes_it_and_the_liquid_around_it() {
    let (asleep, [left, middle, right]) = asleep();
    let at = collider(&asleep, left).centre();
    let beside = at + Vec2::new(45.0, -20.0);
    let touches = [
        change(60, "liquid is poured on it", |world| {
            pour(world, [-10.0, 0.0, 10.0].map(|x| at + Vec2::new(x, 80.0)));
        }),
        change(30, "liquid beside it is pushed", |world| {
            let velocities = world.particles().positions().to_vec();
            let near = velocities.iter().map(|position| position.distance(beside) < 20.0);
            let near: Vec<bool> = near.collect();
            let all = world.particles_mut().velocities_mut().iter_mut().zip(near);
            all.filter(|(_, near)| *near).for_each(|(velocity, _)| velocity.x += 60.0);
        }),
        change(60, "liquid beside it is taken away", |world| {
            assert!(world.despawn_where(|position, _| position.distance(beside) < 20.0) > 3)
        }),
        change(30, "a force acts on the liquid around it", |world| {
            let force = Force::attract(beside, 40.0, 300.0).expect("valid");
            world.set_forces(&[force]).expect("valid");
        }),
        change(1, "it gets a motion", |world| {
            let motion = Motion { velocity: Vec2::new(3.0, 0.0), angular_velocity: 0.0 };
            assert_eq!(world.set_collider_motion(left, motion), Ok(true));
        }),
        change(1, "it is moved", |world| {
            assert_eq!(world.move_collider(left, at + Vec2::X, Vec2::X), Ok(true));
        }),
        change(30, "it becomes heavier", |world| {
            let held = collider(world, left).clone();
            let mut options = held.options();
            options.body.as_mut().expect("a body").mass *= 2.0;
            assert!(world.set_collider(left, configured(held, options)));
        }),
        change(30, "it gets another shape", |world| {
            let disc = body(FluidShape::Circle { radius: 20.0 }, at, 0.5);
            assert!(world.set_collider(left, disc));
        }),
        change(60, "a body falls on it", |world| {
            world.insert_collider(crate_at(at + Vec2::new(0.0, 80.0), 0.5));
        }),
        change(60, "a collider comes to it", |world| {
            let motion = Motion { velocity: Vec2::new(0.0, -60.0), angular_velocity: 0.0 };
            let piston = Collider::rectangle(at + Vec2::new(0.0, 85.0), Vec2::new(20.0, 10.0));
            let piston = piston.and_then(|piston| piston.with_motion(motion));
            add_collider(world, piston);
        }),
        change(1, "a collider appears beside it", |world| {
            add_collider(world, Collider::circle(at + Vec2::new(40.0, 0.0), 10.0));
        }),
    ];
    for (ticks, name, touch) in touches {
        let mut world = asleep.clone();
        touch(&mut world);
        let wakes = |_| {
            let report = world.step(TICK, &SerialExecutor).expect("valid");
            !sleeps(&world, left) && report.substeps > 0
        };
        assert!((0..ticks).any(wakes), "{name}: it sleeps on");
        assert!(sleeps(&world, right), "{name}: far away all sleep");
        run(&mut world, 1);
        assert!(moving_near(&world, at) > 20, "{name}: liquid around it sleeps on");
        assert_ne!(collider(&world, left).centre(), at, "{name}: it stays where it was");
    }
    let everywhere = [
        change((), "gravity changes", |world| {
            change_parameters(world, |parameters| parameters.gravity *= 1.2);
        }),
        change((), "classes change", |world| {
            let mut classes: Vec<DensityClass> = world.classes().iter().cloned().collect();
            classes[usize::from(ClassId::MEDIUM.0)].mass *= 1.5;
            world.set_classes(ClassTable::new(classes).expect("valid")).expect("valid");
        }),
        change((), "the container moves", |world| {
            let id = world.containers().next().expect("there is one").0;
            let motion = Motion { velocity: Vec2::X, angular_velocity: 0.0 };
            assert_eq!(world.set_container_motion(id, motion), Ok(true));
        }),
        change((), "sleep is turned off", |world| {
            change_parameters(world, |parameters| parameters.sleeping = FluidSleeping::OFF);
        }),
    ];
    for ((), name, touch) in everywhere {
        let mut world = asleep.clone();
        touch(&mut world);
        run(&mut world, 1);
        assert!([left, middle, right].iter().all(|id| !sleeps(&world, *id)), "{name}");
    }
    // What changes nothing wakes nothing.
    let mut same = asleep.clone();
    let held = collider(&same, left).clone();
    assert!(same.set_collider(left, held));
    assert_eq!(same.set_collider_motion(left, Motion::STILL), Ok(true));
    same.particles_mut();
    assert!([left, middle, right].iter().all(|id| sleeps(&same, *id)));
    let report = same.step(TICK, &SerialExecutor).expect("valid");
    run(&mut same, 1);
    assert_eq!(same.asleep(), same.particles().len(), "{report:?}");
    assert_eq!(poses(&same), poses(&asleep));
}

#[test]
fn a_body_that_a_host_changes_is_awake_at_once() {
    let (asleep, [id, ..]) = asleep();
    let mut pushed = asleep.clone();
    let motion = Motion { velocity: Vec2::X, angular_velocity: 0.0 };
    assert_eq!(pushed.set_collider_motion(id, motion), Ok(true));
    let mut moved = asleep.clone();
    let beside = collider(&asleep, id).centre() + Vec2::X;
    assert_eq!(moved.move_collider(id, beside, Vec2::X), Ok(true));
    assert!(sleeps(&asleep, id) && !sleeps(&pushed, id) && !sleeps(&moved, id));
}

#[test]
fn liquid_around_a_body_that_never_rests_stays_awake() {
    let mut world = tank(800.0, FluidSleeping::default());
    // A heavy wheel that turns so slowly that it disturbs nothing.
    let disc = FluidShape::Circle { radius: 20.0 };
    let heavy = Body { pinned: true, ..Body::new(1e3, 1e9) };
    let options = ColliderOptions { body: Some(heavy), ..Default::default() };
    let motion = Motion { velocity: Vec2::ZERO, angular_velocity: 0.011 };
    let at = Vec2::new(-200.0, -90.0);
    let wheel = Collider::new(disc, at, Vec2::X).and_then(|wheel| wheel.with_options(options));
    let wheel = add_collider(&mut world, wheel.and_then(|wheel| wheel.with_motion(motion)));
    run(&mut world, 2400);
    assert!(!sleeps(&world, wheel));
    assert!(world.asleep() > world.particles().len() / 2, "far away it sleeps");
    assert!(moving_near(&world, at) > 20, "it would exert no load");
}

#[test]
fn what_was_woken_falls_asleep_again() {
    let (mut world, [left, ..]) = asleep();
    let before = collider(&world, left).centre();
    spawn(&mut world, particle_at(before + Vec2::new(60.0, 60.0)));
    let ticks = ticks_until_asleep(&mut world, 40 * 60);
    assert!(ticks > 60, "it slept on");
    assert!(collider(&world, left).centre().distance(before) < spacing());
}

#[test]
fn a_body_whose_load_is_reported_stays_awake() {
    let mut world = tank(400.0, FluidSleeping::default());
    let reported = crate_at(Vec2::new(-80.0, 0.0), 0.5);
    let options = ColliderOptions { reports_load: true, ..reported.options() };
    let reported = world.insert_collider(configured(reported, options));
    let other = world.insert_collider(crate_at(Vec2::new(80.0, 0.0), 0.5));
    run(&mut world, 3600);
    assert!(sleeps(&world, other) && !sleeps(&world, reported));
    let weight = |id: ColliderId| {
        collider(&world, id).options().body.expect("a body").mass
            * world.parameters().gravity.length()
    };
    // The load on a sleeping body is that with which it fell asleep.
    for id in [reported, other] {
        let force = world.load_on(id).expect("there").impulse.y / TICK;
        assert!((force / weight(id) - 1.0).abs() < 0.1, "{force} of {}", weight(id));
    }
}

#[test]
fn a_restored_snapshot_goes_on_with_the_same_bits_on_any_number_of_threads() {
    let (mut world, [left, ..]) = pond(FluidSleeping::default());
    let mut snapshots = Vec::new();
    let mut times: Vec<u32> = vec![600, 720, 900];
    for tick in 1..=2400 {
        let report = world.step(TICK, &SerialExecutor).expect("valid");
        if times.first() == Some(&tick) {
            times.remove(0);
            snapshots.push(world.liquid().clone());
        }
        if report.substeps == 0 {
            break;
        }
    }
    assert_eq!(world.asleep(), world.particles().len());
    snapshots.push(world.liquid().clone());
    for (number, snapshot) in snapshots.into_iter().enumerate() {
        let hash = |threads: usize, snapshots: bool| {
            let executor = RayonExecutor::new(threads).expect("threads");
            let mut world = FluidWorld::from(snapshot.clone());
            let mut states = Vec::new();
            for tick in 0..600 {
                if tick == 100 {
                    let motion = Motion { velocity: Vec2::new(20.0, 0.0), angular_velocity: 0.5 };
                    world.set_collider_motion(left, motion).expect("valid");
                }
                if snapshots && tick % 40 == 20 {
                    world = FluidWorld::from(world.liquid().clone());
                }
                world.step(TICK, &executor).expect("valid");
                states.push((world.state_hash(), world.asleep(), poses(&world)));
            }
            states
        };
        let one = hash(1, false);
        assert!(one == hash(3, false) && one == hash(16, true), "snapshot {number}");
    }
}

#[test]
fn a_drag_that_stops_everything_lets_bodies_sleep_in_a_second_or_two() {
    let settling = Settling { drag: 5.0, ..Settling::default() };
    let mut world = tank(400.0, FluidSleeping::default());
    change_parameters(&mut world, |parameters| parameters.settling = settling);
    let id = world.insert_collider(crate_at(Vec2::new(0.0, 0.0), 0.5));
    let ticks = ticks_until_asleep(&mut world, 30 * 60);
    assert!(sleeps(&world, id) && ticks > 60, "{ticks}");
}

// Bodies that lie on each other, or on what is removed.

/// Three crates on top of each other, with the middle of the lowest at a point.
fn stack(world: &mut FluidWorld, lowest: Vec2) -> [ColliderId; 3] {
    let half_size = Vec2::splat(20.0);
    [0.0, 41.0, 82.0].map(|y| {
        let shape = FluidShape::Rectangle { half_size };
        world.insert_collider(body(shape, lowest + Vec2::new(0.0, y), 2.0))
    })
}

#[test]
fn a_stack_of_crates_sleeps_and_falls_when_the_lowest_is_removed() {
    for name in ["dry", "in water"] {
        let mut world = in_tank(Vec2::ZERO, Vec2::new(200.0, 150.0));
        let crates = stack(&mut world, Vec2::new(30.0, -129.0));
        if name == "in water" {
            fill(&mut world, Vec2::new(400.0, 30.0));
        }
        ticks_until_asleep(&mut world, 60 * 60);
        let [low, middle, high] = crates;
        assert!(crates.iter().all(|id| sleeps(&world, *id)), "{name}");
        let heights = crates.map(|id| collider(&world, id).centre().y);
        for (height, expected) in heights.iter().zip([-130.0, -90.0, -50.0]) {
            assert!((height - expected).abs() < 2.0, "{name}: {heights:?}");
        }
        let before = poses(&world);
        run(&mut world, 3600);
        assert_eq!(poses(&world), before, "{name}");
        assert!(world.remove_collider(low).is_some());
        run(&mut world, 20);
        let fallen = [middle, high].map(|id| collider(&world, id).centre().y);
        assert!(fallen[0] < heights[1] - 2.0 && fallen[1] < heights[2] - 2.0, "{name}: {fallen:?}");
        run(&mut world, 600);
        let lie = collider(&world, middle).centre().y;
        assert!((lie + 130.0).abs() < 2.0, "{name}: {lie}");
    }
}

#[test]
fn piles_of_small_crates_deep_under_water_sleep() {
    let mut world = in_tank(Vec2::ZERO, Vec2::new(150.0, 400.0));
    for (column, row) in (0..12).flat_map(|column| (0..5).map(move |row| (column, row))) {
        let centre = Vec2::new(22.0 * column as f32 - 130.0, 16.0 * row as f32 - 390.0);
        let shape = FluidShape::Rectangle { half_size: Vec2::new(8.0, 6.0) };
        world.insert_collider(body(shape, centre, 2.0));
    }
    let shape = FluidShape::Rectangle { half_size: Vec2::new(148.0, 200.0) };
    pour_around_colliders(&mut world, shape.fill(Vec2::new(0.0, -199.0), 8.0));
    ticks_until_asleep(&mut world, 60 * 60);
    assert!(world.colliders().all(|(_, collider)| collider.is_sleeping()));
}

#[test]
fn a_crate_falls_when_what_it_lies_on_is_removed_or_moves() {
    type Touch = (&'static str, fn(&mut FluidWorld, ColliderId));
    let touches: [Touch; 3] = [
        ("is removed", |world, shelf| assert!(world.remove_collider(shelf).is_some())),
        ("jumps", |world, shelf| {
            assert_eq!(world.move_collider(shelf, Vec2::new(0.0, -140.0), Vec2::X), Ok(true));
        }),
        ("sinks", |world, shelf| {
            let motion = Motion { velocity: Vec2::new(0.0, -50.0), angular_velocity: 0.0 };
            assert_eq!(world.set_collider_motion(shelf, motion), Ok(true));
        }),
    ];
    for (name, touch) in touches {
        let mut world = FluidWorld::default();
        let shelf = Collider::rectangle(Vec2::ZERO, Vec2::new(60.0, 5.0));
        let shelf = add_collider(&mut world, shelf);
        let shape = FluidShape::Rectangle { half_size: Vec2::splat(15.0) };
        let low = world.insert_collider(body(shape.clone(), Vec2::new(0.0, 21.0), 1.0));
        let high = world.insert_collider(body(shape, Vec2::new(5.0, 52.0), 1.0));
        ticks_until_asleep(&mut world, 20 * 60);
        let before = [low, high].map(|id| collider(&world, id).centre().y);
        touch(&mut world, shelf);
        run(&mut world, 30);
        for (id, before) in [low, high].into_iter().zip(before) {
            let height = collider(&world, id).centre().y;
            assert!(!sleeps(&world, id) && height < before - 5.0, "{name}");
        }
    }
}

#[test]
fn what_comes_from_far_away_wakes_a_body_where_no_liquid_is() {
    let mut world = FluidWorld::default();
    add_collider(&mut world, Collider::rectangle(Vec2::ZERO, Vec2::new(900.0, 5.0)));
    let shape = FluidShape::Rectangle { half_size: Vec2::splat(15.0) };
    let id = world.insert_collider(body(shape, Vec2::new(0.0, 20.0), 1.0));
    ticks_until_asleep(&mut world, 20 * 60);
    let before = collider(&world, id).centre();
    let motion = Motion { velocity: Vec2::new(-150.0, 0.0), angular_velocity: 0.0 };
    let plough = Collider::rectangle(Vec2::new(400.0, 20.0), Vec2::new(10.0, 10.0));
    add_collider(&mut world, plough.and_then(|plough| plough.with_motion(motion)));
    run(&mut world, 60);
    assert!(sleeps(&world, id), "it is still far away");
    run(&mut world, 120);
    assert!(collider(&world, id).centre().x < before.x - 30.0, "{}", collider(&world, id).centre());
}

#[test]
fn bodies_that_touch_sleep_together() {
    let mut world = FluidWorld::default();
    add_collider(&mut world, Collider::rectangle(Vec2::ZERO, Vec2::new(200.0, 5.0)));
    let shape = FluidShape::Rectangle { half_size: Vec2::splat(15.0) };
    let rests = world.insert_collider(body(shape.clone(), Vec2::new(0.0, 20.0), 1.0));
    let alone = world.insert_collider(body(shape, Vec2::new(150.0, 20.0), 1.0));
    // A wheel that turns slowly on its axle beside it, so near that it might touch it.
    let wheel = FluidShape::Circle { radius: 10.0 };
    let pinned = Body { pinned: true, ..Body::of_density(1.0, &wheel, spacing()).expect("valid") };
    let options = ColliderOptions { body: Some(pinned), ..Default::default() };
    let motion = Motion { velocity: Vec2::ZERO, angular_velocity: 0.025 };
    let wheel = Collider::new(wheel, Vec2::new(28.0, 20.0), Vec2::X);
    let wheel = wheel.and_then(|wheel| wheel.with_options(options));
    let wheel = add_collider(&mut world, wheel.and_then(|wheel| wheel.with_motion(motion)));
    run(&mut world, 600);
    assert!(sleeps(&world, alone) && !sleeps(&world, rests) && !sleeps(&world, wheel));
    assert_eq!(world.set_collider_motion(wheel, Motion::STILL), Ok(true));
    run(&mut world, 120);
    assert!([rests, alone, wheel].iter().all(|id| sleeps(&world, *id)));
}
