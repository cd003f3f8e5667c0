//! What colliders stop: by side, by class, when they land on liquid, when they change.

use blob_fluid::shape::{DistanceField, Polygon, Polyline};
use blob_fluid::{
    ClassFilter, ClassId, ClassTable, Collider, ColliderOptions, Container, DensityClass,
    FluidParameters, FluidShape, Motion, ParticleSpawn, Substeps,
};
use blob_fluid_gpu::GpuLiquid;
use glam::Vec2;

use crate::adapter::{device, on};
use crate::liquids::{TICK, run, world};
use crate::solids::{
    at, closed, disc, filled, outside, positions, square, star, still, stirrers, turning,
};

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
