//! Bodies float, sink, roll and turn as expected, and conserve momentum together with the liquid.

use std::f32::consts::FRAC_PI_2;

use blob_fluid::shape::{DistanceField, Polygon};
use blob_fluid::*;
use glam::{DVec2, Vec2};

use crate::pools::{
    add_collider, add_tank, awake, body, cells, change_parameters, configured, drawn_surface,
    in_tank, insert_carried, moving, pour, pour_drop, spacing, spawn, spawn_all, top_speed,
    weightless, world_with,
};
use crate::ticks::{TICK, run, run_by, same_on_threads, step};

/// A settled pool, 400 world units wide and about 130 deep, in a tank with its floor at -150.
fn pool() -> FluidWorld {
    let mut world = world_with(awake());
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

/// Inserts a post that reports its load, and returns the weight of the liquid that it displaces.
fn insert_post(world: &mut FluidWorld) -> (ColliderId, f32) {
    let shape = FluidShape::Circle { radius: 30.0 };
    let displaced = Body::of_density(1.0, &shape, spacing()).expect("valid").mass;
    let post = Collider::new(shape, Vec2::new(20.0, -90.0), Vec2::X).expect("valid");
    let options = ColliderOptions { reports_load: true, ..Default::default() };
    let post = world.insert_collider(configured(post, options));
    (post, displaced * world.parameters().gravity.length())
}

#[test]
fn liquid_bears_on_a_post_as_archimedes_says() {
    let mut world = pool();
    let (post, expected) = insert_post(&mut world);
    run(&mut world, 900);
    let mut impulse = Vec2::ZERO;
    for _ in 0..120 {
        run(&mut world, 1);
        let load = world.load_on(post).expect("there is one");
        impulse += load.impulse;
        assert!(load.angular_impulse.abs() < 0.05 * load.impulse.length() * 30.0);
    }
    let force = impulse / (120.0 * TICK);
    assert!((force.y / expected - 1.0).abs() < 0.1, "{force} of {expected}");
    assert!(force.x.abs() < 0.03 * expected, "{force}");
    assert!(world.remove_collider(post).is_some());
    assert_eq!(world.load_on(post), None);
}

#[test]
fn what_a_body_gains_the_liquid_loses() {
    let mut world = world_with(weightless());
    pour_drop(&mut world, 60.0, Vec2::new(150.0, 20.0));
    let shape = FluidShape::Rectangle { half_size: Vec2::new(12.0, 30.0) };
    let id = world.insert_collider(body(shape, Vec2::new(90.0, 15.0), 2.0));
    let before = momentum(&world, id);
    run(&mut world, 90);
    let after = momentum(&world, id);
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
    let cross = shape::Polyline::new(
        [(-60.0, 0.0), (60.0, 0.0), (0.0, 0.0), (0.0, 60.0), (0.0, -60.0)].map(Vec2::from),
        4.0,
    );
    let wheel = Body { pinned: true, ..Body::new(60.0, 60.0 * 900.0) };
    let options = ColliderOptions { body: Some(wheel), ..Default::default() };
    let shape = FluidShape::Polyline(cross.expect("valid"));
    let wheel = Collider::new(shape, Vec2::ZERO, Vec2::X).expect("valid");
    world.insert_collider(configured(wheel, options));
    for tick in 0..180 {
        if tick % 3 == 0 {
            for x in [30.0, 38.5, 47.0] {
                spawn(&mut world, moving(Vec2::new(x, 120.0), Vec2::new(0.0, -170.0)));
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
    let crate_at = |x, y| body(rectangle(40.0, 40.0), Vec2::new(x, y), 1.0);
    let slope = Vec2::new(0.8, 0.6);
    let slope = Collider::new(rectangle(160.0, 8.0), Vec2::new(110.0, -60.0), slope);
    let ball = body(FluidShape::Circle { radius: 15.0 }, Vec2::new(140.0, 20.0), 1.0);
    let low = world.insert_collider(crate_at(-100.0, -120.0));
    let high = world.insert_collider(crate_at(-98.0, -70.0));
    add_collider(&mut world, slope);
    let ball = world.insert_collider(ball);
    run(&mut world, 900);
    let [low, high, ball] = [low, high, ball].map(|id| world.collider(id).expect("there"));
    let heights = [low.centre().y, high.centre().y];
    assert!((heights[0] + 130.0).abs() < 0.5 && (heights[1] + 90.0).abs() < 1.0, "{heights:?}");
    assert!(low.rotation().x > 0.999 && high.rotation().x > 0.999);
    assert!(low.motion().velocity.length() < 1.0 && high.motion().velocity.length() < 1.0);
    assert!(ball.centre().x < 60.0, "it rolled: {}", ball.centre());
    assert!((ball.centre().y + 135.0).abs() < 1.0, "{}", ball.centre());
}

#[test]
fn bodies_are_the_same_for_any_number_of_threads() {
    same_on_threads([1, 3, 16], |executor| {
        let mut world = pool();
        let shape = FluidShape::Rectangle { half_size: Vec2::new(30.0, 15.0) };
        world.insert_collider(body(shape, Vec2::new(10.0, 20.0), 0.5));
        run_by(executor, &mut world, 120);
        let body = first(&world);
        (world.state_hash(), body.centre(), body.rotation())
    });
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
    let (post, expected) = insert_post(&mut world);
    run(&mut world, 1800);
    assert!(world.asleep() > 0 && world.asleep() < world.particles().len());
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
    let wheel = Collider::new(diamond, Vec2::ZERO, Vec2::X).expect("valid");
    world.insert_collider(configured(wheel, options));
    add_collider(&mut world, Collider::rectangle(Vec2::new(60.0, -10.0), Vec2::new(30.0, 10.0)));
    spawn(&mut world, moving(Vec2::new(30.0, 24.0), Vec2::new(0.0, -600.0)));
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

// Bodies that are much lighter than the liquid that they displace.

/// Rows of liquid, and rows above the middle of the body when it is released.
const ROWS: usize = 20;
const ABOVE: f32 = 13.0;

fn shapes() -> [FluidShape; 3] {
    [
        FluidShape::Circle { radius: 1.3 * spacing() },
        FluidShape::Circle { radius: 4.5 * spacing() },
        FluidShape::Rectangle { half_size: Vec2::new(12.0, 0.13) * spacing() },
    ]
}

/// A pool at rest around a collider of this shape.
fn deep_pool(solver: FluidSolver, shape: &FluidShape) -> (FluidWorld, Vec2) {
    let mut world = world_with(FluidParameters { solver, ..awake() });
    let half_size = Vec2::new(19.0, 30.0) * spacing();
    add_tank(&mut world, Vec2::Y * half_size.y, half_size);
    let low = Vec2::new(-19.0, 0.0);
    pour(&mut world, cells(38, ROWS).map(|cell| (low + cell) * spacing()));
    let centre = Vec2::Y * (ROWS as f32 - ABOVE) * spacing();
    let held = add_collider(&mut world, Collider::new(shape.clone(), centre, Vec2::X));
    run(&mut world, 180);
    world.remove_collider(held).expect("there");
    (world, centre)
}

/// A body that the world moves, or one of a host.
enum Released {
    Own(ColliderId),
    Host(HostBodyId),
}

impl Released {
    fn insert(world: &mut FluidWorld, floating: Collider, by_host: bool) -> Self {
        if !by_host {
            return Self::Own(world.insert_collider(floating));
        }
        let properties = floating.options().body.expect("a body");
        Self::Host(insert_carried(world, floating, properties).0)
    }

    fn velocity(&self, world: &FluidWorld) -> Vec2 {
        let motion = match self {
            Self::Own(id) => world.collider(*id).expect("there").motion(),
            Self::Host(id) => world.liquid().host_body(*id).expect("there").motion,
        };
        motion.velocity
    }
}

/// Nothing may become faster than a free fall over the depth makes it.
fn is_released_gently(solver: FluidSolver, densities: &[f32], by_host: bool) {
    for shape in shapes() {
        let (pool, centre) = deep_pool(solver, &shape);
        let depth = ROWS as f32 * spacing();
        let fall = (2.0 * pool.parameters().gravity.length() * depth).sqrt();
        for density in densities {
            let mut world = pool.clone();
            let floating = body(shape.clone(), centre, *density);
            let released = Released::insert(&mut world, floating, by_host);
            for _ in 0..90 {
                run(&mut world, 1);
                let speed = top_speed(&world).max(released.velocity(&world).length());
                assert!(speed < 1.3 * fall, "{solver:?} {shape:?} {density}: {speed} of {fall}");
            }
        }
    }
}

#[test]
fn light_bodies_rise_and_do_not_explode() {
    for solver in FluidSolver::ALL {
        is_released_gently(solver, &[0.01, 0.08, 0.2, 0.5], false);
    }
    for solver in [FluidSolver::DoubleDensity, FluidSolver::Sph, FluidSolver::Incompressible] {
        is_released_gently(solver, &[0.01, 0.2, 0.9], true);
    }
}

/// The liquid pushes a body and a host body alike, also where gravity is turned, and at any density.
#[test]
fn a_body_and_a_host_body_rise_alike() {
    let upright = FluidShape::Rectangle { half_size: Vec2::new(0.5, 6.0) * spacing() };
    let flat = FluidShape::Rectangle { half_size: Vec2::new(6.0, 0.5) * spacing() };
    for solver in FluidSolver::ALL {
        for (shape, degrees) in [(&upright, 0.0), (&flat, 0.0), (&flat, 30.0), (&upright, -30.0)] {
            let (mut pool, centre) = deep_pool(solver, shape);
            let gravity =
                Vec2::from_angle(f32::to_radians(degrees)).rotate(pool.parameters().gravity);
            change_parameters(&mut pool, |parameters| parameters.gravity = gravity);
            for density in [0.2, 0.9] {
                let floating = body(shape.clone(), centre, density);
                let [own, host] = [false, true].map(|by_host| {
                    let mut world = pool.clone();
                    let released = Released::insert(&mut world, floating.clone(), by_host);
                    run(&mut world, 20);
                    released.velocity(&world)
                });
                let difference = own.distance(host);
                let case = format!("{solver:?}, {shape:?} of {density} at {degrees}");
                assert!(difference < 0.5, "{case}: {own} and {host}");
            }
        }
    }
}

/// Momentum and angular momentum about the origin of particles and a body of mass 1 per particle.
fn momentum(world: &FluidWorld, id: ColliderId) -> (DVec2, f64, f64) {
    let particles = world.particles();
    let all = particles.positions().iter().zip(particles.velocities());
    let (mut sum, mut spin, mut scale) = (DVec2::ZERO, 0.0, 0.0);
    for (at, velocity) in all {
        let (at, velocity) = (at.as_dvec2(), velocity.as_dvec2());
        sum += velocity;
        spin += at.perp_dot(velocity);
        scale += velocity.length();
    }
    let collider = world.collider(id).expect("there");
    let properties = collider.options().body.expect("a body");
    let (mass, inertia) = (f64::from(properties.mass), f64::from(properties.moment_of_inertia));
    let velocity = collider.motion().velocity.as_dvec2();
    sum += mass * velocity;
    spin += mass * collider.centre().as_dvec2().perp_dot(velocity)
        + inertia * f64::from(collider.motion().angular_velocity);
    (sum, spin, scale + mass * velocity.length())
}

#[test]
fn a_drop_that_hits_a_light_body_keeps_its_momentum() {
    let parameters = FluidParameters::new(spacing(), Vec2::ZERO);
    for density in [0.02, 0.3, 3.0] {
        let mut world = world_with(parameters);
        let half_size = Vec2::new(6.0, 2.0) * spacing();
        let target = body(FluidShape::Rectangle { half_size }, Vec2::ZERO, density);
        let id = world.insert_collider(target);
        let places = cells(8, 8).map(|cell| (cell + Vec2::new(-1.0, 3.0)) * spacing());
        spawn_all(&mut world, places.map(|place| moving(place, Vec2::new(0.0, -60.0))));
        let (before, spin_before, scale) = momentum(&world, id);
        run(&mut world, 60);
        let moves = world.collider(id).expect("there").motion();
        assert!(moves.velocity.y < -1.0 && moves.angular_velocity.abs() > 1e-3, "{moves:?}");
        let (after, spin_after, _) = momentum(&world, id);
        let error = (after - before).length() / scale;
        assert!(error < 1e-6, "{density}: {error}");
        // Containment and walls move particles, which turns the liquid a little.
        let turned = (spin_after - spin_before).abs() / (scale * f64::from(half_size.x));
        assert!(turned < 0.02, "{density}: {turned}");
    }
}

/// Puts a body of twice the density of the liquid on the floor of a pool of so many rows, and returns the greatest speed of the
/// liquid and of the body in the last two of 20 s, in speed units.
fn speeds_above_floor(shape: FluidShape, rows: usize) -> (f32, f32) {
    let mut world = world_with(awake());
    add_tank(&mut world, Vec2::Y * 40.0 * spacing(), Vec2::new(19.0, 40.0) * spacing());
    let at = Vec2::Y * shape.bounds().half_size().y;
    let on_floor = body(shape, at, 2.0);
    let low = Vec2::new(-19.0, 0.0);
    let outside = |at: &Vec2| on_floor.distance(*at) > 0.5 * spacing();
    pour(&mut world, cells(38, rows).map(|cell| (low + cell) * spacing()).filter(outside));
    let id = world.insert_collider(on_floor);
    run(&mut world, 18 * 60);
    let (mut of_liquid, mut of_body) = (0.0_f32, 0.0_f32);
    for _ in 0..2 * 60 {
        world.step(TICK, &SerialExecutor).expect("valid");
        of_liquid = of_liquid.max(top_speed(&world));
        of_body = of_body.max(world.collider(id).expect("there").motion().velocity.length());
    }
    let unit = world.parameters().speed_unit();
    (of_liquid / unit, of_body / unit)
}

#[test]
fn bodies_on_the_floor_stir_nothing() {
    let crate_shape = FluidShape::Rectangle { half_size: Vec2::new(5.0, 2.5) * spacing() };
    let disc = FluidShape::Circle { radius: 1.5 * spacing() };
    for (shape, rows) in [(crate_shape, 12), (disc.clone(), 12), (disc, 50)] {
        let (of_liquid, of_body) = speeds_above_floor(shape.clone(), rows);
        println!("{shape:?} below {rows} rows: {of_liquid} {of_body}");
        assert!(of_liquid < 0.1 && of_body < 0.01, "{shape:?}: {of_liquid} {of_body}");
    }
}

// A room floods, and the bodies on its dry floor float up.

/// Floods a room with bodies on its floor, 2.5 times as deep as they are high, and returns by how many spacings each has
/// risen after 20 s.
fn risen<const COUNT: usize>(
    solver: FluidSolver,
    half_size: Vec2,
    width: f32,
    bodies: [Collider; COUNT],
) -> [f32; COUNT] {
    let mut world = world_with(FluidParameters { solver, ..FluidParameters::default() });
    add_tank(&mut world, Vec2::Y * 400.0, Vec2::new(0.5 * width, 400.0));
    let ids = bodies.map(|body| world.insert_collider(body));
    let heights = |world: &FluidWorld| ids.map(|id| world.collider(id).expect("there").centre().y);
    run(&mut world, 120);
    let before = heights(&world);
    let shape =
        FluidShape::Rectangle { half_size: Vec2::new(0.5 * width - 6.0, 2.5 * half_size.y) };
    pour(&mut world, shape.fill(Vec2::Y * (5.0 * half_size.y + 30.0), spacing()));
    run(&mut world, 1200);
    let after = heights(&world);
    std::array::from_fn(|index| (after[index] - before[index]) / spacing())
}

#[test]
fn bodies_on_a_floor_float_up_when_the_room_floods() {
    let disc = |radius| (Vec2::splat(radius), FluidShape::Circle { radius });
    let rectangle = |half_size| (half_size, FluidShape::Rectangle { half_size });
    let shapes = [
        disc(12.0),
        disc(40.0),
        rectangle(Vec2::splat(12.0)),
        rectangle(Vec2::splat(24.0)),
        rectangle(Vec2::new(36.0, 12.0)),
    ];
    for (half_size, shape) in &shapes {
        let rises = |solver, density, x| {
            let body = body(shape.clone(), Vec2::new(x, half_size.y), density);
            risen(solver, *half_size, 3.0 * half_size.x + 100.0, [body])[0]
        };
        let height = 2.0 * half_size.y / spacing();
        for (density, x) in [(0.1, 0.0), (0.25, 3.0), (0.5, -7.0)] {
            let rise = rises(FluidSolver::DoubleDensity, density, x);
            println!("{shape:?} of density {density}: {rise} of a height of {height}");
            assert!(rise > 0.5 * height, "{shape:?} of density {density}: {rise} of {height}");
        }
        let sunken = rises(FluidSolver::DoubleDensity, 1.5, 3.0);
        assert!(sunken.abs() < 0.1, "{shape:?}: {sunken}");
        for solver in [FluidSolver::Sph, FluidSolver::SharedPressure, FluidSolver::Incompressible] {
            let rise = rises(solver, 0.2, 3.0);
            assert!(rise > 0.5 * height, "{solver:?}, {shape:?}: {rise} of {height}");
        }
    }
}

#[test]
fn neighbours_on_a_floor_and_on_each_other_float_up() {
    let half_size = Vec2::splat(16.0);
    let shape = FluidShape::Rectangle { half_size };
    // The last one stands in a corner.
    let places = [
        Vec2::new(-40.0, 16.0),
        Vec2::new(-8.0, 16.0),
        Vec2::new(-24.0, 48.0),
        Vec2::new(104.0, 16.0),
    ];
    let bodies = places.map(|place| body(shape.clone(), place, 0.4));
    let rises = risen(FluidSolver::DoubleDensity, 2.0 * half_size, 240.0, bodies);
    println!("{rises:?}");
    assert!(rises.into_iter().all(|rise| rise > 2.0), "{rises:?}");
}

#[test]
fn a_crate_on_a_sunken_slab_floats_up() {
    let at = |shape: FluidShape, y: f32, density: f32| body(shape, Vec2::new(3.0, y), density);
    let slab = at(rectangle(120.0, 24.0), 12.0, 2.0);
    let bodies = [slab, at(rectangle(40.0, 40.0), 44.0, 0.4)];
    let rises = risen(FluidSolver::DoubleDensity, Vec2::new(60.0, 40.0), 280.0, bodies);
    println!("{rises:?}");
    assert!(rises[0].abs() < 0.1 && rises[1] > 10.0, "{rises:?}");
}

/// The path of a crate beside which liquid stands on one side only, up to half of its height, in spacings.
fn path_of_dam(density: f32) -> f32 {
    let mut world = in_tank(Vec2::Y * 400.0, Vec2::new(120.0, 400.0));
    let chock = Collider::rectangle(Vec2::new(34.0, 2.0), Vec2::splat(4.0));
    add_collider(&mut world, chock);
    let start = Vec2::new(0.0, 30.0);
    let crate_id = world.insert_collider(body(rectangle(60.0, 60.0), start, density));
    let shape = FluidShape::Rectangle { half_size: Vec2::new(40.0, 15.0) };
    pour(&mut world, shape.fill(Vec2::new(-76.0, 16.0), spacing()));
    run(&mut world, 600);
    world.collider(crate_id).expect("there").centre().distance(start) / spacing()
}

#[test]
fn what_drains_away_below_a_crate_does_not_lift_it() {
    for density in [0.5, 0.7, 0.9] {
        let path = path_of_dam(density);
        println!("{density}: {path}");
        assert!(path < 0.1, "{density}: {path}");
    }
}

#[test]
fn rain_does_not_lift_a_pile_of_crates() {
    for density in [0.3, 0.6] {
        let mut world = in_tank(Vec2::Y * 400.0, Vec2::new(1000.0, 400.0));
        let places = (0..12).map(|index| Vec2::new((index % 4) as f32, (index / 4) as f32));
        let places: Vec<Vec2> = places.map(|cell| Vec2::new(-48.0, 16.0) + 32.1 * cell).collect();
        let add =
            |place: &Vec2| world.insert_collider(body(rectangle(32.0, 32.0), *place, density));
        let ids: Vec<ColliderId> = places.iter().map(add).collect();
        run(&mut world, 120);
        let mut highest = 0.0_f32;
        for tick in 0..900 {
            if tick % 10 == 0 && tick < 600 {
                let at = Vec2::new((tick * 37 % 120) as f32 - 60.0, 160.0);
                spawn(&mut world, moving(at, Vec2::new(0.0, -60.0)));
            }
            step(&mut world);
            for (id, place) in ids.iter().zip(&places) {
                let height = world.collider(*id).expect("there").centre().y;
                highest = highest.max((height - place.y) / spacing());
            }
        }
        println!("{density}: {highest}");
        assert!(highest < 0.2, "{density}: {highest}");
    }
}

// Hulls float as deep as they should, from what is drawn of them to the surface that is drawn.

/// Half the width of the tanks, and depth of the liquid, in particle spacings.
const HALF_WIDTH: f32 = 30.0;
const DEPTH: f32 = 22.0;

/// How far a draught may be off, in spacings.
const BAR: f32 = 0.1;

fn rectangle(width: f32, height: f32) -> FluidShape {
    FluidShape::Rectangle { half_size: 0.5 * Vec2::new(width, height) }
}

/// Half the width and height of a collider.
fn half_extent(collider: &Collider) -> Vec2 {
    let turn = collider.rotation().abs();
    match collider.shape() {
        FluidShape::Circle { radius } => Vec2::splat(*radius),
        FluidShape::Capsule { half_length, radius } => {
            *half_length * Vec2::new(turn.y, turn.x) + *radius
        }
        shape => {
            let half = shape.bounds().half_size();
            Vec2::new(half.dot(turn), half.dot(Vec2::new(turn.y, turn.x)))
        }
    }
}

/// A tank with its floor at height 0, filled around a hull.
fn fill_around(hull: &Collider) -> FluidWorld {
    let mut world = world_with(awake());
    let half_size = Vec2::splat(HALF_WIDTH * spacing());
    add_tank(&mut world, Vec2::new(0.0, half_size.y), half_size);
    let half_size = Vec2::new(HALF_WIDTH - 0.5, 0.5 * DEPTH) * spacing();
    let places = FluidShape::Rectangle { half_size }.fill(Vec2::Y * half_size.y, 8.1);
    pour(&mut world, places.into_iter().filter(|at| hull.distance(*at) > 0.6 * spacing()));
    world
}

/// The same hull where it floats about as deep as it should.
fn afloat(hull: Collider, turn: f32, density: f32) -> Collider {
    let hull = hull.with_pose(Pose::new(Vec2::ZERO, Vec2::from_angle(turn))).expect("valid");
    let above = (1.0 - 2.0 * density) * half_extent(&hull).y;
    let centre = Vec2::new(3.0, DEPTH * spacing() + above);
    hull.with_pose(Pose::new(centre, Vec2::from_angle(turn))).expect("valid")
}

/// Height of the drawn surface where no hull is near.
fn surface(world: &FluidWorld, hull: &Collider) -> f32 {
    let places = (-54..=54).map(|step| 0.5 * spacing() * step as f32);
    let is_far = |x: &f32| (x - hull.centre().x).abs() > half_extent(hull).x + 3.0 * spacing();
    drawn_surface(world, 1.5 * DEPTH * spacing(), places.filter(is_far))
}

/// By how many spacings a hull that has come to rest floats deeper than this part of its height, of
/// which liquid that was left on top bears its part.
fn error(world: &mut FluidWorld, id: ColliderId, density: f32) -> f32 {
    run(world, 900);
    let mut sum = 0.0;
    for _ in 0..8 {
        run(world, 15);
        let hull = world.collider(id).expect("there");
        let half = half_extent(hull);
        let is_on_top = |at: &&Vec2| {
            let offset = **at - hull.centre();
            offset.x.abs() < half.x && offset.y > half.y
        };
        let on_top = world.particles().positions().iter().filter(is_on_top).count() as f32;
        let load = on_top * spacing() * spacing() / (2.0 * half.x);
        let draught = surface(world, hull) - (hull.centre().y - half.y);
        sum += (draught - density * 2.0 * half.y - load) / (8.0 * spacing());
    }
    sum
}

/// The error of a body of this density, which begins turned.
fn error_of_body(shape: FluidShape, density: f32, turn: f32, motion: Motion) -> f32 {
    let hull = afloat(body(shape, Vec2::ZERO, density), turn, density);
    let hull = hull.with_motion(motion).expect("valid");
    let mut world = fill_around(&hull);
    let id = world.insert_collider(hull);
    error(&mut world, id, density)
}

#[track_caller]
fn assert_floats(name: &str, density: f32, error: f32) {
    println!("| {name} | {density} | {error:+.2} |");
    assert!(error.abs() < BAR, "{name} of density {density}: {error} spacings");
}

/// Those that are lighter or heavier float up to half a spacing higher or deeper: the gap between liquid and hull counts
/// as hull, and is on all sides. docs/measurements.md says how much.
#[test]
fn hulls_float_as_deep_as_they_are_drawn() {
    // The axis of a capsule is upright before it is turned.
    let capsule = FluidShape::Capsule { half_length: 60.0, radius: 20.0 };
    for (name, shape, density, turn, angular_velocity) in [
        ("240 by 40", rectangle(240.0, 40.0), 0.5, 0.0, 0.0),
        ("150 by 80", rectangle(150.0, 80.0), 0.3, 0.0, 0.0),
        ("raft, 200 by 12", rectangle(200.0, 12.0), 0.5, 0.0, 0.0),
        ("capsule", capsule, 0.5, FRAC_PI_2, 0.0),
        ("120 by 50, tilted", rectangle(120.0, 50.0), 0.4, 0.3, 0.0),
        ("120 by 50, turning", rectangle(120.0, 50.0), 0.4, 0.0, 6.0),
    ] {
        let motion = Motion { angular_velocity, ..Motion::STILL };
        assert_floats(name, density, error_of_body(shape, density, turn, motion));
    }
}

#[test]
fn host_bodies_float_as_deep_as_they_are_drawn() {
    let (shape, density) = (rectangle(150.0, 60.0), 0.4);
    let mass = Body::of_density(density, &shape, spacing()).expect("valid");
    let plain = Collider::new(shape, Vec2::ZERO, Vec2::X).expect("valid");
    let hull = afloat(plain, 0.0, density);
    let mut world = fill_around(&hull);
    let (_, id) = insert_carried(&mut world, hull, mass);
    assert_floats("host body", density, error(&mut world, id, density));
}

#[test]
fn a_light_cup_of_water_stands_still_on_a_dry_floor() {
    let walls = [(-50.0, 60.0), (-50.0, 0.0), (50.0, 0.0), (50.0, 60.0)].map(Vec2::from);
    let walls = FluidShape::Polyline(shape::Polyline::new(walls, 4.0).expect("valid"));
    let mut world = world_with(awake());
    add_collider(&mut world, Collider::rectangle(Vec2::new(0.0, -20.0), Vec2::new(400.0, 20.0)));
    let cup = world.insert_collider(body(walls, Vec2::Y * 2.0, 0.3));
    let corner = Vec2::new(-6.0 * spacing(), 4.0);
    pour(&mut world, cells(12, 5).map(|cell| corner + cell * spacing()));
    for _ in 0..600 {
        run(&mut world, 1);
        let centre = world.collider(cup).expect("there").centre();
        assert!(centre.distance(Vec2::Y * 2.0) < 0.5, "{centre}");
    }
    assert!(world.particles().positions().iter().all(|position| position.x.abs() < 50.0));
}

// Host bodies carry their colliders, and gain what the liquid loses.

/// A body of two squares, which are 40 apart.
fn dumbbell(world: &mut FluidWorld, centre: Vec2, inverse_mass: f32) -> HostBodyId {
    let body = HostBody {
        inverse_mass: Vec2::splat(inverse_mass),
        inverse_inertia: inverse_mass / 500.0,
        ..HostBody::at(Pose::from_translation(centre))
    };
    let body = world.insert_host_body(body).expect("valid");
    for x in [-20.0, 20.0] {
        let at = centre + Vec2::new(x, 0.0);
        let square = Collider::rectangle(at, Vec2::splat(10.0)).expect("valid");
        world.insert_collider(carried(square, body, x));
    }
    body
}

/// The collider as a part of a dumbbell.
fn carried(square: Collider, body: HostBodyId, x: f32) -> Collider {
    let attachment = Attachment { body, pose: Pose::from_translation(Vec2::new(x, 0.0)) };
    let options = ColliderOptions { attachment: Some(attachment), ..square.options() };
    configured(square, options)
}

#[test]
fn colliders_of_a_body_move_and_turn_together() {
    let mut world = FluidWorld::default();
    let body = dumbbell(&mut world, Vec2::new(5.0, 0.0), 0.0);
    let motion = Motion { velocity: Vec2::new(30.0, -10.0), angular_velocity: 4.0 };
    world.set_host_body_motion(body, motion).expect("valid");
    for tick in 1..=600 {
        world.step(TICK, &SerialExecutor).expect("valid");
        let Pose { translation, rotation } = world.host_body(body).expect("there").pose;
        let expected = Vec2::new(5.0, 0.0) + motion.velocity * (tick as f32 * TICK);
        assert!(translation.distance(expected) < 0.01, "{translation}");
        for ((_, collider), x) in world.colliders().zip([-20.0, 20.0]) {
            assert!(collider.centre().distance(translation + rotation * x) < 1e-3);
            assert!(collider.rotation().distance(rotation) < 1e-5);
        }
    }
}

#[test]
fn what_a_host_body_gains_the_liquid_loses() {
    let mut world = world_with(weightless());
    pour_drop(&mut world, 60.0, Vec2::new(150.0, 20.0));
    let inverse_mass = 1.0 / 30.0;
    let body = dumbbell(&mut world, Vec2::new(105.0, 15.0), inverse_mass);
    let momentum = |world: &FluidWorld| -> DVec2 {
        world.particles().velocities().iter().map(|velocity| velocity.as_dvec2()).sum()
    };
    let before = momentum(&world);
    let (mut given, mut turning) = (DVec2::ZERO, 0.0_f32);
    for _ in 0..90 {
        world.step(TICK, &SerialExecutor).expect("valid");
        let turns = world.host_body(body).expect("there").motion.angular_velocity;
        turning = turning.max(turns.abs());
        given += world.host_body_load(body).expect("there").impulse.as_dvec2();
    }
    let motion = world.host_body(body).expect("there").motion;
    let gained = (motion.velocity / inverse_mass).as_dvec2();
    let lost = before - momentum(&world);
    assert!(gained.x > 1000.0, "it was hit: {gained}");
    assert!((gained - given).length() < 1e-5 * given.length(), "{gained} of {given}");
    assert!((lost - given).length() < 1e-3 * before.length(), "{lost} and {given}");
    assert!(turning > 0.1, "it was hit off its centre");
}

#[test]
fn a_body_that_is_removed_leaves_its_colliders() {
    let mut world = FluidWorld::default();
    let body = dumbbell(&mut world, Vec2::ZERO, 1.0);
    assert_eq!(world.host_bodies().len(), 1);
    assert_eq!(world.host_body_load(body), Some(Load::default()));
    let motion = Motion { velocity: Vec2::X, ..Motion::STILL };
    assert_eq!(world.set_host_body_motion(body, motion), Ok(true));
    assert!(world.remove_host_body(body).is_some());
    world.step(TICK, &SerialExecutor).expect("valid");
    assert!(world.colliders().all(|(_, collider)| collider.centre().abs() == Vec2::new(20.0, 0.0)));
    assert_eq!(world.set_host_body_motion(body, motion), Ok(false));
    assert_eq!((world.host_body(body), world.host_body_load(body)), (None, None));
}

/// Runs a world until a tick takes no substep, for at most half a minute; returns whether there was
/// such a tick.
fn falls_asleep(world: &mut FluidWorld) -> bool {
    (0..1800).any(|_| step(world).substeps == 0)
}

#[test]
fn liquid_sleeps_around_a_host_body_that_the_host_lets_sleep() {
    let mut world = in_tank(Vec2::ZERO, Vec2::new(150.0, 100.0));
    let pool = FluidShape::Rectangle { half_size: Vec2::new(148.0, 40.0) };
    pour(&mut world, pool.fill(Vec2::new(0.0, -59.0), 8.0));
    let body = dumbbell(&mut world, Vec2::new(0.0, -25.0), 0.0);
    // A body that is awake wants its load in every tick.
    assert!(!falls_asleep(&mut world));
    let bears = world.host_body_load(body).expect("there").impulse;
    assert!(bears.y > 0.0 && world.asleep() < world.particles().len());
    // The host lets it sleep: the colliders stay where they are, and no body carries them any more.
    let mut asleep = world.clone();
    let colliders: Vec<ColliderId> = asleep.colliders().map(|(id, _)| id).collect();
    for id in &colliders {
        let held = asleep.collider(*id).expect("there").clone();
        let (pose, options) = (held.pose(), ColliderOptions { attachment: None, ..held.options() });
        let standing = configured(held, options).with_pose(pose).expect("valid");
        assert!(asleep.set_collider(*id, standing));
    }
    assert!(falls_asleep(&mut asleep));
    let report = asleep.step(TICK, &SerialExecutor).expect("valid");
    assert_eq!((report.substeps, report.asleep), (0, asleep.particles().len()));
    // The host wakes it: the colliders belong to it again, and feel the liquid at once.
    let waking =
        asleep.insert_host_body(HostBody::at(Pose::from_translation(Vec2::new(0.0, -25.0))));
    let waking = waking.expect("valid");
    for (id, x) in colliders.iter().zip([-20.0, 20.0]) {
        let held = asleep.collider(*id).expect("there").clone();
        assert!(asleep.set_collider(*id, carried(held, waking, x)));
    }
    for _ in 0..2 {
        assert!(asleep.step(TICK, &SerialExecutor).expect("valid").substeps > 0);
    }
    let woken = asleep.host_body_load(waking).expect("there").impulse;
    assert!((woken.y / bears.y - 1.0).abs() < 0.3, "{woken} of {bears}");
    // So does the liquid if the body is removed, and its colliders still name it.
    assert!(world.remove_host_body(body).is_some());
    assert!(falls_asleep(&mut world));
    assert_eq!(world.asleep(), world.particles().len());
}

#[test]
fn impossible_host_bodies_are_refused_by_field() {
    let mut world = FluidWorld::default();
    let bad: [(&str, fn(&mut HostBody)); 5] = [
        ("translation", |body| body.pose.translation.x = f32::NAN),
        ("rotation", |body| body.pose.rotation = Vec2::ZERO),
        ("acceleration", |body| body.acceleration.y = f32::INFINITY),
        ("inverse_mass", |body| body.inverse_mass.x = -1.0),
        ("inverse_inertia", |body| body.inverse_inertia = f32::NAN),
    ];
    for (field, change) in bad {
        let mut body = HostBody::at(Pose::IDENTITY);
        change(&mut body);
        assert_eq!(world.insert_host_body(body).expect_err(field).field, field);
    }
}
