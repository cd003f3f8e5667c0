//! Errors of a device, which would otherwise end the program.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use wgpu::{BufferDescriptor, BufferUsages, Device, Error, ErrorFilter, ErrorScopeGuard, Queue};

use crate::error::GpuError;

/// Does what may go wrong on a device that is lost or whose memory is full: what is made then is invalid, and
/// is an error as soon as it is used. Browsers tell errors later, elsewhere.
pub(crate) fn guarded<T>(
    device: &Device,
    work: impl FnOnce() -> Result<T, GpuError>,
) -> Result<T, GpuError> {
    let full = device.push_error_scope(ErrorFilter::OutOfMemory);
    let invalid = device.push_error_scope(ErrorFilter::Validation);
    let done = work();
    let (invalid, full) = (popped(invalid), popped(full));
    match (full, invalid) {
        (Some(error), _) => Err(GpuError::OutOfMemory(error.to_string())),
        (None, Some(error)) => Err(GpuError::NoAnswer(error.to_string())),
        (None, None) => done,
    }
}

/// Whether a device still makes buffers. A lost one says so only of what it has made since.
pub(crate) fn is_there(device: &Device, queue: &Queue) -> bool {
    let write = || {
        let buffer = device.create_buffer(&BufferDescriptor {
            label: Some("is_there"),
            size: 4,
            usage: BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        queue.write_buffer(&buffer, 0, &[0; 4]);
        Ok(())
    };
    guarded(device, write).is_ok()
}

/// The error of a scope, if it is known already, as it is natively.
fn popped(scope: ErrorScopeGuard) -> Option<Error> {
    let mut popped = pin!(scope.pop());
    match popped.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(error) => error,
        Poll::Pending => None,
    }
}
