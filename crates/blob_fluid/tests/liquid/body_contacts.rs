//! Contacts of bodies without liquid: thin solids hold them, seams between tiles do not catch them,
//! and what falls straight down stays where it falls.

use blob_fluid::shape::{Polygon, Polyline};
use blob_fluid::*;
use glam::Vec2;

use crate::pools::{add_tank, awake, body, configured, world_with};
use crate::ticks::TICK;

fn world() -> FluidWorld {
    world_with(awake())
}

fn run(world: &mut FluidWorld, tick: f32, seconds: f32) {
    for _ in 0..(seconds / tick).round() as u32 {
        world.step(tick, &SerialExecutor).expect("valid");
    }
}

fn rectangle(x: f32, y: f32) -> FluidShape {
    FluidShape::Rectangle { half_size: Vec2::new(x, y) }
}

fn polygon(corners: impl IntoIterator<Item = (f32, f32)>) -> FluidShape {
    FluidShape::Polygon(Polygon::new(corners.into_iter().map(Vec2::from)).expect("valid"))
}

fn line(points: &[(f32, f32)], thickness: f32) -> FluidShape {
    let points = points.iter().copied().map(Vec2::from);
    FluidShape::Polyline(Polyline::new(points, thickness).expect("valid"))
}

fn solid(shape: FluidShape, x: f32, y: f32) -> Collider {
    Collider::new(shape, Vec2::new(x, y), Vec2::X).expect("valid")
}

fn moving(collider: Collider, x: f32, y: f32) -> Collider {
    let motion = Motion { velocity: Vec2::new(x, y), angular_velocity: 0.0 };
    collider.with_motion(motion).expect("valid")
}

/// The body of a collider with another pose and friction.
fn placed(block: &Collider, x: f32, y: f32, angle: f32, friction: f32) -> Collider {
    let body = block.options().body.map(|body| Body { friction, ..body });
    let turned = block.clone().with_pose(Pose::new(Vec2::new(x, y), Vec2::from_angle(angle)));
    let options = ColliderOptions { body, ..block.options() };
    turned.and_then(|turned| turned.with_options(options)).expect("valid")
}

fn centre(world: &FluidWorld, id: ColliderId) -> Vec2 {
    world.collider(id).expect("there").centre()
}

/// A box, a small and light box, a disc, a triangle and a plate, each with its farthest point.
fn blocks() -> [(Collider, f32); 5] {
    let triangle = polygon([(-10.0, -10.0), (20.0, -10.0), (-10.0, 20.0)]);
    [
        (rectangle(30.0, 20.0), 37.0),
        (rectangle(5.0, 5.0), 8.0),
        (FluidShape::Circle { radius: 15.0 }, 15.0),
        (triangle, 23.0),
        (rectangle(60.0, 2.0), 61.0),
    ]
    .map(|(shape, farthest)| (body(shape, Vec2::ZERO, 1.0), farthest))
}

#[test]
fn thin_solids_hold_bodies_at_any_speed() {
    let floors = [
        (line(&[(-2000.0, 0.0), (2000.0, 0.0)], 0.0), 0.0),
        (line(&[(-2000.0, 0.0), (0.0, 0.0), (2000.0, 0.0)], 4.0), 4.0),
        (rectangle(2000.0, 1.0), 2.0),
        (rectangle(2000.0, 10.0), 20.0),
    ];
    for (floor, thickness) in floors {
        for (block, farthest) in blocks() {
            for (speed, angle) in [(0.0, 0.0), (200.0, 0.3), (800.0, 0.0), (3200.0, 1.2)] {
                for tick in [TICK, 2.0 * TICK] {
                    let mut world = world();
                    world.insert_collider(solid(floor.clone(), 0.0, -0.5 * thickness));
                    let block = placed(&block, 0.0, farthest + 20.0, angle, 0.4);
                    let id = world.insert_collider(moving(block, 0.0, -speed));
                    run(&mut world, tick, 1.0);
                    let centre = centre(&world, id);
                    assert!(centre.y > 0.0, "{centre} on {floor:?} at {speed}, turned {angle}");
                }
            }
        }
    }
}

#[test]
fn a_thin_lift_takes_bodies_along_and_a_press_does_not_let_them_through() {
    for (block, farthest) in blocks() {
        let mut world = world();
        let floor = solid(line(&[(-2000.0, 0.0), (2000.0, 0.0)], 0.0), 0.0, 0.0);
        let floor = world.insert_collider(moving(floor, 0.0, 600.0));
        let start = farthest + 20.0;
        let id = world.insert_collider(placed(&block, 0.0, start, 0.3, 0.4));
        run(&mut world, TICK, 1.5);
        let above = centre(&world, id).y - centre(&world, floor).y;
        assert!(above > 0.0 && above < farthest + 1.0, "{above}");
        let press = solid(rectangle(2000.0, 5.0), 0.0, centre(&world, id).y + farthest + 40.0);
        let still = Motion::STILL;
        assert_eq!(world.set_collider_motion(floor, still), Ok(true));
        world.insert_collider(moving(press, 0.0, -20.0));
        run(&mut world, TICK, 2.0);
        assert!(centre(&world, id).y > centre(&world, floor).y, "{}", centre(&world, id));
    }
}

/// A lift: a collider that a host moves, or one that a host body carries.
enum Lift {
    Collider(ColliderId),
    Carried(HostBodyId),
}

impl Lift {
    fn insert(world: &mut FluidWorld, shape: FluidShape, is_carried: bool) -> Self {
        let lift = solid(shape, 0.0, 0.0);
        if !is_carried {
            return Self::Collider(world.insert_collider(lift));
        }
        let body = HostBody::at(Pose::IDENTITY);
        let id = world.liquid_mut().insert_host_body(body).expect("valid");
        let attachment = Attachment { body: id, pose: Pose::new(Vec2::ZERO, Vec2::X) };
        let options = ColliderOptions { attachment: Some(attachment), ..lift.options() };
        world.insert_collider(configured(lift, options));
        Self::Carried(id)
    }

    fn set_velocity(&self, world: &mut FluidWorld, velocity: Vec2) {
        let motion = Motion { velocity, angular_velocity: 0.0 };
        let liquid = world.liquid_mut();
        let changed = match self {
            Self::Collider(id) => liquid.set_collider_motion(*id, motion),
            Self::Carried(id) => liquid.set_host_body_motion(*id, motion),
        };
        assert_eq!(changed, Ok(true));
    }
}

#[test]
fn a_lift_that_starts_at_once_takes_along_what_rests_on_it() {
    let shapes = [
        (line(&[(-2000.0, 0.0), (2000.0, 0.0)], 0.0), 0.0),
        (line(&[(-2000.0, 0.0), (2000.0, 0.0)], 4.0), 2.0),
        (rectangle(2000.0, 0.5), 0.5),
        (rectangle(2000.0, 5.0), 5.0),
    ];
    for (shape, top) in shapes {
        for (speed, is_carried, sleeps) in [
            (200.0, false, false),
            (200.0, true, false),
            (800.0, false, true),
            (3200.0, false, false),
            (3200.0, true, false),
        ] {
            for (block, _) in blocks() {
                let sleeping = if sleeps { FluidSleeping::default() } else { FluidSleeping::OFF };
                let mut world = world_with(FluidParameters { sleeping, ..awake() });
                let lift = Lift::insert(&mut world, shape.clone(), is_carried);
                let lowest = -block.shape().bounds().low.y;
                let block = placed(&block, 0.0, top + lowest, 0.0, 0.4);
                let id = world.insert_collider(block);
                run(&mut world, TICK, if sleeps { 15.0 } else { 1.0 });
                assert_eq!(world.collider(id).expect("there").is_sleeping(), sleeps);
                let (before, seconds) = (centre(&world, id), 0.5);
                lift.set_velocity(&mut world, Vec2::Y * speed);
                run(&mut world, TICK, seconds);
                let error = centre(&world, id) - before - Vec2::Y * speed * seconds;
                let about = format!("{:?} on {shape:?} at {speed}", world.collider(id));
                assert!(error.length() < 0.5, "{error}: {about}");
                // It falls back onto the lift that stops.
                lift.set_velocity(&mut world, Vec2::ZERO);
                run(&mut world, TICK, 0.2 + 2.0 * speed / 200.0);
                let error = centre(&world, id) - before - Vec2::Y * speed * seconds;
                assert!(error.y.abs() < 0.5, "{error}: {about}");
            }
        }
    }
}

#[test]
fn bodies_do_not_pass_through_each_other() {
    for speed in [400.0, 1600.0, 3200.0, 6400.0, 25600.0] {
        let parameters = FluidParameters { gravity: Vec2::ZERO, ..*world().parameters() };
        let mut world = FluidWorld::new(parameters).expect("valid");
        let block = body(rectangle(30.0, 20.0), Vec2::new(-100.0, 0.0), 1.0);
        let plate = body(rectangle(2.0, 40.0), Vec2::new(20.0, 0.0), 1.0);
        let block = world.insert_collider(moving(block, speed, 0.0));
        let plate = world.insert_collider(moving(plate, -speed, 0.0));
        run(&mut world, TICK, 0.5);
        let apart = centre(&world, plate).x - centre(&world, block).x;
        assert!(apart > 31.0, "{apart} at {speed}");
        let momentum = |id| {
            let collider = world.collider(id).expect("there");
            let mass = collider.options().body.expect("a body").mass;
            (collider.motion().velocity.x * mass, mass)
        };
        let ((of_block, heavy), (of_plate, light)) = (momentum(block), momentum(plate));
        let error = of_block + of_plate - speed * (heavy - light);
        assert!(error.abs() < 1e-4 * speed * heavy, "{error} at {speed}");
    }
}

/// Adds a floor from -300 to 1700, with its surface at 0.
fn add_floor(world: &mut FluidWorld, kind: &str) {
    let gap = match kind {
        "gaps of 0.01" => 0.01,
        "gaps of 0.1" => 0.1,
        _ => 0.0,
    };
    let square = polygon([(-8.0, -8.0), (8.0, -8.0), (8.0, 8.0), (-8.0, 8.0)]);
    match kind {
        "slab" => {
            world.insert_collider(solid(rectangle(1000.0, 8.0), 700.0, -8.0));
        }
        "one line" => {
            let points: Vec<_> = (0..126).map(|index| (16.0 * index as f32, 0.0)).collect();
            world.insert_collider(solid(line(&points, 0.0), -300.0, 0.0));
        }
        "lines" | "thin lines" => {
            let thickness = if kind == "lines" { 0.0 } else { 0.5 };
            for index in 0..125 {
                let x = -292.0 + 16.0 * index as f32;
                let line = line(&[(-8.0, 0.0), (8.0, 0.0)], thickness);
                world.insert_collider(solid(line, x, -0.5 * thickness));
            }
        }
        _ => {
            for index in 0..125 {
                let shape = if kind == "polygons" { square.clone() } else { rectangle(8.0, 8.0) };
                let x = -292.0 + (16.0 + gap) * index as f32;
                world.insert_collider(solid(shape, x, -8.0));
            }
        }
    }
}

#[test]
fn seams_between_tiles_do_not_catch_what_slides_over_them() {
    for (shape, half_height) in [
        (rectangle(30.0, 20.0), 20.0),
        (rectangle(5.0, 5.0), 5.0),
        (rectangle(60.0, 1.0), 1.0),
        (FluidShape::Circle { radius: 15.0 }, 15.0),
    ] {
        for (speed, friction, drop) in
            [(100.0, 0.0, 0.0), (500.0, 0.0, 0.0), (500.0, 0.4, 0.0), (500.0, 0.0, 10.0)]
        {
            let slid = |kind: &str| {
                let mut world = world();
                add_floor(&mut world, kind);
                let block = body(shape.clone(), Vec2::ZERO, 1.0);
                let block = placed(&block, -200.0, half_height + drop, 0.0, friction);
                let id = world.insert_collider(moving(block, speed, 0.0));
                run(&mut world, TICK, 2.0);
                let block = world.collider(id).expect("there");
                (block.motion().velocity.x, block.centre().y)
            };
            let (on_slab, height) = slid("slab");
            let lines = ["lines", "thin lines", "one line"];
            let tiles = ["tiles", "polygons", "gaps of 0.01", "gaps of 0.1"];
            for kind in tiles.into_iter().chain(lines) {
                let (on_tiles, height_there) = slid(kind);
                let error = (on_tiles - on_slab).abs();
                assert!(
                    error < 0.01 * speed && (height_there - height).abs() < 0.5,
                    "{shape:?} on {kind} at {speed}, friction {friction}: {on_tiles} of {on_slab}, \
                     at {height_there} of {height}"
                );
            }
        }
    }
}

/// Flat bodies, each with the height of its centre above the floor and its angle.
fn flat_bodies() -> [(FluidShape, f32, f32); 8] {
    let boat = [(-100.0, 60.0), (-100.0, 0.0), (100.0, 0.0), (100.0, 60.0)];
    let plank = [(-100.0, 0.0), (100.0, 0.0)];
    let plate =
        |half: f32| polygon([(-100.0, -half), (100.0, -half), (100.0, half), (-100.0, half)]);
    let log = FluidShape::Capsule { half_length: 100.0, radius: 5.0 };
    [
        (log, 5.0, 0.5 * std::f32::consts::PI),
        (line(&boat, 4.0), 2.0, 0.0),
        (line(&plank, 12.0), 6.0, 0.0),
        (line(&plank, 0.0), 0.0, 0.0),
        (plate(1.0), 1.0, 0.0),
        (plate(0.5), 0.5, 0.0),
        (plate(0.2), 0.2, 0.0),
        (rectangle(100.0, 0.05), 0.05, 0.0),
    ]
}

#[test]
fn flat_bodies_slide_without_friction_and_do_not_stick() {
    let floors = [
        solid(rectangle(1000.0, 8.0), 0.0, -8.0),
        solid(FluidShape::HalfPlane { normal: Vec2::Y }, 0.0, 0.0),
    ];
    for (shape, height, angle) in flat_bodies() {
        for floor in &floors {
            let mut world = world();
            world.insert_collider(floor.clone());
            let properties = Body { friction: 0.0, ..Body::new(100.0, 3e5) };
            let options = ColliderOptions { body: Some(properties), ..ColliderOptions::default() };
            let at = Vec2::new(0.0, height + 0.2);
            let block = Collider::new(shape.clone(), at, Vec2::from_angle(angle)).expect("valid");
            let id = world.insert_collider(moving(configured(block, options), 30.0, 0.0));
            run(&mut world, TICK, 2.0);
            let block = world.collider(id).expect("there");
            let (centre, velocity) = (block.centre(), block.motion().velocity);
            let aside = centre.distance(Vec2::new(60.0, height));
            let lost = velocity.distance(Vec2::new(30.0, 0.0));
            assert!(aside < 0.5 && lost < 0.1, "{shape:?} on {floor:?}: {centre} {velocity}");
        }
    }
}

#[test]
fn a_step_that_is_higher_than_a_gap_stops_what_slides_against_it() {
    for shape in [rectangle(30.0, 20.0), rectangle(60.0, 2.0), rectangle(5.0, 5.0)] {
        let mut world = world();
        add_floor(&mut world, "tiles");
        world.insert_collider(solid(rectangle(8.0, 8.0), 0.0, 8.0));
        let half_size = shape.bounds().half_size();
        let block = body(shape, Vec2::ZERO, 1.0);
        let block = placed(&block, -150.0, half_size.y, 0.0, 0.0);
        let id = world.insert_collider(moving(block, 100.0, 0.0));
        run(&mut world, TICK, 2.0);
        let centre = centre(&world, id);
        assert!((centre.x + half_size.x + 8.0).abs() < 1.0, "{centre}");
        assert!((centre.y - half_size.y).abs() < 1.0, "{centre}");
    }
}

/// A regular polygon around a circle of radius 40. A `phase` of 0 stands on a corner, one of 0.5 on a
/// side.
fn regular(count: u32, phase: f32) -> FluidShape {
    let corner = |index: u32| {
        let angle = std::f32::consts::TAU * (index as f32 + phase) / count as f32;
        let corner = 40.0 * Vec2::from_angle(angle);
        (corner.y, -corner.x)
    };
    polygon((0..count).map(corner))
}

#[test]
fn what_drops_straight_down_does_not_move_sideways() {
    let floors = [
        Some(line(&[(-600.0, 0.0), (600.0, 0.0)], 0.0)),
        Some(polygon([(-600.0, 0.0), (-600.0, -20.0), (600.0, -20.0), (600.0, 0.0)])),
        Some(FluidShape::HalfPlane { normal: Vec2::Y }),
        None,
    ];
    for shape in [
        FluidShape::Circle { radius: 40.0 },
        FluidShape::Capsule { half_length: 20.0, radius: 20.0 },
        FluidShape::ellipse(Vec2::new(40.0, 20.0)).expect("valid"),
        regular(48, 0.0),
        regular(48, 0.5),
        regular(7, 0.5),
        rectangle(30.0, 40.0),
    ] {
        let block = body(shape.clone(), Vec2::ZERO, 1.0);
        for floor in &floors {
            for (tick, drop) in [(2.0 * TICK, 300.0), (TICK, 100.0), (0.5 * TICK, 300.0)] {
                let mut world = world();
                match floor {
                    Some(floor) => {
                        world.insert_collider(solid(floor.clone(), 0.0, 0.0));
                    }
                    None => add_tank(&mut world, Vec2::new(0.0, 300.0), Vec2::new(600.0, 300.0)),
                }
                let id = world.insert_collider(placed(&block, 33.3, 40.0 + drop, 0.0, 0.4));
                run(&mut world, tick, 3.0);
                let Motion { velocity, .. } = world.collider(id).expect("there").motion();
                let aside = centre(&world, id).x - 33.3;
                assert!(
                    velocity.length() < 0.5 && aside.abs() < 0.1,
                    "{shape:?} on {floor:?}: {velocity} {aside}"
                );
            }
        }
    }
}

#[test]
fn a_disc_comes_to_rest_between_two_slopes() {
    let wedges = [
        line(&[(-200.0, 100.0), (0.0, 0.0), (200.0, 100.0)], 2.0),
        polygon([(-200.0, 100.0), (0.0, 0.0), (200.0, 100.0), (200.0, -50.0), (-200.0, -50.0)]),
    ];
    for wedge in wedges {
        let mut world = world();
        world.insert_collider(solid(wedge, 0.0, 0.0));
        let disc = body(FluidShape::Circle { radius: 30.0 }, Vec2::new(20.0, 90.0), 1.0);
        let id = world.insert_collider(disc);
        run(&mut world, TICK, 8.0);
        let disc = world.collider(id).expect("there");
        assert!(disc.motion().velocity.length() < 0.01, "{:?}", disc.motion());
        assert!(disc.centre().x.abs() < 0.1, "{}", disc.centre());
    }
}
