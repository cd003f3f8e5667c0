//! Emitters add liquid, and drains remove it.

pub(crate) mod drain;
pub(crate) mod emitter;
