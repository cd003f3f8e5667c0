//! The closed surface of the liquid, as a component.

use bevy::camera::visibility;
use bevy::camera::visibility::{NoFrustumCulling, VisibilityClass};
use bevy::prelude::*;
use bevy::render::sync_world::SyncToRenderWorld;
use blob_fluid::ClassId;

use crate::render::instance::FluidGases;

/// Draws the liquid with a closed, antialiased surface.
///
/// Particles are added up to a field for each liquid. Its resolution follows the particles rather
/// than the screen, and the surface is where the field passes [`threshold`](Self::threshold). The
/// surface therefore stays crisp at any zoom, and costs about the same on a large screen as on a
/// small one. A [`FluidSurfaceLook`] describes the look, of all classes or of a single one. The
/// colours are those of [`FluidPalette`](crate::render::FluidPalette).
///
/// Of the entity's [`Transform`] only the depth (z) is used: it orders the liquid among sprites.
/// [`Visibility`] and `RenderLayers` choose the cameras that see it. Several entities draw the
/// liquid several times. Bevy draws one item per entity: a [`FluidDots`](crate::render::FluidDots), a sprite or a mesh must
/// be on another entity. An app that spawns neither a surface nor dots when it starts gets a
/// surface with the defaults, at depth 0.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
/// use bevy_blob_fluid::render::{FluidSurface, FluidSurfaceLook};
///
/// fn setup(mut commands: Commands) {
///     // Lava: opaque, glowing, without highlights.
///     let lava = FluidSurfaceLook {
///         opacity: 1.0,
///         specular: 0.1,
///         glow: 3.0,
///         ..FluidSurfaceLook::FLAT
///     };
///     commands.spawn(FluidSurface::default().with_look(ClassId::HEAVY, lava));
/// }
/// ```
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(Transform, Visibility, VisibilityClass, NoFrustumCulling, SyncToRenderWorld)]
#[component(on_add = visibility::add_visibility_class::<FluidSurface>)]
pub struct FluidSurface {
    /// Resolution of the field.
    pub quality: FluidSurfaceQuality,
    /// Radius of a particle's weight in the field, in particle spacings; 1.2 (bumpy) to 4 (round,
    /// without detail). Default 2.2.
    pub smoothing: f32,
    /// Value of the field at the surface, as a fraction of that inside of the liquid; 0.1 (far out)
    /// to 0.9 (far in). Default 0.34.
    pub threshold: f32,
    /// Which classes blend into each other.
    pub mixing: FluidSurfaceMixing,
    /// Whether the liquid reaches the [walls](crate::render::FluidWalls) that it touches, fills
    /// their corners and ends there. Otherwise it ends where its particles end, on both sides of a
    /// wall's edge. Default true.
    pub meets_walls: bool,
    /// Look of all classes that have no look of their own.
    pub look: FluidSurfaceLook,
    /// Look of the [gases](crate::render::FluidGases) among them. Default
    /// [`FluidSurfaceLook::GAS`].
    pub gas_look: FluidSurfaceLook,
    /// Looks of single classes; of several for the same class the last is used. Classes that blend
    /// have the look of the first of them.
    pub class_looks: Vec<(ClassId, FluidSurfaceLook)>,
}

impl Default for FluidSurface {
    fn default() -> Self {
        Self {
            quality: FluidSurfaceQuality::default(),
            smoothing: 2.2,
            threshold: 0.34,
            mixing: FluidSurfaceMixing::default(),
            meets_walls: true,
            look: FluidSurfaceLook::default(),
            gas_look: FluidSurfaceLook::GAS,
            class_looks: Vec::new(),
        }
    }
}

impl FluidSurface {
    /// The same surface with another look for a class.
    #[must_use]
    pub fn with_look(mut self, class: ClassId, look: FluidSurfaceLook) -> Self {
        self.class_looks.push((class, look));
        self
    }

    /// The look of a class, which is one of these gases or a liquid.
    pub fn look_of(&self, class: ClassId, gases: &FluidGases) -> &FluidSurfaceLook {
        let class_look = self.class_looks.iter().rev().find(|(with_look, _)| *with_look == class);
        let shared = if gases.0.contains(&class.0) { &self.gas_look } else { &self.look };
        class_look.map_or(shared, |(_, look)| look)
    }
}

impl From<FluidSurfaceLook> for FluidSurface {
    fn from(look: FluidSurfaceLook) -> Self {
        Self { look, ..Self::default() }
    }
}

/// Resolution of the field of a [`FluidSurface`].
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Default, Debug, PartialEq, Hash)]
pub enum FluidSurfaceQuality {
    /// 1.25 texels per particle spacing; there is no foam and no glow, and the alpha of colours is
    /// ignored. It suits phones and old machines.
    Low,
    /// 1.5 texels per particle spacing.
    #[default]
    Medium,
    /// 2.5 texels per particle spacing.
    High,
}

impl FluidSurfaceQuality {
    /// Number of texels of the field per particle spacing.
    pub fn texels_per_spacing(self) -> f32 {
        match self {
            Self::Low => 1.25,
            Self::Medium => 1.5,
            Self::High => 2.5,
        }
    }
}

/// Which classes a [`FluidSurface`] draws as one liquid, with colours that blend. All others meet
/// at a sharp line.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Default, Debug, PartialEq, Hash)]
pub enum FluidSurfaceMixing {
    /// Classes that attract each other blend: pairs with a
    /// [cohesion](blob_fluid::ClassPair::cohesion) above 0, as in
    /// [`FluidBlending`](crate::render::FluidBlending).
    #[default]
    ByPair,
    /// No classes blend.
    Sharp,
    /// All classes blend.
    Blended,
}

// The look of a liquid or gas.

/// The look of a liquid. Values outside their range are clamped.
///
/// Lengths are in particle spacings, so that a look is the same at any scale.
#[derive(Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Default, Debug, PartialEq)]
pub struct FluidSurfaceLook {
    /// Opacity, 0 to 1; it is multiplied by the alpha of the class's colour.
    pub opacity: f32,
    /// Width of the line along the surface, 0 to 3.
    pub outline_width: f32,
    /// Colour of that line; its alpha is the part of the liquid's own colour that it replaces.
    pub outline_color: Color,
    /// Light at the surface, 0 to 2: a band of a particle spacing where it faces up, shade below where it faces down
    /// and where the liquid meets walls.
    pub rim_light: f32,
    /// Colour of that band; its alpha is the part of it that is not the liquid's own colour.
    pub sky_color: Color,
    /// Colour of the liquid far from its surface; its alpha is the part of the liquid's own colour
    /// that it replaces.
    pub depth_color: Color,
    /// Depth below the surface at which nearly all (95 %) of that colour is there, 1 to 60: a thin stream keeps the
    /// liquid's own colour. Depths are known up to about 25.
    pub depth: f32,
    /// Highlights where the surface is turned towards the light, upper left, 0 to 2.
    pub specular: f32,
    /// Sharpness of the highlights, 0 to 1; sharp highlights are small.
    pub gloss: f32,
    /// How much the liquid mirrors a studio of soft light, 0 to 1: little of it where it is seen from the front and more
    /// at its edges, as slime and honey do; at 1 it mirrors everywhere, as metal does.
    pub reflection: f32,
    /// Refraction: how far the surface shifts the picture behind it, 0 to 4. Above 0 the picture
    /// behind the liquid is copied, which costs as much as a full-screen pass.
    pub refraction: f32,
    /// Moving lines of light below the surface and on floors, 0 to 1.
    pub caustics: f32,
    /// Colour of foam and spray, which appear where the liquid is fast and torn; its alpha is their
    /// opacity.
    pub foam_color: Color,
    /// Light that hot liquid emits, 0 to 10; above 1 it is brighter than white, for an HDR camera
    /// with bloom. [`FluidGlow`](crate::FluidGlow) holds the temperatures.
    pub glow: f32,
    /// Crust: the colour of what floats on hot liquid, and breaks where it moves; its alpha is the part of the surface
    /// that it covers where the liquid is no more than half as hot as at its hottest.
    pub crust_color: Color,
    /// Haze: how much light a gas takes from what is behind it, 0 to 20. At 0 the class is a liquid
    /// with a surface. Above, it has no surface: it is drawn up to the surface of all liquids as a haze that
    /// is the thicker the more particles there are, swirls, shadows itself, and is lit by what glows
    /// near it. Of the rest of the look only opacity and glow then matter.
    pub haze: f32,
}

impl FluidSurfaceLook {
    /// A flat area of the liquid's colour with a smooth edge and no effects.
    pub const FLAT: Self = Self {
        opacity: 1.0,
        outline_width: 0.0,
        outline_color: Color::NONE,
        rim_light: 0.0,
        sky_color: Color::NONE,
        depth_color: Color::NONE,
        depth: 6.0,
        specular: 0.0,
        gloss: 0.5,
        reflection: 0.0,
        refraction: 0.0,
        caustics: 0.0,
        foam_color: Color::NONE,
        glow: 0.0,
        crust_color: Color::NONE,
        haze: 0.0,
    };

    /// A gas: a soft haze.
    pub const GAS: Self = Self { haze: 6.0, glow: 1.5, ..Self::FLAT };

    /// Nearly opaque, softly lit, with a dark outline, and none of the effects that cost extra. The default.
    pub const SOFT: Self = Self {
        opacity: 0.96,
        outline_width: 0.24,
        outline_color: Color::srgba(0.0, 0.0, 0.0, 0.35),
        rim_light: 0.45,
        sky_color: Color::srgba(0.86, 0.95, 1.0, 0.5),
        depth_color: Color::srgba(0.0, 0.0, 0.05, 0.62),
        depth: 30.0,
        specular: 0.45,
        gloss: 0.6,
        foam_color: Color::srgba(1.0, 1.0, 1.0, 0.8),
        glow: 1.5,
        ..Self::FLAT
    };

    /// Clear water: translucent, refracting, foaming, with caustics.
    pub const WATER: Self = Self {
        opacity: 0.6,
        outline_width: 0.16,
        outline_color: Color::srgba(0.85, 0.95, 1.0, 0.2),
        rim_light: 0.6,
        sky_color: Color::srgba(0.82, 0.94, 1.0, 0.7),
        depth_color: Color::srgba(0.01, 0.07, 0.22, 0.75),
        depth: 32.0,
        specular: 0.9,
        gloss: 0.75,
        refraction: 1.2,
        caustics: 0.5,
        foam_color: Color::srgba(0.95, 0.98, 1.0, 0.9),
        glow: 1.0,
        ..Self::FLAT
    };

    /// Oil: clear, smooth, without foam.
    pub const OIL: Self = Self {
        opacity: 0.78,
        depth_color: Color::srgba(0.25, 0.12, 0.0, 0.5),
        depth: 30.0,
        specular: 0.8,
        gloss: 0.7,
        reflection: 0.25,
        foam_color: Color::NONE,
        ..Self::SOFT
    };

    /// Honey: thick, glowing where it is thin, and shiny.
    pub const HONEY: Self = Self {
        opacity: 0.93,
        outline_width: 0.2,
        outline_color: Color::srgba(0.35, 0.12, 0.0, 0.4),
        rim_light: 0.35,
        sky_color: Color::srgba(1.0, 0.95, 0.8, 0.5),
        depth_color: Color::srgba(0.45, 0.12, 0.0, 0.8),
        depth: 18.0,
        specular: 0.9,
        gloss: 0.85,
        reflection: 0.35,
        refraction: 0.6,
        ..Self::FLAT
    };

    /// Slime: opaque and glossy.
    pub const SLIME: Self = Self {
        opacity: 0.97,
        outline_width: 0.22,
        outline_color: Color::srgba(0.0, 0.08, 0.0, 0.45),
        rim_light: 0.6,
        sky_color: Color::srgba(0.95, 1.0, 0.85, 0.4),
        depth_color: Color::srgba(0.0, 0.1, 0.02, 0.6),
        depth: 20.0,
        specular: 1.0,
        gloss: 0.9,
        reflection: 0.4,
        ..Self::FLAT
    };

    /// Mercury: liquid metal.
    pub const MERCURY: Self = Self {
        opacity: 1.0,
        rim_light: 0.2,
        sky_color: Color::WHITE,
        specular: 1.2,
        gloss: 0.95,
        reflection: 1.0,
        ..Self::FLAT
    };

    /// Lava: glows where it is hot, with a dark crust where it is less so.
    pub const LAVA: Self = Self {
        opacity: 1.0,
        rim_light: 0.15,
        depth_color: Color::srgba(0.3, 0.02, 0.0, 0.4),
        depth: 30.0,
        glow: 2.5,
        crust_color: Color::srgba(0.035, 0.018, 0.016, 0.95),
        ..Self::FLAT
    };
}

impl Default for FluidSurfaceLook {
    /// [`SOFT`](Self::SOFT).
    fn default() -> Self {
        Self::SOFT
    }
}
