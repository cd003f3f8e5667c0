//! The range of values that a gradient covers.

use bevy::prelude::*;
use blob_fluid::FluidWorld;

use super::quantity::{FluidColorBy, tag_index};

/// The range of values that a gradient covers. Values beyond it have the colour of the nearer end.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Debug, PartialEq)]
pub enum FluidColorRange {
    /// The range of most particles: from the 5th to the 95th percentile. Speed and age begin at 0,
    /// and the range of density is symmetric around 1. The range follows the liquid within about a
    /// second of simulated time, whatever the frame rate is, and is never so narrow that liquid at
    /// rest shows noise. [`FluidColorScale`] holds its present value.
    #[default]
    Auto,
    /// A fixed range; both ends are finite and different. A low end above the high end reverses the
    /// gradient.
    Fixed {
        /// Value at the low end of the gradient.
        low: f32,
        /// Value at its high end.
        high: f32,
    },
}

impl FluidColorRange {
    /// Whether the range is valid.
    pub(super) fn is_valid(self) -> bool {
        match self {
            Self::Auto => true,
            Self::Fixed { low, high } => low.is_finite() && high.is_finite() && low != high,
        }
    }
}

/// The range in use, for legends. It is for reading only: change
/// [`FluidColoring`](super::FluidColoring).
#[derive(Resource, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Resource, Default, Debug, PartialEq)]
pub struct FluidColorScale {
    by: FluidColorBy,
    low: f32,
    high: f32,
    /// Quantity that an automatic range was found for, and simulated time of that.
    found: Option<(FluidColorBy, f64)>,
}

impl Default for FluidColorScale {
    fn default() -> Self {
        Self { by: FluidColorBy::Class, low: 0.0, high: 1.0, found: None }
    }
}

/// Largest number of particles that an automatic range is computed from.
const SAMPLE: usize = 2048;

/// One in this many particles is below an automatic range, and one is above it.
const BEYOND: usize = 20;

/// Time constant with which an automatic range approaches its target, in seconds.
const TIME_CONSTANT: f64 = 0.4;

impl FluidColorScale {
    /// Quantity that is shown.
    pub fn by(&self) -> FluidColorBy {
        self.by
    }

    /// Value at the low end of the gradient.
    pub fn low(&self) -> f32 {
        self.low
    }

    /// Value at its high end.
    pub fn high(&self) -> f32 {
        self.high
    }

    /// Position of a value on the gradient, 0 to 1; 0 for NaN.
    pub fn position(&self, value: f32) -> f32 {
        let position = (value - self.low) / (self.high - self.low);
        if position.is_nan() { 0.0 } else { position.clamp(0.0, 1.0) }
    }

    /// Index in the palette of the colour of a value.
    pub(crate) fn index_of(&self, value: f32) -> u8 {
        (self.position(value) * f32::from(u8::MAX)).round() as u8
    }

    /// Index in the palette of the colour of the particle at an index; `None` for that of its
    /// class.
    pub(crate) fn color_index(&self, fluid: &FluidWorld, index: usize) -> Option<u8> {
        let particles = fluid.particles();
        match self.by {
            FluidColorBy::Class => None,
            FluidColorBy::Tag => Some(tag_index(particles.tag(particles.ids()[index]))),
            by => Some(self.index_of(by.value(fluid, index))),
        }
    }

    /// Applies another quantity or range, or lets an automatic range follow the liquid.
    pub(super) fn update(
        &mut self,
        by: FluidColorBy,
        range: FluidColorRange,
        fluid: &FluidWorld,
        sample: &mut Vec<f32>,
    ) {
        self.by = by;
        match range {
            FluidColorRange::Fixed { low, high } => {
                if range.is_valid() {
                    (self.low, self.high) = (low, high);
                }
                self.found = None;
            }
            FluidColorRange::Auto if by.has_scale() => self.follow(fluid, sample),
            FluidColorRange::Auto => self.found = None,
        }
    }

    fn follow(&mut self, fluid: &FluidWorld, sample: &mut Vec<f32>) {
        let Some((low, high)) = typical_range(self.by, fluid, sample) else { return };
        let share = match self.found {
            Some((by, then)) if by == self.by => {
                // The clock may have been set back.
                1.0 - libm::exp(-(fluid.time() - then).max(0.0) / TIME_CONSTANT)
            }
            _ => {
                (self.low, self.high) = (low, high);
                1.0
            }
        };
        self.found = Some((self.by, fluid.time()));
        self.low += share as f32 * (low - self.low);
        self.high += share as f32 * (high - self.high);
    }
}

/// Range of most particles; `None` without any.
fn typical_range(
    by: FluidColorBy,
    fluid: &FluidWorld,
    sample: &mut Vec<f32>,
) -> Option<(f32, f32)> {
    let count = fluid.particles().len();
    sample.clear();
    // Particles are sorted by position: every n-th of them is a sample of the whole liquid.
    let indices = (0..count).step_by(count.div_ceil(SAMPLE).max(1));
    sample.extend(indices.map(|index| by.value(fluid, index)).filter(|value| value.is_finite()));
    let beyond = sample.len() / BEYOND;
    let last = sample.len().checked_sub(1)?;
    let mut nth = |index: usize| *sample.select_nth_unstable_by(index, f32::total_cmp).1;
    let (low, high) = (by.begin().unwrap_or_else(|| nth(beyond)), nth(last - beyond));
    let (low, high) = match by.middle() {
        Some(middle) => {
            let farthest = (high - middle).max(middle - low);
            (middle - farthest, middle + farthest)
        }
        None => (low, high),
    };
    let lacking = (by.min_width(fluid) - (high - low)).max(0.0);
    Some(match by.begin() {
        Some(low) => (low, high + lacking),
        None => (low - 0.5 * lacking, high + 0.5 * lacking),
    })
}

#[cfg(test)]
mod tests {
    use blob_fluid::{ParticleSpawn, SerialExecutor};

    use super::*;

    /// Particles far apart whose temperatures are evenly spread from 0 to `highest`.
    fn spread(highest: f32) -> FluidWorld {
        let mut world = FluidWorld::default();
        for index in 0..=1000 {
            let position = Vec2::X * 100.0 * index as f32;
            let temperature = Some(highest * index as f32 / 1000.0);
            let spawn = ParticleSpawn { position, temperature, ..default() };
            world.spawn(spawn).expect("room for all");
        }
        world
    }

    fn advance(world: &mut FluidWorld, seconds: f32) {
        for _ in 0..(seconds * 100.0).round() as u32 {
            world.step(0.01, &SerialExecutor).expect("valid");
        }
    }

    fn update(scale: &mut FluidColorScale, range: FluidColorRange, world: &FluidWorld) {
        scale.update(FluidColorBy::Temperature, range, world, &mut Vec::new());
    }

    #[test]
    fn an_automatic_range_leaves_out_a_few_at_both_ends() {
        let mut scale = FluidColorScale::default();
        update(&mut scale, FluidColorRange::Auto, &spread(1000.0));
        assert_eq!((scale.low(), scale.high()), (50.0, 950.0));
        // Nearly equal values get the same colour.
        let mut scale = FluidColorScale::default();
        update(&mut scale, FluidColorRange::Auto, &spread(0.001));
        assert!((scale.high() - scale.low() - 1.0).abs() < 1e-3);
    }

    #[test]
    fn density_is_shown_around_that_at_rest() {
        let world = spread(1.0);
        let mut scale = FluidColorScale::default();
        // As if at rest, until the first substep.
        scale.update(FluidColorBy::Density, FluidColorRange::Auto, &world, &mut Vec::new());
        assert_eq!((scale.low(), scale.high()), (0.75, 1.25));
        let mut world = world;
        advance(&mut world, 0.01);
        let mut scale = FluidColorScale::default();
        scale.update(FluidColorBy::Density, FluidColorRange::Auto, &world, &mut Vec::new());
        assert_eq!((scale.low(), scale.high()), (0.0, 2.0));
    }

    #[test]
    fn an_automatic_range_follows_by_simulated_time_alone() {
        let mut worlds = [spread(1000.0), spread(2000.0)];
        let mut often = FluidColorScale::default();
        update(&mut often, FluidColorRange::Auto, &worlds[0]);
        let mut once = often;
        for _ in 0..40 {
            advance(&mut worlds[1], 0.01);
            update(&mut often, FluidColorRange::Auto, &worlds[1]);
            // No time has passed.
            update(&mut often, FluidColorRange::Auto, &worlds[1]);
        }
        update(&mut once, FluidColorRange::Auto, &worlds[1]);
        assert!((often.high() - once.high()).abs() < 0.5, "{often:?} {once:?}");
        let expected = 1900.0 - 950.0 * libm::expf(-1.0);
        assert!((once.high() - expected).abs() < 1.0, "{once:?}");
    }

    #[test]
    fn a_range_that_is_none_leaves_the_last() {
        let world = spread(1000.0);
        let mut scale = FluidColorScale::default();
        update(&mut scale, FluidColorRange::Fixed { low: 3.0, high: -5.0 }, &world);
        assert_eq!(
            [7.0, 3.0, -1.0, -5.0, -9.0].map(|value| scale.position(value)),
            [0.0, 0.0, 0.5, 1.0, 1.0]
        );
        assert_eq!(scale.position(f32::NAN), 0.0);
        for (low, high) in [(1.0, 1.0), (f32::NAN, 1.0), (0.0, f32::INFINITY)] {
            update(&mut scale, FluidColorRange::Fixed { low, high }, &world);
            assert_eq!((scale.low(), scale.high()), (3.0, -5.0));
        }
    }

    #[test]
    fn without_particles_the_range_stays() {
        let mut scale = FluidColorScale::default();
        let before = (scale.low(), scale.high());
        update(&mut scale, FluidColorRange::Auto, &FluidWorld::default());
        assert_eq!((scale.low(), scale.high()), before);
        update(&mut scale, FluidColorRange::Auto, &spread(100.0));
        assert_eq!((scale.low(), scale.high()), (5.0, 95.0));
    }
}
