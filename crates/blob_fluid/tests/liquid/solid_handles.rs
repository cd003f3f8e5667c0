//! Containers and colliders are inserted, changed, moved and removed one by one, without any effect
//! on others.

use std::collections::BTreeSet;

use blob_fluid::{
    Body, Collider, ColliderOptions, Container, FluidPass, FluidShape, FluidWorld, Load, Motion,
    SerialExecutor,
};
use glam::Vec2;

use crate::pools::pour;
use crate::ticks::{TICK, run};

fn post(x: f32) -> Collider {
    Collider::circle(Vec2::new(x, 0.0), 15.0).expect("valid")
}

fn tank() -> Container {
    Container::rectangle(Vec2::ZERO, Vec2::new(200.0, 100.0)).expect("valid")
}

fn feeling(collider: Collider) -> Collider {
    collider
        .with_options(ColliderOptions { reports_load: true, ..Default::default() })
        .expect("valid")
}

/// A tank with liquid that has come to rest, and three posts in it.
fn filled() -> FluidWorld {
    let mut world = FluidWorld::default();
    world.insert_container(tank());
    let pool = FluidShape::Rectangle { half_size: Vec2::new(190.0, 60.0) };
    pour(&mut world, pool.fill(Vec2::new(0.0, -38.0), 8.0));
    run(&mut world, 120);
    world
}

#[test]
fn handles_of_colliders_stay_valid_until_removed_and_are_never_anothers() {
    let mut world = FluidWorld::default();
    let [first, second, third] = [0.0, 50.0, 100.0].map(|x| world.insert_collider(post(x)));
    let mut all = BTreeSet::from([first, second, third]);
    assert_eq!(world.remove_collider(second).map(|collider| collider.centre().x), Some(50.0));
    for x in 0..20 {
        let id = world.insert_collider(post(x as f32));
        assert!(all.insert(id), "{id:?} was another's");
        assert_eq!(world.collider(id).map(|collider| collider.centre().x), Some(x as f32));
        if x % 2 == 0 {
            assert!(world.remove_collider(id).is_some());
        }
    }
    // The order of insertion.
    let points: Vec<f32> = world.colliders().map(|(_, collider)| collider.centre().x).collect();
    let odd = (0..20).filter(|x| x % 2 == 1).map(|x| x as f32);
    assert_eq!(points, [0.0, 100.0].into_iter().chain(odd).collect::<Vec<_>>());
    assert_eq!(world.colliders().len(), points.len());
    assert!(world.colliders().all(|(id, collider)| world.collider(id) == Some(collider)));
    assert_eq!(world.colliders().next_back().map(|(_, collider)| collider.centre().x), Some(19.0));
    world.clear_colliders();
    let new = world.insert_collider(post(7.0));
    for id in all {
        assert!(id != new && world.collider(id).is_none() && world.remove_collider(id).is_none());
        assert!(!world.set_collider(id, post(1.0)));
        assert_eq!(world.move_collider(id, Vec2::ONE, Vec2::X), Ok(false));
        assert_eq!(world.set_collider_motion(id, Motion::STILL), Ok(false));
        assert_eq!((world.load_on(id), world.collider_fade_in(id)), (None, None));
    }
    assert_eq!(world.collider(new), Some(&post(7.0)), "untouched by all that");
}

#[test]
fn handles_of_containers_do_so_as_well() {
    let mut world = filled();
    let (first, _) = world.containers().next().expect("one");
    let second = world.insert_container(tank());
    let held = world.particles().len();
    assert_eq!(world.despawn_in_container(second), 0, "what is in both belongs to the first");
    assert_eq!(world.remove_container(first), Some(tank()));
    assert_eq!((world.despawn_in_container(first), world.particles().len()), (0, held));
    let third = world.insert_container(tank());
    assert!(third != first && world.containers().map(|(id, _)| id).eq([second, third]));
    assert!(!world.set_container(first, tank()) && world.remove_container(first).is_none());
    assert_eq!(world.move_container(first, Vec2::ONE, Vec2::X), Ok(false));
    assert_eq!(world.set_container_motion(first, Motion::STILL), Ok(false));
    assert_eq!(world.despawn_in_container(second), held);
    world.clear_containers();
    assert!(world.container(second).is_none() && world.container(third).is_none());
}

#[test]
fn nonsense_is_refused_and_changes_nothing() {
    let mut world = filled();
    let id = world.insert_collider(post(0.0));
    let (jar, _) = world.containers().next().expect("one");
    let wild = Motion { velocity: Vec2::NAN, ..Motion::STILL };
    assert_eq!(world.move_collider(id, Vec2::NAN, Vec2::X).expect_err("refused").field, "centre");
    assert_eq!(world.move_collider(id, Vec2::ONE, Vec2::ZERO).expect_err("bad").field, "rotation");
    assert_eq!(world.set_collider_motion(id, wild).expect_err("refused").field, "velocity");
    assert_eq!(world.move_container(jar, Vec2::NAN, Vec2::X).expect_err("refused").field, "centre");
    assert_eq!(world.set_container_motion(jar, wild).expect_err("refused").field, "velocity");
    assert_eq!(world.collider(id), Some(&post(0.0)));
    assert_eq!(world.container(jar), Some(&tank()));
}

#[test]
fn what_fades_in_goes_on_whatever_happens_to_others() {
    let mut world = filled();
    let before = world.insert_collider(post(-100.0));
    let fading = world.insert_collider(post(0.0));
    assert_eq!(world.collider_fade_in(fading), Some(0.0), "it stands in liquid");
    let (mut last, mut ticks) = (0.0, 0);
    let mut others = Vec::new();
    while last < 1.0 {
        run(&mut world, 1);
        let now = world.collider_fade_in(fading).expect("there");
        assert!(now > last, "{now} after {last}");
        others.push(world.insert_collider(post(120.0)));
        match ticks {
            0 => assert!(world.remove_collider(before).is_some()),
            1 => assert!(world.remove_collider(others[0]).is_some()),
            2 => assert_eq!(world.move_collider(others[1], Vec2::splat(50.0), Vec2::X), Ok(true)),
            // A collider that keeps its pose and its shape does not jump.
            3 => assert!(world.set_collider(fading, feeling(post(0.0)))),
            4 => assert_eq!(world.set_collider_motion(fading, Motion::STILL), Ok(true)),
            _ => {}
        }
        assert_eq!(world.collider_fade_in(fading), Some(now));
        (last, ticks) = (now, ticks + 1);
    }
    assert!(ticks > 4, "too quick to show anything");
    assert_eq!(world.move_collider(fading, Vec2::new(30.0, 0.0), Vec2::X), Ok(true));
    assert_eq!(world.collider_fade_in(fading), Some(0.0), "it jumped");
    assert_eq!(world.move_collider(fading, Vec2::new(0.0, 500.0), Vec2::X), Ok(true));
    assert_eq!(world.collider_fade_in(fading), Some(1.0), "where no liquid is");
}

#[test]
fn loads_stay_with_their_colliders() {
    let mut world = filled();
    let ids = [-100.0, 0.0, 100.0].map(|x| world.insert_collider(feeling(post(x))));
    run(&mut world, 60);
    let loads = ids.map(|id| world.load_on(id).expect("there"));
    assert!(loads.iter().all(|load| load.impulse.y > 0.0), "{loads:?}");
    let new = world.insert_collider(feeling(post(150.0)));
    assert_eq!(world.load_on(new), Some(Load::default()), "before its first tick");
    world.remove_collider(ids[0]);
    assert_eq!(ids.map(|id| world.load_on(id)), [None, Some(loads[1]), Some(loads[2])]);
    world.remove_collider(ids[2]);
    assert_eq!(world.load_on(ids[1]), Some(loads[1]));
    run(&mut world, 1);
    assert!(world.load_on(new).expect("there").impulse != Vec2::ZERO);
}

// Row 24 of docs/reliability.md.
#[test]
fn all_may_be_removed_between_any_two_passes() {
    let mut full = filled();
    full.insert_collider(feeling(post(-100.0)));
    let stirring = Motion { velocity: Vec2::new(20.0, 0.0), angular_velocity: 3.0 };
    full.insert_collider(feeling(post(0.0)).with_motion(stirring).expect("valid"));
    let body = Body::of_density(0.5, &FluidShape::Circle { radius: 15.0 }, 8.0).expect("valid");
    let body = ColliderOptions { body: Some(body), ..Default::default() };
    full.insert_collider(post(100.0).with_options(body).expect("valid"));
    run(&mut full, 5);
    for before in 0..FluidPass::ALL.len() {
        for inserts in [false, true] {
            let mut world = full.clone();
            let report = world.begin_tick(TICK, &SerialExecutor).expect("valid");
            for (index, pass) in FluidPass::ALL.into_iter().enumerate() {
                if index == before {
                    world.clear_containers();
                    let ids: Vec<_> = world.colliders().map(|(id, _)| id).collect();
                    assert!(ids.into_iter().all(|id| world.remove_collider(id).is_some()));
                }
                world.run_pass(pass, &SerialExecutor);
                if index == before && inserts {
                    world.insert_container(tank());
                    world.insert_collider(feeling(post(20.0)));
                }
            }
            world.end_tick(report, &SerialExecutor);
            run(&mut world, 2);
            assert_eq!(world.colliders().len(), usize::from(inserts));
            assert_eq!(world.particles().len(), full.particles().len());
            let healthy = |position: &Vec2| position.is_finite();
            assert!(world.particles().positions().iter().all(healthy), "before pass {before}");
        }
    }
}

#[test]
fn one_by_one_or_anew_makes_no_difference_to_the_bits() {
    // A row of posts: some are removed, one moves, and one rotates.
    let turning = Motion { angular_velocity: 3.0, ..Motion::STILL };
    let mut one_by_one = filled();
    let ids: Vec<_> = (0..12).map(|x| one_by_one.insert_collider(post(30.0 * x as f32))).collect();
    for id in [ids[7], ids[0], ids[4]] {
        one_by_one.remove_collider(id);
    }
    one_by_one.move_collider(ids[3], Vec2::new(-90.0, -50.0), Vec2::X).expect("valid");
    one_by_one.set_collider_motion(ids[5], turning).expect("valid");
    let mut anew = filled();
    for (_, collider) in one_by_one.colliders() {
        anew.insert_collider(collider.clone());
    }
    run(&mut one_by_one, 60);
    run(&mut anew, 60);
    assert_eq!(one_by_one.state_hash(), anew.state_hash());
}
