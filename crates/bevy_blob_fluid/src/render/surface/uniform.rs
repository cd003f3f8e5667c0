//! A surface as the shaders read it.

use bevy::prelude::*;
use bevy::render::render_resource::ShaderType;
use blob_fluid::ClassId;

use super::field_layout::FieldLayout;
use super::liquids::{Liquids, MAX_LIQUIDS};
use crate::render::look::liquid::FluidSurfaceLook;
use crate::render::look::surface::FluidSurface;
use crate::render::palette::FluidGases;

/// Radius of the drop of a single particle, in particle spacings.
const DROP_RADIUS: f32 = 0.58;

/// Radius of the puff of a gas's particle, over that of a weight of the liquid.
const PUFF: f32 = 4.0;
/// How far a gas swirls beyond its puffs, in particle spacings: as far as `haze.wgsl` shifts it.
const SWIRL: f32 = 4.0;

/// Distance from a wall at which liquid that touches it has its outermost particles, in particle
/// spacings.
const WALL_INSET: f32 = 0.5;
/// Least distance from a wall up to which the field knows it, in texels: as far as filters reach.
const WALL_TEXELS: f32 = 3.0;

/// A [`FluidSurfaceLook`] in linear light and world units.
#[derive(ShaderType, Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct LookUniform {
    outline_color: Vec4,
    depth_color: Vec4,
    foam_color: Vec4,
    opacity: f32,
    outline_width: f32,
    rim_light: f32,
    specular: f32,
    shininess: f32,
    refraction: f32,
    caustics: f32,
    glow: f32,
    /// 0 if the depth colour sets in at the surface, 1 if it sets in slowly.
    depth: f32,
    haze: f32,
    /// Radius of a particle's weight, in world units.
    radius: f32,
    /// Weight of a particle at its own position.
    weight: f32,
}

impl LookUniform {
    fn new(look: &FluidSurfaceLook, spacing: f32, smoothing: f32) -> Self {
        let color = |color: Color| color.to_linear().to_vec4();
        let haze = within(look.haze, 0.0, 20.0);
        let smoothing = if haze > 0.0 { PUFF * smoothing } else { smoothing };
        Self {
            outline_color: color(look.outline_color),
            depth_color: color(look.depth_color),
            foam_color: color(look.foam_color),
            opacity: within(look.opacity, 0.0, 1.0),
            outline_width: within(look.outline_width, 0.0, 3.0) * spacing,
            rim_light: within(look.rim_light, 0.0, 2.0),
            specular: within(look.specular, 0.0, 2.0),
            shininess: libm::exp2f(2.0 + 6.0 * within(look.gloss, 0.0, 1.0)),
            refraction: within(look.refraction, 0.0, 4.0) * spacing,
            caustics: within(look.caustics, 0.0, 1.0),
            glow: within(look.glow, 0.0, 10.0),
            depth: (within(look.depth, 1.0, 12.0) - 1.0) / 11.0,
            haze,
            radius: smoothing * spacing,
            weight: weight(smoothing),
        }
    }
}

/// Weight of a particle at its own position, so that the sum is 1 among others at rest.
fn weight(smoothing: f32) -> f32 {
    // The kernel (1 - q^2)^3 has the volume pi/4 r^2; particles at rest lie in a hexagonal lattice,
    // in which each has an area of sqrt(3)/2 spacings^2.
    0.866_025_4 / (std::f32::consts::FRAC_PI_4 * smoothing * smoothing)
}

/// Clamps a value to a range; the lower end for NaN.
fn within(value: f32, low: f32, high: f32) -> f32 {
    value.max(low).min(high)
}

/// Effects that the shader leaves out unless a look has them: they take time, and some renderers
/// compute what a condition skips.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct SurfaceEffects {
    pub refraction: bool,
    pub caustics: bool,
    pub glow: bool,
    pub haze: bool,
}

/// A surface in a view, as the shaders read it.
#[derive(ShaderType, Clone, Copy, Debug, PartialEq)]
pub(super) struct SurfaceUniform {
    looks: [LookUniform; MAX_LIQUIDS],
    /// Index of the liquid that each class belongs to, one byte each.
    liquids: [UVec4; 16],
    /// Opposite corners of the box around all liquid, in world units.
    bounds: Vec4,
    /// From pixels of the view to the world, both homogeneous.
    world_from_pixel: Mat3,
    /// Size of a tile, and of the texture with all of them, in texels.
    sizes: Vec4,
    /// Fraction of a tile's width and height that the view takes up, in its middle.
    view_part: Vec2,
    columns: u32,
    liquid_count: u32,
    /// Radius of a liquid particle's weight, in world units.
    radius: f32,
    /// Weight of a single particle of a liquid.
    loose_weight: f32,
    /// Interpolation: 0 at the tick before the last, 1 at the last.
    interpolation: f32,
    depth: f32,
    threshold: f32,
    particle_spacing: f32,
    /// Time, in seconds.
    time: f32,
    /// Whether each instance has its own colour index.
    by_instance: u32,
    /// Whether there is a copy of the picture behind, for refraction.
    refracts: u32,
    /// Stored value of a field of 1.
    unit: f32,
    /// Distance from a wall up to which the field knows it, in world units.
    wall_reach: f32,
    /// Distance from a wall within which the field is that at this distance, in world units.
    wall_inset: f32,
    /// Number of colliders that are solid outside of their shapes.
    inside_out: u32,
    /// Whether all is solid outside of the containers.
    contained: u32,
    /// WebGL2 requires uniforms in multiples of 16 bytes.
    padding: Vec2,
}

/// The part that is the same in all views.
#[derive(Clone, Copy, Debug)]
pub(super) struct SurfaceInputs {
    pub bounds: [Vec2; 2],
    pub liquids: Liquids,
    pub particle_spacing: f32,
    pub interpolation: f32,
    pub depth: f32,
    pub by_instance: bool,
    /// Number of colliders that are solid outside of their shapes.
    pub inside_out: u32,
    /// Whether all is solid outside of the containers.
    pub contained: bool,
}

impl SurfaceUniform {
    pub(super) fn new(surface: &FluidSurface, gases: &FluidGases, inputs: &SurfaceInputs) -> Self {
        let spacing = inputs.particle_spacing;
        let smoothing = within(surface.smoothing, 1.2, 4.0);
        let threshold = within(surface.threshold, 0.1, 0.9);
        let radius = smoothing * spacing;
        let edge = 1.0 - (DROP_RADIUS / smoothing) * (DROP_RADIUS / smoothing);
        let mut looks = [LookUniform::default(); MAX_LIQUIDS];
        for (look, class) in looks.iter_mut().zip(inputs.liquids.first_classes()) {
            *look = LookUniform::new(surface.look_of(ClassId(*class), gases), spacing, smoothing);
        }
        let mut liquids = [UVec4::ZERO; 16];
        for (class, liquid) in inputs.liquids.indices().iter().enumerate() {
            liquids[class / 16][class / 4 % 4] |= u32::from(*liquid) << (class % 4 * 8);
        }
        let [low, high] = inputs.bounds;
        let widest = looks.iter().map(|look| look.radius).fold(radius, f32::max);
        Self {
            looks,
            liquids,
            bounds: (low - widest).extend(high.x + widest).extend(high.y + widest),
            world_from_pixel: Mat3::IDENTITY,
            sizes: Vec4::ONE,
            view_part: Vec2::ONE,
            columns: 1,
            liquid_count: inputs.liquids.len() as u32,
            radius,
            loose_weight: (threshold / (edge * edge * edge)).max(weight(smoothing)),
            interpolation: inputs.interpolation,
            depth: inputs.depth,
            threshold,
            particle_spacing: spacing,
            time: 0.0,
            by_instance: u32::from(inputs.by_instance),
            refracts: 0,
            unit: 1.0,
            wall_reach: radius,
            wall_inset: WALL_INSET * spacing,
            inside_out: inputs.inside_out,
            contained: u32::from(inputs.contained),
            padding: Vec2::ZERO,
        }
    }

    /// The looks of the liquids that there are.
    fn looks(&self) -> &[LookUniform] {
        &self.looks[..self.liquid_count as usize]
    }

    /// Distance from a particle up to which its liquid is drawn, in world units.
    pub(super) fn reach(&self, at_walls: bool) -> f32 {
        // In a corner the field is read farther from both walls.
        let swirl =
            |look: &LookUniform| if look.haze > 0.0 { SWIRL * self.particle_spacing } else { 0.0 };
        let reach =
            self.looks().iter().map(|look| look.radius + swirl(look)).fold(self.radius, f32::max);
        reach + if at_walls { 2.0 * self.wall_inset } else { 0.0 }
    }

    /// The effects that any of its looks has.
    pub(super) fn effects(&self) -> SurfaceEffects {
        SurfaceEffects {
            refraction: self.looks().iter().any(|look| look.refraction > 0.0),
            caustics: self.looks().iter().any(|look| look.caustics > 0.0),
            glow: self.looks().iter().any(|look| look.glow > 0.0),
            haze: self.looks().iter().any(|look| look.haze > 0.0),
        }
    }

    /// Longest distance by which a look shifts the picture behind, in world units.
    pub(super) fn longest_refraction(&self) -> f32 {
        self.looks().iter().map(|look| look.refraction).fold(0.0, f32::max)
    }

    /// The uniform for a view.
    pub(super) fn in_view(
        mut self,
        layout: &FieldLayout,
        world_from_pixel: Mat3,
        time: f32,
        refracts: bool,
    ) -> Self {
        self.world_from_pixel = world_from_pixel;
        let (tile, texture) = (layout.tile.as_vec2(), layout.texture().as_vec2());
        self.sizes = tile.extend(texture.x).extend(texture.y);
        self.view_part = layout.view_part;
        self.columns = layout.columns;
        self.time = time;
        self.refracts = u32::from(refracts);
        self.unit = layout.unit;
        let texels = WALL_TEXELS * self.particle_spacing * layout.texel;
        self.wall_reach =
            self.looks().iter().map(|look| look.radius).fold(texels.max(self.radius), f32::max);
        self
    }
}
