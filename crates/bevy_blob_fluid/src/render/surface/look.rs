//! The look of the closed surface of the liquid.

use bevy::camera::visibility::{self, NoFrustumCulling, VisibilityClass};
use bevy::prelude::*;
use bevy::render::sync_world::SyncToRenderWorld;
use blob_fluid::ClassId;

use crate::render::{FluidDots, FluidGases};

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
/// liquid several times. Bevy draws one item per entity: a [`FluidDots`], a sprite or a mesh must
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
///     commands.spawn(FluidSurface::default().with_look(FluidClassId::HEAVY, lava));
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
        let own = self.class_looks.iter().rev().find(|(own, _)| *own == class);
        let shared = if gases.0.contains(&class.0) { &self.gas_look } else { &self.look };
        own.map_or(shared, |(_, look)| look)
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
    /// Two texels per particle spacing; there is no foam and no glow, and the alpha of colours is
    /// ignored. It suits phones and old machines.
    Low,
    /// Three texels per particle spacing.
    #[default]
    Medium,
    /// Four texels per particle spacing.
    High,
}

impl FluidSurfaceQuality {
    /// Number of texels of the field per particle spacing.
    pub fn texels_per_spacing(self) -> f32 {
        match self {
            Self::Low => 2.0,
            Self::Medium => 3.0,
            Self::High => 4.0,
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
    /// Light along the inside of the surface, stronger on the upper side, 0 to 2.
    pub rim_light: f32,
    /// Colour of the liquid far from its surface; its alpha is the part of the liquid's own colour
    /// that it replaces.
    pub depth_color: Color,
    /// Distance from the surface at which that colour is full, 1 to 12.
    pub depth: f32,
    /// Highlights where the surface is turned towards the light, upper left, 0 to 2.
    pub specular: f32,
    /// Sharpness of the highlights, 0 to 1; sharp highlights are small.
    pub gloss: f32,
    /// Refraction: how far the surface shifts the picture behind it, 0 to 4. Above 0 the picture
    /// behind the liquid is copied, which costs as much as a full-screen pass.
    pub refraction: f32,
    /// Moving patterns of light inside, 0 to 1.
    pub caustics: f32,
    /// Colour of foam and spray, which appear where the liquid is fast and torn; its alpha is their
    /// opacity.
    pub foam_color: Color,
    /// Light that hot liquid emits, 0 to 10; above 1 it is brighter than white, for an HDR camera
    /// with bloom. [`FluidGlow`](crate::FluidGlow) holds the temperatures.
    pub glow: f32,
    /// Haze: how much light a gas takes from what is behind it, 0 to 20. At 0 the class is a liquid
    /// with a surface. Above, it has no surface: it is drawn in front of all liquids as a haze that
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
        depth_color: Color::NONE,
        depth: 6.0,
        specular: 0.0,
        gloss: 0.5,
        refraction: 0.0,
        caustics: 0.0,
        foam_color: Color::NONE,
        glow: 0.0,
        haze: 0.0,
    };

    /// A gas: a soft haze.
    pub const GAS: Self = Self { haze: 6.0, glow: 1.5, ..Self::FLAT };

    /// Clear water: translucent, refracting, foaming, with caustics.
    pub const WATER: Self = Self {
        opacity: 0.55,
        outline_width: 0.22,
        outline_color: Color::srgba(0.85, 0.95, 1.0, 0.25),
        rim_light: 0.5,
        depth_color: Color::srgba(0.01, 0.07, 0.22, 0.6),
        depth: 9.0,
        specular: 0.9,
        gloss: 0.75,
        refraction: 1.2,
        caustics: 0.5,
        foam_color: Color::srgba(0.95, 0.98, 1.0, 0.9),
        glow: 1.0,
        haze: 0.0,
    };
}

impl Default for FluidSurfaceLook {
    /// Nearly opaque, softly lit, with a darker outline; it has no effects that cost extra.
    fn default() -> Self {
        Self {
            opacity: 0.96,
            outline_width: 0.28,
            outline_color: Color::srgba(0.0, 0.0, 0.0, 0.35),
            rim_light: 0.35,
            depth_color: Color::srgba(0.0, 0.0, 0.05, 0.35),
            depth: 8.0,
            specular: 0.45,
            gloss: 0.6,
            refraction: 0.0,
            caustics: 0.0,
            foam_color: Color::srgba(1.0, 1.0, 1.0, 0.75),
            glow: 1.5,
            haze: 0.0,
        }
    }
}

/// Spawns a surface in an app that has neither surface nor dots.
pub(in crate::render) fn spawn_default_surface(
    mut commands: Commands,
    drawn: Query<(), Or<(With<FluidDots>, With<FluidSurface>)>>,
) {
    if drawn.is_empty() {
        commands.spawn((Name::new("Fluid surface"), FluidSurface::default()));
    }
}
