//! Containers of any shape that stand or move hold liquid on a device.

use blob_fluid::shape::Polygon;
use blob_fluid::{ClassId, Container, FluidParameters, FluidShape, Motion, ParticleSpawn};
use glam::Vec2;

use crate::adapter::{device, on};
use crate::liquids::{TICK, block, run, tank, world};
use crate::solids::{disc, filled, positions, square};

fn polygon(corners: impl IntoIterator<Item = Vec2>) -> FluidShape {
    FluidShape::Polygon(Polygon::new(corners).expect("corners"))
}

#[test]
fn containers_of_all_shapes_hold_while_they_stand_fly_and_turn() {
    let Some(both) = device() else { return };
    let many = (0..80).map(|index| Vec2::from_angle(0.0785398 * index as f32) * 100.0);
    let shapes = [
        FluidShape::Rectangle { half_size: Vec2::new(100.0, 80.0) },
        FluidShape::Circle { radius: 95.0 },
        FluidShape::Capsule { half_length: 60.0, radius: 80.0 },
        polygon(many),
        polygon([(-90.0, -80.0), (120.0, -100.0), (0.0, 160.0)].map(Vec2::from)),
    ];
    for shape in shapes {
        let mut world = filled(&[(disc(50.0), Vec2::ZERO)]);
        let container = Container::new(shape.clone(), Vec2::ZERO, Vec2::X).expect("valid");
        let id = world.insert_container(container);
        let mut gpu = on(&both, &world);
        for second in 0..6 {
            // It stands in every third second.
            let side = [0.0, 1.0, -1.0][second % 3];
            let velocity = Vec2::new(4000.0 * side, 900.0 * side);
            let motion = Motion { velocity, angular_velocity: 6.3 * side };
            world.set_container_motion(id, motion).expect("valid");
            run(&mut gpu, world.liquid_mut(), 60);
            let container = world.container(id).expect("there");
            let after = positions(&gpu);
            let out = after.iter().filter(|p| container.depth(**p) < -0.01).count();
            assert_eq!((out, after.len()), (0, gpu.len()), "{shape:?} after {second} s");
        }
    }
}

#[test]
fn a_wall_within_a_container_stops_what_it_sweeps_over_and_what_flies_at_it() {
    let Some(both) = device() else { return };
    let wall = [(20.0, -190.0), (22.0, -190.0), (22.0, 190.0), (20.0, 190.0)].map(Vec2::from);
    let divided = Polygon::with_holes([square(200.0), wall.to_vec()]).expect("rings");
    for (wall_speed, drop_speed) in [(-6000.0, 0.0), (0.0, 3600.0)] {
        let gravity = Vec2::ZERO;
        let mut world = world(FluidParameters { gravity, ..FluidParameters::default() });
        let motion = Motion { velocity: Vec2::new(wall_speed, 0.0), angular_velocity: 0.0 };
        let tank = Container::new(FluidShape::Polygon(divided.clone()), Vec2::ZERO, Vec2::X);
        let tank = tank.and_then(|tank| tank.with_motion(motion)).expect("valid");
        let tank = world.insert_container(tank);
        let velocity = Vec2::new(drop_speed, 0.0);
        world.spawn(ParticleSpawn { velocity, ..Default::default() }).expect("valid");
        let mut gpu = on(&both, &world);
        gpu.step(world.liquid_mut(), TICK).expect("valid");
        let face = world.container(tank).expect("there").centre().x + 20.0;
        let x = positions(&gpu)[0].x;
        assert!(x <= face + 0.01, "{wall_speed} {drop_speed}: {x} beyond {face}");
    }
}

#[test]
fn nothing_escapes_a_container_that_spins_however_fast() {
    let Some(both) = device() else { return };
    for angular_velocity in [1e3, 1e12, -1e12] {
        let mut world = filled(&[(disc(60.0), Vec2::ZERO)]);
        let motion = Motion { velocity: Vec2::ZERO, angular_velocity };
        let tank = Container::rectangle(Vec2::ZERO, Vec2::splat(100.0));
        let tank = tank.and_then(|tank| tank.with_motion(motion)).expect("valid");
        world.insert_container(tank);
        let mut gpu = on(&both, &world);
        run(&mut gpu, world.liquid_mut(), 60);
        let after = positions(&gpu);
        let out = after.iter().filter(|p| p.length() > 141.5).count();
        assert_eq!((out, after.len()), (0, gpu.len()), "{angular_velocity}");
    }
}

#[test]
fn a_container_that_jumps_takes_its_liquid_back() {
    let Some(both) = device() else { return };
    let mut world = filled(&[(disc(50.0), Vec2::ZERO)]);
    let shape = FluidShape::Capsule { half_length: 30.0, radius: 70.0 };
    let id = world.insert_container(Container::new(shape, Vec2::ZERO, Vec2::X).expect("valid"));
    let mut gpu = on(&both, &world);
    gpu.step(world.liquid_mut(), TICK).expect("valid");
    world.move_container(id, Vec2::new(400.0, 0.0), Vec2::Y).expect("valid");
    run(&mut gpu, world.liquid_mut(), 30);
    let container = world.container(id).expect("there");
    let after = positions(&gpu);
    let out = after.iter().filter(|p| container.depth(**p) < -0.01).count();
    assert_eq!((out, after.len()), (0, gpu.len()));
}

/// Cells have the usual size where the liquid is.
#[test]
fn liquid_in_a_container_as_large_as_a_world_moves_as_in_a_small_one() {
    let Some(both) = device() else { return };
    let spacing = FluidParameters::default().particle_spacing;
    let means = [200.0, 4000.0].map(|size| {
        let mut world = world(FluidParameters::default());
        tank(&mut world, size, size);
        block(&mut world, Vec2::ZERO, (20, 20), ClassId::MEDIUM);
        let mut gpu = on(&both, &world);
        world.clear();
        run(&mut gpu, world.liquid_mut(), 60);
        let domain = gpu.domain();
        assert!(domain.high.max_element() < 1000.0 * spacing, "{domain:?}");
        let after = positions(&gpu);
        assert_eq!(after.len(), 400);
        assert!(after.iter().all(|p| p.min_element() > -0.1));
        after.iter().sum::<Vec2>() / 400.0
    });
    let apart = means[0].distance(means[1]) / spacing;
    println!("means {means:?}, {apart} spacings apart");
    assert!(apart < 0.3, "{apart}");
}
