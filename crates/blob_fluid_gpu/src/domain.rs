//! The region of a liquid, which its grid must cover.

use std::collections::VecDeque;

use blob_fluid::{ClassTable, Container, FluidBounds, FluidParameters, Liquid};
use glam::Vec2;

use crate::grid::Grid;
use crate::report::GpuReport;

/// Margin of a grid that does not cover a container, in interaction radii.
const MARGIN: f32 = 16.0;
/// A grid with more than this multiple of the needed area shrinks.
const SLACK: f32 = 4.0;
/// Particles farther from the mean than this number of standard deviations are put into the
/// outermost cells. So a few strays do not make all cells large.
const DEVIATIONS: f32 = 6.0;

/// The box around a liquid. It follows the liquid some ticks late.
#[derive(Clone, Debug)]
pub(crate) struct Domain {
    bounds: FluidBounds,
    /// The smallest known box around the particles.
    particles: FluidBounds,
    /// The boxes around added particles, with the number of ticks before them.
    added: VecDeque<(u64, FluidBounds)>,
}

impl Default for Domain {
    fn default() -> Self {
        Self { bounds: FluidBounds::NONE, particles: FluidBounds::NONE, added: VecDeque::new() }
    }
}

impl Domain {
    /// The smallest known box around the particles.
    pub(crate) fn particles(&self) -> FluidBounds {
        self.particles
    }

    /// Records that particles are added after `tick` ticks.
    pub(crate) fn add(&mut self, tick: u64, positions: impl Iterator<Item = Vec2>) {
        let finite = positions.filter(|position| position.is_finite());
        let points = finite.map(|point| FluidBounds { low: point, high: point });
        let bounds = points.fold(FluidBounds::NONE, FluidBounds::union);
        if bounds == FluidBounds::NONE {
            return;
        }
        self.bounds = self.bounds.union(bounds);
        self.particles = self.particles.union(bounds);
        match self.added.back_mut() {
            Some((last, around)) if *last == tick => *around = around.union(bounds),
            _ => self.added.push_back((tick, bounds)),
        }
    }

    /// Follows the liquid to its box in a report. The box includes all strays if a container holds them.
    pub(crate) fn follow(&mut self, report: &GpuReport, radius: f32, is_held: bool) {
        while self.added.front().is_some_and(|(tick, _)| *tick < report.tick) {
            self.added.pop_front();
        }
        let far = DEVIATIONS * Vec2::new(report.squares.x.sqrt(), report.squares.y.sqrt());
        let most = if is_held {
            FluidBounds::ALL
        } else {
            FluidBounds { low: report.centre - far, high: report.centre + far }
        };
        let added = self.added.iter().map(|(_, bounds)| *bounds);
        let needed = added.fold(report.bounds.intersection(most), FluidBounds::union);
        if !(needed.low.is_finite() && needed.high.is_finite()) {
            return;
        }
        self.particles = needed;
        let wide = needed.inflated(MARGIN * radius);
        let area = |bounds: FluidBounds| (bounds.high - bounds.low).element_product();
        let covered = self.bounds.contains(needed.low) && self.bounds.contains(needed.high);
        if !covered || area(self.bounds) > SLACK * area(wide) {
            self.bounds = wide;
        }
    }

    /// The grid of a liquid: over its container, or without one over this domain. If the container
    /// would make cells wider than usual, the grid covers only the part around the liquid.
    pub(crate) fn grid(&self, liquid: &Liquid) -> Grid {
        let radius = liquid.parameters().interaction_radius();
        let Some(held) = held_by(liquid) else {
            return Grid::over(self.bounds.inflated(radius), radius);
        };
        let whole = Grid::over(held, radius);
        let FluidBounds { low, high } = self.bounds;
        if whole.is_fine(radius) || !low.cmple(high).all() {
            return whole;
        }
        // Walls move particles outside of the container back to it.
        let [low, high] = [low, high].map(|corner| corner.clamp(held.low, held.high));
        let near = FluidBounds { low, high }.inflated(MARGIN * radius);
        Grid::over(near.intersection(held), radius)
    }
}

/// A box around a liquid's container; `None` for an unbounded container, and without one.
pub(crate) fn held_by(liquid: &Liquid) -> Option<FluidBounds> {
    liquid.containers().next().and_then(|(_, container)| bounds_of(container))
}

/// A box around a container; `None` if it is unbounded.
pub(crate) fn bounds_of(container: &Container) -> Option<FluidBounds> {
    let local = container.shape().bounds();
    let (half, rotation) = (local.half_size(), container.rotation());
    let turned = rotation.abs();
    let half =
        Vec2::new(turned.x * half.x + turned.y * half.y, turned.y * half.x + turned.x * half.y);
    let centre = container.centre() + rotation.rotate(local.centre());
    half.is_finite().then_some(FluidBounds { low: centre - half, high: centre + half })
}

// Settings changes that a liquid on a graphics card must be eased into.

/// The settings of the last tick, and the beginning of easing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Easing {
    before: Option<(FluidParameters, ClassTable)>,
    /// Number of ticks before easing began.
    since: Option<u64>,
}

impl Easing {
    /// Eases in the changes since the last tick. `ticks` is the number of ticks so far.
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

    /// The fraction of compressed particles in a report; `None` unless the report is from after the
    /// beginning of easing.
    pub(crate) fn compressed(&self, report: Option<&GpuReport>) -> Option<f32> {
        let since = self.since?;
        let report = report.filter(|report| report.tick > since)?;
        Some(report.compressed as f32 / report.in_play().max(1) as f32)
    }
}

#[cfg(test)]
mod tests {
    use blob_fluid::FluidWorld;

    use super::*;

    /// A report of a uniform square after a tick.
    fn square(tick: u64, low: Vec2, size: f32) -> GpuReport {
        let bounds = FluidBounds { low, high: low + size };
        let mut report = GpuReport::of_bounds(tick, bounds);
        report.squares = Vec2::splat(size * size / 12.0);
        report
    }

    #[test]
    fn a_domain_follows_its_liquid() {
        let mut domain = Domain::default();
        domain.add(0, [Vec2::ZERO, Vec2::splat(100.0), Vec2::splat(f32::NAN)].into_iter());
        let whole = FluidBounds { low: Vec2::ZERO, high: Vec2::splat(100.0) };
        assert_eq!(domain.bounds, whole);
        domain.follow(&square(1, Vec2::ZERO, 90.0), 10.0, false);
        assert_eq!(domain.bounds, whole, "still covered");
        domain.follow(&square(2, Vec2::new(0.0, -50.0), 100.0), 10.0, false);
        let moved = FluidBounds { low: Vec2::new(0.0, -50.0), high: Vec2::new(100.0, 50.0) };
        assert_eq!(domain.bounds, moved.inflated(160.0));
        // The report does not include particles added after it.
        domain.add(3, [Vec2::splat(1000.0)].into_iter());
        domain.follow(&square(3, Vec2::new(0.0, -60.0), 100.0), 10.0, false);
        assert!(domain.bounds.contains(Vec2::splat(1000.0)));
        domain.follow(&square(4, Vec2::new(0.0, -60.0), 100.0), 10.0, false);
        assert!(!domain.bounds.contains(Vec2::splat(1000.0)));

        let mut stray = square(5, Vec2::ZERO, 100.0);
        stray.bounds.high.x = 1e6;
        domain.follow(&stray, 10.0, false);
        assert!(domain.bounds.high.x < 500.0, "{:?}", domain.bounds);
        domain.follow(&GpuReport::of_bounds(6, FluidBounds::NONE), 10.0, false);
        assert!(domain.bounds.low.is_finite());
        // Particles in a container are not strays.
        stray.tick = 7;
        domain.follow(&stray, 10.0, true);
        assert!(domain.bounds.contains(stray.bounds.high));
    }

    #[test]
    fn cells_have_the_usual_size_in_a_container_however_large() {
        let mut domain = Domain::default();
        domain.add(0, [Vec2::splat(-50.0), Vec2::splat(50.0)].into_iter());
        for (half_size, centre) in [(1e3, 0.0), (1e6, 0.0), (1e6, 1e6), (1e6, -2e6)] {
            let mut world = FluidWorld::default();
            let centre = Vec2::splat(centre);
            let container = Container::rectangle(centre, Vec2::splat(half_size)).expect("valid");
            let held = bounds_of(&container).expect("not endless");
            world.insert_container(container);
            let grid = domain.grid(world.liquid());
            let radius = world.parameters().interaction_radius();
            assert!(grid.is_fine(radius), "{grid:?}");
            assert_eq!(grid.low.y == held.low.y && grid.high.x == held.high.x, half_size == 1e3);
            // All particles are inside the box once the walls have moved outside ones back.
            for point in [domain.bounds.low, domain.bounds.high] {
                let inside = point.clamp(held.low, held.high);
                assert!(FluidBounds { low: grid.low, high: grid.high }.contains(inside));
            }
        }
    }
}
