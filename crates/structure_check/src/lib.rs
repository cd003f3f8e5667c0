//! Tells which source files import each other in circles, and which reach out of the package that they
//! are published in.
//!
//! `cargo run -p structure_check` checks the workspace, and so does this crate's test. A file imports
//! another when it names something that the other defines, whatever module hands the name on; modules
//! for tests are left out.

use std::fmt::{self, Display, Formatter};
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use walkdir::WalkDir;

use crate::modules::{crates, read};

mod circles;
mod modules;

pub use circles::{Circle, circles};
pub use modules::{Crate, ReadError};

/// The folder of the workspace that this crate belongs to.
pub fn workspace() -> PathBuf {
    // The variable is read at run time: the checkout may have moved since the program was compiled.
    let folder = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default();
    folder.ancestors().nth(2).unwrap_or(&folder).into()
}

// Published crates must hold all that they are compiled from.

/// A path in the sources of a published crate that leads out of its package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathOutside {
    /// The file that has it.
    pub file: PathBuf,
    /// The path, as it is written.
    pub path: String,
}

impl Display for PathOutside {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} reads {}, which is not in the package", self.file.display(), self.path)
    }
}

/// All paths in the sources of published crates that go up two folders: what a package lacks is as
/// near as that.
///
/// # Errors
///
/// [`ReadError`] when a file cannot be read or is not Rust.
pub fn paths_outside(workspace: &Path) -> Result<Vec<PathOutside>, ReadError> {
    let mut found = Vec::new();
    for folder in crates(workspace)? {
        if read(&folder.join("Cargo.toml"))?.contains("\npublish = false") {
            continue;
        }
        for entry in WalkDir::new(folder.join("src")).sort_by_file_name() {
            let file = entry?.into_path();
            if file.extension().is_some_and(|extension| extension == "rs") {
                found.extend(paths_outside_of(&file, &read(&file)?)?);
            }
        }
    }
    Ok(found)
}

/// Those in the text of one file.
///
/// # Errors
///
/// [`ReadError::Syntax`] when the text is not Rust.
pub fn paths_outside_of(file: &Path, text: &str) -> Result<Vec<PathOutside>, ReadError> {
    fn add(tokens: TokenStream, paths: &mut Vec<String>) {
        for token in tokens {
            match token {
                TokenTree::Group(group) => add(group.stream(), paths),
                TokenTree::Literal(literal) => {
                    let text = literal.to_string();
                    // In comments, which are literals here, paths stand among words.
                    if text.starts_with("\"../../") || text.starts_with("\"/../../") {
                        paths.push(text);
                    }
                }
                _ => {}
            }
        }
    }
    let tokens: TokenStream = text.parse().map_err(|error: proc_macro2::LexError| {
        ReadError::Syntax { path: file.into(), error: error.into() }
    })?;
    let mut paths = Vec::new();
    add(tokens, &mut paths);
    Ok(paths.into_iter().map(|path| PathOutside { file: file.into(), path }).collect())
}
