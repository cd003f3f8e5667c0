//! Published crates must hold all that they are compiled from.

use std::fmt::{self, Display, Formatter};
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use walkdir::WalkDir;

use crate::modules::{ReadError, crates, read};

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
