//! Density classes: the kinds of liquid in a world, with their viscosity and elasticity.

use crate::settings::thermal::Thermal;

/// The density class of a particle: an index into a [`ClassTable`](crate::ClassTable).
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

    /// Index of the class in its table.
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
/// Classes stratify because their [`mass`](Self::mass) differs while gravity is the same for all: a
/// light particle displaces more mass than it has. The slight difference of rest densities keeps
/// them from mixing. A [`ClassPair`](crate::ClassPair) says how two classes interact.
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
    /// Name in reports, in panels, and in references of other classes.
    pub name: String,
    /// Rest density relative to that of the liquid as a whole
    /// ([`FluidParameters::rest_density`](crate::FluidParameters::rest_density)); 0.01 to 100,
    /// usually 0.9 to 1.1. Particles of a denser class are closer together. Default 1.
    #[cfg_attr(feature = "serde", serde(default = "one"))]
    pub relative_rest_density: f32,
    /// Mass of a particle relative to one of the medium class; 0.001 to 1000. Classes whose masses
    /// have a ratio above 5 separate violently. Default 1.
    #[cfg_attr(feature = "serde", serde(default = "one"))]
    pub mass: f32,
    /// Factor on gravity for this class, within ±1000. Default 1. Particles with 0 float, and
    /// particles with negative values rise. The ancestors of this solver separate their classes
    /// with it.
    #[cfg_attr(feature = "serde", serde(default = "one"))]
    pub gravity_scale: f32,
    /// Factor on the liquid's stiffness `k`, 0 to 100. Default 1.
    #[cfg_attr(feature = "serde", serde(default = "one"))]
    pub stiffness: f32,
    /// Factor on the liquid's near stiffness `k_near`, 0 to 100. Default 1.
    #[cfg_attr(feature = "serde", serde(default = "one"))]
    pub near_stiffness: f32,
    /// Viscosity among its own particles; `None` (default) for the viscosity of the liquid
    /// ([`FluidParameters::viscosity`](crate::FluidParameters::viscosity)).
    #[cfg_attr(feature = "serde", serde(default))]
    pub viscosity: Option<ClassViscosity>,
    /// Attraction among its own particles, in a0; within ±10. It adds to the surface tension of the
    /// soft pressure. Default 0; at 1 drops become round, and above 2 the liquid sets like a gel.
    #[cfg_attr(feature = "serde", serde(default))]
    pub surface_tension: f32,
    /// Springs between its particles; `None` (default) for a plain liquid.
    #[cfg_attr(feature = "serde", serde(default))]
    pub elasticity: Option<Elasticity>,
    /// How it conducts heat and reacts to it. By default it does neither.
    #[cfg_attr(feature = "serde", serde(default))]
    pub thermal: Thermal,
    /// Layers on which it collides, one bit for each. Colliders that share no layer with it let it
    /// pass. Default all.
    #[cfg_attr(feature = "serde", serde(default = "all_layers"))]
    pub collision_layers: u32,
    /// Colour: red, green, blue and alpha in sRGB, each 0 to 1. Default white.
    #[cfg_attr(feature = "serde", serde(default = "white"))]
    pub color: [f32; 4],
}

impl Default for DensityClass {
    /// A class without a name, white, with the mass and rest density of the medium class.
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

impl DensityClass {
    /// Whether it is a gas: it rises, and does not resist being compressed. Its particles are then
    /// drawn as a haze.
    pub fn is_gas(&self) -> bool {
        self.gravity_scale < 0.0 && self.stiffness == 0.0
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
    /// oil, 10 honey. A large value takes several sweeps over the pairs, at most eight; a value
    /// that needs more has a smaller effect.
    pub linear: f32,
}

impl Default for ClassViscosity {
    fn default() -> Self {
        Self { approach: 0.004, quadratic: 0.08, linear: 0.1 }
    }
}

/// Springs between the particles of a class (Clavet et al. 2005, Algorithms 3 and 4).
///
/// Without [`plasticity`](Self::plasticity) the class is a jelly: particles that appear together
/// stay connected and return to their shape. With plasticity it is a dough, which slowly takes any
/// shape and sticks to itself.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Elasticity {
    /// `k_spring`, in 1/T0²; 0 to 100000. Default 40. In a substep at most 0.25/dt² of it acts,
    /// because stiffer springs would become unstable. Automatic substeps take this limit into
    /// account.
    pub stiffness: f32,
    /// `gamma`, the yield ratio: strain of a spring, relative to its rest length, above which its
    /// rest length changes; 0 to 10. Default 0.1.
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
