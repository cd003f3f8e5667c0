//! Copies to the device, and copies from it, which wait for it.

use std::sync::mpsc;

use wgpu::{
    Buffer, BufferDescriptor, BufferUsages, CommandEncoderDescriptor, Device, MapMode, PollType,
    Queue,
};

use crate::error::GpuError;
use crate::scope::guarded;

/// A new storage buffer that holds these bytes. It is not mapped, because on a lost device that would panic.
pub(crate) fn upload(device: &Device, queue: &Queue, label: &str, bytes: &[u8]) -> Buffer {
    let buffer = device.create_buffer(&BufferDescriptor {
        label: Some(label),
        size: bytes.len() as u64,
        usage: BufferUsages::STORAGE | BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    queue.write_buffer(&buffer, 0, bytes);
    buffer
}

/// The first `bytes` of a buffer, when the device has done all that was submitted.
pub(crate) fn read_buffer(
    device: &Device,
    queue: &Queue,
    buffer: &Buffer,
    bytes: u64,
) -> Result<Vec<u8>, GpuError> {
    if bytes == 0 {
        return Ok(Vec::new());
    }
    guarded(device, || read(device, queue, buffer, bytes))
}

fn read(device: &Device, queue: &Queue, buffer: &Buffer, bytes: u64) -> Result<Vec<u8>, GpuError> {
    let copy = device.create_buffer(&BufferDescriptor {
        label: Some("copy"),
        size: bytes,
        usage: BufferUsages::MAP_READ | BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let mut encoder =
        device.create_command_encoder(&CommandEncoderDescriptor { label: Some("copy") });
    encoder.copy_buffer_to_buffer(buffer, 0, &copy, 0, bytes);
    queue.submit([encoder.finish()]);
    let (sender, receiver) = mpsc::channel();
    copy.map_async(MapMode::Read, .., move |result| {
        // Nobody listens any more if waiting has failed.
        _ = sender.send(result);
    });
    let no_answer = |error: &dyn std::fmt::Display| GpuError::NoAnswer(error.to_string());
    device.poll(PollType::wait_indefinitely()).map_err(|error| no_answer(&error))?;
    // Where several threads wait for a device, another one may be about to call back.
    let mapped = receiver.recv().map_err(|error| no_answer(&error))?;
    mapped.map_err(|error| no_answer(&error))?;
    Ok(copy.get_mapped_range(..).to_vec())
}
