//! The colours of particles, and which classes' colours run into each other.

use bevy::prelude::*;

/// The colours that particles may have: that of each density class, unless they go by something else.
#[derive(Resource, Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Resource, Default, Debug, PartialEq)]
pub struct FluidPalette {
    colors: Vec<Color>,
    by_instance: bool,
}

impl FluidPalette {
    /// How many colours there may be; those beyond are white.
    pub const MAX_COLORS: usize = 256;

    /// Replaces all colours by those of the classes, in their order.
    pub fn set(&mut self, colors: impl IntoIterator<Item = Color>) {
        self.replace(colors, false);
    }

    /// Replaces all colours by ones that every particle chooses from by itself, with
    /// [`FluidInstance::with_color`](super::FluidInstance::with_color).
    pub fn set_by_instance(&mut self, colors: impl IntoIterator<Item = Color>) {
        self.replace(colors, true);
    }

    /// All colours.
    pub fn as_slice(&self) -> &[Color] {
        &self.colors
    }

    /// Whether particles choose their colours by themselves rather than have that of their class.
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
