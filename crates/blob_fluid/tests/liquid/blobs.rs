//! Blobs are clipped to what is free, so that they do not burst where they do not fit.

use std::collections::HashSet;

use blob_fluid::shape::{Polygon, Polyline};
use blob_fluid::{
    Blob, BlobReport, Body, CapacityPolicy, ClassFilter, ClassId, Collider, ColliderOptions,
    Container, FluidParameters, FluidRegion, FluidShape, FluidWorld, ParticleSpawn, SerialExecutor,
    SpawnError, measure,
};
use glam::Vec2;

use crate::pools::add_tank;
use crate::ticks::{TICK, run};

const SPACING: f32 = 8.0;
const GRAVITY: f32 = 200.0;

fn world() -> FluidWorld {
    FluidWorld::new(FluidParameters::new(SPACING, Vec2::new(0.0, -GRAVITY))).expect("valid")
}

/// A world with a tank of 300 by 200 units.
fn tank() -> FluidWorld {
    let mut world = world();
    add_tank(&mut world, Vec2::ZERO, TANK);
    world
}

const TANK: Vec2 = Vec2::new(150.0, 100.0);

fn block(centre: Vec2, half_size: Vec2, class: ClassId) -> Blob {
    Blob::new(FluidRegion::rectangle(centre, half_size).expect("valid"), class)
}

fn fill(world: &mut FluidWorld, blob: &Blob) -> BlobReport {
    blob.fill(world.liquid_mut()).expect("valid")
}

fn fastest(world: &FluidWorld) -> f32 {
    world.particles().velocities().iter().map(|velocity| velocity.length()).fold(0.0, f32::max)
}

/// The greatest speed in two seconds, in speed units, and the greatest density from the beginning.
fn watch(mut world: FluidWorld) -> (f32, f64) {
    let density = |world: &FluidWorld| measure::measure(world).density_ratio.p99;
    let (mut speed, mut densest) = (0.0_f32, density(&world));
    for tick in 1..=120 {
        world.step(TICK, &SerialExecutor).expect("valid");
        speed = speed.max(fastest(&world));
        if tick % 4 == 0 {
            densest = densest.max(density(&world));
        }
    }
    (speed / world.parameters().speed_unit(), densest)
}

/// What free fall through the tank explains, in speed units.
fn fall() -> f32 {
    (2.0 * GRAVITY * 2.0 * TANK.length()).sqrt() / (GRAVITY * SPACING).sqrt()
}

/// With weight the liquid falls, and does no more than that.
fn only_falls(name: &str, world: FluidWorld) {
    let start = measure::measure(&world).density_ratio;
    assert!(start.p99 < 1.1, "{name} is packed too closely: {start:?}");
    let (speed, _) = watch(world);
    assert!(speed < fall(), "{name} bursts: speed {speed}, and a fall explains {}", fall());
}

/// As [`only_falls`]; and without weight only surface tension moves the liquid.
fn stays_calm(name: &str, world: FluidWorld) {
    let mut weightless = world.clone();
    let no_gravity = FluidParameters { gravity: Vec2::ZERO, ..*world.parameters() };
    weightless.set_parameters(no_gravity).expect("valid");
    let (speed, density) = watch(weightless);
    assert!(speed < 1.5 && density < 1.1, "{name} without weight: {speed}, density {density}");
    only_falls(name, world);
}

/// A half-sunk wooden disc in a pool at rest.
fn pool_with_body() -> FluidWorld {
    let mut world = tank();
    fill(&mut world, &block(Vec2::new(0.0, -50.0), Vec2::new(150.0, 50.0), ClassId::MEDIUM));
    let disc = FluidShape::Circle { radius: 30.0 };
    let body = Body::of_density(0.5, &disc, SPACING).expect("valid");
    let options = ColliderOptions { body: Some(body), ..Default::default() };
    let disc = Collider::new(disc, Vec2::new(0.0, 20.0), Vec2::X).expect("valid");
    world.insert_collider(disc.with_options(options).expect("valid"));
    run(&mut world, 400);
    world
}

#[test]
fn a_blob_twice_as_large_as_its_container_fills_it() {
    let mut world = tank();
    let report = fill(&mut world, &block(Vec2::ZERO, 2.0 * TANK, ClassId::MEDIUM));
    let inside = TANK - Vec2::splat(0.5 * SPACING);
    assert!(
        world.particles().positions().iter().all(|position| position.abs().cmple(inside).all())
    );
    let all =
        FluidShape::Rectangle { half_size: 2.0 * TANK }.fill(Vec2::ZERO, 1.03 * SPACING).count();
    assert_eq!(report.spawned + report.left_out_by_walls, all);
    let step = 1.03 * SPACING;
    let fits = FluidShape::Rectangle { half_size: inside }.area() / (step * step);
    let part = report.spawned as f32 / fits;
    assert!((0.9..1.1).contains(&part), "{report:?}, and {fits} fit");
    assert!(!report.cut_short && report.error.is_none());
    stays_calm("twice as large", world);
}

#[test]
fn a_blob_stays_calm_in_turned_and_round_and_cornered_containers() {
    let corners = [[-150.0, -100.0], [150.0, -100.0], [150.0, 0.0], [0.0, 0.0], [-150.0, 100.0]];
    let bent = Polygon::new(corners.map(Vec2::from)).expect("valid");
    for (name, shape) in [
        ("rectangle", FluidShape::Rectangle { half_size: TANK }),
        ("disc", FluidShape::Circle { radius: 120.0 }),
        ("polygon", FluidShape::Polygon(bent)),
    ] {
        let mut world = world();
        let turned = Container::new(shape, Vec2::new(3.0, 9.0), Vec2::new(0.8, 0.6));
        world.insert_container(turned.expect("valid"));
        fill(&mut world, &block(Vec2::ZERO, Vec2::splat(300.0), ClassId::MEDIUM));
        stays_calm(name, world);
    }
}

#[test]
fn a_blob_leaves_out_colliders() {
    let mut world = tank();
    let post = Collider::circle(Vec2::new(60.0, -50.0), 30.0).expect("valid");
    let line = Polyline::new([Vec2::new(-100.0, -90.0), Vec2::new(-60.0, 50.0)], 0.0);
    let line = FluidShape::Polyline(line.expect("valid"));
    world.insert_collider(post.clone());
    world.insert_collider(Collider::new(line, Vec2::ZERO, Vec2::X).expect("valid"));
    let report =
        fill(&mut world, &block(Vec2::new(0.0, -50.0), Vec2::new(150.0, 50.0), ClassId::MEDIUM));
    assert!(report.left_out_by_walls > 0);
    for (_, collider) in world.colliders() {
        let distances =
            world.particles().positions().iter().map(|position| collider.distance(*position));
        assert!(distances.fold(f32::MAX, f32::min) > 0.5 * SPACING);
    }
    stays_calm("over colliders", world);
}

#[test]
fn only_colliders_that_stop_the_class_count() {
    let filled = |options: ColliderOptions| {
        let mut world = world();
        let post = Collider::circle(Vec2::ZERO, 50.0).expect("valid");
        world.insert_collider(post.with_options(options).expect("valid"));
        let report = fill(&mut world, &block(Vec2::ZERO, TANK, ClassId::LIGHT));
        let inside = FluidRegion::circle(Vec2::ZERO, 50.0).expect("valid");
        let within = world.indices_in(&inside, ClassFilter::ALL).len();
        (report.left_out_by_walls > 0, within > 0, report.spawned > within)
    };
    let default = ColliderOptions::default();
    assert_eq!(filled(default), (true, false, true));
    let heavy_only = ClassFilter::ALL.without(ClassId::LIGHT);
    assert_eq!(filled(ColliderOptions { classes: heavy_only, ..default }), (false, true, true));
    assert_eq!(filled(ColliderOptions { layers: 0, ..default }), (false, true, true));
    assert_eq!(filled(ColliderOptions { inside_out: true, ..default }), (true, true, false));
    // Liquid inside a membrane may leave it.
    assert_eq!(filled(ColliderOptions { one_way: true, ..default }), (true, true, true));
}

#[test]
fn a_blob_over_a_body_and_over_liquid_stays_calm() {
    let mut world = pool_with_body();
    let before = world.particles().len();
    let report = fill(&mut world, &block(Vec2::new(0.0, 0.0), TANK, ClassId::MEDIUM));
    assert!(report.left_out_by_walls > 0 && report.left_out_by_liquid > 0, "{report:?}");
    assert_eq!(world.particles().len(), before + report.spawned);
    only_falls("over a body", world);
}

#[test]
fn overlapping_blobs_of_different_classes_stay_calm() {
    let mut world = tank();
    let classes = [ClassId::MEDIUM, ClassId::LIGHT, ClassId::HEAVY];
    let centres = [-75.0, 5.0, 90.0].map(|x| Vec2::new(x, -50.0));
    for (class, centre) in classes.into_iter().zip(centres) {
        let report = fill(&mut world, &block(centre, Vec2::new(90.0, 50.0), class));
        assert!(report.spawned > 0);
        assert_eq!(report.left_out_by_liquid > 0, class != ClassId::MEDIUM);
    }
    stays_calm("overlapping", world);
}

#[test]
fn an_unclipped_blob_fills_all_and_bursts() {
    let mut world = tank();
    let blob = Blob { clipped: false, ..block(Vec2::new(5.0, 3.0), 2.0 * TANK, ClassId::HEAVY) };
    let report = fill(&mut world, &blob);
    let shape = FluidShape::Rectangle { half_size: 2.0 * TANK };
    let all: Vec<Vec2> = shape.fill(Vec2::new(5.0, 3.0), 1.03 * SPACING).collect();
    assert_eq!(world.particles().positions(), all);
    assert_eq!(report, BlobReport { spawned: all.len(), ..Default::default() });
    let (speed, density) = watch(world);
    assert!(speed > 2.0 * fall() && density > 2.0, "the tests above can fail: {speed}, {density}");
}

#[test]
fn a_blob_that_fits_is_not_changed() {
    let region =
        FluidRegion::new(FluidShape::Circle { radius: 60.0 }, Vec2::new(20.0, -30.0), Vec2::Y);
    let blob = Blob {
        velocity: Vec2::new(3.0, 4.0),
        temperature: Some(70.0),
        ..Blob::new(region.expect("valid"), ClassId::LIGHT)
    };
    let (mut clipped, mut whole) = (tank(), tank());
    let report = fill(&mut clipped, &blob);
    assert_eq!(report, fill(&mut whole, &Blob { clipped: false, ..blob }));
    assert_eq!(clipped.state_hash(), whole.state_hash());
    assert_eq!(clipped.particles().velocities()[0], Vec2::new(3.0, 4.0));
    assert_eq!(clipped.particles().temperatures()[0], 70.0);
}

#[test]
fn a_huge_blob_is_filled_within_its_container_only() {
    let mut huge = tank();
    let report = fill(&mut huge, &block(Vec2::ZERO, Vec2::splat(1e7), ClassId::MEDIUM));
    let mut small = tank();
    let expected = fill(&mut small, &block(Vec2::ZERO, 2.0 * TANK, ClassId::MEDIUM)).spawned;
    assert!(report.spawned.abs_diff(expected) < expected / 10, "{report:?}, not {expected}");
    assert!(!report.cut_short);
    // No two rows of a huge lattice fall together.
    let places: HashSet<[u32; 2]> = huge
        .particles()
        .positions()
        .iter()
        .map(|position| position.to_array().map(f32::to_bits))
        .collect();
    assert_eq!(places.len(), report.spawned);
}

#[test]
fn a_blob_is_cut_short_by_the_capacity_and_says_so() {
    for policy in [CapacityPolicy::Refuse, CapacityPolicy::RecycleOldest] {
        for clipped in [true, false] {
            let mut world = tank();
            world.set_capacity(50);
            world.set_capacity_policy(policy);
            for x in [-140.0, 140.0] {
                let position = Vec2::new(x, 0.0);
                world.spawn(ParticleSpawn { position, ..Default::default() }).expect("valid");
            }
            let blob = Blob { clipped, ..block(Vec2::ZERO, Vec2::splat(80.0), ClassId::MEDIUM) };
            let report = fill(&mut world, &blob);
            let room = if policy == CapacityPolicy::Refuse { 48 } else { 50 };
            assert_eq!((report.spawned, world.particles().len()), (room, 50));
            assert!(report.cut_short);
            assert_eq!(report.error, Some(SpawnError::Full { capacity: 50 }));
        }
    }
}

#[test]
fn a_huge_blob_in_the_open_is_cut_short_at_once() {
    let mut open = world();
    open.set_capacity(100);
    for rotation in [Vec2::X, Vec2::new(0.6, 0.8)] {
        open.clear();
        let shape = FluidShape::Rectangle { half_size: Vec2::splat(1e6) };
        let region = FluidRegion::new(shape, Vec2::ZERO, rotation).expect("valid");
        let report = fill(&mut open, &Blob::new(region, ClassId::MEDIUM));
        assert_eq!((report.spawned, report.cut_short), (100, true), "{report:?}");
    }
}

#[test]
fn bad_blobs_are_refused_by_field() {
    let bad: [(&str, fn(&mut Blob)); 5] = [
        ("spacing", |blob| blob.spacing = 0.0),
        ("spacing", |blob| blob.spacing = f32::NAN),
        ("velocity", |blob| blob.velocity.y = f32::INFINITY),
        ("temperature", |blob| blob.temperature = Some(f32::NAN)),
        ("seconds", |blob| blob.lifetime = Some(blob_fluid::FluidLifetime::new(-1.0))),
    ];
    for (field, change) in bad {
        let mut blob = block(Vec2::ZERO, TANK, ClassId::MEDIUM);
        change(&mut blob);
        let mut world = tank();
        assert_eq!(blob.fill(world.liquid_mut()).expect_err(field).field, field);
        assert!(world.particles().is_empty());
    }
    let unknown = block(Vec2::ZERO, TANK, ClassId(9));
    let report = fill(&mut tank(), &unknown);
    assert_eq!(report.error, Some(SpawnError::UnknownClass { class: 9, classes: 3 }));
    assert!(report.cut_short && report.spawned == 0);
}
