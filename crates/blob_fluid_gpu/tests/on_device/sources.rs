//! Particles come and go.

use blob_fluid::{ClassId, FluidParameters};
use blob_fluid_gpu::{GpuError, GpuLiquid, GpuParticle};
use glam::Vec2;

use crate::adapter::device;
use crate::liquids::{TICK, tank, world};

#[test]
fn appended_particles_get_consecutive_ids() {
    let Some(both) = device() else { return };
    let (device, queue) = &*both;
    let mut world = world(FluidParameters::default());
    tank(&mut world, 20.0, 20.0);
    let mut liquid = GpuLiquid::new(device, queue, world.liquid()).expect("taken");
    let particle = |index: u32| GpuParticle {
        id: 77,
        position: Vec2::new(20.0 + 3.0 * (index % 50) as f32, 20.0 + 3.0 * (index / 50) as f32),
        ..GpuParticle::default()
    };
    let particles: Vec<_> = (0..100).map(particle).collect();
    assert_eq!(liquid.append(&particles[..10]).expect("added"), 0..10);
    liquid.insert(&[GpuParticle { id: 20, ..particles[10] }]).expect("added");
    let stranger = GpuParticle { class: ClassId(9), ..particles[0] };
    assert!(matches!(liquid.append(&[stranger]), Err(GpuError::UnknownClass { .. })));
    assert_eq!(liquid.append(&particles[11..]).expect("added"), 21..110);
    assert!(matches!(
        liquid.insert(&[GpuParticle { id: 50, ..particles[0] }]),
        Err(GpuError::IdInUse(50))
    ));
    liquid.step(world.liquid_mut(), TICK).expect("valid");
    let ids = liquid.read_particles().expect("read").into_iter().map(|particle| particle.id);
    assert!(ids.eq((0..10).chain(20..110)));

    let last = GpuParticle { id: u32::MAX - 1, ..particles[0] };
    liquid.insert(&[last]).expect("added");
    assert!(matches!(liquid.append(&particles[..1]), Err(GpuError::NoMoreIds)));
    assert_eq!(liquid.len(), 101);
}

#[test]
fn a_million_particles_are_appended_at_once() {
    let Some(both) = device() else { return };
    let (device, queue) = &*both;
    let world = world(FluidParameters::default());
    let mut liquid = GpuLiquid::new(device, queue, world.liquid()).expect("taken");
    liquid.append(&vec![GpuParticle::default(); 10]).expect("added");
    let million = vec![GpuParticle::default(); 1_000_000];
    let begin = std::time::Instant::now();
    assert_eq!(liquid.append(&million).expect("added"), 10..1_000_010);
    let seconds = begin.elapsed().as_secs_f32();
    println!("a million particles appended in {seconds} s");
    assert_eq!(liquid.len(), 1_000_010);
}
