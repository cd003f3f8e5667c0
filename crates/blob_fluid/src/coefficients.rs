//! The settings as the passes use them: in world units and seconds, for one substep.

use glam::Vec2;

use crate::class::{ClassId, ClassViscosity, DensityClass};
use crate::class_pair::Reaction;
use crate::class_table::ClassTable;
use crate::effort::Effort;
use crate::kernel::{least, positive};
use crate::parameters::{FluidParameters, MassSplit, Relaxation, Viscosity, Wall};
use crate::thermal::Transition;

/// Particles per `h^2` behind a wall, per unit of equilibrium density: a plane of `n` particles per
/// `h^2` has the density `n pi/6`, and half as many again behind the wall stand in for its
/// rigidity.
pub(crate) const GHOST_DENSITY_PER_EQUILIBRIUM: f32 = 1.5 * 6.0 / std::f32::consts::PI;

/// Numbers of one class during a substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClassCoefficients {
    pub mass: f32,
    pub inverse_mass: f32,
    /// Change of velocity by gravity in one substep.
    pub gravity_impulse: Vec2,
    /// Part of its weight that a particle loses per degree above the surroundings.
    pub expansion: f32,
    pub rest_density: f32,
    pub equilibrium_density: f32,
    pub stiffness: f32,
    pub near_stiffness: f32,
    /// Particles per `h^2` behind a ghost wall.
    pub ghost_density: f32,
    pub elastic: Option<ElasticCoefficients>,
    /// `dt` times the rates at which it exchanges heat with its like and with the surroundings.
    pub conductivity: f32,
    pub cooling: f32,
    /// Temperature above which it becomes another class, and below which.
    pub above: Option<(f32, ClassId)>,
    pub below: Option<(f32, ClassId)>,
    /// Whether it reacts with any class.
    pub reacts: bool,
    /// In how many sweeps of the viscosity some pair of it takes part.
    pub viscosity_sweeps: u32,
}

/// Numbers of an elastic class during a substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ElasticCoefficients {
    /// `dt^2 k_spring`, within what is stable.
    pub stiffness: f32,
    pub yield_ratio: f32,
    /// `dt alpha`, at most 1: a rest length does not overshoot.
    pub plasticity: f32,
    /// In world units.
    pub least_rest_length: f32,
}

/// Largest `dt^2 k_spring` at which a gather over a particle's springs is stable, with margin:
/// measured 0.28 with 37 springs each.
pub(crate) const STABLE_SPRING: f32 = 0.25;

/// Largest `dt kappa` at which one sweep over the fifteen particles that neighbours at rest amount
/// to (`sum q`), each with half of it, is stable.
const STABLE_CONDUCTION: f32 = 0.12;

/// Viscosity between two classes during a sweep: `dt sigma`, `dt beta` and `dt` times the linear
/// part, each sweep with its part of `dt`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct PairViscosity {
    /// In how many sweeps the pair takes part, from the first.
    pub sweeps: u32,
    /// In how many more it would, were they not too much effort.
    pub given_up: u32,
    pub approach: f32,
    pub quadratic: f32,
    pub linear: f32,
}

/// What a particle of one class becomes next to one of another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ReactionCoefficients {
    /// `dt` times the rate.
    pub rate: f32,
    pub becomes: Option<ClassId>,
    pub temperature: Option<f32>,
}

/// Most sweeps over the pairs that viscosity takes in a substep.
const MOST_VISCOSITY_SWEEPS: f32 = 8.0;

/// Numbers of one substep.
#[derive(Clone, Debug, Default)]
pub(crate) struct Coefficients {
    pub time_step: f32,
    pub interaction_radius: f32,
    pub inverse_radius: f32,
    /// Pairs closer than this are coincident: their direction comes from their ids.
    pub coincidence: f32,
    /// `h/dt^2`: the pressure scale at which a substep is only just stable.
    pub pressure_limit: f32,
    /// `pressure_limit` in the capped form, 0 in the classic one.
    pub capped_stiffness: f32,
    pub inverse_mass_split: bool,
    /// Viscosity of all pairs, if it is the same up to a factor (see `viscosity_shares`).
    pub uniform_viscosity: Option<PairViscosity>,
    /// `[i * classes + j]`: viscosity between two classes, if it is not uniform.
    pub pair_viscosities: Vec<PairViscosity>,
    pub viscosity_limit: f32,
    /// `dt` times each drag.
    pub calm_drag: f32,
    pub inverse_calm_speed: f32,
    pub drag: f32,
    pub wall_friction: f32,
    /// `dt/T0`.
    pub per_time_unit: f32,
    pub particle_spacing: f32,
    pub ambient_temperature: f32,
    pub wall: Option<Wall>,
    /// Speed at which particles leave a wall they touch.
    pub unsticking_speed: f32,
    /// `V0`.
    pub speed_unit: f32,
    /// Distance beyond the wall that a reflecting wall tolerates.
    pub dead_zone: f32,
    pub classes: Vec<ClassCoefficients>,
    /// `[i * classes + j]`: share of a pair's displacement that a particle of class `i` takes
    /// against one of class `j` when masses split it, `m_j / (m_i + m_j)`.
    pub inverse_mass_shares: Vec<f32>,
    /// The same, where viscosity is uniform times its factor between the two classes.
    pub viscosity_shares: Vec<f32>,
    /// `[i * classes + j]`: attraction between two classes, in world units/s²; empty if there is
    /// none.
    pub attractions: Vec<f32>,
    /// `[i * classes + j]`: `dt` times the rate at which a particle of class `i` takes on the
    /// temperature of one of class `j`; empty if no class conducts heat.
    pub conductivities: Vec<f32>,
    /// `[i * classes + j]`: what class `i` becomes next to class `j`; empty if nothing reacts.
    pub reactions: Vec<Option<ReactionCoefficients>>,
}

impl Coefficients {
    /// Derives everything from valid settings for substeps of `time_step` seconds, reusing its own
    /// memory.
    pub(crate) fn derive(
        &mut self,
        parameters: &FluidParameters,
        classes: &ClassTable,
        effort: Effort,
        time_step: f32,
    ) {
        let radius = parameters.interaction_radius();
        let time_unit = parameters.time_unit();
        let speed_unit = parameters.speed_unit();
        let per_time_unit = time_step / time_unit;
        let settles = if parameters.gravity == Vec2::ZERO { 0.0 } else { 1.0 };
        let settling = &parameters.settling;

        self.time_step = time_step;
        self.interaction_radius = radius;
        self.inverse_radius = 1.0 / radius;
        self.coincidence = 1e-4 * radius;
        self.pressure_limit = radius / (time_step * time_step);
        self.capped_stiffness = match parameters.relaxation {
            Relaxation::Capped => self.pressure_limit,
            Relaxation::Classic => 0.0,
        };
        self.inverse_mass_split = parameters.mass_split == MassSplit::InverseMass;
        self.calm_drag = settles * settling.calm_drag * per_time_unit;
        self.inverse_calm_speed = match settling.calm_speed * speed_unit {
            speed if speed > 0.0 => 1.0 / speed,
            _ => f32::MAX,
        };
        self.drag = settles * settling.drag * per_time_unit;
        self.wall_friction = settles * settling.wall_friction * per_time_unit;
        self.per_time_unit = per_time_unit;
        self.particle_spacing = parameters.particle_spacing;
        self.ambient_temperature = parameters.ambient_temperature;
        self.wall = Some(parameters.wall);
        self.speed_unit = speed_unit;
        let ghost = match parameters.wall {
            Wall::Ghost { density, unsticking } => {
                self.unsticking_speed = unsticking * speed_unit;
                self.dead_zone = 0.0;
                density
            }
            Wall::Reflect { dead_zone, unsticking, .. } => {
                self.unsticking_speed = unsticking * speed_unit;
                self.dead_zone = dead_zone * parameters.particle_spacing;
                0.0
            }
        };

        let stiffness = parameters.stiffness * parameters.reference_acceleration;
        let near_stiffness = stiffness * parameters.near_stiffness_ratio;
        let equilibrium_density =
            parameters.effective_rest_density() * parameters.equilibrium_ratio;
        let transition = |transition: &Option<Transition>| {
            let transition = transition.as_ref()?;
            Some((transition.temperature, classes.find(&transition.becomes)?))
        };
        let per_class = |class: &DensityClass| ClassCoefficients {
            mass: class.mass,
            inverse_mass: 1.0 / class.mass,
            gravity_impulse: parameters.gravity * (class.gravity_scale * time_step),
            expansion: class.thermal.expansion,
            rest_density: parameters.rest_density_of(class),
            equilibrium_density: equilibrium_density * class.relative_rest_density,
            stiffness: stiffness * class.stiffness,
            near_stiffness: near_stiffness * class.near_stiffness,
            ghost_density: ghost
                * GHOST_DENSITY_PER_EQUILIBRIUM
                * equilibrium_density
                * class.relative_rest_density,
            elastic: class.elasticity.map(|elasticity| ElasticCoefficients {
                stiffness: (elasticity.stiffness * per_time_unit * per_time_unit)
                    .min(STABLE_SPRING),
                yield_ratio: elasticity.yield_ratio,
                plasticity: (elasticity.plasticity * per_time_unit).min(1.0),
                least_rest_length: elasticity.least_rest_length * radius,
            }),
            conductivity: class.thermal.conductivity * per_time_unit,
            cooling: class.thermal.cooling * per_time_unit,
            above: transition(&class.thermal.above),
            below: transition(&class.thermal.below),
            reacts: false,
            viscosity_sweeps: 1,
        };
        self.classes.clear();
        self.classes.extend(classes.iter().map(per_class));
        self.inverse_mass_shares.clear();
        for of_i in &self.classes {
            let shares = self.classes.iter().map(|of_j| of_j.mass / (of_i.mass + of_j.mass));
            self.inverse_mass_shares.extend(shares);
        }
        self.derive_viscosity(parameters, classes, effort.viscosity_sweeps);
        self.derive_attractions(parameters, classes);
        self.derive_conductivities();
        self.derive_reactions(classes);
    }

    fn derive_viscosity(
        &mut self,
        parameters: &FluidParameters,
        classes: &ClassTable,
        most_sweeps: u32,
    ) {
        let viscosity = &parameters.viscosity;
        let Viscosity { approach, quadratic, linear, .. } = *viscosity;
        let of_liquid = ClassViscosity { approach, quadratic, linear };
        let count = classes.len();
        self.viscosity_limit = viscosity.limit;
        let (per_time_unit, time_step) = (self.per_time_unit, self.time_step);
        let per_sweep = |own: ClassViscosity| {
            let wanted = own.linear * per_time_unit / viscosity.limit;
            let wanted = wanted.ceil().clamp(1.0, MOST_VISCOSITY_SWEEPS);
            let sweeps = wanted.min(most_sweeps.max(1) as f32);
            PairViscosity {
                sweeps: sweeps as u32,
                given_up: (wanted - sweeps) as u32,
                approach: own.approach * per_time_unit / sweeps,
                quadratic: own.quadratic * time_step / parameters.particle_spacing / sweeps,
                linear: (own.linear * per_time_unit / sweeps).min(viscosity.limit),
            }
        };
        self.pair_viscosities.clear();
        self.viscosity_shares.clear();
        let is_uniform = classes.iter().all(|class| class.viscosity.is_none())
            && classes.pairs().iter().all(|pair| pair.viscosity.is_none());
        self.uniform_viscosity = is_uniform.then(|| per_sweep(of_liquid));
        if let Some(uniform) = self.uniform_viscosity {
            let shares = self.inverse_mass_shares.iter().enumerate().map(|(index, share)| {
                let same = index / count == index % count;
                share * if same { 1.0 } else { viscosity.cross_class }
            });
            self.viscosity_shares.extend(shares);
            self.classes.iter_mut().for_each(|class| class.viscosity_sweeps = uniform.sweeps);
            return;
        }
        self.viscosity_shares.extend_from_slice(&self.inverse_mass_shares);
        for (i, of_i) in classes.iter().enumerate() {
            for (j, of_j) in classes.iter().enumerate() {
                let (of_i, of_j) =
                    (of_i.viscosity.unwrap_or(of_liquid), of_j.viscosity.unwrap_or(of_liquid));
                let factor = 0.5 * if i == j { 1.0 } else { viscosity.cross_class };
                self.pair_viscosities.push(per_sweep(ClassViscosity {
                    approach: factor * (of_i.approach + of_j.approach),
                    quadratic: factor * (of_i.quadratic + of_j.quadratic),
                    linear: factor * (of_i.linear + of_j.linear),
                }));
            }
        }
        for pair in classes.pairs() {
            if let (Some((i, j)), Some(own)) = (ids(classes, &pair.classes), pair.viscosity) {
                self.pair_viscosities[i * count + j] = per_sweep(own);
                self.pair_viscosities[j * count + i] = per_sweep(own);
            }
        }
        for (class, pairs) in self.classes.iter_mut().zip(self.pair_viscosities.chunks(count)) {
            class.viscosity_sweeps = pairs.iter().map(|pair| pair.sweeps).max().unwrap_or(1);
        }
    }

    /// How often viscosity goes over the pairs.
    pub(crate) fn viscosity_sweeps(&self) -> u32 {
        self.classes.iter().map(|class| class.viscosity_sweeps).max().unwrap_or(0)
    }

    /// How many more sweeps the most viscous pair would take, were they not too much effort.
    pub(crate) fn viscosity_sweeps_given_up(&self) -> u32 {
        let all = self.uniform_viscosity.iter().chain(&self.pair_viscosities);
        all.map(|pair| pair.given_up).max().unwrap_or(0)
    }

    fn derive_attractions(&mut self, parameters: &FluidParameters, classes: &ClassTable) {
        self.attractions.clear();
        let any = classes.iter().any(|class| class.surface_tension != 0.0)
            || classes.pairs().iter().any(|pair| pair.cohesion != 0.0);
        if !any {
            return;
        }
        let count = classes.len();
        let unit = parameters.reference_acceleration;
        self.attractions.resize(count * count, 0.0);
        for (i, class) in classes.iter().enumerate() {
            self.attractions[i * count + i] = class.surface_tension * unit;
        }
        for pair in classes.pairs() {
            if let Some((i, j)) = ids(classes, &pair.classes) {
                self.attractions[i * count + j] = pair.cohesion * unit;
                self.attractions[j * count + i] = pair.cohesion * unit;
            }
        }
    }

    fn derive_conductivities(&mut self) {
        self.conductivities.clear();
        if self.classes.iter().all(|class| class.conductivity == 0.0) {
            return;
        }
        for (index, share) in self.inverse_mass_shares.iter().enumerate() {
            let (i, j) = (index / self.classes.len(), index % self.classes.len());
            let (a, b) = (self.classes[i].conductivity, self.classes[j].conductivity);
            let mean = if a + b > 0.0 { 2.0 * a * b / (a + b) } else { 0.0 };
            self.conductivities.push(mean.min(STABLE_CONDUCTION) * share);
        }
    }

    fn derive_reactions(&mut self, classes: &ClassTable) {
        self.reactions.clear();
        let count = classes.len();
        for pair in classes.pairs() {
            let (Some((i, j)), Some(reaction)) = (ids(classes, &pair.classes), &pair.reaction)
            else {
                continue;
            };
            self.reactions.resize(count * count, None);
            let Reaction { rate, becomes, temperature } = reaction;
            for (own, other, becomes) in [(i, j, &becomes[0]), (j, i, &becomes[1])] {
                self.reactions[own * count + other] = Some(ReactionCoefficients {
                    rate: rate * self.per_time_unit,
                    becomes: becomes.as_ref().and_then(|name| classes.find(name)),
                    temperature: *temperature,
                });
                self.classes[own].reacts |= becomes.is_some();
            }
        }
    }

    /// Whether temperatures change by themselves.
    pub(crate) fn exchanges_heat(&self) -> bool {
        !self.conductivities.is_empty() || self.classes.iter().any(|class| class.cooling > 0.0)
    }

    /// Whether classes turn into others.
    pub(crate) fn reacts(&self) -> bool {
        let turns = |class: &ClassCoefficients| {
            class.reacts || class.above.is_some() || class.below.is_some()
        };
        self.classes.iter().any(turns)
    }

    /// Whether viscosity does anything.
    pub(crate) fn is_viscous(&self) -> bool {
        let acts = |own: &PairViscosity| own.approach + own.quadratic + own.linear > 0.0;
        self.uniform_viscosity.iter().chain(&self.pair_viscosities).any(acts)
    }

    /// Whether walls show the liquid a density behind them.
    pub(crate) fn has_ghost_walls(&self) -> bool {
        matches!(self.wall, Some(Wall::Ghost { .. }))
    }

    /// Pressure and near pressure of a particle: the equation of state.
    ///
    /// `P = k (rho - rho0) + (h/dt^2) max(0, rho - rho_eq)/rho^2` and `P_near = k_near rho_near`,
    /// each at most `(h/dt^2)/rho`, which only particles packed dozens of times too densely reach:
    /// it bounds the speed at which such a clump comes apart.
    ///
    /// Takes `(k, k_near)` and `(rho0, rho_eq)` of the particle's class.
    #[inline(always)]
    pub(crate) fn pressures(
        &self,
        density: f32,
        near_density: f32,
        (stiffness, near_stiffness): (f32, f32),
        (rest_density, equilibrium_density): (f32, f32),
    ) -> (f32, f32) {
        let excess = positive(density - equilibrium_density);
        let floor = if density > 1e-3 { density } else { 1e-3 };
        let bound = self.pressure_limit / floor;
        let pressure =
            stiffness * (density - rest_density) + self.capped_stiffness * excess / (floor * floor);
        (least(pressure, bound), least(near_stiffness * near_density, bound))
    }
}

/// Places in the table of a pair's classes.
fn ids(classes: &ClassTable, names: &[String; 2]) -> Option<(usize, usize)> {
    Some((classes.find(&names[0])?.index(), classes.find(&names[1])?.index()))
}
