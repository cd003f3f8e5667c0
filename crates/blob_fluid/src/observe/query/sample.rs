//! Samples the liquid at a point with the solver's kernel.

use glam::Vec2;

use crate::liquid::state::Liquid;
use crate::settings::class::ClassId;
use crate::settings::class_filter::ClassFilter;
use crate::settings::class_table::ClassTable;

/// Relative density at the liquid's surface: the density at the edge of a half plane of liquid.
pub(super) const SURFACE_DENSITY: f32 = 0.5;

/// The density of a particle itself, which the sum over its neighbours does not contain.
const OWN_DENSITY: f32 = 1.0;

impl Liquid {
    /// Density of the liquid at a point, relative to the density at rest. It is about 1 inside the
    /// liquid. It is 0 if the point is farther than the interaction radius from all particles, or
    /// not finite.
    ///
    /// The liquid's surface is where the relative density is a half. This is half a particle
    /// spacing beyond the outermost particles of a large amount of liquid. Single drops and thin
    /// spray have no surface.
    ///
    /// ```
    /// use blob_fluid::{FluidWorld, ParticleSpawn, shape::FluidShape};
    /// use glam::Vec2;
    /// let mut world = FluidWorld::default();
    /// let spacing = world.parameters().particle_spacing;
    /// for position in (FluidShape::Circle { radius: 100.0 }).fill(Vec2::ZERO, spacing) {
    ///     world.spawn(ParticleSpawn { position, ..Default::default() })?;
    /// }
    /// assert!((world.density_at(Vec2::new(10.0, 0.0)) - 1.0).abs() < 0.2);
    /// assert!((world.density_at(Vec2::new(100.0, 0.0)) - 0.5).abs() < 0.2);
    /// assert_eq!(world.density_at(Vec2::new(140.0, 0.0)), 0.0);
    /// # Ok::<(), blob_fluid::SpawnError>(())
    /// ```
    pub fn density_at(&self, point: Vec2) -> f32 {
        self.density_of(point, ClassFilter::ALL)
    }

    /// Mean velocity of the liquid at a point, in world units/s; nearer particles have more weight.
    /// `None` if the point is farther than the interaction radius from all particles, or not
    /// finite.
    pub fn velocity_at(&self, point: Vec2) -> Option<Vec2> {
        let (mut total, mut sum) = (0.0, Vec2::ZERO);
        self.for_each_part(point, ClassFilter::ALL, |index, density, _| {
            total += density;
            sum += density * self.particles.velocity[index];
        });
        (total > 0.0).then(|| sum / total)
    }

    /// Share of each class in the liquid at a point, 0 to 1, by class index; the sum is 1. `None`
    /// where [`velocity_at`](Self::velocity_at) is `None`.
    pub fn mix_at(&self, point: Vec2) -> Option<Vec<f32>> {
        let mut shares = vec![0.0; self.classes().len()];
        self.for_each_part(point, ClassFilter::ALL, |index, density, _| {
            shares[self.particles.class[index].index()] += density;
        });
        let total: f32 = shares.iter().sum();
        shares.iter_mut().for_each(|share| *share /= total);
        (total > 0.0).then_some(shares)
    }

    /// Calls `visit` for each particle of some classes within the interaction radius of a point,
    /// with its index, its part of the relative density at the point, and the slope of that part
    /// away from the particle.
    pub(super) fn for_each_part(
        &self,
        point: Vec2,
        classes: ClassFilter,
        mut visit: impl FnMut(usize, f32, Vec2),
    ) {
        if !point.is_finite() {
            return;
        }
        let radius = self.parameters().interaction_radius();
        let within = radius * radius;
        let particles = self.particles();
        self.particles.index().visit(
            |bounds| bounds.distance_squared(point) < within,
            |run| {
                for index in run {
                    let offset = point - particles.position[index];
                    let squared = offset.length_squared();
                    let class = particles.class[index];
                    // This is also false for NaN.
                    if squared < within && classes.contains(class) {
                        let distance = squared.sqrt();
                        let weight = 1.0 - distance / radius;
                        let part = weight / (self.equilibrium_density(class) + OWN_DENSITY);
                        let away = if distance > 0.0 { offset / distance } else { Vec2::ZERO };
                        visit(index, weight * part, (2.0 * part / radius) * away);
                    }
                }
            },
        );
    }

    /// Relative density of only some classes.
    pub(super) fn density_of(&self, point: Vec2, classes: ClassFilter) -> f32 {
        let mut total = 0.0;
        self.for_each_part(point, classes, |_, density, _| total += density);
        total
    }

    /// Whether a point lies in liquid of some classes: whether the [relative
    /// density](Self::density_at) of only these classes is at least a half there.
    pub fn is_in_liquid(&self, point: Vec2, classes: ClassFilter) -> bool {
        self.density_of(point, classes) >= SURFACE_DENSITY
    }

    /// Direction out of the liquid at a point, as a unit vector, or zero if there is no such
    /// direction; and the class that most of the liquid there belongs to, or the first of equal
    /// classes.
    pub(super) fn surface_at(&self, point: Vec2, classes: ClassFilter) -> (Vec2, ClassId) {
        let mut shares = [0.0_f32; ClassTable::MAX_CLASSES];
        let mut slope = Vec2::ZERO;
        self.for_each_part(point, classes, |index, density, steepness| {
            shares[self.particles.class[index].index()] += density;
            slope += steepness;
        });
        let first =
            |most: usize, class: usize| if shares[class] > shares[most] { class } else { most };
        let class = (0..shares.len()).fold(0, first);
        (slope.normalize_or_zero(), ClassId(class as u8))
    }
}
