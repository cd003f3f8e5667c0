//! Where liquid comes in and goes out.

pub(crate) mod drain;
pub(crate) mod emitter;
