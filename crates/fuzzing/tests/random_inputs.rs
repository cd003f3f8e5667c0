//! What must hold for any bytes holds for whole files, for damaged ones, and for what a fuzzer found.

use std::fs;
use std::path::Path;

use fuzzing::{TARGETS, random_bytes, seeds};

/// Inputs of each target by default; `BLOB_FLUID_RANDOM_INPUTS` sets another number.
const INPUTS: u64 = 1000;

#[test]
fn random_inputs_do_no_harm() {
    let inputs = std::env::var("BLOB_FLUID_RANDOM_INPUTS").map(|count| count.parse());
    let inputs = inputs.map_or(INPUTS, |count| count.expect("a number"));
    for (target, check) in TARGETS {
        let seeds = seeds(target);
        for input in 0..inputs {
            let (_, seed) = &seeds[input as usize % seeds.len()];
            let mut bytes = seed.clone();
            let random = random_bytes(input + 1, 64);
            for place in random.chunks(4).take(input as usize % 9) {
                let at = u32::from_le_bytes([place[0], place[1], place[2], 0]) as usize;
                let at = at % bytes.len();
                bytes[at] ^= place[3];
            }
            if ["operations", "entries"].contains(&target) && input as usize >= seeds.len() {
                bytes = random_bytes(input, 700);
            }
            check(&bytes);
        }
    }
}

/// Each file of `found/TARGET` made something fail once.
#[test]
fn what_a_fuzzer_found_does_no_harm() {
    let mut tried = 0;
    for (target, check) in TARGETS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("found").join(target);
        for entry in fs::read_dir(folder).into_iter().flatten() {
            check(&fs::read(entry.expect("a file").path()).expect("readable"));
            tried += 1;
        }
    }
    assert!(tried > 0, "the folder is not where it was");
}
