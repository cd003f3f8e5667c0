//! Calls with numbers that nobody would pass.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use blob_fluid::air::{Air, AirPass, AirSettings, AirSides};
use blob_fluid::shape::DistanceField;
use blob_fluid::{
    Collider, Container, FluidBounds, FluidShape, FluidWorld, Motion, ParticleSpawn, SerialExecutor,
};
use glam::Vec2;

use super::assert_runs;
use crate::ticks::TICK;

/// A drop in air.
fn drop_in_air() -> FluidWorld {
    let mut world = FluidWorld::default();
    let room = FluidBounds { low: Vec2::splat(-100.0), high: Vec2::splat(100.0) };
    let settings = AirSettings { density: 0.001, ..AirSettings::default() };
    world.insert_air(Air::new(room, 10.0, settings, AirSides::default()).expect("valid"));
    for position in (FluidShape::Circle { radius: 40.0 }).fill(Vec2::ZERO, 8.1) {
        world.spawn(ParticleSpawn { position, ..Default::default() }).expect("room");
    }
    world.step(TICK, &SerialExecutor).expect("valid");
    world
}

#[test]
fn passes_of_the_air_meet_no_particle_that_is_to_be_quarantined() {
    for speed in [f32::NAN, f32::INFINITY, 1e30, -3e38] {
        for by_pass in [false, true] {
            let mut world = drop_in_air();
            let particles = world.particles().len();
            world.particles_mut().split().velocities[3] = Vec2::new(speed, 0.0);
            if by_pass {
                for pass in AirPass::ALL {
                    world.run_air_pass(pass, TICK, &SerialExecutor);
                }
            } else {
                world.step_air(TICK, &SerialExecutor);
            }
            let velocities = world.particles().velocities();
            assert!(velocities.iter().all(|velocity| velocity.is_finite()), "{speed}");
            let air = world.airs().next().expect("one");
            let numbers = air.velocities_x().iter().chain(air.pressures());
            assert!(numbers.into_iter().all(|number| number.is_finite()), "{speed}");
            assert_runs(world.clone(), 5, &format!("{speed}"));
            assert_eq!(world.particles().len(), particles - 1, "{speed}");
        }
    }
}

/// A picture with pixels that are a hundred million times longer than wide takes as many steps as any other.
#[test]
fn a_picture_of_long_pixels_takes_no_longer() {
    let tick = |height: f32| {
        let stripes = DistanceField::new(14, 14, Vec2::new(42.0, height), |x, _| x % 3 == 0);
        let stripes = FluidShape::Field(stripes.expect("valid"));
        let mut world = FluidWorld::default();
        let half_size = Vec2::new(60.0, 50.0);
        world.insert_container(Container::rectangle(Vec2::ZERO, half_size).expect("valid"));
        let turning = Motion { angular_velocity: 1e9, ..Motion::STILL };
        let collider = Collider::new(stripes, Vec2::new(20.0, 0.0), Vec2::X)
            .and_then(|collider| collider.with_motion(turning));
        world.insert_collider(collider.expect("valid"));
        for position in (FluidShape::Circle { radius: 30.0 }).fill(Vec2::new(-20.0, 0.0), 8.1) {
            let velocity = Vec2::new(0.0, 1e9);
            world.spawn(ParticleSpawn { position, velocity, ..Default::default() }).expect("room");
        }
        let start = Instant::now();
        for _ in 0..3 {
            world.step(TICK, &SerialExecutor).expect("valid");
        }
        start.elapsed()
    };
    tick(42.0);
    let long = tick(1e9);
    assert!(long < Duration::from_millis(500), "{long:?}");
}

/// Shapes are plain values, so that their queries meet sizes that no check has seen.
#[test]
fn queries_of_shapes_with_any_sizes_do_not_panic() {
    let odd = [f32::NAN, f32::INFINITY, -1.0, 0.0, -0.0, 1e-40, 1.0, 1e30, f32::MAX];
    let mut shapes = Vec::new();
    for one in odd {
        shapes.push(FluidShape::Circle { radius: one });
        for other in odd {
            let both = Vec2::new(one, other);
            shapes.push(FluidShape::Rectangle { half_size: both });
            shapes.push(FluidShape::Capsule { half_length: one, radius: other });
            shapes.push(FluidShape::HalfPlane { normal: both });
        }
    }
    for shape in &shapes {
        let queries = catch_unwind(AssertUnwindSafe(|| {
            for x in odd {
                let point = Vec2::new(x, 1.0);
                let _ = (shape.contains(point), shape.distance(point), shape.scaled(point));
                if shape.validate().is_err() {
                    assert_eq!(shape.fill(point, x).next(), None);
                }
            }
            let _ = (shape.area(), shape.bounds(), shape.outlines(), shape.max_depth());
            shape.validate().is_ok()
        }));
        assert!(queries.is_ok(), "{shape:?}");
    }
}

/// A container far beyond the reach of particles is as good as none, and gives no solid a load that is no number.
#[test]
fn loads_stay_finite_however_far_solids_are() {
    for far in [1e12, 1e20, 1e38] {
        let mut world = FluidWorld::default();
        let half_size = Vec2::new(60.0, 50.0);
        let container = Container::rectangle(Vec2::ZERO, half_size).expect("valid");
        let container = world.insert_container(container);
        let options = blob_fluid::ColliderOptions { reports_load: true, ..Default::default() };
        let post = Collider::circle(Vec2::ZERO, 9.0).and_then(|post| post.with_options(options));
        world.insert_collider(post.expect("valid"));
        for position in (FluidShape::Circle { radius: 40.0 }).fill(Vec2::ZERO, 8.1) {
            world.spawn(ParticleSpawn { position, ..Default::default() }).expect("room");
        }
        world.step(TICK, &SerialExecutor).expect("valid");
        let _ = world.move_container(container, Vec2::new(far, -far), Vec2::X);
        assert_runs(world, 4, &format!("a container at {far:e}"));
    }
}
