//! Springs and plasticity (Clavet et al. 2005, Algorithms 3 and 4).

use glam::Vec2;

use crate::parallel::executor::{CHUNK, LONG_CHUNK};
use crate::particles::arrays::{Activity, idle};
use crate::particles::columns::Springs;
use crate::solver::coefficients::Coefficients;
use crate::solver::double_density::DoubleDensity;
use crate::solver::double_density::coefficients::{ElasticCoefficients, SpringInputs};
use crate::solver::double_density::spring_bonds::{SpringEnd, SpringGraph};
use crate::solver::neighbours::blocks::separation_axis;
use crate::solver::neighbours::hash::{Neighbours, refresh};
use crate::{ClassFilter, Executor, Liquid, Spring};

/// Lets the springs yield, and makes new springs up to the capacity. Moves both ends of every spring by half of `D =
/// dt^2 k (1 - L/h) (L - r) r_hat`, from positions that were frozen before the pass. As long as no spring changes, the
/// pass only moves particles.
///
/// Springs connect particles of the same elastic class. In a class that flows, two particles that meet get a spring
/// whose rest length is their distance at that moment. The springs of such a class yield: with `d = gamma L`, a
/// stretched spring changes by `L += dt alpha (r - L - d)` and a compressed one by `L -= dt alpha (L - d - r)`. A
/// spring is removed when `L > h`, because its particles have separated. (In the paper springs yield only while
/// `r < h`, so `L` never exceeds `h`. Here they also yield beyond.) Springs between two sleeping particles do not
/// yield. In a class that does not flow, only particles that are new in the same substep get springs, and these are
/// permanent.
pub(crate) fn apply_springs(
    liquid: &mut Liquid,
    neighbours: &mut Neighbours,
    work: &mut DoubleDensity,
    coefficients: &Coefficients,
    executor: &dyn Executor,
) {
    let no_springs = liquid.springs.list().is_empty();
    let is_none_elastic = |set| work.pressure.elastic(set).next().is_none();
    if no_springs && is_none_elastic(ClassFilter::ALL) {
        return;
    }
    let present = liquid.particles.present_classes();
    if no_springs && is_none_elastic(present) {
        liquid.particles.clear_new();
        return;
    }
    refresh(liquid, neighbours, coefficients, executor);
    let Liquid { particles, springs, settings_revision, .. } = liquid;
    let DoubleDensity { pressure, springs: graph, new_springs, displacements, .. } = work;
    let flows = pressure.elastic(present).any(ElasticCoefficients::is_plastic);
    let inputs = SpringInputs { particles, coefficients, pressure };
    let valid_for = |springs: &Springs| [springs.revision(), particles.members, *settings_revision];
    if flows || graph.adjusted_for != Some(valid_for(springs)) {
        inputs.update_rest_lengths(springs, graph, executor);
    }
    graph.build(springs, particles.slot_count());
    if flows || particles.any_new() {
        inputs.create_springs(&neighbours.grid, springs, graph, new_springs, executor);
    }
    graph.adjusted_for = Some(valid_for(springs));
    if !springs.list().is_empty() {
        inputs.compute_displacements(graph, displacements, executor);
        let (max_displacement, time_step) = (coefficients.max_displacement, coefficients.time_step);
        particles.displace_all(displacements, max_displacement, time_step, executor);
        particles.mark_moved();
    }
    particles.clear_new();
}

impl SpringInputs<'_> {
    /// Lets the springs of flowing classes yield. Removes springs whose ends have died, are not of the same elastic
    /// class, or have separated.
    fn update_rest_lengths(
        &self,
        springs: &mut Springs,
        graph: &mut SpringGraph,
        executor: &dyn Executor,
    ) {
        let (list, rest_lengths) = (springs.list(), &mut graph.rest_lengths);
        rest_lengths.resize(list.len(), None);
        let changed =
            executor.any_chunk(&mut rest_lengths[..], LONG_CHUNK, |index, rest_lengths| {
                let mut any_changed = false;
                for (spring, rest_length) in list[index * LONG_CHUNK..].iter().zip(rest_lengths) {
                    *rest_length = self.yielded_rest_length(spring);
                    any_changed |= *rest_length != Some(spring.rest_length);
                }
                any_changed
            });
        // If no spring changes, all data that was derived from the springs stays valid.
        if !changed {
            return;
        }
        let list = springs.list_mut();
        executor.for_each_chunk(&mut list[..], LONG_CHUNK, |index, springs| {
            for (spring, rest_length) in springs.iter_mut().zip(&rest_lengths[index * LONG_CHUNK..])
            {
                spring.rest_length = rest_length.unwrap_or(spring.rest_length);
            }
        });
        if rest_lengths.contains(&None) {
            let mut rest_lengths = rest_lengths.iter();
            list.retain(|_| rest_lengths.next().is_some_and(Option::is_some));
        }
    }

    /// The rest length of a spring after it has yielded; `None` if the spring must be removed.
    fn yielded_rest_length(&self, spring: &Spring) -> Option<f32> {
        let [a, b] = spring.ends.map(|end| self.particles.index_of(end));
        let (a, b) = (a?, b?);
        let elastic = self.between(a, b)?;
        let mut rest_length = spring.rest_length;
        let any_awake = [a, b].iter().any(|end| self.particles.activity[*end] == Activity::Awake);
        if elastic.is_plastic() && any_awake {
            let length = self.particles.position[a].distance(self.particles.position[b]);
            let rest = spring.rest_length;
            let tolerated = elastic.yield_ratio * rest;
            if length > rest + tolerated {
                rest_length += elastic.plasticity * (length - rest - tolerated);
            } else if length < rest - tolerated {
                rest_length -= elastic.plasticity * (rest - tolerated - length);
            }
            rest_length = rest_length.max(elastic.min_rest_length);
            if rest_length > self.coefficients.interaction_radius {
                return None;
            }
        }
        Some(rest_length)
    }

    /// Algorithm 3: each particle sums the displacements by its springs.
    fn compute_displacements(
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

    /// The displacement of a particle by its springs. Both ends of a spring have the same mass, because they have the
    /// same class.
    fn displacement_of(&self, graph: &SpringGraph, index: usize) -> Vec2 {
        let Self { coefficients, particles, pressure } = self;
        let class = particles.class[index].index();
        let Some(elastic) = &pressure.classes[class].elastic else {
            return Vec2::ZERO;
        };
        let mut sum = Vec2::ZERO;
        for SpringEnd { other, rest_length } in graph.springs_of(particles.id[index]) {
            let other = particles.index_of_slot(*other);
            let offset = particles.position[other] - particles.position[index];
            let length = offset.length();
            let direction = if length < coefficients.coincidence_distance {
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
    use crate::{
        ClassId, ClassTable, DensityClass, FluidElasticity, FluidPass, FluidThermal,
        FluidTransition, FluidWorld, ParticleSpawn, SerialExecutor, Substeps,
    };

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
    /// A block of water, jelly and putty side by side. Jelly melts when it is hot.
    fn mixed_block() -> FluidWorld {
        let named = |name: &str| DensityClass { name: name.into(), ..DensityClass::default() };
        let elastic = |plasticity: f32| {
            Some(FluidElasticity { stiffness: 40.0, plasticity, ..FluidElasticity::default() })
        };
        let melts = FluidTransition { temperature: 100.0, becomes: "water".into() };
        let thermal = FluidThermal { above: Some(melts), ..FluidThermal::default() };
        let classes = vec![
            named("water"),
            DensityClass { elasticity: elastic(0.0), thermal, ..named("jelly") },
            DensityClass { elasticity: elastic(3.0), ..named("putty") },
        ];
        let mut world = FluidWorld::default();
        world.set_classes(ClassTable::new(classes).expect("valid")).expect("empty");
        let parameters =
            crate::FluidParameters { substeps: Substeps::Fixed(3), ..*world.parameters() };
        world.set_parameters(parameters).expect("valid");
        for number in 0..240_u8 {
            let cell = Vec2::new(f32::from(number % 24), f32::from(number / 24));
            spawn(&mut world, cell, number % 24 / 8);
        }
        world
    }

    fn spawn(world: &mut FluidWorld, cell: Vec2, class: u8) {
        let position = cell * world.parameters().particle_spacing;
        let class = ClassId(class);
        world.spawn(ParticleSpawn { position, class, ..Default::default() }).expect("valid");
    }

    /// Changes springs or particles between two ticks.
    fn interfere(world: &mut FluidWorld, tick: usize) {
        let spacing = world.parameters().particle_spacing;
        match tick {
            4 => {
                world.despawn_where(|position, class| class.0 == 1 && position.y > 6.5 * spacing);
            }
            // Into the slots of the dead particles, far from them.
            6 => (0..6).for_each(|row| spawn(world, Vec2::new(30.0, row as f32), 1)),
            8 => {
                let water = |position: Vec2, _| position.x < 2.5 * spacing;
                world.set_class_where(ClassId(1), water).expect("known");
            }
            10 => {
                let putty = |position: Vec2, _| position.x > 22.5 * spacing;
                world.set_class_where(ClassId(0), putty).expect("known");
            }
            12 => {
                let mut classes: Vec<_> = world.classes().iter().cloned().collect();
                classes[1].elasticity = None;
                world.set_classes(ClassTable::new(classes).expect("valid")).expect("known");
            }
            14 => world.set_spring_capacity(20),
            _ => {}
        }
    }

    #[test]
    fn springs_that_are_kept_connected_are_those_that_are_connected_anew() {
        let mut kept = mixed_block();
        let mut anew = kept.clone();
        let mut numbers = Vec::new();
        for tick in 0..18 {
            for world in [&mut kept, &mut anew] {
                interfere(world, tick);
            }
            let report = kept.begin_tick(1.0 / 60.0, &SerialExecutor).expect("valid");
            anew.begin_tick(1.0 / 60.0, &SerialExecutor).expect("valid");
            for substep in 0..report.substeps {
                for pass in FluidPass::ALL {
                    if pass == FluidPass::ApplySprings {
                        anew.liquid_mut().springs.list_mut();
                    }
                    for world in [&mut kept, &mut anew] {
                        world.run_pass(pass, &SerialExecutor);
                        if pass == FluidPass::ApplyForces && (tick, substep) == (2, 1) {
                            // Some jelly melts within the tick, and a putty particle is quarantined.
                            let particles = world.particles_mut();
                            particles.temperatures_mut()[..60].fill(200.0);
                            let putty = particles.classes().iter().position(|class| class.0 == 2);
                            particles.velocities_mut()[putty.expect("there")].x = f32::NAN;
                        }
                    }
                    assert_eq!(kept.springs(), anew.springs(), "tick {tick}, {pass:?}");
                    assert_eq!(kept.state_hash(), anew.state_hash(), "tick {tick}, {pass:?}");
                }
            }
            for world in [&mut kept, &mut anew] {
                world.end_tick(report, &SerialExecutor);
            }
            numbers.push(kept.springs().len());
        }
        let changes = numbers.windows(2).filter(|next| next[0] != next[1]).count();
        assert!(changes >= 6, "{numbers:?}");
    }
}
