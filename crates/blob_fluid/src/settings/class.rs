//! Density classes: the kinds of liquid in a world, with their viscosity and elasticity.

use crate::settings::declare::settings;
use crate::settings::paint::FluidPaint;
#[cfg(feature = "serde")]
use crate::settings::range::default_in;
use crate::settings::thermal::FluidThermal;
#[cfg(feature = "serde")]
use crate::settings::visit::Settings;
use crate::stored::stored;

/// The density class of a particle: an index into a [`ClassTable`](crate::ClassTable).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct ClassId(pub u8);

stored!(settings ClassId, without numbers);

impl ClassId {
    /// All classes that a table can have, in its order.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        (0..=u8::MAX).map(Self)
    }

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

settings! {
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
    pub struct DensityClass: Default as "class" {
        /// Name in reports, in panels, and in references of other classes.
        pub name: String = { String::new() },
        /// Rest density relative to `parameters.rest_density`.
        ///
        /// That is the rest density of the liquid as a whole
        /// ([`FluidParameters::rest_density`](crate::FluidParameters::rest_density)); usually 0.9 to 1.1.
        /// Particles of a denser class are closer together.
        #[serde(default = "one")]
        pub relative_rest_density: f32 [0.01 to 100] = 1,
        /// Mass of a particle, relative to a medium one.
        ///
        /// Classes whose masses have a ratio above 5 separate violently.
        #[serde(default = "one")]
        pub mass: f32 [0.001 to 1000] = 1,
        /// Factor on gravity.
        ///
        /// Particles with 0 float, and particles with negative values rise. The ancestors of this solver
        /// separate their classes with it.
        #[serde(default = "one")]
        pub gravity_scale: f32 [within 1000] = 1,
        /// Factor on `parameters.stiffness`.
        #[serde(default = "one")]
        pub stiffness: f32 [0 to 100] = 1,
        /// Factor on the near stiffness.
        #[serde(default = "one")]
        pub near_stiffness: f32 [0 to 100] = 1,
        /// Viscosity among its own particles; `None` (default) for the viscosity of the liquid
        /// ([`FluidParameters::viscosity`](crate::FluidParameters::viscosity)). Under
        /// [`FluidSolver::DoubleDensity`](crate::FluidSolver::DoubleDensity) a powder takes only the
        /// quadratic part of that: its grains rub instead.
        #[serde(default)]
        pub viscosity: Option<ClassViscosity> [group] = { None },
        /// Attraction among its own particles beyond the soft pressure's; 1 makes beads, more than 2
        /// sets like a gel.
        #[serde(default)]
        pub surface_tension: f32 [within 10] in "a0" = 0,
        /// Springs between its particles; `None` (default) for a plain liquid.
        #[serde(default)]
        pub elasticity: Option<FluidElasticity> [group] = { None },
        /// Friction between its grains; `None` (default) for a liquid, which has none.
        #[serde(default)]
        pub powder: Option<FluidPowder> [group] = { None },
        /// Paint, a colour of each of its particles; `None` (default) for a class that takes none.
        #[serde(default)]
        pub paint: Option<FluidPaint> [group] = { None },
        /// How it conducts heat and reacts to it. By default it does neither.
        #[serde(default)]
        pub thermal: FluidThermal [group] = { FluidThermal::default() },
        /// Layers on which it collides, one bit for each. Colliders that share no layer with it let it
        /// pass. Default all.
        #[serde(default = "all_layers")]
        pub collision_layers: u32 = { u32::MAX },
        /// Red, green, blue and alpha in sRGB.
        ///
        /// Default white.
        #[serde(default = "white")]
        pub color: [f32; 4] [0 to 1] = { [1.0; 4] },
    }
}

stored!(settings DensityClass, checked by crate::ClassTable);

impl DensityClass {
    /// Whether it is a gas: it rises, and does not resist being compressed. Its particles are then
    /// drawn as a haze.
    pub fn is_gas(&self) -> bool {
        self.gravity_scale < 0.0 && self.stiffness == 0.0
    }

    /// Whether it flows and fills what it is in: it is neither a powder nor a gas.
    pub(crate) fn is_liquid(&self) -> bool {
        self.powder.is_none() && !self.is_gas()
    }
}

settings! {
    /// Viscosity among the particles of a class or between two classes (Clavet et al. 2005, Algorithm
    /// 5): `I = dt q (sigma u + beta u^2)` for pairs that approach at the speed `u`, plus a linear part
    /// for every pair.
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    #[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
    #[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
    pub struct ClassViscosity: Default {
        /// Sigma, of approaching pairs.
        pub approach: f32 [0 to 1000] in "1/T0" keeps "d²/T0" = 0.004,
        /// Beta, of approaching pairs.
        pub quadratic: f32 [0 to 1000] in "1/d" = 0.08,
        /// Viscosity of all pairs; 2 is oil, 10 honey.
        ///
        /// It acts on approaching and parting pairs alike. A large value takes several sweeps over the
        /// pairs, at most 32; a value that needs more has a smaller effect.
        pub linear: f32 [0 to 1000] in "1/T0" keeps "d²/T0" = 0.1,
    }
}

settings! {
    /// Springs between the particles of a class (Clavet et al. 2005, Algorithms 3 and 4).
    ///
    /// Without [`plasticity`](Self::plasticity) the class is a jelly: particles that appear together
    /// stay connected and return to their shape. With plasticity it is a dough, which slowly takes any
    /// shape and sticks to itself.
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    #[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
    #[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
    pub struct FluidElasticity: Default {
        /// Stiffness of the springs; per substep at most 0.25/dt² acts.
        ///
        /// `k_spring`. Stiffer springs would become unstable. Automatic substeps take this limit into
        /// account.
        pub stiffness: f32 [0 to 100000] in "1/T0²" keeps "d²/T0²" = 40,
        /// Strain beyond which a spring flows.
        ///
        /// `gamma`, the yield ratio. Beyond it the rest length changes.
        pub yield_ratio: f32 [0 to 10] in "rest lengths" = 0.1,
        /// How fast it flows; 0 is a jelly, more a dough.
        ///
        /// `alpha`, the plasticity: rate at which a spring's rest length follows its strain beyond the
        /// yield ratio.
        pub plasticity: f32 [0 to 1000] in "1/T0" keeps "1/T0" = 0,
        /// Shortest rest length.
        pub min_rest_length: f32 [0 to 1] in "h" = 0.1,
    }
}

settings! {
    /// Friction between the grains of a class, which makes a powder of it: it piles up, comes to rest,
    /// and flows through openings at a rate that does not depend on the depth above.
    ///
    /// Each grain remembers a stress, which its neighbours' motion strains like a spring, and which gives
    /// way where it exceeds what Coulomb's law allows: `|stress| <= tan(angle) load + cohesion`. Only
    /// [`FluidSolver::DoubleDensity`](crate::FluidSolver::DoubleDensity) uses it.
    ///
    /// ```
    /// use blob_fluid::{ClassTable, DensityClass, FluidPowder};
    /// let sand = DensityClass {
    ///     name: "sand".into(),
    ///     powder: Some(FluidPowder { friction_angle: 32.0, ..Default::default() }),
    ///     ..Default::default()
    /// };
    /// assert!(ClassTable::new(vec![sand]).is_ok());
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    #[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
    #[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
    pub struct FluidPowder: Default {
        /// Slope of a heap, and of a wall that it slides down.
        ///
        /// Walls with a friction of their own ([`WallProperties::friction`](crate::WallProperties::friction),
        /// `mu`) bear at most `mu/(1 - mu)` times what presses on them, others the tangent of this angle.
        pub friction_angle: f32 [0 to 60] in "degrees" = 30,
        /// Shear that it bears without load; 0 is dry, 0.1 damp sand.
        pub cohesion: f32 [0 to 10] in "a0" keeps "a0 d" = 0,
    }
}

#[cfg(feature = "serde")]
const fn one() -> f32 {
    default_in(DensityClass::ROWS, "mass")
}

#[cfg(feature = "serde")]
const fn white() -> [f32; 4] {
    [1.0; 4]
}

#[cfg(feature = "serde")]
fn all_layers() -> u32 {
    u32::MAX
}
