//! Bodies that lie on each other, or on what is removed.

use blob_fluid::{
    Body, Collider, ColliderId, ColliderOptions, FluidShape, FluidWorld, Motion, ParticleSpawn,
};
use glam::Vec2;

use super::{collider, fill, poses, put_to_sleep, sleeps};
use crate::pools::{body, in_tank, spacing};
use crate::ticks::run;

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
        put_to_sleep(&mut world, 60);
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
    for position in shape.fill(Vec2::new(0.0, -199.0), 8.0) {
        if world.colliders().all(|(_, collider)| collider.distance(position) > 0.5 * spacing()) {
            world.spawn(ParticleSpawn { position, ..Default::default() }).expect("valid");
        }
    }
    put_to_sleep(&mut world, 60);
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
        let shelf = Collider::rectangle(Vec2::ZERO, Vec2::new(60.0, 5.0)).expect("valid");
        let shelf = world.insert_collider(shelf);
        let shape = FluidShape::Rectangle { half_size: Vec2::splat(15.0) };
        let low = world.insert_collider(body(shape.clone(), Vec2::new(0.0, 21.0), 1.0));
        let high = world.insert_collider(body(shape, Vec2::new(5.0, 52.0), 1.0));
        put_to_sleep(&mut world, 20);
        let before = [low, high].map(|id| collider(&world, id).centre().y);
        touch(&mut world, shelf);
        run(&mut world, 30);
        for (id, before) in [low, high].into_iter().zip(before) {
            assert!(
                !sleeps(&world, id) && collider(&world, id).centre().y < before - 5.0,
                "{name}"
            );
        }
    }
}

#[test]
fn what_comes_from_far_away_wakes_a_body_where_no_liquid_is() {
    let mut world = FluidWorld::default();
    world.insert_collider(Collider::rectangle(Vec2::ZERO, Vec2::new(900.0, 5.0)).expect("valid"));
    let shape = FluidShape::Rectangle { half_size: Vec2::splat(15.0) };
    let id = world.insert_collider(body(shape, Vec2::new(0.0, 20.0), 1.0));
    put_to_sleep(&mut world, 20);
    let before = collider(&world, id).centre();
    let motion = Motion { velocity: Vec2::new(-150.0, 0.0), angular_velocity: 0.0 };
    let plough = Collider::rectangle(Vec2::new(400.0, 20.0), Vec2::new(10.0, 10.0));
    let plough = plough.and_then(|plough| plough.with_motion(motion)).expect("valid");
    world.insert_collider(plough);
    run(&mut world, 60);
    assert!(sleeps(&world, id), "it is still far away");
    run(&mut world, 120);
    assert!(collider(&world, id).centre().x < before.x - 30.0, "{}", collider(&world, id).centre());
}

#[test]
fn bodies_that_touch_sleep_together() {
    let mut world = FluidWorld::default();
    world.insert_collider(Collider::rectangle(Vec2::ZERO, Vec2::new(200.0, 5.0)).expect("valid"));
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
    let wheel = wheel.and_then(|wheel| wheel.with_motion(motion)).expect("valid");
    let wheel = world.insert_collider(wheel);
    run(&mut world, 600);
    assert!(sleeps(&world, alone) && !sleeps(&world, rests) && !sleeps(&world, wheel));
    assert_eq!(world.set_collider_motion(wheel, Motion::STILL), Ok(true));
    run(&mut world, 120);
    assert!([rests, alone, wheel].iter().all(|id| sleeps(&world, *id)));
}
