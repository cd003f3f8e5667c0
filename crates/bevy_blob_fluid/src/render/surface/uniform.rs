//! A surface as the shaders read it.

use bevy::prelude::*;
use bevy::render::render_resource::ShaderType;
use blob_fluid::ClassId;

use super::drop_shape::{self, weight};
use super::field_layout::FieldLayout;
use super::liquids::{Liquids, MAX_LIQUIDS};
use crate::render::look::liquid::FluidSurfaceLook;
use crate::render::look::surface::FluidSurface;
use crate::render::palette::FluidGases;

/// Radius of the puff of a gas's particle, over that of a weight of the liquid.
const PUFF: f32 = 4.0;
/// How far a gas swirls beyond its puffs, in particle spacings: as far as `haze.wgsl` shifts it.
const SWIRL: f32 = 4.0;

/// Distance from a wall at which liquid that touches it has its outermost particles, in particle
/// spacings.
const WALL_INSET: f32 = 0.5;
/// Field above which neither the surface nor its slope is near: the slope is then not computed.
const FLAT_FIELD: f32 = 0.85;
/// Width of an outline, in particle spacings, up to which it ends before the field is that large.
const THIN_OUTLINE: f32 = 0.6;

/// Least distance from a wall up to which the field knows it, in texels: as far as filters reach.
const WALL_TEXELS: f32 = 3.0;

/// A [`FluidSurfaceLook`] in linear light and world units.
#[derive(ShaderType, Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct LookUniform {
    outline_color: Vec4,
    depth_color: Vec4,
    foam_color: Vec4,
    sky_color: Vec4,
    crust_color: Vec4,
    /// The colour of its particles, if they have only one.
    color: Vec4,
    opacity: f32,
    outline_width: f32,
    rim_light: f32,
    specular: f32,
    shininess: f32,
    refraction: f32,
    caustics: f32,
    glow: f32,
    reflection: f32,
    /// Depth at which nearly all of the depth colour is there, in particle spacings.
    depth: f32,
    haze: f32,
    /// Radius of a particle's weight, in world units.
    radius: f32,
    /// Weight of a particle at its own position.
    weight: f32,
    /// Index of its channel, or of its tile among those of liquids or of gases.
    slot: u32,
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
            sky_color: color(look.sky_color),
            crust_color: color(look.crust_color),
            opacity: within(look.opacity, 0.0, 1.0),
            outline_width: within(look.outline_width, 0.0, 3.0) * spacing,
            rim_light: within(look.rim_light, 0.0, 2.0),
            specular: within(look.specular, 0.0, 2.0),
            shininess: libm::exp2f(2.0 + 6.0 * within(look.gloss, 0.0, 1.0)),
            refraction: within(look.refraction, 0.0, 4.0) * spacing,
            caustics: within(look.caustics, 0.0, 1.0),
            glow: within(look.glow, 0.0, 10.0),
            reflection: within(look.reflection, 0.0, 1.0),
            depth: within(look.depth, 1.0, 60.0),
            haze,
            radius: smoothing * spacing,
            weight: weight(smoothing),
            color: Vec4::ONE,
            slot: 0,
        }
    }

    fn is_gas(&self) -> bool {
        self.haze > 0.0
    }

    /// Fits the weight of a particle to the texels of its field.
    fn fit(&mut self, layout: &FieldLayout, spacing: f32) {
        let radius = drop_shape::radius(self.radius / spacing, layout.texel);
        self.radius = radius * spacing;
        self.weight = weight(radius);
    }
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
    /// On what glows.
    pub crust: bool,
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
    /// The same for gases.
    gas_sizes: Vec4,
    /// Indices of the liquids of a field's channels.
    channels: UVec4,
    /// Fraction of a tile's width and height that the view takes up, in its middle.
    view_part: Vec2,
    /// The same for gases.
    gas_view_part: Vec2,
    columns: u32,
    gas_columns: u32,
    /// Number of liquids and gases.
    liquid_count: u32,
    /// Width of a texel of the shallow texture, in texels.
    step: f32,
    /// Texels in a particle spacing.
    texels_per_spacing: f32,
    /// Field from which on its slope is not computed.
    flat_field: f32,
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
}

/// The part that is the same in all views.
#[derive(Clone, Copy, Debug)]
pub(super) struct SurfaceInputs<'a> {
    pub bounds: [Vec2; 2],
    pub liquids: Liquids,
    pub particle_spacing: f32,
    pub interpolation: f32,
    pub depth: f32,
    pub by_instance: bool,
    /// The colours of particles, in linear light.
    pub colors: &'a [Vec4],
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
        let mut looks = [LookUniform::default(); MAX_LIQUIDS];
        for (look, class) in looks.iter_mut().zip(inputs.liquids.first_classes()) {
            *look = LookUniform::new(surface.look_of(ClassId(*class), gases), spacing, smoothing);
            look.color = inputs.colors.get(usize::from(*class)).copied().unwrap_or(Vec4::ONE);
        }
        let mut channels = UVec4::ZERO;
        let mut counts = [0; 2];
        for (index, look) in looks.iter_mut().enumerate().take(inputs.liquids.len()) {
            let count: &mut u32 = &mut counts[usize::from(look.is_gas())];
            look.slot = *count;
            if !look.is_gas() && *count < 4 {
                channels[*count as usize] = index as u32;
            }
            *count += 1;
        }
        let outlines = looks.iter().map(|look| look.outline_width).fold(0.0, f32::max);
        let flat = threshold + 0.55 * (1.0 - threshold) + 0.05;
        let has_wide_outline = outlines > THIN_OUTLINE * spacing;
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
            gas_sizes: Vec4::ONE,
            channels,
            view_part: Vec2::ONE,
            gas_view_part: Vec2::ONE,
            columns: 1,
            gas_columns: 1,
            liquid_count: inputs.liquids.len() as u32,
            step: 4.0,
            texels_per_spacing: 1.0,
            flat_field: if has_wide_outline { f32::MAX } else { FLAT_FIELD.max(flat) },
            radius,
            loose_weight: weight(smoothing),
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

    /// How many texels of the field a particle of a liquid covers in a view. It is a square.
    pub(super) fn texels_per_particle(&self) -> f32 {
        let liquids = self.looks().iter().filter(|look| !look.is_gas());
        let width = liquids.map(|look| 2.0 * look.radius / self.particle_spacing);
        let texels = width.fold(0.0, f32::max) * self.texels_per_spacing;
        texels * texels
    }

    /// The effects that any of its looks has.
    pub(super) fn effects(&self) -> SurfaceEffects {
        SurfaceEffects {
            refraction: self.looks().iter().any(|look| look.refraction > 0.0),
            caustics: self.looks().iter().any(|look| look.caustics > 0.0),
            glow: self.looks().iter().any(|look| look.glow > 0.0),
            crust: self.looks().iter().any(|look| look.glow > 0.0 && look.crust_color.w > 0.0),
            haze: self.looks().iter().any(|look| look.haze > 0.0),
        }
    }

    /// Longest distance by which a look shifts the picture behind, in world units.
    pub(super) fn longest_refraction(&self) -> f32 {
        self.looks().iter().map(|look| look.refraction).fold(0.0, f32::max)
    }

    /// How much finer texels have to be than for the default smoothing, 1 to 2.
    pub(super) fn fineness(&self) -> f32 {
        let smoothing = self.radius / self.particle_spacing;
        (FluidSurface::default().smoothing / smoothing).clamp(1.0, 2.0)
    }

    /// Whether its picture changes with time alone.
    pub(super) fn changes_with_time(&self) -> bool {
        self.looks().iter().any(|look| look.caustics > 0.0 || look.is_gas())
    }

    /// The uniform for a view, whose fields of liquids and of gases have these layouts.
    pub(super) fn in_view(
        mut self,
        [layout, gas_layout]: [&FieldLayout; 2],
        world_from_pixel: Mat3,
        time: f32,
    ) -> Self {
        let spacing = self.particle_spacing;
        let sizes = |layout: &FieldLayout| {
            let (tile, texture) = (layout.tile.as_vec2(), layout.texture().as_vec2());
            tile.extend(texture.x).extend(texture.y)
        };
        for look in &mut self.looks[..self.liquid_count as usize] {
            look.fit(if look.is_gas() { gas_layout } else { layout }, spacing);
        }
        let smoothing = self.radius / spacing;
        self.loose_weight = drop_shape::loose_weight(smoothing, layout.texel, self.threshold);
        self.world_from_pixel = world_from_pixel;
        (self.sizes, self.gas_sizes) = (sizes(layout), sizes(gas_layout));
        (self.view_part, self.gas_view_part) = (layout.view_part, gas_layout.view_part);
        (self.columns, self.gas_columns) = (layout.columns, gas_layout.columns);
        self.step = layout.step() as f32;
        self.texels_per_spacing = layout.texel.recip();
        self.time = if self.changes_with_time() { time } else { 0.0 };
        self.unit = layout.unit;
        let texels = WALL_TEXELS * spacing * layout.texel;
        self.wall_reach =
            self.looks().iter().map(|look| look.radius).fold(texels.max(self.radius), f32::max);
        self
    }

    /// What fields depend on: all but time.
    pub(super) fn of_fields(&self) -> Self {
        Self { time: 0.0, ..*self }
    }

    /// The same before a copy of the picture behind, if there is one.
    pub(super) fn before(&self, has_copy: bool) -> Self {
        Self { refracts: u32::from(has_copy), ..*self }
    }
}
