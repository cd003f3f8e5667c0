//! Classes that particles on the GPU may have. Every table must contain them.

use crate::error::GpuError;
use crate::report::GpuReport;

/// Upper limits of the classes of particles: the number of the first classes that they may have.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Classes {
    /// Number of classes of the present table.
    table: usize,
    /// Limit after the last tick: all classes of its table, because of heat and reactions, or fewer by a report.
    after_tick: usize,
    /// The number of the last tick.
    tick: u64,
    /// Limit of the particles added since then.
    added: usize,
}

impl Classes {
    /// The state without particles, for a table of `table` classes.
    pub(crate) fn of_table(table: usize) -> Self {
        Self { table, ..Self::default() }
    }

    /// Sets the table whose classes new particles may have.
    pub(crate) fn set_table(&mut self, table: usize) {
        self.table = table;
    }

    /// Checks the class of a new particle.
    pub(crate) fn check_added(&self, class: u8) -> Result<(), GpuError> {
        let classes = self.table;
        if usize::from(class) < classes {
            Ok(())
        } else {
            Err(GpuError::UnknownClass { class, classes })
        }
    }

    /// Records added particles. `highest` is their highest class.
    pub(crate) fn add(&mut self, highest: u8) {
        self.added = self.added.max(usize::from(highest) + 1);
    }

    /// Checks that a table of `classes` classes has the classes of all particles.
    pub(crate) fn check_table(&self, classes: usize) -> Result<(), GpuError> {
        let needed = self.after_tick.max(self.added);
        if needed <= classes {
            return Ok(());
        }
        // The table has at most 256 classes.
        Err(GpuError::UnknownClass { class: (needed - 1) as u8, classes })
    }

    /// Takes over the classes in a report, if it is that of the last tick.
    pub(crate) fn learn(&mut self, report: &GpuReport) {
        if report.tick >= self.tick {
            let highest = report.classes.iter().rposition(|count| *count > 0);
            self.after_tick = highest.map_or(0, |highest| highest + 1);
        }
    }

    /// Records that the tick with this number runs with a checked table.
    pub(crate) fn begin_tick(&mut self, table: usize, tick: u64) {
        *self = Self { table, after_tick: table, tick, added: 0 };
    }

    /// Records that the result of the last tick is unknown, until the next tick.
    pub(crate) fn lose_tick(&mut self) {
        self.tick = u64::MAX;
    }
}

#[cfg(test)]
mod tests {
    use blob_fluid::FluidBounds;

    use super::*;

    #[test]
    fn a_table_must_have_the_classes_of_what_was_added_and_of_what_it_may_have_become() {
        let mut classes = Classes::of_table(3);
        assert!(classes.check_added(2).is_ok() && classes.check_added(3).is_err());
        assert!(classes.check_table(0).is_ok(), "there are no particles");
        classes.add(1);
        classes.add(0);
        assert!(classes.check_table(2).is_ok() && classes.check_table(1).is_err());
        classes.begin_tick(3, 1);
        // Heat may have changed the class.
        assert!(classes.check_table(2).is_err());
        let mut report = GpuReport::of_bounds(0, FluidBounds::NONE);
        report.classes = vec![5, 1, 0];
        classes.learn(&report);
        assert!(classes.check_table(2).is_err(), "the report is older");
        report.tick = 1;
        classes.learn(&report);
        assert!(classes.check_table(2).is_ok() && classes.check_table(1).is_err());
        classes.add(2);
        classes.learn(&report);
        assert!(classes.check_table(2).is_err(), "added since");
        classes.begin_tick(3, 2);
        classes.lose_tick();
        report.tick = 2;
        classes.learn(&report);
        assert!(classes.check_table(2).is_err());
        classes.begin_tick(3, 2);
        classes.learn(&report);
        assert!(classes.check_table(2).is_ok());
    }
}
