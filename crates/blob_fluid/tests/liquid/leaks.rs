//! No liquid leaks through thin walls, chains, acute corners, stirrers and membranes, or during
//! hitches.

use blob_fluid::shape::{DistanceField, Polygon, Polyline};
use blob_fluid::{
    ClassFilter, ClassId, ClassTable, Collider, ColliderOptions, Container, DensityClass,
    FluidBounds, FluidParameters, FluidShape, FluidSleeping, FluidSolver, FluidWorld, Motion,
    ParticleSpawn, SerialExecutor, Substeps,
};
use glam::Vec2;

use crate::pools::pour;
use crate::ticks::run;

const MINUTE: u32 = 3600;

/// A world that never sleeps, with liquid in the shapes of `fill` at their centres.
fn world(fill: &[(FluidShape, Vec2)]) -> FluidWorld {
    let parameters = FluidParameters { sleeping: FluidSleeping::OFF, ..FluidParameters::default() };
    let mut world = FluidWorld::new(parameters).expect("valid");
    for (shape, centre) in fill {
        pour(&mut world, shape.fill(*centre, 8.3));
    }
    world
}

fn configured(collider: Collider, options: ColliderOptions) -> Collider {
    collider.with_options(options).expect("valid")
}

fn disc(radius: f32) -> FluidShape {
    FluidShape::Circle { radius }
}

/// Number of particles outside of a ring of corners. A line of thickness 0 has the thickness of the
/// rounding error: a particle on it counts as on neither side, and the next substep knows from
/// which side it came.
fn outside(world: &FluidWorld, ring: &[Vec2]) -> usize {
    let shape = FluidShape::Polygon(Polygon::new(ring.iter().copied()).expect("a ring"));
    let extent = ring.iter().fold(0.0, |extent: f32, corner| extent.max(corner.length()));
    let rounding = 4.0 * f32::EPSILON * extent;
    let inside = |point: &&Vec2| shape.distance(**point) <= rounding;
    world.particles().len() - world.particles().positions().iter().filter(inside).count()
}

/// A closed line along a ring.
fn closed(ring: &[Vec2], thickness: f32) -> FluidShape {
    let points = ring.iter().chain(&ring[..1]).copied();
    FluidShape::Polyline(Polyline::new(points, thickness).expect("a line"))
}

fn at(shape: FluidShape, centre: Vec2) -> Collider {
    Collider::new(shape, centre, Vec2::X).expect("valid")
}

fn still(shape: FluidShape) -> Collider {
    at(shape, Vec2::ZERO)
}

/// The corners of a star, alternately at two distances from the centre.
fn star(tips: u32, inner: f32, outer: f32) -> Vec<Vec2> {
    let corner = |index: u32| {
        let angle = std::f64::consts::PI * f64::from(index) / f64::from(tips);
        let radius = if index.is_multiple_of(2) { outer } else { inner };
        Vec2::new(sine(angle), sine(angle + std::f64::consts::FRAC_PI_2)) * radius
    };
    (0..2 * tips).map(corner).collect()
}

#[expect(clippy::disallowed_methods, reason = "where corners are decides nothing here")]
fn sine(angle: f64) -> f32 {
    angle.sin() as f32
}

/// Runs liquid in a ring for a minute with the ring as its wall. Exactly no particle may be outside
/// then; without the wall all of them must be outside.
fn holds(
    name: &str,
    ring: &[Vec2],
    wall: Collider,
    also: Vec<Collider>,
    fill: &[(FluidShape, Vec2)],
) {
    let mut held = world(fill);
    assert_eq!(outside(&held, ring), 0, "{name}: filled inside");
    assert!(held.particles().len() > 100, "{name}");
    let all = held.particles().len();
    let mut free = held.clone();
    for collider in [wall].into_iter().chain(also) {
        held.insert_collider(collider);
    }
    for second in 0..60 {
        run(&mut held, 60);
        assert_eq!(outside(&held, ring), 0, "{name}: after {second} s");
    }
    assert_eq!(held.particles().len(), all, "{name}");
    run(&mut free, 240);
    assert_eq!(outside(&free, ring), all, "{name}: without walls");
}

fn square(half: f32) -> Vec<Vec2> {
    [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
        .map(|(x, y)| Vec2::new(x, y) * half)
        .to_vec()
}

// Row 17 of docs/reliability.md.
#[test]
fn a_line_as_thin_as_nothing_holds_a_pool() {
    let ring = square(120.0);
    holds("square", &ring, still(closed(&ring, 0.0)), vec![], &[(disc(90.0), Vec2::ZERO)]);
}

#[test]
fn a_chain_of_many_short_links_holds_a_pool() {
    let ring = star(90, 130.0, 131.0);
    holds("chain", &ring, still(closed(&ring, 0.5)), vec![], &[(disc(100.0), Vec2::ZERO)]);
}

// Row 17 of docs/reliability.md.
#[test]
fn a_star_holds_liquid_in_its_acute_tips() {
    let ring = star(5, 70.0, 220.0);
    holds(
        "thin star",
        &ring,
        still(closed(&ring, 0.0)),
        vec![],
        &[(disc(65.0), Vec2::ZERO), (disc(20.0), Vec2::new(0.0, 130.0))],
    );
    let solid = FluidShape::Polygon(Polygon::new(ring.iter().copied()).expect("a ring"));
    let hollow =
        configured(still(solid), ColliderOptions { inside_out: true, ..Default::default() });
    holds("hollow star", &ring, hollow, vec![], &[(disc(65.0), Vec2::ZERO)]);
}

// Row 16 of docs/reliability.md.
#[test]
fn stirrers_of_all_kinds_stir_and_let_nothing_out() {
    let ring = square(130.0);
    let turning = |shape: FluidShape, speed: f32| {
        let motion = Motion { velocity: Vec2::ZERO, angular_velocity: speed };
        still(shape).with_motion(motion).expect("valid")
    };
    let cross = Polyline::new(
        [(-100.0, 0.0), (100.0, 0.0), (0.0, 0.0), (0.0, 100.0), (0.0, -100.0)].map(Vec2::from),
        0.0,
    );
    let tips = star(4, 15.0, 100.0);
    for (name, shape) in [
        ("blade", FluidShape::Rectangle { half_size: Vec2::new(100.0, 1.0) }),
        ("cross", FluidShape::Polyline(cross.expect("valid"))),
        ("shuriken", FluidShape::Polygon(Polygon::new(tips).expect("valid"))),
        ("bar", FluidShape::Capsule { half_length: 90.0, radius: 4.0 }),
    ] {
        // The tips move at about 8 and 30 times the speed of sound in the liquid: more than an
        // interaction radius per substep.
        for speed in [4.0, 25.0] {
            let stirrer = vec![turning(shape.clone(), speed)];
            let fill = (
                FluidShape::Rectangle { half_size: Vec2::new(110.0, 40.0) },
                Vec2::new(0.0, -70.0),
            );
            holds(name, &ring, still(closed(&ring, 0.0)), stirrer, &[fill]);
        }
    }
}

#[test]
fn a_picture_holds_what_is_drawn_around() {
    // A bowl drawn in pixels, three pixels thick.
    let bowl = |x: usize, y: usize| {
        let offset = Vec2::new(x as f32 - 63.5, y as f32 - 63.5);
        (offset.length() - 60.0).abs() < 1.5 && y > 20
    };
    let bowl = DistanceField::new(128, 128, Vec2::splat(256.0), bowl).expect("valid");
    let mut world = world(&[(disc(70.0), Vec2::new(0.0, -30.0))]);
    world.insert_collider(still(FluidShape::Field(bowl)));
    run(&mut world, MINUTE);
    let escaped = world.particles().positions().iter().filter(|p| p.length() > 125.0).count();
    assert_eq!(escaped, 0);
}

#[test]
fn a_box_of_colliders_that_flies_about_keeps_its_liquid() {
    let ring = square(100.0);
    let mut world = world(&[(disc(80.0), Vec2::ZERO)]);
    let all = world.particles().len();
    let wall = world.insert_collider(still(closed(&ring, 0.0)));
    for second in 0..60 {
        // The motion alternates: two interaction radii per tick, and a full turn per second.
        let side = if second % 2 == 0 { 1.0 } else { -1.0 };
        let velocity = Vec2::new(4000.0 * side, 900.0 * side);
        let motion = Motion { velocity, angular_velocity: 6.3 * side };
        assert_eq!(world.set_collider_motion(wall, motion), Ok(true));
        run(&mut world, 60);
        let box_now = world.collider(wall).expect("there");
        let centre = box_now.centre();
        let back = Vec2::new(box_now.rotation().x, -box_now.rotation().y);
        let inside = |p: &&Vec2| (**p - centre).rotate(back).abs().max_element() <= 100.001;
        let kept = world.particles().positions().iter().filter(inside).count();
        assert_eq!(kept, all, "after {second} s at {centre}");
    }
}

// Row 6 of docs/reliability.md.
#[test]
fn a_hitch_of_a_second_lets_nothing_through() {
    let ring = square(120.0);
    let mut world = world(&[(disc(90.0), Vec2::ZERO)]);
    let stirrer = Motion { velocity: Vec2::ZERO, angular_velocity: 5.0 };
    let blade = FluidShape::Rectangle { half_size: Vec2::new(100.0, 1.0) };
    let blade = still(blade).with_motion(stirrer).expect("valid");
    world.insert_collider(still(closed(&ring, 0.0)));
    world.insert_collider(blade);
    for _ in 0..60 {
        run(&mut world, 50);
        world.step(1.0, &SerialExecutor).expect("valid");
        assert_eq!(outside(&world, &ring), 0);
    }
}

// Row 15 of docs/reliability.md.
#[test]
fn what_a_jumping_obstacle_lands_on_comes_out_gently() {
    let half_size = Vec2::new(150.0, 60.0);
    let mut world = world(&[(FluidShape::Rectangle { half_size }, Vec2::ZERO)]);
    let ring = [(-160.0, -70.0), (160.0, -70.0), (160.0, 400.0), (-160.0, 400.0)].map(Vec2::from);
    let wall = still(closed(&ring, 0.0));
    world.insert_collider(wall);
    run(&mut world, 600);
    let rock = Polygon::new(star(5, 25.0, 50.0)).expect("valid");
    let rock = at(FluidShape::Polygon(rock), Vec2::new(0.0, -20.0));
    world.insert_collider(rock.clone());
    let mut fastest = 0.0_f32;
    for _ in 0..120 {
        run(&mut world, 1);
        let speeds = world.particles().velocities().iter().map(|v| v.length());
        fastest = fastest.max(speeds.fold(0.0, f32::max));
        assert_eq!(outside(&world, &ring), 0);
    }
    let inside =
        world.particles().positions().iter().filter(|p| rock.distance(**p) < -0.01).count();
    assert_eq!(inside, 0, "all came out");
    // The liquid splashes no higher than twice the rock's height in two seconds.
    let splash = (2.0 * world.parameters().gravity.length() * 200.0).sqrt();
    assert!(fastest < splash, "{fastest} against {splash}");
}

#[test]
fn a_membrane_lets_through_one_way_only() {
    let ring = square(150.0);
    let wall = still(closed(&ring, 0.0));
    let one_way = |points: [(f32, f32); 2]| {
        let line = Polyline::new(points.map(Vec2::from), 0.0).expect("valid");
        let options = ColliderOptions { one_way: true, ..Default::default() };
        configured(still(FluidShape::Polyline(line)), options)
    };
    // Liquid that falls from above comes from the right of a line that is drawn to the left, and
    // from the left of one that is drawn to the right.
    for (points, below) in
        [([(150.0, 0.0), (-150.0, 0.0)], true), ([(-150.0, 0.0), (150.0, 0.0)], false)]
    {
        let mut world = world(&[(disc(50.0), Vec2::new(0.0, 80.0))]);
        world.insert_collider(wall.clone());
        world.insert_collider(one_way(points));
        run(&mut world, 600);
        let passed = world.particles().positions().iter().filter(|p| p.y < 0.0).count();
        let expected = if below { world.particles().len() } else { 0 };
        assert_eq!(passed, expected, "{points:?}");
        // Gravity is reversed: liquid below the line stays there if it must not come back.
        let gravity = -world.parameters().gravity;
        let parameters = FluidParameters { gravity, ..*world.parameters() };
        world.set_parameters(parameters).expect("valid");
        run(&mut world, 600);
        let kept = world.particles().positions().iter().filter(|p| p.y < 0.0).count();
        assert_eq!(kept, expected, "{points:?}, upside down");
    }
}

#[test]
fn a_hollow_membrane_is_a_trap() {
    // Liquid may enter the circle but not leave it: the collider is inside out and one way.
    let mut world = world(&[(disc(40.0), Vec2::new(0.0, 160.0))]);
    let options = ColliderOptions { inside_out: true, one_way: true, ..Default::default() };
    world.insert_collider(configured(still(disc(100.0)), options));
    run(&mut world, 900);
    let trapped = world.particles().positions().iter().filter(|p| p.length() <= 100.1).count();
    assert_eq!(trapped, world.particles().len());
}

#[test]
fn colliders_stop_only_the_classes_and_layers_they_are_for() {
    let class = |name: &str, collision_layers| DensityClass {
        name: name.into(),
        collision_layers,
        ..Default::default()
    };
    let classes = vec![class("stopped", 1), class("filtered", 1), class("elsewhere", 2)];
    let parameters = FluidParameters::default();
    let mut world = FluidWorld::new(parameters).expect("valid");
    world.set_classes(ClassTable::new(classes).expect("valid")).expect("no particles");
    for (class, x) in [(0, -100.0), (1, 0.0), (2, 100.0)] {
        for position in disc(20.0).fill(Vec2::new(x, 40.0), 8.3) {
            let class = ClassId(class);
            world.spawn(ParticleSpawn { position, class, ..Default::default() }).expect("valid");
        }
    }
    let options = ColliderOptions {
        classes: ClassFilter::ALL.without(ClassId(1)),
        layers: 1,
        ..Default::default()
    };
    let floor = FluidShape::Rectangle { half_size: Vec2::new(300.0, 5.0) };
    world.insert_collider(configured(still(floor), options));
    run(&mut world, 90);
    let particles = world.particles();
    for (position, class) in particles.positions().iter().zip(particles.classes()) {
        assert_eq!(position.y > 0.0, *class == ClassId(0), "{class:?} at {position}");
    }
    let seen = FluidBounds::of(particles.positions());
    assert!(seen.low.y < -100.0);
}

#[test]
fn many_colliders_are_all_there() {
    // Pins under a block: more colliders near one point than a list of near colliders holds.
    let pins = (0..40).flat_map(|row| {
        (0..40).map(move |column| {
            let x = 5.0 * column as f32 - 97.5 + if row % 2 == 0 { 0.0 } else { 2.5 };
            at(disc(2.0), Vec2::new(x, -5.0 * row as f32))
        })
    });
    let ring = square(250.0);
    let colliders: Vec<_> = pins.chain([still(closed(&ring, 0.0))]).collect();
    let mut world = world(&[(
        FluidShape::Rectangle { half_size: Vec2::new(90.0, 30.0) },
        Vec2::new(0.0, 60.0),
    )]);
    for collider in &colliders {
        world.insert_collider(collider.clone());
    }
    run(&mut world, 300);
    for position in world.particles().positions() {
        let deepest = colliders
            .iter()
            .map(|collider| collider.distance(*position))
            .fold(f32::INFINITY, f32::min);
        assert!(deepest > -0.05, "{position} is {deepest} inside");
    }
}

/// A concave shape: a square with a thin wall across its right half.
fn divided() -> FluidShape {
    let outer = square(200.0);
    let wall = [(20.0, -190.0), (22.0, -190.0), (22.0, 190.0), (20.0, 190.0)].map(Vec2::from);
    FluidShape::Polygon(Polygon::with_holes([outer, wall.to_vec()]).expect("rings"))
}

#[test]
fn a_wall_within_a_container_stops_what_it_sweeps_over_and_what_flies_at_it() {
    for solver in FluidSolver::ALL {
        for (wall_speed, drop_speed) in [(-6000.0, 0.0), (0.0, 3600.0)] {
            let parameters =
                FluidParameters { solver, gravity: Vec2::ZERO, ..FluidParameters::default() };
            let mut world = FluidWorld::new(parameters).expect("valid");
            let motion = Motion { velocity: Vec2::new(wall_speed, 0.0), angular_velocity: 0.0 };
            let tank = Container::new(divided(), Vec2::ZERO, Vec2::X);
            let tank = tank.and_then(|tank| tank.with_motion(motion)).expect("valid");
            let tank = world.insert_container(tank);
            let velocity = Vec2::new(drop_speed, 0.0);
            world.spawn(ParticleSpawn { velocity, ..Default::default() }).expect("valid");
            run(&mut world, 1);
            let face = world.container(tank).expect("there").centre().x + 20.0;
            let x = world.particles().positions()[0].x;
            assert!(x <= face + 0.01, "{solver:?} {wall_speed} {drop_speed}: {x} beyond {face}");
        }
    }
}

#[test]
fn nothing_escapes_a_container_that_spins_however_fast() {
    for angular_velocity in [1e3, 1e12, -1e12] {
        let mut world = world(&[(disc(60.0), Vec2::ZERO)]);
        let all = world.particles().len() as u64;
        let motion = Motion { velocity: Vec2::ZERO, angular_velocity };
        let tank = Container::rectangle(Vec2::ZERO, Vec2::splat(100.0));
        let tank = tank.and_then(|tank| tank.with_motion(motion)).expect("valid");
        world.insert_container(tank);
        run(&mut world, 60);
        let out = world.particles().positions().iter().filter(|p| p.length() > 141.5).count();
        let lost = all - world.particles().len() as u64;
        assert_eq!((out, world.quarantined(), lost), (0, 0, 0), "{angular_velocity}");
    }
}

#[test]
fn a_picture_holds_up_nobody_far_away() {
    let all = DistanceField::new(64, 64, Vec2::splat(64.0), |_, _| true).expect("valid");
    let parameters = FluidParameters { substeps: Substeps::Fixed(1), ..FluidParameters::default() };
    let mut world = FluidWorld::new(parameters).expect("valid");
    let velocity = Vec2::new(-1.1e9, 0.0);
    for row in 0..20 {
        let position = Vec2::new(1.9e7, row as f32);
        world.spawn(ParticleSpawn { position, velocity, ..Default::default() }).expect("valid");
    }
    world.insert_collider(still(FluidShape::Field(all)));
    // An older version did not return from this call.
    run(&mut world, 2);
}
