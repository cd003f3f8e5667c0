//! Tells whether freshly drawn pictures still look like the stored ones.
//!
//! `cargo run -p picture_check -- docs/images/gallery fresh --differences different`
//!
//! Every PNG of the first folder is compared with that of the same name in the second. The score is 1
//! where they look the same; it is that of the part of the picture where they look the least alike.

mod compare;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use compare::{Comparison, compare};
use image::{ImageError, RgbImage};
use thiserror::Error;

/// Tells whether freshly drawn pictures still look like the stored ones.
#[derive(Parser)]
struct Arguments {
    /// Folder of the stored pictures.
    stored: PathBuf,
    /// Folder of the fresh pictures.
    fresh: PathBuf,
    /// Least score that passes, 0 to 1.
    #[arg(long, default_value_t = 0.8)]
    least: f64,
    /// Where pictures of the differences go, of those that fail.
    #[arg(long, default_value = "picture_differences")]
    differences: PathBuf,
}

/// Why pictures could not be compared.
#[derive(Debug, Error)]
enum CheckError {
    #[error("{path}: {error}")]
    Folder { path: PathBuf, error: std::io::Error },
    #[error("{0}: no pictures")]
    Empty(PathBuf),
    #[error("{path}: {error}")]
    Picture { path: PathBuf, error: ImageError },
}

fn main() -> ExitCode {
    match check(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("picture_check: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Compares all pictures; says whether all pass.
fn check(arguments: &Arguments) -> Result<bool, CheckError> {
    let mut all_pass = true;
    for name in names(&arguments.stored)? {
        let stored = open(&arguments.stored.join(&name))?;
        let fresh = match open(&arguments.fresh.join(&name)) {
            Ok(fresh) => fresh,
            Err(error) => {
                println!("{name}: {error}");
                all_pass = false;
                continue;
            }
        };
        let Some(Comparison { score, difference }) = compare(&stored, &fresh) else {
            println!("{name}: {:?} became {:?}", stored.dimensions(), fresh.dimensions());
            all_pass = false;
            continue;
        };
        // NaN does not pass either.
        let passes = score >= arguments.least;
        println!("{name}: {score:.3}{}", if passes { "" } else { "  looks different" });
        if !passes {
            all_pass = false;
            save(&difference, &arguments.differences, &name)?;
        }
    }
    Ok(all_pass)
}

/// Names of the pictures in a folder, in order.
fn names(folder: &Path) -> Result<Vec<String>, CheckError> {
    let failed = |error| CheckError::Folder { path: folder.to_owned(), error };
    let mut names = Vec::new();
    for entry in folder.read_dir().map_err(failed)? {
        let name = entry.map_err(failed)?.file_name().to_string_lossy().into_owned();
        if name.ends_with(".png") {
            names.push(name);
        }
    }
    names.sort();
    if names.is_empty() { Err(CheckError::Empty(folder.to_owned())) } else { Ok(names) }
}

fn open(path: &Path) -> Result<RgbImage, CheckError> {
    let opened = image::open(path).map(|picture| picture.to_rgb8());
    opened.map_err(|error| CheckError::Picture { path: path.to_owned(), error })
}

fn save(difference: &RgbImage, folder: &Path, name: &str) -> Result<(), CheckError> {
    std::fs::create_dir_all(folder)
        .map_err(|error| CheckError::Folder { path: folder.to_owned(), error })?;
    let path = folder.join(name);
    difference.save(&path).map_err(|error| CheckError::Picture { path, error })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stored and fresh folders with a picture each, and what the check says of them.
    fn outcome(test: &str, fresh: Option<RgbImage>) -> (bool, bool) {
        let folder =
            std::env::temp_dir().join(format!("picture_check_{test}_{}", std::process::id()));
        let arguments = Arguments {
            stored: folder.join("stored"),
            fresh: folder.join("fresh"),
            least: 0.8,
            differences: folder.join("differences"),
        };
        save(&RgbImage::new(32, 32), &arguments.stored, "a.png").expect("writable");
        std::fs::create_dir_all(&arguments.fresh).expect("writable");
        if let Some(fresh) = fresh {
            save(&fresh, &arguments.fresh, "a.png").expect("writable");
        }
        let passes = check(&arguments).expect("readable");
        let has_difference = arguments.differences.join("a.png").exists();
        std::fs::remove_dir_all(folder).expect("removable");
        (passes, has_difference)
    }

    #[test]
    fn pictures_pass_or_leave_a_picture_of_the_difference() {
        let white = RgbImage::from_pixel(32, 32, image::Rgb([255; 3]));
        assert_eq!(outcome("same", Some(RgbImage::new(32, 32))), (true, false));
        assert_eq!(outcome("white", Some(white)), (false, true));
        assert_eq!(outcome("size", Some(RgbImage::new(32, 31))), (false, false));
        assert_eq!(outcome("missing", None), (false, false));
    }

    #[test]
    fn a_folder_without_pictures_is_an_error() {
        let folder =
            std::env::temp_dir().join(format!("picture_check_none_{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("writable");
        assert!(matches!(names(&folder), Err(CheckError::Empty(_))));
        std::fs::remove_dir_all(&folder).expect("removable");
        assert!(matches!(names(&folder), Err(CheckError::Folder { .. })));
    }
}
