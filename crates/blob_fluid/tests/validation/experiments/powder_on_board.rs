use blob_fluid::{Collider, FluidParameters, FluidShape, FluidWorld, Motion, ParticleId};
use glam::Vec2;

use super::TICK;
use super::powder::{SPACING, block, rough, run_for, sand, spawn, step, tank, world_of_classes};
use crate::page::Finding;

/// The angle in degrees to which a board has been tilted, by a degree a second, when the upper quarter
/// of a layer of powder on it has slid by a spacing. The board holds the lowest grains, and the layer is so
/// long that its lower end may slump.
fn sliding_angle(friction_angle: f32) -> f64 {
    let mut world = world_of_classes(vec![sand(friction_angle)]);
    let half_size = Vec2::new(200.0, 2.0) * SPACING;
    let board = Collider::rectangle(Vec2::new(0.0, -half_size.y), half_size);
    let board = board.and_then(|board| board.with_wall(rough())).expect("valid");
    let id = world.insert_collider(board);
    block(120, 15).for_each(|place| spawn(&mut world, 0, place));
    run_for(&mut world, 5.0);
    let upper_quarter = |world: &FluidWorld| {
        let board = world.collider(id).expect("there");
        let along = |at: &Vec2| (*at - board.centre()).dot(board.rotation());
        let mut ways: Vec<f32> = world.particles().positions().iter().map(along).collect();
        ways.sort_unstable_by(|a, b| b.total_cmp(a));
        let count = ways.len() / 4;
        ways[..count].iter().sum::<f32>() / count as f32
    };
    let before = upper_quarter(&world);
    let motion = Motion { angular_velocity: 1.0_f32.to_radians(), ..Motion::STILL };
    world.set_collider_motion(id, motion).expect("valid");
    let mut ticks = 0_u32;
    while before - upper_quarter(&world) < SPACING && ticks < 60 * 60 {
        step(&mut world);
        ticks += 1;
    }
    f64::from(ticks) * f64::from(TICK)
}

/// The mean speed, in world units/s, at which the upper half of a layer of powder goes down along a floor that
/// rubs as the grains do, in the half minute after it was tilted to five sixths of its friction angle. The
/// lower end slumps, and the upper half only goes where all of it slides.
#[expect(clippy::disallowed_methods, reason = "an experiment, on one machine")]
fn creep_below_angle(friction_angle: f32) -> f64 {
    let mut world = world_of_classes(vec![sand(friction_angle)]);
    let half_plane = FluidShape::HalfPlane { normal: Vec2::Y };
    world.insert_collider(Collider::new(half_plane, Vec2::ZERO, Vec2::X).expect("valid"));
    block(240, 10).for_each(|place| spawn(&mut world, 0, place));
    run_for(&mut world, 5.0);
    for part in 1..=200_u8 {
        let angle = (friction_angle * 5.0 / 6.0 * f32::from(part) / 200.0).to_radians();
        let gravity = Vec2::new(angle.sin(), -angle.cos()) * 200.0;
        let parameters = FluidParameters { gravity, ..*world.parameters() };
        world.set_parameters(parameters).expect("valid");
        run_for(&mut world, 0.1);
    }
    let particles = world.particles();
    let places = particles.ids().iter().zip(particles.positions());
    let upper = places.filter(|(_, at)| (-90.0..0.0).contains(&(at.x / SPACING)));
    let before: Vec<(ParticleId, f32)> = upper.map(|(id, at)| (*id, at.x)).collect();
    run_for(&mut world, 30.0);
    let particles = world.particles();
    let way = |(id, before): &(ParticleId, f32)| {
        let index = particles.index_of(*id).expect("alive");
        f64::from(particles.positions()[index].x - before)
    };
    before.iter().map(way).sum::<f64>() / (before.len() as f64 * 30.0)
}

/// How much higher than on average a heap at 30 degrees still is somewhere, in spacings, when its tray
/// has been shaken up and down for 20 s, by half a spacing to each side and twice a second: by 3 g.
#[expect(clippy::disallowed_methods, reason = "an experiment, on one machine")]
fn shaken() -> f64 {
    let mut world = world_of_classes(vec![sand(30.0)]);
    let tray = world.insert_container(tank(Vec2::new(40.0, 100.0)));
    for place in block(40, 20).filter(|place| place.x.abs() + place.y < 20.0) {
        spawn(&mut world, 0, place);
    }
    run_for(&mut world, 5.0);
    let frequency = std::f32::consts::TAU * 2.0;
    for tick in 0..1200_u16 {
        let phase = frequency * (f32::from(tick) + 0.5) * TICK;
        let velocity = Vec2::new(0.0, 0.5 * SPACING * frequency * phase.cos());
        let motion = Motion { velocity, ..Motion::STILL };
        world.set_container_motion(tray, motion).expect("valid");
        step(&mut world);
    }
    world.set_container_motion(tray, Motion::STILL).expect("valid");
    run_for(&mut world, 2.0);
    let mut heights = [0.0_f32; 10];
    for at in world.particles().positions() {
        let bin = (at.x / SPACING / 4.0 + 5.0).clamp(0.0, 9.0) as usize;
        heights[bin] = heights[bin].max(at.y / SPACING);
    }
    let highest = heights.iter().fold(0.0, |most, height| height.max(most));
    f64::from(highest - heights.iter().sum::<f32>() / 10.0)
}

pub fn run() -> Finding {
    Finding {
        experiment: "powder on a board",
        description: "A layer of powder 15 grains high lies on a board that is tilted by a degree a second, and slides at its friction \
                      angle. One 10 grains high, on a floor that rubs as the grains do, stands at five sixths of it. A heap in a tray that is shaken becomes level.",
        measured: vec![
            ("angle at which a layer slides, setting 20°", sliding_angle(20.0)),
            ("angle at which a layer slides, setting 30°", sliding_angle(30.0)),
            ("angle at which a layer slides, setting 40°", sliding_angle(40.0)),
            (
                "creep of a layer at five sixths of its angle, setting 20°, px/s",
                creep_below_angle(20.0),
            ),
            (
                "creep of a layer at five sixths of its angle, setting 30°, px/s",
                creep_below_angle(30.0),
            ),
            (
                "creep of a layer at five sixths of its angle, setting 40°, px/s",
                creep_below_angle(40.0),
            ),
            ("height of a shaken heap over its mean, spacings", shaken()),
        ],
        plots: vec![],
    }
}
