//! Blobs and emitters add liquid, drains remove it, tanks store it and pumps move it.

mod backpressure;
pub(crate) mod blob;
pub(crate) mod drain;
pub(crate) mod emitter;
pub(crate) mod pump;
pub(crate) mod tank;
