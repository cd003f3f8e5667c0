//! The same ticks give the same bits on one device.

use blob_fluid::{
    ClassId, ClassTable, FluidParameters, FluidThermal, FluidTransition, FluidWorld, Substeps,
};
use blob_fluid_gpu::{GpuError, GpuLiquid, GpuParticle};
use glam::Vec2;

use crate::adapter::{device, on};
use crate::liquids::{TICK, block, tank, world, world_that_sleeps};

/// A dam of three classes that breaks.
fn dam() -> FluidWorld {
    let mut world = world(FluidParameters::default());
    tank(&mut world, 60.0, 40.0);
    for (class, row) in [(0, 0.0), (1, 10.0), (2, 20.0)] {
        let low = Vec2::new(0.5, row) * world.parameters().particle_spacing;
        block(&mut world, low, (25, 10), ClassId(class));
    }
    world
}

#[test]
fn neither_the_order_of_insertion_nor_the_capacity_changes_a_bit() {
    let Some(both) = device() else { return };
    let world = dam();
    let mut whole = on(&both, &world);
    let particles = whole.read_particles().expect("read");
    assert_eq!(particles.len(), 750);

    let mut empty = world.clone();
    empty.clear();
    let in_order = |order: &mut dyn Iterator<Item = &GpuParticle>, capacity: usize| {
        let mut liquid = on(&both, &empty);
        liquid.reserve(capacity).expect("room");
        for particle in order {
            liquid.insert(&[*particle]).expect("inserted");
        }
        liquid
    };
    let mut again = on(&both, &world);
    let mut reversed = in_order(&mut particles.iter().rev(), 0);
    let halves = particles.iter().step_by(2).chain(particles.iter().skip(1).step_by(2));
    let mut shuffled = in_order(&mut { halves }, 5000);
    let mut bits = Vec::new();
    for liquid in [&mut whole, &mut again, &mut reversed, &mut shuffled] {
        let mut settings = empty.liquid().clone();
        for _ in 0..200 {
            assert_eq!(liquid.step(&mut settings, TICK).expect("valid"), 1);
        }
        bits.push(liquid.read_particles().expect("read"));
    }
    assert_ne!(bits[0], particles, "it has moved");
    assert!(bits.iter().all(|other| *other == bits[0]));
}

#[test]
fn substeps_and_a_grid_that_follow_reports_change_no_bit() {
    let Some(both) = device() else { return };
    let substeps = Substeps::Automatic { compression: 0.005, max: 20 };
    let mut empty = world(FluidParameters { substeps, ..FluidParameters::default() });
    let mut column = empty.clone();
    block(&mut column, Vec2::ZERO, (20, 60), ClassId::MEDIUM);
    let mut runs = Vec::new();
    // With pauses for the reports to arrive, and without.
    for pause in [0, 3, 0] {
        let mut liquid = on(&both, &column);
        liquid.set_exact(true);
        empty.reset_clock();
        let mut settings = empty.liquid().clone();
        let mut substeps = Vec::new();
        for tick in 0..90 {
            substeps.push(liquid.step(&mut settings, TICK).expect("valid"));
            std::thread::sleep(std::time::Duration::from_millis(tick % 7 * pause));
        }
        runs.push((substeps, liquid.read_particles().expect("read")));
    }
    println!("substeps {:?}", runs[0].0);
    assert!(runs[0].0.iter().max() > Some(&1));
    assert!(runs.iter().all(|run| *run == runs[0]));
}

/// From which tick on nothing is submitted does not depend on when reports arrive.
#[test]
fn what_sleeps_changes_no_bit() {
    let Some(both) = device() else { return };
    let mut settings = world_that_sleeps();
    tank(&mut settings, 40.0, 30.0);
    let mut pool = settings.clone();
    block(&mut pool, Vec2::ZERO, (40, 8), ClassId::MEDIUM);
    let mut runs = Vec::new();
    for waits in [false, true] {
        let mut liquid = on(&both, &pool);
        liquid.set_exact(true);
        let mut settings = settings.liquid().clone();
        let mut left_out = None;
        for tick in 0..1500 {
            let substeps = liquid.step(&mut settings, TICK).expect("valid");
            if waits {
                liquid.wait_for_report().expect("works");
            }
            if substeps == 0 {
                left_out = Some(tick);
                break;
            }
        }
        runs.push((left_out, liquid.read_particles().expect("read")));
    }
    println!("left out from tick {:?} on", runs[0].0);
    assert!(runs[0].0.is_some());
    assert!(runs[0] == runs[1], "then {:?}", runs[1].0);
}

#[test]
fn ids_and_classes_are_checked_and_capacity_grows() {
    let Some(both) = device() else { return };
    let mut world = world(FluidParameters::default());
    let mut liquid = on(&both, &world);
    let particle = |id| GpuParticle { id, ..GpuParticle::default() };
    liquid.insert(&[particle(7)]).expect("new");
    assert!(matches!(liquid.insert(&[particle(8), particle(7)]), Err(GpuError::IdInUse(7))));
    assert!(matches!(liquid.insert(&[particle(8), particle(8)]), Err(GpuError::IdInUse(8))));
    let stranger = GpuParticle { class: ClassId(9), ..particle(9) };
    let error = liquid.insert(&[stranger]).expect_err("refused");
    assert_eq!(error.to_string(), "class 9 does not exist: the table holds 3");
    assert_eq!(liquid.len(), 1, "nothing is added with an error");

    let before = liquid.capacity();
    let many: Vec<_> = (10..10 + 2 * before as u32).map(particle).collect();
    liquid.insert(&many).expect("grown");
    assert!(liquid.capacity() > 2 * before);
    assert_eq!(liquid.read_particles().expect("read").len(), liquid.len());

    let most = both.0.limits().max_storage_buffer_binding_size;
    let error = liquid.reserve(most as usize).expect_err("too many");
    assert!(matches!(error, GpuError::TooManyParticles { .. }), "{error}");
    assert_eq!(liquid.step(world.liquid_mut(), TICK).expect("goes on"), 1);
}

/// With a table that lacks the classes of particles, these would read other tables as their coefficients.
#[test]
fn a_class_table_without_the_classes_of_particles_is_refused() {
    let Some(both) = device() else { return };
    let mut world = world(FluidParameters::default());
    let three = world.classes().clone();
    let two = ClassTable::new(three.iter().take(2).cloned().collect()).expect("valid");
    let mut liquid = on(&both, &world);
    let of_class = |class| GpuParticle { class: ClassId(class), ..GpuParticle::default() };
    let refused = |liquid: &mut GpuLiquid, world: &mut FluidWorld| {
        let before = (world.liquid().ticks(), liquid.tick());
        let error = liquid.step(world.liquid_mut(), TICK).expect_err("refused");
        assert_eq!(error.to_string(), "class 2 does not exist: the table holds 2");
        assert_eq!((world.liquid().ticks(), liquid.tick()), before, "nothing is changed");
    };
    liquid.append(&[of_class(2)]).expect("added");
    // Before its first tick, and after it.
    for _ in 0..2 {
        world.set_classes(two.clone()).expect("none in the core");
        refused(&mut liquid, &mut world);
        world.set_classes(three.clone()).expect("valid");
        liquid.step(world.liquid_mut(), TICK).expect("valid");
    }
    // Once it is gone, two classes will do, and no other may come.
    liquid.recycle_oldest(1);
    liquid.step(world.liquid_mut(), TICK).expect("valid");
    world.set_classes(two.clone()).expect("none in the core");
    liquid.step(world.liquid_mut(), TICK).expect("valid");
    let error = liquid.append(&[of_class(2)]).expect_err("refused");
    assert!(matches!(error, GpuError::UnknownClass { class: 2, classes: 2 }), "{error}");
    // What heat makes of particles counts as well.
    let becomes = three[ClassId(2)].name.clone();
    let above = Some(FluidTransition { temperature: 50.0, becomes });
    let mut hot: Vec<_> = three.iter().cloned().collect();
    hot[0].thermal = FluidThermal { temperature: Some(100.0), above, ..FluidThermal::default() };
    world.set_classes(ClassTable::new(hot).expect("valid")).expect("none in the core");
    liquid.append(&[of_class(0)]).expect("added");
    liquid.step(world.liquid_mut(), TICK).expect("valid");
    world.set_classes(two).expect("none in the core");
    refused(&mut liquid, &mut world);
}

#[test]
fn a_device_takes_few_bytes_of_memory_per_particle() {
    let Some(both) = device() else { return };
    // A full tank: a particle needs its cells as well.
    let mut world = world(FluidParameters::default());
    tank(&mut world, 100.0, 100.0);
    let mut liquid = on(&both, &world);
    liquid.reserve(10_000).expect("room");
    let bytes = liquid.device_bytes() as f32 / 10_000.0;
    println!("{bytes} bytes per particle");
    assert!(bytes <= 160.0, "{bytes}");
}
