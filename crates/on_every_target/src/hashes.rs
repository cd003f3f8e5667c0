//! State hashes of the lab's scenes: the same on every target.

use blob_fluid::SerialExecutor;
use blob_fluid::scene::Scene;

/// Number of ticks before a hash.
pub const TICKS: u32 = 120;

/// Names and texts of the scenes.
pub const SCENES: [(&str, &str); 5] = [
    ("stratification", include_str!("../../../assets/scenes/stratification.scene.ron")),
    ("dam_break", include_str!("../../../assets/scenes/dam_break.scene.ron")),
    ("jelly", include_str!("../../../assets/scenes/jelly.scene.ron")),
    ("free_blob", include_str!("../../../assets/scenes/free_blob.scene.ron")),
    ("legacy", include_str!("../../../assets/scenes/legacy.scene.ron")),
];

/// The state hash of a scene, given by its text, after [`TICKS`] ticks.
///
/// # Panics
///
/// Panics if the scene is not valid.
pub fn state_hash(text: &str) -> u64 {
    let scene = Scene::from_ron(text).expect("a valid scene");
    let mut world = scene.build().expect("a valid scene");
    for _ in 0..TICKS {
        world.step(scene.time_step(), &SerialExecutor).expect("a valid time step");
    }
    world.state_hash()
}
