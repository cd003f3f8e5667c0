//! Ticks that fail when time has advanced already.

use std::f32::consts::TAU;

use blob_fluid::shape::Polygon;
use blob_fluid::{
    Body, ClassId, Collider, ColliderOptions, FluidParameters, FluidShape, FluidWorld,
};
use blob_fluid_gpu::{GpuError, GpuLiquid, Shaders};
use glam::Vec2;
use wgpu::Limits;

use crate::adapter::{device, new_device_with, on_with};
use crate::liquids::{TICK, block, run, tank, world, world_that_sleeps};

/// Makes a tick that fails, because of colliders far away that do not fit into the buffers of a small device.
fn fail(liquid: &mut GpuLiquid, world: &mut FluidWorld) {
    let corners = (0..64_u8).map(|corner| 50.0 * Vec2::from_angle(f32::from(corner) * TAU / 64.0));
    let shape = FluidShape::Polygon(Polygon::new(corners).expect("corners"));
    let collider = |number: u8| {
        let centre = Vec2::new(1e4 + 200.0 * f32::from(number), 0.0);
        Collider::new(shape.clone(), centre, Vec2::X).expect("valid")
    };
    let ids: Vec<_> = (0..200).map(|number| world.insert_collider(collider(number))).collect();
    let ticks = world.liquid().ticks();
    let error = liquid.step(world.liquid_mut(), TICK).expect_err("too many");
    assert!(matches!(error, GpuError::TooManySolids), "{error}");
    assert_eq!(world.liquid().ticks(), ticks + 1);
    for id in ids {
        assert!(world.remove_collider(id).is_some());
    }
}

#[test]
fn after_a_tick_that_failed_all_wakes_and_loads_begin_anew() {
    if device().is_none() {
        return;
    }
    let small = Limits { max_storage_buffer_binding_size: 1 << 18, ..Limits::default() };
    let both = new_device_with(small).expect("another one");
    let shaders = Shaders::default();

    // What wakes the liquid in a tick that fails wakes it in the next one.
    let mut pool = world_that_sleeps();
    tank(&mut pool, 40.0, 30.0);
    block(&mut pool, Vec2::ZERO, (40, 8), ClassId::MEDIUM);
    let mut liquid = on_with(&both, &pool, &shaders);
    pool.clear();
    let asleep = (0..1500).any(|_| {
        let substeps = liquid.step(pool.liquid_mut(), TICK).expect("valid");
        liquid.wait_for_report().expect("works");
        substeps == 0
    });
    assert!(asleep);
    let gravity = Vec2::new(200.0, -300.0);
    pool.set_parameters(FluidParameters { gravity, ..*pool.parameters() }).expect("valid");
    fail(&mut liquid, &mut pool);
    assert!(liquid.step(pool.liquid_mut(), TICK).expect("valid") > 0);
    assert_eq!(liquid.wait_for_report().expect("works").expect("there").awake, 320);

    // The device knows nothing of the loads that the host has let a body have in such a tick.
    let mut pool = world(FluidParameters::default());
    tank(&mut pool, 30.0, 30.0);
    block(&mut pool, Vec2::ZERO, (30, 10), ClassId::MEDIUM);
    let spacing = pool.parameters().particle_spacing;
    let shape = FluidShape::Rectangle { half_size: Vec2::new(4.0, 3.0) * spacing };
    let body = Some(Body::of_density(0.5, &shape, spacing).expect("valid"));
    let options = ColliderOptions { body, ..ColliderOptions::default() };
    let float = Collider::new(shape, Vec2::new(15.0, 14.0) * spacing, Vec2::X);
    let float = float.and_then(|float| float.with_options(options)).expect("valid");
    let mut liquid = on_with(&both, &pool, &shaders);
    pool.clear();
    let id = pool.insert_collider(float);
    run(&mut liquid, pool.liquid_mut(), 400);
    let height = |pool: &FluidWorld| pool.collider(id).expect("there").centre().y / spacing;
    let before = height(&pool);
    fail(&mut liquid, &mut pool);
    run(&mut liquid, pool.liquid_mut(), 60);
    let after = height(&pool);
    let particles = liquid.read_particles().expect("read");
    let fastest = particles.iter().map(|particle| particle.velocity.length()).fold(0.0, f32::max);
    let fastest = fastest / pool.parameters().speed_unit();
    println!("height {before} and then {after}, at most {fastest} speed units");
    assert!(before > 8.0 && (after - before).abs() < 0.5, "{before} and {after}");
    assert!(fastest < 2.0, "{fastest}");
}
