//! What is run natively and in WebAssembly, to compare times and bits.
//!
//! Natively it is a library of the bench of peers, and the program `state_hashes`. For `wasm32` it
//! exports functions that need no glue: see `exports.rs`.

#[cfg(target_arch = "wasm32")]
mod exports;
pub mod hashes;
pub mod scene;
pub mod setting;
