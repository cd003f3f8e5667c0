//! Prints the state hash of each of the lab's scenes, for comparison with other targets.

use on_every_target::hashes::{SCENES, state_hash};

fn main() {
    for (name, text, solver, ticks) in SCENES {
        println!("{name} {:016x}", state_hash(text, solver, ticks));
    }
}
