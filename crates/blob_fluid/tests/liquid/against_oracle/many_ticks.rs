//! Ticks in a row, of the liquid and of the oracle, each on its own.

use std::collections::HashMap;

use blob_fluid::{FluidParameters, FluidPass, FluidWorld, SerialExecutor, Substeps};
use glam::DVec2;

use super::{ancestral, ancestral_classes, circle, cloud};
use crate::oracle::Oracle;
use crate::ticks::TICK;

/// The distance between two states of the same liquid: the largest difference of positions.
fn apart(a: &Oracle, b: &HashMap<blob_fluid::ParticleId, DVec2>) -> f64 {
    a.particles.iter().map(|p| p.position.distance(b[&p.id])).fold(0.0, f64::max)
}

fn positions_of(oracle: &Oracle) -> HashMap<blob_fluid::ParticleId, DVec2> {
    oracle.particles.iter().map(|p| (p.id, p.position)).collect()
}

/// Runs several ticks of a world and of an oracle, each from its own state.
///
/// Neighbouring trajectories diverge exponentially in the end, so no fixed bound is right. The
/// oracle itself is the measure: a copy whose state is rounded to 32 bits after every substep, and
/// whose walls are off by as much as their fit may be, drifts away from the exact one. The fast
/// world also rounds inside the passes, of which three change a position or velocity and two sum
/// over some forty neighbours: a few roundings where the copy makes one, so four times its drift is
/// the bound. Passes that move one pair after the other round after every pair, and so does the
/// copy. Both oracles visit the pairs in the order of the fast world.
fn check_ticks_in_a_row(mut world: FluidWorld, ticks: usize) {
    let parameters = FluidParameters { substeps: Substeps::Fixed(2), ..*world.parameters() };
    world.set_parameters(parameters).expect("valid");
    let report = world.clone().begin_tick(TICK, &SerialExecutor).expect("valid");
    let mut exact = Oracle::of(&world, f64::from(report.time_step / report.substeps as f32));
    let mut shadow = exact.clone().with_errors();
    let mut floor = 0.0_f64;
    for tick in 1..=ticks {
        let report = world.begin_tick(TICK, &SerialExecutor).expect("valid");
        for _ in 0..report.substeps {
            for pass in FluidPass::ALL {
                world.run_pass(pass, &SerialExecutor);
                for slow in [&mut exact, &mut shadow] {
                    slow.sort(world.particles().ids());
                    slow.run(pass);
                }
            }
            shadow.round();
        }
        world.end_tick(report, &SerialExecutor);
        let fast = positions_of(&Oracle::of(&world, 1.0));
        floor = floor.max(apart(&exact, &positions_of(&shadow)));
        let error = apart(&exact, &fast);
        assert!(error <= 4.0 * floor, "after {tick} ticks: {error:e} apart, the shadow {floor:e}");
        // The test ends before the motion is chaotic: a larger bound would be meaningless.
        assert!(floor < 0.01 * exact.radius(), "chaos after {tick} ticks: {floor:e}");
    }
}

#[test]
fn ticks_in_a_row_free() {
    check_ticks_in_a_row(cloud(FluidParameters::default(), vec![], 60.0), 30);
}

#[test]
fn ticks_in_a_row_in_a_container() {
    check_ticks_in_a_row(cloud(FluidParameters::default(), circle(62.0), 60.0), 7);
}

#[test]
fn ticks_in_a_row_in_the_form_of_its_ancestors() {
    let mut world = cloud(ancestral(), circle(62.0), 60.0);
    world.set_classes(ancestral_classes()).expect("as many");
    world.end_easing();
    check_ticks_in_a_row(world, 30);
}
