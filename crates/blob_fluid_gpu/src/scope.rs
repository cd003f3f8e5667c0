//! Errors of a device, which would otherwise end the program.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use wgpu::{
    Buffer, BufferDescriptor, BufferUsages, Device, Error, ErrorFilter, ErrorScopeGuard, PollType,
    Queue,
};

use crate::error::GpuError;

/// Does what may go wrong on a device that is lost or whose memory is full. What is made there then is invalid, and is an
/// error as soon as it is used; what is written to buffers that are there is ignored, so the device is asked at the end.
/// Browsers tell errors later, elsewhere.
pub(crate) fn guarded<T>(
    on: (&Device, &Queue),
    work: impl FnOnce() -> Result<T, GpuError>,
) -> Result<T, GpuError> {
    match scoped(on.0, work) {
        Err(full @ GpuError::OutOfMemory(_)) => Err(full),
        done => check_there(on).and(done),
    }
}

/// Does what may be an error of a device in error scopes.
fn scoped<T>(device: &Device, work: impl FnOnce() -> Result<T, GpuError>) -> Result<T, GpuError> {
    let full = device.push_error_scope(ErrorFilter::OutOfMemory);
    let invalid = device.push_error_scope(ErrorFilter::Validation);
    let done = work();
    let (invalid, full) = (popped(invalid), popped(full));
    match (full, invalid) {
        (Some(error), _) => Err(GpuError::OutOfMemory(error.to_string())),
        (None, Some(error)) => Err(no_answer(error)),
        (None, None) => done,
    }
}

/// A new buffer, if the device has room for it. It is not mapped, because on a lost device that would panic.
pub(crate) fn buffer(
    device: &Device,
    label: &str,
    size: u64,
    usage: BufferUsages,
) -> Result<Buffer, GpuError> {
    scoped(device, || Ok(create(device, label, size, usage))).map_err(|error| match error {
        GpuError::OutOfMemory(_) => {
            GpuError::OutOfMemory(format!("it has no {size} bytes for `{label}`"))
        }
        error => error,
    })
}

fn create(device: &Device, label: &str, size: u64, usage: BufferUsages) -> Buffer {
    let label = Some(label);
    device.create_buffer(&BufferDescriptor { label, size, usage, mapped_at_creation: false })
}

/// Refuses a lost device. It says that it is lost only of what is used after it was made since.
pub(crate) fn check_there(on: (&Device, &Queue)) -> Result<(), GpuError> {
    let probe = || {
        // To write nothing takes no memory, and is an error if the buffer is invalid.
        on.1.write_buffer(&create(on.0, "check_there", 4, BufferUsages::COPY_DST), 0, &[]);
        Ok(())
    };
    match scoped(on.0, probe) {
        Err(GpuError::NoAnswer(_)) => Err(GpuError::Lost),
        // One whose memory is full is there.
        _ => Ok(()),
    }
}

/// Takes note of what the device has done. A lost one is not asked: that may panic.
pub(crate) fn poll(on: (&Device, &Queue), how: PollType) -> Result<(), GpuError> {
    check_there(on)?;
    on.0.poll(how).map(|_| ()).map_err(no_answer)
}

/// Reads the first bytes of a buffer that was mapped, and unmaps it. What a lost device has mapped is gone.
pub(crate) fn read_mapped<T>(
    on: (&Device, &Queue),
    buffer: &Buffer,
    bytes: u64,
    read: impl FnOnce(&[u8]) -> T,
) -> Result<T, GpuError> {
    check_there(on)?;
    let done = read(&buffer.get_mapped_range(..bytes));
    buffer.unmap();
    Ok(done)
}

pub(crate) fn no_answer(error: impl std::fmt::Display) -> GpuError {
    GpuError::NoAnswer(error.to_string())
}

/// The error of a scope, if it is known already, as it is natively.
fn popped(scope: ErrorScopeGuard) -> Option<Error> {
    let mut popped = pin!(scope.pop());
    match popped.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(error) => error,
        Poll::Pending => None,
    }
}
