//! Coefficients that the passes of all solvers use, derived from the settings: in world units and seconds, for one
//! substep.

use glam::Vec2;

use crate::solver::equation_of_state::Resistance;
use crate::{
    ClassId, ClassTable, DensityClass, FluidParameters, FluidPowder, FluidReaction, FluidSolver,
    FluidTransition,
};

/// Coefficients of one class in a substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClassCoefficients {
    pub mass: f32,
    pub inverse_mass: f32,
    pub gravity_scale: f32,
    /// Change of velocity by gravity in one substep.
    pub gravity_impulse: Vec2,
    /// Coulomb's friction coefficient of grains on walls that set no friction. `None` for classes that
    /// [`Coefficients::wall_friction`] slows down at such walls.
    pub powder_wall_friction: Option<f32>,
    /// Fraction of its weight that a particle loses per degree above the ambient temperature.
    pub expansion: f32,
    /// `dt` times the rate of heat exchange with particles of the same class; `cooling`: with the surroundings.
    pub conductivity: f32,
    pub cooling: f32,
    /// The temperature above which a particle changes its class, and the new class. `below`: the same for temperatures
    /// below a limit.
    pub above: Option<(f32, ClassId)>,
    pub below: Option<(f32, ClassId)>,
    /// Heat that the change above a temperature consumes, in degrees.
    pub latent_heat: f32,
    /// The classes that change this class on contact.
    pub reaction_partners: ClassSet,
}

/// Largest fraction of the temperature difference that the lighter particle of a pair takes in a sweep of heat
/// conduction, at distance 0. In liquid at rest, the weights `q` of a particle's neighbours have the sum 15, so
/// one sweep is stable.
const MAX_CONDUCTED_FRACTION: f32 = 0.06;

/// Time between two exchanges of paint, in T0. Paint spreads so slowly that the steps are invisible. With the default
/// units, an exchange in every tick would cost four times as much.
const PAINT_INTERVAL: f32 = 0.3;

/// Largest change of a particle's velocity by gravity, or by all forces together, in one substep, in interaction radii
/// per substep. Such velocities are far beyond a valid simulation. The limit keeps positions precise.
const MAX_VELOCITY_CHANGE_IN_RADII: f32 = 16.0;

/// Largest velocity to which pressure, springs and attraction accelerate a particle, in interaction radii per substep.
/// Overlapping particles separate at one or two.
const MAX_DISPLACEMENT_IN_RADII: f32 = 4.0;

/// Reaction of a particle of one class to a particle of another class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ReactionCoefficients {
    /// `dt` times the rate of the reaction.
    pub rate: f32,
    pub becomes: Option<ClassId>,
    pub temperature: Option<f32>,
}

/// Coefficients of one substep.
#[derive(Clone, Debug, Default)]
pub(crate) struct Coefficients {
    pub time_step: f32,
    pub interaction_radius: f32,
    pub inverse_radius: f32,
    /// Two particles closer than this distance are coincident: their ids determine the direction between them.
    pub coincidence_distance: f32,
    /// `dt` times each drag.
    pub calm_drag: f32,
    pub inverse_calm_speed: f32,
    pub drag: f32,
    pub wall_friction: f32,
    /// `dt/T0`.
    pub per_time_unit: f32,
    pub particle_spacing: f32,
    pub gravity: Vec2,
    pub ambient_temperature: f32,
    /// Speed at which a particle that touches a wall is moved back inside ("unsticking"), at most an interaction radius
    /// per substep.
    pub unsticking_speed: f32,
    /// Largest change of a particle's velocity by gravity, or by all forces together, in one substep. The change of
    /// weight by heat is not included.
    pub max_velocity_change: f32,
    /// Pressure, springs and attraction accelerate a particle at most to this speed, in world units per substep. A
    /// faster particle does not get faster.
    pub max_displacement: f32,
    /// Largest speed to which the liquid accelerates bodies; infinite unless a change is eased in.
    pub max_body_speed: f32,
    /// `V0`.
    pub speed_unit: f32,
    pub classes: Vec<ClassCoefficients>,
    /// `[i * classes + j]`: `m_j / (m_i + m_j)`.
    pub mass_shares: Vec<f32>,
    /// `[i * classes + j]`: `dt` times the rate at which the temperature of a particle of class `i` approaches that of
    /// class `j`. Empty if no class conducts heat.
    pub conductivities: Vec<f32>,
    /// `[i * classes + j]`: the rate, in 1/s, at which the paints of particles of classes `i` and `j` approach
    /// each other. Empty if no class exchanges paint.
    pub paint_diffusions: Vec<f32>,
    /// Seconds between two exchanges of paint.
    pub paint_interval: f32,
    /// `[i * classes + j]`: the reaction of class `i` to class `j`; empty if no class reacts.
    pub reactions: Vec<Option<ReactionCoefficients>>,
}

impl Coefficients {
    /// Derives all coefficients from valid settings, for substeps of `time_step` seconds. `unsticking` is the solver's
    /// unsticking speed, in V0. Reuses its allocations.
    pub(crate) fn derive(
        &mut self,
        parameters: &FluidParameters,
        classes: &ClassTable,
        unsticking: f32,
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
        self.coincidence_distance = 1e-4 * radius;
        self.calm_drag = settles * settling.calm_drag * per_time_unit;
        self.inverse_calm_speed = match settling.calm_speed * speed_unit {
            speed if speed > 0.0 => 1.0 / speed,
            _ => f32::MAX,
        };
        self.drag = parameters.drag_in(time_step);
        self.wall_friction = settles * settling.wall_friction * per_time_unit;
        self.per_time_unit = per_time_unit;
        self.particle_spacing = parameters.particle_spacing;
        self.gravity = parameters.gravity;
        self.ambient_temperature = parameters.ambient_temperature;
        self.speed_unit = speed_unit;
        self.unsticking_speed = (unsticking * speed_unit).min(radius / time_step);
        let max_velocity_change = MAX_VELOCITY_CHANGE_IN_RADII * radius / time_step;
        self.max_velocity_change = max_velocity_change;
        self.max_displacement = MAX_DISPLACEMENT_IN_RADII * radius;
        self.max_body_speed = f32::INFINITY;

        let transition = |transition: &Option<FluidTransition>| {
            let transition = transition.as_ref()?;
            Some((transition.temperature, classes.find(&transition.becomes)?))
        };
        let has_powder = parameters.solver == FluidSolver::DoubleDensity;
        let powder_wall_friction = |class: &DensityClass| {
            class.powder.filter(|_| has_powder).map(|powder| friction_of(&powder))
        };
        let per_class = |class: &DensityClass| ClassCoefficients {
            mass: class.mass,
            powder_wall_friction: powder_wall_friction(class),
            inverse_mass: 1.0 / class.mass,
            gravity_scale: class.gravity_scale,
            gravity_impulse: (parameters.gravity * (class.gravity_scale * time_step))
                .clamp_length_max(max_velocity_change),
            expansion: class.thermal.expansion,
            conductivity: class.thermal.conductivity * per_time_unit,
            cooling: class.thermal.cooling * per_time_unit,
            above: transition(&class.thermal.above),
            below: transition(&class.thermal.below),
            latent_heat: class.thermal.latent_heat,
            reaction_partners: ClassSet::NONE,
        };
        self.classes.clear();
        self.classes.extend(classes.iter().map(per_class));
        self.mass_shares.clear();
        for class_i in &self.classes {
            let shares =
                self.classes.iter().map(|class_j| class_j.mass / (class_i.mass + class_j.mass));
            self.mass_shares.extend(shares);
        }
        self.derive_conductivities();
        self.derive_paint_diffusions(classes, time_unit);
        self.derive_reactions(classes);
    }

    /// Limits the speed to which pressure, springs and attraction accelerate a particle, and the speed to which the
    /// liquid accelerates a body, to `limit` V0.
    pub(crate) fn limit_speeds(&mut self, limit: f32) {
        let max_speed = limit * self.speed_unit;
        self.max_displacement = self.max_displacement.min(max_speed * self.time_step);
        self.max_body_speed = max_speed;
    }

    /// The fractions of a pair's displacement for the particle of class `i` and for the particle of class `j`:
    /// `m_j/(m_i + m_j)` and `m_i/(m_i + m_j)`.
    pub(crate) fn shares(&self, i: usize, j: usize) -> (f32, f32) {
        let count = self.classes.len();
        (self.mass_shares[i * count + j], self.mass_shares[j * count + i])
    }

    fn derive_conductivities(&mut self) {
        self.conductivities.clear();
        if self.classes.iter().all(|class| class.conductivity == 0.0) {
            return;
        }
        for index in 0..self.mass_shares.len() {
            let (i, j) = (index / self.classes.len(), index % self.classes.len());
            let (share, other_share) = self.shares(i, j);
            let (a, b) = (self.classes[i].conductivity, self.classes[j].conductivity);
            let mean = if a + b > 0.0 { 2.0 * a * b / (a + b) } else { 0.0 };
            // Both particles of a pair have the same limit, so that heat is conserved.
            let max_stable = MAX_CONDUCTED_FRACTION / share.max(other_share);
            self.conductivities.push(mean.min(max_stable) * share);
        }
    }

    fn derive_paint_diffusions(&mut self, classes: &ClassTable, time_unit: f32) {
        self.paint_diffusions.clear();
        self.paint_interval = PAINT_INTERVAL * time_unit;
        let diffusion_of = |class: &DensityClass| class.paint.map_or(0.0, |paint| paint.diffusion);
        let paired = || classes.pairs().iter().filter_map(|pair| pair.paint_diffusion);
        if !classes.take_paint()
            || classes.iter().map(diffusion_of).chain(paired()).all(|rate| rate == 0.0)
        {
            return;
        }
        // Each particle of a pair covers half of the difference.
        let half = 0.5 / time_unit;
        for a in classes.iter().map(diffusion_of) {
            let mean = |b: f32| if a + b > 0.0 { 2.0 * a * b / (a + b) } else { 0.0 };
            self.paint_diffusions.extend(classes.iter().map(diffusion_of).map(|b| half * mean(b)));
        }
        let takes_paint =
            |class: usize| classes.iter().nth(class).is_some_and(|class| class.paint.is_some());
        for pair in classes.pairs() {
            if let (Some((i, j)), Some(rate)) =
                (classes.indices_of(&pair.classes), pair.paint_diffusion)
                && takes_paint(i)
                && takes_paint(j)
            {
                self.paint_diffusions[i * classes.len() + j] = half * rate;
                self.paint_diffusions[j * classes.len() + i] = half * rate;
            }
        }
    }

    fn derive_reactions(&mut self, classes: &ClassTable) {
        self.reactions.clear();
        let count = classes.len();
        for pair in classes.pairs() {
            let (Some((i, j)), Some(reaction)) =
                (classes.indices_of(&pair.classes), &pair.reaction)
            else {
                continue;
            };
            self.reactions.resize(count * count, None);
            let FluidReaction { rate, becomes, temperature } = reaction;
            for (class, other, becomes) in [(i, j, &becomes[0]), (j, i, &becomes[1])] {
                self.reactions[class * count + other] = Some(ReactionCoefficients {
                    rate: rate * self.per_time_unit,
                    becomes: becomes.as_ref().and_then(|name| classes.find(name)),
                    temperature: *temperature,
                });
                if becomes.is_some() {
                    let partners = &mut self.classes[class].reaction_partners;
                    *partners = partners.union(ClassSet::of(ClassId(other as u8)));
                }
            }
        }
    }
}

// Small sets of classes, with which a pass decides which interactions it has to compute.

/// A conservative set of classes. All classes with an index above 63 count as every class, so
/// [`contains`](Self::contains) may return true for a class that was not added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ClassSet(u64);

impl ClassSet {
    /// No class.
    pub(crate) const NONE: Self = Self(0);

    /// Every class.
    pub(crate) const ALL: Self = Self(u64::MAX);

    /// The set that contains one class.
    #[inline(always)]
    pub(crate) fn of(class: ClassId) -> Self {
        if u32::from(class.0) < u64::BITS { Self(1 << class.0) } else { Self::ALL }
    }

    /// The union of the two sets.
    #[inline(always)]
    pub(crate) fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The classes that are in this set but not in `other`. `other` must not contain classes with an index above 63.
    #[inline(always)]
    pub(crate) fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether the two sets have a class in common.
    #[inline(always)]
    pub(crate) fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    #[inline(always)]
    pub(crate) fn contains(self, class: ClassId) -> bool {
        self.intersects(Self::of(class))
    }

    /// Whether the set has more than one class.
    #[inline(always)]
    pub(crate) fn has_several(self) -> bool {
        self.0 & self.0.wrapping_sub(1) != 0
    }
}

impl FromIterator<ClassId> for ClassSet {
    fn from_iter<T: IntoIterator<Item = ClassId>>(classes: T) -> Self {
        classes.into_iter().fold(Self::NONE, |set, class| set.union(Self::of(class)))
    }
}

// Friction of powder classes.

/// Shear stiffness, relative to twice the bulk stiffness at the largest pressures. Powder boils from twice this value
/// on.
const SHEAR_STIFFNESS_RATIO: f32 = 0.4;

/// Friction coefficients of a powder class in a substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GrainCoefficients {
    /// Tangent of the friction angle.
    pub friction: f32,
    /// `m` times the cohesion, in world units/s².
    pub cohesion: f32,
    /// `m` times the stress of a unit strain, times the square of the density.
    pub shear: f32,
}

impl GrainCoefficients {
    pub(super) fn of(
        powder: &FluidPowder,
        mass: f32,
        resistance: Resistance,
        reference_acceleration: f32,
        inverse_radius: f32,
    ) -> Self {
        Self {
            friction: friction_of(powder),
            cohesion: mass * powder.cohesion * reference_acceleration,
            shear: mass * SHEAR_STIFFNESS_RATIO * 2.0 * resistance.granular_limit * inverse_radius,
        }
    }
}

/// Coulomb's friction coefficient: the tangent of the friction angle.
pub(crate) fn friction_of(powder: &FluidPowder) -> f32 {
    tangent(powder.friction_angle.to_radians())
}

/// The tangent of an angle of at most 60 degrees, to 7 digits, from the continued fraction
/// `x/(1 - x²/(3 - x²/(5 - x²/(7 - x²/(9 - x²/11)))))`. It is bit-identical on all platforms.
fn tangent(angle: f32) -> f32 {
    let x = f64::from(angle);
    let squared = x * x;
    let inner = 5.0 - squared / (7.0 - squared / (9.0 - squared / 11.0));
    (x / (1.0 - squared / (3.0 - squared / inner))) as f32
}

#[cfg(test)]
mod tests {
    use super::{tangent, *};

    #[test]
    fn a_set_never_lacks_a_class_that_it_was_given() {
        for index in 0..=u8::MAX {
            let class = ClassId(index);
            let set = ClassSet::of(class);
            assert!(set.contains(class) && set.union(ClassSet::of(ClassId(3))).contains(class));
            assert!(ClassSet::ALL.contains(class) && !ClassSet::NONE.contains(class));
            assert_eq!(set.has_several(), index > 63, "what has no bit of its own counts as all");
        }
        let two: ClassSet = [ClassId(1), ClassId(9)].into_iter().collect();
        assert!(two.has_several() && !two.contains(ClassId(2)));
        let left = two.without(ClassSet::of(ClassId(1)));
        assert_eq!(left, ClassSet::of(ClassId(9)));
        assert!(left.intersects(two) && !left.intersects(ClassSet::of(ClassId(1))));
    }

    #[test]
    fn the_tangent_is_exact_to_rounding() {
        for degrees in 0..=60 {
            let angle = (degrees as f32).to_radians();
            let exact = f64::from(angle).tan() as f32;
            assert!((tangent(angle) - exact).abs() <= 2e-7 * exact, "{degrees} degrees");
        }
    }
}
