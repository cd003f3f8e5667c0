//! Density classes: the kinds of liquid in a world, with their viscosity and elasticity.

use crate::OutOfRange;
use crate::settings::declare::settings;
#[cfg(feature = "serde")]
use crate::settings::range::default_in;
use crate::settings::range::{SettingRange, Settings, find_in};
use crate::stored::stored;

/// The density class of a particle: an index into a [`ClassTable`](crate::ClassTable).
///
/// [`ClassTable::find`](crate::ClassTable::find) returns the id of a class by its name; in the plugin, `FluidClasses::find`
/// does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct ClassId(pub u8);

stored!(settings ClassId, without numbers);

impl ClassId {
    /// All ids that a table can have, in ascending order.
    pub(crate) fn all() -> impl Iterator<Item = Self> + Clone {
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
    /// Classes form layers because their [`mass`](Self::mass) differs and gravity is the same for all: the
    /// liquid that a light particle displaces is heavier than the particle. The slight difference of rest densities keeps
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
    pub struct DensityClass: Default as "class" in files {
        /// Name in reports, in panels, and in references of other classes.
        pub name: String = { String::new() },
        /// Rest density relative to `parameters.rest_density`.
        ///
        /// Usually 0.9 to 1.1. `parameters.rest_density` is the rest density of the liquid as a whole
        /// ([`FluidParameters::rest_density`](crate::FluidParameters::rest_density)). Particles of a denser class are
        /// closer together.
        #[serde(default = "one")]
        pub relative_rest_density: f32 [0.01 to 100] = 1,
        /// Mass of a particle, relative to a medium one.
        ///
        /// Classes whose masses have a ratio above 5 separate violently.
        #[serde(default = "one")]
        pub mass: f32 [0.001 to 1000] = 1,
        /// Factor on gravity.
        ///
        /// Particles hover at 0, and rise at a negative value.
        #[serde(default = "one")]
        pub gravity_scale: f32 [within 1000] = 1,
        /// Factor on `parameters.stiffness`.
        #[serde(default = "one")]
        pub stiffness: f32 [0 to 100] = 1,
        /// Factor on the repulsion of its particles that are very close.
        ///
        /// The stiffness of that repulsion is `parameters.stiffness` times `parameters.near_stiffness_ratio`.
        #[serde(default = "one")]
        pub near_stiffness: f32 [0 to 100] = 1,
        /// Viscosity among its own particles. `None`, the default, for the viscosity of the liquid
        /// ([`FluidParameters::viscosity`](crate::FluidParameters::viscosity)). Under
        /// [`FluidSolver::DoubleDensity`](crate::FluidSolver::DoubleDensity), a powder takes only the quadratic part
        /// of the liquid's viscosity, because its grains have friction.
        #[serde(default)]
        pub viscosity: Option<ClassViscosity> [group] = { None },
        /// Attraction among its own particles, added to the liquid's cohesion; 1 makes beads, above 2 the liquid sets
        /// like a gel.
        #[serde(default)]
        pub surface_tension: f32 [within 10] in "a0" = 0,
        /// Springs between its particles; `None` (default) for a plain liquid.
        #[serde(default)]
        pub elasticity: Option<FluidElasticity> [group] = { None },
        /// Friction between its grains; `None` (default) for a liquid, which has none.
        #[serde(default)]
        pub powder: Option<FluidPowder> [group] = { None },
        /// Paint, a colour of each of its particles; `None` (default) for a class without paint.
        #[serde(default)]
        pub paint: Option<FluidPaint> [group] = { None },
        /// How the class conducts heat, and how it changes with temperature. By default it does neither.
        #[serde(default)]
        pub thermal: FluidThermal [group] = { FluidThermal::default() },
        /// Layers on which the class collides, one bit for each layer. Colliders that share no layer with the class let
        /// it pass. Default: all layers.
        #[serde(default = "all_layers")]
        pub collision_layers: u32 = { u32::MAX },
        /// Red, green, blue and alpha in sRGB.
        ///
        /// Default white.
        #[serde(default = "white")]
        pub color: [f32; 4] [0 to 1] = { [1.0; 4] },
    }
}

#[cfg(feature = "snapshot")]
crate::stored::bytes::beside_numbers!(ClassId);
stored!(settings DensityClass, checked by ClassTable);

impl DensityClass {
    /// Whether it is a gas: it rises, and does not resist compression. Its particles are drawn as haze.
    pub fn is_gas(&self) -> bool {
        self.gravity_scale < 0.0 && self.stiffness == 0.0
    }

    /// Whether it flows and fills containers: it is neither a powder nor a gas.
    pub(crate) fn is_liquid(&self) -> bool {
        self.powder.is_none() && !self.is_gas()
    }
}

settings! {
    /// Viscosity among the particles of a class or between two classes (Clavet et al. 2005, Algorithm
    /// 5). Pairs that approach at the speed `u` get the impulse `I = dt q (sigma u + beta u^2)`. A
    /// linear part acts on every pair.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct ClassViscosity: Default in files with default {
        /// Coefficient sigma, for approaching pairs.
        pub approach: f32 [0 to 1000] in "1/T0" keeps "d²/T0" = 0.004,
        /// Coefficient beta, for approaching pairs.
        pub quadratic: f32 [0 to 1000] in "1/d" = 0.08,
        /// Viscosity of all pairs; oil has about 1, honey 10.
        ///
        /// The linear viscosity acts on approaching and parting pairs alike. A large value takes several passes over
        /// the pairs in each substep, at most 32; a value that needs more passes has a smaller effect.
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
    pub struct FluidElasticity: Default in files with default {
        /// Stiffness of the springs; a substep uses at most 0.25/dt².
        ///
        /// The stiffness is `k_spring` of the paper. Springs stiffer than 0.25/dt² would become unstable.
        /// [`Substeps::Automatic`](crate::Substeps::Automatic) takes this largest stiffness into account.
        pub stiffness: f32 [0 to 100000] in "1/T0²" keeps "d²/T0²" = 40,
        /// Strain beyond which the rest length changes.
        ///
        /// `gamma`, the yield ratio of the paper.
        pub yield_ratio: f32 [0 to 10] in "rest lengths" = 0.1,
        /// How fast rest lengths change: 0 makes a jelly, a value above 0 a dough.
        ///
        /// `alpha`, the plasticity: rate at which a spring's rest length follows its strain beyond the
        /// yield ratio.
        pub plasticity: f32 [0 to 1000] in "1/T0" keeps "1/T0" = 0,
        /// Shortest rest length.
        pub min_rest_length: f32 [0 to 1] in "h" = 0.1,
    }
}

settings! {
    /// Friction between the grains of a class, which makes the class a powder. A powder piles up,
    /// comes to rest, and flows through openings at a rate that does not depend on the depth above.
    ///
    /// Each grain stores a stress. The motion of its neighbours changes the stress, as strain changes the force of a
    /// spring. The stress yields at the limit of Coulomb's law: `|stress| <= tan(angle) load + cohesion`. Only
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
    pub struct FluidPowder: Default in files with default {
        /// Slope of a heap; also the slope of a wall at which the powder begins to slide.
        ///
        /// A wall with its own friction `mu` ([`WallProperties::friction`](crate::WallProperties::friction)) holds
        /// grains with at most `mu/(1 - mu)` times the force with which they press on the wall. For other walls,
        /// the factor is the tangent of this angle.
        pub friction_angle: f32 [0 to 60] in "degrees" = 30,
        /// Shear that the powder bears without load; 0 is dry, 0.1 damp sand.
        pub cohesion: f32 [0 to 10] in "a0" keeps "a0 d" = 0,
        /// How easily liquid passes the powder; 0.3 is sand, 0.03 silt, 0 watertight.
        ///
        /// Permeability is the hydraulic conductivity per unit of gravity (Darcy). It is the area of liquid per second
        /// that flows through each unit of length, divided by the driving acceleration. The value holds for liquid
        /// with a viscosity of 0; a linear viscosity `nu` divides it by `1 + nu`. Liquids and gases that are not
        /// heavier than the powder pass through it; the powder floats on heavier liquids. Packed grains leave 0.4 of
        /// the space to the liquid between them.
        pub permeability: f32 [0 to 1000] in "T0" keeps "T0" = 0.3,
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

// Sets of classes.

/// A set of density classes, for example the classes that a collider stops, a force pushes or a
/// sensor counts.
///
/// ```
/// use blob_fluid::{ClassFilter, ClassId};
/// let not_oil = ClassFilter::ALL.without(ClassId::LIGHT);
/// assert!(not_oil.contains(ClassId::HEAVY) && !not_oil.contains(ClassId::LIGHT));
/// assert_eq!(ClassFilter::from(ClassId(7)), ClassFilter::NONE.with(ClassId(7)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(from = "Vec<ClassId>", into = "Vec<ClassId>"))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
#[cfg_attr(feature = "bevy_reflect", reflect(opaque, Clone, Debug, PartialEq, Hash))]
pub struct ClassFilter([u64; 4]);

stored!(ClassFilter { 0: layers });

impl Default for ClassFilter {
    /// Every class.
    fn default() -> Self {
        Self::ALL
    }
}

impl ClassFilter {
    /// Every class.
    pub const ALL: Self = Self([u64::MAX; 4]);

    /// No class.
    pub const NONE: Self = Self([0; 4]);

    /// This set with another class added.
    #[must_use]
    pub const fn with(mut self, class: ClassId) -> Self {
        self.0[(class.0 / 64) as usize] |= 1 << (class.0 % 64);
        self
    }

    /// This set with a class removed.
    #[must_use]
    pub const fn without(mut self, class: ClassId) -> Self {
        self.0[(class.0 / 64) as usize] &= !(1 << (class.0 % 64));
        self
    }

    /// Whether a class is in the set.
    #[inline]
    pub const fn contains(&self, class: ClassId) -> bool {
        self.0[(class.0 / 64) as usize] >> (class.0 % 64) & 1 == 1
    }
}

impl From<ClassId> for ClassFilter {
    /// The set that contains only this class.
    fn from(class: ClassId) -> Self {
        Self::NONE.with(class)
    }
}

impl FromIterator<ClassId> for ClassFilter {
    fn from_iter<T: IntoIterator<Item = ClassId>>(classes: T) -> Self {
        classes.into_iter().fold(Self::NONE, Self::with)
    }
}

impl From<Vec<ClassId>> for ClassFilter {
    fn from(classes: Vec<ClassId>) -> Self {
        classes.into_iter().collect()
    }
}

impl From<ClassFilter> for Vec<ClassId> {
    fn from(filter: ClassFilter) -> Self {
        ClassId::all().filter(|class| filter.contains(*class)).collect()
    }
}

// Pairs of classes: viscosity, cohesion and reaction.

settings! {
    /// How the particles of two classes interact: viscosity, cohesion and reaction.
    ///
    /// If a [`ClassTable`](crate::ClassTable) does not list a pair, its classes slide past each other
    /// ([`Viscosity::cross_class`](crate::Viscosity::cross_class)). They are sorted by weight,
    /// without cohesion or reaction.
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
    pub struct ClassPair as "pair" in files {
        /// Names of the two classes, which must differ.
        pub classes: [String; 2],
        /// Viscosity between the two classes; `None` (default) for the mean of the two classes' viscosities times
        /// [`Viscosity::cross_class`](crate::Viscosity::cross_class).
        #[serde(default)]
        pub viscosity: Option<ClassViscosity> [group] = { None },
        /// Attraction; above 0 the classes mix, below 0 they bead.
        #[serde(default)]
        pub cohesion: f32 [within 10] in "a0" = 0,
        /// Sorting force by weight.
        ///
        /// `None` (default) for [`FluidParameters::segregation`](crate::FluidParameters::segregation), or 0 if the
        /// [`cohesion`](Self::cohesion) of the two classes is above 0.
        #[serde(default)]
        pub segregation: Option<f32> [0 to 20] = { None },
        /// How fast the two classes exchange paint.
        ///
        /// `None` (default) for the harmonic mean of both classes'
        /// [`diffusion`](crate::FluidPaint::diffusion). A class without paint exchanges no paint.
        #[serde(default)]
        pub paint_diffusion: Option<f32> [0 to 10] in "1/T0" keeps "d²/T0" = { None },
        /// Reaction of the two classes on contact; `None` (default) for none.
        #[serde(default)]
        pub reaction: Option<FluidReaction> [group] = { None },
    }
}

stored!(settings ClassPair, checked by ClassTable);

impl ClassPair {
    /// Creates a pair of two classes, by name, with the default viscosity and without cohesion or reaction.
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
    /// Each particle reacts independently, when its time in contact reaches `1/rate`. This time is weighted by
    /// the closeness `min(1, sum q)` of the partners. No particle appears or disappears. A particle keeps its
    /// velocity and gets the mass of its new class.
    #[derive(Clone, Debug, PartialEq)]
    pub struct FluidReaction in files {
        /// How fast particles change on contact.
        ///
        /// At the largest rate, they change immediately.
        pub rate: f32 [above 0 to 1000000] in "1/T0" keeps "d/T0",
        /// Names of the new classes of particles of the pair's first and second class; `None` for a
        /// class that does not change.
        pub becomes: [Option<String>; 2],
        /// Temperature of the products.
        ///
        /// With `None` (default), particles keep their temperature.
        #[serde(default)]
        pub temperature: Option<f32> [within 1000000] in "degrees" = { None },
    }
}

// Paint: a colour of each particle, which neighbours exchange. It is not part of the paper.

settings! {
    /// Paint in a class: each particle of the class has its own colour, and exchanges it with the particles that it
    /// touches.
    ///
    /// Colours are red, green and blue, linear: 0.2 reflects a fifth of the light that 1 does.
    /// [`PaintMixing`] chooses the result of mixing two colours. Paint costs nothing while no class
    /// has it.
    ///
    /// ```
    /// use blob_fluid::{ClassId, ClassTable, DensityClass, FluidPaint, FluidWorld, ParticleSpawn};
    /// let class = DensityClass {
    ///     name: "paint".into(),
    ///     paint: Some(FluidPaint { color: [1.0, 1.0, 1.0], diffusion: 0.1 }),
    ///     ..Default::default()
    /// };
    /// let mut world = FluidWorld::default();
    /// world.set_classes(ClassTable::new(vec![class])?)?;
    /// let red = Some([1.0, 0.0, 0.0]);
    /// world.spawn(ParticleSpawn { class: ClassId(0), paint: red, ..Default::default() })?;
    /// assert_eq!(world.particles().paint(0), red);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Guide: `docs/paint.md` in the repository.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct FluidPaint: Default in files with default {
        /// Colour of particles that spawn without paint.
        ///
        /// Red, green and blue, linear. Default white.
        pub color: [f32; 3] [0 to 1] = { [1.0; 3] },
        /// Rate at which neighbours exchange paint; 0.02 looks thick, and more than 0.4 acts as 0.4.
        ///
        /// Between two classes the rate is the harmonic mean of their rates, unless their pair has its own value
        /// ([`ClassPair::paint_diffusion`](crate::ClassPair::paint_diffusion)). At 0, each particle keeps its paint,
        /// and only motion mixes the colours.
        pub diffusion: f32 [0 to 10] in "1/T0" keeps "d²/T0" = 0.05,
    }
}

/// The limits of the numbers of a colour.
const COLOR: &SettingRange = find_in(FluidPaint::ROWS, "color");

/// Checks a colour. The error names `subject`.
pub(crate) fn check_paint(subject: &'static str, color: [f32; 3]) -> Result<(), OutOfRange> {
    color.into_iter().try_for_each(|value| COLOR.limits.check(subject, "paint", value))
}

/// How two colours of [paint](FluidPaint) mix.
///
/// ```
/// use blob_fluid::PaintMixing;
/// let (blue, yellow) = ([0.0, 0.0, 1.0], [1.0, 1.0, 0.0]);
/// let [red, green, blue_left] = PaintMixing::Pigments.mean([blue, yellow]).unwrap();
/// assert!(green > 4.0 * red && green > 4.0 * blue_left);
/// assert_eq!(PaintMixing::Light.mean([blue, yellow]), Some([0.5; 3]));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub enum PaintMixing {
    /// As pigments, which absorb light: blue and yellow give green, red and green a dark brown.
    ///
    /// A simple form of Kubelka and Munk 1931, with three bands of light. In each band, the ratio
    /// of absorption to scattering mixes: `K/S = (1 - R)²/(2 R)` with `R = 0.1 + 0.9 c`. So the
    /// absorption of black is four times its scattering. The bands are red, blue, and green with a
    /// fifth of the blue, because blue pigments also reflect some green. Otherwise pure blue and
    /// yellow would give grey.
    #[default]
    Pigments,
    /// As light: the mean of both colours. Blue and yellow give grey.
    Light,
}

stored!(settings PaintMixing, without numbers);

/// Reflectance `R` of the darkest pigment, at which `K/S` is still finite.
const DARKEST: f32 = 0.1;

/// Fraction of blue in the middle band of light.
const BLUE_IN_GREEN: f32 = 0.2;

impl PaintMixing {
    /// The amounts of a colour, whose mean is the amount of a mixture. NaN stays NaN.
    pub(crate) fn amounts_of(self, color: [f32; 3]) -> [f32; 3] {
        let color = color.map(|value| value.clamp(0.0, 1.0));
        match self {
            Self::Light => color,
            Self::Pigments => {
                let [red, green, blue] = color;
                [red, green + BLUE_IN_GREEN * (blue - green), blue].map(|band| {
                    let back = DARKEST + (1.0 - DARKEST) * band;
                    (1.0 - back) * (1.0 - back) / (2.0 * back)
                })
            }
        }
    }

    /// The colour with these amounts.
    pub(crate) fn color_of(self, amounts: [f32; 3]) -> [f32; 3] {
        let color = match self {
            Self::Light => amounts,
            Self::Pigments => {
                let [red, middle, blue] = amounts.map(|ratio| {
                    let back = 1.0 + ratio - (ratio * (ratio + 2.0)).sqrt();
                    (back - DARKEST) / (1.0 - DARKEST)
                });
                [red, (middle - BLUE_IN_GREEN * blue) / (1.0 - BLUE_IN_GREEN), blue]
            }
        };
        color.map(|value| value.clamp(0.0, 1.0))
    }

    /// The colour of a mixture of equal parts of these colours, all linear and within 0 to 1;
    /// `None` without colours.
    pub fn mean(self, colors: impl IntoIterator<Item = [f32; 3]>) -> Option<[f32; 3]> {
        self.mean_of_amounts(colors.into_iter().map(|color| self.amounts_of(color)))
    }

    /// The colour of a mixture of equal parts with these amounts; `None` without parts.
    pub(crate) fn mean_of_amounts(self, parts: impl Iterator<Item = [f32; 3]>) -> Option<[f32; 3]> {
        let (mut sums, mut count) = ([0.0_f64; 3], 0_u32);
        for part in parts {
            sums.iter_mut().zip(part).for_each(|(sum, amount)| *sum += f64::from(amount));
            count += 1;
        }
        let mean = sums.map(|sum| (sum / f64::from(count.max(1))) as f32);
        (count > 0).then(|| self.color_of(mean))
    }
}

// Heat: how classes conduct it, and how they change with temperature. It is not part of the paper.

settings! {
    /// How a class conducts heat and changes with temperature. Temperatures are in degrees of any scale that you
    /// choose.
    ///
    /// All thermal effects are off by default, and cost nothing while they are off for all classes.
    #[derive(Clone, Debug, PartialEq)]
    pub struct FluidThermal: Default in files with default {
        /// Temperature of new particles.
        ///
        /// Particles that spawn with their own temperature ignore this value. Default: `None`, for
        /// the temperature of the surroundings
        /// ([`FluidParameters::ambient_temperature`](crate::FluidParameters::ambient_temperature)).
        pub temperature: Option<f32> [within 1000000] in "degrees" = { None },
        /// How fast neighbours exchange heat; two classes use the harmonic mean, and a substep uses at most
        /// 0.12/dt.
        ///
        /// Between classes of different mass the conductivity is reduced, down to half, because the lighter particle
        /// takes more than half of the exchange.
        pub conductivity: f32 [0 to 1000] in "1/T0" keeps "d²/T0" = 0,
        /// How fast a particle takes on the temperature of the air around it; other particles shelter it.
        ///
        /// The value applies to a particle alone in the [air](crate::air). The air loses the heat that the particle
        /// receives.
        pub air_conductivity: f32 [0 to 1000] in "1/T0" keeps "d/T0" = 0,
        /// How fast a particle takes on the temperature of the surroundings.
        pub cooling: f32 [0 to 1000] in "1/T0" keeps "1/T0" = 0,
        /// Part of its weight that a particle loses per degree above the surroundings.
        ///
        /// With a positive value, hot liquid rises. The change of weight is at most twice the
        /// weight.
        pub expansion: f32 [within 1] in "1/degree" = 0,
        /// Change to another class above a temperature; `None` (default) for none.
        pub above: Option<FluidTransition> [group] = { None },
        /// Heat that a particle consumes when it changes above a temperature, or into air.
        ///
        /// At 0, all particles that are warm enough change at once. With a larger value, all warm particles give up
        /// the heat that they have beyond that temperature. On average, the number of particles that change is the
        /// sum of this heat divided by `latent_heat`. So a pool boils away slowly, and gets no hotter. Particles that change back, or rain, return
        /// no heat.
        pub latent_heat: f32 [0 to 1000000] in "degrees" = 0,
        /// Change to another class below a temperature; `None` (default) for none.
        pub below: Option<FluidTransition> [group] = { None },
        /// Change to a gas in the [air](crate::air) of a world; `None` (default) for none.
        pub into_air: Option<FluidIntoAir> [group] = { None },
    }
}

settings! {
    /// A change of particles to a gas in the [air](crate::air): they boil, burn or become smoke.
    ///
    /// The change has no effect at places without air. A particle under the surface gives off its gas at the surface
    /// above it. The unit of an amount is the area of one particle. If particles fill a cell at rest and each gives
    /// an amount of 1, the value of the cell rises to 1.
    ///
    /// ```
    /// use blob_fluid::air::{Air, AirSettings, AirChannel, AirSides};
    /// use blob_fluid::{
    ///     FluidBounds, ClassId, ClassTable, DensityClass, FluidWorld, FluidIntoAir, ParticleSpawn, SerialExecutor,
    ///     FluidThermal, FluidTransition,
    /// };
    /// use glam::Vec2;
    /// let rains = Some(FluidTransition { temperature: 80.0, becomes: "water".into() });
    /// let into_air = FluidIntoAir { above: 100.0, vapour: 1.0, rains, ..FluidIntoAir::default() };
    /// let water = DensityClass {
    ///     name: "water".into(),
    ///     thermal: FluidThermal { into_air: Some(into_air), ..FluidThermal::default() },
    ///     ..DensityClass::default()
    /// };
    /// let mut world = FluidWorld::default();
    /// world.set_classes(ClassTable::new(vec![water])?)?;
    /// let room = FluidBounds { low: Vec2::splat(-100.0), high: Vec2::splat(100.0) };
    /// let settings = AirSettings { cooling: 2.0, ..AirSettings::default() };
    /// let air = world.insert_air(Air::new(room, 10.0, settings, AirSides::default())?);
    /// let hot = Some(120.0);
    /// world.spawn(ParticleSpawn { temperature: hot, class: ClassId(0), ..Default::default() })?;
    /// world.step(1.0 / 60.0, &SerialExecutor)?;
    /// assert!(world.particles().is_empty() && world.air(air).unwrap().amount(AirChannel::Vapour) > 0.0);
    /// for _ in 0..60 * 10 {
    ///     world.step(1.0 / 60.0, &SerialExecutor)?;
    /// }
    /// assert_eq!(world.particles().len(), 1, "it has rained");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct FluidIntoAir: Default in files {
        /// Temperature from which a particle turns into air.
        ///
        /// At -1000000, a particle changes as soon as it is in air.
        pub above: f32 [within 1000000] in "degrees" = { 0.0 },
        /// Vapour that a particle becomes.
        ///
        /// The air carries it as [`AirChannel::Vapour`](crate::air::AirChannel::Vapour).
        #[serde(default)]
        pub vapour: f32 [0 to 1000] in "particle areas" = 0,
        /// Smoke that a particle becomes.
        #[serde(default)]
        pub smoke: f32 [0 to 1000] in "particle areas" = 0,
        /// Fuel that a particle becomes.
        ///
        /// A class that also changes `above` a temperature burns to the class of that change, for example coal to
        /// ash. Its particle gives off the fuel and stays. Powder and elastic classes do not ignite while they
        /// touch colder liquid that does not burn; that liquid takes their heat.
        #[serde(default)]
        pub fuel: f32 [0 to 1000] in "particle areas" = 0,
        /// Temperature rise of the remains, which ignite particles that they touch.
        ///
        /// Afterglow needs `fuel`, a change `above` a temperature, and a `conductivity` of both classes. Without
        /// afterglow, only flames in the air ignite the next particle, and a heap hardly keeps burning.
        #[serde(default)]
        pub afterglow: f32 [0 to 1000000] in "degrees" = 0,
        /// Red, green and blue of the smoke.
        ///
        /// The numbers are as in an [`AirSource`](crate::air::AirSource). `None` (default) for white.
        #[serde(default)]
        pub colour: Option<[f32; 3]> [within 1000000] = { None },
        /// New gas, which pushes the air away.
        #[serde(default)]
        pub expansion: f32 [0 to 1000] in "particle areas" = 0,
        /// Change of vapour where the air is colder than a temperature; `None` (default) for no change. All vapour is
        /// of one kind, so the first class in the table with this setting decides.
        #[serde(default)]
        pub rains: Option<FluidTransition> [group] = { None },
    }
}

settings! {
    /// A change to another class at a temperature.
    #[derive(Clone, Debug, PartialEq)]
    pub struct FluidTransition: Default in files {
        /// Temperature of the change to another class.
        pub temperature: f32 [within 1000000] in "degrees" = { 0.0 },
        /// Name of the particles' new class.
        pub becomes: String = { String::new() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLUE: [f32; 3] = [0.0, 0.0, 1.0];
    const YELLOW: [f32; 3] = [1.0, 1.0, 0.0];

    #[test]
    fn a_colour_alone_stays_what_it_is() {
        let values = [0.0, 0.02, 0.3, 0.7, 1.0];
        for number in 0..125 {
            let color = [number / 25, number / 5 % 5, number % 5].map(|index| values[index]);
            for mixing in [PaintMixing::Pigments, PaintMixing::Light] {
                let again = mixing.color_of(mixing.amounts_of(color));
                let error = color.iter().zip(again).map(|(one, other)| (one - other).abs());
                assert!(error.fold(0.0, f32::max) < 2e-6, "{mixing:?}: {color:?} became {again:?}");
            }
        }
    }

    #[test]
    fn pigments_mix_as_in_a_paint_box() {
        let mix = |one, other| PaintMixing::Pigments.mean([one, other]).expect("two");
        let [red, green, blue] = mix(BLUE, YELLOW);
        assert!(green > 0.3 && green > 4.0 * red && green > 4.0 * blue, "green");
        let [red, green, blue] = mix([1.0, 0.0, 0.0], YELLOW);
        assert!(red > 0.9 && (0.05..0.5).contains(&green) && blue < 0.05, "orange");
        let [red, green, blue] = mix([1.0, 0.0, 0.0], BLUE);
        assert!(red > green && blue > green && red < 0.2, "dark violet");
        let [red, green, blue] = mix(BLUE, [1.0; 3]);
        assert!(blue > 0.99 && green > 0.1 && red > 0.05, "light blue");
    }

    #[test]
    fn what_is_no_number_stays_none() {
        for mixing in [PaintMixing::Pigments, PaintMixing::Light] {
            assert!(mixing.amounts_of([f32::NAN, 0.5, 0.5])[0].is_nan());
            assert_eq!(mixing.amounts_of([9.0, 0.5, -3.0]), mixing.amounts_of([1.0, 0.5, 0.0]));
        }
        assert_eq!(PaintMixing::Light.mean([]), None);
    }
}
