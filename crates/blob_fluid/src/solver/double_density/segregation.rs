//! Segregation: a force that sorts neighbouring particles by weight. It is not part of Clavet et al. 2005.
//!
//! Particles at rest pack like grains. The packing resists shear, so buoyancy alone leaves drops trapped in the wrong
//! layer and does not completely sort liquids of similar weight. This force acts on the contrast itself and frees the
//! drops.
//!
//! With a weak contrast, some particles would remain in a wrong layer, most of them in the row along a wall. Layers
//! would not become level. There, the packing yields only to a several times larger force. So particles with a weak
//! contrast that are at rest relative to each other get the missing force. It fades where they pass each other, so
//! classes separate at the speed that corresponds to their contrast.

use fearless_simd::prelude::*;
use glam::Vec2;

use crate::parallel::executor::LONG_CHUNK;
use crate::parallel::instructions::{
    Instructions, LANES, LaneVector, Lanes, load, positive_lanes, splat,
};
use crate::particles::arrays::ParticleView;
use crate::solver::coefficients::{ClassSet, Coefficients};
use crate::solver::double_density::seepage::Seepage;
use crate::solver::neighbours::blocks::ClassLanes;
use crate::solver::pass::gravity::buoyancy_fraction;
use crate::{ClassId, ClassTable, DensityClass, Executor, FluidParameters};

/// Sum of `q` over the neighbours of a particle at rest.
const NEIGHBOURS_AT_REST: f32 = 15.0;

/// Largest weight difference (contrast) that counts, relative to the smaller of the two masses. The limit bounds the
/// acceleration of a light particle among heavy ones. Buoyancy sorts larger contrasts.
const MAX_CONTRAST: f32 = 2.0;

/// Relative increase of the force where the heavier particle is above the lighter one, and relative decrease where it
/// is below. Without it, the liquid would circulate forever where the boundary of two layers meets a wall.
const ORDER_ASYMMETRY: f32 = 0.5;

/// Contrast, relative to its limit, that sorts particles without an added force. With a smaller contrast, a force that
/// corresponds to at most the limit is added between particles at rest. The default classes have at least this
/// contrast.
pub(crate) const STRONG_CONTRAST: f32 = 0.25;

/// Relative speed of two particles, in V0, from which on no force is added.
const PASSING_SPEED: f32 = 0.5;

/// Contrast, relative to its limit, below which the effect of the order of two particles decreases to 0.
pub(crate) const MIN_CONTRAST: f32 = 0.02;

/// A particle stays awake while the sum of `q cos/2` over neighbours on the wrong side is larger than this value. This
/// value is about a third of the sum for a particle inside a wrong layer. It is twice the sum for a particle that
/// protrudes from its own layer by half a spacing.
pub(crate) const SLEEP_DISORDER_LIMIT: f32 = 0.8;

/// Segregation coefficients of two classes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct PairSegregation {
    /// `kappa/15`, where 15 is the sum of `q` over the neighbours of a particle at rest.
    factor: f32,
    /// Largest weight difference that counts.
    limit: f32,
}

/// Segregation coefficients of all pairs of classes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Segregation {
    /// `[i * classes + j]`; empty if no classes are sorted.
    pairs: Vec<PairSegregation>,
    /// The classes that each class is sorted against; empty if no classes are sorted.
    partners: Vec<ClassSet>,
    /// [`ORDER_ASYMMETRY`] times the direction of gravity.
    pub weighted_gravity_direction: Vec2,
    /// Inverse square of [`PASSING_SPEED`], in s²/world units².
    pub per_squared_speed: f32,
}

impl Segregation {
    /// Derives the coefficients from valid settings. Reuses its allocations. Buoyancy alone sorts classes that share
    /// their space by `seepage`.
    pub(super) fn derive(
        &mut self,
        parameters: &FluidParameters,
        classes: &ClassTable,
        shared: &Coefficients,
        seepage: &Seepage,
    ) {
        self.pairs.clear();
        self.weighted_gravity_direction = ORDER_ASYMMETRY * parameters.gravity.normalize_or_zero();
        let passing_speed = PASSING_SPEED * parameters.speed_unit();
        self.per_squared_speed = 1.0 / (passing_speed * passing_speed);
        let count = classes.len();
        let pair = |factor: f32, i: usize, j: usize| PairSegregation {
            factor: factor / NEIGHBOURS_AT_REST,
            limit: MAX_CONTRAST * shared.classes[i].mass.min(shared.classes[j].mass),
        };
        for (i, class_i) in classes.iter().enumerate() {
            for (j, class_j) in classes.iter().enumerate() {
                let sorts =
                    i != j && segregate_by_default(class_i, class_j) && !seepage.share_space(i, j);
                self.pairs.push(pair(if sorts { parameters.segregation } else { 0.0 }, i, j));
            }
        }
        for settings in classes.pairs() {
            let Some((i, j)) = classes.indices_of(&settings.classes) else { continue };
            let mixes = settings.cohesion > 0.0;
            if let Some(factor) = settings.segregation.or(mixes.then_some(0.0)) {
                let segregation = pair(factor, i, j);
                (self.pairs[i * count + j], self.pairs[j * count + i]) = (segregation, segregation);
            }
        }
        if parameters.gravity == Vec2::ZERO || self.pairs.iter().all(|pair| pair.factor == 0.0) {
            self.pairs.clear();
        }
        self.partners.clear();
        self.partners.extend(self.pairs.chunks(count).map(|pairs| {
            let sorted = ClassId::all().zip(pairs).filter(|(_, pair)| pair.factor != 0.0);
            sorted.map(|(class, _)| class).collect::<ClassSet>()
        }));
    }

    /// The segregation between a block's particles and the particles of a class.
    pub(super) fn row(&self, own_classes: &ClassLanes, other: usize) -> SegregationRow {
        let pair = |class: usize| self.pairs[class * self.partners.len() + other];
        let factor = own_classes.map(|class| pair(class).factor);
        let limit = own_classes.map(|class| pair(class).limit);
        SegregationRow { is_active: factor != [0.0; LANES], factor, limit }
    }

    /// Whether any of these particles is sorted against a class in `near_classes`.
    pub(super) fn is_active_for(&self, particles: &[ClassId], near_classes: ClassSet) -> bool {
        let sorts = |class: &ClassId| self.partners[class.index()].intersects(near_classes);
        self.is_active() && near_classes.has_several() && particles.iter().any(sorts)
    }

    /// The factor between two classes, and the largest weight difference that counts, at `i * classes + j`; zeros if no
    /// classes are sorted.
    pub(super) fn pair(&self, index: usize) -> (f32, f32) {
        self.pairs.get(index).map_or((0.0, 0.0), |pair| (pair.factor, pair.limit))
    }

    /// Whether any classes are sorted.
    pub(super) fn is_active(&self) -> bool {
        !self.pairs.is_empty()
    }
}

/// Whether particles of two classes are sorted, if the settings of their pair do not decide it.
fn segregate_by_default(one: &DensityClass, other: &DensityClass) -> bool {
    // The weight of an elastic body determines how deep it floats.
    if one.elasticity.is_some() || other.elasticity.is_some() {
        return false;
    }
    // Friction holds powders, so they are not sorted against each other. Against liquids they are sorted: otherwise
    // single grains would not sink, and a heap would retain buried liquid.
    let granular = one.powder.is_some() || other.powder.is_some();
    !granular || one.is_liquid() || other.is_liquid()
}

/// Computes the gravitational mass of each particle: its mass times the gravity scale of its class, reduced by heat.
pub(super) fn compute_weights(
    weights: &mut Vec<f32>,
    particles: ParticleView,
    coefficients: &Coefficients,
    executor: &dyn Executor,
) {
    let ParticleView { class: classes, temperature: temperatures, .. } = particles;
    weights.resize(classes.len(), 0.0);
    executor.for_each_chunk(&mut weights[..], LONG_CHUNK, |index, weights| {
        let start = index * LONG_CHUNK;
        let classes_and_temperatures = classes[start..].iter().zip(&temperatures[start..]);
        for (weight, (class, temperature)) in weights.iter_mut().zip(classes_and_temperatures) {
            let class = &coefficients.classes[class.index()];
            *weight = class.mass * class.gravity_scale;
            if class.expansion != 0.0 {
                let warmth = temperature - coefficients.ambient_temperature;
                *weight *= 1.0 - buoyancy_fraction(class.expansion, warmth);
            }
        }
    });
}

/// Segregation between the particles of a block and the particles of one class.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SegregationRow {
    /// Whether any particle of the block is sorted against this class.
    pub is_active: bool,
    factor: Lanes,
    limit: Lanes,
}

impl SegregationRow {
    /// Adds a neighbour with the weight `w_j` to `lift` and to `disorder`. `lift` is the sum of
    /// `kappa/15 ((w_i - w_j) (1 +- cos/2) +- deficit (1 +- cos)) h q`. `disorder` is the sum of
    /// `cos/2 h q` over neighbours on the wrong side. `below` is half the cosine of the angle
    /// between gravity and the direction to the neighbour. `rest_factor` is 1 if the two are at
    /// rest relative to each other, and 0 from [`PASSING_SPEED`] on.
    #[inline(always)]
    pub(super) fn add_to<S: Instructions>(
        &self,
        lift: &mut LaneVector<S>,
        disorder: &mut LaneVector<S>,
        weight: LaneVector<S>,
        other_weight: f32,
        closeness: LaneVector<S>,
        below: LaneVector<S>,
        rest_factor: LaneVector<S>,
    ) {
        let instructions = weight.token();
        let splat = |number: f32| splat(instructions, number);
        let (limit, factor) = (load(instructions, &self.limit), load(instructions, &self.factor));
        let contrast = instructions.smaller(weight - splat(other_weight), limit);
        let contrast = instructions.larger(-limit, contrast);
        let size = contrast.abs();
        // The heavier particle of a pair has the positive contrast.
        let order = contrast + size * below;
        let sign = contrast / instructions.larger(size, splat(MIN_CONTRAST) * limit);
        let wrong_side = sign * below;
        // The added force is 0 straight below, so that layers at rest stay unchanged.
        let deficit =
            positive_lanes::<S>(limit - size * splat(1.0 / STRONG_CONTRAST)) * rest_factor;
        let added_force = sign * deficit * (splat(1.0) + wrong_side * splat(2.0));
        *lift += (order + added_force) * factor * closeness;
        let wrong_side = factor.simd_gt(splat(0.0)).select(wrong_side, splat(0.0));
        *disorder += positive_lanes::<S>(wrong_side) * closeness;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ClassPair, FluidPowder};

    fn derived(gravity: Vec2, classes: &ClassTable) -> Segregation {
        let parameters = FluidParameters { gravity, ..FluidParameters::default() };
        let mut shared = Coefficients::default();
        shared.derive(&parameters, classes, 0.0, 1.0 / 60.0);
        let mut segregation = Segregation::default();
        segregation.derive(&parameters, classes, &shared, &Seepage::default());
        segregation
    }

    #[test]
    fn particles_are_sorted_against_the_classes_near_that_they_do_not_mix_with() {
        let ids = [0, 1, 2, 3].map(ClassId);
        let [oil, water, sand, gravel] = ids;
        let powder =
            DensityClass { powder: Some(FluidPowder::default()), ..DensityClass::default() };
        let named =
            |name: &str, class: &DensityClass| DensityClass { name: name.into(), ..class.clone() };
        let liquid = DensityClass::default();
        let classes = ClassTable::new(vec![
            named("oil", &liquid),
            named("water", &liquid),
            named("sand", &powder),
            named("gravel", &powder),
        ]);
        let classes = classes.expect("valid");
        let segregation = derived(FluidParameters::default().gravity, &classes);
        let set = |near: &[ClassId]| near.iter().copied().collect::<ClassSet>();
        for (particles, near_classes, sorts) in [
            ([oil, oil], set(&[oil]), false),
            ([oil, oil], set(&[oil, water]), true),
            ([oil, water], set(&[oil, water]), true),
            ([oil, sand], set(&[oil, sand]), true),
            // Powders are not sorted against each other.
            ([sand, gravel], set(&[sand, gravel]), false),
            ([sand, sand], set(&[sand, gravel, oil]), true),
        ] {
            assert_eq!(
                segregation.is_active_for(&particles, near_classes),
                sorts,
                "{particles:?}, {near_classes:?}"
            );
        }
        let nothing = derived(Vec2::ZERO, &classes);
        assert!(!nothing.is_active() && !nothing.is_active_for(&[oil, water], set(&[oil, water])));
        // A pair with cohesion is not sorted.
        let pair = ClassPair { cohesion: 0.5, ..ClassPair::new("oil", "water") };
        let mixed = ClassTable::with_pairs(classes.iter().cloned().collect(), vec![pair]);
        let segregation = derived(FluidParameters::default().gravity, &mixed.expect("valid"));
        assert!(!segregation.is_active_for(&[oil, water], set(&[oil, water])));
        assert!(segregation.is_active_for(&[oil, water], set(&[oil, water, sand])));
    }
}
