//! Copies to the GPU and from it.

use std::mem;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::sync::{Mutex, PoisonError, mpsc};

use wgpu::{
    Buffer, BufferAsyncError, BufferUsages, CommandEncoderDescriptor, Device, MapMode, PollType,
    Queue,
};

use crate::error::GpuError;
use crate::scope::{buffer, guarded, no_answer, poll, read_mapped};

/// A new storage buffer with these bytes.
pub(crate) fn upload(
    device: &Device,
    queue: &Queue,
    label: &str,
    bytes: &[u8],
) -> Result<Buffer, GpuError> {
    let usage = BufferUsages::STORAGE | BufferUsages::COPY_DST;
    let buffer = buffer(device, label, bytes.len() as u64, usage)?;
    queue.write_buffer(&buffer, 0, bytes);
    Ok(buffer)
}

/// A copy of the first bytes of buffers, concatenated, in flight from the GPU.
#[derive(Debug)]
pub(crate) struct Copy {
    device: Device,
    queue: Queue,
    /// `None` for a copy of 0 bytes, and after the bytes were taken.
    buffer: Option<Buffer>,
    /// Receives the arrival of the bytes. Only [`Copy::take`] and [`Copy::wait`] lock it.
    arrived: Mutex<Receiver<Result<(), BufferAsyncError>>>,
    none: bool,
}

impl Copy {
    /// Requests the first bytes of each buffer, after all submitted work.
    pub(crate) fn of(
        device: &Device,
        queue: &Queue,
        sources: &[(&Buffer, u64)],
    ) -> Result<Self, GpuError> {
        let (sender, arrived) = mpsc::channel();
        let bytes: u64 = sources.iter().map(|(_, bytes)| bytes).sum();
        let request = || {
            if bytes == 0 {
                return Ok(None);
            }
            let usage = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
            let copy = buffer(device, "copy", bytes, usage)?;
            let mut encoder =
                device.create_command_encoder(&CommandEncoderDescriptor { label: Some("copy") });
            let mut end = 0;
            for (buffer, bytes) in sources {
                encoder.copy_buffer_to_buffer(buffer, 0, &copy, end, *bytes);
                end += bytes;
            }
            queue.submit([encoder.finish()]);
            copy.map_async(MapMode::Read, .., move |result| {
                // The receiver is gone if waiting has failed.
                _ = sender.send(result);
            });
            Ok(Some(copy))
        };
        let buffer = guarded((device, queue), request)?;
        let (device, queue, none) = (device.clone(), queue.clone(), buffer.is_none());
        Ok(Self { device, queue, buffer, arrived: Mutex::new(arrived), none })
    }

    /// The bytes, if they have arrived; `None` after they were taken.
    pub(crate) fn take(&mut self) -> Result<Option<Vec<u8>>, GpuError> {
        if mem::take(&mut self.none) {
            return Ok(Some(Vec::new()));
        }
        if self.buffer.is_none() {
            return Ok(None);
        }
        let on = (&self.device, &self.queue);
        poll(on, PollType::Poll)?;
        let arrived = self.arrived.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mapped = match arrived.try_recv() {
            Ok(mapped) => mapped,
            Err(TryRecvError::Empty) => return Ok(None),
            Err(error) => return Err(no_answer(error)),
        };
        let Some(buffer) = self.buffer.take() else { return Ok(None) };
        mapped.map_err(no_answer)?;
        read_mapped(on, &buffer, buffer.size(), <[u8]>::to_vec).map(Some)
    }

    /// Waits for the bytes.
    pub(crate) fn wait(self) -> Result<Vec<u8>, GpuError> {
        if self.none {
            return Ok(Vec::new());
        }
        let Some(buffer) = self.buffer else { return Err(no_answer("it was taken")) };
        let on = (&self.device, &self.queue);
        poll(on, PollType::wait_indefinitely())?;
        let arrived = self.arrived.into_inner().unwrap_or_else(PoisonError::into_inner);
        // If several threads wait for a device, another thread may run the callback a little later.
        arrived.recv().map_err(no_answer)?.map_err(no_answer)?;
        read_mapped(on, &buffer, buffer.size(), <[u8]>::to_vec)
    }
}
