//! What an experiment finds, and its bars.

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
            let bar = bars.find(|bar| bar.experiment == self.experiment && bar.measure == *measure);
            let Some(bar) = bar else { return Some(format!("{measure} has no bar")) };
            let missed = !bar.limit.holds(*value);
            missed.then(|| format!("{measure}: {value:.4e}, which should be {}", bar.limit))
        });
        let missed: Vec<_> = missed.collect();
        (!missed.is_empty()).then(|| missed.join("\n"))
    }
}
