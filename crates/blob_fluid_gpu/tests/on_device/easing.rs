//! What would make a liquid burst is eased in.

use blob_fluid::{ClassId, ClassTable, DensityClass, FluidParameters, FluidWorld};
use blob_fluid_gpu::{GpuLiquid, GpuParticle};
use glam::Vec2;

use crate::adapter::{device, on};
use crate::liquids::{TICK, block, world};

/// A calm weightless block on the device.
fn calm(parameters: FluidParameters) -> FluidWorld {
    let mut world = world(FluidParameters { gravity: Vec2::ZERO, ..parameters });
    block(&mut world, Vec2::ZERO, (16, 16), ClassId::MEDIUM);
    world
}

/// The largest speed in the next ticks, in speed units, and after how many the easing was over.
fn fastest(liquid: &mut GpuLiquid, world: &mut FluidWorld, ticks: u32) -> (f32, Option<u32>) {
    let (mut fastest, mut over) = (0.0_f32, None);
    let unit = world.parameters().speed_unit();
    for tick in 0..ticks {
        liquid.step(world.liquid_mut(), TICK).expect("valid");
        let speed = |particle: &GpuParticle| particle.velocity.length() / unit;
        let particles = liquid.read_particles().expect("read");
        fastest = particles.iter().map(speed).fold(fastest, f32::max);
        if !world.is_easing() {
            over = over.or(Some(tick));
        }
    }
    (fastest, over)
}

#[test]
fn closely_packed_liquid_spreads_gently_if_asked() {
    let Some(both) = device() else { return };
    for gently in [true, false] {
        let mut world = calm(FluidParameters::default());
        let packed: Vec<_> = (0..256_u16)
            .map(|number| GpuParticle {
                position: Vec2::new(f32::from(number % 16), f32::from(number / 16)) * 2.0,
                ..GpuParticle::default()
            })
            .collect();
        world.clear();
        if gently {
            world.ease_in();
        }
        let mut liquid = on(&both, &world);
        liquid.set_exact(true);
        liquid.append(&packed).expect("added");
        // A burst flies far apart, which takes ever more cells.
        let ticks = if gently { 160 } else { 20 };
        let (fastest, over) = fastest(&mut liquid, &mut world, ticks);
        println!("gently {gently}: {fastest} speed units, over after {over:?} ticks");
        assert_eq!(gently, fastest < 2.0, "{fastest} speed units");
        assert!(over.is_some_and(|over| gently == (over > 20)), "{over:?}");
    }
}

/// Steps, changes something, and steps on.
fn changed(change: impl Fn(&mut FluidWorld), burst: bool) -> Option<f32> {
    let both = device()?;
    let mut world = calm(FluidParameters::default());
    let mut liquid = on(&both, &world);
    liquid.set_exact(true);
    world.clear();
    fastest(&mut liquid, &mut world, 5);
    assert!(!world.is_easing());
    change(&mut world);
    assert!(!world.is_easing(), "there are no particles in the core");
    if burst {
        liquid.step(world.liquid_mut(), 1e-6).expect("valid");
        world.end_easing();
    }
    let (fastest, over) = fastest(&mut liquid, &mut world, 200);
    println!("burst {burst}: {fastest} speed units, over after {over:?} ticks");
    assert!(over.is_some());
    Some(fastest)
}

#[test]
fn changes_that_press_the_liquid_are_eased_in() {
    let spacing = |world: &mut FluidWorld| {
        let before = *world.parameters();
        let particle_spacing = 1.5 * before.particle_spacing;
        let after = FluidParameters { particle_spacing, ..before };
        world.set_parameters(after).expect("valid");
    };
    let class = |world: &mut FluidWorld| {
        let lighter = |class: &DensityClass| DensityClass {
            relative_rest_density: 0.4 * class.relative_rest_density,
            ..class.clone()
        };
        let classes = ClassTable::new(world.classes().iter().map(lighter).collect());
        world.set_classes(classes.expect("valid")).expect("as many");
    };
    for change in [&spacing as &dyn Fn(&mut FluidWorld), &class] {
        let Some(gentle) = changed(change, false) else { return };
        let burst = changed(change, true).expect("a device");
        assert!(gentle < 2.0 && burst > 1.5 * gentle, "{gentle} and {burst} speed units");
    }
}
