//! Baked liquid: it is shown as it was, within the stated error, from any moment on; it takes few bytes; and bytes
//! that are none do no harm.

use std::collections::BTreeMap;
use std::sync::Arc;

use blob_fluid::shape::Polygon;
use blob_fluid::*;
use glam::Vec2;

use crate::pools::{
    add_container, add_tank_from_origin, cells, pour, pour_mixed, spawn, top_speed, weightless,
    world_with,
};
use crate::random_scenes::Random;
use crate::snapshots::{
    assert_damage_is_noticed, assert_others_are_refused, everything, read_harmed,
};
use crate::ticks::{TICK, run, run_for};

/// A block of so many columns and rows of liquid at the left wall of a tank, whose dam has just gone.
fn dam_break(columns: u32, rows: u32) -> FluidWorld {
    let mut world = FluidWorld::default();
    let spacing = world.parameters().particle_spacing * 1.007;
    let size = spacing * Vec2::new(columns as f32, rows as f32);
    add_tank_from_origin(&mut world, Vec2::new(1.5 * size.x, size.y));
    let block = FluidShape::Rectangle { half_size: 0.5 * size };
    pour(&mut world, block.fill(0.5 * size, spacing));
    world
}

/// Calls `visit` after each tick of a game in which liquid comes, goes, heats, changes its class and is moved.
fn play(ticks: u32, mut visit: impl FnMut(&FluidWorld)) {
    let mut world = everything(FluidSolver::DoubleDensity);
    let mut tap = Emitter::new(EmitterSettings::jet(20.0, 300.0)).expect("valid");
    let mut drain = Drain::new(FluidRegion::circle(Vec2::new(-60.0, -110.0), 15.0).expect("valid"));
    for tick in 0..ticks {
        let pose = Pose::from_translation(Vec2::new(-40.0, 100.0));
        tap.emit(world.liquid_mut(), pose, pose, TICK).expect("valid");
        drain.drain(world.liquid_mut(), TICK).expect("valid");
        let id = world.particles().ids()[(7 * tick) as usize % world.particles().len()];
        match tick % 5 {
            0 => {
                let lifetime = Some(FluidLifetime::new(0.2).fading(0.1));
                spawn(&mut world, ParticleSpawn { lifetime, ..Default::default() });
            }
            1 => {
                world.set_class(id, ClassId((tick % 2) as u8)).expect("known");
            }
            2 => {
                world.relocate(id, Vec2::new(-100.0, 100.0), Vec2::ZERO).expect("within");
            }
            3 => {
                world.despawn(id);
            }
            _ => world.particles_mut().temperatures_mut()[3] += 40.0,
        }
        run(&mut world, 1);
        visit(&world);
    }
}

/// That game, baked. `visit` is called after each tick.
fn baked_and(ticks: u32, settings: BakeSettings, mut visit: impl FnMut(&FluidWorld)) -> BakedFluid {
    let mut baker: Option<FluidBaker> = None;
    play(ticks + 1, |world| {
        match &mut baker {
            Some(baker) => baker.after_tick(world),
            None => baker = Some(FluidBaker::new(world, settings).expect("valid")),
        }
        visit(world);
    });
    baker.expect("begun").finish()
}

fn baked(ticks: u32, settings: BakeSettings) -> BakedFluid {
    baked_and(ticks, settings, |_| ())
}

// Any moment is the same, however the player came there.

#[test]
fn a_jump_shows_what_playing_through_shows() {
    for key_interval in [1, 2, 9, 60] {
        let settings = BakeSettings { key_interval, ..Default::default() };
        let baked = Arc::new(baked(50, settings));
        assert_eq!((baked.frames(), baked.class_names().len()), (51, 3));
        // Five moments from one frame to the next.
        let time = |moment: usize| moment as f64 / 300.0;
        let mut player = BakedPlayer::new(baked.clone());
        let through: Vec<_> =
            (0..=250).map(|moment| player.show(time(moment)).expect("whole").clone()).collect();
        let mut random = Random::new(38, "jumps");
        let back = (0..=250).rev();
        let jumps: Vec<usize> = (0..150).map(|_| random.below(251)).collect();
        for moment in back.chain(jumps).chain(0..=250) {
            assert_eq!(player.show(time(moment)), Ok(&through[moment]), "moment {moment}");
        }
        let mut other = BakedPlayer::new(baked);
        assert_eq!(other.show(time(123)), Ok(&through[123]));
        // Beyond both ends, and at no time.
        for (at, moment) in [(-1.0, 0), (1e9, 250), (f64::INFINITY, 250), (f64::NAN, 0)] {
            assert_eq!(other.show(at), Ok(&through[moment]), "{at}");
        }
    }
}

#[test]
fn a_warm_player_allocates_nothing() {
    let mut player = BakedPlayer::new(baked(60, BakeSettings::default()));
    let mut play = || {
        let there = (0..=300).chain((0..=300).rev());
        for moment in there.chain([200, 17, 290]) {
            player.show(moment as f64 / 300.0).expect("whole");
        }
    };
    // Numbers of particles and lengths of frames are met once, in every memory that is swapped.
    (0..3).for_each(|_| play());
    assert_eq!(allocation_counter::measure(play).count_total, 0);
}

#[test]
fn bytes_come_back_as_they_were() {
    let baked = baked(20, BakeSettings { frame_rate: 30.0, ..Default::default() });
    assert_eq!(baked.frames(), 11);
    let bytes = baked.to_bytes();
    let again = BakedFluid::from_bytes(&bytes).expect("whole");
    assert_eq!((&again, again.to_bytes()), (&baked, bytes));
}

#[test]
fn an_empty_liquid_is_baked() {
    let mut world = FluidWorld::default();
    let mut baker = FluidBaker::new(&world, BakeSettings::default()).expect("valid");
    run(&mut world, 3);
    baker.after_tick(&world);
    let mut player = BakedPlayer::new(baker.baked().clone());
    assert!(player.show(0.01).expect("whole").is_empty());
    let settings = BakeSettings { frame_rate: 0.5, ..Default::default() };
    let error = FluidBaker::new(&world, settings).expect_err("too slow").to_string();
    assert_eq!(error, "bake: frame_rate is 0.5, and must be between 1 and 240");
}

/// What is shown has the same bits on every target. If a change of the simulation changes this number, so be it.
#[test]
fn what_is_shown_has_known_bits() {
    let mut world = dam_break(12, 12);
    let mut baker = FluidBaker::new(&world, BakeSettings::default()).expect("valid");
    for _ in 0..40 {
        run(&mut world, 1);
        baker.after_tick(&world);
    }
    let mut player = BakedPlayer::new(baker.finish());
    let mut bytes = Vec::new();
    for moment in 0..=80 {
        let frame = player.show(moment as f64 / 120.0).expect("whole");
        for vector in frame.positions().iter().chain(frame.velocities()) {
            bytes.extend(vector.to_array().into_iter().flat_map(f32::to_le_bytes));
        }
        bytes.extend(frame.relative_densities().iter().copied().flat_map(f32::to_le_bytes));
    }
    let hash = crc32fast::hash(&bytes);
    assert_eq!(hash, 0xd91e_6ba7, "{hash:08x}");
}

// What is shown is what was, within half a step.

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
    let mut worlds = Vec::new();
    let baked = baked_and(59, settings, |world| worlds.push(world.clone()));
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
    pour(&mut world, (0..5).map(|x| Vec2::new(40.0 * x as f32, 0.0)));
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

// How many bytes a frame takes.

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
    assert!(top_speed(&world) > 300.0, "it is a splash: {}", top_speed(&world));
    BakedPlayer::new(baker.finish()).show(1.0).expect("whole");
}

#[test]
fn what_sleeps_takes_next_to_nothing() {
    let mut world = world_with(weightless());
    pour(&mut world, cells(50, 50).map(|cell| 40.0 * cell));
    let settings = BakeSettings { key_interval: 60, ..Default::default() };
    let mut baker = FluidBaker::new(&world, settings).expect("valid");
    let begin = baker.baked().to_bytes().len();
    for _ in 0..50 {
        run(&mut world, 1);
        baker.after_tick(&world);
    }
    assert_eq!(baker.baked().frames(), 51);
    let frame = (baker.baked().to_bytes().len() - begin) / 50;
    // DEFLATE writes 258 equal bytes in two bits at best, and there are five columns.
    let least = 5 * 2500 / 258 / 4;
    assert!(frame < least + 50, "{frame} bytes");
}

// Bytes that are damaged, cut, or made to do harm.

fn whole() -> Vec<u8> {
    baked(40, BakeSettings { key_interval: 10, ..Default::default() }).to_bytes()
}

#[test]
fn every_flipped_bit_and_every_cut_is_noticed() {
    let whole = whole();
    let mut random = Random::new(38, "baked flips");
    assert_damage_is_noticed((&whole, &mut random, 1000), BakedFluid::from_bytes);
}

/// Some bytes are replaced, left out or repeated, and the checksum is made right again.
#[test]
fn bytes_that_were_made_to_do_harm_give_an_error_or_are_shown() {
    let whole = whole();
    let is_shown = |baked: BakedFluid, _| {
        let length = baked.to_bytes().len();
        let mut result = Ok(());
        let taken = allocation_counter::measure(|| {
            let last = baked.seconds();
            let mut player = BakedPlayer::new(baked);
            result = [0.0, 0.3, 0.31, 0.1, last].into_iter().try_for_each(|time| {
                let frame = player.show(time)?;
                let (count, classes) = (frame.len(), player.baked().class_names().len());
                let frame = player.shown();
                assert!(frame.classes().iter().all(|class| usize::from(class.0) < classes));
                assert_eq!((frame.positions().len(), frame.opacities().len()), (count, count));
                Ok::<(), SnapshotError>(())
            });
        });
        let most = 512 * length as u64;
        assert!(taken.bytes_max < most, "{} bytes for {length}", taken.bytes_max);
        result.is_ok()
    };
    let harm = (&whole[..], "baked harm", 3000);
    let [refused, shown, broken] = read_harmed(harm, BakedFluid::from_bytes, is_shown);
    assert!(refused > 300 && broken > 100 && shown > 50, "{refused}, {broken}, {shown}");
}

#[test]
fn another_kind_and_another_version_are_refused_by_name() {
    assert_others_are_refused("baked", whole(), BakedFluid::from_bytes);
}

// Films on walls: a wet wall keeps a film that drains, a dry wall stays dry, and no corner holds
// drops for ever.

/// Shapes whose walls slant, overhang and meet at right and acute angles.
fn shapes() -> [(&'static str, FluidShape); 4] {
    let polygon = |points: &[[f32; 2]]| {
        FluidShape::Polygon(Polygon::new(points.iter().copied().map(Vec2::from)).expect("valid"))
    };
    let beak = [[-150.0, -200.0], [150.0, -200.0], [150.0, 150.0], [400.0, 260.0], [-150.0, 220.0]];
    [
        ("bowl", FluidShape::Circle { radius: 200.0 }),
        ("box", FluidShape::Rectangle { half_size: Vec2::splat(200.0) }),
        ("tent", polygon(&[[-250.0, -150.0], [250.0, -150.0], [0.0, 400.0]])),
        ("beak", polygon(&beak)),
    ]
}

/// A container that was shaken until liquid hung everywhere, and that then stands still.
#[expect(clippy::disallowed_methods, reason = "rounding decides nothing here")]
fn shaken(shape: &FluidShape, wetting: f32) -> FluidWorld {
    let mut world = FluidWorld::default();
    let wall = WallProperties { wetting, ..WallProperties::default() };
    let still = Container::new(shape.clone(), Vec2::ZERO, Vec2::X)
        .and_then(|container| container.with_wall(wall));
    let id = add_container(&mut world, still.clone());
    let still = still.expect("valid");
    let spacing = 1.03 * world.parameters().particle_spacing;
    let cells = cells(24, 38).take(900).map(|cell| (cell - Vec2::new(12.0, 17.5)) * spacing);
    pour_mixed(&mut world, cells.filter(|point| shape.contains(*point)).take(700));
    let mut centre = Vec2::ZERO;
    for tick in 0..180 {
        let time = tick as f32 * TICK;
        let velocity = Vec2::new(600.0 * (9.0 * time).sin(), 500.0 * (13.0 * time).cos());
        let here = still.clone().with_pose(Pose::from_translation(centre)).expect("valid");
        let moving = here.with_motion(Motion { velocity, ..Motion::STILL }).expect("valid");
        world.set_container(id, moving);
        world.step(TICK, &SerialExecutor).expect("valid");
        centre += velocity * TICK;
    }
    world.set_container(id, still.with_pose(Pose::from_translation(centre)).expect("valid"));
    world
}

/// Number of particles that are higher above the liquid than a wave at rest could be.
fn hanging(world: &FluidWorld) -> usize {
    let mut heights: Vec<f32> =
        world.particles().positions().iter().map(|position| position.y).collect();
    heights.sort_by(f32::total_cmp);
    let surface = heights[heights.len() * 9 / 10];
    let reach = 1.5 * world.parameters().interaction_radius();
    heights.iter().filter(|height| **height > surface + reach).count()
}

#[test]
fn a_wet_wall_keeps_a_film_that_drains_and_a_dry_wall_is_dry() {
    for (wetting, seconds) in [(1.0, 54.0), (0.0, 16.0)] {
        for (name, shape) in shapes() {
            let mut world = shaken(&shape, wetting);
            run_for(&mut world, 4.0);
            let film = hanging(&world);
            run_for(&mut world, seconds - 4.0);
            assert_eq!(hanging(&world), 0, "{name}, wetting {wetting}: {film} after 4 s");
        }
    }
}
