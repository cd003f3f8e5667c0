//! Particles at the same place, or far too close to each other.

use blob_fluid::shape::scatter;
use blob_fluid::{ClassId, FluidParameters, FluidPass, FluidWorld, ParticleSpawn, SerialExecutor};
use glam::{DVec2, Vec2};

use super::{check_every_pass, cloud, compare};
use crate::oracle::{Oracle, Particle};
use crate::ticks::TICK;

/// A cloud without walls. Every tenth particle has a twin at the same position, and another tenth
/// has one at a distance of a thousandth of a radius.
fn cloud_with_twins() -> FluidWorld {
    let mut world = cloud(FluidParameters::default(), vec![], 80.0);
    let originals: Vec<(Vec2, ClassId)> = {
        let particles = world.particles();
        particles.positions().iter().copied().zip(particles.classes().iter().copied()).collect()
    };
    let nearby = 1e-3 * world.parameters().interaction_radius();
    for (index, (position, class)) in originals.into_iter().enumerate() {
        let shift = match index % 20 {
            0 => Vec2::ZERO,
            10 => scatter(index as u32).normalize() * nearby,
            _ => continue,
        };
        let class = ClassId((class.0 + (index % 40 / 20) as u8) % 3);
        let spawn = ParticleSpawn { position: position + shift, class, ..Default::default() };
        world.spawn(spawn).expect("valid");
    }
    world
}

/// A step without velocities, because velocities would separate the twins before the relaxation.
fn relax_twins(world: &mut FluidWorld) -> (Oracle, Oracle) {
    world.particles_mut().velocities_mut().fill(Vec2::ZERO);
    let report = world.begin_tick(TICK, &SerialExecutor).expect("valid");
    let dt = f64::from(report.time_step / report.substeps as f32);
    world.run_pass(FluidPass::AdvancePositions, &SerialExecutor);
    world.run_pass(FluidPass::HashPositions, &SerialExecutor);
    let before = Oracle::of(world, dt);
    let mut expected = before.clone();
    expected.relax_density();
    world.run_pass(FluidPass::RelaxDensity, &SerialExecutor);
    (before, expected)
}

#[test]
fn what_overlaps_or_coincides_leaves_its_neighbours_alone() {
    let mut world = cloud_with_twins();
    let (before, _) = relax_twins(&mut world);
    compare(&world, before, "relax_density", Oracle::relax_density);
}

#[test]
fn coincident_particles_part_by_their_repulsion_and_keep_their_momentum() {
    let mut world = cloud_with_twins();
    let (before, expected) = relax_twins(&mut world);
    let mut pairs = 0;
    let mut directions = Vec::new();
    for i in 0..before.particles.len() {
        for j in 0..i {
            let (a, b) = (&expected.particles[i], &expected.particles[j]);
            if !before.coincide(&before.particles[i], &before.particles[j]) {
                continue;
            }
            pairs += 1;
            // The part that the oracle leaves out because it gives the pair no direction.
            let extra = |particle: &Particle| {
                let index = world.particles().index_of(particle.id).expect("alive");
                world.particles().displacements()[index].as_dvec2() - particle.displacement
            };
            let (extra_a, extra_b) = (extra(a), extra(b));
            for (i, j, extra) in [(i, j, extra_a), (j, i, extra_b)] {
                let (strength, error) = before.separation(i, j);
                let bound = error + expected.particles[i].errors.displacement;
                let off = (extra.length() - strength.abs()).abs();
                assert!(off <= bound, "{extra} where {strength} was expected, {bound:e}");
            }
            let (mass_a, mass_b) = (before.mass(a.class), before.mass(b.class));
            let momentum = mass_a * extra_a + mass_b * extra_b;
            let bound = mass_a * a.errors.displacement + mass_b * b.errors.displacement;
            assert!(momentum.length() <= 2.0 * bound, "{momentum}, {bound:e}");
            directions.push(extra_a.normalize());
        }
    }
    assert!(pairs >= 15, "{pairs}");
    // The directions differ, because with a single one a heap would become a line.
    let mean = directions.iter().sum::<DVec2>() / pairs as f64;
    assert!(mean.length() < 0.7, "{mean}");
}

#[test]
fn packed_beyond_the_pressures_bound() {
    let mut world = FluidWorld::default();
    for index in 0..400 {
        let class = ClassId((index % 3) as u8);
        let position = scatter(index) * 6.0;
        world.spawn(ParticleSpawn { position, class, ..Default::default() }).expect("valid");
    }
    check_every_pass(world);
}
