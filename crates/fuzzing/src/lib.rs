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
mod files;
mod host;

use arbitrary::{Arbitrary, Unstructured};

use crate::calls::Call;
use crate::host::Host;

pub use files::{Seed, entries, film, material, random_bytes, recording, scene, seeds, snapshot};

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

// A world that is called in any order with any numbers.

/// Most calls of a sequence.
const MOST_CALLS: usize = 60;

/// Makes calls until the bytes are used up. What is refused changes nothing; nothing is lost or not finite; snapshots
/// and recordings of what came of it go on with the same bits.
///
/// # Panics
///
/// If one of these does not hold.
pub fn operations(bytes: &[u8]) {
    let mut bytes = Unstructured::new(bytes);
    let mut host = Host::new();
    let mut calls = Calls(Vec::new());
    for _ in 0..MOST_CALLS {
        let Ok(call) = Call::arbitrary(&mut bytes) else { break };
        calls.0.push(call);
        make(&mut host, call);
        if bytes.is_empty() {
            break;
        }
    }
    host.end();
}

/// The calls so far, which are printed where one of them fails.
struct Calls(Vec<Call>);

impl Drop for Calls {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.iter().for_each(|call| eprintln!("{call:?}"));
        }
    }
}

/// Makes a call, which changes nothing if it is refused and loses nothing.
fn make(host: &mut Host, call: Call) {
    let before = host.world.deep_hash();
    if let Err(error) = host.make(call) {
        let changed: Vec<_> = before.differences(&host.world.deep_hash()).collect();
        let what = format!("{call:?} was refused ({error})");
        assert!(changed.is_empty(), "{what}, and changed {changed:?}");
    }
    let removed = host.count_removed() - host.removed;
    let particles = host.world.particles().len() as u64;
    assert_eq!(particles + removed, host.particles, "after {call:?}");
}
