//! How deep a liquid is, with what was added since the report that is known.

use std::collections::VecDeque;

use blob_fluid::Liquid;
use glam::{DVec2, Vec2};

use crate::report::GpuReport;

/// Number, mean position, and mean squares and product of the offsets from there.
#[derive(Clone, Copy, Debug)]
struct Spread {
    count: f64,
    mean: DVec2,
    squares: DVec2,
    product: f64,
}

impl Spread {
    fn of_report(report: &GpuReport) -> Self {
        Self {
            count: report.in_play() as f64,
            mean: report.centre.as_dvec2(),
            squares: report.squares.as_dvec2(),
            product: f64::from(report.product),
        }
    }

    /// Both together, as `shaders/spread.wgsl` merges them.
    fn merged(self, other: Self) -> Self {
        let count = self.count + other.count;
        if count == 0.0 {
            return self;
        }
        let (own, part) = (self.count / count, other.count / count);
        let d = other.mean - self.mean;
        Self {
            count,
            mean: self.mean + d * part,
            squares: self.squares * own + other.squares * part + d * d * (own * part),
            product: self.product * own + other.product * part + d.x * d.y * (own * part),
        }
    }
}

/// Units of a sum per world unit.
const PER_UNIT: f32 = 1024.0;
/// The farthest coordinate that is summed, so that squares of 2^32 of them fit.
const FARTHEST: f32 = 68_719_476_736.0;

/// Sums of positions, in whole numbers, so that their order does not matter.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    count: i128,
    first: [i128; 2],
    squares: [i128; 2],
    product: i128,
}

impl Sums {
    fn add(&mut self, position: Vec2) {
        if !position.is_finite() || position.abs().max_element() > FARTHEST {
            return;
        }
        let whole = |number: f32| i128::from((f64::from(number) * f64::from(PER_UNIT)) as i64);
        let [x, y] = [position.x, position.y].map(whole);
        self.count += 1;
        self.first[0] += x;
        self.first[1] += y;
        self.squares[0] += x * x;
        self.squares[1] += y * y;
        self.product += x * y;
    }

    fn spread(self) -> Spread {
        let Self { count, first: [x, y], squares: [xx, yy], product: xy } = self;
        let count = count.max(1);
        // About a whole mean, without rounding; then about the mean itself.
        let about = |both: i128, a: i128, b: i128| {
            let (mean_a, mean_b) = (a / count, b / count);
            let sum = both - mean_a * b - mean_b * a + count * mean_a * mean_b;
            let (rest_a, rest_b) = ((a % count) as f64, (b % count) as f64);
            sum as f64 - rest_a * rest_b / count as f64
        };
        let unit = f64::from(PER_UNIT);
        let per_square = 1.0 / (count as f64 * unit * unit);
        Spread {
            count: self.count as f64,
            mean: DVec2::new(x as f64, y as f64) / (count as f64 * unit),
            squares: DVec2::new(about(xx, x, x), about(yy, y, y)) * per_square,
            product: about(xy, x, y) * per_square,
        }
    }
}

/// What was added that no report has counted yet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Added {
    /// The sums of what was added, with the number of ticks before.
    sums: VecDeque<(u64, Sums)>,
}

impl Added {
    /// Notes that particles are added, after that many ticks.
    pub(crate) fn add(&mut self, tick: u64, positions: impl Iterator<Item = Vec2>) {
        if self.sums.back().is_none_or(|(last, _)| *last != tick) {
            self.sums.push_back((tick, Sums::default()));
        }
        let Some((_, sums)) = self.sums.back_mut() else { return };
        positions.for_each(|position| sums.add(position));
    }

    /// The depth of a liquid with what the newest report counts that acts, and all that was added since.
    /// `None` before there was any.
    pub(crate) fn depth(&mut self, report: Option<&GpuReport>, liquid: &Liquid) -> Option<f32> {
        while let (Some(report), Some((tick, _))) = (report, self.sums.front())
            && *tick < report.tick
        {
            self.sums.pop_front();
        }
        let known = report.map(Spread::of_report);
        let added = self.sums.iter().map(|(_, sums)| sums.spread());
        let all = known.into_iter().chain(added).reduce(Spread::merged)?;
        let Spread { count, squares, product, .. } = all;
        Some(liquid.depth_of_spread(count as usize, squares.as_vec2(), product as f32))
    }
}

#[cfg(test)]
mod tests {
    use blob_fluid::FluidWorld;
    use blob_fluid::shape::scatter;

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
        let depth_of = |rows: f32| rows * spacing;
        let mut added = Added::default();
        assert_eq!(added.depth(None, world.liquid()), None);
        added.add(0, rows(0, 60));
        let depth = added.depth(None, world.liquid()).expect("there");
        assert!((depth / depth_of(60.0) - 1.0).abs() < 1e-3, "{depth}");
        added.add(3, rows(60, 20));
        let depth = added.depth(None, world.liquid()).expect("there");
        assert!((depth / depth_of(80.0) - 1.0).abs() < 1e-3, "{depth}");

        // The report of the first sixty rows.
        let mut report = GpuReport::of_bounds(1, blob_fluid::FluidBounds::NONE);
        report.classes = vec![3000];
        report.centre = Vec2::new(20_000.0 + 24.5 * spacing, -9000.0 + 30.0 * spacing);
        report.squares = Vec2::new(2499.0, 3599.0) / 12.0 * spacing * spacing;
        let depth = added.depth(Some(&report), world.liquid()).expect("there");
        assert!((depth / depth_of(80.0) - 1.0).abs() < 1e-3, "{depth}");
        report.tick = 4;
        let depth = added.depth(Some(&report), world.liquid()).expect("there");
        assert!((depth / depth_of(60.0) - 1.0).abs() < 1e-3, "{depth}");
    }

    #[test]
    fn neither_order_nor_distance_changes_a_depth() {
        let world = FluidWorld::default();
        let points: Vec<_> = (0..1000).map(|index| 300.0 * scatter(index)).collect();
        let depth = |points: &mut dyn Iterator<Item = Vec2>| {
            let mut added = Added::default();
            added.add(0, points);
            added.depth(None, world.liquid()).expect("there")
        };
        let forth = depth(&mut points.iter().copied());
        assert_eq!(forth, depth(&mut points.iter().rev().copied()));
        let far = depth(&mut points.iter().map(|point| *point + 1e6));
        assert!((far / forth - 1.0).abs() < 1e-3, "{forth} and {far}");
        let bad = [Vec2::NAN, Vec2::splat(f32::INFINITY), Vec2::splat(1e30)];
        assert_eq!(forth, depth(&mut points.iter().copied().chain(bad)));
    }
}
