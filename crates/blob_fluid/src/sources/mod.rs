//! Blobs and emitters add liquid, and drains remove it.

pub(crate) mod blob;
pub(crate) mod crowd;
pub(crate) mod drain;
pub(crate) mod emitter;
pub(crate) mod free_places;
