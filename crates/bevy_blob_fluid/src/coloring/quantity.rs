//! Quantities that the colours of particles can show.

use bevy::prelude::*;
use blob_fluid::{FluidWorld, ParticleTag};

/// The quantity that the colours of particles show.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Default, Debug, PartialEq, Hash)]
pub enum FluidColorBy {
    /// The colour of its class, or of its [paint](blob_fluid::FluidPaint).
    #[default]
    Class,
    /// Its speed, in world units/s.
    Speed,
    /// The pressure on it, over the density of the medium class at rest, in (world units/s)²: about
    /// gravity times depth ([`Liquid::pressure`](blob_fluid::Liquid::pressure)).
    Pressure,
    /// The density around it, relative to its class at rest
    /// ([`Particles::relative_densities`](blob_fluid::Particles::relative_densities)).
    Density,
    /// Its age, in seconds.
    Age,
    /// Its temperature, in the degrees of [`FluidThermal`](blob_fluid::FluidThermal).
    Temperature,
    /// Its [tag](ParticleTag), in a colour for each tag: grey without one, and 255 other colours
    /// for consecutive tags.
    Tag,
}

impl FluidColorBy {
    /// All of them, for a panel to choose from.
    pub const ALL: [Self; 7] = [
        Self::Class,
        Self::Speed,
        Self::Pressure,
        Self::Density,
        Self::Age,
        Self::Temperature,
        Self::Tag,
    ];

    /// The unit of its values, to be shown behind them.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Class | Self::Density | Self::Tag => "",
            Self::Speed => "units/s",
            Self::Pressure => "(units/s)²",
            Self::Age => "s",
            Self::Temperature => "°",
        }
    }

    /// Whether its values lie on a scale, from low to high.
    pub const fn has_scale(self) -> bool {
        !matches!(self, Self::Class | Self::Tag)
    }

    /// The value of the particle at an index; `None` for a class or a tag.
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

    /// Smallest width of an automatic range: smaller differences are noise.
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

/// The colours of tags: each hue is far from those before it, and they are lighter and darker in
/// turn.
pub(super) fn tag_color(index: u8) -> Color {
    /// Distance of a hue from the one before, in degrees: the golden angle keeps any number of hues
    /// apart.
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

    use super::*;

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
