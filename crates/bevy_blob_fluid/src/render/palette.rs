//! The colours of particles, which classes blend, and which are gases.

use bevy::prelude::*;

/// The colours of particles: one for each density class, unless the colours show another quantity.
#[derive(Resource, Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Resource, Default, Debug, PartialEq)]
pub struct FluidPalette {
    colors: Vec<Color>,
    by_instance: bool,
}

impl FluidPalette {
    /// Largest number of colours; those beyond are white.
    pub const MAX_COLORS: usize = 256;

    /// Replaces all colours by those of the classes, in their order.
    pub fn set(&mut self, colors: impl IntoIterator<Item = Color>) {
        self.replace(colors, false);
    }

    /// Replaces all colours by ones that each particle refers to by an index of its own, with
    /// [`FluidInstance::with_color`](super::FluidInstance::with_color).
    pub fn set_by_instance(&mut self, colors: impl IntoIterator<Item = Color>) {
        self.replace(colors, true);
    }

    /// All colours.
    pub fn as_slice(&self) -> &[Color] {
        &self.colors
    }

    /// Whether each particle has its own colour index instead of the colour of its class.
    pub fn is_by_instance(&self) -> bool {
        self.by_instance
    }

    fn replace(&mut self, colors: impl IntoIterator<Item = Color>, by_instance: bool) {
        self.colors.clear();
        self.colors.extend(colors.into_iter().take(Self::MAX_COLORS));
        self.by_instance = by_instance;
    }
}

/// Pairs of classes that blend into each other on a [`FluidSurface`](super::FluidSurface).
///
/// The plugin keeps here the pairs of its class table that attract each other
/// ([`ClassPair::cohesion`](blob_fluid::ClassPair::cohesion) above 0).
#[derive(Resource, Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Resource, Default, Debug, PartialEq)]
pub struct FluidBlending(pub Vec<[u8; 2]>);

/// Classes that a [`FluidSurface`](super::FluidSurface) draws as gases, unless they have a look of
/// their own.
///
/// The plugin keeps here the gases of its class table
/// ([`DensityClass::is_gas`](blob_fluid::DensityClass::is_gas)).
#[derive(Resource, Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Resource, Default, Debug, PartialEq)]
pub struct FluidGases(pub Vec<u8>);
