//! The uniform of a surface, and the layout of its fields.

use bevy::prelude::*;
use bevy::render::render_resource::ShaderType;
use blob_fluid::ClassId;

use crate::render::instance::FluidGases;
use crate::render::look::surface::{FluidSurface, FluidSurfaceLook, FluidSurfaceMixing};

/// Radius of the puff of a gas particle, as a multiple of the radius of a liquid particle's weight.
const PUFF: f32 = 4.0;
/// Largest displacement of a gas by its swirl, in particle spacings; as in `gas.wgsl`.
const SWIRL: f32 = 4.0;

/// Distance of the outermost particles from a wall that they touch, in particle spacings.
const WALL_INSET: f32 = 0.5;
/// Value of the field above which no surface is near, and its slope is not computed.
const FLAT_FIELD: f32 = 0.85;
/// Widest outline, in particle spacings, that ends below that field.
const THIN_OUTLINE: f32 = 0.6;

/// Least distance up to which the field takes account of walls, in texels; it covers the filters.
const WALL_TEXELS: f32 = 3.0;

/// Least distances from a wall, in texels, at which the field of gases and the haze are read: radii of the
/// cubic and linear filters.
const GAS_WALL_TEXELS: f32 = 2.0;
const HAZE_WALL_TEXELS: f32 = 1.5;

/// A [`FluidSurfaceLook`] in linear light and world units.
#[derive(ShaderType, Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct LookUniform {
    outline_color: Vec4,
    depth_color: Vec4,
    foam_color: Vec4,
    sky_color: Vec4,
    crust_color: Vec4,
    /// The colour of the particles, if they have only one.
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
    /// Depth at which the depth colour has 95 % of its strength, in particle spacings.
    depth: f32,
    haze: f32,
    /// Contrast of grains, and their width in world units.
    grain: f32,
    grain_size: f32,
    /// Radius of a particle's weight, in world units.
    radius: f32,
    /// Weight of a particle at its own position.
    weight: f32,
    /// Index of the channel, or of the tile among those of liquids or of gases.
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
            grain: within(look.grain, 0.0, 1.0),
            grain_size: within(look.grain_size, 0.2, 4.0) * spacing,
            radius: smoothing * spacing,
            weight: weight(smoothing),
            color: Vec4::ONE,
            slot: 0,
        }
    }

    fn is_gas(&self) -> bool {
        self.haze > 0.0
    }

    /// Adapts the weight of a particle to the texels of its field.
    fn fit(&mut self, layout: &FieldLayout, spacing: f32) {
        let radius = radius(self.radius / spacing, layout.texel);
        self.radius = radius * spacing;
        self.weight = weight(radius);
    }
}

/// Clamps a value to a range. NaN becomes the lower end.
fn within(value: f32, low: f32, high: f32) -> f32 {
    value.max(low).min(high)
}

/// Effects that are compiled into the shader only if some look has them. Effects cost time, and some renderers execute
/// both branches of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct SurfaceEffects {
    pub refraction: bool,
    pub caustics: bool,
    pub glow: bool,
    /// Crust on glowing liquid.
    pub crust: bool,
    pub grain: bool,
    pub haze: bool,
}

/// A surface in a view, as the shaders read it.
#[derive(ShaderType, Clone, Copy, Debug, PartialEq)]
pub(super) struct SurfaceUniform {
    looks: [LookUniform; MAX_LIQUIDS],
    /// Index of the liquid of each class, one byte each.
    liquids: [UVec4; 16],
    /// Opposite corners of the box around all liquid, in world units.
    bounds: Vec4,
    /// From pixels of the view to the world, both homogeneous.
    world_from_pixel: Mat3,
    /// Size of a tile, and of the texture with all tiles, in texels.
    sizes: Vec4,
    /// The same for gases.
    gas_sizes: Vec4,
    /// Indices of the liquids in the channels of the field.
    channels: UVec4,
    /// Fraction of a tile's width and height that the view covers, in its middle.
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
    /// Value of the field from which its slope is not computed.
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
    /// Time for the motion of gases and caustics, in seconds; 0 if neither is drawn.
    time: f32,
    /// Whether each instance has its own colour index.
    by_instance: u32,
    /// Whether a copy of the picture behind the surface exists, for refraction.
    refracts: u32,
    /// Stored value that stands for a field of 1.
    unit: f32,
    /// Distance up to which the field takes account of walls, in world units.
    wall_reach: f32,
    /// Distance from a wall, in world units. Nearer to the wall, the field has the value at this
    /// distance.
    wall_inset: f32,
    /// The distance for gases and haze.
    gas_inset: f32,
    haze_inset: f32,
    /// Number of colliders that are solid outside of their shapes.
    inside_out: u32,
    /// Whether everything outside of the containers is solid.
    contained: u32,
}

/// Inputs of the uniform that are the same in all views.
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
    /// Whether everything outside of the containers is solid.
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
            gas_inset: 0.0,
            haze_inset: 0.0,
            inside_out: inputs.inside_out,
            contained: u32::from(inputs.contained),
        }
    }

    /// The looks of the present liquids and gases.
    fn looks(&self) -> &[LookUniform] {
        &self.looks[..self.liquid_count as usize]
    }

    /// Distance from a particle up to which its liquid is drawn, in world units.
    pub(super) fn reach(&self, at_walls: bool) -> f32 {
        // In a corner, the field is read at a displacement from both walls.
        let swirl =
            |look: &LookUniform| if look.haze > 0.0 { SWIRL * self.particle_spacing } else { 0.0 };
        let reach =
            self.looks().iter().map(|look| look.radius + swirl(look)).fold(self.radius, f32::max);
        reach + if at_walls { 2.0 * self.wall_inset.max(self.gas_inset) } else { 0.0 }
    }

    /// Number of texels in the square that a particle of a liquid covers in a view.
    pub(super) fn texels_per_particle(&self) -> f32 {
        let liquids = self.looks().iter().filter(|look| !look.is_gas());
        let width = liquids.map(|look| 2.0 * look.radius / self.particle_spacing);
        let texels = width.fold(0.0, f32::max) * self.texels_per_spacing;
        texels * texels
    }

    /// The effects of all its looks.
    pub(super) fn effects(&self) -> SurfaceEffects {
        SurfaceEffects {
            refraction: self.looks().iter().any(|look| look.refraction > 0.0),
            caustics: self.looks().iter().any(|look| look.caustics > 0.0),
            glow: self.looks().iter().any(|look| look.glow > 0.0),
            crust: self.looks().iter().any(|look| look.glow > 0.0 && look.crust_color.w > 0.0),
            grain: self.looks().iter().any(|look| look.grain > 0.0 && !look.is_gas()),
            haze: self.looks().iter().any(|look| look.haze > 0.0),
        }
    }

    /// Longest distance by which a look shifts the picture behind, in world units.
    pub(super) fn longest_refraction(&self) -> f32 {
        self.looks().iter().map(|look| look.refraction).fold(0.0, f32::max)
    }

    /// Factor by which texels must be finer than for the default smoothing, 1 to 2.
    pub(super) fn fineness(&self) -> f32 {
        let smoothing = self.radius / self.particle_spacing;
        (FluidSurface::default().smoothing / smoothing).clamp(1.0, 2.0)
    }

    /// Whether the picture changes with time although no particle moves.
    pub(super) fn changes_with_time(&self) -> bool {
        self.looks().iter().any(|look| look.caustics > 0.0 || look.is_gas())
    }

    /// The uniform for a view, given the layouts of the fields of liquids and of gases.
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
        self.loose_weight = loose_weight(smoothing, layout.texel, self.threshold);
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
        if self.looks().iter().any(LookUniform::is_gas) {
            self.gas_inset = GAS_WALL_TEXELS * spacing * gas_layout.texel;
            self.haze_inset = HAZE_WALL_TEXELS * spacing * layout.texel;
            self.wall_reach =
                self.wall_reach.max(self.gas_inset.max(self.haze_inset) + SWIRL * spacing);
        }
        self
    }

    /// The inputs of fields: everything except the time.
    pub(super) fn of_fields(&self) -> Self {
        Self { time: 0.0, ..*self }
    }

    /// The same uniform, with or without a copy of the picture behind.
    pub(super) fn before(&self, has_copy: bool) -> Self {
        Self { refracts: u32::from(has_copy), ..*self }
    }
}

// Sizes of the field's textures.

/// Texels of a tile beyond each edge of the view, for filters.
const MARGIN: f32 = 4.0;
/// Sizes of tiles are multiples of this, so that each texel of the two coarser textures covers
/// whole texels.
const TILE_STEP: u32 = 16;
/// Width of a texel of the deep texture in texels of the shallow one, and of the wide texture in texels of the deep
/// one.
pub(super) const DEEP_STEP: u32 = 4;

/// Width of a texel, in particle spacings. Above this width, a texel of the shallow texture covers 2 x 2 texels of the
/// field; otherwise 4 x 4. A shallow texel is then about one spacing wide.
const COARSE_TEXEL: f32 = 0.4;

/// The inputs of a field's layout.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FieldRequest {
    /// Size of the view, in pixels.
    pub view: UVec2,
    /// A particle spacing, in pixels.
    pub spacing: f32,
    pub texels_per_spacing: f32,
    /// Number of tiles; at least 1.
    pub tiles: usize,
    /// Largest width and height of a texture, in texels.
    pub largest_texture: u32,
    /// Whether texels are floats instead of bytes.
    pub floats: bool,
}

/// Tiles of a field in its texture. They are in rows, and each is as large as the view plus a
/// margin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FieldLayout {
    /// Size of a tile in texels, a multiple of [`TILE_STEP`].
    pub tile: UVec2,
    pub columns: u32,
    pub rows: u32,
    /// Fraction of a tile's width and height that the view covers.
    pub view_part: Vec2,
    /// Stored value that stands for a field of 1.
    pub unit: f32,
    /// Size of a texel, in particle spacings.
    pub texel: f32,
    /// Size of a texel, in pixels.
    pub pixels_per_texel: f32,
    /// Largest width and height of a texture, in texels.
    largest: u32,
}

impl FieldLayout {
    /// The layout for a request; `None` if it has no tiles, no pixels or no valid spacing.
    pub(super) fn new(request: &FieldRequest) -> Option<Self> {
        let FieldRequest { view, spacing, tiles, .. } = *request;
        if view.min_element() == 0 || tiles == 0 || !(spacing.is_finite() && spacing > 0.0) {
            return None;
        }
        let columns = (1..=tiles as u32).find(|columns| (columns * columns) as usize >= tiles)?;
        let rows = (tiles as u32).div_ceil(columns);
        let mut pixels_per_texel = (spacing / request.texels_per_spacing).max(1.0);
        loop {
            let texels = view.as_vec2() / pixels_per_texel;
            let size = ((texels + 2.0 * MARGIN) / TILE_STEP as f32).ceil() * TILE_STEP as f32;
            if (size * Vec2::new(columns as f32, rows as f32)).max_element()
                <= request.largest_texture as f32
            {
                // Bytes saturate at 1, and the field of compressed liquid is above 1.
                let unit = if request.floats { 1.0 } else { 0.5 };
                return Some(Self {
                    tile: size.as_uvec2(),
                    columns,
                    rows,
                    view_part: texels / size,
                    unit,
                    texel: pixels_per_texel / spacing,
                    pixels_per_texel,
                    largest: request.largest_texture,
                });
            }
            pixels_per_texel *= std::f32::consts::SQRT_2;
        }
    }

    /// Width of a texel of the shallow texture, in texels of the field.
    pub(super) fn step(&self) -> u32 {
        if self.texel > COARSE_TEXEL { 2 } else { 4 }
    }

    /// Size of the texture with the nearest walls, which covers a tile. A wide texel is divided into 3 x 3, because the
    /// edges of a round solid are short. The middle part has the same centre as the texel.
    pub(super) fn walls(&self) -> UVec2 {
        let fine = 3 * self.tile;
        let is_wide = self.texel > COARSE_TEXEL && self.pixels_per_texel > 1.5;
        if is_wide && fine.max_element() <= self.largest { fine } else { self.tile }
    }

    /// Size of the texture with all tiles, in texels.
    pub(super) fn texture(&self) -> UVec2 {
        self.tile * UVec2::new(self.columns, self.rows)
    }
}

/// Content of the channels of a surface's field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Channels {
    /// Nothing, because the surface has only gases.
    NoLiquid,
    /// The field of the only liquid, which has one colour, and its heat, foam and shade times the field.
    OneLiquid,
    /// The fields of up to four liquids, each of one colour.
    FourLiquids,
    /// The colour times the field, and the field, of any number of liquids, each in its own tile.
    Tiles,
}

impl Channels {
    /// The channels for liquids whose classes have the given colours. `own_colors` states that particles may have other
    /// colours than their classes.
    pub(super) fn new(
        liquids: &Liquids,
        is_gas: impl Fn(u8) -> bool,
        classes: impl Iterator<Item = u8>,
        colors: &[Vec4],
        own_colors: bool,
    ) -> Self {
        let first = liquids.first_classes();
        let count = first.iter().filter(|class| !is_gas(**class)).count();
        let color = |class: u8| colors.get(usize::from(class)).copied().unwrap_or(Vec4::ONE);
        let mut classes = classes.filter(|class| !is_gas(*class));
        let plain = !own_colors
            && classes.all(|class| {
                let liquid = usize::from(liquids.indices()[usize::from(class)]);
                color(class) == color(first[liquid])
            });
        match count {
            0 => Self::NoLiquid,
            1 if plain => Self::OneLiquid,
            2..=4 if plain => Self::FourLiquids,
            _ => Self::Tiles,
        }
    }

    /// Whether heat, foam, opacity and shade need a separate texture.
    pub(super) fn need_details(self) -> bool {
        matches!(self, Self::FourLiquids | Self::Tiles)
    }

    /// Number of tiles for a number of liquids.
    pub(super) fn tiles(self, liquids: usize) -> usize {
        if self == Self::Tiles { liquids } else { 1 }
    }
}

// The weight of a particle in the field, for texels of any width.
//
// The field is a sum of weights (1 - q^2)^3, sampled at texels and read through a cubic B-spline. The spline blurs the
// field, and more so for wide texels. The radius of the weights compensates the blur, so that the surface is the same
// at any resolution.

/// Variance of the weight along an axis, as a fraction of its squared radius.
const WEIGHT_VARIANCE: f32 = 1.0 / 10.0;

/// Variance of the spline along an axis, as a fraction of a texel's squared width.
const SPLINE_VARIANCE: f32 = 1.0 / 3.0;

/// Width of the texels to which nominal radii refer, in particle spacings.
const FINE_TEXEL: f32 = 1.0 / 3.54;

/// Least radius of a weight, in texels. A narrower weight might fall between texels.
const LEAST_RADIUS: f32 = 1.25;

/// Radius of the blob of a single particle, in particle spacings.
const DROP_RADIUS: f32 = 0.58;

/// Radius of the weight, in particle spacings, for texels of the given width, in particle spacings.
/// Its blurred variance is that of a weight of radius `smoothing` among texels of `FINE_TEXEL`.
pub(super) fn radius(smoothing: f32, texel: f32) -> f32 {
    let blur = (texel * texel - FINE_TEXEL * FINE_TEXEL) * (SPLINE_VARIANCE / WEIGHT_VARIANCE);
    let least = LEAST_RADIUS * texel;
    (smoothing * smoothing - blur).max(least * least).sqrt()
}

/// Weight of a particle at its own position. The sum of weights is 1 among particles at rest.
pub(super) fn weight(radius: f32) -> f32 {
    // The integral of the kernel (1 - q^2)^3 is pi/4 r^2. Particles at rest form a hexagonal
    // lattice, in which each has an area of sqrt(3)/2 spacings^2.
    0.866_025_4 / (std::f32::consts::FRAC_PI_4 * radius * radius)
}

/// Weight of a single particle, whose field passes the threshold at `DROP_RADIUS`.
pub(super) fn loose_weight(smoothing: f32, texel: f32, threshold: f32) -> f32 {
    let edge = 1.0 - (DROP_RADIUS / smoothing) * (DROP_RADIUS / smoothing);
    let fine = (threshold / (edge * edge * edge)).max(weight(smoothing));
    let at_edge = |radius, texel| blurred(radius, texel, DROP_RADIUS);
    fine * at_edge(smoothing, FINE_TEXEL) / at_edge(radius(smoothing, texel), texel)
}

/// The weight of the given radius, 1 at its centre, at a distance from the centre, blurred by the spline.
fn blurred(radius: f32, texel: f32, distance: f32) -> f32 {
    const STEPS: i32 = 12;
    // The cubic B-spline.
    let spline = |t: f32| {
        let t = t.abs();
        if t < 1.0 { 2.0 / 3.0 - t * t * (1.0 - 0.5 * t) } else { (2.0 - t).powi(3) / 6.0 }
    };
    let nodes = || (0..STEPS).map(|step| (step as f32 + 0.5) * 4.0 / STEPS as f32 - 2.0);
    let mut sum = 0.0;
    let mut parts = 0.0;
    for y in nodes() {
        for x in nodes() {
            let part = spline(x) * spline(y);
            let (x, y) = (distance + x * texel, y * texel);
            let inside = (1.0 - (x * x + y * y) / (radius * radius)).max(0.0);
            sum += part * inside * inside * inside;
            parts += part;
        }
    }
    sum / parts
}

// Classes that are drawn as one liquid or gas.

/// Largest number of liquids and gases of a surface. Further classes share the last one.
pub(super) const MAX_LIQUIDS: usize = 16;

/// The classes that have particles, sorted into liquids and gases. In [`Channels::Tiles`], each has
/// its own tile of the field's texture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Liquids {
    by_class: [u8; 256],
    /// The class from which each liquid takes its look.
    first: [u8; MAX_LIQUIDS],
    count: usize,
}

impl Liquids {
    /// Sorts classes, given in ascending order, into liquids and gases. `blending` holds the pairs
    /// for [`FluidSurfaceMixing::ByPair`]. A gas blends with no liquid.
    pub(super) fn new(
        classes: impl Iterator<Item = u8>,
        blending: &[[u8; 2]],
        mixing: FluidSurfaceMixing,
        is_gas: impl Fn(u8) -> bool,
    ) -> Self {
        let mut present = [false; 256];
        let mut parent: [u8; 256] = std::array::from_fn(|class| class as u8);
        for class in classes {
            present[usize::from(class)] = true;
        }
        if mixing == FluidSurfaceMixing::ByPair {
            for [one, other] in
                blending.iter().filter(|[one, other]| is_gas(*one) == is_gas(*other))
            {
                if present[usize::from(*one)] && present[usize::from(*other)] {
                    let (one, other) = (root(&parent, *one), root(&parent, *other));
                    // The lower class becomes the root, so that the root of a liquid is processed
                    // first.
                    parent[usize::from(one.max(other))] = one.min(other);
                }
            }
        }
        let mut liquids = Self { by_class: [0; 256], first: [0; MAX_LIQUIDS], count: 0 };
        for class in (0..=u8::MAX).filter(|class| present[usize::from(*class)]) {
            let root = root(&parent, class);
            let blended = liquids.first_classes().iter().position(|first| {
                mixing == FluidSurfaceMixing::Blended && is_gas(*first) == is_gas(class)
            });
            liquids.by_class[usize::from(class)] = if root != class {
                liquids.by_class[usize::from(root)]
            } else if let Some(liquid) = blended {
                liquid as u8
            } else if liquids.count == MAX_LIQUIDS {
                liquids.count as u8 - 1
            } else {
                liquids.first[liquids.count] = class;
                liquids.count += 1;
                liquids.count as u8 - 1
            };
        }
        liquids
    }

    /// Number of liquids and gases.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// The class from which each liquid takes its look.
    pub(super) fn first_classes(&self) -> &[u8] {
        &self.first[..self.count]
    }

    /// Index of the liquid of each class.
    pub(super) fn indices(&self) -> &[u8; 256] {
        &self.by_class
    }
}

fn root(parent: &[u8; 256], mut class: u8) -> u8 {
    while parent[usize::from(class)] != class {
        class = parent[usize::from(class)];
    }
    class
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(view: [u32; 2], spacing: f32, liquids: usize) -> Option<FieldLayout> {
        FieldLayout::new(&FieldRequest {
            view: view.into(),
            spacing,
            texels_per_spacing: 3.0,
            tiles: liquids,
            largest_texture: 2048,
            floats: true,
        })
    }

    #[test]
    fn the_resolution_follows_the_particles_and_not_the_screen() {
        let small = layout([1280, 720], 12.0, 3).expect("something");
        let large = layout([3840, 2160], 36.0, 3).expect("something");
        assert_eq!((small.columns, small.rows), (2, 2));
        assert_eq!(small.tile, large.tile);
        assert!((small.texel - 1.0 / 3.0).abs() < 1e-6 && small.step() == 4, "{small:?}");
        // Texels of the field are at least as wide as a pixel.
        let far = layout([1280, 720], 0.5, 1).expect("something");
        assert_eq!(far.tile, UVec2::new(1296, 736));
        assert_eq!(far.view_part * far.tile.as_vec2(), Vec2::new(1280.0, 720.0));
        assert_eq!((far.texel, far.step()), (2.0, 2));
    }

    #[test]
    fn it_fits_the_largest_texture() {
        for liquids in 1..=16 {
            let fitting = layout([8000, 5000], 2.0, liquids).expect("something");
            assert!(fitting.texture().max_element() <= 2048, "{fitting:?}");
            assert!((fitting.columns * fitting.rows) as usize >= liquids);
        }
    }

    #[test]
    fn nothing_is_drawn_where_there_is_nothing() {
        assert_eq!(layout([0, 720], 12.0, 3), None);
        assert_eq!(layout([1280, 720], 12.0, 0), None);
        for spacing in [0.0, -1.0, f32::NAN, f32::INFINITY] {
            assert_eq!(layout([1280, 720], spacing, 3), None);
        }
    }

    fn channels(classes: &[u8], colors: &[Vec4], mixing: FluidSurfaceMixing) -> Channels {
        let is_gas = |class| class >= 100;
        let all = || classes.iter().copied();
        let liquids = Liquids::new(all(), &[], mixing, is_gas);
        Channels::new(&liquids, is_gas, all(), colors, false)
    }

    #[test]
    fn liquids_of_one_colour_share_a_tile() {
        use FluidSurfaceMixing::{Blended, Sharp};
        let colors = [Vec4::ONE, Vec4::X, Vec4::ONE];
        assert_eq!(channels(&[0, 200], &colors, Sharp), Channels::OneLiquid);
        assert_eq!(channels(&[200], &colors, Sharp), Channels::NoLiquid);
        assert_eq!(channels(&[0, 1, 2, 3, 200], &colors, Sharp), Channels::FourLiquids);
        assert_eq!(channels(&[0, 1, 2, 3, 4], &colors, Sharp), Channels::Tiles);
        // Colours that blend need a separate tile.
        assert_eq!(channels(&[0, 1], &colors, Blended), Channels::Tiles);
        assert_eq!(channels(&[0, 2, 9], &colors, Blended), Channels::OneLiquid);
        assert_eq!((Channels::Tiles.tiles(5), Channels::FourLiquids.tiles(4)), (5, 1));
    }

    /// Variance along an axis of the weight of a particle, as the field shows it.
    fn seen_variance(smoothing: f32, texel: f32) -> f32 {
        let radius = radius(smoothing, texel);
        let (mut sum, mut whole) = (0.0, 0.0);
        for step in 0..250 {
            let distance = 0.02 * (step as f32 + 0.5);
            let around = blurred(radius, texel, distance) * distance;
            sum += around * distance * distance;
            whole += around;
        }
        0.5 * sum / whole
    }

    #[test]
    fn a_particle_is_as_wide_at_any_resolution() {
        let fine = seen_variance(2.2, FINE_TEXEL);
        for texel in [0.2, 1.0 / 3.0, 0.5, 2.0 / 3.0, 0.8] {
            let wide = seen_variance(2.2, texel);
            assert!((wide - fine).abs() < 0.01 * fine, "{wide} at {texel}, and {fine}");
        }
    }

    #[test]
    fn weights_are_never_narrower_than_texels() {
        assert!((radius(2.2, FINE_TEXEL) - 2.2).abs() < 1e-6);
        for texel in [0.5, 1.0, 3.0, 100.0] {
            assert!(radius(1.2, texel) >= 1.25 * texel);
            assert!(loose_weight(1.2, texel, 0.5).is_finite());
        }
    }

    fn sorted(
        classes: &[u8],
        blending: &[[u8; 2]],
        mixing: FluidSurfaceMixing,
    ) -> (Vec<u8>, Vec<u8>) {
        // Classes from 100 on are gases.
        let liquids = Liquids::new(classes.iter().copied(), blending, mixing, |class| class >= 100);
        let indices = classes.iter().map(|class| liquids.indices()[usize::from(*class)]).collect();
        (indices, liquids.first_classes().to_vec())
    }

    #[test]
    fn classes_that_blend_are_one_liquid() {
        let pairs = [[7, 2], [9, 7], [3, 4], [9, 200]];
        let mixed = |mixing| sorted(&[2, 3, 7, 9, 200], &pairs, mixing);
        assert_eq!(mixed(FluidSurfaceMixing::ByPair), (vec![0, 1, 0, 0, 2], vec![2, 3, 200]));
        assert_eq!(mixed(FluidSurfaceMixing::Sharp), (vec![0, 1, 2, 3, 4], vec![2, 3, 7, 9, 200]));
        assert_eq!(mixed(FluidSurfaceMixing::Blended), (vec![0, 0, 0, 0, 1], vec![2, 200]));
        assert_eq!(sorted(&[], &pairs, FluidSurfaceMixing::ByPair), (vec![], vec![]));
    }

    #[test]
    fn classes_beyond_the_last_liquid_share_it() {
        let classes: Vec<u8> = (10..40).collect();
        let (indices, first) = sorted(&classes, &[[12, 39]], FluidSurfaceMixing::ByPair);
        assert_eq!(first, (10..26).collect::<Vec<_>>());
        assert_eq!((indices[15], indices[16], indices[28], indices[29]), (15, 15, 15, 2));
    }
}
