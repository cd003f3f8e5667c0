//! State hashes of the lab's scenes: the same on every target.

use blob_fluid::scene::Scene;
use blob_fluid::{FluidSolver, SerialExecutor};

/// Number of ticks before a hash.
pub const TICKS: u32 = 600;

/// The same for solvers that are slow, and for old settings: an emulated processor has to keep up.
const FEW: u32 = 120;

const STRATIFICATION: &str = include_str!("../../../assets/scenes/stratification.scene.ron");
const DAM_BREAK: &str = include_str!("../../../assets/scenes/dam_break.scene.ron");
const JELLY: &str = include_str!("../../../assets/scenes/jelly.scene.ron");
const FREE_BLOB: &str = include_str!("../../../assets/scenes/free_blob.scene.ron");
const LEGACY: &str = include_str!("../../../assets/scenes/legacy.scene.ron");
const WIND_TUNNEL: &str = include_str!("../../../assets/scenes/wind_tunnel.scene.ron");
const AIR: &str = include_str!("air.scene.ron");

/// Names and texts of the scenes, the solver if it is not the scene's own, and the number of ticks.
pub const SCENES: [(&str, &str, Option<FluidSolver>, u32); 10] = [
    ("stratification", STRATIFICATION, None, TICKS),
    ("dam_break", DAM_BREAK, None, TICKS),
    ("jelly", JELLY, None, TICKS),
    ("free_blob", FREE_BLOB, None, TICKS),
    ("legacy", LEGACY, None, FEW),
    ("wind_tunnel", WIND_TUNNEL, None, TICKS),
    ("air and liquid", AIR, None, FEW),
    ("stratification by sph", STRATIFICATION, Some(FluidSolver::Sph), FEW),
    ("stratification by shared_pressure", STRATIFICATION, Some(FluidSolver::SharedPressure), FEW),
    ("stratification by incompressible", STRATIFICATION, Some(FluidSolver::Incompressible), FEW),
];

/// The state hash of a scene, given by its text and its solver, after a number of ticks.
///
/// # Panics
///
/// Panics if the scene is not valid.
pub fn state_hash(text: &str, solver: Option<FluidSolver>, ticks: u32) -> u64 {
    let mut scene = Scene::from_ron(text).expect("a valid scene");
    scene.parameters.solver = solver.unwrap_or(scene.parameters.solver);
    let mut world = scene.build().expect("a valid scene");
    for _ in 0..ticks {
        world.step(scene.time_step(), &SerialExecutor).expect("a valid time step");
    }
    world.state_hash()
}

#[cfg(test)]
mod tests {
    use blob_fluid::air::AirChannel;

    use super::*;

    #[test]
    fn the_scene_of_air_and_liquid_has_all_passes() {
        let mut world =
            Scene::from_ron(AIR).and_then(|scene| scene.build()).expect("a valid scene");
        let id = world.air_ids().next().expect("air");
        let (mut evaporated, mut condensed) = (0, 0);
        for _ in 0..FEW {
            world.step(1.0 / 60.0, &SerialExecutor).expect("a valid time step");
            let report = world.air_report(id).expect("air");
            evaporated += report.evaporated;
            condensed += report.condensed;
        }
        assert!(evaporated > 20 && condensed > 2, "{evaporated} evaporated, {condensed} condensed");
        let air = world.air(id).expect("air");
        let hottest =
            air.channel(AirChannel::Heat).iter().fold(0.0_f32, |most, heat| most.max(*heat));
        assert!(hottest > 0.5, "{hottest}");
    }
}
