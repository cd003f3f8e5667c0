//! Where a liquid is, which its grid must cover.

use std::collections::VecDeque;

use blob_fluid::{ClassTable, Container, FluidBounds, FluidParameters, Liquid};
use glam::Vec2;

use crate::grid::Grid;
use crate::report::GpuReport;

/// Interaction radii by which a grid that is not over a container is larger than the liquid.
const MARGIN: f32 = 16.0;
/// A grid with more than this many times the area that is needed becomes smaller.
const SLACK: f32 = 4.0;
/// Particles farther from the mean than this many standard deviations lie in the outermost cells, so that a
/// few strays do not make all cells large.
const DEVIATIONS: f32 = 6.0;

/// The box that a liquid is in. It follows the liquid some ticks late.
#[derive(Clone, Debug)]
pub(crate) struct Domain {
    bounds: FluidBounds,
    /// The smallest box around the particles, as far as it is known.
    particles: FluidBounds,
    /// The boxes around what was added, with the number of ticks before.
    added: VecDeque<(u64, FluidBounds)>,
}

impl Default for Domain {
    fn default() -> Self {
        Self { bounds: FluidBounds::NONE, particles: FluidBounds::NONE, added: VecDeque::new() }
    }
}

impl Domain {
    /// The smallest box around the particles, as far as it is known.
    pub(crate) fn particles(&self) -> FluidBounds {
        self.particles
    }

    /// Notes that particles are added, after that many ticks.
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

    /// Follows the liquid to where a report says that it is, with all strays if a container holds them.
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

    /// The grid of a liquid: over its container, or else over this domain. In a container so large that cells would be wider
    /// than usual it is over the part that the liquid is in.
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
        // What is outside comes back to the walls.
        let [low, high] = [low, high].map(|corner| corner.clamp(held.low, held.high));
        let near = FluidBounds { low, high }.inflated(MARGIN * radius);
        Grid::over(near.intersection(held), radius)
    }
}

/// A box around a liquid's container, unless it is endless or there is none.
pub(crate) fn held_by(liquid: &Liquid) -> Option<FluidBounds> {
    liquid.containers().next().and_then(|(_, container)| bounds_of(container))
}

/// A box around a container, unless it is endless.
pub(crate) fn bounds_of(container: &Container) -> Option<FluidBounds> {
    let local = container.shape().bounds();
    let (half, rotation) = (local.half_size(), container.rotation());
    let turned = rotation.abs();
    let half =
        Vec2::new(turned.x * half.x + turned.y * half.y, turned.y * half.x + turned.x * half.y);
    let centre = container.centre() + rotation.rotate(local.centre());
    half.is_finite().then_some(FluidBounds { low: centre - half, high: centre + half })
}

// Changes of settings that a liquid on a device must be eased into.

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
        // What was added after the report is not in it.
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
        // What a container holds is no stray.
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
            // Nobody is elsewhere, once the walls have taken back what is outside.
            for point in [domain.bounds.low, domain.bounds.high] {
                let inside = point.clamp(held.low, held.high);
                assert!(FluidBounds { low: grid.low, high: grid.high }.contains(inside));
            }
        }
    }
}
