//! Prints the state hash of each of the lab's scenes, for comparison with other targets.

use on_every_target::hashes::{SCENES, state_hash};

fn main() {
    for (name, text, solver) in SCENES {
        println!("{name} {:016x}", state_hash(text, solver));
    }
}
