//! Writes where each target of cargo-fuzz begins, to `fuzz/corpus`.

use std::path::Path;
use std::{fs, io};

fn main() -> io::Result<()> {
    for (target, _) in fuzzing::TARGETS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
        fs::create_dir_all(&folder)?;
        for (name, bytes) in fuzzing::seeds(target) {
            fs::write(folder.join(name), bytes)?;
        }
    }
    Ok(())
}
