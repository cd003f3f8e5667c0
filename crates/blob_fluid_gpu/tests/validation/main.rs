//! The core's validation suite on a device: its experiments, against its bars.
//!
//! `cargo test -p blob_fluid_gpu --release --test validation -- --include-ignored` runs all of it, which takes
//! minutes on a processor that plays a device; without `--include-ignored` only the dam breaks. With
//! `BLOB_FLUID_WRITE_VALIDATION=1` the test of the column writes what `docs/solvers.md` says of a device, which
//! the core's suite puts there.

#[path = "../on_device/adapter.rs"]
mod adapter;
#[expect(
    dead_code,
    reason = "where bars come from stands on the page that the core's suite writes"
)]
#[path = "../../../blob_fluid/tests/validation/bars.rs"]
mod bars;
mod column;
mod experiments;

use adapter::device;
use experiments::compared;
use page::Finding;

/// Every number of an experiment is within its bar.
fn holds(experiment: fn() -> Finding) {
    if device().is_none() {
        return;
    }
    let finding = experiment();
    for (measure, value) in &finding.measured {
        println!("{}, {measure}: {value:.4e}", finding.experiment);
    }
    assert_eq!(finding.failed(), None);
}

#[test]
fn dam_break() {
    holds(compared::dam_break);
}

/// Each takes minutes on a processor that plays a device.
mod minutes {
    use super::*;

    #[test]
    #[ignore = "takes minutes: .ci/long"]
    fn momentum() {
        holds(compared::momentum);
    }

    #[test]
    #[ignore = "takes minutes: .ci/long"]
    fn impact() {
        holds(compared::impact);
    }

    #[test]
    #[ignore = "takes minutes: .ci/long"]
    fn hydrostatic_column() {
        holds(compared::hydrostatic_column);
    }

    #[test]
    #[ignore = "takes minutes: .ci/long"]
    fn standing_wave() {
        holds(compared::standing_wave);
    }

    #[test]
    #[ignore = "takes minutes: .ci/long"]
    fn rayleigh_taylor() {
        holds(compared::rayleigh_taylor);
    }

    #[test]
    #[ignore = "takes minutes: .ci/long"]
    fn stratification() {
        holds(experiments::stratification);
    }

    #[test]
    #[ignore = "takes minutes: .ci/long"]
    fn weightless_blob() {
        holds(compared::weightless_blob);
    }

    #[test]
    #[ignore = "takes minutes: .ci/long"]
    fn the_column_of_a_device() {
        if device().is_some() {
            column::settle();
        }
    }
}

/// What an experiment finds, and its bars.
mod page {
    use crate::bars::BARS;
    use crate::plot::Plot;

    /// The result of an experiment.
    #[derive(Clone, Debug)]
    pub struct Finding {
        pub experiment: &'static str,
        #[expect(dead_code, reason = "for the page that the core's suite writes")]
        pub description: &'static str,
        /// Numbers by the name of their bar.
        pub measured: Vec<(&'static str, f64)>,
        #[expect(dead_code, reason = "for the page that the core's suite writes")]
        pub plots: Vec<Plot>,
    }

    impl Finding {
        /// The numbers that their bars do not hold.
        pub fn failed(&self) -> Option<String> {
            let missed = self.measured.iter().filter_map(|(measure, value)| {
                let mut bars = BARS.iter();
                let bar =
                    bars.find(|bar| bar.experiment == self.experiment && bar.measure == *measure);
                let Some(bar) = bar else { return Some(format!("{measure} has no bar")) };
                let missed = !bar.limit.holds(*value);
                missed.then(|| format!("{measure}: {value:.4e}, which should be {}", bar.limit))
            });
            let missed: Vec<_> = missed.collect();
            (!missed.is_empty()).then(|| missed.join("\n"))
        }
    }
}

/// What the core's experiments plot, of which nothing is drawn here.
mod plot {
    /// Named points.
    #[derive(Clone, Debug)]
    pub struct Series;

    /// A plot.
    #[derive(Clone, Debug)]
    pub struct Plot;

    pub fn line(_: &'static str, _: Vec<(f64, f64)>) -> Series {
        Series
    }

    pub fn points(_: &'static str, _: Vec<(f64, f64)>) -> Series {
        Series
    }

    pub fn plot(_: &'static str, _: &'static str, _: &'static str, _: Vec<Series>) -> Plot {
        Plot
    }
}
