//! Containers and colliders that are inserted, removed, changed or moved wake only the liquid
//! around them.

use blob_fluid::{
    Collider, ColliderId, Container, ContainerId, FluidParameters, FluidShape, FluidWorld, Motion,
    ParticleSpawn, SerialExecutor, Settling,
};
use glam::Vec2;

use crate::pools::{add_tank, cells, fastest, pour, spacing};
use crate::ticks::{TICK, run};

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
    for _ in 0..3600 {
        if world.step(TICK, &SerialExecutor).expect("valid").substeps == 0 {
            return;
        }
    }
    panic!("only {} of {} sleep after a minute", world.asleep(), world.particles().len());
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
    type Touch<'a> = (&'a str, Box<dyn Fn(&mut FluidWorld) + 'a>);
    let touches: Vec<Touch> = vec![
        ("is removed", Box::new(|world| assert!(world.remove_collider(id).is_some()))),
        (
            "jumps away",
            Box::new(|world| assert_eq!(world.move_collider(id, below, Vec2::X), Ok(true))),
        ),
        (
            "begins to move",
            Box::new(|world| assert_eq!(world.set_collider_motion(id, shaking), Ok(true))),
        ),
        (
            "is another",
            Box::new(|world| {
                let post = Collider::circle(tile(index).centre(), 2.0 * spacing());
                assert!(world.set_collider(id, post.expect("valid")));
            }),
        ),
        (
            "is inserted again",
            Box::new(|world| {
                world.insert_collider(tile(index));
            }),
        ),
    ];
    for (name, touch) in touches {
        let mut world = world.clone();
        touch(&mut world);
        assert!(world.step(TICK, &SerialExecutor).expect("valid").substeps > 0, "{name}");
        run(&mut world, 2);
        let awake = world.particles().len() - world.asleep();
        assert!((20..world.particles().len() / 2).contains(&awake), "{name}: {awake} awake");
        assert_eq!(fastest(&world, |at| at.x > left + 40.0 * spacing()), 0.0, "{name}");
    }
    let mut same = world.clone();
    assert!(same.set_collider(id, tile(index)));
    assert_eq!(same.set_collider_motion(id, Motion::STILL), Ok(true));
    assert_eq!(same.step(TICK, &SerialExecutor).expect("valid").substeps, 0, "as it was");
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
    type Touch<'a> = (&'a str, Box<dyn Fn(&mut FluidWorld, ContainerId) + 'a>);
    let drifting = Motion { velocity: Vec2::new(0.3, 0.0), ..Motion::STILL };
    let touches: Vec<Touch> = vec![
        (
            "drifts",
            Box::new(|world, id| assert_eq!(world.set_container_motion(id, drifting), Ok(true))),
        ),
        (
            "jumps",
            Box::new(|world, id| {
                let centre = world.container(id).expect("there").centre();
                assert_eq!(world.move_container(id, centre + spacing(), Vec2::X), Ok(true));
            }),
        ),
        (
            "grows",
            Box::new(|world, id| {
                let container = world.container(id).expect("there");
                let half_size = Vec2::new(24.0, 15.0) * spacing();
                let wider = Container::rectangle(container.centre(), half_size).expect("valid");
                assert!(world.set_container(id, wider));
            }),
        ),
        (
            "is emptied",
            Box::new(move |world, id| {
                assert_eq!(world.despawn_in_container(id), each);
                // Some liquid that can be woken.
                let centre = world.container(id).expect("there").centre();
                fill(world, centre / spacing(), 2, 2);
            }),
        ),
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
    let wheel =
        world.insert_collider(wheel.and_then(|wheel| wheel.with_motion(motion)).expect("valid"));
    // In one tick the solver examines the region in which the wheel appears.
    run(&mut world, 1);
    assert_eq!(world.asleep(), 2 * each);
    let centre = world.collider(wheel).expect("there").centre();
    let mut fallen = 0;
    while world.step(TICK, &SerialExecutor).expect("valid").substeps == 0 {
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
    for (step, gap) in [(0.0, 0.25), (0.02, 1.5), (0.04, 1.0), (0.1, 2.0)] {
        let mut world = FluidWorld::default();
        let size = Vec2::new(12.5, 38.0) * spacing();
        add_tank(&mut world, Vec2::ZERO, size);
        for (side, row) in
            [-1.0, 1.0].into_iter().flat_map(|side| (0..5).map(move |row| (side, row)))
        {
            let off = step * if row % 2 == 0 { 1.0 } else { -1.0 };
            let x = side * (half.x + 0.5 * gap * spacing()) + off * spacing();
            let centre = Vec2::new(x, half.y - size.y + 1.98 * half.y * row as f32);
            world.insert_collider(Collider::rectangle(centre, half).expect("valid"));
        }
        let pool = FluidShape::Rectangle { half_size: Vec2::new(12.0, 35.0) * spacing() };
        for position in pool.fill(Vec2::new(0.0, -2.9 * spacing()), spacing()) {
            let free = |collider: &Collider| collider.distance(position) > 0.5 * spacing();
            if world.colliders().all(|(_, collider)| free(collider)) {
                world.spawn(ParticleSpawn { position, ..Default::default() }).expect("room");
            }
        }
        let sleeps = |world: &mut FluidWorld| {
            world.step(TICK, &SerialExecutor).expect("valid").substeps == 0
        };
        let asleep = (0..60 * 60).any(|_| sleeps(&mut world));
        let speeds = world.particles().velocities().iter().map(|velocity| velocity.length());
        let fastest = speeds.fold(0.0, f32::max);
        assert!(asleep, "steps of {step} and a gap of {gap}: {fastest}");
    }
}
