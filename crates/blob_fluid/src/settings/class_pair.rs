//! How two classes meet.

use crate::settings::class::ClassViscosity;

/// How the particles of two classes meet: viscosity, cohesion, reaction.
///
/// Pairs that a [`ClassTable`](crate::ClassTable) does not list slide past each other
/// ([`Viscosity::cross_class`](crate::Viscosity::cross_class)), neither attract nor repel beyond
/// their pressure, and do not react.
///
/// ```
/// use blob_fluid::{ClassPair, ClassTable, DensityClass, Reaction};
/// let class = |name: &str| DensityClass { name: name.into(), ..Default::default() };
/// let quenched = Reaction {
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
pub struct ClassPair {
    /// Names of the two classes, which must differ.
    pub classes: [String; 2],
    /// Viscosity between them; `None` (default) for the mean of both classes' own times
    /// [`Viscosity::cross_class`](crate::Viscosity::cross_class).
    #[cfg_attr(feature = "serde", serde(default))]
    pub viscosity: Option<ClassViscosity>,
    /// Attraction between them, in a0; within ±10. Default 0. Above it they wet each other and mix,
    /// below it they bead and keep apart.
    #[cfg_attr(feature = "serde", serde(default))]
    pub cohesion: f32,
    /// What they do to each other on contact.
    #[cfg_attr(feature = "serde", serde(default))]
    pub reaction: Option<Reaction>,
}

impl ClassPair {
    /// Two classes that take no notice of each other.
    pub fn new(one: &str, other: &str) -> Self {
        let classes = [one.to_owned(), other.to_owned()];
        Self { classes, viscosity: None, cohesion: 0.0, reaction: None }
    }
}

/// What particles of two classes turn into where they touch.
///
/// Each particle decides for itself: it reacts when the time it spent in contact, weighted by how
/// close (`min(1, sum q)` over its partners), reaches `1/rate`. No particle appears or vanishes.
/// Velocity is kept, mass is the new class's.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct Reaction {
    /// How fast, in 1/T0; above 0, up to 1000000, which is at once.
    pub rate: f32,
    /// Names of the classes that particles of the pair's first and second class become; `None` for
    /// one that stays.
    pub becomes: [Option<String>; 2],
    /// Temperature of what came about, within ±1000000; `None` (default) leaves it.
    #[cfg_attr(feature = "serde", serde(default))]
    pub temperature: Option<f32>,
}
