//! Colliders on a device.

use blob_fluid::shape::{DistanceField, Polygon, Polyline};
use blob_fluid::{
    ClassFilter, ClassId, ClassTable, Collider, ColliderId, ColliderOptions, Container,
    DensityClass, FluidParameters, FluidShape, FluidWorld, Motion, ParticleSpawn, Pose, Substeps,
};
use blob_fluid_gpu::{GpuLiquid, Shaders};
use glam::Vec2;

use crate::adapter::{device, on, on_with, shaders};
use crate::liquids::{TICK, assert_found, run, world};

/// A world with liquid in the shapes of `fill` at their centres.
pub fn filled(fill: &[(FluidShape, Vec2)]) -> FluidWorld {
    let mut world = world(FluidParameters::default());
    for (shape, centre) in fill {
        for position in shape.fill(*centre, 8.3) {
            world.spawn(ParticleSpawn { position, ..Default::default() }).expect("valid");
        }
    }
    world
}

pub fn disc(radius: f32) -> FluidShape {
    FluidShape::Circle { radius }
}

/// Distance by which rounding, and the skin of walls, may put a particle beyond a line.
const ROUNDING: f32 = 1e-3;

/// Number of particles outside of a ring of corners.
pub fn outside(positions: &[Vec2], ring: &[Vec2]) -> usize {
    let shape = FluidShape::Polygon(Polygon::new(ring.iter().copied()).expect("a ring"));
    positions.iter().filter(|position| shape.distance(**position) > ROUNDING).count()
}

/// A closed line along a ring.
pub fn closed(ring: &[Vec2], thickness: f32) -> FluidShape {
    let points = ring.iter().chain(&ring[..1]).copied();
    FluidShape::Polyline(Polyline::new(points, thickness).expect("a line"))
}

pub fn at(shape: FluidShape, centre: Vec2) -> Collider {
    Collider::new(shape, centre, Vec2::X).expect("valid")
}

pub fn still(shape: FluidShape) -> Collider {
    at(shape, Vec2::ZERO)
}

pub fn turning(shape: FluidShape, angular_velocity: f32) -> Collider {
    let motion = Motion { velocity: Vec2::ZERO, angular_velocity };
    still(shape).with_motion(motion).expect("valid")
}

/// The corners of a star, alternately at two distances from the centre.
pub fn star(tips: u32, inner: f32, outer: f32) -> Vec<Vec2> {
    let corner = |index: u32| {
        let angle = std::f32::consts::PI * index as f32 / tips as f32;
        let radius = if index.is_multiple_of(2) { outer } else { inner };
        Vec2::from_angle(angle).perp() * radius
    };
    (0..2 * tips).map(corner).collect()
}

pub fn square(half: f32) -> Vec<Vec2> {
    [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|at| Vec2::from(at) * half).to_vec()
}

/// What is on the device.
pub fn positions(gpu: &GpuLiquid) -> Vec<Vec2> {
    gpu.read_particles().expect("read").iter().map(|particle| particle.position).collect()
}

/// Runs liquid in a ring with these walls. Returns how many particles got out.
pub fn escaped(
    shaders: &Shaders,
    ring: &[Vec2],
    walls: &[Collider],
    fill: &[(FluidShape, Vec2)],
    ticks: u32,
) -> Option<usize> {
    let both = device()?;
    let mut world = filled(fill);
    for wall in walls {
        world.insert_collider(wall.clone());
    }
    let mut gpu = on_with(&both, &world, shaders);
    let all = gpu.len();
    let before = positions(&gpu);
    assert!(all > 100 && outside(&before, ring) == 0);
    run(&mut gpu, world.liquid_mut(), ticks);
    let after = positions(&gpu);
    Some(outside(&after, ring) + all - after.len())
}

/// Liquid in a ring stays there.
pub fn holds(name: &str, ring: &[Vec2], walls: &[Collider], fill: &[(FluidShape, Vec2)]) {
    let Some(escaped) = escaped(&shaders(), ring, walls, fill, 600) else { return };
    println!("{name}: {escaped} out");
    assert_eq!(escaped, 0, "{name}");
}

pub fn in_tips() -> [(FluidShape, Vec2); 2] {
    [(disc(65.0), Vec2::ZERO), (disc(20.0), Vec2::new(0.0, 130.0))]
}

pub fn stirrers() -> [(&'static str, FluidShape); 4] {
    let cross = Polyline::new(
        [(-100.0, 0.0), (100.0, 0.0), (0.0, 0.0), (0.0, 100.0), (0.0, -100.0)].map(Vec2::from),
        0.0,
    );
    [
        ("blade", FluidShape::Rectangle { half_size: Vec2::new(100.0, 1.0) }),
        ("cross", FluidShape::Polyline(cross.expect("valid"))),
        ("shuriken", FluidShape::Polygon(Polygon::new(star(4, 15.0, 100.0)).expect("valid"))),
        ("bar", FluidShape::Capsule { half_length: 90.0, radius: 4.0 }),
    ]
}

pub fn below_stirrers() -> (FluidShape, Vec2) {
    (FluidShape::Rectangle { half_size: Vec2::new(110.0, 40.0) }, Vec2::new(0.0, -70.0))
}

// No liquid leaks from drums whose walls are several colliders that turn and shake together.

/// How a drum moves: its greatest speed along x, in particle spacings per tick, and its angular
/// velocity, in radians/s.
#[derive(Clone, Copy, Debug)]
struct Moves {
    shaking: f32,
    turning: f32,
}

/// Angular frequency of shaking, in radians/s.
const SHAKING: f32 = 6.0;

impl Moves {
    fn pose(self, ticks: u32) -> Pose {
        let time = ticks as f32 * TICK;
        let farthest = self.shaking * 8.0 / (TICK * SHAKING);
        let swing = |rate: f32| Vec2::from_angle(SHAKING * rate * time).y;
        let centre = Vec2::new(swing(1.0), 0.3 * swing(1.7)) * farthest;
        Pose::new(centre, Vec2::from_angle(self.turning * time))
    }
}

/// A drum of walls at places relative to it, each with its inner side to its left, around a distance
/// of 70 from its centre; and the corners of its inside.
fn drum(count: u32, wall: impl Fn(f32) -> (FluidShape, f32)) -> (Vec<Collider>, Vec<Vec2>) {
    let half_angle = std::f32::consts::PI / count as f32;
    let corner = Vec2::from_angle(half_angle);
    let (shape, depth) = wall(70.0 * corner.y / corner.x);
    let direction = |index: u32| Vec2::from_angle(2.0 * half_angle * index as f32);
    let walls = (0..count).map(|index| {
        let rotation = direction(index);
        Collider::new(shape.clone(), rotation * (70.0 + depth), rotation).expect("valid")
    });
    let corners = (0..count).map(|index| (corner * (70.0 / corner.x)).rotate(direction(index)));
    (walls.collect(), corners.collect())
}

#[test]
#[ignore = "long: .ci/run"]
fn drums_that_turn_and_shake_hold() {
    let Some(both) = device() else { return };
    let rectangles = |count, half: f32| {
        drum(count, |length| (FluidShape::Rectangle { half_size: Vec2::new(half, length) }, half))
    };
    let capsules = |count| {
        drum(count, |length| (FluidShape::Capsule { half_length: length, radius: 8.0 }, 0.0))
    };
    let lines = |count| {
        drum(count, |length| {
            let ends = [Vec2::new(0.0, -length), Vec2::new(0.0, length)];
            (FluidShape::Polyline(Polyline::new(ends, 0.0).expect("a line")), 0.0)
        })
    };
    let polygons = |count, thickness: f32| {
        drum(count, |length| {
            let outer = length * (1.0 + thickness / 70.0);
            let corners = [(0.0, -length), (thickness, -outer), (thickness, outer), (0.0, length)];
            (FluidShape::Polygon(Polygon::new(corners.map(Vec2::from)).expect("corners")), 0.0)
        })
    };
    let drums = [
        ("rectangles", rectangles(3, 4.0)),
        ("rectangles", rectangles(12, 4.0)),
        ("capsules", capsules(3)),
        ("lines", lines(3)),
        ("lines", lines(12)),
        ("polygons", polygons(5, 8.0)),
    ];
    for (name, (walls, inside)) in drums {
        for (shaking, turning) in [(0.0, 4.0), (0.0, 20.0), (5.0, 0.0), (5.0, 20.0)] {
            let moves = Moves { shaking, turning };
            let inside = FluidShape::Polygon(Polygon::new(inside.clone()).expect("corners"));
            let filled_part = inside.scaled(Vec2::splat(0.8));
            let mut world = world(FluidParameters::default());
            for position in filled_part.fill(Vec2::ZERO, 8.24).filter(|p| p.y < 0.0) {
                world.spawn(ParticleSpawn { position, ..Default::default() }).expect("valid");
            }
            let ids: Vec<ColliderId> =
                walls.iter().map(|wall| world.insert_collider(wall.clone())).collect();
            let mut gpu = on(&both, &world);
            assert!(gpu.len() > 50);
            const TICKS: u32 = 240;
            for tick in 1..=TICKS {
                let Pose { translation: centre, rotation } = moves.pose(tick);
                for (wall, id) in walls.iter().zip(&ids) {
                    let centre = centre + rotation.rotate(wall.centre());
                    let rotation = rotation.rotate(wall.rotation());
                    let collider = world.collider(*id).expect("there");
                    let motion = collider.motion_to(Pose::new(centre, rotation), TICK);
                    world.set_collider_motion(*id, motion).expect("valid");
                }
                gpu.step(world.liquid_mut(), TICK).expect("valid");
            }
            let Pose { translation: centre, rotation } = moves.pose(TICKS);
            let back = Vec2::new(rotation.x, -rotation.y);
            let is_out = |p: &&Vec2| inside.distance((**p - centre).rotate(back)) > 0.08;
            let after = positions(&gpu);
            let out = after.iter().filter(is_out).count();
            println!("{name}, {} walls, {moves:?}: {out} out", walls.len());
            assert_eq!((out, after.len()), (0, gpu.len()), "{name}, {moves:?}");
        }
    }
}

// No liquid leaks through thin walls, chains, acute corners and stirrers, or during hitches; and faults
// put into the shaders leak.

#[test]
fn a_line_as_thin_as_nothing_holds_a_pool() {
    let ring = square(120.0);
    holds("square", &ring, &[still(closed(&ring, 0.0))], &[(disc(90.0), Vec2::ZERO)]);
}

#[test]
fn a_chain_of_many_short_links_holds_a_pool() {
    let ring = star(90, 130.0, 131.0);
    holds("chain", &ring, &[still(closed(&ring, 0.5))], &[(disc(100.0), Vec2::ZERO)]);
}

fn hollow(ring: &[Vec2]) -> Collider {
    let solid = FluidShape::Polygon(Polygon::new(ring.iter().copied()).expect("a ring"));
    let options = ColliderOptions { inside_out: true, ..Default::default() };
    still(solid).with_options(options).expect("valid")
}

#[test]
fn a_star_holds_liquid_in_its_acute_tips() {
    let ring = star(5, 70.0, 220.0);
    holds("thin star", &ring, &[still(closed(&ring, 0.0))], &in_tips());
    holds("hollow star", &ring, &[hollow(&ring)], &in_tips()[..1]);
}

#[test]
#[ignore = "long: .ci/run"]
fn stirrers_of_all_kinds_stir_and_let_nothing_out() {
    let ring = square(130.0);
    for (name, shape) in stirrers() {
        // The tips of the fast ones move by more than an interaction radius per tick.
        for speed in [4.0, 25.0] {
            let walls = [still(closed(&ring, 0.0)), turning(shape.clone(), speed)];
            let shaders = shaders();
            let fill = [below_stirrers()];
            let Some(escaped) = escaped(&shaders, &ring, &walls, &fill, 300) else { return };
            println!("{name}, {speed} rad/s: {escaped} out");
            assert_eq!(escaped, 0, "{name}, {speed} rad/s");
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
    let ring = star(45, 125.0, 125.0);
    let bowl = still(FluidShape::Field(bowl));
    holds("picture", &ring, &[bowl], &[(disc(70.0), Vec2::new(0.0, -30.0))]);
}

#[test]
fn a_box_of_colliders_that_flies_about_keeps_its_liquid() {
    let Some(both) = device() else { return };
    let ring = square(100.0);
    let mut world = filled(&[(disc(80.0), Vec2::ZERO)]);
    let wall = world.insert_collider(still(closed(&ring, 0.0)));
    let mut gpu = on(&both, &world);
    let all = gpu.len();
    for second in 0..10 {
        // The motion alternates: two interaction radii per tick, and a full turn per second.
        let side = if second % 2 == 0 { 1.0 } else { -1.0 };
        let velocity = Vec2::new(4000.0 * side, 900.0 * side);
        let motion = Motion { velocity, angular_velocity: 6.3 * side };
        assert_eq!(world.set_collider_motion(wall, motion), Ok(true));
        run(&mut gpu, world.liquid_mut(), 60);
        let box_now = world.collider(wall).expect("there");
        let centre = box_now.centre();
        let back = Vec2::new(box_now.rotation().x, -box_now.rotation().y);
        let inside = |p: &&Vec2| (**p - centre).rotate(back).abs().max_element() <= 100.01;
        let kept = positions(&gpu).iter().filter(inside).count();
        assert_eq!(kept, all, "after {second} s at {centre}");
    }
}

#[test]
fn a_hitch_of_a_second_lets_nothing_through() {
    let Some(both) = device() else { return };
    let ring = square(120.0);
    let mut world = filled(&[(disc(90.0), Vec2::ZERO)]);
    world.insert_collider(still(closed(&ring, 0.0)));
    world.insert_collider(turning(stirrers()[0].1.clone(), 5.0));
    let mut gpu = on(&both, &world);
    for _ in 0..12 {
        run(&mut gpu, world.liquid_mut(), 50);
        gpu.step(world.liquid_mut(), 1.0).expect("valid");
        assert_eq!(outside(&positions(&gpu), &ring), 0);
        assert_eq!(positions(&gpu).len(), gpu.len());
    }
}

#[test]
#[ignore = "long: .ci/run"]
fn faults_in_the_shaders_leak() {
    // A file, what stands there, and what is put instead.
    let faults = [
        // Bodies' motion between two poses is ignored.
        ("solids", "select(body.later, body.earlier, moving)", "body.later"),
        // Nothing is tested anew after a wall.
        ("containment", "_ = stay(particle);\n            continue;", "return;"),
        // Corners have gaps.
        (
            "solids",
            "foot >= -slack && foot <= long + slack",
            "foot > 0.02 * long && foot < 0.98 * long",
        ),
    ];
    // They turn once around in these two seconds.
    let turn = std::f32::consts::PI;
    let (square, star) = (square(130.0), star(5, 70.0, 220.0));
    let paddle = turning(stirrers()[1].1.clone(), 25.0);
    let scenes = [
        (&square, vec![turning(closed(&square, 0.0), turn), paddle], below_stirrers()),
        (&star, vec![turning(closed(&star, 0.0), turn)], in_tips()[0].clone()),
    ];
    let out = |shaders: &Shaders| {
        // The first scene in which some get out is enough.
        let mut each = scenes.iter().map(|(ring, walls, fill)| {
            escaped(shaders, ring, walls, std::slice::from_ref(fill), 120)
        });
        each.find(|out| *out != Some(0)).unwrap_or(Some(0))
    };
    assert!(out(&shaders()).is_none_or(|out| out == 0));
    assert_found(&faults, |shaders| {
        let out = out(shaders)?;
        Some((out > 0, format!("{out} out")))
    });
}

// What colliders stop: by side, by class, when they land on liquid, when they change.

#[test]
fn a_membrane_lets_through_one_way_only() {
    let Some(both) = device() else { return };
    let one_way = |points: [(f32, f32); 2]| {
        let line = Polyline::new(points.map(Vec2::from), 0.0).expect("valid");
        let options = ColliderOptions { one_way: true, ..Default::default() };
        still(FluidShape::Polyline(line)).with_options(options).expect("valid")
    };
    // Liquid that falls from above comes from the right of a line that is drawn to the left, and
    // from the left of one that is drawn to the right.
    for (points, below) in
        [([(150.0, 0.0), (-150.0, 0.0)], true), ([(-150.0, 0.0), (150.0, 0.0)], false)]
    {
        let mut world = filled(&[(disc(50.0), Vec2::new(0.0, 80.0))]);
        world.insert_collider(still(closed(&square(150.0), 0.0)));
        world.insert_collider(one_way(points));
        let mut gpu = on(&both, &world);
        let expected = if below { gpu.len() } else { 0 };
        // Then gravity is reversed: liquid below the line stays there if it must not come back.
        for _ in 0..2 {
            run(&mut gpu, world.liquid_mut(), 400);
            let passed = positions(&gpu).iter().filter(|p| p.y < 0.0).count();
            assert_eq!(passed, expected, "{points:?}");
            let gravity = -world.parameters().gravity;
            let parameters = FluidParameters { gravity, ..*world.parameters() };
            world.set_parameters(parameters).expect("valid");
        }
    }
}

#[test]
fn a_hollow_membrane_is_a_trap() {
    let Some(both) = device() else { return };
    let mut world = filled(&[(disc(40.0), Vec2::new(0.0, 160.0))]);
    let options = ColliderOptions { inside_out: true, one_way: true, ..Default::default() };
    world.insert_collider(still(disc(100.0)).with_options(options).expect("valid"));
    let mut gpu = on(&both, &world);
    run(&mut gpu, world.liquid_mut(), 600);
    let trapped = positions(&gpu).iter().filter(|p| p.length() <= 100.1).count();
    assert_eq!(trapped, gpu.len());
}

#[test]
fn colliders_stop_only_the_classes_and_layers_they_are_for() {
    let Some(both) = device() else { return };
    let class = |name: &str, collision_layers| DensityClass {
        name: name.into(),
        collision_layers,
        ..Default::default()
    };
    let classes = vec![class("stopped", 1), class("filtered", 1), class("elsewhere", 2)];
    let mut world = world(FluidParameters::default());
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
    world.insert_collider(still(floor).with_options(options).expect("valid"));
    let mut gpu = on(&both, &world);
    run(&mut gpu, world.liquid_mut(), 90);
    for particle in gpu.read_particles().expect("read") {
        assert_eq!(particle.position.y > 0.0, particle.class == ClassId(0), "{particle:?}");
    }
}

#[test]
fn many_colliders_are_all_there() {
    let Some(both) = device() else { return };
    // Pins under a block: more colliders near one point than a list of near walls holds.
    let pins = (0..40).flat_map(|row| {
        (0..40).map(move |column| {
            let x = 5.0 * column as f32 - 97.5 + if row % 2 == 0 { 0.0 } else { 2.5 };
            at(disc(2.0), Vec2::new(x, -5.0 * row as f32))
        })
    });
    let ring = square(250.0);
    let colliders: Vec<_> = pins.chain([still(closed(&ring, 0.0))]).collect();
    let block = FluidShape::Rectangle { half_size: Vec2::new(90.0, 30.0) };
    let mut world = filled(&[(block, Vec2::new(0.0, 60.0))]);
    for collider in &colliders {
        world.insert_collider(collider.clone());
    }
    let mut gpu = on(&both, &world);
    run(&mut gpu, world.liquid_mut(), 200);
    for position in positions(&gpu) {
        let distances = colliders.iter().map(|collider| collider.distance(position));
        let deepest = distances.fold(f32::INFINITY, f32::min);
        assert!(deepest > -0.05, "{position} is {deepest} inside");
    }
}

#[test]
fn what_a_jumping_obstacle_lands_on_comes_out() {
    let Some(both) = device() else { return };
    let half_size = Vec2::new(150.0, 60.0);
    let mut world = filled(&[(FluidShape::Rectangle { half_size }, Vec2::ZERO)]);
    let ring = [(-160.0, -70.0), (160.0, -70.0), (160.0, 400.0), (-160.0, 400.0)].map(Vec2::from);
    world.insert_collider(still(closed(&ring, 0.0)));
    let mut gpu = on(&both, &world);
    run(&mut gpu, world.liquid_mut(), 300);
    let rock = Polygon::new(star(5, 25.0, 50.0)).expect("valid");
    let rock = at(FluidShape::Polygon(rock), Vec2::new(0.0, -20.0));
    world.insert_collider(rock.clone());
    let mut fastest = 0.0_f32;
    for _ in 0..120 {
        gpu.step(world.liquid_mut(), TICK).expect("valid");
        let particles = gpu.read_particles().expect("read");
        fastest = particles.iter().map(|p| p.velocity.length()).fold(fastest, f32::max);
    }
    let after = positions(&gpu);
    assert_eq!(outside(&after, &ring), 0);
    let inside = after.iter().filter(|p| rock.distance(**p) < -0.01).count();
    let splash = (2.0 * world.parameters().gravity.length() * 200.0).sqrt();
    println!("{inside} inside, fastest {fastest}, bar {splash}");
    assert_eq!(inside, 0, "all came out");
    // The liquid splashes no higher than twice the rock's height in two seconds.
    assert!(fastest < splash, "{fastest} against {splash}");
}

#[test]
fn what_tiles_appear_around_comes_out() {
    let Some(both) = device() else { return };
    // A wall of tiles, and one large block, in the liquid.
    let mut world =
        filled(&[(FluidShape::Rectangle { half_size: Vec2::new(140.0, 60.0) }, Vec2::ZERO)]);
    let ring = square(150.0);
    world.insert_collider(still(closed(&ring, 0.0)));
    let mut gpu = on(&both, &world);
    let tile = FluidShape::Rectangle { half_size: Vec2::splat(10.0) };
    let mut solids: Vec<Collider> = (0..8)
        .flat_map(|row| [-100.0, -80.0].map(|x| Vec2::new(x, 20.0 * row as f32 - 140.0)))
        .map(|centre| at(tile.clone(), centre))
        .collect();
    solids.push(at(FluidShape::Rectangle { half_size: Vec2::splat(50.0) }, Vec2::new(60.0, -50.0)));
    solids.push(at(disc(60.0), Vec2::new(60.0, 50.0)));
    for solid in &solids {
        world.insert_collider(solid.clone());
    }
    let inside = |gpu: &GpuLiquid| {
        let is_inside = |p: &&Vec2| solids.iter().any(|solid| solid.distance(**p) < -0.01);
        positions(gpu).iter().filter(is_inside).count()
    };
    let before = inside(&gpu);
    run(&mut gpu, world.liquid_mut(), 240);
    let after = inside(&gpu);
    println!("{before} inside, then {after}");
    assert!(before > 50);
    assert_eq!(after, 0);
    assert_eq!(outside(&positions(&gpu), &ring), 0);
}

#[test]
fn colliders_come_change_and_go_and_nothing_depends_on_the_order_of_particles() {
    let Some(both) = device() else { return };
    let ring = square(120.0);
    let mut start = filled(&[(disc(70.0), Vec2::ZERO)]);
    // The grid is over the container.
    let around = Container::rectangle(Vec2::ZERO, Vec2::splat(300.0)).expect("valid");
    start.insert_container(around);
    start.insert_collider(still(closed(&ring, 0.0)));
    start.insert_collider(turning(disc(20.0), 9.0));
    let whole = on(&both, &start);
    let particles = whole.read_particles().expect("read");
    let mut empty = start.clone();
    empty.clear();
    let mut reversed = on(&both, &empty);
    for particle in particles.iter().rev() {
        reversed.insert(&[*particle]).expect("inserted");
    }
    let mut found = Vec::new();
    for mut gpu in [whole, reversed] {
        let mut world = empty.clone();
        let blade = still(stirrers()[0].1.clone());
        let mut last = None;
        for tick in 0..120 {
            match tick {
                20 => last = Some(world.insert_collider(blade.clone())),
                40 => {
                    let id = last.expect("there");
                    assert!(world.set_collider(id, at(stirrers()[2].1.clone(), Vec2::X)));
                }
                60 => {
                    let motion = Motion { velocity: Vec2::new(40.0, 0.0), angular_velocity: 8.0 };
                    let id = last.expect("there");
                    world.set_collider_motion(id, motion).expect("valid");
                }
                90 => assert!(world.remove_collider(last.expect("there")).is_some()),
                _ => {}
            }
            gpu.step(world.liquid_mut(), TICK).expect("valid");
        }
        assert_eq!(outside(&positions(&gpu), &ring), 0);
        found.push(gpu.read_particles().expect("read"));
    }
    assert_eq!(found[0].len(), particles.len());
    assert!(found[0] == found[1]);
}

#[test]
fn colliders_far_away_and_without_end_do_no_harm() {
    let Some(both) = device() else { return };
    let all = DistanceField::new(64, 64, Vec2::splat(64.0), |_, _| true).expect("valid");
    let substeps = Substeps::Fixed(1);
    let mut world = world(FluidParameters { substeps, ..FluidParameters::default() });
    for row in 0..200 {
        // On one point, fast and far away, and faster than anything is slow.
        let far = Vec2::new(1.9e7, row as f32);
        let position = if row % 2 == 0 { far } else { Vec2::new(100.0, 100.0) };
        let velocity = Vec2::new(if row % 4 == 0 { -1.1e9 } else { -2e4 }, 0.0);
        world.spawn(ParticleSpawn { position, velocity, ..Default::default() }).expect("valid");
    }
    world.insert_collider(still(FluidShape::Field(all)));
    world.insert_collider(at(disc(1e9), Vec2::new(-2e9, 0.0)));
    world.insert_collider(at(disc(1e-3), Vec2::new(1e12, 1e12)));
    world.insert_collider(turning(FluidShape::HalfPlane { normal: Vec2::Y }, 1e12));
    let sliver = [(0.0, 0.0), (1e9, 1e-3), (1e9, 0.0)].map(Vec2::from);
    let sliver = FluidShape::Polygon(Polygon::new(sliver).expect("corners"));
    world.insert_collider(turning(sliver.clone(), 3.0));
    world.insert_collider(at(sliver, Vec2::new(0.0, 50.0)));
    let mut gpu = on(&both, &world);
    run(&mut gpu, world.liquid_mut(), 5);
    let particles = gpu.read_particles().expect("read");
    assert!(particles.iter().all(|particle| particle.position.is_finite()));
    assert!(particles.len() >= 100, "{}", particles.len());
}
