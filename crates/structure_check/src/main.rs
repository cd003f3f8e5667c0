//! Prints the circles of imports and the paths out of packages, and fails if there are any.

use std::process::ExitCode;

use structure_check::{Crate, ReadError, circles, paths_outside, workspace};

fn main() -> ExitCode {
    match check() {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints what is wrong in the workspace, and returns how many things are.
fn check() -> Result<usize, ReadError> {
    let workspace = workspace();
    let mut wrong = 0;
    for sources in Crate::all_of(&workspace)? {
        for circle in circles(&sources) {
            println!("{circle}");
            wrong += 1;
        }
    }
    for path in paths_outside(&workspace)? {
        println!("{path}");
        wrong += 1;
    }
    Ok(wrong)
}
