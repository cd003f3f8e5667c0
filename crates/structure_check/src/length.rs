//! Files that have grown too long.

use std::fmt::{self, Display, Formatter};
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use crate::modules::{ReadError, read};

/// Most lines of a file. A longer one usually holds two ideas.
pub const LONGEST: usize = 500;

/// A file with more than [`LONGEST`] lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LongFile {
    /// Its path.
    pub path: PathBuf,
    /// Number of its lines.
    pub lines: usize,
}

impl Display for LongFile {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} has {} lines, more than {LONGEST}", self.path.display(), self.lines)
    }
}

/// All files of Rust and WGSL in the folders `crates` and `examples` of a workspace that are too long.
///
/// # Errors
///
/// [`ReadError`] when a file cannot be read.
pub fn long_files(workspace: &Path) -> Result<Vec<LongFile>, ReadError> {
    let mut long = Vec::new();
    for folder in ["crates", "examples"] {
        for entry in WalkDir::new(workspace.join(folder)).sort_by_file_name() {
            let path = entry?.into_path();
            if path.extension().is_some_and(|extension| extension == "rs" || extension == "wgsl") {
                let lines = read(&path)?.lines().count();
                if lines > LONGEST {
                    long.push(LongFile { path, lines });
                }
            }
        }
    }
    Ok(long)
}
