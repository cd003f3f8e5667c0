//! Threads and vector instructions: how one computation runs over many particles.

pub(crate) mod executor;
pub(crate) mod instructions;
