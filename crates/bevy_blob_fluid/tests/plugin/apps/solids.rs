//! Containers and colliders of entities come, go, change and move one by one.

use std::time::Duration;

use bevy_blob_fluid::blob_fluid::FluidSleeping;
use bevy_blob_fluid::{FluidColliders, FluidContainers};

use crate::app::*;

fn tile(x: f32) -> (FluidCollider, Transform) {
    (FluidCollider::from(Rectangle::new(20.0, 20.0)), xy(x, 0.0))
}

fn colliders(app: &App) -> &FluidColliders {
    app.resource::<FluidColliders>()
}

#[test]
fn each_entity_keeps_its_own_handle() {
    let mut app = headless(default());
    let tiles = [0.0, 50.0, 100.0, 150.0].map(|x| app.spawn(tile(x)));
    app.insert(tiles[1], Name::new("another archetype"));
    app.update();
    let ids = tiles.map(|entity| colliders(&app).id(entity).expect("synced"));
    // Of those that come together the last is inserted first, whatever the order of a query is.
    assert!(app.fluid().colliders().map(|(id, _)| id).eq(ids.into_iter().rev()));
    for (entity, id) in tiles.into_iter().zip(ids) {
        assert_eq!(colliders(&app).entity(id), Some(entity));
    }
    // One goes, one changes, one is put far away, and one comes.
    app.despawn(tiles[1]);
    app.insert(tiles[2], FluidCollider::from(Circle::new(5.0)));
    app.insert(tiles[3], xy(9000.0, 0.0));
    let new = app.spawn(tile(200.0));
    app.update();
    let after = [tiles[0], tiles[2], tiles[3]].map(|entity| colliders(&app).id(entity));
    assert_eq!(after, [ids[0], ids[2], ids[3]].map(Some));
    assert!(colliders(&app).id(tiles[1]).is_none() && colliders(&app).entity(ids[1]).is_none());
    assert!(
        app.fluid().collider(ids[1]).is_none() && !ids.map(Some).contains(&colliders(&app).id(new))
    );
    let shape = app.fluid().collider(ids[2]).expect("there").shape().clone();
    assert_eq!(shape, FluidShape::Circle { radius: 5.0 });
    assert_eq!(app.fluid().collider(ids[3]).expect("there").centre().x, 9000.0);
    // A simulation that begins anew holds what the entities say.
    app.insert_resource(FluidSimulation::default());
    app.update();
    assert_eq!(app.fluid().colliders().len(), 4);
    let again = colliders(&app).id(tiles[2]).expect("there again");
    assert!(app.fluid().collider(again).is_some());
}

#[test]
fn a_container_that_goes_takes_only_its_own_liquid() {
    let mut app = headless(default());
    let [left, right] = [-300.0, 300.0].map(|x| {
        let transform = xy(x, 0.0);
        app.spawn((FluidBlob::from(Circle::new(50.0)), transform));
        app.spawn((FluidContainer::from(Circle::new(100.0)), transform))
    });
    app.update();
    let both = app.particles();
    let containers = app.resource::<FluidContainers>();
    let (gone, stays) = (containers.id(left).expect("synced"), containers.id(right));
    assert_eq!(containers.entity(gone), Some(left));
    app.despawn(left);
    app.update();
    let containers = app.resource::<FluidContainers>();
    assert!(containers.id(right) == stays && containers.entity(gone).is_none());
    assert!(app.fluid().container(gone).is_none());
    assert_eq!(app.particles() * 2, both);
    assert!(app.positions().iter().all(|position| position.x > 0.0));
}

#[test]
fn what_fades_in_goes_on_while_others_come_go_and_move() {
    let mut app = headless(default());
    app.spawn(FluidContainer::from(Rectangle::new(300.0, 200.0)));
    app.spawn(FluidBlob::from(Rectangle::new(280.0, 180.0)));
    app.update();
    let other = app.spawn(tile(100.0));
    let fading = app.spawn(tile(0.0));
    let mut last = 0.0;
    for tick in 0..10 {
        app.update();
        let id = colliders(&app).id(fading).expect("synced");
        let now = app.fluid().collider_fade_in(id).expect("there");
        assert!(now > last || now == 1.0, "{now} after {last} in tick {tick}");
        last = now;
        match tick {
            0 => {
                app.spawn(tile(-100.0));
            }
            1..5 => {
                app.transform(other).translation.y += 3.0;
            }
            5 => assert!(app.world_mut().despawn(other)),
            _ => {}
        }
    }
}

#[test]
fn what_happens_in_one_container_lets_the_other_sleep() {
    let mut settings = FluidSettings::default();
    settings.parameters.sleeping = FluidSleeping { after: 0.1, drift: 1.0 };
    let mut app = headless(settings);
    for x in [-2000.0, 2000.0] {
        app.spawn((FluidContainer::from(Rectangle::new(200.0, 200.0)), xy(x, 0.0)));
        app.spawn((FluidBlob::from(Rectangle::new(190.0, 70.0)), xy(x, -60.0)));
    }
    let (post, spare) = (tile(-2000.0), tile(-2000.0));
    let post = app.spawn(post);
    let all = |app: &App| app.particles();
    for _ in 0..2000 {
        app.update();
        if all(&app) > 0 && app.fluid().asleep() == all(&app) {
            break;
        }
    }
    assert_eq!(app.fluid().asleep(), all(&app), "all sleep at last");
    let touches: [&dyn Fn(&mut World); 3] = [
        &|world| {
            world.get_mut::<Transform>(post).expect("there").translation.y = -50.0;
        },
        &|world| {
            world.spawn(spare.clone()).insert(xy(-1960.0, -70.0));
        },
        &|world| assert!(world.despawn(post)),
    ];
    for touch in touches {
        touch(app.world_mut());
        app.updates(3);
        let particles = app.fluid().particles();
        let there = particles.positions().iter().zip(particles.velocities());
        let (mut near, mut far) = (0, 0);
        for (position, velocity) in there {
            let counted = if position.x < 0.0 { &mut near } else { &mut far };
            *counted += usize::from(*velocity != Vec2::ZERO);
        }
        assert!(near > 10 && far == 0, "{near} move around it and {far} far away");
    }
}

#[test]
fn despawning_a_container_frees_what_it_held() {
    let mut app = headless(default());
    let left = spawn_container(&mut app, -150.0);
    let right = spawn_container(&mut app, 150.0);
    for x in [-150.0, 150.0] {
        app.spawn((FluidBlob::from(Circle::new(50.0)), xy(x, 0.0)));
    }
    app.updates(30);
    let both = app.particles();
    app.despawn(left);
    app.update();
    let kept = app.particles();
    assert!(kept > 0 && kept < both);
    assert!(app.positions().iter().all(|position| position.x > 0.0));
    app.remove::<FluidContainer>(right);
    app.update();
    assert!(app.positions().is_empty());
    assert_eq!(app.resource::<FluidContainers>().iter().count(), 0);
    assert_eq!(app.fluid().containers().len(), 0);
}

#[test]
fn entering_and_leaving_a_level_a_hundred_times_leaves_nothing_behind() {
    let mut app = headless(default());
    for _ in 0..100 {
        let container = spawn_container(&mut app, 0.0);
        let blob = spawn_blob(&mut app);
        app.update();
        assert!(!app.positions().is_empty());
        app.despawn(container);
        app.despawn(blob);
        app.update();
        assert!(app.positions().is_empty());
        assert_eq!(app.fluid().containers().len(), 0);
    }
}

// Row 24 of docs/reliability.md.
#[test]
fn spawned_and_despawned_in_one_frame_is_as_if_never_spawned() {
    let mut app = headless(default());
    let blob = spawn_blob(&mut app);
    let container = spawn_container(&mut app, 0.0);
    app.despawn(blob);
    app.despawn(container);
    app.update();
    assert!(app.positions().is_empty());
    assert_eq!(app.fluid().containers().len(), 0);
}

fn carry(app: &mut App, entity: Entity, to: Vec2) {
    app.transform(entity).translation = to.extend(0.0);
}

#[test]
fn a_container_that_is_moved_takes_its_liquid_along() {
    let mut app = headless(default());
    let cup = app.spawn(FluidContainer::from(Rectangle::new(120.0, 120.0)));
    app.spawn(FluidBlob::from(Circle::new(45.0)));
    app.updates(60);
    let count = app.particles();
    for step in 1..=128 {
        let x = step as f32;
        carry(&mut app, cup, Vec2::new(x, 0.0));
        app.update();
        // There at the end of the very tick, having moved all the way in it.
        let container = app.first_container().clone();
        assert!((container.centre().x - x).abs() < 1e-3, "{container:?}");
        assert!((container.motion().velocity.x - 64.0).abs() < 0.1, "{container:?}");
    }
    let particles = app.fluid().particles();
    let mean = particles.positions().iter().sum::<Vec2>() / count as f32;
    assert!((mean.x - 128.0).abs() < 30.0, "{mean}");
    assert_eq!(particles.len(), count);
    app.update();
    let container = app.first_container().clone();
    assert_eq!(
        (container.centre(), container.motion().velocity),
        (Vec2::new(128.0, 0.0), Vec2::ZERO)
    );
    // Too far to have moved: it jumps, and throws nothing.
    carry(&mut app, cup, Vec2::new(5000.0, 0.0));
    app.update();
    let container = app.first_container().clone();
    assert_eq!((container.centre().x, container.motion().velocity.x), (5000.0, 0.0));
}

#[test]
fn what_moves_is_there_after_the_last_of_several_ticks() {
    let mut app = app_at(BlobFluidPlugins::new(Update), Duration::from_millis(50));
    app.clock().set_tick(FluidTick::Every(Duration::from_millis(10)));
    let turned = Transform::from_rotation(Quat::from_rotation_z(0.5));
    let paddle = app.spawn(FluidCollider::from(Rectangle::new(80.0, 6.0)));
    app.update();
    *app.transform(paddle) = turned.with_translation(Vec3::new(10.0, -20.0, 3.0));
    let ticks = app.fluid().ticks();
    app.update();
    assert_eq!(app.fluid().ticks(), ticks + 5);
    let collider = app.first_collider().clone();
    assert!((collider.centre() - Vec2::new(10.0, -20.0)).length() < 1e-3, "{collider:?}");
    assert!((collider.rotation() - Vec2::from_angle(0.5)).length() < 1e-3, "{collider:?}");
    let velocity = Vec2::new(10.0, -20.0) / 0.05;
    assert!((collider.motion().velocity - velocity).length() < 0.1, "{collider:?}");
}

#[test]
fn colliders_hold_liquid_up_until_they_go() {
    let mut app = headless(default());
    spawn_container(&mut app, 0.0);
    let shelf = app.spawn((FluidCollider::from(Rectangle::new(150.0, 8.0)), xy(0.0, -20.0)));
    app.spawn((FluidBlob::from(Circle::new(25.0)), xy(0.0, 30.0)));
    let lowest = |app: &App| {
        let heights = app.positions().iter().map(|position| position.y);
        heights.fold(f32::MAX, f32::min)
    };
    app.updates(40);
    assert!(lowest(&app) > -16.5, "{}", lowest(&app));
    assert_eq!(app.colliders(), 1);
    app.insert(shelf, Transform::from_scale(Vec3::new(0.0, 1.0, 1.0)));
    app.update();
    assert_eq!(app.fluid().colliders().len(), 1, "the last valid place stays");
    app.despawn(shelf);
    app.updates(60);
    assert_eq!(app.fluid().colliders().len(), 0);
    assert!(lowest(&app) < -80.0, "{}", lowest(&app));
}

// What `FluidSolidDrawingPlugin` draws, in an app without a renderer.

fn app() -> App {
    let mut app = app_of(AssetPlugin::default());
    app.init_asset::<Mesh>()
        .init_asset::<ColorMaterial>()
        .add_plugins((BlobFluidPlugins::default(), FluidSolidDrawingPlugin))
        .finish_plugins();
    app
}

/// Colours and depths of the meshes of an entity.
fn drawn(app: &mut App, entity: Entity) -> Vec<(Color, f32)> {
    app.update();
    let children: Vec<Entity> =
        app.world().get::<Children>(entity).map_or(vec![], |children| children.to_vec());
    let materials = app.resource::<Assets<ColorMaterial>>();
    let parts = children.into_iter().map(|child| {
        let handle = app.component::<MeshMaterial2d<ColorMaterial>>(child);
        let depth = app.component::<Transform>(child).translation.z;
        (materials.get(&handle.0).expect("loaded").color, depth)
    });
    parts.collect()
}

/// The handle of the mesh in front of the liquid.
fn mesh_of(app: &App, entity: Entity) -> Handle<Mesh> {
    let children = app.component::<Children>(entity);
    let mut meshes = children.iter().filter_map(|child| app.world().get::<Mesh2d>(child));
    meshes.next_back().expect("a mesh").0.clone()
}

#[test]
fn solids_are_drawn_in_their_colours() {
    let mut app = app();
    let style = FluidSolidStyle::default();
    let world = app.world_mut();
    let bowl = world.spawn(FluidContainer::from(Circle::new(100.0))).id();
    let stone = world.spawn(FluidCollider::from(Circle::new(10.0))).id();
    let raft = world
        .spawn((FluidCollider::from(Rectangle::new(20.0, 5.0)), FluidBuoyant::of_density(0.5)))
        .id();
    let red = Color::srgb(1.0, 0.0, 0.0);
    let goal = world.spawn((FluidCollider::from(Circle::new(5.0)), FluidSolidColor(red))).id();
    let nothing = world.spawn(FluidCollider::default()).id();
    let interior = style.interior.expect("drawn by default");
    assert_eq!(drawn(&mut app, bowl), [(interior, -10.0), (style.wall, 5.0)]);
    assert_eq!(drawn(&mut app, stone), [(style.wall, 5.0)]);
    assert_eq!(drawn(&mut app, raft), [(style.body, 5.0)]);
    assert_eq!(drawn(&mut app, goal), [(red, 5.0)]);
    assert_eq!(drawn(&mut app, nothing), []);

    app.remove::<FluidSolidColor>(goal);
    app.remove::<FluidBuoyant>(raft);
    assert_eq!(drawn(&mut app, goal), [(style.wall, 5.0)]);
    assert_eq!(drawn(&mut app, raft), [(style.wall, 5.0)]);
    app.insert_resource(FluidSolidStyle { interior: None, wall: red, ..style });
    assert_eq!(drawn(&mut app, bowl), [(red, 5.0)]);
    assert_eq!(drawn(&mut app, stone), [(red, 5.0)]);
}

#[test]
fn meshes_follow_changes_and_go_with_their_components() {
    let mut app = app();
    let world = app.world_mut();
    let label = world.spawn_empty().id();
    let gate = world.spawn(FluidCollider::from(Rectangle::new(10.0, 50.0))).add_child(label).id();
    app.update();
    let before = mesh_of(&app, gate);
    app.update();
    assert_eq!(mesh_of(&app, gate), before, "what stays is not drawn again");
    *app.component_mut::<FluidCollider>(gate) = FluidCollider::from(Circle::new(8.0));
    app.update();
    assert_ne!(mesh_of(&app, gate), before);

    app.remove::<FluidCollider>(gate);
    app.update();
    let children = app.component::<Children>(gate);
    assert_eq!(**children, [label]);
    let mut parts = app.world_mut().query_filtered::<(), With<Mesh2d>>();
    assert_eq!(parts.iter(app.world()).count(), 0);

    let pond = app.spawn(FluidContainer::from(Circle::new(100.0)));
    app.update();
    assert_eq!(parts.iter(app.world()).count(), 2);
    app.despawn(pond);
    app.update();
    assert_eq!(parts.iter(app.world()).count(), 0);
}

#[test]
fn what_is_drawn_of_a_scaled_solid_is_what_holds_the_liquid() {
    /// The largest distance from the middle that is drawn, along both axes of the world.
    fn reach(app: &App, solid: Entity) -> Vec2 {
        let children = app.component::<Children>(solid);
        let corners = children.iter().flat_map(|child| {
            let mesh = app.resource::<Assets<Mesh>>().get(&app.component::<Mesh2d>(child).0);
            let corners = mesh.expect("there").attribute(Mesh::ATTRIBUTE_POSITION);
            let corners = corners.and_then(|corners| corners.as_float3()).expect("corners");
            let place = *app.component::<GlobalTransform>(child);
            corners
                .iter()
                .map(|corner| place.transform_point(Vec3::from(*corner)).truncate())
                .collect::<Vec<Vec2>>()
        });
        corners.fold(Vec2::ZERO, |most, corner| most.max(corner.abs()))
    }
    let mut app = app();
    let scaled = |x, y| Transform::from_scale(Vec3::new(x, y, 1.0));
    let round = app.spawn((FluidContainer::from(Circle::new(100.0)), scaled(3.0, 1.0)));
    let tank = app.spawn((FluidContainer::from(Rectangle::new(20.0, 60.0)), scaled(-3.0, 2.0)));
    app.updates(2);
    let thickness = FluidSolidStyle::default().thickness;
    let is_close = |found: Vec2, right: Vec2| assert!(found.distance(right) < 1e-2, "{found}");
    is_close(reach(&app, round), Vec2::splat(100.0 + thickness));
    is_close(reach(&app, tank), Vec2::new(30.0, 60.0) + thickness);
    // It is drawn again when its size changes, and only then.
    let before = mesh_of(&app, tank);
    app.transform(tank).translation.x = 7.0;
    app.transform(tank).rotation = Quat::from_rotation_z(1.0);
    app.updates(3);
    assert_eq!(mesh_of(&app, tank), before);
    *app.transform(tank) = scaled(1.0, 1.0);
    app.updates(3);
    is_close(reach(&app, tank), Vec2::new(10.0, 30.0) + thickness);
    *app.transform(tank) = scaled(0.0, 1.0);
    app.updates(3);
    *app.transform(tank) = scaled(2.0, 1.0);
    app.updates(3);
    is_close(reach(&app, tank), Vec2::new(20.0, 30.0) + thickness);
}

#[test]
fn an_app_without_meshes_goes_on() {
    let mut app = app_of((BlobFluidPlugins::default(), FluidSolidDrawingPlugin));
    app.finish_plugins();
    app.spawn(FluidContainer::from(Circle::new(100.0)));
    app.update();
}
