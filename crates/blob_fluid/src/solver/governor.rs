//! The governor, which keeps ticks within a budget of real time.

use crate::stored::stored;
use crate::{Effort, FluidBudget, OutOfRange, StepReport};

/// Number of ticks between two increases of quality, and between two changes of the sweeps.
const TICKS_BETWEEN_CHANGES: u32 = 30;

/// Fraction of the budget that a tick of better quality must fit into.
const MARGIN: f64 = 0.85;

/// Weight of the latest tick in the running average of a substep's cost.
const WEIGHT_OF_LATEST: f64 = 0.2;

/// Chooses an [`Effort`] that keeps ticks within a [`FluidBudget`]. When ticks take too long, it
/// first allows fewer substeps, then fewer viscosity sweeps (passes over the pairs of a viscous
/// liquid). When ticks are short enough again, it restores the sweeps first, then the substeps.
///
/// The governor's choice depends on the speed of the machine, so the same ticks are not
/// bit-identical in a world with a governor.
///
/// ```
/// use blob_fluid::{FluidBudget, FluidWorld, Governor, SerialExecutor};
/// use std::time::Instant;
///
/// let mut world = FluidWorld::default();
/// let mut governor = Governor::new(FluidBudget { milliseconds: 2.0, ..FluidBudget::default() })?;
/// for _ in 0..10 {
///     world.set_effort(governor.effort());
///     let begin = Instant::now();
///     let report = world.step(1.0 / 60.0, &SerialExecutor)?;
///     governor.observe(&report, begin.elapsed().as_secs_f64());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Governor {
    budget: FluidBudget,
    effort: Effort,
    /// Average seconds of a substep; 0 before the first.
    substep_seconds: f64,
    ticks_since_change: u32,
}

stored!(Governor {
    budget,
    effort,
    substep_seconds in Limits::NOT_NEGATIVE,
    ticks_since_change,
});

impl Governor {
    /// Creates a governor at full effort.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`FluidBudget::validate`].
    pub fn new(budget: FluidBudget) -> Result<Self, OutOfRange> {
        budget.validate()?;
        Ok(Self { budget, effort: Effort::FULL, substep_seconds: 0.0, ticks_since_change: 0 })
    }

    /// The budget.
    pub fn budget(&self) -> FluidBudget {
        self.budget
    }

    /// The effort of the next tick.
    pub fn effort(&self) -> Effort {
        self.effort
    }

    /// Records a tick's report and its duration in seconds, and updates the effort.
    pub fn observe(&mut self, report: &StepReport, seconds: f64) {
        if report.substeps == 0 || !seconds.is_finite() {
            return;
        }
        let substep_cost = seconds / f64::from(report.substeps);
        if self.substep_seconds == 0.0 {
            self.substep_seconds = substep_cost;
        }
        // A tick that another program delayed is not representative, so its effect is limited.
        let substep_cost = substep_cost.min(3.0 * self.substep_seconds);
        self.substep_seconds += WEIGHT_OF_LATEST * (substep_cost - self.substep_seconds);
        self.ticks_since_change = self.ticks_since_change.saturating_add(1);

        let budget = 1e-3 * f64::from(self.budget.milliseconds);
        let required = report.substeps + report.given_up.substeps;
        let fits_in_budget =
            |substeps: u32, part: f64| self.substep_seconds * f64::from(substeps) <= part * budget;
        let min_substeps = self.budget.min_substeps.min(required);
        if !fits_in_budget(report.substeps, 1.0) {
            let reduced = (min_substeps..report.substeps)
                .rev()
                .find(|substeps| fits_in_budget(*substeps, 1.0));
            let reduced = reduced.unwrap_or(min_substeps);
            if reduced < report.substeps {
                self.set_effort(Effort { substeps: reduced, ..self.effort });
            } else if self.ticks_since_change >= TICKS_BETWEEN_CHANGES {
                self.reduce_sweeps(report, budget);
            }
        } else if self.ticks_since_change >= TICKS_BETWEEN_CHANGES
            && fits_in_budget(report.substeps, MARGIN)
        {
            if report.given_up.viscosity_sweeps > 0 {
                let raised = self.effort.viscosity_sweeps.saturating_add(1);
                self.set_effort(Effort { viscosity_sweeps: raised, ..self.effort });
            } else if report.given_up.substeps > 0 && fits_in_budget(report.substeps + 1, MARGIN) {
                self.set_effort(Effort { substeps: report.substeps + 1, ..self.effort });
            }
        }
    }

    /// Reduces the sweeps as if they took all of the time. If sweeps take less, too few are omitted, not too
    /// many.
    fn reduce_sweeps(&mut self, report: &StepReport, budget: f64) {
        let sweeps = report.viscosity_sweeps;
        if sweeps > self.budget.min_viscosity_sweeps {
            let seconds = self.substep_seconds * f64::from(report.substeps);
            let fitting = (f64::from(sweeps) * budget / seconds) as u32;
            let reduced = fitting.min(sweeps - 1).max(self.budget.min_viscosity_sweeps);
            self.set_effort(Effort { viscosity_sweeps: reduced, ..self.effort });
        }
    }

    fn set_effort(&mut self, effort: Effort) {
        if effort != self.effort {
            self.effort = effort;
            self.ticks_since_change = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GivenUp;

    /// A simulated machine with a liquid: the substeps and sweeps that the liquid needs, and the
    /// cost of a sweep.
    struct Machine {
        substeps: u32,
        sweeps: u32,
        milliseconds_per_sweep: f64,
    }

    impl Machine {
        fn tick(&self, effort: Effort, noise: f64) -> (StepReport, f64) {
            let substeps = self.substeps.min(effort.substeps);
            let sweeps = self.sweeps.min(effort.viscosity_sweeps);
            let report = StepReport {
                substeps,
                viscosity_sweeps: sweeps,
                given_up: GivenUp {
                    substeps: self.substeps - substeps,
                    viscosity_sweeps: self.sweeps - sweeps,
                },
                ..StepReport::default()
            };
            let milliseconds = f64::from(substeps * sweeps) * self.milliseconds_per_sweep;
            (report, 1e-3 * milliseconds * noise)
        }

        /// Runs 2000 ticks, until the effort is steady, and returns the last report.
        fn settle(&self, governor: &mut Governor) -> StepReport {
            let mut last = StepReport::default();
            for tick in 0..2000 {
                // A machine's noise: up to 10 %, and sometimes much more.
                let noise = 0.9 + 0.02 * f64::from(tick % 10) + f64::from(tick % 97 / 96) * 5.0;
                let (report, seconds) = self.tick(governor.effort(), noise);
                governor.observe(&report, seconds);
                last = report;
            }
            last
        }
    }

    fn governor(milliseconds: f32) -> Governor {
        let budget = FluidBudget { milliseconds, min_substeps: 2, min_viscosity_sweeps: 3 };
        Governor::new(budget).expect("valid")
    }

    #[test]
    fn full_effort_within_the_budget() {
        let machine = Machine { substeps: 6, sweeps: 8, milliseconds_per_sweep: 0.1 };
        let mut governor = governor(8.0);
        assert_eq!(machine.settle(&mut governor).given_up, GivenUp::default());
    }

    #[test]
    fn substeps_go_first_then_sweeps_and_both_come_back() {
        let mut machine = Machine { substeps: 6, sweeps: 8, milliseconds_per_sweep: 0.1 };
        let mut governor = governor(4.0);
        let report = machine.settle(&mut governor);
        // 3.2 ms with four substeps, 4 ms with five.
        assert_eq!(report.given_up, GivenUp { substeps: 2, viscosity_sweeps: 0 });

        machine.milliseconds_per_sweep = 0.4;
        let report = machine.settle(&mut governor);
        // 4 ms with two substeps of five sweeps: too little room for noise.
        assert_eq!(report.given_up.substeps, 4);
        assert!((3..=4).contains(&report.given_up.viscosity_sweeps), "{report:?}");

        machine.milliseconds_per_sweep = 0.01;
        assert_eq!(machine.settle(&mut governor).given_up, GivenUp::default());
    }

    #[test]
    fn it_never_leaves_its_bounds() {
        let machine = Machine { substeps: 6, sweeps: 8, milliseconds_per_sweep: 100.0 };
        let mut governor = governor(1.0);
        let report = machine.settle(&mut governor);
        assert_eq!((report.substeps, report.viscosity_sweeps), (2, 3));
    }

    #[test]
    fn quality_does_not_flicker() {
        let machine = Machine { substeps: 6, sweeps: 1, milliseconds_per_sweep: 1.0 };
        let mut governor = governor(4.3);
        machine.settle(&mut governor);
        let settled = governor.effort();
        for _ in 0..3 {
            machine.settle(&mut governor);
            assert_eq!(governor.effort(), settled);
        }
    }

    #[test]
    fn a_sleeping_liquid_says_nothing_about_its_cost() {
        let mut governor = governor(1.0);
        governor.observe(&StepReport::default(), 1.0);
        assert_eq!(governor.effort(), Effort::FULL);
    }

    #[test]
    fn bad_budgets_are_refused_by_field() {
        let bad: [(&str, fn(&mut FluidBudget)); 4] = [
            ("milliseconds", |b| b.milliseconds = 0.0),
            ("milliseconds", |b| b.milliseconds = f32::NAN),
            ("min_substeps", |b| b.min_substeps = 0),
            ("min_viscosity_sweeps", |b| b.min_viscosity_sweeps = 65),
        ];
        for (field, change) in bad {
            let mut budget = FluidBudget::default();
            change(&mut budget);
            assert_eq!(Governor::new(budget).expect_err(field).field, field);
        }
    }
}
