//! Copies to the device, and from it.

use std::mem;
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::sync::{Mutex, PoisonError};

use wgpu::{
    Buffer, BufferAsyncError, BufferDescriptor, BufferUsages, CommandEncoderDescriptor, Device,
    MapMode, PollType, Queue,
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

/// The first bytes of buffers, one after the other, which are on their way from the device.
#[derive(Debug)]
pub(crate) struct Copy {
    /// `None` for no bytes, and after they were taken.
    buffer: Option<Buffer>,
    /// Whether they have arrived. Nothing but [`Copy::take`] and [`Copy::wait`] locks it.
    arrived: Mutex<Receiver<Result<(), BufferAsyncError>>>,
    none: bool,
}

impl Copy {
    /// Asks for the first bytes of each buffer, when the device has done all that was submitted.
    pub(crate) fn of(
        device: &Device,
        queue: &Queue,
        sources: &[(&Buffer, u64)],
    ) -> Result<Self, GpuError> {
        let (sender, arrived) = mpsc::channel();
        let bytes: u64 = sources.iter().map(|(_, bytes)| bytes).sum();
        let request = || {
            let copy = device.create_buffer(&BufferDescriptor {
                label: Some("copy"),
                size: bytes,
                usage: BufferUsages::MAP_READ | BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
            let mut encoder =
                device.create_command_encoder(&CommandEncoderDescriptor { label: Some("copy") });
            let mut end = 0;
            for (buffer, bytes) in sources {
                encoder.copy_buffer_to_buffer(buffer, 0, &copy, end, *bytes);
                end += bytes;
            }
            queue.submit([encoder.finish()]);
            copy.map_async(MapMode::Read, .., move |result| {
                // Nobody listens any more if waiting has failed.
                _ = sender.send(result);
            });
            Ok(copy)
        };
        let none = bytes == 0;
        let buffer = if none { None } else { Some(guarded(device, request)?) };
        Ok(Self { buffer, arrived: Mutex::new(arrived), none })
    }

    /// The bytes, once, if they have arrived.
    pub(crate) fn take(&mut self, device: &Device) -> Result<Option<Vec<u8>>, GpuError> {
        if mem::take(&mut self.none) {
            return Ok(Some(Vec::new()));
        }
        if self.buffer.is_none() {
            return Ok(None);
        }
        device.poll(PollType::Poll).map_err(no_answer)?;
        let arrived = self.arrived.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mapped = match arrived.try_recv() {
            Ok(mapped) => mapped,
            Err(TryRecvError::Empty) => return Ok(None),
            Err(error) => return Err(no_answer(error)),
        };
        let buffer = self.buffer.take();
        mapped.map_err(no_answer)?;
        Ok(buffer.map(|buffer| buffer.get_mapped_range(..).to_vec()))
    }

    /// Waits for the bytes.
    pub(crate) fn wait(self, device: &Device) -> Result<Vec<u8>, GpuError> {
        if self.none {
            return Ok(Vec::new());
        }
        let Some(buffer) = self.buffer else { return Err(no_answer("it was taken")) };
        guarded(device, || {
            device.poll(PollType::wait_indefinitely()).map_err(no_answer)?;
            let arrived = self.arrived.into_inner().unwrap_or_else(PoisonError::into_inner);
            // Where several threads wait for a device, another one may be about to call back.
            arrived.recv().map_err(no_answer)?.map_err(no_answer)?;
            Ok(buffer.get_mapped_range(..).to_vec())
        })
    }
}

fn no_answer(error: impl std::fmt::Display) -> GpuError {
    GpuError::NoAnswer(error.to_string())
}
