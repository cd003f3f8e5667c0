//! Clumps: their cost, and that they come apart.

use std::time::Instant;

use blob_fluid::shape::scatter;
use blob_fluid::{FluidParameters, Substeps};
use blob_fluid_gpu::{GpuParticle, PassTime, Shaders};
use glam::Vec2;

use crate::adapter::{device, on, on_with, shaders};
use crate::liquids::{TICK, assert_found, run, tank, world};

/// Particles around a point.
fn clump(count: u32, centre: Vec2, radius: f32) -> Vec<GpuParticle> {
    let particle = |index| GpuParticle {
        position: centre + radius * scatter(index),
        ..GpuParticle::default()
    };
    (0..count).map(particle).collect()
}

#[test]
fn a_hundred_thousand_particles_on_a_point_do_not_hang_a_device() {
    let Some(both) = device() else { return };
    let substeps = Substeps::Fixed(1);
    let mut world = world(FluidParameters { substeps, ..FluidParameters::default() });
    tank(&mut world, 400.0, 300.0);
    let mut liquid = on(&both, &world);
    liquid.append(&clump(100_000, Vec2::splat(1500.0), 0.0)).expect("added");
    for tick in 0..10 {
        let begin = Instant::now();
        let times = liquid.step_timed(world.liquid_mut(), TICK).expect("valid");
        let seconds = begin.elapsed().as_secs_f32();
        let longest = times.iter().max_by(|a, b| a.milliseconds.total_cmp(&b.milliseconds));
        let PassTime { pass, milliseconds } = longest.expect("passes");
        println!("tick {tick}: {seconds} s, most of it {pass:?} with {milliseconds} ms");
    }
    let particles = liquid.read_particles().expect("read");
    assert_eq!(particles.len(), 100_000);
    let sound = |particle: &GpuParticle| particle.position.is_finite();
    assert!(particles.iter().all(sound));
}

#[test]
fn a_clump_comes_apart_and_goes_on_with_the_same_bits() {
    let Some(both) = device() else { return };
    let substeps = Substeps::Fixed(1);
    let mut world = world(FluidParameters { substeps, ..FluidParameters::default() });
    tank(&mut world, 60.0, 60.0);
    let radius = world.parameters().interaction_radius();
    for extent in [0.0, 0.4] {
        let particles = clump(2000, Vec2::splat(450.0), extent * radius);
        let mut simulate = |particles: &mut dyn Iterator<Item = (u32, &GpuParticle)>| {
            let mut liquid = on(&both, &world);
            let with_id = |(id, particle): (u32, &GpuParticle)| GpuParticle { id, ..*particle };
            // Otherwise a fast device is so far behind that it skips reports.
            liquid.set_exact(true);
            liquid.insert(&particles.map(with_id).collect::<Vec<_>>()).expect("added");
            run(&mut liquid, world.liquid_mut(), 120);
            liquid.wait_for_report().expect("works");
            let report = liquid.report().expect("works").expect("there").clone();
            (liquid.read_particles().expect("read"), report)
        };
        let ids = |index: u32| if index.is_multiple_of(2) { index } else { 1_000_000 - index };
        let (first, report) = simulate(&mut (0..).map(ids).zip(&particles));
        let (again, same) = simulate(&mut (0..2000).rev().map(ids).zip(particles.iter().rev()));
        assert!(first == again, "the order of insertion has an effect");
        assert_eq!(report, same);
        assert_eq!(first.len(), 2000);
        let dense = first.iter().map(|particle| particle.relative_density).fold(0.0, f32::max);
        println!("relative density at most {dense}, spread {:?}", report.squares);
        assert!(dense < 2.0, "{dense}");
    }
}

#[test]
fn a_fault_in_the_order_of_a_clump_is_found() {
    let Some(both) = device() else { return };
    let substeps = Substeps::Fixed(1);
    let mut world = world(FluidParameters { substeps, ..FluidParameters::default() });
    tank(&mut world, 60.0, 60.0);
    let mut simulate = |shaders: &Shaders, reversed: bool| {
        let mut particles = clump(1500, Vec2::splat(450.0), 0.0);
        for (index, particle) in (0..).zip(&mut particles) {
            // Ids of three digits, in no order.
            particle.id = index * 7919 % 1500 * 700;
        }
        if reversed {
            particles.reverse();
        }
        let mut liquid = on_with(&both, &world, shaders);
        liquid.insert(&particles).expect("added");
        run(&mut liquid, world.liquid_mut(), 5);
        liquid.read_particles().expect("read")
    };
    let right = simulate(&shaders(), false);
    assert_eq!(right.len(), 1500);
    assert_eq!(right, simulate(&shaders(), true));
    let faults = [
        ("sort_crowded", "digit < 4u; digit++", "digit < 2u; digit++"),
        ("sort_crowded", "digits[lower] == own", "digits[lower] == own && own > 9u"),
        ("sort_crowded", "for (var first = start;", "for (var first = start + 1u;"),
        ("order", "slots[start + middle] < particle.id", "slots[start + middle] > particle.id"),
        ("order", "rank >= params.most_in_cell", "rank > params.most_in_cell"),
        ("scatter", "key.y == CROWDED_FROM", "key.y == CROWDED_FROM + 9999u"),
    ];
    assert_found(&faults, |shaders| {
        let wrong = simulate(shaders, false);
        Some((right != wrong, format!("{} particles", wrong.len())))
    });
}
