//! The scenes of the experiments, on a device too.

use blob_fluid::FluidSleeping;
use blob_fluid::scene::Scene;

pub const TICK: f32 = 1.0 / 60.0;

/// A scene from `assets/scenes`, in which nothing sleeps.
pub fn scene(name: &str) -> Scene {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/scenes");
    let path = format!("{folder}/{name}.scene.ron");
    let mut scene = Scene::read(path.as_ref()).unwrap_or_else(|error| panic!("{error}"));
    scene.parameters.sleeping = FluidSleeping::OFF;
    scene
}
