//! What is shown is what was, within half a step.

use std::collections::BTreeMap;

use blob_fluid::{
    BakeSettings, BakedFrame, BakedPlayer, FluidBaker, FluidWorld, ParticleId, ParticleSpawn,
};
use glam::Vec2;

use super::{dam_break, play};
use crate::ticks::run;

/// Largest distance of numbers, to 32 bits, from those that they were half a step from.
fn half_a_step(step: f32, largest: f32) -> f32 {
    0.5 * step + 2.0 * f32::EPSILON * largest
}

/// For each particle of a frame in the order of the frame, its index in the world. Ids are those that the handles
/// had before, if any.
fn matched(
    world: &FluidWorld,
    frame: &BakedFrame,
    known: &mut BTreeMap<u32, ParticleId>,
) -> Vec<usize> {
    let particles = world.particles();
    let largest = known.last_key_value().map(|(id, _)| *id);
    let mut taken = vec![false; particles.len()];
    let found = frame.ids().iter().zip(frame.positions()).map(|(id, position)| {
        let index = match known.get(id) {
            Some(handle) => particles.index_of(*handle).expect("alive"),
            None => {
                assert!(largest.is_none_or(|largest| *id > largest), "an id is used again");
                let near =
                    |index: &usize| (particles.positions()[*index] - *position).length_squared();
                let free = (0..particles.len()).filter(|index| !taken[*index]);
                let index = free.min_by(|a, b| near(a).total_cmp(&near(b))).expect("there");
                known.insert(*id, particles.ids()[index]);
                index
            }
        };
        assert!(!std::mem::replace(&mut taken[index], true), "two ids for a particle");
        index
    });
    let found: Vec<usize> = found.collect();
    assert_eq!(found.len(), particles.len(), "all are shown");
    found
}

#[test]
fn every_number_is_within_half_a_step_and_every_particle_keeps_its_id() {
    let settings = BakeSettings { temperature_step: 3.0, key_interval: 7, ..Default::default() };
    let mut baker: Option<FluidBaker> = None;
    let mut worlds = Vec::new();
    play(60, |world| {
        match &mut baker {
            Some(baker) => baker.after_tick(world),
            None => baker = Some(FluidBaker::new(world, settings).expect("valid")),
        }
        worlds.push(world.clone());
    });
    let baked = baker.expect("begun").finish();
    assert_eq!(baked.frames(), worlds.len());
    let names: Vec<&str> = baked.class_names().collect();
    assert_eq!(names, ["water", "jelly", "sand"]);
    let step = settings.position_step * baked.particle_spacing();
    let mut player = BakedPlayer::new(baked);
    let mut known = BTreeMap::new();
    let mut relocated = 0;
    for (number, world) in worlds.iter().enumerate() {
        let frame = player.show(number as f64 / 60.0).expect("whole");
        let alive = |handle: &ParticleId| world.particles().index_of(*handle).is_some();
        known.retain(|id, handle| {
            // One that was moved far away goes on as another one.
            let shown = frame.ids().binary_search(id).is_ok();
            relocated += usize::from(alive(handle) && !shown);
            shown
        });
        let particles = world.particles();
        for (place, index) in matched(world, frame, &mut known).into_iter().enumerate() {
            let at = particles.positions()[index];
            let offset = (frame.positions()[place] - at).abs().max_element();
            let largest = at.abs().max_element();
            assert!(offset <= half_a_step(step, largest), "{offset} in frame {number}");
            assert_eq!(frame.classes()[place], particles.classes()[index]);
            let off = |shown: f32, was: f32| (shown - was).abs();
            let density = particles.relative_densities()[index].min(8.0);
            assert!(
                off(frame.relative_densities()[place], density) <= half_a_step(1.0 / 32.0, 8.0)
            );
            let temperature = particles.temperatures()[index];
            let degrees = off(frame.temperatures()[place], temperature);
            assert!(degrees <= half_a_step(3.0, temperature.abs()), "{degrees} degrees");
            let opacity = off(frame.opacities()[place], particles.opacity(index));
            assert!(opacity <= half_a_step(1.0 / 255.0, 1.0), "opacity {opacity}");
            let paint = particles.paint(index).expect("painted");
            for (shown, was) in frame.paints()[place].into_iter().zip(paint) {
                assert!(off(shown.sqrt(), was.sqrt()) <= half_a_step(1.0 / 255.0, 1.0));
            }
        }
    }
    assert!(relocated > 5, "{relocated} were moved far away");
}

#[test]
fn between_two_ticks_particles_are_on_the_straight_way() {
    for (frame_rate, position_step) in [(24.0, 0.015625), (60.0, 0.25), (144.0, 0.002)] {
        let mut world = dam_break(20, 30);
        let settings = BakeSettings { frame_rate, position_step, ..Default::default() };
        let mut baker = FluidBaker::new(&world, settings).expect("valid");
        let mut ways: Vec<BTreeMap<u32, [Vec2; 2]>> = Vec::new();
        for _ in 0..45 {
            run(&mut world, 1);
            baker.after_tick(&world);
            let particles = world.particles();
            let way = |index: usize| {
                let both = [particles.tick_start_positions(), particles.positions()];
                (particles.ids()[index].slot(), both.map(|all| all[index]))
            };
            ways.push((0..particles.len()).map(way).collect());
        }
        let interval = 1.0 / f64::from(frame_rate);
        let baked = baker.finish();
        assert_eq!(baked.frames(), (0.75 / interval + 1e-3) as usize + 1, "{frame_rate} Hz");
        let step = position_step * baked.particle_spacing();
        let frames = baked.frames();
        let mut player = BakedPlayer::new(baked);
        // Nobody comes or goes: ids are in the order of the slots, as the particles were spawned.
        for number in 1..frames {
            let time = number as f64 * interval;
            let frame = player.show(time).expect("whole").clone();
            let tick = (time * 60.0 - 1e-3) as usize;
            let part = (time * 60.0 - tick as f64) as f32;
            let before = player.show(time - 0.25 * interval).expect("whole").clone();
            let earlier = player.show(time - interval).expect("whole");
            for (place, [begin, end]) in ways[tick].values().enumerate() {
                let at = *begin + (*end - *begin) * part;
                let off = (frame.positions()[place] - at).abs().max_element();
                // A tick of 1/60 s is off by a rounding of 32 bits after each.
                let moved = (*end - *begin).abs().max_element();
                let most = half_a_step(step, at.abs().max_element()) + 1e-4 * moved;
                assert!(off <= most, "{off} > {most} at {time} s, {frame_rate} Hz");
                let [from, to] = [earlier.positions()[place], frame.positions()[place]];
                let straight = from + (to - from) * 0.75;
                let off = (before.positions()[place] - straight).abs().max_element();
                assert!(off <= 1e-4 + 1e-6 * straight.abs().max_element(), "{off}");
                let speed = before.velocities()[place] * interval as f32;
                assert!((speed - (to - from)).abs().max_element() < 1e-3);
            }
        }
    }
}

#[test]
fn what_a_host_made_invalid_is_not_shown_and_nothing_is_lost_by_a_leap_in_time() {
    let mut world = FluidWorld::default();
    for x in 0..5 {
        let position = Vec2::new(40.0 * x as f32, 0.0);
        world.spawn(ParticleSpawn { position, ..Default::default() }).expect("room");
    }
    let begin = world.to_bytes().expect("between two ticks");
    let mut baker = FluidBaker::new(&world, BakeSettings::default()).expect("valid");
    run(&mut world, 1);
    world.particles_mut().velocities_mut()[2].x = f32::NAN;
    baker.after_tick(&world);
    run(&mut world, 1);
    world.reset_clock();
    baker.after_tick(&world);
    run(&mut world, 600);
    baker.after_tick(&world);
    world.restore_bytes(&begin).expect("whole");
    baker.after_tick(&world);
    let mut player = BakedPlayer::new(baker.finish());
    let counts = [0.0, 1.0, 2.0, 3.0, 4.0].map(|frame| {
        let frame = player.show(frame / 60.0).expect("whole");
        assert!(frame.positions().iter().all(|position| position.is_finite()));
        frame.len()
    });
    assert_eq!(counts, [5, 4, 4, 4, 5]);
    assert!((player.baked().seconds() - 4.0 / 60.0).abs() < 1e-12);
}
