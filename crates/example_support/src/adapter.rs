//! What this machine can draw with.

use bevy::render::settings::Backends;

/// Whether a window can be opened.
pub(crate) fn has_display() -> bool {
    if cfg!(not(all(unix, not(target_os = "macos"), not(target_arch = "wasm32")))) {
        return true;
    }
    std::env::var_os("DISPLAY").is_some_and(|display| !display.is_empty())
}

/// The graphics interfaces through which an adapter was found.
///
/// Without a display only Vulkan is asked: the others need one, and complain on the terminal.
pub(crate) fn find_adapter() -> Option<Backends> {
    if cfg!(target_arch = "wasm32") {
        return Some(Backends::all());
    }
    let others = if has_display() { Backends::all() } else { Backends::empty() };
    [Backends::VULKAN, others].into_iter().find(|backends| {
        let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
        descriptor.backends = *backends;
        let request = wgpu::RequestAdapterOptions::default();
        let instance = wgpu::Instance::new(descriptor);
        bevy::tasks::block_on(instance.request_adapter(&request)).is_ok()
    })
}
