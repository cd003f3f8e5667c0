//! Density classes: what kinds of liquid there are.

use crate::settings::thermal::Thermal;

/// Which density class a particle belongs to: an index into a [`ClassTable`](crate::ClassTable).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct ClassId(pub u8);

impl ClassId {
    /// The heaviest of the three default classes.
    pub const HEAVY: Self = Self(0);
    /// The middle one of the three default classes, to which masses are relative.
    pub const MEDIUM: Self = Self(1);
    /// The lightest of the three default classes.
    pub const LIGHT: Self = Self(2);

    /// Position of the class in its table.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl Default for ClassId {
    fn default() -> Self {
        Self::MEDIUM
    }
}

/// One kind of liquid.
///
/// Classes stratify because their [`mass`](Self::mass) differs while gravity is the same for all:
/// a light particle displaces more mass than it has. The slight difference of rest densities keeps
/// them from mixing. How two classes meet is a [`ClassPair`](crate::ClassPair)'s matter.
///
/// ```
/// use blob_fluid::{ClassTable, ClassViscosity, DensityClass};
/// let honey = DensityClass {
///     name: "honey".into(),
///     mass: 1.4,
///     viscosity: Some(ClassViscosity { linear: 10.0, ..Default::default() }),
///     color: [0.95, 0.65, 0.1, 1.0],
///     ..Default::default()
/// };
/// assert!(ClassTable::new(vec![honey]).is_ok());
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct DensityClass {
    /// Name for reports, panels, and other classes that refer to it.
    pub name: String,
    /// Rest density relative to that of the liquid as a whole
    /// ([`FluidParameters::rest_density`](crate::FluidParameters::rest_density)); 0.01 to 100,
    /// usually 0.9 to 1.1. How tightly particles of the class pack. Default 1.
    #[cfg_attr(feature = "serde", serde(default = "one"))]
    pub relative_rest_density: f32,
    /// Mass of a particle relative to one of the medium class; 0.001 to 1000. Ratios above 5
    /// between classes separate violently. Default 1.
    #[cfg_attr(feature = "serde", serde(default = "one"))]
    pub mass: f32,
    /// Buoyancy of its own: a factor on gravity, within ±1000. Default 1. The ancestors of this
    /// solver separate their classes with it; 0 floats, negative values rise.
    #[cfg_attr(feature = "serde", serde(default = "one"))]
    pub gravity_scale: f32,
    /// Factor on the liquid's stiffness `k`, 0 to 100. Default 1.
    #[cfg_attr(feature = "serde", serde(default = "one"))]
    pub stiffness: f32,
    /// Factor on the liquid's near stiffness `k_near`, 0 to 100. Default 1.
    #[cfg_attr(feature = "serde", serde(default = "one"))]
    pub near_stiffness: f32,
    /// Viscosity among its own particles; `None` (default) for the liquid's
    /// ([`FluidParameters::viscosity`](crate::FluidParameters::viscosity)).
    #[cfg_attr(feature = "serde", serde(default))]
    pub viscosity: Option<ClassViscosity>,
    /// Surface tension beyond what the soft pressure gives: attraction among its own particles, in
    /// a0; within ±10. Default 0; 1 draws drops into beads, and beyond 2 it sets like a gel.
    #[cfg_attr(feature = "serde", serde(default))]
    pub surface_tension: f32,
    /// Springs between its particles; `None` (default) for a plain liquid.
    #[cfg_attr(feature = "serde", serde(default))]
    pub elasticity: Option<Elasticity>,
    /// How it takes heat; by default not at all.
    #[cfg_attr(feature = "serde", serde(default))]
    pub thermal: Thermal,
    /// Layers it collides on, a bit each: colliders that share none of them let it pass. Default
    /// all.
    #[cfg_attr(feature = "serde", serde(default = "all_layers"))]
    pub collision_layers: u32,
    /// Colour: red, green, blue and alpha in sRGB, each 0 to 1. Default white.
    #[cfg_attr(feature = "serde", serde(default = "white"))]
    pub color: [f32; 4],
}

impl Default for DensityClass {
    /// As heavy and dense as the medium class, white, without a name.
    fn default() -> Self {
        Self {
            name: String::new(),
            relative_rest_density: 1.0,
            mass: 1.0,
            gravity_scale: 1.0,
            stiffness: 1.0,
            near_stiffness: 1.0,
            viscosity: None,
            surface_tension: 0.0,
            elasticity: None,
            thermal: Thermal::default(),
            collision_layers: u32::MAX,
            color: [1.0; 4],
        }
    }
}

/// Viscosity among the particles of a class or between two classes (Clavet et al. 2005, Algorithm
/// 5): `I = dt q (sigma u + beta u^2)` for pairs that approach at the speed `u`, plus a linear part
/// for every pair.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct ClassViscosity {
    /// `sigma`, of approaching pairs, in 1/T0; 0 to 1000. Default 0.004.
    pub approach: f32,
    /// `beta`, of approaching pairs, in 1/d; 0 to 1000. Default 0.08.
    pub quadratic: f32,
    /// Linear part for approaching and parting pairs alike, in 1/T0; 0 to 1000. Default 0.1; 2 is
    /// oil, 10 honey. It takes several sweeps over the pairs where it is large, and of what eight
    /// sweeps cannot do the rest is left out.
    pub linear: f32,
}

impl Default for ClassViscosity {
    fn default() -> Self {
        Self { approach: 0.004, quadratic: 0.08, linear: 0.1 }
    }
}

/// Springs between the particles of a class (Clavet et al. 2005, Algorithms 3 and 4).
///
/// Without [`plasticity`](Self::plasticity) a body of it is a jelly: the particles that appear
/// together stay together and return to their shape. With it, it is a dough that takes on any shape
/// slowly, and sticks to itself.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Elasticity {
    /// `k_spring`, in 1/T0²; 0 to 100000. Default 40. Per substep at most 0.25/dt² of it acts,
    /// which is where springs would become unstable; automatic substeps are taken accordingly.
    pub stiffness: f32,
    /// `gamma`, the yield ratio: part of its length that a spring may be strained by before it
    /// flows; 0 to 10. Default 0.1.
    pub yield_ratio: f32,
    /// `alpha`, the plasticity: rate at which a spring's rest length follows its strain beyond the
    /// yield ratio, in 1/T0; 0 to 1000. Default 0: purely elastic.
    pub plasticity: f32,
    /// Shortest rest length, in interaction radii; 0 to 1. Default 0.1.
    #[cfg_attr(feature = "serde", serde(alias = "least_rest_length"))]
    pub min_rest_length: f32,
}

impl Default for Elasticity {
    fn default() -> Self {
        Self { stiffness: 40.0, yield_ratio: 0.1, plasticity: 0.0, min_rest_length: 0.1 }
    }
}

#[cfg(feature = "serde")]
const fn one() -> f32 {
    1.0
}

#[cfg(feature = "serde")]
const fn white() -> [f32; 4] {
    [1.0; 4]
}

#[cfg(feature = "serde")]
fn all_layers() -> u32 {
    u32::MAX
}
