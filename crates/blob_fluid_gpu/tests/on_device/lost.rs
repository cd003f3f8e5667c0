//! A device that is lost gives errors.

use blob_fluid::{ClassFilter, ClassId, FluidParameters, FluidRegion, Force};
use blob_fluid_gpu::{GpuDrain, GpuError, GpuInstances, GpuLiquid, GpuParticle};
use glam::Vec2;

use crate::adapter::{device, new_device};
use crate::liquids::{TICK, block, tank, world};

#[test]
fn a_lost_device_gives_errors_and_never_panics() {
    if device().is_none() {
        return;
    }
    for ticks in [0, 3] {
        let (device, queue) = new_device().expect("another one");
        let mut world = world(FluidParameters::default());
        tank(&mut world, 30.0, 30.0);
        block(&mut world, Vec2::ZERO, (20, 20), ClassId::MEDIUM);
        let mut liquid = GpuLiquid::new(&device, &queue, world.liquid()).expect("taken");
        let mut instances = GpuInstances::new(&device);
        for _ in 0..ticks {
            liquid.step(world.liquid_mut(), TICK).expect("works");
        }
        device.destroy();
        // What goes into buffers that are there is ignored, or is an error; the next step says so.
        let _ = liquid.append(&[GpuParticle::default(); 3]);
        let _ = liquid.reserve(100_000);
        let _ = liquid.apply_impulse(&Force { drag: 1.0, ..Force::default() });
        let region = FluidRegion::circle(Vec2::ZERO, 10.0).expect("valid");
        let drain = GpuDrain { region, classes: ClassFilter::ALL, most: 1, channel: 0 };
        liquid.drain(drain).expect("waits");
        let lost = |result: Result<(), GpuError>| {
            let error = result.expect_err("lost");
            assert!(matches!(error, GpuError::NoAnswer(_)), "{error}");
        };
        for exact in [false, true, false, true] {
            liquid.set_exact(exact);
            lost(liquid.step(world.liquid_mut(), TICK).map(|_| ()));
        }
        let _ = instances.write(&liquid, TICK, 0.9, None).map(|_| ());
        let _ = liquid.report().map(|_| ());
        let _ = liquid.wait_for_report().map(|_| ());
        lost(liquid.read_particles().map(|_| ()));
        lost(liquid.read_sorted_particles().map(|_| ()));
        if liquid.wgpu_device().features().contains(wgpu::Features::TIMESTAMP_QUERY) {
            lost(liquid.step_timed(world.liquid_mut(), TICK).map(|_| ()));
        }
        lost(GpuLiquid::new(&device, &queue, world.liquid()).map(|_| ()));
    }
}
