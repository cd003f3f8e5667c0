//! Bodies as entities: they follow the simulation, and whatever is done to them.

use bevy::asset::AssetPlugin;
use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use bevy_blob_fluid::FluidColliders;
use bevy_blob_fluid::blob_fluid::Collider;
use bevy_blob_fluid::prelude::*;

/// A pool in a tank, the floor of which is at -150.
fn pool() -> App {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, AssetPlugin::default(), TransformPlugin))
        .add_plugins(BlobFluidPlugins::default());
    let tick = app.world().resource::<Time<Fixed>>().timestep();
    app.insert_resource(TimeUpdateStrategy::ManualDuration(tick));
    app.world_mut().spawn(FluidContainer::from(Rectangle::new(400.0, 300.0)));
    app.world_mut().spawn((
        FluidBlob::from(Rectangle::new(390.0, 130.0)),
        Transform::from_xyz(0.0, -84.0, 0.0),
    ));
    app.finish();
    app.cleanup();
    run(&mut app, 1.0);
    app
}

fn run(app: &mut App, seconds: f32) {
    for _ in 0..(seconds * 64.0) as u32 {
        app.update();
    }
}

fn floating(x: f32, y: f32) -> impl Bundle {
    let shape = FluidCollider::from(Rectangle::new(60.0, 40.0));
    (shape, FluidBuoyant::of_density(0.5), Transform::from_xyz(x, y, 3.0))
}

fn position_of(app: &App, entity: Entity) -> Vec3 {
    app.world().get::<GlobalTransform>(entity).expect("it has one").translation()
}

fn colliders(app: &App) -> usize {
    app.world().resource::<FluidColliders>().iter().count()
}

/// The first collider of the liquid.
fn first_collider(fluid: &FluidSimulation) -> &Collider {
    fluid.colliders().next().expect("there is one").1
}

#[test]
fn a_crate_floats_and_its_transform_follows() {
    let mut app = pool();
    let floats = app.world_mut().spawn(floating(20.0, 60.0)).id();
    let sinks = app.world_mut().spawn(floating(-120.0, 60.0)).id();
    app.world_mut().entity_mut(sinks).insert(FluidBuoyant::of_density(2.0));
    run(&mut app, 8.0);
    let (up, down) = (position_of(&app, floats), position_of(&app, sinks));
    assert!((-45.0..0.0).contains(&up.y), "{up}");
    assert!((down.y + 130.0).abs() < 1.0, "{down}");
    assert_eq!((up.z, down.z), (3.0, 3.0));
    let transform = app.world().get::<Transform>(floats).expect("it has one");
    assert_eq!(transform.scale, Vec3::ONE);
    assert!(app.world().get::<FluidMotion>(floats).expect("required").velocity.length() < 20.0);
}

#[test]
fn a_body_moves_smoothly_between_ticks() {
    let mut app = pool();
    let body = app.world_mut().spawn(floating(0.0, 120.0)).id();
    run(&mut app, 0.2);
    // Four frames to a tick.
    let tick = app.world().resource::<Time<Fixed>>().timestep();
    app.insert_resource(TimeUpdateStrategy::ManualDuration(tick / 4));
    let heights: Vec<f32> = (0..12)
        .map(|_| {
            app.update();
            position_of(&app, body).y
        })
        .collect();
    for pair in heights.windows(2) {
        assert!(pair[1] < pair[0], "falls in every frame: {heights:?}");
    }
}

#[test]
fn whoever_moves_a_bodys_transform_puts_it_there() {
    let mut app = pool();
    let body = app.world_mut().spawn(floating(-100.0, 60.0)).id();
    run(&mut app, 3.0);
    app.world_mut().get_mut::<Transform>(body).expect("it has one").translation.x = 100.0;
    app.update();
    assert!((position_of(&app, body).x - 100.0).abs() < 1.0, "{}", position_of(&app, body));
    run(&mut app, 2.0);
    assert!((position_of(&app, body).x - 100.0).abs() < 25.0, "{}", position_of(&app, body));
    // While paused as well.
    app.world_mut().resource_mut::<Time<Fluid>>().pause();
    app.world_mut().get_mut::<Transform>(body).expect("it has one").translation.y = 90.0;
    run(&mut app, 0.5);
    assert_eq!(position_of(&app, body).y, 90.0);
    let collider = first_collider(app.world().resource::<FluidSimulation>()).centre();
    assert_eq!(collider.y, 90.0);
    app.world_mut().resource_mut::<Time<Fluid>>().unpause();
    run(&mut app, 0.1);
    assert!(position_of(&app, body).y < 90.0);
}

#[test]
fn whoever_changes_a_bodys_motion_moves_it() {
    let mut app = pool();
    let body = app.world_mut().spawn(floating(0.0, 60.0)).id();
    run(&mut app, 4.0);
    let before = position_of(&app, body);
    app.world_mut().get_mut::<FluidMotion>(body).expect("required").velocity.y = 250.0;
    run(&mut app, 0.4);
    let after = position_of(&app, body);
    assert!(after.y > before.y + 30.0, "jumped from {before} to {after}");
    app.world_mut().get_mut::<FluidMotion>(body).expect("required").velocity.y = f32::NAN;
    run(&mut app, 1.0);
    assert!(position_of(&app, body).is_finite());
    assert!(app.world().get::<FluidMotion>(body).expect("required").velocity.is_finite());
}

#[test]
fn a_child_floats_in_the_world() {
    let mut app = pool();
    let turned = Transform::from_xyz(50.0, 30.0, 1.0)
        .with_rotation(Quat::from_rotation_z(0.7))
        .with_scale(Vec3::splat(2.0));
    let parent = app.world_mut().spawn(turned).id();
    let child = app.world_mut().spawn((
        FluidCollider::from(Rectangle::new(30.0, 20.0)),
        FluidBuoyant::of_density(0.5),
        ChildOf(parent),
    ));
    let child = child.id();
    run(&mut app, 8.0);
    let at = position_of(&app, child);
    let centre = first_collider(app.world().resource::<FluidSimulation>()).centre();
    assert!(at.truncate().distance(centre) < 1.0, "{at} {centre}");
    assert!((-45.0..0.0).contains(&at.y), "{at}");
    assert_eq!(app.world().get::<Transform>(child).expect("it has one").scale, Vec3::ONE);
    app.world_mut().entity_mut(parent).despawn();
    app.update();
    assert_eq!(colliders(&app), 0);
}

#[test]
fn parts_of_a_body_may_come_and_go_at_any_time() {
    let mut app = pool();
    let body = app.world_mut().spawn(floating(0.0, 20.0)).id();
    // Within the frame it was spawned in.
    app.world_mut().entity_mut(body).remove::<FluidBuoyant>();
    run(&mut app, 0.5);
    assert_eq!(position_of(&app, body).y, 20.0, "a collider that stands still");
    app.world_mut().entity_mut(body).insert(FluidBuoyant::of_density(0.5));
    run(&mut app, 3.0);
    let floating = position_of(&app, body);
    assert!(floating.y < 10.0, "{floating}");
    app.world_mut().entity_mut(body).remove::<FluidBuoyant>();
    run(&mut app, 0.5);
    assert!(position_of(&app, body).distance(floating) < 8.0, "stands where it was");
    app.world_mut().entity_mut(body).remove::<FluidCollider>();
    app.update();
    assert_eq!(colliders(&app), 0);
    app.world_mut().entity_mut(body).insert(FluidBuoyant::of_density(0.5));
    run(&mut app, 0.2);
    assert_eq!(colliders(&app), 0, "a body needs a shape");
    app.world_mut().entity_mut(body).insert(FluidCollider::from(Circle::new(20.0)));
    run(&mut app, 0.2);
    assert_eq!(colliders(&app), 1);
    app.world_mut().entity_mut(body).insert(FluidBuoyant::of_density(f32::NAN));
    run(&mut app, 0.2);
    assert!(position_of(&app, body).is_finite());
    app.world_mut().entity_mut(body).insert(FluidMotion::default()).remove::<FluidMotion>();
    run(&mut app, 0.2);
    app.world_mut().entity_mut(body).despawn();
    app.update();
    assert_eq!(colliders(&app), 0);
}

#[test]
fn a_scaled_to_nothing_body_is_left_out_until_it_is_something() {
    let mut app = pool();
    let flat = Transform::from_xyz(0.0, 60.0, 0.0).with_scale(Vec3::new(0.0, 1.0, 1.0));
    let body = (FluidCollider::from(Circle::new(30.0)), FluidBuoyant::default(), flat);
    let body = app.world_mut().spawn(body).id();
    run(&mut app, 0.2);
    assert_eq!(colliders(&app), 0);
    app.world_mut().get_mut::<Transform>(body).expect("it has one").scale = Vec3::ONE;
    run(&mut app, 2.0);
    assert_eq!(colliders(&app), 1);
    assert!(position_of(&app, body).y < 50.0);
}

#[test]
fn a_load_says_what_the_liquid_does_to_any_collider() {
    let mut app = pool();
    run(&mut app, 4.0);
    let post = (
        FluidCollider::from(Circle::new(25.0)),
        FluidLoad::default(),
        Transform::from_xyz(0.0, -90.0, 0.0),
    );
    let post = app.world_mut().spawn(post).id();
    run(&mut app, 8.0);
    let load = *app.world().get::<FluidLoad>(post).expect("it has one");
    let fluid = app.world().resource::<FluidSimulation>();
    let (spacing, gravity) =
        (fluid.parameters().particle_spacing, fluid.parameters().gravity.length());
    let radius = 25.0 + 0.5 * spacing;
    let buoyancy = std::f32::consts::PI * radius * radius / (spacing * spacing) * gravity;
    assert!((load.force.y / buoyancy - 1.0).abs() < 0.15, "{load:?} of {buoyancy}");
}
