//! Blobs and emitters add liquid, drains remove it, tanks store it and pumps move it.

mod backpressure;
pub(crate) mod blob;
pub(crate) mod crowd;
pub(crate) mod drain;
pub(crate) mod emitter;
pub(crate) mod free_places;
mod lift;
mod openings;
pub(crate) mod pump;
pub(crate) mod tank;
