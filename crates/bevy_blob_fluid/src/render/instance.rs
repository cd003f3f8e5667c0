//! What is sent to the GPU of each particle.

use bevy::prelude::*;
use bytemuck::{Pod, Zeroable};
use half::f16;

/// One particle as the shader reads it: 16 bytes.
#[derive(Reflect, Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[reflect(opaque, Debug, PartialEq)]
#[repr(C)]
pub struct FluidInstance {
    /// Position at the last tick, in world units.
    position: [f32; 2],
    /// Position at the tick before minus `position`, in world units. Half precision is a hundredth
    /// of a pixel for anything that moves less than a screen per tick.
    previous_offset: [f16; 2],
    /// Density class.
    class: u8,
    /// Which colour of the palette it has.
    color: u8,
    /// How much of it is to be seen, 255 for all.
    opacity: u8,
    /// In the upper five bits how loose it is, 31 for a drop alone; in the lower three which of
    /// eight slightly different shades it has.
    looseness_and_shade: u8,
}

/// How many steps of looseness there are above none.
const LOOSENESS_STEPS: f32 = 31.0;

impl FluidInstance {
    /// A particle inside of the liquid that moved from `previous` to `current` (world units) in the
    /// last tick, in the colour of its class. Of `shade` the lowest three bits count.
    pub fn new(previous: Vec2, current: Vec2, class: u8, shade: u8) -> Self {
        let offset = previous - current;
        Self {
            position: current.to_array(),
            previous_offset: [f16::from_f32(offset.x), f16::from_f32(offset.y)],
            class,
            color: class,
            opacity: u8::MAX,
            looseness_and_shade: shade & 7,
        }
    }

    /// The same particle, of which so much is to be seen; 0 to 1.
    #[must_use]
    pub fn with_opacity(mut self, opacity: f32) -> Self {
        self.opacity = (opacity * 255.0).round() as u8;
        self
    }

    /// The same particle in another colour of the [`FluidPalette`] than that of its class.
    #[must_use]
    pub fn with_color(mut self, color: u8) -> Self {
        self.color = color;
        self
    }

    /// The same particle with so little liquid around it: 0 inside of the liquid (the default), 1 for
    /// a drop alone. A [surface](super::FluidMaterial) draws loose ones larger, lest
    /// they vanish, and foams where they are fast.
    #[must_use]
    pub fn with_looseness(mut self, looseness: f32) -> Self {
        let steps = (looseness.clamp(0.0, 1.0) * LOOSENESS_STEPS).round() as u8;
        self.looseness_and_shade = (self.looseness_and_shade & 7) | (steps << 3);
        self
    }
}

/// All particles to draw, in drawing order.
///
/// The plugin fills it after every tick; without the simulation it can be filled with anything.
#[derive(Resource, Reflect, Clone, Debug, Default)]
#[reflect(opaque, Resource, Default, Debug)]
pub struct FluidInstances {
    instances: Vec<FluidInstance>,
    particle_spacing: f32,
    revision: u64,
}

impl FluidInstances {
    /// Replaces all particles, reusing the memory of the old ones.
    ///
    /// `particle_spacing` is the distance of particles at rest, in world units, which blob sizes
    /// are relative to.
    pub fn set(
        &mut self,
        instances: impl IntoIterator<Item = FluidInstance>,
        particle_spacing: f32,
    ) {
        self.instances.clear();
        self.instances.extend(instances);
        self.particle_spacing = particle_spacing;
        self.revision += 1;
    }

    /// All particles.
    pub fn as_slice(&self) -> &[FluidInstance] {
        &self.instances
    }

    /// Distance of particles at rest, in world units.
    pub fn particle_spacing(&self) -> f32 {
        self.particle_spacing
    }

    /// A number that grows with every change; 0 before the first.
    pub fn revision(&self) -> u64 {
        self.revision
    }
}

/// The moment to draw: 0 at the tick before the last, 1 at the last.
#[derive(Resource, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Resource, Default, Debug, PartialEq)]
pub struct FluidInterpolation(pub f32);

impl Default for FluidInterpolation {
    fn default() -> Self {
        Self(1.0)
    }
}

/// The colours that particles are drawn in: those of the density classes, or of what
/// [`FluidColoring`](crate::FluidColoring) shows instead.
#[derive(Resource, Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Resource, Default, Debug, PartialEq)]
pub struct FluidPalette {
    colors: Vec<Color>,
}

impl FluidPalette {
    /// How many colours there can be; those beyond are white.
    pub const MAX_COLORS: usize = 256;

    /// Replaces all colours.
    pub fn set(&mut self, colors: impl IntoIterator<Item = Color>) {
        self.colors.clear();
        self.colors.extend(colors.into_iter().take(Self::MAX_COLORS));
    }

    /// All colours: of the classes in their order, or of a gradient from its low end.
    pub fn as_slice(&self) -> &[Color] {
        &self.colors
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instance_is_sixteen_bytes_in_the_order_of_the_vertex_layout() {
        let instance = FluidInstance::new(Vec2::new(3.0, 1.0), Vec2::new(1.0, 2.0), 7, 9);
        let bytes = bytemuck::bytes_of(&instance);
        assert_eq!(bytes.len(), 16);
        assert_eq!(bytes[0..4], 1.0_f32.to_ne_bytes());
        assert_eq!(bytes[8..10], f16::from_f32(2.0).to_ne_bytes());
        assert_eq!(bytes[10..12], f16::from_f32(-1.0).to_ne_bytes());
        assert_eq!(bytes[12..16], [7, 9, 255, 0]);
        let faded = [0.0, 0.5, 1.0, 7.0, f32::NAN].map(|opacity| instance.with_opacity(opacity));
        assert_eq!(faded.map(|faded| faded.opacity), [0, 128, 255, 255, 0]);
    }

    #[test]
    fn replacing_particles_keeps_their_memory_and_counts() {
        let mut instances = FluidInstances::default();
        let instance = FluidInstance::new(Vec2::ZERO, Vec2::ZERO, 0, 0);
        instances.set(std::iter::repeat_n(instance, 100), 8.0);
        let (place, revision) = (instances.as_slice().as_ptr(), instances.revision());
        instances.set(std::iter::repeat_n(instance, 50), 8.0);
        assert_eq!(instances.as_slice().as_ptr(), place);
        assert!(instances.revision() > revision);
    }
}
