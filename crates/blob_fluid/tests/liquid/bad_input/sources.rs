//! Emitters that let out too much, or into an obstacle.

use blob_fluid::shape::FluidShape;
use blob_fluid::{
    CapacityPolicy, Collider, Emitter, EmitterSettings, FluidParameters, FluidWorld, SpawnError,
};
use glam::Vec2;

use crate::pools::assert_finite;
use crate::ticks::{TICK, run};

const STILL: (Vec2, Vec2) = (Vec2::ZERO, Vec2::X);

fn weightless() -> FluidWorld {
    FluidWorld::new(FluidParameters::new(8.0, Vec2::ZERO)).expect("valid")
}

// Row 19 of docs/reliability.md.
#[test]
fn an_emitter_of_a_billion_a_second_is_refused_and_one_of_a_million_keeps_to_the_capacity() {
    let field = FluidShape::Rectangle { half_size: Vec2::splat(2000.0) };
    let flood = |rate| EmitterSettings::rain(field.clone(), rate);
    let mut emitter = Emitter::new(flood(1e6)).expect("the largest rate");
    for rate in [1e9, 1.1e6, f32::INFINITY, f32::NAN] {
        assert_eq!(Emitter::new(flood(rate)).expect_err("refused").field, "rate");
        assert_eq!(emitter.set_settings(flood(rate)).expect_err("refused").field, "rate");
        assert_eq!(emitter.settings().rate, Some(1e6), "the last valid one stays");
    }
    let mut refused = 0;
    let mut world = weightless();
    world.set_capacity(1000);
    for policy in [CapacityPolicy::Refuse, CapacityPolicy::RecycleOldest] {
        world.set_capacity_policy(policy);
        let (emitted, recycled) = (emitter.emitted(), world.recycled());
        for _ in 0..3 {
            let report = emitter.emit(world.liquid_mut(), STILL, STILL, TICK).expect("valid");
            assert!(world.particles().len() <= 1000);
            refused += report.refused as u64;
            if policy == CapacityPolicy::Refuse {
                assert_eq!(report.error, Some(SpawnError::Full { capacity: 1000 }));
            }
            run(&mut world, 1);
        }
        assert_eq!((world.particles().len(), emitter.refused()), (1000, refused));
        let (more, again) = (emitter.emitted() - emitted, world.recycled() - recycled);
        match policy {
            CapacityPolicy::Refuse => assert_eq!((more, again), (1000, 0)),
            CapacityPolicy::RecycleOldest => assert!(more == again && more > 1000, "{more}"),
        }
        assert_finite(&world);
    }
}

// Row 23 of docs/reliability.md.
#[test]
fn an_emitter_in_an_obstacle_lets_nothing_out_until_the_obstacle_is_gone() {
    let jet = EmitterSettings::jet(40.0, 300.0);
    let rain = EmitterSettings::rain(FluidShape::Circle { radius: 20.0 }, 200.0);
    let burst = EmitterSettings { burst: Some(20), ..jet.clone() };
    for settings in [jet, rain, burst] {
        let is_burst = settings.burst.is_some();
        let mut emitter = Emitter::new(settings).expect("valid");
        let mut world = weightless();
        let stone = world.insert_collider(Collider::circle(Vec2::ZERO, 100.0).expect("valid"));
        for _ in 0..60 {
            emitter.emit(world.liquid_mut(), STILL, STILL, TICK).expect("valid");
            run(&mut world, 1);
        }
        assert_eq!((world.particles().len(), emitter.emitted(), emitter.refused()), (0, 0, 0));
        assert!(emitter.held_back() > 0, "it is counted");
        world.remove_collider(stone);
        if is_burst {
            emitter.restart();
        }
        for _ in 0..60 {
            emitter.emit(world.liquid_mut(), STILL, STILL, TICK).expect("valid");
            run(&mut world, 1);
        }
        assert_eq!(world.particles().len() as u64, emitter.emitted());
        // At its rate: what was held back is not made up for.
        assert!((20..=250).contains(&emitter.emitted()), "{}", emitter.emitted());
    }
}
