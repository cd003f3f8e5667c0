//! Hashes of the lab's scenes and of their snapshots: the same on every target.

use blob_fluid::material::Material;
use blob_fluid::scene::Scene;
use blob_fluid::{FluidSolver, FluidWorld, SerialExecutor};

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
const HEAP: &str = include_str!("../../../assets/scenes/heap.scene.ron");
const SAND: &str = include_str!("../../../assets/materials/sand.fluid.ron");
const AIR: &str = include_str!("air.scene.ron");

/// What a hash is of.
#[derive(Clone, Copy)]
pub enum Hashed {
    /// Particles after a number of ticks, by the scene's own solver or by another.
    Particles(Option<FluidSolver>, u32),
    /// The bytes of a snapshot in the midst of so many ticks, and everything in the world that they are read into at
    /// their end.
    Snapshot(u32),
}

use Hashed::{Particles, Snapshot};

/// Names and texts of the scenes, and what is hashed.
pub const SCENES: [(&str, &str, Hashed); 13] = [
    ("stratification", STRATIFICATION, Particles(None, TICKS)),
    ("dam_break", DAM_BREAK, Particles(None, TICKS)),
    ("jelly", JELLY, Particles(None, TICKS)),
    ("free_blob", FREE_BLOB, Particles(None, TICKS)),
    ("legacy", LEGACY, Particles(None, FEW)),
    ("wind_tunnel", WIND_TUNNEL, Particles(None, TICKS)),
    ("air and liquid", AIR, Particles(None, FEW)),
    ("stratification by sph", STRATIFICATION, Particles(Some(FluidSolver::Sph), FEW)),
    (
        "stratification by shared_pressure",
        STRATIFICATION,
        Particles(Some(FluidSolver::SharedPressure), FEW),
    ),
    (
        "stratification by incompressible",
        STRATIFICATION,
        Particles(Some(FluidSolver::Incompressible), FEW),
    ),
    ("snapshot of jelly", JELLY, Snapshot(FEW)),
    ("snapshot of a heap", HEAP, Snapshot(FEW)),
    ("snapshot of air and liquid", AIR, Snapshot(FEW)),
];

/// A hash of the scene with this text.
///
/// # Panics
///
/// Panics if the scene is not valid.
pub fn hash(text: &str, hashed: Hashed) -> u64 {
    let mut scene = Scene::from_ron(text).expect("a valid scene");
    if !scene.materials.is_empty() {
        scene.material_contents = vec![Material::from_ron(SAND).expect("a valid material")];
    }
    match hashed {
        Particles(solver, ticks) => {
            scene.parameters.solver = solver.unwrap_or(scene.parameters.solver);
            let mut world = scene.build().expect("a valid scene");
            run(&mut world, ticks, &scene);
            world.state_hash()
        }
        Snapshot(ticks) => {
            let mut world = scene.build().expect("a valid scene");
            run(&mut world, ticks / 2, &scene);
            let bytes = world.to_bytes().expect("between two ticks");
            let mut read = FluidWorld::from_bytes(&bytes).expect("a valid snapshot");
            run(&mut read, ticks - ticks / 2, &scene);
            u64::from(crc32fast::hash(&bytes)) ^ read.deep_hash().all()
        }
    }
}

fn run(world: &mut FluidWorld, ticks: u32, scene: &Scene) {
    for _ in 0..ticks {
        world.step(scene.time_step(), &SerialExecutor).expect("a valid time step");
    }
}

#[cfg(test)]
mod tests {
    use blob_fluid::air::AirChannel;

    use super::*;

    /// `check` compares other targets with the file. Here a change of the simulation fails in a minute.
    #[test]
    fn the_hashes_are_those_of_the_file() {
        let listed = include_str!("../state_hashes.txt").lines();
        assert_eq!(listed.clone().count(), SCENES.len());
        for ((name, text, hashed), line) in SCENES.into_iter().zip(listed) {
            assert_eq!(format!("{name} {:016x}", hash(text, hashed)), line);
        }
    }

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
