//! The lab: runs a scene without drawing, prints measures of liquid and air, and writes them as JSON. It
//! saves and loads worlds, records runs and plays them again, and bakes them.
//!
//! `cargo run --release -p blob_fluid --example lab -- stratification --every 5 --json out.json`

mod command;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    match command::run(&command::Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("lab: {error}");
            ExitCode::FAILURE
        }
    }
}
