//! The closed surface of the liquid, as a component.

use bevy::camera::visibility;
use bevy::camera::visibility::{NoFrustumCulling, VisibilityClass};
use bevy::prelude::*;
use bevy::render::sync_world::SyncToRenderWorld;
use blob_fluid::ClassId;
use blob_fluid::material::{LookPreset, MaterialLook};

use crate::materials::{FilteredClasses, FluidClassFilter};
use crate::render::instance::FluidGases;

/// Draws the liquid with a closed, antialiased surface.
///
/// For each liquid, the weights of the particles are summed to a field, whose resolution follows the particles and not
/// the screen. The surface is the contour at which the field passes [`threshold`](Self::threshold). The surface
/// therefore stays crisp at any zoom, and costs about the same on large and small screens. The colours are those of
/// [`FluidPalette`](crate::render::FluidPalette).
///
/// A [`FluidSurfaceLook`] describes the look. Each class has the first of these looks that exists:
///
/// 1. the look that [`class_looks`](Self::class_looks) states for it,
/// 2. the look of its [material](crate::FluidMadeOf),
/// 3. [`look`](Self::look) or, for gases, [`gas_look`](Self::gas_look).
///
/// Only the depth (z) of the entity's [`Transform`] is used: it orders the liquid among sprites. [`Visibility`] and
/// `RenderLayers` choose the cameras that see the surface. Several entities draw the liquid several times. Bevy draws
/// one item per entity, so a [`FluidDots`](crate::render::FluidDots), a sprite or a mesh needs its own entity. An app
/// that spawns neither a surface nor dots at startup gets a default surface, at depth 0.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
/// use bevy_blob_fluid::render::{FluidSurface, FluidSurfaceLook};
///
/// fn setup(mut commands: Commands) {
///     // Lava that glows more than the material says, and milk for a class of the game.
///     let lava = FluidSurfaceLook { glow: 5.0, ..FluidSurfaceLook::LAVA };
///     let milk = FluidSurfaceLook { opacity: 1.0, ..FluidSurfaceLook::OIL };
///     commands.spawn(
///         FluidSurface::default().with_look(FluidMadeOf::LAVA, lava).with_look("milk", milk),
///     );
///     // All classes alike, those of materials too.
///     commands.spawn(FluidSurface::from(FluidSurfaceLook::FLAT).without_material_looks());
/// }
/// ```
#[doc = guide!("rendering")]
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(Transform, Visibility, VisibilityClass, NoFrustumCulling, SyncToRenderWorld)]
#[component(on_add = visibility::add_visibility_class::<FluidSurface>)]
pub struct FluidSurface {
    /// Resolution of the field whose contour is the surface.
    pub quality: FluidSurfaceQuality,
    /// Radius, in particle spacings, around a particle within which the particle adds to the field: from 1.2, bumpy,
    /// to 4, round and without detail. Default 2.2.
    pub smoothing: f32,
    /// Value of the field at the surface, as a fraction of the value inside of the liquid: from 0.1, far out, to
    /// 0.9, far in. Default 0.34.
    pub threshold: f32,
    /// Classes that blend into each other.
    pub mixing: FluidSurfaceMixing,
    /// Whether the liquid extends to the [walls](crate::render::FluidWalls) that it touches, fills their corners and
    /// ends there. If false, the liquid ends where its outermost particles end: it may stop before the edge of a
    /// wall, or reach beyond it. Default true.
    pub meets_walls: bool,
    /// Whether the classes of materials have the looks of their materials. Default true.
    pub material_looks: bool,
    /// Look of all classes without their own look.
    pub look: FluidSurfaceLook,
    /// Look of the [gases](crate::render::FluidGases) without their own look. Default
    /// [`FluidSurfaceLook::GAS`].
    pub gas_look: FluidSurfaceLook,
    /// Looks of single classes, by their ids, names or materials. The last look that matches a class is used. Classes
    /// that blend with each other have the look of the first of them.
    pub class_looks: Vec<(FluidClassFilter, FluidSurfaceLook)>,
}

impl Default for FluidSurface {
    fn default() -> Self {
        Self {
            quality: FluidSurfaceQuality::default(),
            smoothing: 2.2,
            threshold: 0.34,
            mixing: FluidSurfaceMixing::default(),
            meets_walls: true,
            material_looks: true,
            look: FluidSurfaceLook::default(),
            gas_look: FluidSurfaceLook::GAS,
            class_looks: Vec::new(),
        }
    }
}

impl FluidSurface {
    /// The same surface with another look for classes: an id, a name, a material, or an array of these.
    #[must_use]
    pub fn with_look(
        mut self,
        classes: impl Into<FluidClassFilter>,
        look: FluidSurfaceLook,
    ) -> Self {
        self.class_looks.push((classes.into(), look));
        self
    }

    /// The same surface without the looks of materials.
    #[must_use]
    pub fn without_material_looks(self) -> Self {
        Self { material_looks: false, ..self }
    }

    /// The same surface with the looks of materials. Names and materials are replaced by the present ids of their
    /// classes.
    pub(in crate::render) fn resolved(&self, classes: &FilteredClasses) -> Self {
        let of_materials = classes.material_looks().filter(|_| self.material_looks);
        let of_materials = of_materials.map(|(class, look)| (class.into(), look.into()));
        let stated = self.class_looks.iter();
        let stated = stated.map(|(filter, look)| (classes.of(filter).into(), *look));
        Self { class_looks: of_materials.chain(stated).collect(), ..*self }
    }

    /// The look of a class on a resolved surface. The class is a gas if `gases` contains it.
    pub(in crate::render) fn look_of(
        &self,
        class: ClassId,
        gases: &FluidGases,
    ) -> &FluidSurfaceLook {
        let mut looks = self.class_looks.iter().rev();
        let class_look = looks.find(|(filter, _)| filter.ids.contains(class));
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
    /// 1.25 texels per particle spacing, without foam and glow; the alpha of colours is ignored. This quality suits
    /// phones and old machines.
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

/// The classes that a [`FluidSurface`] draws as one liquid, with colours that blend. A sharp line separates all other
/// classes.
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
/// Lengths are in particle spacings, so that a look is the same at any scale. [`MaterialLook`] is a look in a
/// material's file.
#[derive(Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Default, Debug, PartialEq)]
pub struct FluidSurfaceLook {
    /// Opacity, 0 to 1, which is multiplied by the alpha of the class's colour.
    pub opacity: f32,
    /// Width of the line along the surface, in particle spacings; 0 to 3.
    pub outline_width: f32,
    /// Colour of the line along the surface; its alpha is the fraction by which it replaces the liquid's own colour.
    pub outline_color: Color,
    /// Light at the surface, 0 to 2: a light band, one particle spacing wide, on surfaces that face up. Surfaces that
    /// face down or meet walls get shade.
    pub rim_light: f32,
    /// Colour of the light band of [`rim_light`](Self::rim_light); its alpha is the fraction by which it replaces the
    /// liquid's own colour.
    pub sky_color: Color,
    /// Colour of the liquid far from its surface; its alpha is the fraction by which it replaces
    /// the liquid's own colour. By the same fraction, liquid near the surface is paler, and blue liquid greener.
    pub depth_color: Color,
    /// Depth below the surface, in particle spacings, at which the depth colour has 95 % of its strength; 1 to 60. A
    /// thin stream keeps the liquid's own colour. Depths are computed up to about 25 particle spacings.
    pub depth: f32,
    /// Highlights on surfaces that face the light, which is at the upper left, 0 to 2.
    pub specular: f32,
    /// Sharpness of the highlights, 0 to 1; sharp highlights are small.
    pub gloss: f32,
    /// Reflection of a studio with soft light, 0 to 1. Small values reflect mostly at the edges, as slime and honey do.
    /// At 1, the liquid reflects everywhere, like metal.
    pub reflection: f32,
    /// Refraction: distance by which the surface shifts the picture behind it, in particle spacings; 0 to 4. Above 0
    /// the picture behind the liquid is copied, at the cost of a full-screen pass. The liquid tints that picture, and
    /// surfaces that face up mirror it.
    pub refraction: f32,
    /// Moving lines of light below the surface and on floors, and shafts of light from above, 0 to 1.
    pub caustics: f32,
    /// Colour of foam and spray, which appear where fast liquid breaks up; its alpha is their opacity.
    pub foam_color: Color,
    /// Light that hot liquid emits, 0 to 10. Above 1, the light is brighter than white, for an HDR camera with
    /// bloom. [`FluidGlow`](crate::FluidGlow) holds the temperatures.
    pub glow: f32,
    /// Colour of the crust on hot liquid, which breaks where the liquid moves. Its alpha is the fraction of the
    /// surface that the crust covers while the heat is at most half of the largest heat.
    pub crust_color: Color,
    /// Contrast of the round grains of powders, 0 to 1. The grains change their order when the powder moves.
    pub grain: f32,
    /// Width of a grain, in particle spacings; 0.2 to 4. Grains narrower than about 1.5 pixels are not drawn.
    pub grain_size: f32,
    /// Haze: optical thickness of a gas, 0 to 20. At 0, the class is a liquid with a surface. Above 0 the class has no
    /// surface, and is drawn as a haze up to the surface of all liquids. More particles make the haze thicker. The haze
    /// swirls, casts shadows on itself, and is lit by glowing liquid and gas near it. A look with haze ignores all
    /// other fields except opacity and glow.
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
        grain: 0.0,
        grain_size: 0.6,
        haze: 0.0,
    };

    /// A gas: a soft haze.
    pub const GAS: Self = Self { haze: 6.0, glow: 1.5, ..Self::FLAT };

    /// The default: nearly opaque, softly lit, with a dark outline, and without costly effects.
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
        rim_light: 0.5,
        sky_color: Color::srgba(0.82, 0.94, 1.0, 0.6),
        depth_color: Color::srgba(0.0, 0.09, 0.24, 0.9),
        depth: 20.0,
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

    /// Honey: thick, bright in thin layers, and shiny.
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

    /// Lava: hot parts glow, and cooler parts have a dark crust.
    pub const LAVA: Self = Self {
        opacity: 1.0,
        rim_light: 0.15,
        depth_color: Color::srgba(0.3, 0.02, 0.0, 0.4),
        depth: 30.0,
        glow: 2.5,
        crust_color: Color::srgba(0.035, 0.018, 0.016, 0.95),
        ..Self::FLAT
    };

    /// Powder: dull, with visible grains.
    pub const POWDER: Self = Self {
        rim_light: 0.35,
        sky_color: Color::srgba(1.0, 0.96, 0.88, 0.35),
        depth_color: Color::srgba(0.10, 0.06, 0.05, 0.45),
        depth: 40.0,
        grain: 0.6,
        ..Self::FLAT
    };
}

impl Default for FluidSurfaceLook {
    /// [`SOFT`](Self::SOFT).
    fn default() -> Self {
        Self::SOFT
    }
}

// The look in a material's file.

impl From<LookPreset> for FluidSurfaceLook {
    fn from(preset: LookPreset) -> Self {
        match preset {
            LookPreset::Flat => Self::FLAT,
            LookPreset::Soft => Self::SOFT,
            LookPreset::Water => Self::WATER,
            LookPreset::Oil => Self::OIL,
            LookPreset::Honey => Self::HONEY,
            LookPreset::Slime => Self::SLIME,
            LookPreset::Mercury => Self::MERCURY,
            LookPreset::Lava => Self::LAVA,
            LookPreset::Powder => Self::POWDER,
            LookPreset::Gas => Self::GAS,
        }
    }
}

impl From<&MaterialLook> for FluidSurfaceLook {
    /// The preset, overridden by the fields that the material's look states.
    ///
    /// ```
    /// use bevy::prelude::*;
    /// use bevy_blob_fluid::blob_fluid::material::{LookPreset, MaterialLook};
    /// use bevy_blob_fluid::prelude::*;
    ///
    /// let stated = MaterialLook { preset: LookPreset::Lava, glow: Some(5.0), ..default() };
    /// let look = FluidSurfaceLook { glow: 5.0, ..FluidSurfaceLook::LAVA };
    /// assert_eq!(FluidSurfaceLook::from(&stated), look);
    /// ```
    fn from(stated: &MaterialLook) -> Self {
        // The exhaustive pattern makes an unused new field a compile error.
        let &MaterialLook {
            preset,
            opacity,
            outline_width,
            outline_color,
            rim_light,
            sky_color,
            depth_color,
            depth,
            specular,
            gloss,
            reflection,
            refraction,
            caustics,
            foam_color,
            glow,
            crust_color,
            grain,
            grain_size,
            haze,
        } = stated;
        let color = |stated: Option<[f32; 4]>, preset: Color| {
            stated.map_or(preset, |color| Srgba::from_f32_array(color).into())
        };
        let preset = Self::from(preset);
        Self {
            opacity: opacity.unwrap_or(preset.opacity),
            outline_width: outline_width.unwrap_or(preset.outline_width),
            outline_color: color(outline_color, preset.outline_color),
            rim_light: rim_light.unwrap_or(preset.rim_light),
            sky_color: color(sky_color, preset.sky_color),
            depth_color: color(depth_color, preset.depth_color),
            depth: depth.unwrap_or(preset.depth),
            specular: specular.unwrap_or(preset.specular),
            gloss: gloss.unwrap_or(preset.gloss),
            reflection: reflection.unwrap_or(preset.reflection),
            refraction: refraction.unwrap_or(preset.refraction),
            caustics: caustics.unwrap_or(preset.caustics),
            foam_color: color(foam_color, preset.foam_color),
            glow: glow.unwrap_or(preset.glow),
            crust_color: color(crust_color, preset.crust_color),
            grain: grain.unwrap_or(preset.grain),
            grain_size: grain_size.unwrap_or(preset.grain_size),
            haze: haze.unwrap_or(preset.haze),
        }
    }
}

#[cfg(test)]
mod tests {
    use bevy::ecs::system::RunSystemOnce;
    use blob_fluid::DensityClass;
    use blob_fluid::material::Material;

    use super::*;
    use crate::materials::{FluidMadeOf, FluidMaterials};
    use crate::simulation::FluidClasses;

    /// The looks on a surface: of a class, of a gas, of two materials, and of a gas that is a material.
    fn looks(surface: FluidSurface) -> [FluidSurfaceLook; 5] {
        let names = ["plain", "fumes", "sap", "tar", "mist"];
        let classes = names.map(|name| DensityClass { name: name.into(), ..default() });
        let materials = [
            "(class: (name: \"sap\"), look: (preset: Honey, opacity: 0.5))",
            "(class: (name: \"tar\"), look: (preset: Mercury, sky_color: (0, 1, 0, 0.5)))",
            "(class: (name: \"mist\"), look: (preset: Gas, haze: 2))",
        ];
        let materials = materials.map(|text| Material::from_ron(text).expect("valid"));
        let mut world = World::new();
        world.insert_resource(FluidClasses::from(classes.to_vec()));
        world.init_resource::<FluidMaterials>();
        world.resource_mut::<FluidMaterials>().set_scene_looks(&materials);
        let resolve = move |classes: FilteredClasses| surface.resolved(&classes);
        let resolved = world.run_system_once(resolve).expect("it has all that it needs");
        let gases = FluidGases(vec![1, 4]);
        [0, 1, 2, 3, 4].map(|class| *resolved.look_of(ClassId(class), &gases))
    }

    const SAP: FluidSurfaceLook = FluidSurfaceLook { opacity: 0.5, ..FluidSurfaceLook::HONEY };
    const TAR: FluidSurfaceLook = FluidSurfaceLook {
        sky_color: Color::srgba(0.0, 1.0, 0.0, 0.5),
        ..FluidSurfaceLook::MERCURY
    };
    const MIST: FluidSurfaceLook = FluidSurfaceLook { haze: 2.0, ..FluidSurfaceLook::GAS };

    #[test]
    fn materials_keep_their_looks_beside_each_other_and_classes_without_one_that_of_all() {
        let (soft, gas) = (FluidSurfaceLook::SOFT, FluidSurfaceLook::GAS);
        assert_eq!(looks(FluidSurface::default()), [soft, gas, SAP, TAR, MIST]);
        let water = FluidSurfaceLook::WATER;
        assert_eq!(looks(water.into()), [water, gas, SAP, TAR, MIST]);
    }

    #[test]
    fn a_game_overrides_the_looks_of_materials_one_by_one_or_all() {
        let (flat, lava) = (FluidSurfaceLook::FLAT, FluidSurfaceLook::LAVA);
        let one = FluidSurface::from(flat).with_look("sap", lava);
        assert_eq!(looks(one)[2..], [lava, TAR, MIST]);
        let by_id = FluidSurface::default().with_look([ClassId(3), ClassId(4)], lava);
        assert_eq!(looks(by_id)[2..], [SAP, lava, lava]);
        let last = FluidSurface::default().with_look("tar", flat).with_look(ClassId(3), lava);
        assert_eq!(looks(last)[3], lava);
        let unknown = FluidSurface::default().with_look(FluidMadeOf::LAVA, lava);
        assert_eq!(looks(unknown), looks(FluidSurface::default()));
        let all = FluidSurface::from(flat).without_material_looks();
        assert_eq!(
            looks(all.clone()),
            [flat, FluidSurfaceLook::GAS, flat, flat, FluidSurfaceLook::GAS]
        );
        assert_eq!(looks(all.with_look("sap", lava))[2], lava);
    }

    #[test]
    fn without_classes_only_ids_count() {
        let surface = FluidSurface::default()
            .with_look("sap", FluidSurfaceLook::FLAT)
            .with_look(ClassId(3), FluidSurfaceLook::LAVA);
        let resolve = move |classes: FilteredClasses| surface.resolved(&classes);
        let resolved = World::new().run_system_once(resolve).expect("it needs nothing");
        let look = |class| *resolved.look_of(ClassId(class), &FluidGases::default());
        assert_eq!([look(0), look(3)], [FluidSurfaceLook::SOFT, FluidSurfaceLook::LAVA]);
    }
}
