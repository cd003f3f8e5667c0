//! Changes of settings that a liquid on a device must be eased into.

use blob_fluid::{ClassTable, FluidParameters, Liquid};

use crate::report::GpuReport;

/// What the liquid had in the last tick, and since when a change is eased in.
#[derive(Clone, Debug, Default)]
pub(crate) struct Easing {
    before: Option<(FluidParameters, ClassTable)>,
    /// Number of ticks before the easing began.
    since: Option<u64>,
}

impl Easing {
    /// Eases in what has changed since the last tick, after that many ticks.
    pub(crate) fn follow(&mut self, liquid: &mut Liquid, ticks: u64) {
        if let Some((parameters, classes)) = &self.before {
            liquid.ease_in_since(parameters, classes);
        }
        let same = |(parameters, classes): &(FluidParameters, ClassTable)| {
            parameters == liquid.parameters() && classes == liquid.classes()
        };
        if !self.before.as_ref().is_some_and(same) {
            self.before = Some((*liquid.parameters(), liquid.classes().clone()));
            self.since = None;
        }
        self.since = liquid.is_easing().then(|| self.since.unwrap_or(ticks));
    }

    /// The part of the particles that are compressed, if the report is one since the easing began.
    pub(crate) fn compressed(&self, report: Option<&GpuReport>) -> Option<f32> {
        let since = self.since?;
        let report = report.filter(|report| report.tick > since)?;
        Some(report.compressed as f32 / report.in_play().max(1) as f32)
    }
}
