//! Tells which source files import each other in circles, and which reach out of the package that they
//! are published in.
//!
//! `cargo run -p structure_check` checks the workspace, and so does this crate's test. A file imports
//! another when it names something that the other defines, whatever module hands the name on; modules
//! for tests are left out.

use std::path::{Path, PathBuf};

mod circles;
mod imports;
mod modules;
mod packages;

pub use circles::{Circle, circles};
pub use modules::{Crate, ReadError};
pub use packages::{PathOutside, paths_outside, paths_outside_of};

/// The folder of the workspace that this crate belongs to.
pub fn workspace() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    folder.ancestors().nth(2).unwrap_or(folder).into()
}
