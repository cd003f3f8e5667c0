//! Springs and plasticity (Clavet et al. 2005, Algorithms 3 and 4).

use glam::Vec2;

use crate::liquid::state::Liquid;
use crate::parallel::executor::{CHUNK, Executor, LONG_CHUNK};
use crate::particles::arrays::{Activity, idle};
use crate::particles::columns::{Spring, Springs};
use crate::settings::class::ClassFilter;
use crate::solver::coefficients::Coefficients;
use crate::solver::double_density::coefficients::{Elastic, ElasticCoefficients};
use crate::solver::double_density::spring_bonds::{SpringEnd, SpringGraph};
use crate::solver::double_density::workspace::DoubleDensity;
use crate::solver::neighbours::blocks::separation_axis;
use crate::solver::neighbours::hash::{Neighbours, refresh};

/// Lets the springs yield, makes new ones as far as there is room, and lets all of them move both ends by
/// half of `D = dt^2 k (1 - L/h) (L - r) r_hat` each, from positions that were frozen before the pass.
///
/// Springs connect particles of the same class, if the class is elastic. In a class that flows, two
/// particles that meet get a spring, whose rest length is their distance at that moment. Its
/// springs yield: with `d = gamma L`, a stretched spring changes by `L += dt alpha (r - L - d)` and
/// a compressed one by `L -= dt alpha (L - d - r)`. A spring is removed when `L > h`, because its
/// particles have parted. (In the paper springs yield only while `r < h`, where `L` can never
/// exceed `h`. Here they also yield beyond.) Springs between two particles that sleep do not yield. In
/// a class that does not flow, only particles that are new in the same substep get springs, and the
/// springs stay.
pub(crate) fn apply_springs(
    liquid: &mut Liquid,
    neighbours: &mut Neighbours,
    work: &mut DoubleDensity,
    coefficients: &Coefficients,
    executor: &dyn Executor,
) {
    let present = liquid.particles.present_classes();
    let any_elastic = work.pressure.elastic(present).next().is_some();
    if !any_elastic && liquid.springs.list.is_empty() {
        if work.pressure.elastic(ClassFilter::ALL).next().is_some() {
            liquid.particles.clear_new();
        }
        return;
    }
    refresh(liquid, neighbours, coefficients, executor);
    let Liquid { particles, springs, .. } = liquid;
    let DoubleDensity { pressure, springs: graph, bonds, displacements, .. } = work;
    let flows = pressure.elastic(present).any(ElasticCoefficients::flows);
    let elastic = Elastic { particles, coefficients, pressure };
    elastic.adjust(springs, graph, executor);
    graph.connect(&springs.list, particles.len());
    let first = springs.list.len();
    if flows || particles.any_new() {
        elastic.bond(&neighbours.grid, springs, graph, bonds, executor);
    }
    graph.add(&springs.list, first, particles.len());
    if !springs.list.is_empty() {
        elastic.find_displacements(graph, displacements, executor);
        let (most, time_step) = (coefficients.most_displacement, coefficients.time_step);
        particles.displace_all(displacements, most, time_step, executor);
        particles.mark_moved();
    }
    particles.clear_new();
}

/// In place of the ends of a spring that is to be removed.
const REMOVED: [u32; 2] = [u32::MAX; 2];

impl Elastic<'_> {
    /// Finds both ends of every spring, and lets those of flowing classes yield. It removes springs whose
    /// ends died, are no longer elastic, or have parted.
    fn adjust(&self, springs: &mut Springs, graph: &mut SpringGraph, executor: &dyn Executor) {
        let (list, indices) = (&mut springs.list, &mut graph.indices);
        indices.resize(list.len(), REMOVED);
        let both = (&mut list[..], &mut indices[..]);
        executor.for_each_chunk(both, LONG_CHUNK, |_, (springs, indices)| {
            for (spring, indices) in springs.iter_mut().zip(indices) {
                *indices = self.adjust_one(spring).unwrap_or(REMOVED);
            }
        });
        if indices.contains(&REMOVED) {
            let mut ends = indices.iter();
            list.retain(|_| ends.next().is_some_and(|ends| *ends != REMOVED));
            indices.retain(|ends| *ends != REMOVED);
        }
    }

    /// Lets a spring yield, and returns the indices of its ends; `None` if it is to be removed.
    fn adjust_one(&self, spring: &mut Spring) -> Option<[u32; 2]> {
        let [a, b] = spring.ends.map(|end| self.particles.index_of(end));
        let (a, b) = (a?, b?);
        let elastic = self.between(a, b)?;
        let moves = [a, b].iter().any(|end| self.particles.activity[*end] == Activity::Awake);
        if elastic.flows() && moves {
            let length = self.particles.position[a].distance(self.particles.position[b]);
            let rest = spring.rest_length;
            let tolerated = elastic.yield_ratio * rest;
            if length > rest + tolerated {
                spring.rest_length += elastic.plasticity * (length - rest - tolerated);
            } else if length < rest - tolerated {
                spring.rest_length -= elastic.plasticity * (rest - tolerated - length);
            }
            spring.rest_length = spring.rest_length.max(elastic.min_rest_length);
            if spring.rest_length > self.coefficients.interaction_radius {
                return None;
            }
        }
        Some([a as u32, b as u32])
    }

    /// Algorithm 3: each particle sums over its springs.
    fn find_displacements(
        &self,
        graph: &SpringGraph,
        displacements: &mut Vec<Vec2>,
        executor: &dyn Executor,
    ) {
        displacements.clear();
        displacements.resize(self.particles.len(), Vec2::ZERO);
        executor.for_each_chunk(&mut displacements[..], CHUNK, |chunk_index, chunk| {
            let start = chunk_index * CHUNK;
            if idle(&self.particles.activity[start..start + chunk.len()]) {
                return;
            }
            for (offset, displacement) in chunk.iter_mut().enumerate() {
                *displacement = self.displacement_of(graph, start + offset);
            }
        });
    }

    /// The displacement of a particle by its springs. Both ends of a spring have the same mass,
    /// because they have the same class.
    fn displacement_of(&self, graph: &SpringGraph, index: usize) -> Vec2 {
        let Self { coefficients, particles, pressure } = self;
        let class = particles.class[index].index();
        let Some(elastic) = &pressure.classes[class].elastic else {
            return Vec2::ZERO;
        };
        let mut sum = Vec2::ZERO;
        for SpringEnd { other, rest_length } in graph.of(index) {
            let other = *other as usize;
            let offset = particles.position[other] - particles.position[index];
            let length = offset.length();
            let direction = if length < coefficients.coincidence {
                separation_axis(particles.id[index], particles.id[other])
            } else {
                offset / length
            };
            let softness = 1.0 - rest_length * coefficients.inverse_radius;
            sum -= direction * (softness * (rest_length - length));
        }
        sum * (0.5 * elastic.stiffness)
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec2;

    use crate::particles::arrays::Activity::{self, Asleep, Awake};
    use crate::settings::class::{DensityClass, FluidElasticity};
    use crate::{ClassId, ClassTable, FluidPass, FluidWorld, ParticleSpawn, SerialExecutor};

    #[test]
    fn springs_between_sleepers_do_not_yield() {
        let dough =
            FluidElasticity { yield_ratio: 0.05, plasticity: 5.0, ..FluidElasticity::default() };
        let class = DensityClass { elasticity: Some(dough), ..DensityClass::default() };
        let mut world = FluidWorld::default();
        let table = ClassTable::new(vec![class]).expect("valid");
        world.set_classes(table).expect("no particles yet");
        for x in [0.0, 12.0] {
            let position = Vec2::new(x, 0.0);
            let spawn = ParticleSpawn { position, class: ClassId(0), ..Default::default() };
            world.spawn(spawn).expect("valid");
        }
        world.run_pass(FluidPass::ApplySprings, &SerialExecutor);
        let [spring] = world.springs() else { panic!("{:?}", world.springs()) };
        assert_eq!(spring.rest_length, 12.0);
        let after = |activity: [Activity; 2]| {
            let mut world = world.clone();
            let particles = &mut world.liquid_mut().particles;
            // Stretched by half.
            particles.position = vec![Vec2::ZERO, Vec2::new(18.0, 0.0)];
            particles.activity = activity.to_vec();
            particles.mark_moved();
            world.run_pass(FluidPass::ApplySprings, &SerialExecutor);
            world.springs()[0].rest_length
        };
        assert_eq!(after([Asleep, Asleep]), 12.0);
        for activity in [[Asleep, Awake], [Awake, Asleep], [Awake, Awake]] {
            assert!(after(activity) > 12.5, "{activity:?}");
        }
    }
}
