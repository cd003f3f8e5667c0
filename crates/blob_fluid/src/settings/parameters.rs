//! Settings of a liquid as a whole. Two of them set the scale of length and time, and the others
//! are measured in the units that follow.

use glam::Vec2;

use crate::settings::class::DensityClass;
use crate::settings::range::OutOfRange;
use crate::settings::ranges::parameters as row;
use crate::settings::solver::Solver;

/// Settings of a liquid.
///
/// [`particle_spacing`](Self::particle_spacing) `d` and
/// [`reference_acceleration`](Self::reference_acceleration) `a0` set the scale of length and time;
/// from them follow the time unit `T0 = sqrt(d/a0)` and the speed unit `V0 = sqrt(d a0)`, in which
/// all other settings are measured. The same numbers therefore give the same liquid in pixels and
/// in metres.
///
/// ```
/// use blob_fluid::FluidParameters;
/// use glam::Vec2;
/// let tank = FluidParameters::new(0.08, Vec2::new(0.0, -9.81));
/// assert!(tank.validate().is_ok());
/// assert!((tank.interaction_radius() - 0.304).abs() < 1e-6);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(from = "crate::settings::written::WrittenParameters"))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct FluidParameters {
    /// The solver that steps the liquid. It may be changed between two ticks; the liquid keeps its
    /// particles. Default [`Solver::DoubleDensity`].
    pub solver: Solver,
    /// `d`: the distance between neighbouring particles at rest, in world units; 0.000001 to
    /// 1000000. A smaller spacing means finer and more particles. Default 7.894737, an interaction
    /// radius of 30 pixels.
    pub particle_spacing: f32,
    /// Acceleration of all particles, in world units/s²; within ±1000000. Default 200 downwards.
    /// With zero gravity all drags of [`Settling`] are off.
    pub gravity: Vec2,
    /// `a0`: the acceleration that stiffness and drags are measured in, in world units/s²; 0.000001
    /// to 1000000. Usually the magnitude of gravity (see [`FluidParameters::new`]); default 200.
    pub reference_acceleration: f32,
    /// `h/d`: interaction radius relative to the spacing, 2.2 to 6. A larger radius makes a smoother
    /// liquid and slower ticks. Default 3.8, about 45 neighbours. With 3.0 a substep executes
    /// 0.83 times as many instructions, but liquid fifty particles deep needs three substeps
    /// instead of two to be compressed as little, and classes separate more slowly.
    pub radius_ratio: f32,
    /// `rho0`, the rest density: the density (`sum q^2`) at which the soft pressure is 0; 0.1 to
    /// 1000. `None` (default) for the value at which particles are `particle_spacing` apart at
    /// rest.
    pub rest_density: Option<f32>,
    /// Density above which the liquid resists compression, relative to the rest density, 0.1 to 1.
    /// Default 0.65.
    pub equilibrium_ratio: f32,
    /// `k` in units of `a0`, 0 to 1000: cohesion and surface tension. Default 0.144.
    pub stiffness: f32,
    /// `k_near / k`, 0 to 100: how strongly close particles repel. Default 2.5.
    pub near_stiffness_ratio: f32,
    /// Share of the near density (`sum q^3`) in the density whose compression the liquid resists, 0
    /// to 1. Default 0.65. Particles that are packed by one density alone resist shear, so that
    /// waves run too fast; the larger the share, the slower classes separate. [`Solver::Classic`]
    /// does not use it.
    pub near_share: f32,
    /// Viscosity (Algorithm 5).
    pub viscosity: Viscosity,
    /// `kappa`, 0 to 20: how strongly particles of different weight are sorted where their classes
    /// meet. It frees drops that are trapped in the wrong layer. Default 6; at 0 only buoyancy
    /// sorts them, which is plain physics. Pairs of classes with
    /// [`cohesion`](crate::ClassPair::cohesion) above 0 are left alone, and a pair may have its own
    /// value ([`ClassPair::segregation`](crate::ClassPair::segregation)). [`Solver::Classic`] does
    /// not use it.
    ///
    /// In each pair the particle `i` gets the force `kappa (w_i - w_j) s q g/15`, and `j` the
    /// opposite. `w` is what gravity weighs: the mass times the class's gravity scale, less what
    /// heat takes. The difference counts up to twice the smaller mass. `s = 1 + cos/2`, with the
    /// angle between gravity and the direction from the heavier to the lighter particle. Elastic
    /// classes are not sorted, unless their pair says so.
    pub segregation: f32,
    /// Drags that bring a pool to rest.
    pub settling: Settling,
    /// Conditions under which liquid at rest is no longer simulated.
    pub sleeping: Sleeping,
    /// The ghost density behind walls. [`Solver::Classic`] does not use it.
    pub ghost_walls: GhostWalls,
    /// Settings that only [`Solver::Classic`] uses.
    pub classic: ClassicSettings,
    /// Settings that only [`Solver::Sph`] uses.
    pub sph: SphSettings,
    /// Settings that only [`Solver::SharedPressure`] uses.
    pub shared_pressure: SharedPressureSettings,
    /// Settings that only [`Solver::Incompressible`] uses.
    pub incompressible: IncompressibleSettings,
    /// Temperature of the surroundings, in degrees of any scale that the host chooses; within
    /// ±1000000. Default 20. It has an effect on classes with [`Thermal`](crate::Thermal) settings.
    pub ambient_temperature: f32,
    /// The number of substeps into which a time step is divided.
    pub substeps: Substeps,
    /// Longest time step, in seconds, 0.0001 to 1. A longer one is shortened to it. Default 0.05.
    pub max_time_step: f32,
}

/// Settings of the viscosity impulse (Clavet et al. 2005, Algorithm 5):
/// `I = dt q (sigma u + beta u^2)` for pairs that approach at the speed `u`, plus a linear part for
/// every pair.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct Viscosity {
    /// `sigma`, of approaching pairs, in 1/T0; 0 to 1000. Default 0.004.
    pub approach: f32,
    /// `beta`, of approaching pairs, in 1/d; 0 to 1000. Default 0.08. Keeps fast particles from
    /// passing through each other.
    pub quadratic: f32,
    /// Linear part for approaching and parting pairs alike, in 1/T0; 0 to 1000. Default 0.1; 2 is
    /// oil, 10 honey. A large value takes several sweeps over the pairs, at most eight, and iterations
    /// of the implicit viscosity of [`Solver::Incompressible`], which needs no limit.
    pub linear: f32,
    /// Upper limit of `dt (sigma + beta u)`, and of `dt` times the linear part, for a pair in a
    /// sweep; above 0, up to 1. Default 0.1. Without this limit a fast impact would gain energy.
    /// Where a particle would give away more than it has, because it has many neighbours, its
    /// pairs exchange less.
    pub limit: f32,
    /// Factor on the viscosity between particles of different classes, 0 to 10. Default 0: layers
    /// slide past each other, and classes separate faster. The limit applies to the product.
    pub cross_class: f32,
}

/// Settings of the drags that bring a pool to rest. All are off while gravity is zero.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct Settling {
    /// Drag on slow particles only, in 1/T0; 0 to 1000. Default 0.2.
    pub calm_drag: f32,
    /// Speed above which the calm drag is off, in V0; 0 to 1000. Default 0.5.
    pub calm_speed: f32,
    /// Drag on all particles, in 1/T0; 0 to 1000. Default 0.02.
    pub drag: f32,
    /// Drag along walls within half an interaction radius, in 1/T0; 0 to 1000. Default 0.6.
    pub wall_friction: f32,
}

/// Conditions under which liquid and [bodies](crate::Body) at rest are no longer simulated, until
/// something wakes them.
///
/// A body sleeps if it has stayed within a fifth of `drift` of its place for as long as liquid must,
/// if no liquid beside it moves, and if no body that it may touch is awake. It wakes, and with it the
/// liquid around it, when liquid beside it moves, when another body or collider comes near it, when
/// one that it touches is changed or removed, and when anything of it, or gravity, is changed.
/// [`Collider::is_sleeping`](crate::Collider::is_sleeping) says whether it sleeps.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct Sleeping {
    /// Time that a particle or a body must have stayed near its rest position, in T0; 0.001 to 1000.
    /// Default 5, a second in the default units.
    pub after: f32,
    /// Largest distance from the rest position, in particle spacings; 0 to 1. Default 0.15. At 0
    /// nothing ever sleeps.
    pub drift: f32,
}

/// The ghost density behind walls: walls count as if there were liquid behind them. Without it
/// particles would be packed too closely at walls or would boil there. It also lets a film of
/// liquid wet the walls.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct GhostWalls {
    /// Density behind the wall, relative to 1.5 times the equilibrium density, 0 to 4. Default 1.
    pub density: f32,
    /// Speed at which a particle that touches the wall is moved back inside, in V0; 0 to 100.
    /// Default 0.
    pub unsticking: f32,
}

impl Default for GhostWalls {
    fn default() -> Self {
        Self { density: 1.0, unsticking: 0.0 }
    }
}

/// Settings that only [`Solver::Classic`] uses. Its walls put particles beyond the dead zone back
/// inside and reflect them, as the ancestors of this solver do.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct ClassicSettings {
    /// Fraction of the normal speed that a particle keeps when a wall reflects it, 0 to 1. Default
    /// 0.8.
    pub restitution: f32,
    /// Distance beyond the wall up to which a particle is left alone, in particle spacings; 0 to 1.
    /// A particle farther beyond is put inside, by 2/5 of this distance. Default 0.0633: half a
    /// pixel in the default units.
    pub dead_zone: f32,
    /// Speed at which a particle that touches the wall is moved back inside, in V0; 0 to 100.
    /// Default 0.
    pub unsticking: f32,
}

impl Default for ClassicSettings {
    fn default() -> Self {
        Self { restitution: 0.8, dead_zone: 0.0633, unsticking: 0.0 }
    }
}

/// Settings that only [`Solver::Sph`] uses.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct SphSettings {
    /// How much liquid resists compression, relative to the most at which a substep is stable; 0.01
    /// to 1. Default 1. Softer liquid takes more substeps to be compressed as little.
    pub stiffness: f32,
    /// Fraction of the normal speed that a particle keeps when the wall of a container reflects it,
    /// 0 to 1. Default 0.3.
    pub restitution: f32,
}

impl Default for SphSettings {
    fn default() -> Self {
        Self { stiffness: 1.0, restitution: 0.3 }
    }
}

/// Settings that only [`Solver::SharedPressure`] uses.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct SharedPressureSettings {
    /// How much liquid resists compression, relative to the most at which a substep is stable; 0.01
    /// to 1. Default 1.
    pub stiffness: f32,
    /// How strongly close particles repel, relative to the pressure's stiffness; 0 to 1. Default
    /// 0.01.
    pub near_stiffness_ratio: f32,
    /// The largest tension, relative to the pressure of liquid that is twice as dense as at rest; 0
    /// to 0.5. It holds drops together. Default 0.02.
    pub cohesion: f32,
}

impl Default for SharedPressureSettings {
    fn default() -> Self {
        Self { stiffness: 1.0, near_stiffness_ratio: 0.01, cohesion: 0.02 }
    }
}

/// Settings that only [`Solver::Incompressible`] uses.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct IncompressibleSettings {
    /// The mean by which densities may exceed those at rest, 0.0001 to 0.1. Default 0.001.
    pub tolerance: f32,
    /// Most iterations of a substep, 1 to 200. Default 20.
    pub max_iterations: u32,
}

impl Default for IncompressibleSettings {
    fn default() -> Self {
        Self { tolerance: 0.001, max_iterations: 20 }
    }
}

/// The number of substeps into which a time step is divided.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub enum Substeps {
    /// Enough substeps to keep the compression of the deepest liquid below `compression`:
    /// `ceil((dt/h) sqrt(g D / (0.25 compression)))`, where `D` is the depth of the liquid.
    Automatic {
        /// Largest compression at the bottom, as a fraction, 0.001 to 0.5. Default 0.03.
        compression: f32,
        /// Largest number of substeps, 1 to 64. Default 8.
        max: u32,
    },
    /// This number of substeps in every time step, 1 to 64.
    Fixed(u32),
}

impl Default for FluidParameters {
    fn default() -> Self {
        Self::new(30.0 / 3.8, Vec2::new(0.0, -200.0))
    }
}

impl Default for Viscosity {
    fn default() -> Self {
        Self { approach: 0.004, quadratic: 0.08, linear: 0.1, limit: 0.1, cross_class: 0.0 }
    }
}

impl Default for Settling {
    fn default() -> Self {
        Self { calm_drag: 0.2, calm_speed: 0.5, drag: 0.02, wall_friction: 0.6 }
    }
}

impl Default for Sleeping {
    fn default() -> Self {
        Self { after: 5.0, drift: 0.15 }
    }
}

impl Sleeping {
    /// Settings with which nothing ever sleeps.
    pub const OFF: Self = Self { after: 5.0, drift: 0.0 };

    /// Whether anything ever sleeps.
    pub fn is_on(self) -> bool {
        self.drift > 0.0
    }
}

impl Settling {
    /// Settings without any drag.
    pub const OFF: Self = Self { calm_drag: 0.0, calm_speed: 0.0, drag: 0.0, wall_friction: 0.0 };
}

impl Default for Substeps {
    fn default() -> Self {
        Self::Automatic { compression: 0.03, max: 8 }
    }
}

impl FluidParameters {
    /// Creates settings from a particle spacing (world units) and gravity (world units/s²), with
    /// the defaults of everything else. The reference acceleration is the magnitude of gravity.
    /// Without gravity it is 25 spacings per square second, as in the default pixel units.
    pub fn new(particle_spacing: f32, gravity: Vec2) -> Self {
        let magnitude = gravity.length();
        let reference_acceleration =
            if magnitude > 0.0 { magnitude } else { 25.0 * particle_spacing };
        Self {
            solver: Solver::default(),
            particle_spacing,
            gravity,
            reference_acceleration,
            radius_ratio: 3.8,
            rest_density: None,
            equilibrium_ratio: 0.65,
            stiffness: 0.144,
            near_stiffness_ratio: 2.5,
            near_share: 0.65,
            viscosity: Viscosity::default(),
            segregation: 6.0,
            settling: Settling::default(),
            sleeping: Sleeping::default(),
            ghost_walls: GhostWalls::default(),
            classic: ClassicSettings::default(),
            sph: SphSettings::default(),
            shared_pressure: SharedPressureSettings::default(),
            incompressible: IncompressibleSettings::default(),
            ambient_temperature: 20.0,
            substeps: Substeps::default(),
            max_time_step: 0.05,
        }
    }

    /// `h`, the interaction radius: the distance up to which particles interact, in world units.
    pub fn interaction_radius(&self) -> f32 {
        self.radius_ratio * self.particle_spacing
    }

    /// The rest density in use: the one that is set, or the one that keeps particles
    /// `particle_spacing` apart, `rho_eq (1 + 0.24 r) - 0.16 r` with `rho_eq = (pi/6) (h/d)^2 - 1`
    /// and `r = k_near/k`.
    pub fn effective_rest_density(&self) -> f32 {
        self.rest_density.unwrap_or_else(|| self.rest_density_for(self.near_stiffness_ratio))
    }

    /// `rho_eq`, the equilibrium density, before the factor of a class.
    pub(crate) fn equilibrium_density(&self) -> f32 {
        self.effective_rest_density() * self.equilibrium_ratio
    }

    /// `rho0`, the rest density, of a class. A class with another ratio of stiffnesses keeps the
    /// same spacing.
    pub(crate) fn rest_density_of(&self, class: &DensityClass) -> f32 {
        let own_ratio = class.near_stiffness != class.stiffness && class.stiffness > 0.0;
        let rest_density = if own_ratio && self.rest_density.is_none() {
            let ratio = self.near_stiffness_ratio * class.near_stiffness / class.stiffness;
            self.rest_density_for(ratio)
        } else {
            self.effective_rest_density()
        };
        rest_density * class.relative_rest_density
    }

    fn rest_density_for(&self, near_stiffness_ratio: f32) -> f32 {
        let plane = std::f32::consts::FRAC_PI_6 * self.radius_ratio * self.radius_ratio - 1.0;
        plane * (1.0 + 0.24 * near_stiffness_ratio) - 0.16 * near_stiffness_ratio
    }

    /// `T0 = sqrt(d/a0)`, in seconds: the unit of the drags.
    pub fn time_unit(&self) -> f32 {
        (self.particle_spacing / self.reference_acceleration).sqrt()
    }

    /// `V0 = sqrt(d a0)`, in world units/s: the unit of the speeds.
    pub fn speed_unit(&self) -> f32 {
        (self.particle_spacing * self.reference_acceleration).sqrt()
    }

    /// `dt` times the drag on all particles; 0 if there is no gravity.
    pub(crate) fn drag_in(&self, time_step: f32) -> f32 {
        let settles = if self.gravity == Vec2::ZERO { 0.0 } else { 1.0 };
        settles * self.settling.drag * (time_step / self.time_unit())
    }

    /// Checks every field.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`], which names the first field outside its range.
    ///
    /// ```
    /// use blob_fluid::FluidParameters;
    /// let bad = FluidParameters { particle_spacing: 0.0, ..Default::default() };
    /// assert_eq!(bad.validate().unwrap_err().field, "particle_spacing");
    /// ```
    pub fn validate(&self) -> Result<(), OutOfRange> {
        row::PARTICLE_SPACING.check(self.particle_spacing)?;
        row::REFERENCE_ACCELERATION.check(self.reference_acceleration)?;
        row::GRAVITY.check_all(self.gravity.to_array())?;
        row::RADIUS_RATIO.check(self.radius_ratio)?;
        row::REST_DENSITY.check_all(self.rest_density)?;
        row::EQUILIBRIUM_RATIO.check(self.equilibrium_ratio)?;
        row::STIFFNESS.check(self.stiffness)?;
        row::NEAR_STIFFNESS_RATIO.check(self.near_stiffness_ratio)?;
        row::NEAR_SHARE.check(self.near_share)?;
        let viscosity = &self.viscosity;
        row::VISCOSITY_APPROACH.check(viscosity.approach)?;
        row::VISCOSITY_QUADRATIC.check(viscosity.quadratic)?;
        row::VISCOSITY_LINEAR.check(viscosity.linear)?;
        row::VISCOSITY_LIMIT.check(viscosity.limit)?;
        row::VISCOSITY_CROSS_CLASS.check(viscosity.cross_class)?;
        row::SEGREGATION.check(self.segregation)?;
        let settling = &self.settling;
        row::SETTLING_CALM_DRAG.check(settling.calm_drag)?;
        row::SETTLING_CALM_SPEED.check(settling.calm_speed)?;
        row::SETTLING_DRAG.check(settling.drag)?;
        row::SETTLING_WALL_FRICTION.check(settling.wall_friction)?;
        row::SLEEPING_AFTER.check(self.sleeping.after)?;
        row::SLEEPING_DRIFT.check(self.sleeping.drift)?;
        row::GHOST_WALLS_DENSITY.check(self.ghost_walls.density)?;
        row::GHOST_WALLS_UNSTICKING.check(self.ghost_walls.unsticking)?;
        row::CLASSIC_RESTITUTION.check(self.classic.restitution)?;
        row::CLASSIC_DEAD_ZONE.check(self.classic.dead_zone)?;
        row::CLASSIC_UNSTICKING.check(self.classic.unsticking)?;
        row::SPH_STIFFNESS.check(self.sph.stiffness)?;
        row::SPH_RESTITUTION.check(self.sph.restitution)?;
        let shared = &self.shared_pressure;
        row::SHARED_PRESSURE_STIFFNESS.check(shared.stiffness)?;
        row::SHARED_PRESSURE_NEAR_STIFFNESS_RATIO.check(shared.near_stiffness_ratio)?;
        row::SHARED_PRESSURE_COHESION.check(shared.cohesion)?;
        row::INCOMPRESSIBLE_TOLERANCE.check(self.incompressible.tolerance)?;
        row::INCOMPRESSIBLE_MAX_ITERATIONS.check(self.incompressible.max_iterations as f32)?;
        row::AMBIENT_TEMPERATURE.check(self.ambient_temperature)?;
        match self.substeps {
            Substeps::Fixed(substeps) => row::SUBSTEPS.check(substeps as f32)?,
            Substeps::Automatic { compression, max } => {
                row::SUBSTEPS_COMPRESSION.check(compression)?;
                row::SUBSTEPS_MAX.check(max as f32)?;
            }
        }
        row::MAX_TIME_STEP.check(self.max_time_step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_valid_and_match_the_published_numbers() {
        let parameters = FluidParameters::default();
        assert_eq!(parameters.validate(), Ok(()));
        assert!((parameters.interaction_radius() - 30.0).abs() < 1e-5);
        assert!((parameters.effective_rest_density() - 10.1).abs() < 0.05);
        assert!((parameters.stiffness * parameters.reference_acceleration - 28.8).abs() < 1e-3);
    }

    #[test]
    fn every_bad_value_names_its_field() {
        let bad: [(&str, fn(&mut FluidParameters)); 18] = [
            ("particle_spacing", |p| p.particle_spacing = 0.0),
            ("particle_spacing", |p| p.particle_spacing = f32::NAN),
            ("particle_spacing", |p| p.particle_spacing = 1e-40),
            ("particle_spacing", |p| p.particle_spacing = -8.0),
            ("gravity", |p| p.gravity.y = f32::NAN),
            ("gravity", |p| p.gravity.x = f32::INFINITY),
            ("rest_density", |p| p.rest_density = Some(0.0)),
            ("rest_density", |p| p.rest_density = Some(-10.0)),
            ("stiffness", |p| p.stiffness = f32::INFINITY),
            ("stiffness", |p| p.stiffness = -1.0),
            ("viscosity.linear", |p| p.viscosity.linear = -1.0),
            ("viscosity.limit", |p| p.viscosity.limit = 0.0),
            ("settling.drag", |p| p.settling.drag = f32::NAN),
            ("sleeping.after", |p| p.sleeping.after = -1.0),
            ("sleeping.drift", |p| p.sleeping.drift = f32::NAN),
            ("ghost_walls.density", |p| p.ghost_walls.density = -1.0),
            ("substeps", |p| p.substeps = Substeps::Fixed(0)),
            ("max_time_step", |p| p.max_time_step = f32::NAN),
        ];
        for (field, change) in bad {
            let mut parameters = FluidParameters::default();
            change(&mut parameters);
            let error = parameters.validate().expect_err(field);
            assert_eq!(error.field, field);
        }
    }
}
