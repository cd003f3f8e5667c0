//! Friction of walls on what hits them, lies on them and slides along them.

use blob_fluid::shape::FluidShape;
use blob_fluid::{
    Collider, Container, FluidParameters, FluidSleeping, FluidWorld, GhostWalls, ParticleSpawn,
    SerialExecutor, Settling, Substeps, WallProperties,
};
use glam::Vec2;

use crate::ticks::{TICK, run};

#[test]
fn what_slides_is_held_as_much_as_friction_says() {
    // One particle on a slope, for a second.
    let slid = |friction| {
        let parameters = FluidParameters { settling: Settling::OFF, ..FluidParameters::default() };
        let mut world = FluidWorld::new(parameters).expect("valid");
        let shape = FluidShape::Rectangle { half_size: Vec2::new(100.0, 5.0) };
        let slope = Collider::new(shape, Vec2::ZERO, Vec2::new(0.8, -0.6)).expect("valid");
        let wall = WallProperties { friction, ..Default::default() };
        world.insert_collider(slope.clone().with_wall(wall).expect("valid"));
        let start = Vec2::new(0.6, 0.8) * 5.0;
        world.spawn(ParticleSpawn { position: start, ..Default::default() }).expect("valid");
        run(&mut world, 60);
        let end = world.particles().positions()[0];
        assert!(slope.distance(end).abs() < 0.01, "{end} left the slope");
        (end - start).length()
    };
    // Without friction the distance is exactly g sin(slope) t (t + dt)/2, up to rounding.
    let free = 200.0 * 0.6 * 0.5 * (1.0 + TICK);
    assert!((slid(Some(0.0)) - free).abs() < 0.05, "{}", slid(Some(0.0)));
    assert!((slid(None) - free).abs() < 0.05, "settling is off");
    let rates = [0.1, 0.3, 0.6, 0.9].map(|friction| slid(Some(friction)));
    assert!(rates.windows(2).all(|pair| pair[1] < 0.9 * pair[0]), "{rates:?}");
    assert!(rates[0] < 0.97 * free);
    assert!(slid(Some(1.0)) < 1e-3, "{}", slid(Some(1.0)));
}

#[test]
fn a_glancing_blow_loses_what_friction_takes() {
    // Algorithm 6: the whole normal part of the impulse, and the fraction mu of the tangential
    // part.
    for friction in [0.0, 0.25, 1.0] {
        // Only the floor acts on the particle.
        let ghost_walls = GhostWalls { density: 0.0, unsticking: 0.0 };
        let weightless =
            FluidParameters { gravity: Vec2::ZERO, ghost_walls, ..FluidParameters::default() };
        let mut world = FluidWorld::new(weightless).expect("valid");
        let wall = WallProperties { friction: Some(friction), ..Default::default() };
        let floor = Collider::rectangle(Vec2::new(0.0, -50.0), Vec2::new(100.0, 10.0));
        world.insert_collider(floor.and_then(|f| f.with_wall(wall)).expect("valid"));
        let velocity = Vec2::new(300.0, -3000.0);
        world.spawn(ParticleSpawn { velocity, ..Default::default() }).expect("valid");
        // A fifth of the first substep's displacement would have been beyond the floor, and all of
        // the second substep's.
        let mut expected = Vec2::new(300.0, -3000.0);
        for part in [0.2, 1.0] {
            world.step(TICK, &SerialExecutor).expect("valid");
            assert_eq!(world.substeps(), 1);
            expected *= Vec2::new(1.0 - friction * part, 1.0 - part);
            // If it touches the floor from the beginning of a substep, friction acts as well.
            if part == 1.0 {
                let drag = friction * TICK / world.parameters().time_unit();
                expected.x *= (1.0 - friction) / (1.0 - friction + drag);
            }
            let after = world.particles().velocities()[0];
            assert!((after - expected).length() < 0.05, "{after} with {friction}");
        }
    }
}

#[test]
fn what_lies_on_a_floor_is_slowed_alike_in_any_number_of_substeps() {
    let slid = |friction, substeps| {
        let parameters = FluidParameters {
            settling: Settling::OFF,
            sleeping: FluidSleeping::OFF,
            ghost_walls: GhostWalls { density: 0.0, unsticking: 0.0 },
            substeps: Substeps::Fixed(substeps),
            ..FluidParameters::default()
        };
        let mut world = FluidWorld::new(parameters).expect("valid");
        let wall = WallProperties { friction: Some(friction), ..Default::default() };
        let tank = Container::rectangle(Vec2::new(0.0, 50.0), Vec2::new(200.0, 50.0));
        world.insert_container(tank.and_then(|tank| tank.with_wall(wall)).expect("valid"));
        let (position, velocity) = (Vec2::new(-190.0, 0.0), Vec2::new(200.0, 0.0));
        world.spawn(ParticleSpawn { position, velocity, ..Default::default() }).expect("valid");
        run(&mut world, 120);
        world.particles().positions()[0].x + 190.0
    };
    for friction in [0.1, 0.3, 0.6] {
        let once = slid(friction, 1);
        for substeps in [2, 4, 8] {
            let ratio = slid(friction, substeps) / once;
            assert!((ratio - 1.0).abs() < 0.08, "{friction} in {substeps}: {ratio}");
        }
    }
}
