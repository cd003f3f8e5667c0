//! Bodies as entities: they follow the simulation, and whatever is done to them.

use bevy::asset::AssetPlugin;
use bevy::time::TimeUpdateStrategy;

use crate::app::*;

/// A pool in a tank, the floor of which is at -150.
fn pool() -> App {
    pool_of(400.0)
}

/// The same in a tank of another width.
fn pool_of(width: f32) -> App {
    let mut app = app_of((AssetPlugin::default(), BlobFluidPlugins::default()));
    let tick = app.resource::<Time<Fixed>>().timestep();
    app.insert_resource(TimeUpdateStrategy::ManualDuration(tick));
    app.spawn(FluidContainer::from(Rectangle::new(width, 300.0)));
    app.spawn((FluidBlob::from(Rectangle::new(width - 10.0, 130.0)), xy(0.0, -84.0)));
    app.finish_plugins();
    run(&mut app, 1.0);
    app
}

fn run(app: &mut App, seconds: f32) {
    app.updates((seconds * 64.0) as u32);
}

fn floating(x: f32, y: f32) -> impl Bundle {
    let shape = FluidCollider::from(Rectangle::new(60.0, 40.0));
    (shape, FluidBuoyant::of_density(0.5), Transform::from_xyz(x, y, 3.0))
}

fn position_of(app: &App, entity: Entity) -> Vec3 {
    app.component::<GlobalTransform>(entity).translation()
}

#[test]
fn a_crate_floats_and_its_transform_follows() {
    let mut app = pool();
    let floats = app.spawn(floating(20.0, 60.0));
    let sinks = app.spawn(floating(-120.0, 60.0));
    // A crate of density 2 may come to rest on a few particles that it has trapped.
    app.insert(sinks, FluidBuoyant::of_density(4.0));
    run(&mut app, 8.0);
    let (up, down) = (position_of(&app, floats), position_of(&app, sinks));
    assert!((-45.0..0.0).contains(&up.y), "{up}");
    assert!((down.y + 130.0).abs() < 1.0, "{down}");
    assert_eq!((up.z, down.z), (3.0, 3.0));
    let transform = app.component::<Transform>(floats);
    assert_eq!(transform.scale, Vec3::ONE);
    assert!(app.component::<FluidMotion>(floats).velocity.length() < 20.0);
}

#[test]
fn a_body_moves_smoothly_between_ticks() {
    let mut app = pool();
    let body = app.spawn(floating(0.0, 120.0));
    run(&mut app, 0.2);
    // Four frames to a tick.
    let tick = app.resource::<Time<Fixed>>().timestep();
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
    let body = app.spawn(floating(-100.0, 60.0));
    run(&mut app, 3.0);
    app.transform(body).translation.x = 100.0;
    app.update();
    assert!((position_of(&app, body).x - 100.0).abs() < 1.0, "{}", position_of(&app, body));
    run(&mut app, 2.0);
    // Liquid that fills the hole at its old place carries it along.
    assert!(position_of(&app, body).x > 0.0, "{}", position_of(&app, body));
    // While paused as well.
    app.clock().pause();
    app.transform(body).translation.y = 90.0;
    run(&mut app, 0.5);
    assert_eq!(position_of(&app, body).y, 90.0);
    let collider = app.first_collider().centre();
    assert_eq!(collider.y, 90.0);
    app.clock().unpause();
    run(&mut app, 0.1);
    assert!(position_of(&app, body).y < 90.0);
}

#[test]
fn whoever_changes_a_bodys_motion_moves_it() {
    let mut app = pool();
    let body = app.spawn(floating(0.0, 60.0));
    run(&mut app, 4.0);
    let before = position_of(&app, body);
    app.component_mut::<FluidMotion>(body).velocity.y = 250.0;
    run(&mut app, 0.4);
    let after = position_of(&app, body);
    assert!(after.y > before.y + 30.0, "jumped from {before} to {after}");
    app.component_mut::<FluidMotion>(body).velocity.y = f32::NAN;
    run(&mut app, 1.0);
    assert!(position_of(&app, body).is_finite());
    assert!(app.component::<FluidMotion>(body).velocity.is_finite());
}

#[test]
fn a_child_floats_in_the_world() {
    let mut app = pool();
    let turned = Transform::from_xyz(50.0, 30.0, 1.0)
        .with_rotation(Quat::from_rotation_z(0.7))
        .with_scale(Vec3::splat(2.0));
    let parent = app.spawn(turned);
    let child = app.spawn((
        FluidCollider::from(Rectangle::new(30.0, 20.0)),
        FluidBuoyant::of_density(0.5),
        ChildOf(parent),
    ));
    run(&mut app, 8.0);
    let at = position_of(&app, child);
    let centre = app.first_collider().centre();
    assert!(at.truncate().distance(centre) < 1.0, "{at} {centre}");
    assert!((-45.0..0.0).contains(&at.y), "{at}");
    assert_eq!(app.component::<Transform>(child).scale, Vec3::ONE);
    app.despawn(parent);
    app.update();
    assert_eq!(app.colliders(), 0);
}

#[test]
fn parts_of_a_body_may_come_and_go_at_any_time() {
    let mut app = pool();
    let body = app.spawn(floating(0.0, 20.0));
    // Within the frame it was spawned in.
    app.remove::<FluidBuoyant>(body);
    run(&mut app, 0.5);
    assert_eq!(position_of(&app, body).y, 20.0, "a collider that stands still");
    app.insert(body, FluidBuoyant::of_density(0.5));
    run(&mut app, 3.0);
    let floating = position_of(&app, body);
    assert!(floating.y < 10.0, "{floating}");
    app.remove::<FluidBuoyant>(body);
    run(&mut app, 0.5);
    assert!(position_of(&app, body).distance(floating) < 8.0, "stands where it was");
    app.remove::<FluidCollider>(body);
    app.update();
    assert_eq!(app.colliders(), 0);
    app.insert(body, FluidBuoyant::of_density(0.5));
    run(&mut app, 0.2);
    assert_eq!(app.colliders(), 0, "a body needs a shape");
    app.insert(body, FluidCollider::from(Circle::new(20.0)));
    run(&mut app, 0.2);
    assert_eq!(app.colliders(), 1);
    app.insert(body, FluidBuoyant::of_density(f32::NAN));
    run(&mut app, 0.2);
    assert!(position_of(&app, body).is_finite());
    app.world_mut().entity_mut(body).insert(FluidMotion::default()).remove::<FluidMotion>();
    run(&mut app, 0.2);
    app.despawn(body);
    app.update();
    assert_eq!(app.colliders(), 0);
}

#[test]
fn a_scaled_to_nothing_body_is_left_out_until_it_is_something() {
    let mut app = pool();
    let flat = xy(0.0, 60.0).with_scale(Vec3::new(0.0, 1.0, 1.0));
    let body = (FluidCollider::from(Circle::new(30.0)), FluidBuoyant::default(), flat);
    let body = app.spawn(body);
    run(&mut app, 0.2);
    assert_eq!(app.colliders(), 0);
    app.transform(body).scale = Vec3::ONE;
    run(&mut app, 2.0);
    assert_eq!(app.colliders(), 1);
    assert!(position_of(&app, body).y < 50.0);
}

#[test]
fn a_load_says_what_the_liquid_does_to_any_collider() {
    let mut app = pool();
    run(&mut app, 4.0);
    let post = (FluidCollider::from(Circle::new(25.0)), FluidLoad::default(), xy(0.0, -90.0));
    let post = app.spawn(post);
    run(&mut app, 8.0);
    let load = *app.component::<FluidLoad>(post);
    let fluid = app.fluid();
    let (spacing, gravity) =
        (fluid.parameters().particle_spacing, fluid.parameters().gravity.length());
    let radius = 25.0 + 0.5 * spacing;
    let buoyancy = std::f32::consts::PI * radius * radius / (spacing * spacing) * gravity;
    assert!((load.force.y / buoyancy - 1.0).abs() < 0.15, "{load:?} of {buoyancy}");
}

#[test]
fn what_has_no_collider_any_more_bears_no_load() {
    let mut app = pool();
    let post = (FluidCollider::from(Circle::new(25.0)), FluidLoad::default(), xy(0.0, -90.0));
    let post = app.spawn(post);
    run(&mut app, 4.0);
    assert!(app.component::<FluidLoad>(post).force.y > 0.0);
    app.remove::<FluidCollider>(post);
    app.updates(2);
    assert_eq!(*app.component::<FluidLoad>(post), FluidLoad::default());
}

fn motion_of(app: &App, entity: Entity) -> FluidMotion {
    *app.component::<FluidMotion>(entity)
}

/// A crate that falls, and turns, and its motion.
fn falling(app: &mut App) -> (Entity, FluidMotion) {
    let body = app.spawn(floating(0.0, 100.0));
    app.component_mut::<FluidMotion>(body).angular_velocity = 1.0;
    run(app, 0.1);
    let motion = motion_of(app, body);
    assert!(motion.velocity.y < -10.0 && motion.angular_velocity > 0.5, "{motion:?}");
    (body, motion)
}

#[test]
fn depth_flips_and_equal_values_leave_a_body_its_motion() {
    let changes: [(&str, fn(&mut Transform)); 6] = [
        ("nothing", |_| ()),
        ("depth", |transform| transform.translation.z = 7.0),
        ("a flip", |transform| transform.scale.x = -1.0),
        ("another flip", |transform| transform.scale.y = -1.0),
        ("the same values", |transform| *transform = Transform { ..*transform }),
        ("the same angle", |transform| {
            let (angle, ..) = transform.rotation.to_euler(EulerRot::ZYX);
            transform.rotation = Quat::from_rotation_z(angle);
        }),
    ];
    let mut ends = Vec::new();
    for (name, change) in changes {
        let mut app = pool();
        let (body, before) = falling(&mut app);
        let pose = position_of(&app, body);
        change(&mut app.transform(body));
        app.update();
        let now = motion_of(&app, body);
        assert!(now.velocity.y < before.velocity.y, "{name} stopped it: {now:?}");
        assert!(now.angular_velocity > 0.9 * before.angular_velocity, "{name}: {now:?}");
        let moved = position_of(&app, body).truncate().distance(pose.truncate());
        assert!(moved < 10.0, "{name} moved it by {moved}");
        ends.push(now);
    }
    assert!(ends.iter().all(|end| end.velocity == ends[0].velocity), "{ends:?}");
}

#[test]
fn a_flipped_sprite_stays_flipped() {
    for (flip, mirrored_x) in
        [(Vec3::new(-1.0, 1.0, 1.0), true), (Vec3::new(1.0, -1.0, 1.0), false)]
    {
        let mut app = pool();
        let body = app.spawn(floating(0.0, 100.0));
        run(&mut app, 0.1);
        app.transform(body).scale = flip;
        for _ in 0..5 {
            app.update();
            let global = app.component::<GlobalTransform>(body);
            let (x, y) = (global.affine().matrix3.x_axis, global.affine().matrix3.y_axis);
            // It has not turned: only the flipped axis points the other way.
            assert_eq!((x.x < 0.0, y.y < 0.0), (mirrored_x, !mirrored_x), "{flip}: {x} {y}");
        }
    }
}

#[test]
fn a_teleported_body_keeps_its_motion_and_a_moved_one_does_not() {
    let mut app = pool();
    let (body, before) = falling(&mut app);
    let to = Transform::from_xyz(120.0, 90.0, 5.0);
    app.insert(body, FluidMotion { velocity: Vec2::X, ..before });
    app.world_mut().commands().entity(body).queue(FluidBuoyant::teleport(to));
    app.world_mut().flush();
    app.update();
    let now = motion_of(&app, body);
    assert!((now.velocity.x - 1.0).abs() < 0.1, "the motion that was asked for: {now:?}");
    assert!(position_of(&app, body).distance(to.translation) < 5.0);
    let falling = motion_of(&app, body);
    app.world_mut().commands().entity(body).queue(FluidBuoyant::teleport(to));
    app.world_mut().flush();
    app.update();
    assert!(motion_of(&app, body).velocity.y < falling.velocity.y);
    assert!(position_of(&app, body).distance(to.translation) < 5.0);
    run(&mut app, 0.1);
    let fell = motion_of(&app, body).velocity.y;
    app.transform(body).translation.x = -120.0;
    app.update();
    let rests = motion_of(&app, body).velocity.y;
    assert!(rests > 0.5 * fell, "{rests} a tick after it was put at rest, {fell} before");
}

/// A collider that a game moves by itself: the recipe of `FluidLoad`.
#[derive(Component)]
struct Boat {
    mass: f32,
    velocity: Vec2,
}

fn sail(
    mut boats: Query<(&mut Boat, &FluidLoad, &mut Transform)>,
    settings: Res<FluidSettings>,
    time: Res<Time>,
) {
    let tick = time.delta_secs();
    for (mut boat, load, mut transform) in &mut boats {
        let acceleration = load.force / boat.mass + settings.parameters.gravity;
        boat.velocity += acceleration * tick;
        transform.translation += (boat.velocity * tick).extend(0.0);
    }
}

const HULL: Vec2 = Vec2::new(120.0, 60.0);
const TANK: f32 = 600.0;

/// Fraction of a hull that is below the level of the liquid, and by how much it swings. The level
/// follows from the amount of liquid.
fn draught(app: &mut App, hull: Entity, density: f32) -> (f32, f32) {
    run(app, 12.0);
    let heights: Vec<f32> = (0..128)
        .map(|_| {
            app.update();
            position_of(app, hull).y
        })
        .collect();
    let mean = heights.iter().sum::<f32>() / 128.0;
    let swing = heights.iter().map(|height| (height - mean).abs()).fold(0.0, f32::max);
    let fluid = app.fluid();
    let spacing = fluid.parameters().particle_spacing;
    // Liquid keeps half a spacing away.
    let size = HULL + spacing;
    let liquid = fluid.particles().len() as f32 * spacing * spacing;
    let level = -150.0 + (liquid + density * size.element_product()) / TANK;
    ((level - (mean - 0.5 * size.y)) / size.y, swing)
}

#[test]
fn a_hand_written_integrator_floats_as_deep_as_it_should() {
    for density in [0.3, 0.5] {
        let mut app = pool_of(TANK);
        app.add_systems(FixedUpdate, sail);
        let hull = FluidCollider::from(Rectangle::from_size(HULL));
        let settings = *app.resource::<FluidSettings>();
        let mass = hull.body(density, Vec2::ONE, &settings).expect("valid").mass;
        let boat = Boat { mass, velocity: Vec2::ZERO };
        let at = xy(0.0, 20.0);
        let boat = app.spawn((hull.clone(), FluidLoad::default(), boat, at));
        let (sunk, swing) = draught(&mut app, boat, density);
        let mut app = pool_of(TANK);
        let body = app.spawn((hull, FluidBuoyant::of_density(density).lock_rotation(), at));
        let (buoyant_sunk, _) = draught(&mut app, body, density);
        println!(
            "{density}: {sunk:.4} is under water, of a body {buoyant_sunk:.4}; swings {swing:.3}"
        );
        assert!((sunk - buoyant_sunk).abs() < 0.02, "{sunk}, of a body {buoyant_sunk}");
        assert!((buoyant_sunk - density).abs() < 0.02, "{buoyant_sunk} of {density}");
        assert!(swing < 0.02 * HULL.y, "{swing}");
    }
}
