//! What must hold for any bytes, whoever made them.
//!
//! Each function takes bytes, makes a sequence of calls or a file of them, and panics where something does not hold that
//! docs/reliability.md promises. `tests/random_inputs.rs` gives them random bytes; `fuzz/` is what cargo-fuzz runs, which
//! looks for bytes that reach code that no other bytes did:
//!
//! ```text
//! cd crates/fuzzing && cargo run --bin write_seeds
//! cargo +nightly fuzz run operations -- -max_total_time=1800 -timeout=20
//! ```

mod calls;
mod entries;
mod files;
mod host;
mod number;
mod operations;
mod seeds;

pub use entries::entries;
pub use files::{film, material, recording, scene, snapshot};
pub use operations::operations;
pub use seeds::{Seed, random_bytes, seeds};

/// A function of this crate, by the name that cargo-fuzz knows it by.
pub type Target = (&'static str, fn(&[u8]));

/// All of them.
pub const TARGETS: [Target; 7] = [
    ("operations", operations),
    ("scene", scene),
    ("material", material),
    ("snapshot", snapshot),
    ("entries", entries),
    ("recording", recording),
    ("film", film),
];
