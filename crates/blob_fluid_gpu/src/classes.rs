//! The classes that particles on a device may have, without which no table will do.

use crate::error::GpuError;
use crate::report::GpuReport;

/// How many of the first classes particles may have.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Classes {
    /// The classes of the present table.
    table: usize,
    /// Those that particles may have after the last tick: any of its table, by heat and reactions, unless a report says
    /// otherwise.
    after_tick: usize,
    /// The number of that tick.
    tick: u64,
    /// Those that what was added since then has.
    added: usize,
}

impl Classes {
    /// Of no particles, with a table of so many classes.
    pub(crate) fn of_table(table: usize) -> Self {
        Self { table, ..Self::default() }
    }

    /// Notes a table with whose classes particles may be added.
    pub(crate) fn set_table(&mut self, table: usize) {
        self.table = table;
    }

    /// Checks the class of a particle that is to be added.
    pub(crate) fn check_added(&self, class: u8) -> Result<(), GpuError> {
        let classes = self.table;
        if usize::from(class) < classes {
            Ok(())
        } else {
            Err(GpuError::UnknownClass { class, classes })
        }
    }

    /// Notes that particles are added, of which the highest class is this one.
    pub(crate) fn add(&mut self, highest: u8) {
        self.added = self.added.max(usize::from(highest) + 1);
    }

    /// Checks that a table has the classes of all particles.
    pub(crate) fn check_table(&self, classes: usize) -> Result<(), GpuError> {
        let needed = self.after_tick.max(self.added);
        if needed <= classes {
            return Ok(());
        }
        // There are 256 at most.
        Err(GpuError::UnknownClass { class: (needed - 1) as u8, classes })
    }

    /// Learns which classes particles have, if the report is that of the last tick.
    pub(crate) fn learn(&mut self, report: &GpuReport) {
        if report.tick >= self.tick {
            let highest = report.classes.iter().rposition(|count| *count > 0);
            self.after_tick = highest.map_or(0, |highest| highest + 1);
        }
    }

    /// Notes that the tick with this number is made, with a table that was checked.
    pub(crate) fn begin_tick(&mut self, table: usize, tick: u64) {
        *self = Self { table, after_tick: table, tick, added: 0 };
    }

    /// Notes that it is not known what has become of the last tick, until the next one is made.
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
        // What heat has made of them is not known.
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
