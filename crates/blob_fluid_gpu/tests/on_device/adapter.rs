//! A device for tests, with WebGPU's default limits.
//!
//! Without an adapter tests say so and pass; with `BLOB_FLUID_REQUIRE_GPU=1` they fail.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{LazyLock, Mutex, MutexGuard, OnceLock, PoisonError};

use blob_fluid::Liquid;
use blob_fluid_gpu::{GpuLiquid, Shaders};
use wgpu::{Device, DeviceDescriptor, Features, Instance, Limits, Queue, RequestAdapterOptions};

/// A device of its own, or `None` without an adapter.
pub fn new_device() -> Option<(Device, Queue)> {
    new_device_with(Limits::default())
}

/// The same, with other limits.
pub fn new_device_with(required_limits: Limits) -> Option<(Device, Queue)> {
    let instance = Instance::default();
    let request = instance.request_adapter(&RequestAdapterOptions::default());
    let adapter = futures_lite::future::block_on(request).ok()?;
    let descriptor = DeviceDescriptor {
        required_features: adapter.features() & Features::TIMESTAMP_QUERY,
        required_limits,
        ..DeviceDescriptor::default()
    };
    futures_lite::future::block_on(adapter.request_device(&descriptor)).ok()
}

/// Devices of this program: two tests at a time, because one does not keep a processor that draws busy.
const DEVICES: usize = 2;

/// Of how many tests' threads the device was chosen.
static CHOSEN: AtomicUsize = AtomicUsize::new(0);

/// Index of the device of this thread's test.
fn mine() -> usize {
    thread_local! {
        static MINE: usize = CHOSEN.fetch_add(1, Relaxed) % DEVICES;
    }
    MINE.with(|mine| *mine)
}

/// A device for one test at a time, or `None` without an adapter.
pub fn device() -> Option<MutexGuard<'static, (Device, Queue)>> {
    static FOUND: OnceLock<Option<[Mutex<(Device, Queue)>; DEVICES]>> = OnceLock::new();
    let some = || {
        let devices: Option<Vec<_>> = (0..DEVICES).map(|_| new_device().map(Mutex::new)).collect();
        devices?.try_into().ok()
    };
    let found = FOUND.get_or_init(some).as_ref();
    let required = std::env::var("BLOB_FLUID_REQUIRE_GPU").is_ok_and(|value| value == "1");
    assert!(found.is_some() || !required, "BLOB_FLUID_REQUIRE_GPU is set, but there is no adapter");
    if found.is_none() {
        println!("skipped: no graphics adapter (one: apt-get install mesa-vulkan-drivers)");
    }
    // A test that has failed leaves a device that still works.
    Some(found?[mine()].lock().unwrap_or_else(PoisonError::into_inner))
}

/// The shaders of all tests on this thread's device, so that each is compiled once.
pub fn shaders() -> Shaders {
    static SHADERS: LazyLock<[Shaders; DEVICES]> = LazyLock::new(Default::default);
    SHADERS[mine()].clone()
}

/// A liquid on this thread's device.
pub fn on(both: &(Device, Queue), liquid: &Liquid) -> GpuLiquid {
    on_with(both, liquid, &shaders())
}

/// The same, with other shaders.
pub fn on_with((device, queue): &(Device, Queue), liquid: &Liquid, shaders: &Shaders) -> GpuLiquid {
    GpuLiquid::with_shaders(device, queue, liquid, shaders).expect("taken")
}
