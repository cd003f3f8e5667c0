//! Random scenes with all that acts on a liquid at once: nothing is lost, and every number is finite.
//!
//! `BLOB_FLUID_GPU_SCENES` is how many, 12 by default.

use std::ops::Range;

use blob_fluid::shape::scatter;
use blob_fluid::{
    Attachment, Body, ClassFilter, ClassId, Collider, ColliderOptions, FluidBounds,
    FluidParameters, FluidRegion, FluidShape, FluidSleeping, FluidWorld, Force, HostBody, Motion,
    Pose, Substeps,
};
use blob_fluid_gpu::{GpuDrain, GpuParticle};
use glam::Vec2;

use crate::adapter::{device, on};
use crate::heat::heated;
use crate::liquids::{TICK, any_random};

/// A number from 0 to 1 that looks random.
fn drawn(seed: u32, number: u32) -> f32 {
    0.5 + 0.5 * scatter(seed.wrapping_mul(6151).wrapping_add(977 * number)).x.clamp(-1.0, 1.0)
}

fn region(seed: u32, number: u32, reach: f32) -> FluidRegion {
    let centre = reach * scatter(seed ^ (number << 16));
    let size = reach * (0.1 + 0.3 * drawn(seed, number));
    let shape = match (seed + number) % 4 {
        0 => FluidShape::Circle { radius: size },
        1 => FluidShape::Rectangle { half_size: Vec2::new(size, 0.5 * size) },
        2 => FluidShape::Capsule { half_length: size, radius: 0.3 * size },
        _ => FluidShape::HalfPlane { normal: Vec2::Y },
    };
    FluidRegion::new(shape, centre, Vec2::from_angle(drawn(seed, number + 1))).expect("valid")
}

/// One of the random liquids, with forces, and kill bounds in every third.
fn scene(seed: u32, reach: f32) -> FluidWorld {
    let mut world = any_random(seed);
    let substeps = match seed % 4 {
        0 => Substeps::Automatic { compression: 0.02, max: 8 },
        number => Substeps::Fixed(number),
    };
    let sleeping = if seed % 8 < 3 { FluidSleeping::default() } else { FluidSleeping::OFF };
    let parameters = FluidParameters { substeps, sleeping, ..*world.parameters() };
    world.set_parameters(parameters).expect("valid");
    if seed % 4 == 2 {
        world = heated(world);
    }
    let force = |number: u32| Force {
        region: (number > 0).then(|| region(seed, 40 + number, reach)),
        centre: reach * scatter(seed + number),
        attraction: 2000.0 * (drawn(seed, number) - 0.5),
        swirl: 2000.0 * (drawn(seed, 10 + number) - 0.5),
        acceleration: 1000.0 * scatter(seed ^ number),
        drag: drawn(seed, 20 + number),
        wind: 100.0 * scatter(!seed ^ number),
        heat: 500.0 * scatter(seed ^ (number << 8)).x,
        ..Force::default()
    };
    let forces: Vec<_> = (0..seed % 4).map(force).collect();
    world.set_forces(&forces).expect("valid");
    if seed % 3 == 1 {
        let half = Vec2::splat(2.0 * reach);
        world.set_kill_bounds(Some(FluidBounds { low: -half, high: half })).expect("valid");
    }
    world
}

/// Two bodies of densities from a hundredth to ten, and a host body without weight.
fn add_bodies(world: &mut FluidWorld, seed: u32, reach: f32) {
    let spacing = world.parameters().particle_spacing;
    for number in 0..2 {
        let half_size = reach * (0.05 + 0.1 * drawn(seed, 60 + number)) * Vec2::new(1.0, 0.7);
        let shape = FluidShape::Rectangle { half_size };
        let density = 0.01 * 1000.0_f32.powf(drawn(seed, 70 + number));
        let body = Some(Body::of_density(density, &shape, spacing).expect("valid"));
        let options = ColliderOptions { body, ..Default::default() };
        let at = 0.4 * reach * scatter(seed + 90 + number);
        let collider = Collider::new(shape, at, Vec2::from_angle(drawn(seed, 80 + number)));
        let collider = collider.and_then(|collider| collider.with_options(options));
        world.insert_collider(collider.expect("valid"));
    }
    let centre = 0.5 * reach * scatter(seed + 95);
    let inverse_mass = Vec2::splat(drawn(seed, 96));
    let carrier = HostBody {
        inverse_mass,
        inverse_inertia: 0.01,
        ..HostBody::at(Pose::from_translation(centre))
    };
    let body = world.insert_host_body(carrier).expect("valid");
    let attachment = Attachment { body, pose: Pose::from_translation(Vec2::new(spacing, 0.0)) };
    let options = ColliderOptions { attachment: Some(attachment), ..Default::default() };
    let collider = Collider::circle(centre, 2.0 * spacing);
    let collider = collider.and_then(|collider| collider.with_options(options));
    world.insert_collider(collider.expect("valid"));
}

#[test]
fn nothing_is_lost_in_three_random_scenes() {
    assert_nothing_is_lost(0..3);
}

#[test]
#[ignore = "long: .ci/run"]
fn nothing_is_lost_in_many_random_scenes() {
    let asked = std::env::var("BLOB_FLUID_GPU_SCENES").ok().and_then(|text| text.parse().ok());
    assert_nothing_is_lost(3..asked.unwrap_or(12));
}

/// Runs the random scenes of these seeds for a second.
fn assert_nothing_is_lost(seeds: Range<u32>) {
    let Some(both) = device() else { return };
    let mut sums = [0; 5];
    for seed in seeds {
        let reach = 9.0 * FluidParameters::default().particle_spacing;
        let mut world = scene(seed, reach);
        let mut liquid = on(&both, &world);
        let mut given = liquid.len();
        world.clear();
        for tick in 0..60 {
            if tick % 7 == 0 {
                let jet = |index: u32| GpuParticle {
                    position: 0.4 * reach * scatter(seed + 31 * tick + index),
                    velocity: 600.0 * scatter(seed + tick),
                    class: ClassId((index % 3) as u8),
                    lifetime: index.is_multiple_of(4).then_some(0.3),
                    ..GpuParticle::default()
                };
                // What is put outside of a container may be in a crevice between walls.
                let held = |particle: &GpuParticle| {
                    let mut homes = world.containers();
                    homes.all(|(_, home)| home.depth(particle.position) > 0.0)
                };
                let jets: Vec<_> = (0..9).map(jet).filter(held).collect();
                given += liquid.append(&jets).expect("added").len();
            }
            if tick % 10 == 5 {
                let region = region(seed, tick, reach);
                let classes = if seed.is_multiple_of(2) {
                    ClassFilter::ALL
                } else {
                    ClassFilter::NONE.with(ClassId((tick % 3) as u8))
                };
                let channel = (tick % 64) as u8;
                let most = if seed.is_multiple_of(5) { u32::MAX } else { 3 };
                liquid.drain(GpuDrain { region, classes, most, channel }).expect("valid");
            }
            if tick == 20 {
                let shape = FluidShape::Rectangle { half_size: reach * Vec2::new(0.3, 0.1) };
                let motion =
                    Motion { velocity: 100.0 * scatter(seed), angular_velocity: 6.0 - tick as f32 };
                let moving = Collider::new(shape, 0.5 * reach * scatter(!seed), Vec2::X);
                let moving = moving.and_then(|collider| collider.with_motion(motion));
                world.insert_collider(moving.expect("valid"));
            }
            if tick == 10 && !seed.is_multiple_of(3) {
                add_bodies(&mut world, seed, reach);
            }
            if tick == 30 {
                let acceleration = 500.0 * scatter(seed + 5);
                let force = Force { acceleration, ..Force::default() };
                liquid.apply_impulse(&force).expect("valid");
            }
            liquid.step(world.liquid_mut(), TICK).expect("valid");
        }
        let report = liquid.wait_for_report().expect("works").expect("there").clone();
        let particles = liquid.read_particles().expect("read");
        let removed = [report.quarantined, report.out_of_bounds, report.expired, report.drained];
        let gone = removed.iter().map(|count| *count as usize).sum::<usize>();
        assert_eq!(particles.len(), report.in_play(), "seed {seed}");
        assert_eq!(particles.len() + gone, given, "seed {seed}: {removed:?}");
        assert_eq!(report.quarantined, 0, "seed {seed}");
        for particle in &particles {
            let numbers = [
                particle.relative_density,
                particle.kept_pressure,
                particle.temperature.unwrap_or(0.0),
                particle.exposure,
            ];
            let finite = particle.position.is_finite() && particle.velocity.is_finite();
            let sound = finite && numbers.iter().all(|number| number.is_finite());
            assert!(sound, "seed {seed}: {particle:?}");
            // Into those that move, liquid may have been put.
            let still = world.containers().filter(|(_, home)| home.motion() == Motion::STILL);
            let mut depths = still.map(|(_, home)| home.depth(particle.position));
            assert!(depths.all(|depth| depth > -0.1), "seed {seed}: {particle:?} is out");
        }
        for (id, collider) in world.colliders() {
            let load = world.load_on(id).map_or(Vec2::ZERO, |load| load.impulse);
            let sound = [collider.centre(), collider.motion().velocity, load];
            assert!(sound.iter().all(|vector| vector.is_finite()), "seed {seed}: {sound:?}");
        }
        for (sum, count) in sums.iter_mut().zip(removed.into_iter().chain([particles.len() as u32]))
        {
            *sum += count;
        }
    }
    println!("quarantined, out of bounds, expired, drained, left: {sums:?}");
}
