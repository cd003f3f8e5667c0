//! Containers and colliders of entities come, go, change and move one by one.

use bevy::prelude::*;
use bevy_blob_fluid::blob_fluid::Sleeping;
use bevy_blob_fluid::prelude::*;
use bevy_blob_fluid::{FluidColliders, FluidContainers};

use crate::headless::{fluid, headless};

fn tile(x: f32) -> (FluidCollider, Transform) {
    (FluidCollider::from(Rectangle::new(20.0, 20.0)), Transform::from_xyz(x, 0.0, 0.0))
}

fn colliders(app: &App) -> &FluidColliders {
    app.world().resource::<FluidColliders>()
}

#[test]
fn each_entity_keeps_its_own_handle() {
    let mut app = headless(FluidSettings::default());
    let tiles = [0.0, 50.0, 100.0, 150.0].map(|x| app.world_mut().spawn(tile(x)).id());
    app.update();
    let ids = tiles.map(|entity| colliders(&app).id(entity).expect("synced"));
    // Those that come together are inserted in the order of their entities, not in that of a query.
    let mut in_order: Vec<_> = tiles.into_iter().zip(ids).collect();
    in_order.sort_unstable();
    assert!(fluid(&app).colliders().map(|(id, _)| id).eq(in_order.into_iter().map(|(_, id)| id)));
    for (entity, id) in tiles.into_iter().zip(ids) {
        assert_eq!(colliders(&app).entity(id), Some(entity));
    }
    // One goes, one changes, one is put far away, and one comes.
    app.world_mut().despawn(tiles[1]);
    app.world_mut().entity_mut(tiles[2]).insert(FluidCollider::from(Circle::new(5.0)));
    app.world_mut().entity_mut(tiles[3]).insert(Transform::from_xyz(9000.0, 0.0, 0.0));
    let new = app.world_mut().spawn(tile(200.0)).id();
    app.update();
    let after = [tiles[0], tiles[2], tiles[3]].map(|entity| colliders(&app).id(entity));
    assert_eq!(after, [ids[0], ids[2], ids[3]].map(Some));
    assert!(colliders(&app).id(tiles[1]).is_none() && colliders(&app).entity(ids[1]).is_none());
    assert!(
        fluid(&app).collider(ids[1]).is_none() && !ids.map(Some).contains(&colliders(&app).id(new))
    );
    let shape = fluid(&app).collider(ids[2]).expect("there").shape().clone();
    assert_eq!(shape, FluidShape::Circle { radius: 5.0 });
    assert_eq!(fluid(&app).collider(ids[3]).expect("there").centre().x, 9000.0);
    // A simulation that begins anew holds what the entities say.
    app.insert_resource(FluidSimulation::default());
    app.update();
    assert_eq!(fluid(&app).colliders().len(), 4);
    let again = colliders(&app).id(tiles[2]).expect("there again");
    assert!(fluid(&app).collider(again).is_some());
}

#[test]
fn a_container_that_goes_takes_only_its_own_liquid() {
    let mut app = headless(FluidSettings::default());
    let [left, right] = [-300.0, 300.0].map(|x| {
        let transform = Transform::from_xyz(x, 0.0, 0.0);
        app.world_mut().spawn((FluidBlob::from(Circle::new(50.0)), transform));
        app.world_mut().spawn((FluidContainer::from(Circle::new(100.0)), transform)).id()
    });
    app.update();
    let both = fluid(&app).particles().len();
    let containers = app.world().resource::<FluidContainers>();
    let (gone, stays) = (containers.id(left).expect("synced"), containers.id(right));
    assert_eq!(containers.entity(gone), Some(left));
    app.world_mut().despawn(left);
    app.update();
    let containers = app.world().resource::<FluidContainers>();
    assert!(containers.id(right) == stays && containers.entity(gone).is_none());
    assert!(fluid(&app).container(gone).is_none());
    assert_eq!(fluid(&app).particles().len() * 2, both);
    assert!(fluid(&app).particles().positions().iter().all(|position| position.x > 0.0));
}

#[test]
fn what_fades_in_goes_on_while_others_come_go_and_move() {
    let mut app = headless(FluidSettings::default());
    app.world_mut().spawn(FluidContainer::from(Rectangle::new(300.0, 200.0)));
    app.world_mut().spawn(FluidBlob::from(Rectangle::new(280.0, 180.0)));
    app.update();
    let other = app.world_mut().spawn(tile(100.0)).id();
    let own = app.world_mut().spawn(tile(0.0)).id();
    let mut last = 0.0;
    for tick in 0..10 {
        app.update();
        let id = colliders(&app).id(own).expect("synced");
        let now = fluid(&app).collider_fade_in(id).expect("there");
        assert!(now > last || now == 1.0, "{now} after {last} in tick {tick}");
        last = now;
        match tick {
            0 => {
                app.world_mut().spawn(tile(-100.0));
            }
            1..5 => {
                let mut transform = app.world_mut().get_mut::<Transform>(other).expect("there");
                transform.translation.y += 3.0;
            }
            5 => assert!(app.world_mut().despawn(other)),
            _ => {}
        }
    }
}

#[test]
fn what_happens_in_one_container_lets_the_other_sleep() {
    let mut settings = FluidSettings::default();
    settings.parameters.sleeping = Sleeping { after: 0.1, drift: 1.0 };
    let mut app = headless(settings);
    for x in [-2000.0, 2000.0] {
        let transform = Transform::from_xyz(x, 0.0, 0.0);
        app.world_mut().spawn((FluidContainer::from(Rectangle::new(200.0, 200.0)), transform));
        let low = Transform::from_xyz(x, -60.0, 0.0);
        app.world_mut().spawn((FluidBlob::from(Rectangle::new(190.0, 70.0)), low));
    }
    let (post, spare) = (tile(-2000.0), tile(-2000.0));
    let post = app.world_mut().spawn(post).id();
    let all = |app: &App| fluid(app).particles().len();
    for _ in 0..2000 {
        app.update();
        if all(&app) > 0 && fluid(&app).asleep() == all(&app) {
            break;
        }
    }
    assert_eq!(fluid(&app).asleep(), all(&app), "all sleep at last");
    let touches: [&dyn Fn(&mut World); 3] = [
        &|world| {
            world.get_mut::<Transform>(post).expect("there").translation.y = -50.0;
        },
        &|world| {
            world.spawn(spare.clone()).insert(Transform::from_xyz(-1960.0, -70.0, 0.0));
        },
        &|world| assert!(world.despawn(post)),
    ];
    for touch in touches {
        touch(app.world_mut());
        for _ in 0..3 {
            app.update();
        }
        let particles = fluid(&app).particles();
        let there = particles.positions().iter().zip(particles.velocities());
        let (mut near, mut far) = (0, 0);
        for (position, velocity) in there {
            let counted = if position.x < 0.0 { &mut near } else { &mut far };
            *counted += usize::from(*velocity != Vec2::ZERO);
        }
        assert!(near > 10 && far == 0, "{near} move around it and {far} far away");
    }
}
