//! Settings of a liquid as a whole. Two settings set the scale of length and time. Other settings
//! are measured in the units that follow from these two.

use glam::Vec2;

use crate::settings::declare::settings;
use crate::settings::range::Settings;
use crate::stored::stored;
use crate::{DensityClass, FluidSolver, OutOfRange, PaintMixing};

settings! {
    /// Settings of a liquid.
    ///
    /// [`particle_spacing`](Self::particle_spacing) `d` and [`reference_acceleration`](Self::reference_acceleration)
    /// `a0` set the scale of length and time. The time unit is `T0 = sqrt(d/a0)`, and the speed unit is
    /// `V0 = sqrt(d a0)`; all other settings are measured in these units. The same numbers therefore give the same
    /// liquid in pixels and in metres.
    ///
    /// ```
    /// use blob_fluid::FluidParameters;
    /// use glam::Vec2;
    /// let tank = FluidParameters::new(0.08, Vec2::new(0.0, -9.81));
    /// assert!(tank.validate().is_ok());
    /// assert!((tank.interaction_radius() - 0.304).abs() < 1e-6);
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct FluidParameters: Default as "fluid parameters" in files with default {
        /// The solver that steps the liquid. You can change the solver between two ticks; the liquid keeps its
        /// particles. Default: [`FluidSolver::DoubleDensity`].
        pub solver: FluidSolver = { FluidSolver::default() },
        /// Distance of particles at rest, d.
        ///
        /// A smaller spacing means finer and more particles. With the default, the interaction radius
        /// is 30 pixels.
        pub particle_spacing: f32 [0.000001 to 1000000] in "world units" = 7.894737,
        /// Acceleration of everything.
        ///
        /// Default: 200 downwards. With zero gravity, all drags of [`Settling`] are off.
        pub gravity: Vec2 [within 1000000] in "world units/s²" = { Vec2::new(0.0, -200.0) },
        /// Unit of acceleration a0, in which stiffness and drags are given.
        ///
        /// Usually the magnitude of gravity (see [`FluidParameters::new`]).
        pub reference_acceleration: f32 [0.000001 to 1000000] in "world units/s²" = 200,
        /// Interaction radius.
        ///
        /// `h/d`: a larger radius makes a smoother liquid and slower ticks. With the default, a particle at rest has
        /// 43 neighbours. With 3.0, a substep executes 0.83 times as many instructions, and classes separate more
        /// slowly. But liquid fifty particles deep needs two substeps instead of one for the same compression.
        pub radius_ratio: f32 [2.2 to 6] in "d" = 3.8,
        /// Density towards which cohesion pulls the liquid.
        ///
        /// `rho0`, the rest density. `None` (default) for the value at which particles are
        /// `particle_spacing` apart at rest.
        pub rest_density: Option<f32> [0.1 to 1000] in "sum of q²" = { None },
        /// Density above which compression is resisted.
        pub equilibrium_ratio: f32 [0.1 to 1] in "rest densities" = 0.65,
        /// Strength of cohesion and surface tension.
        ///
        /// The strength is `k` in the formulas of [`FluidSolver::DoubleDensity`].
        pub stiffness: f32 [0 to 1000] in "a0" = 0.144,
        /// Density below which liquid does not attract itself, so that drops stay apart; 0 for attraction
        /// at any distance.
        ///
        /// The attraction has its full strength from three times this density on. At 0.2, rain falls as drops, and the
        /// surface of a pool keeps its density; above 0.25 the surface loosens.
        pub cohesion_onset: f32 [0 to 1] in "equilibrium densities" = 0,
        /// Repulsion of close particles, relative to `stiffness`.
        pub near_stiffness_ratio: f32 [0 to 100] = 2.5,
        /// Share of the near density in the mix of two densities whose compression the solver
        /// resists.
        ///
        /// The near density is `sum q^3`. With only one of the two densities, packed particles would resist shear, and
        /// waves would run too fast. The larger the share, the slower classes separate. [`FluidSolver::Classic`] does
        /// not use it.
        pub near_share: f32 [0 to 1] = 0.65,
        /// Part of the resistance to compression that a particle keeps from substep to substep.
        ///
        /// `w`: liquid resists a lasting load, such as its own weight, `1/(1 - w)` times as strongly as with `w` at
        /// 0. Liquid resists a blow equally at any `w`, because particles keep no resistance where the density
        /// changes fast. So with `w` at 0.5, fewer substeps give the same compression. Particles keep less resistance
        /// where it would make them unstable: with a radius ratio below 2.8, and with a very large stiffness.
        ///
        /// Particles that touch a body, or another collider that the liquid moves, keep no resistance. Otherwise, the
        /// body would swing up and down. All particles keep none while such a body is so deep that it needs more
        /// substeps than the liquid. They also keep none with [`Substeps::Fixed`] while such a body is in the liquid.
        ///
        /// Changes take effect slowly: the kept part shrinks by 0.1 per time unit T0, and grows by 0.002 per T0. Only
        /// [`FluidSolver::DoubleDensity`] uses it.
        pub pressure_memory: f32 [0 to 0.5] = 0.5,
        /// Viscosity (Algorithm 5 of Clavet et al. 2005).
        pub viscosity: Viscosity [group] = { Viscosity::default() },
        /// Sorting force between classes of different weight; 0 turns it off.
        ///
        /// `kappa`: how strongly particles of different weight are sorted where their classes meet. The force frees
        /// drops that are trapped in the wrong layer. Pairs of classes with [`cohesion`](crate::ClassPair::cohesion)
        /// above 0 are not sorted, and a pair may have its own value
        /// ([`ClassPair::segregation`](crate::ClassPair::segregation)). [`FluidSolver::Classic`] does not use it.
        ///
        /// In each pair, the particle `i` gets the force `kappa (w_i - w_j) s q g/15`, and `j` the opposite. `w` is
        /// the weight: the mass times the class's gravity scale, less the part that heat takes. The difference of the
        /// weights counts up to twice the smaller mass. `s = 1 + cos/2`, with the angle between gravity and the
        /// direction from the heavier to the lighter particle. Elastic classes, powders among each other, and powders
        /// and gases are not sorted, unless their pair has its own value.
        ///
        /// The sorting force alone would permanently leave single particles of a slightly heavier or lighter class in
        /// settled liquid. So if the difference `D` is less than half the smaller mass `m`, particles at rest relative
        /// to each other also get `kappa (2 m - 4 D) (1 + cos) q g/15`. The additional force fades as their relative
        /// speed grows, and is 0 from V0/2 on, so it hardly changes the speed of separation.
        pub segregation: f32 [0 to 20] = 6,
        /// Drags that bring a pool to rest.
        pub settling: Settling [group] = { Settling::default() },
        /// Conditions under which liquid at rest sleeps.
        pub sleeping: FluidSleeping [group] = { FluidSleeping::default() },
        /// The ghost density behind walls. [`FluidSolver::Classic`] does not use it.
        pub ghost_walls: GhostWalls [group] = { GhostWalls::default() },
        /// Settings that only [`FluidSolver::Classic`] uses.
        pub classic: ClassicSettings [group] = { ClassicSettings::default() },
        /// Settings that only [`FluidSolver::Sph`] uses.
        pub sph: SphSettings [group] = { SphSettings::default() },
        /// Settings that only [`FluidSolver::SharedPressure`] uses.
        pub shared_pressure: SharedPressureSettings [group] = { SharedPressureSettings::default() },
        /// Settings that only [`FluidSolver::Incompressible`] uses.
        pub incompressible: IncompressibleSettings [group] = { IncompressibleSettings::default() },
        /// Temperature of the surroundings.
        ///
        /// The degrees are of any scale that you choose. The temperature has an effect only on classes with
        /// [`FluidThermal`](crate::FluidThermal) settings.
        pub ambient_temperature: f32 [within 1000000] in "degrees" = 20,
        /// Result of mixing two colours, where classes take [`FluidPaint`](crate::FluidPaint).
        pub paint_mixing: PaintMixing = { PaintMixing::default() },
        /// The number of substeps into which a time step is divided.
        pub substeps: Substeps [group] = { Substeps::default() },
        /// Longest tick; a longer tick is cut to it.
        pub max_time_step: f32 [0.0001 to 1] in "s" = 0.05,
    }
}

stored!(settings FluidParameters, check Self::validate);

settings! {
    /// Settings of the viscosity impulse (Clavet et al. 2005, Algorithm 5). Pairs that approach at the
    /// speed `u` get the impulse `I = dt q (sigma u + beta u^2)`. A linear part acts on every pair.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Viscosity: Default in files with default {
        /// Coefficient sigma, for approaching pairs.
        pub approach: f32 [0 to 1000] in "1/T0" keeps "d²/T0" = 0.004,
        /// Coefficient beta, for approaching pairs.
        ///
        /// The quadratic part keeps fast particles from passing through each other.
        pub quadratic: f32 [0 to 1000] in "1/d" = 0.08,
        /// Viscosity of all pairs; oil has about 1, honey 10.
        ///
        /// The linear viscosity acts on approaching and parting pairs alike. A large value takes several passes over
        /// the pairs in each substep, at most 32. With [`FluidSolver::Incompressible`] it takes iterations of the
        /// implicit viscosity instead, without an upper limit.
        pub linear: f32 [0 to 1000] in "1/T0" keeps "d²/T0" = 0.1,
        /// Largest part of a pair's velocity exchanged in a substep.
        ///
        /// The limit applies to `dt (sigma + beta u)`, and to `dt` times the linear part, in each pass over the pairs.
        /// Without this limit, a fast impact would gain energy. If a particle with many neighbours would give
        /// away more velocity than it has, its pairs exchange less.
        pub limit: f32 [above 0 to 1] = 0.1,
        /// Factor between different classes.
        ///
        /// With 0 layers slide past each other, and classes separate faster. The [`limit`](Self::limit) applies to the
        /// viscosity times this factor.
        pub cross_class: f32 [0 to 10] = 0,
    }
}

settings! {
    /// Settings of the drags that bring a pool to rest. All drags are off while gravity is zero.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Settling: Default in files with default {
        /// Drag on slow particles.
        pub calm_drag: f32 [0 to 1000] in "1/T0" keeps "1/T0" = 0.3,
        /// Speed above which the drag on slow particles is off.
        pub calm_speed: f32 [0 to 1000] in "V0" keeps "V0" = 0.5,
        /// Drag on everything, relative to the solid that the liquid stands on.
        pub drag: f32 [0 to 1000] in "1/T0" keeps "1/T0" = 0.02,
        /// Drag along walls.
        ///
        /// The drag acts within half an interaction radius, but not on grains of a powder
        /// ([`FluidPowder`](crate::FluidPowder)), which have friction on walls.
        pub wall_friction: f32 [0 to 1000] in "1/T0" keeps "d/T0" = 0.6,
    }
}

settings! {
    /// Conditions under which liquid and [bodies](crate::Body) at rest are no longer simulated, until
    /// something wakes them.
    ///
    /// A body sleeps if all of these conditions hold:
    ///
    /// - It has stayed within a fifth of `drift` of its place for the time `after`.
    /// - No liquid beside it moves.
    /// - No body that it may touch is awake.
    ///
    /// The body and the liquid around it wake when liquid beside the body moves, or when another body or collider
    /// comes near. They also wake when gravity, the body, or a body or collider that it touches is changed or
    /// removed. [`Collider::is_sleeping`](crate::Collider::is_sleeping) says whether a body sleeps.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct FluidSleeping: Default in files with default {
        /// Time for which liquid must stay in place until it sleeps.
        ///
        /// A body must stay in place for the same time. The default is a second in the default units.
        pub after: f32 [0.001 to 1000] in "T0" = 5,
        /// How far liquid may move in the time `after`; at 0 nothing sleeps.
        pub drift: f32 [0 to 1] in "d" = 0.15,
    }
}

settings! {
    /// The ghost density behind walls: walls count as if there were liquid behind them. Without
    /// this density, particles would be packed too closely at walls or would jitter there. The
    /// ghost density also lets a film of liquid wet the walls.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct GhostWalls: Default in files with default {
        /// Density assumed behind a wall.
        pub density: f32 [0 to 4] in "1.5 equilibrium densities" = 1,
        /// Speed at which a particle that touches a wall is sent back inside.
        pub unsticking: f32 [0 to 100] in "V0" = 0,
    }
}

settings! {
    /// Settings that only [`FluidSolver::Classic`] uses. The walls of this solver put particles beyond the dead zone
    /// back inside and reflect them.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct ClassicSettings: Default in files with default {
        /// Part of the speed towards a wall that is kept.
        pub restitution: f32 [0 to 1] = 0.8,
        /// How far beyond a wall a particle may be before it is snapped back.
        ///
        /// A particle that is farther beyond the wall is moved inside, to 2/5 of this distance from the wall. The
        /// default is half a pixel in the default units.
        pub dead_zone: f32 [0 to 1] in "d" = 0.0633,
        /// Speed at which a particle that touches a wall is sent back inside.
        pub unsticking: f32 [0 to 100] in "V0" = 0,
    }
}

settings! {
    /// Settings that only [`FluidSolver::Sph`] uses.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct SphSettings: Default in files with default {
        /// Resistance to compression, relative to the largest stable resistance.
        ///
        /// Softer liquid needs more substeps for the same compression.
        pub stiffness: f32 [0.01 to 1] = 1,
        /// Part of the speed towards a wall that is kept.
        ///
        /// Only the walls of containers reflect particles.
        pub restitution: f32 [0 to 1] = 0.3,
    }
}

settings! {
    /// Settings that only [`FluidSolver::SharedPressure`] uses.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct SharedPressureSettings: Default in files with default {
        /// Resistance to compression, relative to the largest stable resistance.
        pub stiffness: f32 [0.01 to 1] = 1,
        /// Repulsion of close particles, relative to the stiffness.
        pub near_stiffness_ratio: f32 [0 to 1] = 0.01,
        /// Largest tension, relative to the pressure at twice the rest density.
        ///
        /// This tension holds drops together.
        pub cohesion: f32 [0 to 0.5] = 0.02,
    }
}

settings! {
    /// Settings that only [`FluidSolver::Incompressible`] uses.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct IncompressibleSettings: Default in files with default {
        /// Largest mean excess of densities over rest densities.
        pub tolerance: f32 [0.0001 to 0.1] in "rest densities" = 0.001,
        /// Largest number of iterations in a substep.
        pub max_iterations: u32 [1 to 200] = 20,
    }
}

settings! {
    /// The number of substeps into which a time step is divided.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub enum Substeps: Default in files {
        /// Enough substeps to keep the compression of the deepest liquid below `compression`: `ceil(a (dt/h) sqrt(g D
        /// (1 - w) / (0.25 compression)))`. `D` is the depth of the liquid, and `w` is the memory of pressure. A
        /// body needs as many as liquid of its depth with `w = 0`. `a` is calibrated: 0.93 for one substep, and at most 1.085 for more. `g` is gravity. If
        /// classes of existing particles have a [`gravity_scale`](crate::DensityClass::gravity_scale) above 1 or
        /// below -1, `g` is gravity times the largest of these scales, without its sign. A tube narrower than fifteen
        /// spacings is compressed by up to 0.015 more.
        Automatic {
            /// Compression at the bottom that automatic substeps aim for.
            compression: f32 [0.001 to 0.5] = 0.05,
            /// Most substeps of a tick.
            max: u32 [1 to 64] = 8,
        },
        /// Number of substeps of every tick with `Fixed`; `Automatic` takes as many as the compression needs.
        Fixed(substeps: u32 [1 to 64]),
    }
}

impl FluidSleeping {
    /// Settings without sleep.
    pub const OFF: Self = Self { after: 5.0, drift: 0.0 };

    /// Whether liquid can sleep.
    pub fn is_on(self) -> bool {
        self.drift > 0.0
    }
}

impl Settling {
    /// Settings without any drag.
    pub const OFF: Self = Self { calm_drag: 0.0, calm_speed: 0.0, drag: 0.0, wall_friction: 0.0 };
}

impl FluidParameters {
    /// Creates settings from a particle spacing in world units and gravity in world units/s², with
    /// defaults for everything else. The reference acceleration is the magnitude of gravity.
    /// Without gravity, it is 25 spacings per square second, as in the default pixel units.
    pub fn new(particle_spacing: f32, gravity: Vec2) -> Self {
        let magnitude = gravity.length();
        let reference_acceleration =
            if magnitude > 0.0 { magnitude } else { 25.0 * particle_spacing };
        Self { particle_spacing, gravity, reference_acceleration, ..Self::default() }
    }

    /// `h`, the interaction radius: the distance up to which particles interact, in world units.
    pub fn interaction_radius(&self) -> f32 {
        self.radius_ratio * self.particle_spacing
    }

    /// The rest density in use: `rest_density`, or a density that keeps particles `particle_spacing` apart. The density
    /// that keeps them apart is `rho_eq (1 + 0.24 r) - 0.16 r` with `rho_eq = (pi/6) (h/d)^2 - 1` and `r = k_near/k`.
    pub fn effective_rest_density(&self) -> f32 {
        self.rest_density.unwrap_or_else(|| self.rest_density_for(self.near_stiffness_ratio))
    }

    /// `rho_eq`, the equilibrium density, before the factor of a class.
    pub(crate) fn equilibrium_density(&self) -> f32 {
        self.effective_rest_density() * self.equilibrium_ratio
    }

    /// `rho0`, the rest density of a class. A class with another ratio of stiffnesses keeps the same spacing.
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

    /// `T0 = sqrt(d/a0)`, in seconds: the unit of time, in which drags are given.
    pub fn time_unit(&self) -> f32 {
        (self.particle_spacing / self.reference_acceleration).sqrt()
    }

    /// `V0 = sqrt(d a0)`, in world units/s: the unit of speed.
    pub fn speed_unit(&self) -> f32 {
        (self.particle_spacing * self.reference_acceleration).sqrt()
    }

    /// `dt` times the drag on all particles; 0 without gravity.
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
        self.check()
    }
}

// Limits of the work and the time of a tick, and the omitted work.

/// Limits of the work in a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct Effort {
    /// Largest number of substeps in a tick; at least 1. Springs that need more substeps for stability get them.
    /// [`FluidSolver::Classic`](crate::FluidSolver::Classic) ignores this number, because it becomes unstable with
    /// fewer substeps.
    pub substeps: u32,
    /// Largest number of viscosity sweeps (passes over the pairs of a viscous liquid) in a substep; at least 1. The
    /// liquid is less viscous with fewer sweeps than it needs.
    pub viscosity_sweeps: u32,
}

stored!(Effort { substeps, viscosity_sweeps });

impl Effort {
    /// No limits: all the work that the settings need.
    pub const FULL: Self = Self { substeps: u32::MAX, viscosity_sweeps: u32::MAX };
}

impl Default for Effort {
    fn default() -> Self {
        Self::FULL
    }
}

/// Work that the settings need and that a tick omitted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct GivenUp {
    /// Number of omitted substeps. The liquid is softer, and falls and separates less exactly.
    pub substeps: u32,
    /// Number of omitted viscosity sweeps (passes over the pairs of the most viscous classes). These classes are less
    /// viscous.
    pub viscosity_sweeps: u32,
}

settings! {
    /// Real time that a tick may take, and the least work that it must do.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct FluidBudget: Default as "budget" with validate in files with default {
        /// Real time that a tick may take.
        pub milliseconds: f32 [0.01 to 1000] in "ms" = 4,
        /// Fewest substeps to which the budget limits a tick.
        pub min_substeps: u32 [1 to 64] = 1,
        /// Fewest sweeps over the pairs of a viscous liquid to which the budget limits a substep.
        pub min_viscosity_sweeps: u32 [1 to 64] = 2,
    }
}

stored!(settings FluidBudget, check Self::validate);

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

    #[cfg(feature = "scene")]
    fn read(text: &str) -> FluidParameters {
        let options = ron::Options::default()
            .with_default_extension(ron::extensions::Extensions::IMPLICIT_SOME);
        options.from_str(text).expect(text)
    }

    #[cfg(feature = "scene")]
    #[test]
    fn a_solver_is_chosen_by_name() {
        for solver in FluidSolver::ALL {
            assert_eq!(read(&format!("(solver: {})", solver.name())).solver, solver);
        }
        assert_eq!(read("()"), FluidParameters::default());
    }

    #[cfg(feature = "scene")]
    #[test]
    fn what_is_written_is_read_again() {
        let parameters = FluidParameters {
            solver: FluidSolver::Classic,
            rest_density: Some(9.0),
            ..FluidParameters::new(0.1, Vec2::new(0.0, -9.81))
        };
        let text = ron::to_string(&parameters).expect("written");
        assert_eq!(read(&text), parameters);
    }
}
