//! The graphics adapter of this machine, and times of passes there.

use std::collections::BTreeMap;
use std::error::Error;

use blob_fluid::FluidWorld;
use blob_fluid_gpu::{GpuLiquid, GpuPass};
use wgpu::{
    Device, DeviceDescriptor, Features, Instance, PowerPreference, Queue, RequestAdapterOptions,
};

/// A device on the adapter that is likely the fastest, with timestamps where it has them; prints which it is.
pub fn open() -> Result<(Device, Queue), Box<dyn Error>> {
    let options = RequestAdapterOptions {
        power_preference: PowerPreference::HighPerformance,
        ..RequestAdapterOptions::default()
    };
    let instance = Instance::default();
    let adapter = futures_lite::future::block_on(instance.request_adapter(&options))?;
    println!("{}, {}", adapter.get_info().name, adapter.get_info().driver_info);
    let descriptor = DeviceDescriptor {
        required_features: adapter.features() & Features::TIMESTAMP_QUERY,
        required_limits: adapter.limits(),
        ..DeviceDescriptor::default()
    };
    Ok(futures_lite::future::block_on(adapter.request_device(&descriptor))?)
}

/// Prints the times of each pass in the next ten ticks, in the mean.
pub fn print_times(
    liquid: &mut GpuLiquid,
    world: &mut FluidWorld,
    time_step: f32,
) -> Result<(), Box<dyn Error>> {
    const TICKS: u32 = 10;
    let mut sums = BTreeMap::<GpuPass, f64>::new();
    for _ in 0..TICKS {
        for time in liquid.step_timed(world.liquid_mut(), time_step)? {
            *sums.entry(time.pass).or_default() += time.milliseconds / f64::from(TICKS);
        }
    }
    for (pass, milliseconds) in &sums {
        println!("{:>16} {milliseconds:9.3} ms", pass.name());
    }
    println!("{:>16} {:9.3} ms a tick", "sum", sums.values().sum::<f64>());
    Ok(())
}
