//! The validation suite: experiments with known outcomes, against bars written down beforehand.
//!
//! `cargo test -p blob_fluid --release --test validation -- --include-ignored --skip "solvers compared"` runs it and compares
//! with `docs/validation.md`; with `BLOB_FLUID_WRITE_VALIDATION=1` it writes that page and its plots. Without
//! `--include-ignored` it runs only the experiments that take seconds. `-- --ignored solvers` does the same for `docs/solvers.md`, which takes minutes.

mod bars;
mod comparison;
mod experiments;
mod page;
mod plot;

use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use libtest_mimic::{Arguments, Failed, Trial};

use bars::BARS;
use experiments::EXPERIMENTS;
use page::Finding;

/// The experiments that a plain `cargo test` runs: each takes seconds.
const QUICK: [&str; 6] =
    ["free flight", "momentum", "hydrostatic column", "dam break", "stratification", "symmetry"];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let findings: Arc<Mutex<Vec<Finding>>> = Arc::default();
    let trials = EXPERIMENTS.iter().map(|(name, experiment)| {
        let findings = Arc::clone(&findings);
        Trial::test(*name, move || {
            let finding = experiment();
            let failed = finding.failed();
            findings.lock().map_err(|_| "another experiment panicked")?.push(finding);
            failed.map_or(Ok(()), |message| Err(Failed::from(message)))
        })
        .with_ignored_flag(!QUICK.contains(name))
    });
    // This takes minutes, so it runs only where it is asked for.
    let comparison = Trial::test("solvers compared", || comparison::settle().map_err(Failed::from));
    let trials = trials.chain([comparison.with_ignored_flag(true)]).collect();
    let conclusion = libtest_mimic::run(&arguments, trials);
    let findings = findings.lock().map(|findings| findings.clone()).unwrap_or_default();
    if findings.len() < EXPERIMENTS.len() {
        // If only some experiments were requested, no page is written.
        return conclusion.exit_code();
    }
    let measured: usize = findings.iter().map(|finding| finding.measured.len()).sum();
    assert_eq!(measured, BARS.len(), "every bar is measured");
    match page::settle(&findings) {
        Ok(()) => conclusion.exit_code(),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
