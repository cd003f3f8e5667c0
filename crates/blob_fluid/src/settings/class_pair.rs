//! Pairs of classes: their viscosity, cohesion and reaction.

use crate::settings::class::ClassViscosity;
use crate::settings::declare::settings;
use crate::stored::stored;

settings! {
    /// How the particles of two classes interact: viscosity, cohesion and reaction.
    ///
    /// If a [`ClassTable`](crate::ClassTable) does not list a pair, its classes slide past each other
    /// ([`Viscosity::cross_class`](crate::Viscosity::cross_class)), have no cohesion, are sorted by
    /// weight, and do not react.
    ///
    /// ```
    /// use blob_fluid::{ClassPair, ClassTable, DensityClass, FluidReaction};
    /// let class = |name: &str| DensityClass { name: name.into(), ..Default::default() };
    /// let quenched = FluidReaction {
    ///     rate: 2.0,
    ///     becomes: [Some("stone".into()), Some("steam".into())],
    ///     temperature: None,
    /// };
    /// let pair = ClassPair { reaction: Some(quenched), ..ClassPair::new("lava", "water") };
    /// let classes = ["lava", "water", "stone", "steam"].map(class);
    /// assert!(ClassTable::with_pairs(classes.into(), vec![pair]).is_ok());
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    #[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
    #[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
    pub struct ClassPair as "pair" {
        /// Names of the two classes, which must differ.
        pub classes: [String; 2],
        /// Viscosity between them; `None` (default) for the mean of the two classes' viscosities times
        /// [`Viscosity::cross_class`](crate::Viscosity::cross_class).
        #[serde(default)]
        pub viscosity: Option<ClassViscosity> [group] = { None },
        /// Attraction: above 0 they mix, below they bead.
        #[serde(default)]
        pub cohesion: f32 [within 10] in "a0" = 0,
        /// Sorting force by weight.
        ///
        /// `None` (default) for [`FluidParameters::segregation`](crate::FluidParameters::segregation), or
        /// 0 if their cohesion is above 0.
        #[serde(default)]
        pub segregation: Option<f32> [0 to 20] = { None },
        /// How fast they exchange paint.
        ///
        /// `None` (default) for the harmonic mean of both classes'
        /// [`diffusion`](crate::FluidPaint::diffusion). A class that takes no paint exchanges none.
        #[serde(default)]
        pub paint_diffusion: Option<f32> [0 to 10] in "1/T0" keeps "d²/T0" = { None },
        /// Their reaction on contact; `None` (default) for none.
        #[serde(default)]
        pub reaction: Option<FluidReaction> [group] = { None },
    }
}

stored!(settings ClassPair, checked by crate::ClassTable);

impl ClassPair {
    /// Creates a pair of two classes, by name, that has the default viscosity and no cohesion or
    /// reaction.
    pub fn new(one: &str, other: &str) -> Self {
        let classes = [one.to_owned(), other.to_owned()];
        Self {
            classes,
            viscosity: None,
            cohesion: 0.0,
            segregation: None,
            paint_diffusion: None,
            reaction: None,
        }
    }
}

settings! {
    /// A reaction: the classes into which particles of two classes change where they touch.
    ///
    /// Each particle reacts independently: when its time in contact, weighted by the closeness
    /// `min(1, sum q)` of its partners, reaches `1/rate`. No particle appears or disappears. A particle
    /// keeps its velocity and gets the mass of its new class.
    #[derive(Clone, Debug, PartialEq)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    #[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
    #[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
    pub struct FluidReaction {
        /// How fast they turn on contact.
        ///
        /// The largest rate is immediate.
        pub rate: f32 [above 0 to 1000000] in "1/T0" keeps "d/T0",
        /// Names of the new classes of particles of the pair's first and second class; `None` for a
        /// class that does not change.
        pub becomes: [Option<String>; 2],
        /// Temperature of what came about.
        ///
        /// With `None` (default) particles keep their temperature.
        #[serde(default)]
        pub temperature: Option<f32> [within 1000000] in "degrees" = { None },
    }
}
