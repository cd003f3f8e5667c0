//! How deep a liquid is, with what was added since the report that is known.

use std::collections::VecDeque;

use blob_fluid::Liquid;
use glam::Vec2;

use crate::report::GpuReport;

/// Positions and velocities.
type Moving = (Vec<Vec2>, Vec<Vec2>);

/// What was added that no report has counted yet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Added {
    /// What was added, with the number of ticks before.
    particles: VecDeque<(u64, Moving)>,
}

impl Added {
    /// Notes that particles with these positions and velocities are added, after that many ticks.
    pub(crate) fn add(&mut self, tick: u64, moving: impl Iterator<Item = (Vec2, Vec2)>) {
        if self.particles.back().is_none_or(|(last, _)| *last != tick) {
            self.particles.push_back((tick, Moving::default()));
        }
        let Some((_, (positions, velocities))) = self.particles.back_mut() else { return };
        for (position, velocity) in moving.filter(|(position, _)| position.is_finite()) {
            positions.push(position);
            velocities.push(velocity);
        }
    }

    /// The depth of a liquid: that of what the newest report counts that acts, with all that was added since on top.
    /// `None` before there was any.
    pub(crate) fn depth(&mut self, report: Option<&GpuReport>, liquid: &Liquid) -> Option<f32> {
        while let (Some(report), Some((tick, _))) = (report, self.particles.front())
            && *tick < report.tick
        {
            self.particles.pop_front();
        }
        let mut all = Moving::default();
        for (_, (positions, velocities)) in &self.particles {
            all.0.extend(positions);
            all.1.extend(velocities);
        }
        if report.is_none() && all.0.is_empty() {
            return None;
        }
        let known = report.map_or(0.0, |report| report.depth(liquid));
        Some(known + liquid.depth_of(&all.0, &all.1))
    }
}

#[cfg(test)]
mod tests {
    use blob_fluid::FluidWorld;

    use super::*;

    #[test]
    fn what_was_added_counts_until_a_report_has_it() {
        let world = FluidWorld::default();
        let spacing = world.parameters().particle_spacing;
        let rows = |from: usize, rows: usize| {
            let at = move |index: usize| Vec2::new((index % 50) as f32, (index / 50) as f32 + 0.5);
            let far = Vec2::new(20_000.0, -9000.0);
            (50 * from..50 * (from + rows)).map(move |index| far + at(index) * spacing)
        };
        let still = |position: Vec2| (position, Vec2::ZERO);
        let depth_of = |rows: f32| rows * spacing;
        let near = |depth: Option<f32>, rows: f32| {
            let depth = depth.expect("there");
            assert!((depth / depth_of(rows) - 1.0).abs() < 0.1, "{depth}, not {rows} rows");
        };
        let mut added = Added::default();
        assert_eq!(added.depth(None, world.liquid()), None);
        added.add(0, rows(0, 60).map(still));
        near(added.depth(None, world.liquid()), 60.0);
        added.add(3, rows(60, 20).map(still));
        near(added.depth(None, world.liquid()), 80.0);

        // The report of the first sixty rows.
        let mut report = GpuReport::of_bounds(1, blob_fluid::FluidBounds::NONE);
        let radius = world.parameters().interaction_radius();
        report.in_two = (2.0 * 60.0 * radius / spacing) as u32;
        near(added.depth(Some(&report), world.liquid()), 80.0);
        report.tick = 4;
        near(added.depth(Some(&report), world.liquid()), 60.0);
    }

    #[test]
    fn bad_numbers_add_nothing() {
        let world = FluidWorld::default();
        let mut added = Added::default();
        let bad = [Vec2::NAN, Vec2::splat(f32::INFINITY)];
        added.add(0, bad.into_iter().map(|position| (position, Vec2::ZERO)));
        assert_eq!(added.depth(None, world.liquid()), None);
    }
}
