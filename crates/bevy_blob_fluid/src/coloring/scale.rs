//! The range of values that a gradient covers.

use bevy::prelude::*;
use blob_fluid::{FluidWorld, ParticleTag};

/// The range of values that a gradient covers. Values beyond the range have the colour of the
/// nearer end.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Debug, PartialEq)]
pub enum FluidColorRange {
    /// The range of most particles: from the 5th to the 95th percentile. For speed and age the
    /// range begins at 0, and for density it is symmetric around 1. The range follows the liquid
    /// within about a second of simulated time, independently of the frame rate. A least width of
    /// the range prevents visible noise in liquid at rest. [`FluidColorScale`] holds the present
    /// range.
    #[default]
    Auto,
    /// A fixed range. Both ends of the range are finite and different. A low end above the high end
    /// reverses the gradient.
    Fixed {
        /// Value at the low end of the gradient.
        low: f32,
        /// Value at the high end of the gradient.
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

/// The range in use, for legends. To change this read-only resource, set
/// [`FluidColoring`](super::FluidColoring).
#[derive(Resource, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Resource, Default, Debug, PartialEq)]
pub struct FluidColorScale {
    by: FluidColorBy,
    low: f32,
    high: f32,
    /// Quantity of the automatic range, and simulated time of its last update.
    found: Option<(FluidColorBy, f64)>,
}

impl Default for FluidColorScale {
    fn default() -> Self {
        Self { by: FluidColorBy::Class, low: 0.0, high: 1.0, found: None }
    }
}

/// Largest number of particles from which an automatic range is computed.
const SAMPLE: usize = 2048;

/// One of this many particles is below an automatic range, and one is above it.
const BEYOND: usize = 20;

/// Time constant with which an automatic range approaches its target, in seconds.
const TIME_CONSTANT: f64 = 0.4;

impl FluidColorScale {
    /// The shown quantity.
    pub fn by(&self) -> FluidColorBy {
        self.by
    }

    /// Value at the low end of the gradient.
    pub fn low(&self) -> f32 {
        self.low
    }

    /// Value at the high end of the gradient.
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

    /// Index in the palette of the colour of the particle at an index. `None` stands for the colour
    /// of its class.
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

/// The range of most particles; `None` without particles.
fn typical_range(
    by: FluidColorBy,
    fluid: &FluidWorld,
    sample: &mut Vec<f32>,
) -> Option<(f32, f32)> {
    let count = fluid.particles().len();
    sample.clear();
    // Particles are sorted by position, so every n-th particle is a sample of the whole liquid.
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

// Quantities that the colours of particles can show.

/// The quantity that the colours of particles show.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Default, Debug, PartialEq, Hash)]
pub enum FluidColorBy {
    /// The class of the particle, or its [paint](blob_fluid::FluidPaint).
    #[default]
    Class,
    /// Speed of the particle, in world units/s.
    Speed,
    /// Pressure on the particle, divided by the rest density of the medium class, in (world
    /// units/s)². It is about gravity times depth
    /// ([`Liquid::pressure`](blob_fluid::Liquid::pressure)).
    Pressure,
    /// Density around the particle, relative to the rest density of its class
    /// ([`Particles::relative_densities`](blob_fluid::Particles::relative_densities)).
    Density,
    /// Age of the particle, in seconds.
    Age,
    /// Temperature of the particle, in the degrees of [`FluidThermal`](blob_fluid::FluidThermal).
    Temperature,
    /// The [tag](ParticleTag) of the particle. Particles without a tag are grey, and consecutive
    /// tags use 255 other colours in turn.
    Tag,
}

impl FluidColorBy {
    /// All quantities, for example for a list in a panel.
    pub const ALL: [Self; 7] = [
        Self::Class,
        Self::Speed,
        Self::Pressure,
        Self::Density,
        Self::Age,
        Self::Temperature,
        Self::Tag,
    ];

    /// The unit of the values, as a suffix for display.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Class | Self::Density | Self::Tag => "",
            Self::Speed => "units/s",
            Self::Pressure => "(units/s)²",
            Self::Age => "s",
            Self::Temperature => "°",
        }
    }

    /// Whether the values have an order from low to high.
    pub const fn has_scale(self) -> bool {
        !matches!(self, Self::Class | Self::Tag)
    }

    /// The value of the particle at an index; 0 for a class or a tag.
    pub(super) fn value(self, fluid: &FluidWorld, index: usize) -> f32 {
        let particles = fluid.particles();
        match self {
            Self::Class | Self::Tag => 0.0,
            Self::Speed => particles.velocities()[index].length(),
            Self::Pressure => fluid.pressure(index),
            Self::Density => particles.relative_densities()[index],
            Self::Age => particles.age(particles.ids()[index]).unwrap_or_default(),
            Self::Temperature => particles.temperatures()[index],
        }
    }

    /// Fixed low end of an automatic range, if it has one.
    pub(super) fn begin(self) -> Option<f32> {
        matches!(self, Self::Speed | Self::Age).then_some(0.0)
    }

    /// Centre of a symmetric automatic range, if it has one.
    pub(super) fn middle(self) -> Option<f32> {
        (self == Self::Density).then_some(1.0)
    }

    /// Least width of an automatic range. Smaller differences are noise.
    pub(super) fn min_width(self, fluid: &FluidWorld) -> f32 {
        let parameters = fluid.parameters();
        match self {
            Self::Class | Self::Tag | Self::Age | Self::Temperature => 1.0,
            Self::Speed => 0.5 * parameters.speed_unit(),
            // The pressure below ten rows of particles.
            Self::Pressure => {
                10.0 * parameters.particle_spacing * parameters.reference_acceleration
            }
            Self::Density => 0.5,
        }
    }
}

/// Index of a tag's colour in the palette.
pub(super) fn tag_index(tag: Option<ParticleTag>) -> u8 {
    match tag {
        None | Some(ParticleTag::NONE) => 0,
        Some(ParticleTag(number)) => 1 + ((number - 1) % u32::from(u8::MAX)) as u8,
    }
}

/// The colours of tags. Each hue is far from the previous hues, and the lightness alternates
/// between three values.
pub(super) fn tag_color(index: u8) -> Color {
    /// Difference of consecutive hues, in degrees. The golden angle keeps any number of hues apart.
    const TURN: f32 = 137.507_77;
    if index == 0 {
        return Color::srgb(0.55, 0.55, 0.58);
    }
    let lightness = [0.72, 0.58, 0.82][usize::from(index) % 3];
    let color = Oklcha::new(lightness, 0.15, f32::from(index) * TURN % 360.0, 1.0);
    let Srgba { red, green, blue, .. } = color.into();
    Color::srgb(red.clamp(0.0, 1.0), green.clamp(0.0, 1.0), blue.clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use bevy::color::color_difference::EuclideanDistance;
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
        // The densities are those at rest until the first substep.
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
            // An update without passed time.
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

    #[test]
    fn tags_that_follow_on_each_other_have_colours_of_their_own() {
        let indices: Vec<u8> = (1..=255).map(|tag| tag_index(Some(ParticleTag(tag)))).collect();
        assert_eq!(indices, (1..=255).collect::<Vec<u8>>());
        assert_eq!(tag_index(Some(ParticleTag::NONE)), 0);
        assert_eq!(tag_index(Some(ParticleTag(256))), 1);
        assert_eq!(tag_index(Some(ParticleTag(u32::MAX))), 255);
        let colors: Vec<Oklaba> = (0..=255).map(|index| tag_color(index).into()).collect();
        for (index, color) in colors.iter().enumerate() {
            for other in &colors[..index] {
                assert!(color.distance(other) > 1e-3, "{color:?} {other:?}");
            }
            // The first colours must differ clearly.
            for other in &colors[..index.min(12)] {
                assert!(index > 12 || color.distance(other) > 0.07, "{index} {color:?} {other:?}");
            }
        }
    }
}
