//! Bodies float, sink, roll and turn as expected, and conserve momentum together with the liquid.

use blob_fluid::shape::{DistanceField, Polygon};
use blob_fluid::{
    Body, Collider, ColliderOptions, FluidParameters, FluidShape, FluidSleeping, FluidWorld,
    Motion, ParticleSpawn, RayonExecutor, WallProperties,
};
use glam::{DVec2, Vec2};

use crate::pools::{add_tank, body, in_tank, pour, spacing};
use crate::ticks::{TICK, run};

/// A settled pool, 400 world units wide and about 130 deep, in a tank with its floor at -150.
fn pool() -> FluidWorld {
    let parameters = FluidParameters { sleeping: FluidSleeping::OFF, ..FluidParameters::default() };
    let mut world = FluidWorld::new(parameters).expect("valid");
    add_tank(&mut world, Vec2::ZERO, Vec2::new(200.0, 150.0));
    let shape = FluidShape::Rectangle { half_size: Vec2::new(198.0, 65.0) };
    pour(&mut world, shape.fill(Vec2::new(0.0, -84.0), 8.0));
    run(&mut world, 400);
    world
}

/// The height below which 98 % of the particles are.
fn level(world: &FluidWorld) -> f32 {
    let mut heights: Vec<f32> = world.particles().positions().iter().map(|p| p.y).collect();
    heights.sort_by(f32::total_cmp);
    heights[heights.len() * 98 / 100]
}

/// The first collider.
fn first(world: &FluidWorld) -> &Collider {
    world.colliders().next().expect("there is one").1
}

/// Runs a world until a body hardly moves, for at most a minute. A body that bobs stands still for a
/// moment as well, so that it must do so three times.
fn settle(world: &mut FluidWorld) {
    let mut still = 0;
    for _ in 0..60 {
        run(world, 60);
        let Motion { velocity, angular_velocity } = first(world).motion();
        let is_still = velocity.length() < 0.3 && angular_velocity.abs() < 0.01;
        still = if is_still { still + 1 } else { 0 };
        if still == 3 {
            return;
        }
    }
}

#[test]
fn a_crate_sinks_in_as_far_as_its_density_says() {
    let half_size = Vec2::new(50.0, 30.0);
    for density in [0.2, 0.35, 0.5, 0.65, 0.8] {
        let mut world = pool();
        let dry = WallProperties { wetting: 0.0, ..WallProperties::default() };
        let block = body(FluidShape::Rectangle { half_size }, Vec2::new(0.0, 40.0), density);
        world.insert_collider(block.with_wall(dry).expect("valid"));
        settle(&mut world);
        let block = first(&world);
        assert!(block.rotation().x > 0.99, "{density}: turned {}", block.rotation());
        // The depth is measured up to the surface, half a spacing above the highest particles.
        // The gap of half a spacing around the body counts as displaced.
        let margin = 0.5 * spacing();
        let wall = level(&world) + margin;
        let sunk = wall - (block.centre().y - half_size.y - margin);
        // Liquid that was left on top weighs as well.
        let lies_on_top = |position: &&Vec2| {
            let offset = **position - block.centre();
            offset.x.abs() < half_size.x && offset.y > half_size.y
        };
        let on_top = world.particles().positions().iter().filter(lies_on_top).count() as f32;
        let load = on_top * spacing() * spacing() / (2.0 * (half_size.x + margin));
        let expected = density * 2.0 * (half_size.y + margin) + load;
        // Particles have the size of a spacing, which limits the accuracy.
        let error = (sunk - expected) / spacing();
        assert!(error.abs() < 0.5, "{density}: {sunk} of {expected}");
    }
}

#[test]
fn what_is_heavier_sinks_and_rests_on_the_floor() {
    let mut world = pool();
    world.insert_collider(body(FluidShape::Circle { radius: 25.0 }, Vec2::new(30.0, 40.0), 1.6));
    settle(&mut world);
    let body = first(&world);
    assert!((body.centre().y + 125.0).abs() < 1.0, "{}", body.centre());
}

#[test]
fn liquid_bears_on_a_post_as_archimedes_says() {
    let mut world = pool();
    let shape = FluidShape::Circle { radius: 30.0 };
    let options = ColliderOptions { reports_load: true, ..Default::default() };
    let post = Collider::new(shape.clone(), Vec2::new(20.0, -90.0), Vec2::X);
    let post =
        world.insert_collider(post.and_then(|post| post.with_options(options)).expect("valid"));
    run(&mut world, 900);
    let mut impulse = Vec2::ZERO;
    for _ in 0..120 {
        run(&mut world, 1);
        let load = world.load_on(post).expect("there is one");
        impulse += load.impulse;
        assert!(load.angular_impulse.abs() < 0.05 * load.impulse.length() * 30.0);
    }
    let force = impulse / (120.0 * TICK);
    let displaced = Body::of_density(1.0, &shape, spacing()).expect("valid").mass;
    let expected = displaced * world.parameters().gravity.length();
    assert!((force.y / expected - 1.0).abs() < 0.1, "{force} of {expected}");
    assert!(force.x.abs() < 0.03 * expected, "{force}");
    assert!(world.remove_collider(post).is_some());
    assert_eq!(world.load_on(post), None);
}

#[test]
fn what_a_body_gains_the_liquid_loses() {
    let parameters = FluidParameters { gravity: Vec2::ZERO, ..FluidParameters::default() };
    let mut world = FluidWorld::new(parameters).expect("valid");
    for position in (FluidShape::Circle { radius: 60.0 }).fill(Vec2::ZERO, 8.2) {
        let velocity = Vec2::new(150.0, 20.0);
        world.spawn(ParticleSpawn { position, velocity, ..Default::default() }).expect("valid");
    }
    let shape = FluidShape::Rectangle { half_size: Vec2::new(12.0, 30.0) };
    world.insert_collider(body(shape, Vec2::new(90.0, 15.0), 2.0));
    let totals = |world: &FluidWorld| {
        let collider = first(world);
        let body = collider.options().body.expect("a body");
        let momenta =
            |at: DVec2, velocity: DVec2, mass: f64| (velocity * mass, mass * at.perp_dot(velocity));
        let velocity = collider.motion().velocity.as_dvec2();
        let (mut momentum, mut turn) =
            momenta(collider.centre().as_dvec2(), velocity, f64::from(body.mass));
        turn += f64::from(body.moment_of_inertia * collider.motion().angular_velocity);
        let particles = world.particles();
        for (position, velocity) in particles.positions().iter().zip(particles.velocities()) {
            let (particle_momentum, particle_turn) =
                momenta(position.as_dvec2(), velocity.as_dvec2(), 1.0);
            momentum += particle_momentum;
            turn += particle_turn;
        }
        (momentum, turn)
    };
    let before = totals(&world);
    run(&mut world, 90);
    let after = totals(&world);
    let gained = first(&world).motion().velocity.x;
    assert!(gained > 40.0, "it was hit: {gained}");
    let lost = (after.0 - before.0).length() / before.0.length();
    assert!(lost < 1e-3, "{lost} of the momentum: {before:?} {after:?}");
    let turn = (after.1 - before.1).abs() / (before.0.length() * 60.0);
    assert!(turn < 0.02, "{turn} of the angular momentum: {before:?} {after:?}");
}

#[test]
fn a_stream_turns_a_pinned_wheel_and_leaves_it_where_it_is() {
    let mut world = FluidWorld::default();
    let cross = blob_fluid::shape::Polyline::new(
        [(-60.0, 0.0), (60.0, 0.0), (0.0, 0.0), (0.0, 60.0), (0.0, -60.0)].map(Vec2::from),
        4.0,
    );
    let wheel = Body { pinned: true, ..Body::new(60.0, 60.0 * 900.0) };
    let options = ColliderOptions { body: Some(wheel), ..Default::default() };
    let shape = FluidShape::Polyline(cross.expect("valid"));
    let wheel = Collider::new(shape, Vec2::ZERO, Vec2::X)
        .and_then(|collider| collider.with_options(options));
    world.insert_collider(wheel.expect("valid"));
    for tick in 0..180 {
        if tick % 3 == 0 {
            for x in [30.0, 38.5, 47.0] {
                let (position, velocity) = (Vec2::new(x, 120.0), Vec2::new(0.0, -170.0));
                world
                    .spawn(ParticleSpawn { position, velocity, ..Default::default() })
                    .expect("valid");
            }
        }
        run(&mut world, 1);
    }
    let wheel = first(&world);
    assert_eq!(wheel.centre(), Vec2::ZERO);
    // The wheel turns clockwise, because the falling liquid hits it on the right.
    assert!(wheel.motion().angular_velocity < -0.5, "{:?}", wheel.motion());
}

#[test]
fn bodies_stack_roll_and_stay_apart() {
    let mut world = in_tank(Vec2::ZERO, Vec2::new(200.0, 150.0));
    let crate_at =
        |x, y| body(FluidShape::Rectangle { half_size: Vec2::splat(20.0) }, Vec2::new(x, y), 1.0);
    let slope = Collider::new(
        FluidShape::Rectangle { half_size: Vec2::new(80.0, 4.0) },
        Vec2::new(110.0, -60.0),
        Vec2::new(0.8, 0.6),
    );
    let ball = body(FluidShape::Circle { radius: 15.0 }, Vec2::new(140.0, 20.0), 1.0);
    let low = world.insert_collider(crate_at(-100.0, -120.0));
    let high = world.insert_collider(crate_at(-98.0, -70.0));
    world.insert_collider(slope.expect("valid"));
    let ball = world.insert_collider(ball);
    run(&mut world, 900);
    let [low, high, ball] = [low, high, ball].map(|id| world.collider(id).expect("there"));
    assert!(
        (low.centre().y + 130.0).abs() < 0.5 && (high.centre().y + 90.0).abs() < 1.0,
        "{} {}",
        low.centre(),
        high.centre()
    );
    assert!(low.rotation().x > 0.999 && high.rotation().x > 0.999);
    assert!(low.motion().velocity.length() < 1.0 && high.motion().velocity.length() < 1.0);
    assert!(ball.centre().x < 60.0, "it rolled: {}", ball.centre());
    assert!((ball.centre().y + 135.0).abs() < 1.0, "{}", ball.centre());
}

#[test]
fn bodies_are_the_same_for_any_number_of_threads() {
    let hash = |threads: usize| {
        let mut world = pool();
        let shape = FluidShape::Rectangle { half_size: Vec2::new(30.0, 15.0) };
        world.insert_collider(body(shape, Vec2::new(10.0, 20.0), 0.5));
        let executor = RayonExecutor::new(threads).expect("threads");
        for _ in 0..120 {
            world.step(TICK, &executor).expect("valid");
        }
        let body = first(&world);
        (world.state_hash(), body.centre(), body.rotation())
    };
    let one = hash(1);
    assert_eq!(one, hash(3));
    assert_eq!(one, hash(16));
}

#[test]
fn a_body_above_sleeping_liquid_falls_into_it() {
    let mut world = pool();
    world.set_parameters(FluidParameters::default()).expect("valid");
    run(&mut world, 1200);
    assert_eq!(world.asleep(), world.particles().len(), "all settled");
    world.insert_collider(body(FluidShape::Circle { radius: 20.0 }, Vec2::new(0.0, 100.0), 0.5));
    run(&mut world, 60);
    let centre = first(&world).centre();
    assert!(centre.y < 30.0, "{centre}");
    assert!(world.asleep() < world.particles().len());
}

#[test]
fn a_post_that_feels_goes_on_feeling_when_the_rest_sleeps() {
    let mut world = pool();
    world.set_parameters(FluidParameters::default()).expect("valid");
    let shape = FluidShape::Circle { radius: 30.0 };
    let options = ColliderOptions { reports_load: true, ..Default::default() };
    let post = Collider::new(shape.clone(), Vec2::new(20.0, -90.0), Vec2::X);
    let post =
        world.insert_collider(post.and_then(|post| post.with_options(options)).expect("valid"));
    run(&mut world, 1800);
    assert!(world.asleep() > 0 && world.asleep() < world.particles().len());
    let displaced = Body::of_density(1.0, &shape, spacing()).expect("valid").mass;
    let expected = displaced * world.parameters().gravity.length();
    let force = world.load_on(post).expect("there is one").impulse.y / TICK;
    assert!((force / expected - 1.0).abs() < 0.15, "{force} of {expected}");
}

#[test]
fn a_pinned_wheel_may_touch_what_it_cannot_move_along() {
    let mut world = FluidWorld::default();
    let diamond = [(50.0, 0.0), (0.0, 50.0), (-50.0, 0.0), (0.0, -50.0)].map(Vec2::from);
    let diamond = FluidShape::Polygon(Polygon::new(diamond).expect("a ring"));
    let wheel = Body { pinned: true, ..Body::of_density(1.0, &diamond, spacing()).expect("valid") };
    let options = ColliderOptions { body: Some(wheel), ..Default::default() };
    let wheel = Collider::new(diamond, Vec2::ZERO, Vec2::X)
        .and_then(|collider| collider.with_options(options));
    let ledge = Collider::rectangle(Vec2::new(60.0, -10.0), Vec2::new(30.0, 10.0));
    world.insert_collider(wheel.expect("valid"));
    world.insert_collider(ledge.expect("valid"));
    let (position, velocity) = (Vec2::new(30.0, 24.0), Vec2::new(0.0, -600.0));
    world.spawn(ParticleSpawn { position, velocity, ..Default::default() }).expect("valid");
    run(&mut world, 120);
    let wheel = first(&world);
    assert!(wheel.motion().angular_velocity.is_finite() && wheel.centre() == Vec2::ZERO);
}

#[test]
fn a_body_drawn_in_pixels_stays_in_its_tank() {
    let mut world = pool();
    let round = |x: usize, y: usize| Vec2::new(x as f32 - 15.5, y as f32 - 15.5).length() < 15.0;
    let round = DistanceField::new(32, 32, Vec2::splat(60.0), round).expect("valid");
    world.insert_collider(body(FluidShape::Field(round), Vec2::new(0.0, 40.0), 2.0));
    run(&mut world, 600);
    let centre = first(&world).centre();
    assert!((centre.y + 150.0 - 28.0).abs() < 3.0, "{centre}");
}
