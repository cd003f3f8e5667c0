//! Liquid at rest sleeps. A disturbance wakes the liquid around it, and sleep does not change the
//! later motion.

use blob_fluid::{
    ClassId, ClassTable, Collider, Container, ContainerId, DensityClass, FluidParameters,
    FluidRegion, FluidSleeping, FluidWorld, Force, Motion, ParticleSpawn, RayonExecutor,
    SerialExecutor, Settling,
};
use glam::Vec2;

use crate::pools::{add_tank_from_origin, cells, fastest, pour, spacing};
use crate::ticks::{TICK, run};

pub(crate) const COLUMNS: usize = 120;
pub(crate) const ROWS: usize = 20;

/// A wide pool that a strong drag has brought to rest, with the default settings after that.
fn pool(sleeping: FluidSleeping) -> FluidWorld {
    let resting = FluidParameters { sleeping, ..FluidParameters::default() };
    let settling = Settling { drag: 2.0, ..Settling::default() };
    let mut world = FluidWorld::new(FluidParameters { settling, ..resting }).expect("valid");
    add_tank_from_origin(&mut world, Vec2::new(0.5 * COLUMNS as f32, 30.0) * spacing());
    pour(&mut world, cells(COLUMNS, ROWS).map(|cell| cell * spacing()));
    run(&mut world, 300);
    world.set_parameters(resting).expect("valid");
    world
}

/// The pool, with all particles asleep.
pub(crate) fn asleep() -> FluidWorld {
    let mut world = pool(FluidSleeping::default());
    for _ in 0..3600 {
        if world.step(TICK, &SerialExecutor).expect("valid").substeps == 0 {
            return world;
        }
    }
    panic!("only {} of {} sleep after a minute", world.asleep(), world.particles().len());
}

fn only_container(world: &FluidWorld) -> ContainerId {
    world.containers().next().expect("there is one").0
}

#[test]
fn a_pool_at_rest_sleeps_and_takes_no_substeps() {
    let mut world = asleep();
    let (hash, time) = (world.state_hash(), world.time());
    let report = world.step(TICK, &SerialExecutor).expect("valid");
    assert_eq!((report.substeps, report.asleep), (0, COLUMNS * ROWS));
    assert_eq!(report.time_step, TICK);
    assert_eq!(world.state_hash(), hash);
    assert!(world.time() > time, "time passes all the same");
    assert_eq!(world.particles().tick_start_positions(), world.particles().positions());
}

#[test]
fn without_sleeping_nothing_sleeps() {
    let mut world = pool(FluidSleeping::OFF);
    run(&mut world, 600);
    assert_eq!(world.asleep(), 0);
    assert!(fastest(&world, |_| true) > 0.0);
}

#[test]
fn whatever_touches_it_wakes_what_lies_around_and_no_more() {
    let asleep = asleep();
    let left = Vec2::new(15.0, 10.0) * spacing();
    let index = |world: &FluidWorld| {
        let near = |at: &Vec2| at.distance(left) < 2.0 * spacing();
        world.particles().positions().iter().position(near).expect("liquid there")
    };
    let force = |acceleration: f32| {
        let force = Force::attract(left, 3.0 * spacing(), acceleration).expect("valid");
        move |world: &mut FluidWorld| {
            world.set_forces(std::slice::from_ref(&force)).expect("valid");
        }
    };
    let collider = &Collider::circle(left, 2.0 * spacing()).expect("valid");
    let mut with_collider = asleep.clone();
    let post = with_collider.insert_collider(collider.clone());
    run(&mut with_collider, 3600);
    assert_eq!(with_collider.asleep(), COLUMNS * ROWS, "rests around the collider");
    let moving = Motion { velocity: Vec2::new(30.0, 0.0), angular_velocity: 0.0 };

    type Touch<'a> = (&'a str, &'a FluidWorld, Box<dyn Fn(&mut FluidWorld) + 'a>);
    let touches: Vec<Touch> = vec![
        (
            "a particle that appears",
            &asleep,
            Box::new(|world| {
                world.spawn(ParticleSpawn { position: left, ..Default::default() }).expect("room");
            }),
        ),
        (
            "a particle that dies",
            &asleep,
            Box::new(|world| {
                let id = world.particles().ids()[index(world)];
                assert!(world.despawn(id));
            }),
        ),
        (
            "particles that die",
            &asleep,
            Box::new(|world| {
                assert!(world.despawn_where(|at, _| at.distance(left) < 2.0 * spacing()) > 5);
            }),
        ),
        (
            "a particle that becomes another class's",
            &asleep,
            Box::new(|world| {
                let id = world.particles().ids()[index(world)];
                world.set_class(id, ClassId::LIGHT).expect("there is one");
            }),
        ),
        (
            "a push",
            &asleep,
            Box::new(|world| {
                let index = index(world);
                world.particles_mut().velocities_mut()[index] = Vec2::new(0.0, 50.0);
            }),
        ),
        ("a force", &asleep, Box::new(force(300.0))),
        (
            "a collider",
            &asleep,
            Box::new(|world| {
                world.insert_collider(collider.clone());
            }),
        ),
        ("a collider that goes", &with_collider, Box::new(|world| world.clear_colliders())),
        (
            "a collider that is removed",
            &with_collider,
            Box::new(|world| assert!(world.remove_collider(post).is_some())),
        ),
        (
            "a collider that jumps",
            &with_collider,
            Box::new(|world| {
                let beside = left + Vec2::new(spacing(), 0.0);
                assert_eq!(world.move_collider(post, beside, Vec2::X), Ok(true));
            }),
        ),
        (
            "a collider that moves",
            &with_collider,
            Box::new(|world| assert_eq!(world.set_collider_motion(post, moving), Ok(true))),
        ),
        (
            "a quarantined particle",
            &asleep,
            Box::new(|world| {
                let index = index(world);
                world.particles_mut().velocities_mut()[index] = Vec2::NAN;
            }),
        ),
    ];
    for (name, before, touch) in touches {
        let mut world = before.clone();
        touch(&mut world);
        let report = world.step(TICK, &SerialExecutor).expect("valid");
        assert!(report.substeps > 0, "{name}: wakes something");
        // Waking spreads by no more than a tile or two in a tick.
        run(&mut world, 2);
        let awake = world.particles().len() - world.asleep();
        assert!((20..COLUMNS * ROWS / 2).contains(&awake), "{name}: {awake} awake");
        let still = |at: Vec2| at.x > 60.0 * spacing();
        assert_eq!(fastest(&world, still), 0.0, "{name}: far away nothing moves");
        assert!(fastest(&world, |at| at.distance(left) < 8.0 * spacing()) > 0.0, "{name}");
    }
}

#[test]
fn forces_that_do_nothing_and_settings_that_stay_the_same_wake_nothing() {
    let mut world = asleep();
    let idle = Force::drag(FluidRegion::circle(Vec2::splat(50.0), 1e3).expect("valid"), 1.0);
    world.set_forces(&[idle]).expect("valid");
    let liquid = world.liquid_mut();
    liquid.set_parameters(*liquid.parameters()).expect("valid");
    liquid.set_classes(liquid.classes().clone()).expect("as many");
    let (id, tank) =
        world.containers().next().map(|(id, container)| (id, container.clone())).expect("one");
    assert!(world.set_container(id, tank));
    world.clear_colliders();
    assert_eq!(world.step(TICK, &SerialExecutor).expect("valid").substeps, 0);
}

#[test]
fn what_concerns_all_wakes_all() {
    let changes: [(&str, fn(&mut FluidWorld)); 4] = [
        ("gravity", |world| {
            let gravity = Vec2::new(30.0, -200.0);
            let liquid = world.liquid_mut();
            liquid
                .set_parameters(FluidParameters { gravity, ..*liquid.parameters() })
                .expect("valid");
        }),
        ("a class", |world| {
            let lighter = |class: &DensityClass| DensityClass {
                gravity_scale: 0.5 * class.gravity_scale,
                ..class.clone()
            };
            let classes = world.classes().iter().map(lighter).collect();
            world.set_classes(ClassTable::new(classes).expect("valid")).expect("as many");
        }),
        ("a container", |world| {
            let wider = Vec2::new(70.0, 30.0) * spacing();
            let wider = Container::rectangle(wider, wider).expect("valid");
            let tank = only_container(world);
            assert!(world.set_container(tank, wider));
        }),
        ("a container that moves", |world| {
            let motion = Motion { velocity: Vec2::new(5.0, 0.0), angular_velocity: 0.0 };
            let tank = only_container(world);
            assert_eq!(world.set_container_motion(tank, motion), Ok(true));
        }),
    ];
    let asleep = asleep();
    for (name, change) in changes {
        let mut world = asleep.clone();
        change(&mut world);
        run(&mut world, 1);
        assert_eq!(world.asleep(), 0, "{name}");
        let moving = world.particles().velocities().iter().filter(|v| **v != Vec2::ZERO).count();
        assert!(moving > COLUMNS * ROWS / 2, "{name}: only {moving} move");
    }
}

#[test]
fn what_goes_on_moving_keeps_awake_what_it_moves_through() {
    let asleep = asleep();
    let mut world = asleep.clone();
    let drifting = Motion { velocity: Vec2::new(0.3, 0.0), angular_velocity: 0.0 };
    assert_eq!(
        {
            let tank = only_container(&world);
            world.set_container_motion(tank, drifting)
        },
        Ok(true)
    );
    run(&mut world, 300);
    assert_eq!(world.asleep(), 0, "in a container that drifts");

    let post = Collider::circle(Vec2::new(15.0, 10.0) * spacing(), 2.0 * spacing());
    let post = post.and_then(|post| post.with_motion(drifting)).expect("valid");
    let mut world = asleep;
    world.insert_collider(post);
    run(&mut world, 1800);
    // The collider is slower than particles that settle, so that only its own motion can wake them.
    for _ in 0..60 {
        run(&mut world, 1);
        let awake = COLUMNS * ROWS - world.asleep();
        assert!((20..COLUMNS * ROWS / 2).contains(&awake), "{awake} awake around a slow collider");
    }
}

#[test]
fn it_wakes_without_a_jolt() {
    let mut world = asleep();
    // The change has no other effect.
    let parameters = FluidParameters { max_time_step: 0.04, ..*world.parameters() };
    world.set_parameters(parameters).expect("valid");
    // The same pool without sleep, in the second before the other one fell asleep and after it.
    let mut awake = pool(FluidSleeping::OFF);
    let (mut woken, mut ever_awake) = (0.0_f32, 0.0_f32);
    while awake.time() < world.time() {
        run(&mut awake, 1);
        if awake.time() > world.time() - 1.0 {
            ever_awake = ever_awake.max(fastest(&awake, |_| true));
        }
    }
    for _ in 0..30 {
        run(&mut world, 1);
        run(&mut awake, 1);
        woken = woken.max(fastest(&world, |_| true));
        ever_awake = ever_awake.max(fastest(&awake, |_| true));
    }
    assert_eq!(world.asleep(), 0);
    assert!(woken < 2.0 * ever_awake, "{woken} px/s, where without sleep it is {ever_awake}");
}

#[test]
fn turned_off_sleep_ends_whenever_it_has_come() {
    // Alone the particle settles immediately, and then all particles have settled.
    let weightless = FluidParameters { gravity: Vec2::ZERO, ..FluidParameters::default() };
    let off = FluidParameters { sleeping: FluidSleeping::OFF, ..weightless };
    let mut world = FluidWorld::new(weightless).expect("valid");
    let id = world.spawn(ParticleSpawn::default()).expect("room");
    while world.asleep() == 0 {
        run(&mut world, 1);
        let mut woken = world.clone();
        woken.set_parameters(off).expect("valid");
        woken.particles_mut().velocities_mut()[0].y = 100.0;
        run(&mut woken, 1);
        let index = woken.particles().index_of(id).expect("alive");
        assert!(woken.particles().positions()[index].y > 0.0, "frozen after {} s", world.time());
        assert!(world.time() < 60.0, "awake for ever");
    }
}

/// Lets a block of liquid fall into a pool.
fn drop_into(world: &mut FluidWorld, speed: f32) {
    for number in 0..100 {
        let cell = Vec2::new((number % 10) as f32, (number / 10) as f32);
        let position = (Vec2::new(55.0, 35.0) + cell) * spacing();
        let velocity = Vec2::new(0.0, -speed);
        world.spawn(ParticleSpawn { position, velocity, ..Default::default() }).expect("room");
    }
}

/// Height of the surface in each tenth of the pool, without single drops.
fn surface(world: &FluidWorld) -> Vec<f32> {
    let height = |column: usize| {
        let inside = |at: &&Vec2| (at.x / spacing()) as usize / 12 == column;
        let inside = world.particles().positions().iter().filter(inside);
        let mut heights: Vec<f32> = inside.map(|at| at.y).collect();
        heights.sort_by(f32::total_cmp);
        heights[heights.len() * 9 / 10]
    };
    (0..10).map(height).collect()
}

/// Largest difference between two surfaces, in particle spacings.
fn apart(a: &FluidWorld, b: &FluidWorld) -> f32 {
    let differences = surface(a).into_iter().zip(surface(b)).map(|(a, b)| (a - b).abs());
    differences.fold(0.0, f32::max) / spacing()
}

#[test]
fn a_drop_makes_the_same_splash_in_a_pool_that_slept() {
    let mut slept = asleep();
    let mut awake = slept.clone();
    let off = FluidParameters { sleeping: FluidSleeping::OFF, ..*awake.parameters() };
    awake.set_parameters(off).expect("valid");
    // A splash is chaotic: two splashes without sleep differ by this much.
    let mut others = vec![awake.clone(); 6];
    drop_into(&mut slept, 300.0);
    drop_into(&mut awake, 300.0);
    for (number, other) in others.iter_mut().enumerate() {
        drop_into(other, 300.1 + 0.1 * number as f32);
    }
    let (mut by_sleep, mut by_chance) = (0.0_f32, [0.0_f32; 6]);
    // Later the drops of the splash fall back, at different points in each world.
    for _ in 0..70 {
        run(&mut slept, 1);
        run(&mut awake, 1);
        by_sleep = by_sleep.max(apart(&slept, &awake));
        for (other, by_chance) in others.iter_mut().zip(&mut by_chance) {
            run(other, 1);
            *by_chance = by_chance.max(apart(other, &awake));
        }
    }
    let by_chance = by_chance.into_iter().fold(0.0, f32::max);
    assert!(by_sleep < 2.0 * by_chance, "{by_sleep} d apart, where chance explains {by_chance} d");
}

#[test]
fn half_asleep_the_bits_do_not_depend_on_threads() {
    let mut serial = asleep();
    let position = Vec2::new(15.0, 24.0) * spacing();
    let velocity = Vec2::new(0.0, -200.0);
    serial.spawn(ParticleSpawn { position, velocity, ..Default::default() }).expect("room");
    let mut threaded = serial.clone();
    let threads = RayonExecutor::new(4).expect("threads");
    for _ in 0..480 {
        run(&mut serial, 1);
        threaded.step(TICK, &threads).expect("valid");
        assert_eq!(serial.asleep(), threaded.asleep());
        let still = serial.particles().velocities().iter().filter(|v| **v == Vec2::ZERO).count();
        assert!(still >= serial.asleep(), "what sleeps has no velocity");
    }
    assert_eq!(serial.state_hash(), threaded.state_hash());
}

#[test]
fn it_falls_asleep_again_after_a_splash() {
    let mut world = asleep();
    let position = Vec2::new(60.0, 28.0) * spacing();
    let velocity = Vec2::new(0.0, -200.0);
    world.spawn(ParticleSpawn { position, velocity, ..Default::default() }).expect("room");
    run(&mut world, 30);
    assert!(world.asleep() < COLUMNS * ROWS);
    run(&mut world, 1800);
    assert_eq!(world.asleep(), COLUMNS * ROWS + 1);
}

#[test]
fn pictures_between_ticks_go_on_where_a_sleeper_dies() {
    let mut world = asleep();
    let above = Vec2::new(15.0, 45.0) * spacing();
    let drop = ParticleSpawn { position: above, ..Default::default() };
    let drop = world.spawn(drop).expect("valid");
    run(&mut world, 3);
    let sleeper = *world.particles().ids().iter().find(|id| **id != drop).expect("there are many");
    world.despawn(sleeper);
    let point = |world: &FluidWorld| world.particles().index_of(drop).expect("alive");
    let before = world.particles().positions()[point(&world)];
    run(&mut world, 1);
    assert_eq!(world.particles().tick_start_positions()[point(&world)], before);
}
