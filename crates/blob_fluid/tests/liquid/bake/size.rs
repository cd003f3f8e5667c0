//! How many bytes a frame takes.

use blob_fluid::{
    BakeSettings, BakedPlayer, FluidBaker, FluidParameters, FluidWorld, ParticleSpawn,
    RayonExecutor,
};
use glam::Vec2;

use super::dam_break;
use crate::ticks::{TICK, run};

/// 6 bytes for each particle and frame would do. It is far less, and should stay so.
#[test]
fn a_splash_of_ten_thousand_takes_less_than_a_byte_for_each_particle_and_frame() {
    let mut world = dam_break(100, 100);
    let executor = RayonExecutor::new(2).expect("threads");
    let mut baker = FluidBaker::new(&world, BakeSettings::default()).expect("valid");
    for _ in 0..90 {
        world.step(TICK, &executor).expect("valid");
        baker.after_tick(&world);
    }
    let (count, frames) = (world.particles().len(), baker.baked().frames());
    let bytes = baker.baked().to_bytes().len() as f64 / (count * frames) as f64;
    assert!(count > 9900 && frames == 91, "{count} particles, {frames} frames");
    assert!(bytes < 1.0, "{bytes} bytes for each particle and frame");
    let fastest = world.particles().velocities().iter().map(|v| v.length()).fold(0.0, f32::max);
    assert!(fastest > 300.0, "it is a splash: {fastest}");
    BakedPlayer::new(baker.finish()).show(1.0).expect("whole");
}

#[test]
fn what_sleeps_takes_next_to_nothing() {
    let still = FluidParameters { gravity: Vec2::ZERO, ..Default::default() };
    let mut world = FluidWorld::new(still).expect("valid");
    for number in 0..2500 {
        let position = 40.0 * Vec2::new((number % 50) as f32, (number / 50) as f32);
        world.spawn(ParticleSpawn { position, ..Default::default() }).expect("room");
    }
    let settings = BakeSettings { key_interval: 1000, ..Default::default() };
    let mut baker = FluidBaker::new(&world, settings).expect("valid");
    let begin = baker.baked().to_bytes().len();
    for _ in 0..100 {
        run(&mut world, 1);
        baker.after_tick(&world);
    }
    assert_eq!(baker.baked().frames(), 101);
    let frame = (baker.baked().to_bytes().len() - begin) / 100;
    // DEFLATE writes 258 equal bytes in two bits at best, and there are five columns.
    let least = 5 * 2500 / 258 / 4;
    assert!(frame < least + 50, "{frame} bytes");
}
