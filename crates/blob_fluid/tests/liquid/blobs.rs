//! Blobs are clipped to what is free, so that they do not burst where they do not fit.

use std::collections::HashSet;

use blob_fluid::shape::{Polygon, Polyline};
use blob_fluid::*;
use glam::Vec2;

use crate::pools::{
    add_collider, add_container, add_tank, change_parameters, fastest, pour, world_with,
};
use crate::ticks::{TICK, run};

const SPACING: f32 = 8.0;
/// Area of a particle of a blob.
const AREA: f32 = 1.03 * SPACING * 1.03 * SPACING;
const GRAVITY: f32 = 200.0;

fn world() -> FluidWorld {
    world_with(FluidParameters::new(SPACING, Vec2::new(0.0, -GRAVITY)))
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

/// The greatest speed in two seconds, in speed units, and the greatest density from the beginning.
fn watch(mut world: FluidWorld) -> (f32, f64) {
    let density = |world: &FluidWorld| measure::measure(world).density_ratio.p99;
    let (mut speed, mut densest) = (0.0_f32, density(&world));
    for tick in 1..=120 {
        world.step(TICK, &SerialExecutor).expect("valid");
        speed = speed.max(fastest(&world, |_| true));
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
    change_parameters(&mut weightless, |parameters| parameters.gravity = Vec2::ZERO);
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
    let disc = Collider::new(disc, Vec2::new(0.0, 20.0), Vec2::X);
    add_collider(&mut world, disc.and_then(|disc| disc.with_options(options)));
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
        add_container(&mut world, turned);
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
    add_collider(&mut world, Collider::new(line, Vec2::ZERO, Vec2::X));
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
        let post = Collider::circle(Vec2::ZERO, 50.0);
        add_collider(&mut world, post.and_then(|post| post.with_options(options)));
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
            pour(&mut world, [-140.0, 140.0].map(|x| Vec2::new(x, 0.0)));
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

/// A cup of a line without thickness, 100 wide at its bottom and 140 at its rim, 120 above it.
fn cup(centre: Vec2, rotation: Vec2) -> Collider {
    let points = [(-70.0, 120.0), (-50.0, 0.0), (50.0, 0.0), (70.0, 120.0)].map(Vec2::from);
    let line = FluidShape::Polyline(Polyline::new(points, 0.0).expect("valid"));
    Collider::new(line, centre, rotation).expect("valid")
}

/// A blob that fills the vessel around a point up to a height.
fn up_to(level: f32, seed: Vec2) -> Blob {
    let below = FluidShape::HalfPlane { normal: Vec2::Y };
    let region = FluidRegion::new(below, Vec2::new(0.0, level), Vec2::X).expect("valid");
    Blob { seed: Some(seed), ..Blob::new(region, ClassId::MEDIUM) }
}

#[test]
fn an_open_cup_of_lines_is_filled_up_to_a_level_and_another_beside_it_is_not() {
    let mut world = world();
    world.insert_collider(cup(Vec2::ZERO, Vec2::X));
    world.insert_collider(cup(Vec2::new(160.0, 0.0), Vec2::X));
    world.insert_collider(Collider::circle(Vec2::new(0.0, 40.0), 15.0).expect("valid"));
    let report = fill(&mut world, &up_to(90.0, Vec2::new(0.0, 5.0)));
    assert_eq!((report.open, report.cut_short, report.left_out_by_liquid), (false, false, 0));
    // Half as wide as the cup is at this height, less the distance from its walls.
    let inside = |at: &Vec2| at.x.abs() < 50.0 + at.y / 6.0 - 0.4 * SPACING;
    let positions = world.particles().positions();
    assert!(positions.iter().all(|at| inside(at) && (0.0..90.0 + 4.0 * SPACING).contains(&at.y)));
    // As many as it holds at rest up to the walls and around the stone.
    let area = 90.0 * 0.5 * (100.0 + 130.0) - FluidShape::Circle { radius: 15.0 }.area();
    let particles = report.spawned as f32 * SPACING * SPACING;
    assert!((particles / area - 1.0).abs() < 0.03, "{particles} of {area}");
    let again = fill(&mut world, &up_to(90.0, Vec2::new(0.0, 5.0)));
    assert!(again.spawned < report.spawned / 20, "it is full: {again:?}");
    run(&mut world, 600);
    let positions = world.particles().positions();
    assert!(positions.iter().all(|at| at.y > 0.0 && at.x.abs() < 80.0), "it holds");
}

/// The mean height of the surface between two places, half a spacing above the highest particles.
fn surface_between(world: &FluidWorld, low: f32, high: f32) -> f32 {
    let columns = ((high - low) / (2.0 * SPACING)).floor();
    let width = (high - low) / columns;
    let tops = (0..columns as usize).map(|column| {
        let (from, to) = (low + width * column as f32, low + width * (column + 1) as f32);
        let within = world.particles().positions().iter().filter(|at| (from..to).contains(&at.x));
        within.map(|at| at.y).fold(f32::MIN, f32::max)
    });
    tops.sum::<f32>() / columns + 0.5 * SPACING
}

#[test]
fn the_surface_comes_to_rest_at_the_level_within_half_a_spacing() {
    for level in [30.0, 61.0, 90.0] {
        for turn in [0.0_f32, 0.12] {
            let mut world = world();
            world.insert_collider(cup(Vec2::ZERO, Vec2::from_angle(turn)));
            let report = fill(&mut world, &up_to(level, Vec2::new(0.0, 15.0)));
            assert!(!report.open && report.spawned > 0, "{report:?}");
            run(&mut world, 900);
            let surface = surface_between(&world, -35.0, 35.0);
            println!("{level} turned {turn}: {}", (surface - level) / SPACING);
            assert!((surface - level).abs() < 0.5 * SPACING, "{surface} for {level}");
        }
    }
    // A tank, and one that has some liquid already.
    let mut closed = tank();
    fill(&mut closed, &up_to(-20.0, Vec2::new(0.0, -30.0)));
    run(&mut closed, 600);
    fill(&mut closed, &up_to(20.0, Vec2::new(0.0, 0.0)));
    run(&mut closed, 900);
    let surface = surface_between(&closed, -0.8 * TANK.x, 0.8 * TANK.x);
    println!("tank: {}", (surface - 20.0) / SPACING);
    assert!((surface - 20.0).abs() < 0.5 * SPACING, "{surface}");
}

#[test]
fn a_tilted_cup_is_filled_to_a_level_surface_and_closed_vessels_are_filled_too() {
    let mut tilted = world();
    tilted.insert_collider(cup(Vec2::ZERO, Vec2::from_angle(0.3)));
    let report = fill(&mut tilted, &up_to(70.0, Vec2::new(0.0, 20.0)));
    assert!(report.spawned > 60 && !report.open, "{report:?}");
    let surface = |side: f32| {
        let of_side = tilted.particles().positions().iter().filter(|at| at.x * side > 20.0);
        of_side.map(|at| at.y).fold(f32::MIN, f32::max)
    };
    assert!((surface(1.0) - surface(-1.0)).abs() < SPACING, "{} {}", surface(1.0), surface(-1.0));
    only_falls("tilted cup", tilted);

    // Of a tank, and of a ring of tiles that touch.
    let mut closed = tank();
    let report = fill(&mut closed, &up_to(0.0, Vec2::new(0.0, -20.0)));
    let half = 2.0 * TANK.x * TANK.y;
    assert!((report.spawned as f32 * AREA / half - 1.0).abs() < 0.1);
    let mut tiles = world();
    let size = Vec2::splat(20.0);
    for x in -3..=3 {
        for y in -3..=3_i32 {
            if x == -3 || x == 3 || y == -3 || y == 3 {
                let centre = 40.0 * Vec2::new(x as f32, y as f32);
                tiles.insert_collider(Collider::rectangle(centre, size).expect("valid"));
            }
        }
    }
    let report = fill(&mut tiles, &up_to(1e4, Vec2::ZERO));
    let all = 200.0 * 200.0;
    assert!((report.spawned as f32 * AREA / all - 1.0).abs() < 0.1);
}

#[test]
fn a_cup_in_a_container_is_filled_up_to_just_below_its_rim_and_nothing_lies_beside_it() {
    // Distances from the level to the lowest point of the rim, in spacings.
    for below_rim in [0.5, 1.5, 2.5, 3.5, 6.0] {
        for turn in [0.0_f32, 0.3, -0.5] {
            let mut world = world();
            add_tank(&mut world, Vec2::ZERO, Vec2::splat(400.0));
            let rotation = Vec2::from_angle(turn);
            world.insert_collider(cup(Vec2::ZERO, rotation));
            let rim = [-70.0, 70.0].map(|x| rotation.rotate(Vec2::new(x, 120.0)).y);
            let level = rim[0].min(rim[1]) - below_rim * SPACING;
            let report = fill(&mut world, &up_to(level, rotation.rotate(Vec2::new(0.0, 15.0))));
            assert!(!report.open && report.spawned > 0, "{report:?}");
            let unturned = Vec2::from_angle(-turn);
            let inside = |at: &Vec2| {
                let at = unturned.rotate(*at);
                at.y > 0.0 && at.x.abs() < 50.0 + at.y / 6.0
            };
            let positions = world.particles().positions();
            assert!(positions.iter().all(inside), "{below_rim} below the rim, turned by {turn}");
        }
    }
}

#[test]
fn a_vessel_that_is_open_below_the_level_is_not_filled() {
    let mut world = world();
    let nothing = fill(&mut world, &up_to(0.0, Vec2::new(0.0, -5.0)));
    assert_eq!(nothing, BlobReport { open: true, ..Default::default() });
    world.insert_collider(cup(Vec2::ZERO, Vec2::X));
    let seed = Vec2::new(0.0, 20.0);
    assert!(fill(&mut world, &up_to(130.0, seed)).open, "above its rim");
    assert!(fill(&mut world, &up_to(50.0, Vec2::new(200.0, 20.0))).open, "beside it");
    // Without a floor that ends, it is larger than there is room for.
    let floor = FluidShape::HalfPlane { normal: Vec2::Y };
    add_collider(&mut world, Collider::new(floor, Vec2::new(0.0, -50.0), Vec2::X));
    world.set_capacity(1000);
    let flooded = fill(&mut world, &up_to(0.0, Vec2::new(0.0, -20.0)));
    assert_eq!(flooded.error, Some(SpawnError::Full { capacity: 1000 }));
    assert!(world.particles().is_empty());
    // A seed in a wall reaches nothing.
    world.insert_collider(Collider::circle(seed, 18.0).expect("valid"));
    assert_eq!(fill(&mut world, &up_to(50.0, seed)), BlobReport::default());
}

#[test]
fn a_mixed_blob_has_every_class_everywhere_by_its_share() {
    let mut world = tank();
    let shares = [(ClassId::HEAVY, 2.0), (ClassId::LIGHT, 1.0), (ClassId::MEDIUM, 0.0)];
    let blob = Blob { mix: shares.to_vec(), ..block(Vec2::ZERO, TANK, ClassId(9)) };
    let report = fill(&mut world, &blob);
    assert!(report.spawned > 500 && report.error.is_none(), "{report:?}");
    let heavy_share = |within: &dyn Fn(Vec2) -> bool| {
        let all = world.particles();
        let inside = all.positions().iter().zip(all.classes()).filter(|(at, _)| within(**at));
        let classes: Vec<ClassId> = inside.map(|(_, class)| *class).collect();
        assert!(!classes.contains(&ClassId::MEDIUM), "a share of 0");
        let heavy = classes.iter().filter(|class| **class == ClassId::HEAVY).count();
        heavy as f32 / classes.len() as f32
    };
    // At the walls fewer of the class fit that takes more room.
    let inside = heavy_share(&|at| at.x.abs() < 130.0 && at.y.abs() < 80.0);
    assert!((inside - 2.0 / 3.0).abs() < 0.01, "{inside}");
    for x in [-100.0, 0.0, 100.0] {
        for y in [-60.0, 0.0, 60.0] {
            let share = heavy_share(&|at| (at - Vec2::new(x, y)).abs().max_element() < 40.0);
            assert!((share - 2.0 / 3.0).abs() < 0.08, "{share} at {x}, {y}");
        }
    }
}

#[test]
fn bad_blobs_are_refused_by_field() {
    let bad: [(&str, fn(&mut Blob)); 8] = [
        ("seed", |blob| blob.seed = Some(Vec2::new(0.0, f32::NAN))),
        ("mix", |blob| blob.mix = vec![(ClassId::LIGHT, -1.0)]),
        ("mix", |blob| blob.mix = vec![(ClassId::LIGHT, 0.0)]),
        ("spacing", |blob| blob.spacing = 0.0),
        ("spacing", |blob| blob.spacing = f32::NAN),
        ("velocity", |blob| blob.velocity.y = f32::INFINITY),
        ("temperature", |blob| blob.temperature = Some(f32::NAN)),
        ("seconds", |blob| blob.lifetime = Some(FluidLifetime::new(-1.0))),
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
