//! Liquid at rest sleeps. A disturbance wakes the liquid around it, and sleep does not change the
//! later motion.

use blob_fluid::*;
use glam::Vec2;

use crate::pools::{
    add_collider, add_tank, add_tank_from_origin, at, cells, change, change_parameters, fastest,
    moving, pour, pour_around_colliders, spacing, spawn, spawn_all, ticks_until_asleep, top_speed,
    weightless, world_with,
};
use crate::ticks::{TICK, run, run_by, same_on_threads, step};

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
    ticks_until_asleep(&mut world, 3600);
    world
}

fn only_container(world: &FluidWorld) -> ContainerId {
    world.containers().next().expect("there is one").0
}

#[test]
fn a_pool_at_rest_sleeps_and_takes_no_substeps() {
    let mut world = asleep();
    let (hash, time) = (world.state_hash(), world.time());
    let report = step(&mut world);
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
    assert!(top_speed(&world) > 0.0);
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

    let touches = [
        change(&asleep, "a particle that appears", |world| {
            spawn(world, at(left));
        }),
        change(&asleep, "a particle that dies", |world| {
            let id = world.particles().ids()[index(world)];
            assert!(world.despawn(id));
        }),
        change(&asleep, "particles that die", |world| {
            assert!(world.despawn_where(|at, _| at.distance(left) < 2.0 * spacing()) > 5);
        }),
        change(&asleep, "a particle that becomes another class's", |world| {
            let id = world.particles().ids()[index(world)];
            world.set_class(id, ClassId::LIGHT).expect("there is one");
        }),
        change(&asleep, "a push", |world| {
            let index = index(world);
            world.particles_mut().velocities_mut()[index] = Vec2::new(0.0, 50.0);
        }),
        change(&asleep, "a force", force(300.0)),
        change(&asleep, "a collider", |world| {
            world.insert_collider(collider.clone());
        }),
        change(&with_collider, "a collider that goes", |world| world.clear_colliders()),
        change(&with_collider, "a collider that is removed", |world| {
            assert!(world.remove_collider(post).is_some())
        }),
        change(&with_collider, "a collider that jumps", |world| {
            let beside = left + Vec2::new(spacing(), 0.0);
            assert_eq!(world.move_collider(post, beside, Vec2::X), Ok(true));
        }),
        change(&with_collider, "a collider that moves", |world| {
            assert_eq!(world.set_collider_motion(post, moving), Ok(true))
        }),
        change(&asleep, "a quarantined particle", |world| {
            let index = index(world);
            world.particles_mut().velocities_mut()[index] = Vec2::NAN;
        }),
    ];
    for (before, name, touch) in touches {
        let mut world = before.clone();
        touch(&mut world);
        let report = step(&mut world);
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
    assert_eq!(step(&mut world).substeps, 0);
}

#[test]
fn what_concerns_all_wakes_all() {
    let changes: [(&str, fn(&mut FluidWorld)); 4] = [
        ("gravity", |world| {
            let gravity = Vec2::new(30.0, -200.0);
            change_parameters(world, |parameters| parameters.gravity = gravity);
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
    let tank = only_container(&world);
    assert_eq!(world.set_container_motion(tank, drifting), Ok(true));
    run(&mut world, 300);
    assert_eq!(world.asleep(), 0, "in a container that drifts");

    let post = Collider::circle(Vec2::new(15.0, 10.0) * spacing(), 2.0 * spacing());
    let mut world = asleep;
    add_collider(&mut world, post.and_then(|post| post.with_motion(drifting)));
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
    change_parameters(&mut world, |parameters| parameters.max_time_step = 0.04);
    // The same pool without sleep, in the second before the other one fell asleep and after it.
    let mut awake = pool(FluidSleeping::OFF);
    let (mut woken, mut ever_awake) = (0.0_f32, 0.0_f32);
    while awake.time() < world.time() {
        run(&mut awake, 1);
        if awake.time() > world.time() - 1.0 {
            ever_awake = ever_awake.max(top_speed(&awake));
        }
    }
    for _ in 0..30 {
        run(&mut world, 1);
        run(&mut awake, 1);
        woken = woken.max(top_speed(&world));
        ever_awake = ever_awake.max(top_speed(&awake));
    }
    assert_eq!(world.asleep(), 0);
    assert!(woken < 2.0 * ever_awake, "{woken} px/s, where without sleep it is {ever_awake}");
}

#[test]
fn turned_off_sleep_ends_whenever_it_has_come() {
    // Alone the particle settles immediately, and then all particles have settled.
    let off = FluidParameters { sleeping: FluidSleeping::OFF, ..weightless() };
    let mut world = world_with(weightless());
    let id = spawn(&mut world, at(Vec2::ZERO));
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
    let places = cells(10, 10).map(|cell| (Vec2::new(54.5, 34.5) + cell) * spacing());
    spawn_all(world, places.map(|place| moving(place, Vec2::new(0.0, -speed))));
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
    change_parameters(&mut awake, |parameters| parameters.sleeping = FluidSleeping::OFF);
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
    let mut start = asleep();
    spawn(&mut start, moving(Vec2::new(15.0, 24.0) * spacing(), Vec2::new(0.0, -200.0)));
    same_on_threads([4], |executor| {
        let mut world = start.clone();
        let tick = |_| {
            run_by(executor, &mut world, 1);
            let still = world.particles().velocities().iter().filter(|v| **v == Vec2::ZERO).count();
            assert!(still >= world.asleep(), "what sleeps has no velocity");
            world.asleep()
        };
        let asleep: Vec<usize> = (0..480).map(tick).collect();
        (asleep, world.state_hash())
    });
}

#[test]
fn it_falls_asleep_again_after_a_splash() {
    let mut world = asleep();
    spawn(&mut world, moving(Vec2::new(60.0, 28.0) * spacing(), Vec2::new(0.0, -200.0)));
    run(&mut world, 30);
    assert!(world.asleep() < COLUMNS * ROWS);
    run(&mut world, 1800);
    assert_eq!(world.asleep(), COLUMNS * ROWS + 1);
}

#[test]
fn pictures_between_ticks_go_on_where_a_sleeper_dies() {
    let mut world = asleep();
    let drop = spawn(&mut world, at(Vec2::new(15.0, 45.0) * spacing()));
    run(&mut world, 3);
    let sleeper = *world.particles().ids().iter().find(|id| **id != drop).expect("there are many");
    world.despawn(sleeper);
    let point = |world: &FluidWorld| world.particles().index_of(drop).expect("alive");
    let before = world.particles().positions()[point(&world)];
    run(&mut world, 1);
    assert_eq!(world.particles().tick_start_positions()[point(&world)], before);
}

// Liquid at rest sleeps while heat spreads in it, and wakes where heat moves it.

/// The pool asleep, of liquid that conducts heat, approaches the temperature around it, and weighs less
/// when it is warm.
fn asleep_with_heat(cooling: f32) -> FluidWorld {
    let mut world = asleep();
    let expands = |class: &DensityClass| DensityClass {
        thermal: FluidThermal {
            conductivity: 0.3,
            cooling,
            expansion: 5e-4,
            ..class.thermal.clone()
        },
        ..class.clone()
    };
    let classes = world.classes().iter().map(expands).collect();
    world.set_classes(ClassTable::new(classes).expect("valid")).expect("as many");
    assert!(ticks_until_asleep(&mut world, 7200) > 2, "other classes wake the pool");
    world
}

#[test]
fn warm_liquid_at_one_temperature_sleeps() {
    let mut world = asleep_with_heat(0.0);
    let state = world.state_hash();
    run(&mut world, 60);
    assert_eq!((world.asleep(), world.state_hash()), (COLUMNS * ROWS, state));
}

#[test]
fn heated_liquid_that_slept_rises_as_if_it_had_not_and_sleeps_again() {
    let mut world = asleep_with_heat(0.0);
    let middle = Vec2::new(60.0, 3.0) * spacing();
    let heated = |at: &Vec2| at.distance(middle) < 4.0 * spacing();
    let particles = world.particles();
    let places = particles.positions().iter().zip(particles.ids());
    let ids: Vec<ParticleId> = places.filter(|(at, _)| heated(at)).map(|(_, id)| *id).collect();
    for id in &ids {
        let index = world.particles().index_of(*id).expect("alive");
        world.particles_mut().temperatures_mut()[index] += 1000.0;
    }
    let mut awake = world.clone();
    change_parameters(&mut awake, |parameters| parameters.sleeping = FluidSleeping::OFF);
    let height = |world: &FluidWorld| {
        let particles = world.particles();
        let index = |id: &ParticleId| particles.index_of(*id).expect("alive");
        let heights = ids.iter().map(|id| particles.positions()[index(id)].y);
        heights.sum::<f32>() / (ids.len() as f32 * spacing())
    };
    let before = height(&world);
    run(&mut world, 240);
    run(&mut awake, 240);
    let (rises, rises_awake) = (height(&world) - before, height(&awake) - before);
    assert!(rises_awake > 0.5, "{rises_awake} spacings");
    assert!(rises > 0.75 * rises_awake, "{rises}, and {rises_awake} spacings without sleep");
    run(&mut world, 7200);
    // What is left of the heat spreads on, and moves nothing.
    assert!(world.asleep() > COLUMNS * ROWS * 3 / 4, "{} sleep", world.asleep());
}

#[test]
fn sleeping_liquid_warms_and_wakes_from_time_to_time() {
    let mut world = asleep_with_heat(1e-3);
    let warmer = world.parameters().ambient_temperature + 60.0;
    change_parameters(&mut world, |parameters| parameters.ambient_temperature = warmer);
    let (mut woken, mut was_asleep) = (0, false);
    for _ in 0..3600 {
        run(&mut world, 1);
        let asleep = world.asleep() == COLUMNS * ROWS;
        woken += u32::from(was_asleep && !asleep);
        was_asleep = asleep;
    }
    let mean = world.particles().temperatures().iter().sum::<f32>() / (COLUMNS * ROWS) as f32;
    assert!(mean > warmer - 59.0, "at {mean} of {warmer} degrees, woken {woken} times");
    assert!(woken > 0, "at {mean} of {warmer} degrees");
}

#[test]
fn a_particle_that_turns_into_another_by_heat_wakes_those_around() {
    let mut world = asleep();
    let boils = |class: &DensityClass| DensityClass {
        thermal: FluidThermal {
            above: Some(FluidTransition { temperature: 100.0, becomes: "light".into() }),
            ..class.thermal.clone()
        },
        ..class.clone()
    };
    let classes = world.classes().iter().map(boils).collect();
    world.set_classes(ClassTable::new(classes).expect("valid")).expect("as many");
    run(&mut world, 3600);
    assert_eq!(world.asleep(), COLUMNS * ROWS);
    let near = |at: &Vec2| at.distance(Vec2::new(15.0, 8.0) * spacing()) < spacing();
    let index = world.particles().positions().iter().position(near).expect("liquid there");
    let id = world.particles().ids()[index];
    world.particles_mut().temperatures_mut()[index] = 200.0;
    run(&mut world, 3);
    let index = world.particles().index_of(id).expect("alive");
    assert_eq!(world.particles().classes()[index], ClassId::LIGHT);
    let awake = COLUMNS * ROWS - world.asleep();
    assert!((20..COLUMNS * ROWS / 2).contains(&awake), "{awake} awake");
}

// Containers and colliders that are inserted, removed, changed or moved wake only the liquid
// around them.

/// Adds a block of liquid at rest. The position of its lower left corner is in particle spacings.
fn fill(world: &mut FluidWorld, corner: Vec2, columns: usize, rows: usize) {
    pour(world, cells(columns, rows).map(|cell| (corner + cell) * spacing()));
}

/// Runs a world, with a strong drag at first, until all particles sleep.
fn put_to_sleep(world: &mut FluidWorld) {
    let parameters = *world.parameters();
    let settling = Settling { drag: 2.0, ..Settling::default() };
    world.set_parameters(FluidParameters { settling, ..parameters }).expect("valid");
    run(world, 300);
    world.set_parameters(parameters).expect("valid");
    ticks_until_asleep(world, 3600);
}

/// A rectangle between two corners, in particle spacings.
fn tank(low: Vec2, high: Vec2) -> Container {
    let (low, high) = (low * spacing(), high * spacing());
    Container::rectangle(0.5 * (low + high), 0.5 * (high - low)).expect("valid")
}

#[test]
fn one_tile_of_a_thousand_wakes_what_lies_on_it_and_no_more() {
    const COLUMNS: usize = 120;
    const ROWS: usize = 9;
    // Tiles with the width of a spacing under a wide pool.
    let mut world = FluidWorld::default();
    world.insert_container(tank(Vec2::new(0.0, -9.0), Vec2::new(120.0, 40.0)));
    let tile = |index: usize| {
        let cell = Vec2::new((index % COLUMNS) as f32, (index / COLUMNS) as f32 - ROWS as f32);
        let half_size = Vec2::splat(0.5 * spacing());
        Collider::rectangle((cell + 0.5) * spacing(), half_size).expect("valid")
    };
    let ids: Vec<ColliderId> =
        (0..ROWS * COLUMNS).map(|index| world.insert_collider(tile(index))).collect();
    fill(&mut world, Vec2::ZERO, COLUMNS, 20);
    put_to_sleep(&mut world);
    // A tile of the uppermost row, under the left part of the pool.
    let (index, left) = ((ROWS - 1) * COLUMNS + 15, 15.0 * spacing());
    let id = ids[index];
    let below = tile(index).centre() - Vec2::new(0.0, 50.0 * spacing());
    let shaking = Motion { velocity: Vec2::new(0.0, 30.0), ..Motion::STILL };
    let touches = [
        change((), "is removed", |world| assert!(world.remove_collider(id).is_some())),
        change((), "jumps away", |world| {
            assert_eq!(world.move_collider(id, below, Vec2::X), Ok(true))
        }),
        change((), "begins to move", |world| {
            assert_eq!(world.set_collider_motion(id, shaking), Ok(true))
        }),
        change((), "is another", |world| {
            let post = Collider::circle(tile(index).centre(), 2.0 * spacing());
            assert!(world.set_collider(id, post.expect("valid")));
        }),
        change((), "is inserted again", |world| {
            world.insert_collider(tile(index));
        }),
    ];
    for ((), name, touch) in touches {
        let mut world = world.clone();
        touch(&mut world);
        assert!(step(&mut world).substeps > 0, "{name}");
        run(&mut world, 2);
        let awake = world.particles().len() - world.asleep();
        assert!((20..world.particles().len() / 2).contains(&awake), "{name}: {awake} awake");
        assert_eq!(fastest(&world, |at| at.x > left + 40.0 * spacing()), 0.0, "{name}");
    }
    let mut same = world.clone();
    assert!(same.set_collider(id, tile(index)));
    assert_eq!(same.set_collider_motion(id, Motion::STILL), Ok(true));
    assert_eq!(step(&mut same).substeps, 0, "as it was");
}

/// Two tanks of liquid far apart, and the number of particles in each.
fn two_tanks() -> (FluidWorld, [ContainerId; 2], usize) {
    let mut world = FluidWorld::default();
    let ids = [0.0, 1000.0].map(|x| {
        let (low, high) = (Vec2::new(x, 0.0), Vec2::new(x + 40.0, 30.0));
        let id = world.insert_container(tank(low, high));
        fill(&mut world, low, 40, 10);
        id
    });
    put_to_sleep(&mut world);
    (world, ids, 400)
}

#[test]
fn what_another_container_holds_sleeps_on() {
    let (world, [first, second], each) = two_tanks();
    const DRIFTING: Motion = Motion { velocity: Vec2::new(0.3, 0.0), ..Motion::STILL };
    type Touch = (&'static str, fn(&mut FluidWorld, ContainerId));
    let touches: [Touch; 4] = [
        ("drifts", |world, id| assert_eq!(world.set_container_motion(id, DRIFTING), Ok(true))),
        ("jumps", |world, id| {
            let centre = world.container(id).expect("there").centre();
            assert_eq!(world.move_container(id, centre + spacing(), Vec2::X), Ok(true));
        }),
        ("grows", |world, id| {
            let container = world.container(id).expect("there");
            let half_size = Vec2::new(24.0, 15.0) * spacing();
            let wider = Container::rectangle(container.centre(), half_size).expect("valid");
            assert!(world.set_container(id, wider));
        }),
        ("is emptied", |world, id| {
            assert_eq!(world.despawn_in_container(id), 400);
            // Some liquid that can be woken.
            let centre = world.container(id).expect("there").centre();
            fill(world, centre / spacing(), 2, 2);
        }),
    ];
    for (name, touch) in touches {
        for (touched, other) in [(first, second), (second, first)] {
            let mut world = world.clone();
            let other = world.container(other).expect("there").clone();
            touch(&mut world, touched);
            run(&mut world, 5);
            assert_eq!(world.asleep(), each, "{name}: one sleeps and the other does not");
            assert_eq!(fastest(&world, |at| other.depth(at) > 0.0), 0.0, "{name}");
            assert!(fastest(&world, |at| other.depth(at) < 0.0) > 0.0, "{name}");
        }
    }
    // A container that is inserted where no liquid is wakes nothing, and neither does one that is
    // removed together with its liquid.
    let mut world = world;
    let empty = world.insert_container(tank(Vec2::new(500.0, 0.0), Vec2::new(520.0, 20.0)));
    run(&mut world, 1);
    assert_eq!(world.asleep(), 2 * each);
    assert!(world.remove_container(empty).is_some());
    assert_eq!(world.despawn_in_container(first), each);
    assert!(world.remove_container(first).is_some());
    run(&mut world, 1);
    assert_eq!(world.asleep(), each);
}

#[test]
fn what_moves_where_no_liquid_is_lets_all_sleep_and_wakes_what_it_comes_to() {
    let (mut world, _, each) = two_tanks();
    let motion = Motion { velocity: Vec2::new(0.0, -200.0), angular_velocity: 2.0 };
    let centre = Vec2::new(20.0, 60.0) * spacing();
    let wheel = Collider::rectangle(centre, Vec2::new(3.0, 1.0) * spacing());
    let wheel = add_collider(&mut world, wheel.and_then(|wheel| wheel.with_motion(motion)));
    // In one tick the solver examines the region in which the wheel appears.
    run(&mut world, 1);
    assert_eq!(world.asleep(), 2 * each);
    let centre = world.collider(wheel).expect("there").centre();
    let mut fallen = 0;
    while step(&mut world).substeps == 0 {
        fallen += 1;
        let collider = world.collider(wheel).expect("there");
        let expected = centre + motion.velocity * (fallen as f32 * TICK);
        assert!((collider.centre() - expected).length() < 1e-2, "{}", collider.centre());
        assert!(collider.centre().y > 0.0, "the wheel fell through the pool");
    }
    assert!(fallen > 30, "{fallen} ticks in the air");
    let angle = 2.0 * (fallen + 1) as f32 * TICK;
    let turned = world.collider(wheel).expect("there").rotation();
    assert!((turned - Vec2::from_angle(angle)).length() < 0.1, "{turned} after {fallen} ticks");
    run(&mut world, 3);
    assert!((each..2 * each - 20).contains(&world.asleep()), "{} asleep", world.asleep());
}

#[test]
fn a_deep_pool_between_rough_walls_of_boxes_sleeps() {
    let half = Vec2::new(1.0, 0.8) * spacing();
    for (offset, gap) in [(0.0, 0.25), (0.02, 1.5), (0.04, 1.0), (0.1, 2.0)] {
        let mut world = FluidWorld::default();
        let size = Vec2::new(12.5, 38.0) * spacing();
        add_tank(&mut world, Vec2::ZERO, size);
        for (side, row) in (0..10).map(|number| ([-1.0, 1.0][number / 5], number % 5)) {
            let off = offset * if row % 2 == 0 { 1.0 } else { -1.0 };
            let x = side * (half.x + 0.5 * gap * spacing()) + off * spacing();
            let centre = Vec2::new(x, half.y - size.y + 1.98 * half.y * row as f32);
            add_collider(&mut world, Collider::rectangle(centre, half));
        }
        let pool = FluidShape::Rectangle { half_size: Vec2::new(12.0, 35.0) * spacing() };
        let places = pool.fill(Vec2::new(0.0, -2.9 * spacing()), spacing());
        pour_around_colliders(&mut world, places);
        let asleep = (0..60 * 60).any(|_| step(&mut world).substeps == 0);
        assert!(asleep, "steps of {offset} and a gap of {gap}: {}", top_speed(&world));
    }
}
