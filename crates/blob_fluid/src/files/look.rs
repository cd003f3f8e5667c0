//! The look of a material: how a host draws it. It has no effect on the simulation.

use serde::{Deserialize, Serialize};

use crate::settings::declare::settings;

settings! {
    /// How a host draws a [`Material`](crate::material::Material).
    ///
    /// It begins with a [preset](LookPreset); each field that is stated replaces that field of the preset.
    /// Lengths are in particle spacings. Colours are red, green, blue and alpha in sRGB.
    ///
    /// ```
    /// use blob_fluid::material::{LookPreset, Material};
    /// let sap = Material::from_ron(
    ///     r#"(class: (name: "sap"), look: (preset: Honey, opacity: 0.8))"#,
    /// )?;
    /// let look = sap.look.unwrap();
    /// assert_eq!((look.preset, look.opacity, look.glow), (LookPreset::Honey, Some(0.8), None));
    /// # Ok::<(), blob_fluid::material::MaterialError>(())
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct MaterialLook: Default as "look" {
        /// Look whose fields apply where this one states none. Default `Soft`.
        pub preset: LookPreset = { LookPreset::Soft },
        /// Opacity, times the alpha of the class's colour.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub opacity: Option<f32> [0 to 1] = { None },
        /// Width of the line along the surface.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub outline_width: Option<f32> [0 to 3] in "spacings" = { None },
        /// Colour of that line; alpha is the part of the class's colour that it replaces.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub outline_color: Option<[f32; 4]> [0 to 1] = { None },
        /// Light from above at the surface, and shade below it.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub rim_light: Option<f32> [0 to 2] = { None },
        /// Colour of that light; alpha is the part of it that is not the class's colour.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub sky_color: Option<[f32; 4]> [0 to 1] = { None },
        /// Colour far below the surface; alpha is the part of the class's colour that it replaces.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub depth_color: Option<[f32; 4]> [0 to 1] = { None },
        /// Depth at which nearly all of that colour is there.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub depth: Option<f32> [1 to 60] in "spacings" = { None },
        /// Strength of highlights.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub specular: Option<f32> [0 to 2] = { None },
        /// Sharpness of highlights.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub gloss: Option<f32> [0 to 1] = { None },
        /// Reflection of soft light: at the edges only, and everywhere at 1, as metal does.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub reflection: Option<f32> [0 to 1] = { None },
        /// Shift of the picture behind the liquid.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub refraction: Option<f32> [0 to 4] in "spacings" = { None },
        /// Moving lines of light below the surface.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub caustics: Option<f32> [0 to 1] = { None },
        /// Colour of foam and spray; alpha is their opacity.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub foam_color: Option<[f32; 4]> [0 to 1] = { None },
        /// Light that hot liquid emits; above 1 it is brighter than white.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub glow: Option<f32> [0 to 10] = { None },
        /// Colour of the crust on hot liquid; alpha is the part of the surface that it covers.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub crust_color: Option<[f32; 4]> [0 to 1] = { None },
        /// Contrast of grains.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub grain: Option<f32> [0 to 1] = { None },
        /// Width of a grain.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub grain_size: Option<f32> [0.2 to 4] in "spacings" = { None },
        /// How much light a gas takes; at 0 the class is a liquid with a surface.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub haze: Option<f32> [0 to 20] = { None },
    }
}

/// A look that a [`MaterialLook`] starts from. The host defines its values; in `bevy_blob_fluid` they are the
/// constants of `FluidSurfaceLook`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum LookPreset {
    /// The class's colour, flat, with a smooth edge and no effects.
    Flat,
    /// Nearly opaque and softly lit, with a dark outline: the look of classes without a material.
    #[default]
    Soft,
    /// Clear, refracting, foaming, with caustics.
    Water,
    /// Clear and smooth, without foam.
    Oil,
    /// Translucent, thick and shiny.
    Honey,
    /// Opaque and glossy.
    Slime,
    /// Liquid metal.
    Mercury,
    /// Glowing where it is hot, with a dark crust.
    Lava,
    /// Dull, with visible grains.
    Powder,
    /// A soft haze without a surface.
    Gas,
}
