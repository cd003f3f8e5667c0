//! The closed surface of the liquid, as a component.

use bevy::camera::visibility::{self, NoFrustumCulling, VisibilityClass};
use bevy::prelude::*;
use bevy::render::sync_world::SyncToRenderWorld;
use blob_fluid::ClassId;

use super::liquid::FluidSurfaceLook;
use crate::render::palette::FluidGases;

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
