//! The data of each particle on the GPU.

use bevy::prelude::*;
use bevy::render::render_resource::Buffer;
use bytemuck::{Pod, Zeroable};
use half::f16;

/// One particle as the shader reads it: 20 bytes.
#[derive(Reflect, Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[reflect(opaque, Debug, PartialEq)]
#[repr(C)]
pub struct FluidInstance {
    /// Position at the last tick, in world units.
    position: [f32; 2],
    /// Position at the previous tick minus `position`, in world units. Half precision is accurate
    /// to 1/2000 of the displacement.
    previous_offset: [f16; 2],
    /// Index of the particle's density class.
    class: u8,
    /// Index of the colour in the palette. If the colours show the class: heat in the upper four
    /// bits, and foam in the lower four.
    tint: u8,
    /// Opacity, 255 for opaque.
    opacity: u8,
    /// Looseness in the upper five bits, 31 for a single particle; one of eight shades in the lower three.
    looseness_and_shade: u8,
    /// Square roots of the red, green and blue of the paint, and 255 if the particle is painted.
    paint: [u8; 4],
}

/// Longest offset, in world units: just below the largest half float.
const LONGEST_OFFSET: f32 = 65_000.0;
/// Largest stored looseness.
const LOOSENESS_STEPS: f32 = 31.0;
/// Largest stored heat and foam.
const TINT_STEPS: f32 = 15.0;

impl FluidInstance {
    /// A particle inside of the liquid, in the colour of its class. In the last tick, the particle moved from `previous`
    /// to `current`, in world units.
    ///
    /// The lowest three bits of `shade` select one of eight slightly different brightnesses. Foam and crust show the
    /// mean of many shades, so shades should be random, and constant for each particle.
    pub fn new(previous: Vec2, current: Vec2, class: u8, shade: u8) -> Self {
        let offset = previous - current;
        // A longer offset does not fit half precision. At that speed, interpolation is not visible.
        let offset = if offset.abs().max_element() < LONGEST_OFFSET { offset } else { Vec2::ZERO };
        Self {
            position: current.to_array(),
            previous_offset: [f16::from_f32(offset.x), f16::from_f32(offset.y)],
            class,
            tint: 0,
            opacity: u8::MAX,
            looseness_and_shade: shade & 7,
            paint: [0; 4],
        }
    }

    /// Position at the last tick, in world units.
    pub fn position(&self) -> Vec2 {
        self.position.into()
    }

    /// Position at the previous tick, in world units.
    pub fn previous_position(&self) -> Vec2 {
        self.position_before(1.0)
    }

    /// Position at a fraction of a tick before the last tick.
    pub(super) fn position_before(&self, part: f32) -> Vec2 {
        if part == 0.0 {
            return self.position();
        }
        self.position() + Vec2::from(self.previous_offset.map(f16::to_f32)) * part
    }

    /// Whether this instance is bit-identical to another.
    fn is_same(&self, other: &Self) -> bool {
        bytemuck::bytes_of(self) == bytemuck::bytes_of(other)
    }

    /// Index of the particle's density class.
    pub fn class(&self) -> u8 {
        self.class
    }

    /// The same particle with an opacity, 0 to 1.
    #[must_use]
    pub fn with_opacity(mut self, opacity: f32) -> Self {
        self.opacity = (opacity * 255.0).round() as u8;
        self
    }

    /// The same particle with a colour index into a [`FluidPalette`](super::FluidPalette) whose colours do not show the
    /// class. The colour index replaces heat and foam.
    #[must_use]
    pub fn with_color(mut self, color: u8) -> Self {
        self.tint = color;
        self
    }

    /// The same particle with heat and foam, each 0 (the default) to 1. Heat and foam are drawn if the colours of the
    /// [`FluidPalette`](super::FluidPalette) show the class.
    #[must_use]
    pub fn with_heat_and_foam(mut self, heat: f32, foam: f32) -> Self {
        let steps = |value: f32| (value.clamp(0.0, 1.0) * TINT_STEPS).round() as u8;
        self.tint = (steps(heat) << 4) | steps(foam);
        self
    }

    /// The same particle in its own colour instead of that of its class: red, green and blue, linear, 0 to 1. The
    /// particle keeps the opacity of its class.
    #[must_use]
    pub fn with_paint(mut self, color: [f32; 3]) -> Self {
        // Square roots keep dark colours distinct, as sRGB does.
        let [red, green, blue] = color.map(|value| (value.sqrt() * 255.0).round() as u8);
        self.paint = [red, green, blue, u8::MAX];
        self
    }

    /// The same particle with a looseness: 0 inside of the liquid (the default), 1 for a single
    /// particle. A [`FluidSurface`](super::FluidSurface) draws loose particles larger, so that they
    /// do not vanish.
    #[must_use]
    pub fn with_looseness(mut self, looseness: f32) -> Self {
        let steps = (looseness.clamp(0.0, 1.0) * LOOSENESS_STEPS).round() as u8;
        self.looseness_and_shade = (self.looseness_and_shade & 7) | (steps << 3);
        self
    }
}

/// Time for the motion of gases and caustics, in seconds. `None` stands for [`Time`], in an app without the simulation.
#[derive(Resource, Clone, Copy, Debug, Default)]
pub(crate) struct FluidDrawnTime(pub Option<f32>);

/// All particles to draw, in drawing order.
///
/// The plugin sets the particles after every tick; an app without the simulation can set its own particles.
#[derive(Resource, Reflect, Clone, Debug, Default)]
#[reflect(opaque, Resource, Default, Debug)]
pub struct FluidInstances {
    instances: Vec<FluidInstance>,
    particle_spacing: f32,
    revision: u64,
    /// One bit for each class that has particles.
    classes: [u64; 4],
    /// Whether any particle moved in the last tick, whether any has a tint, and whether any has paint.
    is_moving: bool,
    has_tints: bool,
    has_paint: bool,
    /// Opposite corners of the smallest box around all positions; `None` without particles.
    bounds: Option<[Vec2; 2]>,
    on_device: Option<FluidDeviceInstances>,
}

/// Particles that a program has written to a buffer on the graphics card.
#[derive(Clone, Debug)]
pub struct FluidDeviceInstances {
    /// Contiguous [`FluidInstance`]s, in a buffer with the usage `VERTEX`. An instance with an opacity of 0 is
    /// invisible.
    pub buffer: Buffer,
    /// Number of instances in the buffer.
    pub count: u32,
    /// The classes that have particles, in ascending order.
    pub classes: Vec<u8>,
    /// Lower left and upper right corner of a box that holds all particles, in world units.
    pub bounds: [Vec2; 2],
    /// Whether any particle may have a tint: a colour index, or heat and foam.
    pub has_tints: bool,
}

impl FluidInstances {
    /// Draws particles that are on the graphics card, until [`set`](Self::set) replaces them. Such particles have no
    /// paint, and count as moving.
    pub fn set_on_device(&mut self, particles: FluidDeviceInstances, particle_spacing: f32) {
        self.instances.clear();
        self.particle_spacing = particle_spacing;
        self.revision += 1;
        self.classes = [0; 4];
        for class in &particles.classes {
            self.classes[usize::from(class >> 6)] |= 1 << (class & 63);
        }
        (self.is_moving, self.has_tints, self.has_paint) = (true, particles.has_tints, false);
        self.bounds = (particles.count > 0).then_some(particles.bounds);
        self.on_device = Some(particles);
    }

    /// The particles on the graphics card, if [`set_on_device`](Self::set_on_device) was called
    /// last.
    pub fn on_device(&self) -> Option<&FluidDeviceInstances> {
        self.on_device.as_ref()
    }

    /// Replaces all particles, and reuses their memory. If all particles are unchanged, nothing is copied to the GPU,
    /// and surfaces are not computed again.
    ///
    /// `particle_spacing` is the distance of particles at rest, in world units; the sizes of dots are relative to this
    /// distance.
    pub fn set(
        &mut self,
        instances: impl IntoIterator<Item = FluidInstance>,
        particle_spacing: f32,
    ) {
        let mut changed = self.particle_spacing.to_bits() != particle_spacing.to_bits();
        changed |= self.on_device.take().is_some();
        self.particle_spacing = particle_spacing;
        let mut count = 0;
        for instance in instances {
            match self.instances.get_mut(count) {
                Some(known) if known.is_same(&instance) => {}
                Some(known) => {
                    *known = instance;
                    changed = true;
                }
                None => {
                    self.instances.push(instance);
                    changed = true;
                }
            }
            count += 1;
        }
        if !changed && count == self.instances.len() {
            return;
        }
        self.instances.truncate(count);
        self.revision += 1;
        let (mut low, mut high) = (Vec2::INFINITY, Vec2::NEG_INFINITY);
        self.classes = [0; 4];
        (self.is_moving, self.has_tints, self.has_paint) = (false, false, false);
        for instance in &self.instances {
            self.classes[usize::from(instance.class >> 6)] |= 1 << (instance.class & 63);
            self.is_moving |= instance.previous_offset != [f16::ZERO; 2];
            self.has_tints |= instance.tint != 0;
            self.has_paint |= instance.paint[3] != 0;
            let [now, before] = [instance.position(), instance.previous_position()];
            low = low.min(now).min(before);
            high = high.max(now).max(before);
        }
        self.bounds = (!self.instances.is_empty()).then_some([low, high]);
    }

    /// Lower left and upper right corner of the bounding box of all particles at the last two
    /// ticks, in world units. `None` without particles.
    pub fn bounds(&self) -> Option<[Vec2; 2]> {
        self.bounds
    }

    /// The classes that have particles, in ascending order.
    pub fn classes(&self) -> impl Iterator<Item = u8> + '_ {
        (0..=u8::MAX).filter(|class| self.classes[usize::from(class >> 6)] >> (class & 63) & 1 == 1)
    }

    /// All particles, except those on the graphics card.
    pub fn as_slice(&self) -> &[FluidInstance] {
        &self.instances
    }

    /// Distance of particles at rest, in world units.
    pub fn particle_spacing(&self) -> f32 {
        self.particle_spacing
    }

    /// Revision of the particles, which grows with every change, and is 0 before the first change.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Whether any particle moved in the last tick. If no particle moved, the picture is the same at every moment
    /// between the last two ticks.
    pub fn is_moving(&self) -> bool {
        self.is_moving
    }

    /// Whether any particle has heat or foam, or a colour index above 0.
    pub(super) fn has_tints(&self) -> bool {
        self.has_tints
    }

    /// Whether any particle is painted.
    pub(super) fn has_paint(&self) -> bool {
        self.has_paint
    }
}

/// The moment to draw: 0 is the tick before the last, 1 is the last tick.
#[derive(Resource, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Resource, Default, Debug, PartialEq)]
pub struct FluidInterpolation(pub f32);

impl Default for FluidInterpolation {
    fn default() -> Self {
        Self(1.0)
    }
}

// Colours of particles, classes that blend, and classes that are gases.

/// The colours of particles. The palette has a colour for each density class, unless the colours show another quantity.
#[derive(Resource, Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Resource, Default, Debug, PartialEq)]
pub struct FluidPalette {
    colors: Vec<Color>,
    by_instance: bool,
}

impl FluidPalette {
    /// Largest number of colours. Further colours are ignored, and missing colours are white.
    pub const MAX_COLORS: usize = 256;

    /// Replaces all colours by those of the classes, in the order of the classes.
    pub fn set(&mut self, colors: impl IntoIterator<Item = Color>) {
        self.replace(colors, false);
    }

    /// Replaces all colours by a list to which each particle has an index, set by
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
/// The plugin fills this resource with the pairs of classes that attract each other
/// ([`ClassPair::cohesion`](blob_fluid::ClassPair::cohesion) above 0).
#[derive(Resource, Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Resource, Default, Debug, PartialEq)]
pub struct FluidBlending(pub Vec<[u8; 2]>);

/// Classes that a [`FluidSurface`](super::FluidSurface) draws as gases, unless a look is stated for
/// them.
///
/// The plugin fills this resource with the gases of its class table
/// ([`DensityClass::is_gas`](blob_fluid::DensityClass::is_gas)).
#[derive(Resource, Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Resource, Default, Debug, PartialEq)]
pub struct FluidGases(pub Vec<u8>);

// The walls that a surface meets, as line segments.

/// A straight segment of a wall.
#[derive(Reflect, Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[reflect(opaque, Debug, PartialEq)]
#[repr(C)]
pub struct FluidWall {
    start: [f32; 2],
    end: [f32; 2],
    half_thickness: f32,
    /// A sum of the constants below: a whole number, stored as a float for the shader's texture.
    kind: f32,
    padding: [f32; 2],
}

/// Kind of a wall with liquid on both sides.
const LINE: f32 = 1.0;
/// Kind of a face whose neighbour at its start turns towards the liquid, as in a corner of a
/// container.
const INNER_START: f32 = 2.0;
/// Kind of a face whose neighbour at its end turns towards the liquid.
const INNER_END: f32 = 4.0;

impl FluidWall {
    /// A face of a solid from `start` to `end` (world units), with the liquid on its left. `inner` states for both ends
    /// whether the adjacent face turns towards the liquid. Adjacent faces do so in the corners of a container, but not
    /// at the corners of a box in the liquid.
    pub fn face(start: Vec2, end: Vec2, inner: [bool; 2]) -> Self {
        let [at_start, at_end] = inner.map(|inner| if inner { 1.0 } else { 0.0 });
        Self {
            start: start.to_array(),
            end: end.to_array(),
            half_thickness: 0.0,
            kind: at_start * INNER_START + at_end * INNER_END,
            padding: [0.0; 2],
        }
    }

    /// A wall from `start` to `end` (world units) with liquid on both sides, round ends and a
    /// thickness of 0 or more.
    pub fn line(start: Vec2, end: Vec2, thickness: f32) -> Self {
        Self {
            start: start.to_array(),
            end: end.to_array(),
            half_thickness: 0.5 * thickness.max(0.0),
            kind: LINE,
            padding: [0.0; 2],
        }
    }

    /// The two ends, in world units.
    pub fn ends(&self) -> [Vec2; 2] {
        [self.start.into(), self.end.into()]
    }
}

/// A triangle between a fixed point and an edge of a solid. The triangles of all edges cover the
/// solid.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct SolidTriangle {
    /// The corners, in world units. The triangle counts as negative if they are clockwise.
    pub corners: [[f32; 2]; 3],
    /// 1 for a container, whose inside is open; 0 for a collider.
    pub container: f32,
    pub padding: f32,
}

/// The walls that [`FluidSurface`](super::FluidSurface)s meet if
/// [`meets_walls`](super::FluidSurface::meets_walls) is set.
///
/// The plugin fills this resource with the containers and colliders of the simulation that stop all liquid. An app
/// without the simulation can set its own walls.
#[derive(Resource, Reflect, Clone, Debug, Default)]
#[reflect(opaque, Resource, Default, Debug)]
pub struct FluidWalls {
    walls: Vec<FluidWall>,
    pub(crate) solids: Solids,
    revision: u64,
}

/// The insides of the solids.
#[derive(Clone, Debug, Default)]
pub(crate) struct Solids {
    pub triangles: Vec<SolidTriangle>,
    /// Number of colliders that are solid outside of their triangles instead of inside.
    pub inside_out: u32,
    /// Whether everything outside of the containers' triangles is solid.
    pub contained: bool,
}

impl FluidWalls {
    /// Replaces all walls, and reuses their memory.
    pub fn set(&mut self, walls: impl IntoIterator<Item = FluidWall>) {
        self.replace(|list, solids| {
            list.extend(walls);
            (solids.inside_out, solids.contained) = (0, false);
        });
    }

    /// Replaces the walls and the solids. Both lists are empty when `fill` is called.
    pub(crate) fn replace(&mut self, fill: impl FnOnce(&mut Vec<FluidWall>, &mut Solids)) {
        self.walls.clear();
        self.solids.triangles.clear();
        fill(&mut self.walls, &mut self.solids);
        self.revision += 1;
    }

    /// All walls.
    pub fn as_slice(&self) -> &[FluidWall] {
        &self.walls
    }

    /// Revision of the walls, which grows with every change, and is 0 before the first change.
    pub fn revision(&self) -> u64 {
        self.revision
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instance_has_its_bytes_in_the_order_of_the_vertex_layout() {
        let instance = FluidInstance::new(Vec2::new(3.0, 1.0), Vec2::new(1.0, 2.0), 7, 9);
        let bytes = bytemuck::bytes_of(&instance);
        assert_eq!(bytes.len(), 20);
        assert_eq!(bytes[0..4], 1.0_f32.to_ne_bytes());
        assert_eq!(bytes[8..10], f16::from_f32(2.0).to_ne_bytes());
        assert_eq!(bytes[10..12], f16::from_f32(-1.0).to_ne_bytes());
        assert_eq!(bytes[12..20], [7, 0, 255, 1, 0, 0, 0, 0]);
        let painted = instance.with_paint([1.0, 0.25, f32::NAN]);
        assert_eq!(bytemuck::bytes_of(&painted)[16..20], [255, 128, 0, 255]);
        let hot = instance.with_heat_and_foam(1.0, 0.2).with_looseness(0.5);
        assert_eq!(bytemuck::bytes_of(&hot)[12..16], [7, 0xf3, 255, (16 << 3) | 1]);
        assert_eq!(
            (hot.position(), hot.previous_position()),
            (Vec2::new(1.0, 2.0), Vec2::new(3.0, 1.0))
        );
        let far = FluidInstance::new(Vec2::splat(1e9), Vec2::ONE, 0, 0);
        assert_eq!(far.previous_position(), Vec2::ONE);
        let faded = [0.0, 0.5, 1.0, 7.0, f32::NAN].map(|opacity| instance.with_opacity(opacity));
        assert_eq!(faded.map(|faded| faded.opacity), [0, 128, 255, 255, 0]);
    }

    #[test]
    fn replacing_particles_keeps_their_memory_and_counts() {
        let mut instances = FluidInstances::default();
        let instance = FluidInstance::new(Vec2::ZERO, Vec2::ZERO, 0, 0);
        instances.set(std::iter::repeat_n(instance, 100), 8.0);
        let (address, revision) = (instances.as_slice().as_ptr(), instances.revision());
        instances.set(std::iter::repeat_n(instance, 50), 8.0);
        assert_eq!(instances.as_slice().as_ptr(), address);
        assert!(instances.revision() > revision);
        assert_eq!((instances.as_slice().len(), instances.is_moving()), (50, false));
    }

    #[test]
    fn the_revision_grows_with_what_changes() {
        let mut instances = FluidInstances::default();
        let at = |x| FluidInstance::new(Vec2::new(x, 0.0), Vec2::new(x, 0.0), 0, 0);
        instances.set([at(1.0), at(f32::NAN)], 8.0);
        let revision = instances.revision();
        instances.set([at(1.0), at(f32::NAN)], 8.0);
        assert_eq!(instances.revision(), revision);
        let moved = FluidInstance::new(Vec2::ZERO, Vec2::X, 0, 0);
        let tinted = at(1.0).with_heat_and_foam(0.0, 1.0);
        for (count, particles) in
            [vec![at(1.0)], vec![at(1.0), tinted], vec![moved], vec![]].into_iter().enumerate()
        {
            instances.set(particles, 8.0);
            assert_eq!(instances.revision(), revision + 1 + count as u64);
            assert_eq!((instances.is_moving(), instances.has_tints()), (count == 2, count == 1));
        }
        instances.set([], 9.0);
        assert_eq!(instances.revision(), revision + 5);
    }

    #[test]
    fn the_box_and_the_classes_are_those_of_the_particles() {
        let mut instances = FluidInstances::default();
        assert_eq!((instances.bounds(), instances.classes().count()), (None, 0));
        let particle = |x, y, class| FluidInstance::new(Vec2::ZERO, Vec2::new(x, y), class, 0);
        instances
            .set([particle(-3.0, 2.0, 200), particle(1.0, 4.0, 0), particle(1.0, 1.0, 63)], 8.0);
        assert_eq!(instances.bounds(), Some([Vec2::new(-3.0, 0.0), Vec2::new(1.0, 4.0)]));
        assert_eq!(instances.classes().collect::<Vec<_>>(), [0, 63, 200]);
    }
}
