//! Forces and impulses agree with the core's.

use blob_fluid::shape::{DistanceField, Polygon, Polyline};
use blob_fluid::{
    ClassFilter, ClassId, Collider, FluidFalloff, FluidPass, FluidRegion, FluidShape, FluidWorld,
    Force, SerialExecutor,
};
use blob_fluid_gpu::{GpuParticle, GpuPass, Shaders};
use glam::Vec2;

use crate::adapter::{device, on, on_with, shaders};
use crate::liquids::{TICK, assert_found, weightless_cloud};

/// One of each kind of shape, some 200 wide.
pub fn shapes() -> Vec<FluidShape> {
    let arrow = [(0.0, 100.0), (90.0, -80.0), (0.0, -30.0), (-90.0, -80.0)].map(Vec2::from);
    let hole = [(-10.0, 0.0), (10.0, 0.0), (0.0, 30.0)].map(Vec2::from);
    let polygon = Polygon::with_holes([arrow.to_vec(), hole.to_vec()]).expect("valid");
    let bow = [(-80.0, 30.0), (-20.0, -30.0), (-20.0, -30.0), (90.0, 40.0)].map(Vec2::from);
    let drawn = |x: usize, y: usize| (x as f32 - 9.0).abs() < 8.0 && y > 3;
    vec![
        FluidShape::Circle { radius: 110.0 },
        FluidShape::Rectangle { half_size: Vec2::new(120.0, 70.0) },
        FluidShape::Capsule { half_length: 60.0, radius: 50.0 },
        FluidShape::HalfPlane { normal: Vec2::new(0.6, 0.8) },
        FluidShape::Polygon(polygon),
        FluidShape::Polyline(Polyline::new(bow, 40.0).expect("valid")),
        FluidShape::Field(
            DistanceField::new(19, 14, Vec2::new(230.0, 150.0), drawn).expect("valid"),
        ),
    ]
}

/// A force of all parts in each kind of region with each falloff, and one everywhere.
pub fn forces() -> Vec<Force> {
    let falloffs = [FluidFalloff::Constant, FluidFalloff::Linear, FluidFalloff::Smooth];
    let force = |(index, shape): (usize, FluidShape)| {
        let centre = Vec2::new(20.0, -15.0);
        let region = FluidRegion::new(shape, centre, Vec2::new(0.8, -0.6)).expect("valid");
        falloffs.map(|falloff| Force {
            region: Some(region.clone()),
            falloff,
            classes: if index % 2 == 0 {
                ClassFilter::ALL.without(ClassId::HEAVY)
            } else {
                ClassFilter::from(ClassId::HEAVY).with(ClassId::LIGHT)
            },
            centre: Vec2::new(-30.0, 10.0),
            attraction: 900.0,
            swirl: -700.0,
            acceleration: Vec2::new(300.0, -200.0),
            wind: Vec2::new(100.0, 50.0),
            drag: 3.0,
            conveyor: Vec2::new(-60.0, 80.0),
            grip: 2.0,
            heat: 0.0,
        })
    };
    let mut forces: Vec<_> = shapes().into_iter().enumerate().flat_map(force).collect();
    forces.push(Force { acceleration: Vec2::new(50.0, 0.0), ..Force::default() });
    forces
}

fn still_cloud() -> FluidWorld {
    weightless_cloud(150.0, 3)
}

/// The largest difference of two velocities, relative to what rounding explains if `forces` act for
/// `time` seconds.
fn worst(world: &FluidWorld, ours: &[GpuParticle], forces: &[Force], time: f32) -> f32 {
    let arrays = world.particles();
    assert_eq!(ours.len(), arrays.len());
    let mut worst = 0.0_f32;
    for ours in ours {
        let index = arrays.ids().iter().position(|id| id.slot() == ours.id).expect("there");
        let core = arrays.velocities()[index];
        let mut bound = 24.0 * core.length();
        for force in forces {
            // Two dozen operations, and the dozen of a depth, which round as positions do, relative to at
            // least 20.
            let depth = 24.0 + 12.0 * ours.position.length() / 20.0;
            let push = force.attraction.abs() + force.swirl.abs() + force.acceleration.length();
            let taken = (force.drag + force.grip)
                * (core.length() + force.wind.length() + force.conveyor.length());
            bound += depth * time * (push + taken);
        }
        let ratio = (ours.velocity - core).length() / (f32::EPSILON * bound);
        worst = worst.max(if ratio.is_nan() { f32::INFINITY } else { ratio });
    }
    worst
}

/// What the forces do in a substep, on both sides.
fn worst_of_a_substep(mut world: FluidWorld, forces: &[Force], shaders: &Shaders) -> Option<f32> {
    let both = device()?;
    world.set_forces(forces).expect("valid");
    let mut gpu = on_with(&both, &world, shaders);
    gpu.begin_tick(&mut world.liquid().clone(), TICK).expect("valid");
    gpu.run_pass(GpuPass::Predict).expect("works");
    world.begin_tick(TICK, &SerialExecutor).expect("valid");
    let before = world.particles().velocities().to_vec();
    for pass in FluidPass::ALL.iter().take_while(|pass| **pass != FluidPass::HashPositions) {
        world.run_pass(*pass, &SerialExecutor);
    }
    assert_ne!(before, world.particles().velocities(), "they act");
    Some(worst(&world, &gpu.read_particles().expect("read"), forces, TICK))
}

#[test]
fn every_force_agrees_with_the_core() {
    let all = forces();
    for force in &all {
        let Some(worst) =
            worst_of_a_substep(still_cloud(), std::slice::from_ref(force), &shaders())
        else {
            return;
        };
        let shape = force.region.as_ref().map(FluidRegion::shape);
        assert!(worst <= 1.0, "{worst} of what rounding explains: {:?}, {shape:?}", force.falloff);
    }
    let together = worst_of_a_substep(still_cloud(), &all, &shaders()).expect("a device");
    println!("all together: {together} of what rounding explains");
    assert!(together <= 1.0, "{together}");
    // Together they meet the limit.
    let strong = Force { acceleration: Vec2::new(1e7, 2e7), ..Force::default() };
    let limited = worst_of_a_substep(still_cloud(), &[strong], &shaders()).expect("a device");
    assert!(limited <= 1.0, "{limited}");
}

#[test]
fn forces_act_in_a_tick_in_which_colliders_take_more_room() {
    let mut world = still_cloud();
    for number in 0..200_u8 {
        let centre = Vec2::new(1000.0 + 50.0 * f32::from(number), 0.0);
        let disc = FluidShape::Circle { radius: 10.0 };
        world.insert_collider(Collider::new(disc, centre, Vec2::X).expect("valid"));
    }
    let Some(worst) = worst_of_a_substep(world, &forces(), &shaders()) else { return };
    assert!(worst <= 1.0, "{worst}");
}

#[test]
#[ignore = "long: .ci/run"]
fn a_fault_in_a_force_is_found() {
    let all = forces();
    let faults = [
        ("forces", "around.z * strength", "around.z * 1.01 * strength"),
        ("forces", "-direction.y, direction.x", "direction.y, -direction.x"),
        ("forces", "push.zw + (v - push.zw)", "push.zw + (v + push.zw)"),
        ("forces", "rates.z - dot", "1.001 * rates.z - dot"),
        ("forces", "return 1.0 - sqrt(ratio)", "return 1.0 - ratio"),
        ("forces", "(1.0 - depth) * (1.0 - depth)", "(1.0 - depth)"),
        ("region", "pose.w, pose.z", "pose.z, pose.w"),
        ("region", "clamp(p.y, -size.x, size.x)", "clamp(p.y, -size.x, 0.9 * size.x)"),
        ("region", "select(distance, -distance", "select(distance, distance"),
        ("region", "(edge.z - edge.x) * along", "(edge.z + edge.x) * along"),
        ("region", "edge_distance(head.y, head.z, p) - size.x", "edge_distance(head.y, head.z, p)"),
        ("region", "mix(low, high, part.y)", "low"),
        ("region", "class_index % 32u)) & 1u", "class_index % 2u)) & 1u"),
    ];
    assert_found(&faults, |shaders| {
        let found = worst_of_a_substep(still_cloud(), &all, shaders)?;
        Some((found > 1.0, found.to_string()))
    });
}

#[test]
fn an_impulse_agrees_with_the_core() {
    let Some(both) = device() else { return };
    for force in forces() {
        let mut world = still_cloud();
        let mut gpu = on(&both, &world);
        gpu.apply_impulse(&force).expect("valid");
        world.apply_impulse(&force).expect("valid");
        let worst = worst(&world, &gpu.read_particles().expect("read"), &[force], 1.0);
        assert!(worst <= 1.0, "{worst}");
    }
    let mut gpu = on(&both, &still_cloud());
    let error = gpu.apply_impulse(&Force { drag: -1.0, ..Force::default() }).expect_err("refused");
    assert!(error.to_string().contains("drag"), "{error}");
}
