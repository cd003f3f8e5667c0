//! A warm step allocates no memory.

use allocation_counter::measure;
use blob_fluid::scene::Scene;
use blob_fluid::{Collider, Force, Motion, SerialExecutor, WallProperties};
use glam::Vec2;

const TICK: f32 = 1.0 / 60.0;

/// Number of allocations in a second of a scene that has run for a while.
fn allocations(name: &str, seconds: u32, busy: bool) -> u64 {
    let path = format!("../../assets/scenes/{name}.scene.ron");
    let scene = Scene::read(path.as_ref()).unwrap_or_else(|error| panic!("{error}"));
    let mut world = scene.start(&SerialExecutor).expect("valid");
    if busy {
        let wall = WallProperties { friction: Some(0.5), stickiness: 2.0, ..Default::default() };
        let motion = Motion { angular_velocity: 2.0, ..Motion::STILL };
        let half_size = Vec2::new(60.0, 5.0);
        let stirrer = Collider::rectangle(Vec2::new(0.0, 60.0), half_size)
            .and_then(|stirrer| stirrer.with_wall(wall))
            .and_then(|stirrer| stirrer.with_motion(motion));
        world.insert_collider(stirrer.expect("valid"));
        let attraction = Force::attract(Vec2::ZERO, 100.0, 300.0).expect("valid");
        let force = Force { heat: 20.0, ..attraction };
        world.set_forces(&[force]).expect("valid");
    }
    for _ in 0..60 * seconds {
        world.step(TICK, &SerialExecutor).expect("valid");
    }
    let counted = measure(|| {
        for _ in 0..60 {
            world.step(TICK, &SerialExecutor).expect("valid");
        }
    });
    counted.count_total
}

#[test]
fn a_warm_step_allocates_nothing() {
    for (name, busy) in [
        ("stratification", false),
        ("stratification", true),
        ("legacy", false),
        ("deep_pool", true),
        ("jelly", false),
        ("materials", true),
        ("lava_meets_water", false),
    ] {
        // A growing number of grid cells or springs needs memory.
        assert_eq!(allocations(name, 12, busy), 0, "{name}, busy: {busy}");
    }
}

#[test]
fn the_counter_counts() {
    assert_eq!(measure(|| drop(std::hint::black_box(vec![0_u8; 100]))).count_total, 1);
}
