//! Paint: against an oracle, conserved while it is stirred, asleep, saved, and where it is not used.

use blob_fluid::shape::scatter;
use blob_fluid::*;
use glam::Vec2;

use crate::pools::{
    add_collider, add_tank_from_origin, at, cells, change_parameters, spacing, spawn,
    ticks_until_asleep,
};
use crate::ticks::{TICK, run, run_by, same_on_threads};

const BLUE: [f32; 3] = [0.0, 0.05, 1.0];
const YELLOW: [f32; 3] = [1.0, 0.85, 0.0];
const MIXINGS: [PaintMixing; 2] = [PaintMixing::Pigments, PaintMixing::Light];

fn class(name: &str, diffusion: f32) -> DensityClass {
    let paint = Some(FluidPaint { diffusion, ..FluidPaint::default() });
    DensityClass { name: name.into(), paint, ..DensityClass::default() }
}

/// A tank of paint, blue in its left half and yellow in its right half.
fn halves(mixing: PaintMixing, diffusion: f32) -> FluidWorld {
    let mut world = FluidWorld::default();
    change_parameters(&mut world, |parameters| parameters.paint_mixing = mixing);
    let classes = ClassTable::new(vec![class("paint", diffusion)]).expect("valid");
    world.set_classes(classes).expect("no particles yet");
    add_tank_from_origin(&mut world, Vec2::new(11.0, 16.0) * spacing());
    for cell in cells(22, 20) {
        let paint = Some(if cell.x < 11.0 { BLUE } else { YELLOW });
        spawn(&mut world, ParticleSpawn { class: ClassId(0), paint, ..at(cell * spacing()) });
    }
    world
}

/// A paddle that turns in the middle of the tank.
fn stirred(mixing: PaintMixing, diffusion: f32) -> FluidWorld {
    let mut world = halves(mixing, diffusion);
    let centre = Vec2::new(11.0, 9.5) * spacing();
    let paddle = Collider::rectangle(centre, Vec2::new(8.0, 1.0) * spacing());
    let turning = Motion { angular_velocity: 2.5, ..Motion::STILL };
    add_collider(&mut world, paddle.and_then(|paddle| paddle.with_motion(turning)));
    world
}

/// The mean of what is mixed, in 64 bits.
fn mean(world: &FluidWorld) -> [f64; 3] {
    let amounts = world.particles().paint_amounts();
    let sum = |channel: usize| amounts.iter().map(|all| f64::from(all[channel])).sum::<f64>();
    [0, 1, 2].map(|channel| sum(channel) / amounts.len() as f64)
}

/// The largest difference of two colours' numbers.
fn difference(one: [f32; 3], other: [f32; 3]) -> f32 {
    one.iter().zip(other).map(|(one, other)| (one - other).abs()).fold(0.0, f32::max)
}

fn colors(world: &FluidWorld) -> Vec<[f32; 3]> {
    let particles = world.particles();
    (0..particles.len()).map(|index| particles.paint(index).expect("painted")).collect()
}

#[test]
fn a_minute_of_stirring_keeps_the_sum_and_mixes_two_halves_to_one() {
    for mixing in MIXINGS {
        let mut world = stirred(mixing, 0.2);
        let before = mean(&world);
        run(&mut world, 3600);
        let changed = before.iter().zip(mean(&world)).map(|(one, other)| (one - other).abs());
        let changed = changed.fold(0.0, f64::max);
        assert!(changed < 1e-6, "{mixing:?}: the mean changed by {changed:e}");
        let expected = mixing.mean([BLUE, YELLOW]).expect("two");
        let all = colors(&world).into_iter();
        let farthest = all.map(|color| difference(color, expected)).fold(0.0, f32::max);
        assert!(farthest < 0.01, "{mixing:?}: {farthest} from {expected:?}");
        let [red, green, blue] = expected;
        let is_green = green > 2.0 * red && green > 2.0 * blue;
        assert_eq!(is_green, mixing == PaintMixing::Pigments, "{expected:?}");
    }
}

#[test]
fn without_diffusion_only_the_motion_mixes() {
    let mut world = stirred(PaintMixing::Light, 0.0);
    run(&mut world, 300);
    let mut counts = [0, 0];
    for color in colors(&world) {
        counts[usize::from(color == YELLOW)] += 1;
        assert!(color == YELLOW || color == BLUE, "{color:?}");
    }
    assert_eq!(counts, [220, 220]);
}

/// One exchange in 64 bits, over all pairs: what is mixed afterwards.
fn exchanged(world: &FluidWorld, time: f64) -> Vec<[f64; 3]> {
    let (particles, classes) = (world.particles(), world.classes());
    let parameters = world.parameters();
    let radius = f64::from(parameters.interaction_radius());
    let positions = particles.positions();
    let diffusion = |i: usize, j: usize| {
        let [one, other] = [i, j].map(|index| &classes[particles.classes()[index]]);
        let paired = |pair: &&ClassPair| {
            pair.classes.contains(&one.name) && pair.classes.contains(&other.name)
        };
        let (Some(one_paint), Some(other_paint)) = (one.paint, other.paint) else { return 0.0 };
        let own = classes.pairs().iter().find(paired).filter(|_| one.name != other.name);
        if let Some(rate) = own.and_then(|pair| pair.paint_diffusion) {
            return f64::from(rate);
        }
        let (a, b) = (f64::from(one_paint.diffusion), f64::from(other_paint.diffusion));
        if a + b > 0.0 { 2.0 * a * b / (a + b) } else { 0.0 }
    };
    let weight = |i: usize, j: usize| {
        let distance = (positions[i].as_dvec2() - positions[j].as_dvec2()).length();
        let closeness = f64::max(1.0 - distance / radius, 0.0);
        let rate = 0.5 * diffusion(i, j) * time / f64::from(parameters.time_unit());
        if i == j { 0.0 } else { rate.min(0.06) * closeness }
    };
    let all = 0..particles.len();
    let crowds: Vec<f64> =
        all.clone().map(|i| all.clone().map(|j| weight(i, j)).sum::<f64>().max(1.0)).collect();
    let amounts = particles.paint_amounts();
    let gain = |i: usize, channel: usize| {
        let pair = |j: usize| {
            let contrast = f64::from(amounts[j][channel]) - f64::from(amounts[i][channel]);
            weight(i, j) / crowds[i].max(crowds[j]) * contrast
        };
        f64::from(amounts[i][channel]) + all.clone().map(pair).sum::<f64>()
    };
    all.clone().map(|i| [0, 1, 2].map(|channel| gain(i, channel))).collect()
}

/// Liquid of four classes, one of which takes no paint, in a pot that is `crowding` times too small.
fn pot(crowding: f32, diffusion: f32) -> FluidWorld {
    let mut world = FluidWorld::default();
    let plain = DensityClass { name: "plain".into(), mass: 2.0, ..DensityClass::default() };
    let classes = vec![class("a", diffusion), class("b", 0.1), class("c", 0.0), plain];
    let pairs = vec![
        ClassPair { paint_diffusion: Some(0.3), ..ClassPair::new("b", "c") },
        ClassPair { paint_diffusion: Some(0.3), ..ClassPair::new("a", "plain") },
    ];
    world.set_classes(ClassTable::with_pairs(classes, pairs).expect("valid")).expect("empty");
    for index in 0..500 {
        let paint = [0, 1, 2].map(|channel| 0.5 + 0.5 * scatter(1000 * channel + index).x);
        world
            .spawn(ParticleSpawn {
                position: scatter(index) * (80.0 / crowding),
                class: ClassId((index % 4) as u8),
                paint: Some(paint),
                ..Default::default()
            })
            .expect("valid");
    }
    world
}

#[test]
#[ignore = "long: .ci/run"]
fn an_exchange_is_that_of_an_oracle() {
    for (crowding, diffusion) in [(1.0, 0.2), (1.0, 10.0), (4.0, 10.0)] {
        let mut world = pot(crowding, diffusion);
        let (mut waited, mut exchanges) = (0.0, 0);
        for tick in 0..12 {
            let report = world.begin_tick(TICK, &SerialExecutor).expect("valid");
            for _ in 0..report.substeps {
                for pass in FluidPass::ALL {
                    // Sorted, so that an index stays an index.
                    world.pairs(&SerialExecutor);
                    let before = world.particles().paint_amounts().to_vec();
                    if pass == FluidPass::MixPaint {
                        waited += f64::from(report.time_step / report.substeps as f32);
                    }
                    let expected = exchanged(&world, waited);
                    world.run_pass(pass, &SerialExecutor);
                    let after = world.particles().paint_amounts();
                    if pass != FluidPass::MixPaint || *after == before {
                        continue;
                    }
                    for (fast, slow) in after.iter().flatten().zip(expected.iter().flatten()) {
                        let error = (f64::from(*fast) - slow).abs();
                        assert!(error < 1e-5, "tick {tick}: {fast} against {slow}");
                    }
                    (waited, exchanges) = (0.0, exchanges + 1);
                }
            }
            world.end_tick(report, &SerialExecutor);
        }
        assert_eq!(exchanges, 3, "one every 0.3 T0");
    }
}

#[test]
fn no_particle_becomes_brighter_than_the_brightest_and_the_sum_stays_also_where_it_is_crowded() {
    let mut world = pot(6.0, 10.0);
    let before = mean(&world);
    let range = |world: &FluidWorld| {
        let all = world.particles().paint_amounts().as_flattened().iter();
        all.fold([f32::MAX, f32::MIN], |[low, high], amount| [low.min(*amount), high.max(*amount)])
    };
    let [low, high] = range(&world);
    for _ in 0..30 {
        run(&mut world, 1);
        let [least, most] = range(&world);
        assert!(least >= low - 1e-6 && most <= high + 1e-6, "{least} to {most}");
    }
    for (one, other) in before.into_iter().zip(mean(&world)) {
        assert!((one - other).abs() < 1e-6, "{one} became {other}");
    }
}

/// Whether the particles stand where those of another world do, to the bit.
fn moves_as(world: &FluidWorld, other: &FluidWorld) -> bool {
    let [one, other] = [world, other].map(|world| {
        let particles = world.particles();
        let numbers = |at: usize| (particles.positions()[at], particles.velocities()[at]);
        particles.indices_by_slot().map(numbers).collect::<Vec<_>>()
    });
    one == other
}

#[test]
fn paint_moves_nothing() {
    let mut painted = stirred(PaintMixing::Pigments, 0.2);
    let mut plain = painted.clone();
    let unpainted: Vec<_> = painted.classes().iter().cloned().collect();
    let unpainted = unpainted.into_iter().map(|class| DensityClass { paint: None, ..class });
    plain.set_classes(ClassTable::new(unpainted.collect()).expect("valid")).expect("as many");
    assert!(plain.particles().paint_amounts().is_empty() && plain.particles().paint(0).is_none());
    run(&mut painted, 200);
    run(&mut plain, 200);
    assert!(moves_as(&painted, &plain));
}

#[test]
fn any_number_of_threads_gives_the_same_colours() {
    same_on_threads([1, 2, 7], |executor| {
        let mut world = stirred(PaintMixing::Pigments, 0.3);
        run_by(executor, &mut world, 120);
        world.state_hash()
    });
}

#[test]
fn the_hash_sees_paint() {
    let world = halves(PaintMixing::Light, 0.1);
    let mut other = world.clone();
    let id = other.particles().ids()[7];
    assert!(other.set_paint(id, [0.0, 0.05, 0.999]).expect("valid"));
    assert_ne!(world.state_hash(), other.state_hash());
    assert!(other.set_paint(id, BLUE).expect("valid"));
    assert_eq!(world.state_hash(), other.state_hash());
}

#[test]
fn every_solver_mixes() {
    for solver in FluidSolver::ALL {
        let mut world = stirred(PaintMixing::Light, 0.4);
        change_parameters(&mut world, |parameters| parameters.solver = solver);
        let before = mean(&world);
        run(&mut world, 120);
        let mixed = |color: &[f32; 3]| (0.2..0.8).contains(&color[0]);
        let count = colors(&world).iter().filter(|color| mixed(color)).count();
        assert!(count > 100, "{solver:?}: {count} of 440 are mixed");
        assert!((before[0] - mean(&world)[0]).abs() < 1e-6, "{solver:?}");
    }
}

#[test]
fn sleeping_liquid_goes_on_mixing_and_then_rests() {
    let mut world = halves(PaintMixing::Light, 0.4);
    ticks_until_asleep(&mut world, 7200);
    let left = world.paint_where(BLUE, |at, _| at.x < 11.0 * spacing()).expect("valid");
    let right = world.paint_where(YELLOW, |at, _| at.x >= 11.0 * spacing()).expect("valid");
    assert_eq!(left + right, 440);
    let before = mean(&world);
    run(&mut world, 60);
    assert_eq!(world.asleep(), world.particles().len(), "it sleeps while paint spreads in it");
    let mixed = colors(&world).iter().filter(|color| (0.2..0.8).contains(&color[0])).count();
    assert!(mixed > 60, "{mixed} are mixed");
    // Paint comes to rest.
    ticks_until_asleep(&mut world, 7200);
    let all = colors(&world);
    let expected = before.map(|number| number as f32);
    let farthest = all.iter().map(|color| difference(*color, expected)).fold(0.0, f32::max);
    assert!(farthest < 0.01, "{farthest}");
    for (one, other) in before.into_iter().zip(mean(&world)) {
        assert!((one - other).abs() < 1e-6, "{one} became {other}");
    }
    // New paint on liquid that sleeps wakes none of it, and spreads.
    let middle = FluidRegion::circle(Vec2::new(11.0, 10.0) * spacing(), 30.0).expect("valid");
    assert!(world.paint_in(&middle, ClassFilter::ALL, [1.0; 3], 1.0).expect("valid") > 20);
    let report = world.step(TICK, &SerialExecutor).expect("valid");
    assert_eq!((report.substeps, report.asleep), (1, 440));
    run(&mut world, 30);
    let lighter = colors(&world).iter().filter(|color| color[2] > expected[2] + 0.02).count();
    assert!(lighter > 80, "{lighter}");
}

#[test]
fn painted_by_place_tag_and_share() {
    let mut world = halves(PaintMixing::Light, 0.0);
    let painted = world.paint_where([1.0, 0.0, 0.0], |at, _| at.y < 2.0 * spacing());
    assert_eq!(painted, Ok(44));
    let region = FluidRegion::circle(Vec2::new(5.5, 10.0) * spacing(), 2.0 * spacing());
    let region = region.expect("valid");
    assert_eq!(world.mean_paint(&region, ClassFilter::ALL), Some(BLUE));
    world.paint_in(&region, ClassFilter::ALL, [1.0; 3], 0.25).expect("valid");
    let mixed = world.mean_paint(&region, ClassFilter::ALL).expect("paint");
    assert!(difference(mixed, [0.25, 0.2875, 1.0]) < 1e-6, "{mixed:?}");
    assert!(difference(world.paint_at(region.centre()).expect("paint"), mixed) < 0.1);
    assert_eq!(world.paint_at(Vec2::splat(1e4)), None);
    let mut sensor = Sensor::new(region.clone(), ClassFilter::ALL);
    assert_eq!(sensor.measure(&world, TICK).paint, Some(mixed));
    let untagged = ParticleTag::NONE;
    assert_eq!(world.paint_tagged(untagged, YELLOW), Ok(440));
    assert_eq!(sensor.measure(&world, TICK).paint, Some(YELLOW));
    for bad in [-0.1, 1.5, f32::NAN] {
        assert!(world.paint_in(&region, ClassFilter::ALL, YELLOW, bad).is_err());
        assert!(world.paint_where([0.0, bad, 0.0], |_, _| true).is_err());
        let spawn = ParticleSpawn { paint: Some([bad, 0.0, 0.0]), ..Default::default() };
        assert!(matches!(world.spawn(spawn), Err(SpawnError::UnknownClass { .. })));
        let spawn = ParticleSpawn { class: ClassId(0), ..spawn };
        assert!(matches!(world.spawn(spawn), Err(SpawnError::Paint(out)) if out.field == "paint"));
    }
    assert_eq!(world.mean_paint(&region, ClassFilter::ALL), Some(YELLOW));
}

#[test]
fn classes_that_take_no_paint_are_left_alone() {
    let mut world = pot(1.0, 0.2);
    assert_eq!(world.paint_where([0.0; 3], |_, _| true), Ok(375));
    let everywhere = FluidRegion::circle(Vec2::ZERO, 200.0).expect("valid");
    let plain = ClassFilter::from(ClassId(3));
    assert_eq!(world.mean_paint(&everywhere, plain), None);
    assert_eq!(world.mean_paint(&everywhere, ClassFilter::ALL), Some([0.0; 3]));
    run(&mut world, 60);
    assert_eq!(world.mean_paint(&everywhere, ClassFilter::ALL), Some([0.0; 3]));
}

#[test]
fn another_mixing_keeps_all_colours() {
    let mut world = halves(PaintMixing::Pigments, 0.1);
    let before = colors(&world);
    change_parameters(&mut world, |parameters| parameters.paint_mixing = PaintMixing::Light);
    for (one, other) in before.into_iter().zip(colors(&world)) {
        assert!(difference(one, other) < 1e-5, "{one:?} became {other:?}");
    }
}

#[test]
fn saved_paint_comes_back_to_the_bit_or_as_its_colour() {
    let mut world = stirred(PaintMixing::Pigments, 0.2);
    run(&mut world, 60);
    let saved = world.save_particles();
    let mut later = halves(PaintMixing::Pigments, 0.2);
    later.clear();
    later.restore_particles(&saved).expect("valid");
    assert_eq!(later.state_hash(), world.state_hash());
    let mut light = halves(PaintMixing::Light, 0.2);
    light.clear();
    light.restore_particles(&saved).expect("valid");
    let by_slot = |world: &FluidWorld| {
        let particles = world.particles();
        let colors = particles.indices_by_slot().map(|index| particles.paint(index));
        colors.map(|color| color.expect("painted")).collect::<Vec<_>>()
    };
    for (one, other) in by_slot(&world).into_iter().zip(by_slot(&light)) {
        assert!(difference(one, other) < 1e-5, "{one:?} became {other:?}");
    }
    let mut bad = saved.clone();
    bad.particles[3].paint = Some([f32::NAN; 3]);
    let error = later.restore_particles(&bad).expect_err("refused").to_string();
    assert!(error.contains("paint"), "{error}");
}

#[test]
fn particles_keep_their_paint_through_another_class() {
    let mut world = halves(PaintMixing::Light, 0.0);
    let id = world.particles().ids()[0];
    world.set_class(id, ClassId(0)).expect("known");
    let index = world.particles().index_of(id).expect("alive");
    assert_eq!(world.particles().paint(index), Some(BLUE));
    // A class that is given paint gives it to its particles.
    let plain = vec![DensityClass { name: "plain".into(), ..DensityClass::default() }];
    world.set_classes(ClassTable::new(plain).expect("valid")).expect("as many");
    let red = [1.0, 0.0, 0.0];
    let paint = Some(FluidPaint { color: red, ..FluidPaint::default() });
    let painted = vec![DensityClass { paint, ..class("plain", 0.0) }];
    world.set_classes(ClassTable::new(painted).expect("valid")).expect("as many");
    assert!(colors(&world).iter().all(|color| *color == red));
}

#[test]
fn paint_waits_for_no_time_that_passed_before_there_was_any() {
    let mut world = halves(PaintMixing::Pigments, 5.0);
    let saved = world.save_particles();
    // Within an interval between two exchanges.
    run(&mut world, 2);
    world.clear();
    let bytes = world.to_bytes().expect("between ticks");
    let mut other = FluidWorld::from_bytes(&bytes).expect("what was written");
    for world in [&mut world, &mut other] {
        world.restore_particles(&saved).expect("valid");
        run(world, 10);
    }
    assert_eq!(colors(&world), colors(&other));
}
