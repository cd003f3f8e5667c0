//! No liquid leaks through thin walls, chains, acute corners, stirrers and membranes, or during
//! hitches.

use std::f32::consts::{PI, TAU};

use blob_fluid::shape::{DistanceField, Polygon, Polyline};
use blob_fluid::*;
use glam::Vec2;

use crate::pools::{
    add_collider, add_container, awake, change_parameters, configured, moving, pour, pour_class,
    spacing, spawn, spawn_all, top_speed, weightless, world_with,
};
use crate::ticks::{TICK, run};

const MINUTE: u32 = 3600;

/// A world that never sleeps, with liquid in the shapes of `fill` at their centres.
fn world(fill: &[(FluidShape, Vec2)]) -> FluidWorld {
    let mut world = world_with(awake());
    for (shape, centre) in fill {
        pour(&mut world, shape.fill(*centre, 8.3));
    }
    world
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
fn lines_as_thin_as_nothing_and_chains_of_many_short_links_hold_a_pool() {
    let (square, chain) = (square(120.0), star(90, 130.0, 131.0));
    for (name, ring, thickness, pool) in
        [("square", square, 0.0, disc(90.0)), ("chain", chain, 0.5, disc(100.0))]
    {
        holds(name, &ring, still(closed(&ring, thickness)), vec![], &[(pool, Vec2::ZERO)]);
    }
}

// Row 17 of docs/reliability.md.
#[test]
fn a_star_holds_liquid_in_its_acute_tips() {
    let ring = star(5, 70.0, 220.0);
    let fill = [(disc(65.0), Vec2::ZERO), (disc(20.0), Vec2::new(0.0, 130.0))];
    holds("thin star", &ring, still(closed(&ring, 0.0)), vec![], &fill);
    let solid = FluidShape::Polygon(Polygon::new(ring.iter().copied()).expect("a ring"));
    let options = ColliderOptions { inside_out: true, ..Default::default() };
    let hollow = configured(still(solid), options);
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
            let pool = FluidShape::Rectangle { half_size: Vec2::new(110.0, 40.0) };
            let fill = [(pool, Vec2::new(0.0, -70.0))];
            holds(name, &ring, still(closed(&ring, 0.0)), stirrer, &fill);
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
        fastest = fastest.max(top_speed(&world));
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
        change_parameters(&mut world, |parameters| parameters.gravity = gravity);
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
    let mut world = FluidWorld::default();
    world.set_classes(ClassTable::new(classes).expect("valid")).expect("no particles");
    for (class, x) in [(0, -100.0), (1, 0.0), (2, 100.0)] {
        pour_class(&mut world, ClassId(class), disc(20.0).fill(Vec2::new(x, 40.0), 8.3));
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
    let block = FluidShape::Rectangle { half_size: Vec2::new(90.0, 30.0) };
    let mut world = world(&[(block, Vec2::new(0.0, 60.0))]);
    for collider in &colliders {
        world.insert_collider(collider.clone());
    }
    run(&mut world, 300);
    for position in world.particles().positions() {
        let depths = colliders.iter().map(|collider| collider.distance(*position));
        let deepest = depths.fold(f32::INFINITY, f32::min);
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
            let mut world = world_with(FluidParameters { solver, ..weightless() });
            let motion = Motion { velocity: Vec2::new(wall_speed, 0.0), angular_velocity: 0.0 };
            let tank = Container::new(divided(), Vec2::ZERO, Vec2::X);
            let tank = add_container(&mut world, tank.and_then(|tank| tank.with_motion(motion)));
            spawn(&mut world, moving(Vec2::ZERO, Vec2::new(drop_speed, 0.0)));
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
        add_container(&mut world, tank.and_then(|tank| tank.with_motion(motion)));
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
    let mut world = world_with(parameters);
    let rows = (0..20).map(|row| Vec2::new(1.9e7, row as f32));
    spawn_all(&mut world, rows.map(|position| moving(position, Vec2::new(-1.1e9, 0.0))));
    world.insert_collider(still(FluidShape::Field(all)));
    // An older version did not return from this call.
    run(&mut world, 2);
}

// No liquid leaks from drums whose walls are several colliders that turn and shake together, nor
// through walls that are replaced by nearly the same walls.

/// Twenty seconds.
const TICKS: u32 = 1200;

/// Distance from a drum's centre to the middle of a wall's inner side.
const RADIUS: f32 = 70.0;

/// Angular frequency of shaking, in radians/s.
const SHAKING: f32 = 6.0;

/// A wall of a drum, with the inner side to its left, at a place relative to the drum.
struct Wall {
    shape: FluidShape,
    centre: Vec2,
    rotation: Vec2,
}

/// A drum: its walls, and the corners of its inside.
struct Drum {
    walls: Vec<Wall>,
    inside: Polygon,
}

/// How a drum moves: its greatest speed along x, in particle spacings per tick, and its angular
/// velocity, in radians/s.
#[derive(Clone, Copy, Debug)]
struct Moves {
    shaking: f32,
    turning: f32,
}

impl Moves {
    const ALL: [Self; 4] = [
        Self { shaking: 0.0, turning: 4.0 },
        Self { shaking: 0.0, turning: 20.0 },
        Self { shaking: 5.0, turning: 0.0 },
        Self { shaking: 5.0, turning: 20.0 },
    ];

    /// Centre and rotation of the drum after a number of ticks.
    fn pose(self, ticks: u32) -> Pose {
        let time = ticks as f32 * TICK;
        let farthest = self.shaking * spacing() / (TICK * SHAKING);
        let swing = |rate: f32| Vec2::from_angle((SHAKING * rate * time) % TAU).y;
        let centre = Vec2::new(swing(1.0), 0.3 * swing(1.7)) * farthest;
        Pose::new(centre, Vec2::from_angle((self.turning * time) % TAU))
    }
}

fn polygon(corners: impl IntoIterator<Item = (f32, f32)>) -> FluidShape {
    FluidShape::Polygon(Polygon::new(corners.into_iter().map(Vec2::from)).expect("corners"))
}

/// A drum of `count` walls. `wall` makes one from half the length and the thickness of its inner
/// side, and returns it with the distance of its inner side from its centre.
fn drum(count: u32, wall: impl Fn(f32) -> (FluidShape, f32)) -> Drum {
    let half_angle = PI / count as f32;
    let corner = Vec2::from_angle(half_angle);
    let (shape, depth) = wall(RADIUS * corner.y / corner.x);
    let direction = |index: u32| Vec2::from_angle(2.0 * half_angle * index as f32);
    let walls = (0..count).map(|index| {
        let rotation = direction(index);
        Wall { shape: shape.clone(), centre: rotation * (RADIUS + depth), rotation }
    });
    let corners = (0..count).map(|index| (corner * (RADIUS / corner.x)).rotate(direction(index)));
    Drum { walls: walls.collect(), inside: Polygon::new(corners).expect("corners") }
}

/// Walls that touch at their inner edges.
fn rectangles(count: u32, thickness: f32) -> Drum {
    let half = 0.5 * thickness;
    drum(count, |length| (FluidShape::Rectangle { half_size: Vec2::new(half, length) }, half))
}

/// Convex pieces that touch along whole edges.
fn mitred(count: u32, thickness: f32) -> Drum {
    drum(count, |length| {
        let outer = length * (1.0 + thickness / RADIUS);
        let corners = [(0.0, -length), (thickness, -outer), (thickness, outer), (0.0, length)];
        (polygon(corners), 0.0)
    })
}

/// Capsules that overlap. The liquid stays inside of their axes.
fn capsules(count: u32) -> Drum {
    drum(count, |length| (FluidShape::Capsule { half_length: length, radius: spacing() }, 0.0))
}

/// Lines without a thickness, whose ends touch.
fn lines(count: u32) -> Drum {
    drum(count, |length| {
        let ends = [Vec2::new(0.0, -length), Vec2::new(0.0, length)];
        (FluidShape::Polyline(Polyline::new(ends, 0.0).expect("a line")), 0.0)
    })
}

/// One closed line without a thickness.
fn closed_line(count: u32) -> Drum {
    let inside = lines(count).inside;
    let ring = &inside.rings()[0];
    let line = Polyline::new(ring.iter().chain(&ring[..1]).copied(), 0.0).expect("a line");
    let (centre, rotation) = (Vec2::ZERO, Vec2::X);
    Drum { walls: vec![Wall { shape: FluidShape::Polyline(line), centre, rotation }], inside }
}

/// A box of four that stand on each other, with a floor of six polygons.
fn tiled_box() -> Drum {
    let (half, thickness) = (Vec2::new(90.0, 60.0), 2.0 * spacing());
    let block = |low: Vec2, high: Vec2| {
        let (centre, half) = (0.5 * (low + high), 0.5 * (high - low));
        let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
        let shape = polygon(corners.map(|(x, y)| (x * half.x, y * half.y)));
        Wall { shape, centre, rotation: Vec2::X }
    };
    let outer = half + thickness;
    let tile = |index: u32| {
        let x = |index: u32| -outer.x + index as f32 * outer.x / 3.0;
        block(Vec2::new(x(index), -outer.y), Vec2::new(x(index + 1), -half.y))
    };
    let others = [
        block(Vec2::new(-outer.x, half.y), outer),
        block(Vec2::new(-outer.x, -half.y), Vec2::new(-half.x, half.y)),
        block(Vec2::new(half.x, -half.y), Vec2::new(outer.x, half.y)),
    ];
    let ring = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
    let inside = Polygon::new(ring.map(|(x, y)| Vec2::new(x, y) * half)).expect("corners");
    Drum { walls: (0..6).map(tile).chain(others).collect(), inside }
}

/// Half fills a drum and moves it for twenty seconds. All liquid must then be inside. With `replaced`
/// every wall is replaced before every tick by a new one that stands where it should be by now.
fn drum_holds(name: &str, drum: &Drum, moves: Moves, replaced: bool) {
    let mut world = FluidWorld::default();
    let inside = FluidShape::Polygon(drum.inside.clone());
    let filled = inside.scaled(Vec2::splat(0.8));
    let places = filled.fill(Vec2::ZERO, 1.03 * spacing());
    pour(&mut world, places.filter(|place| place.y < 0.0));
    let all = world.particles().len();
    assert!(all > 50, "{name}: {all}");
    let place = |wall: &Wall, ticks: u32| {
        let Pose { translation: centre, rotation } = moves.pose(ticks);
        (centre + rotation.rotate(wall.centre), rotation.rotate(wall.rotation))
    };
    let stand = |wall: &Wall, ticks: u32| {
        let (centre, rotation) = place(wall, ticks);
        Collider::new(wall.shape.clone(), centre, rotation)
    };
    let walls = drum.walls.iter().map(|wall| add_collider(&mut world, stand(wall, 0)));
    let ids: Vec<ColliderId> = walls.collect();
    for tick in 0..TICKS {
        for (wall, id) in drum.walls.iter().zip(&ids) {
            if replaced {
                world.set_collider(*id, stand(wall, tick).expect("valid"));
            }
            let (centre, rotation) = place(wall, tick + 1);
            let wall = world.collider(*id).expect("there");
            let motion = wall.motion_to(Pose::new(centre, rotation), TICK);
            world.set_collider_motion(*id, motion).expect("valid");
        }
        world.step(TICK, &SerialExecutor).expect("valid");
    }
    let Pose { translation: centre, rotation } = moves.pose(TICKS);
    let back = Vec2::new(rotation.x, -rotation.y);
    let is_out = |p: &&Vec2| inside.distance((**p - centre).rotate(back)) > 0.01 * spacing();
    let out = world.particles().positions().iter().filter(is_out).count();
    let lost = all - world.particles().len();
    assert_eq!((out, lost, world.quarantined()), (0, 0, 0), "{name}, {moves:?}");
}

/// Tries drums of 3 to 12 walls with all motions.
fn all_hold(name: &str, counts: &[u32], of: impl Fn(u32) -> Drum) {
    for count in counts {
        for moves in Moves::ALL {
            drum_holds(&format!("{name}, {count} walls"), &of(*count), moves, false);
        }
    }
}

#[test]
fn drums_of_rectangles_hold() {
    all_hold("thick", &[3, 4, 5], |count| rectangles(count, 2.0 * spacing()));
    all_hold("thin", &[3, 4, 12], |count| rectangles(count, spacing()));
}

#[test]
fn drums_of_polygons_hold() {
    all_hold("thick", &[3, 4, 12], |count| mitred(count, 2.0 * spacing()));
    all_hold("thin", &[5, 8], |count| mitred(count, spacing()));
}

#[test]
fn drums_of_capsules_and_lines_hold() {
    all_hold("capsules", &[3, 7], capsules);
    all_hold("lines", &[3, 4, 12], lines);
    all_hold("closed line", &[3, 4], closed_line);
}

#[test]
fn a_floor_of_polygons_and_walls_that_stand_on_it_hold() {
    for moves in Moves::ALL {
        drum_holds("tiled box", &tiled_box(), moves, false);
    }
}

#[test]
fn walls_that_are_replaced_by_themselves_hold() {
    for moves in Moves::ALL {
        drum_holds("replaced line", &closed_line(4), moves, true);
        drum_holds("replaced triangle", &lines(3), moves, true);
        drum_holds("replaced rectangles", &rectangles(5, spacing()), moves, true);
    }
}
