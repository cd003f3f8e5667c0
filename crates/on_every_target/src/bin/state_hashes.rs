//! Prints the hashes of the lab's scenes and of their snapshots, for comparison with other targets.

use on_every_target::hashes::{SCENES, hash};

fn main() {
    for (name, text, hashed) in SCENES {
        println!("{name} {:016x}", hash(text, hashed));
    }
}
