//! A device for tests, with WebGPU's default limits.
//!
//! Without an adapter tests say so and pass; with `BLOB_FLUID_REQUIRE_GPU=1` they fail.

use std::sync::{LazyLock, Mutex, MutexGuard, OnceLock, PoisonError};

use blob_fluid_gpu::Shaders;
use wgpu::{Device, DeviceDescriptor, Features, Instance, Limits, Queue, RequestAdapterOptions};

/// A device of its own, or `None` without an adapter.
pub fn new_device() -> Option<(Device, Queue)> {
    let instance = Instance::default();
    let request = instance.request_adapter(&RequestAdapterOptions::default());
    let adapter = futures_lite::future::block_on(request).ok()?;
    let descriptor = DeviceDescriptor {
        required_features: adapter.features() & Features::TIMESTAMP_QUERY,
        required_limits: Limits::default(),
        ..DeviceDescriptor::default()
    };
    futures_lite::future::block_on(adapter.request_device(&descriptor)).ok()
}

/// The device of this program, for one test at a time, or `None` without an adapter.
pub fn device() -> Option<MutexGuard<'static, (Device, Queue)>> {
    static DEVICE: OnceLock<Option<Mutex<(Device, Queue)>>> = OnceLock::new();
    let found = DEVICE.get_or_init(|| new_device().map(Mutex::new));
    let required = std::env::var("BLOB_FLUID_REQUIRE_GPU").is_ok_and(|value| value == "1");
    assert!(found.is_some() || !required, "BLOB_FLUID_REQUIRE_GPU is set, but there is no adapter");
    if found.is_none() {
        println!("skipped: no graphics adapter (one: apt-get install mesa-vulkan-drivers)");
    }
    // A test that has failed leaves a device that still works.
    Some(found.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner))
}

/// The shaders of all tests, so that each is compiled once.
pub fn shaders() -> Shaders {
    static SHADERS: LazyLock<Shaders> = LazyLock::new(Shaders::default);
    SHADERS.clone()
}
