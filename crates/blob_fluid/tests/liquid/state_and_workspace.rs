//! A liquid is its state: what a solver derives from it can be thrown away, and a solver can be changed.

use blob_fluid::scene::Scene;
use blob_fluid::{FluidParameters, FluidSolver, FluidWorld, SerialExecutor};

/// A scene that moves, one with springs, one with heat and reactions, one that falls asleep.
const SCENES: [(&str, &str); 4] = [
    ("stratification", include_str!("../../../../assets/scenes/stratification.scene.ron")),
    ("jelly", include_str!("../../../../assets/scenes/jelly.scene.ron")),
    ("free_blob", include_str!("../../../../assets/scenes/free_blob.scene.ron")),
    ("dam_break", include_str!("../../../../assets/scenes/dam_break.scene.ron")),
];

fn world_of(text: &str, solver: FluidSolver) -> (FluidWorld, f32) {
    let scene = Scene::from_ron(text).expect("a valid scene");
    let mut world = scene.start(&SerialExecutor).expect("a valid scene");
    let parameters = FluidParameters { solver, ..*world.parameters() };
    world.set_parameters(parameters).expect("valid");
    (world, scene.time_step())
}

#[test]
fn the_workspace_can_be_thrown_away_between_any_two_ticks() {
    for solver in FluidSolver::ALL {
        for (name, text) in SCENES {
            let (mut kept, tick) = world_of(text, solver);
            let mut thrown_away = kept.clone();
            for number in 0..90 {
                let report = kept.step(tick, &SerialExecutor).expect("valid");
                thrown_away = FluidWorld::from(thrown_away.liquid().clone());
                let other = thrown_away.step(tick, &SerialExecutor).expect("valid");
                assert_eq!(other, report, "{name}, {solver:?}, tick {number}");
                assert_eq!(
                    thrown_away.state_hash(),
                    kept.state_hash(),
                    "{name}, {solver:?}, tick {number}: a workspace held what belongs to the liquid"
                );
                assert_eq!(thrown_away.springs(), kept.springs(), "{name}, {solver:?}");
            }
        }
    }
}

#[test]
fn a_liquid_that_sleeps_does_so_without_a_workspace() {
    let mut text = String::from("(duration: 60, parameters: (sleeping: (after: 0.1, drift: 1)), ");
    text += "containers: [(shape: Rectangle(half_size: (60, 60)))], ";
    text += "blocks: [(fill: Filled(shape: Rectangle(half_size: (58, 30))), centre: (0, -28))])";
    let (mut kept, tick) = world_of(&text, FluidSolver::DoubleDensity);
    let mut thrown_away = kept.clone();
    let mut slept = 0;
    for number in 0..900 {
        if number == 700 {
            for world in [&mut kept, &mut thrown_away] {
                let id = world.particles().ids()[0];
                assert!(world.despawn(id));
            }
        }
        let report = kept.step(tick, &SerialExecutor).expect("valid");
        thrown_away = FluidWorld::from(thrown_away.liquid().clone());
        assert_eq!(thrown_away.step(tick, &SerialExecutor).expect("valid"), report, "{number}");
        assert_eq!(thrown_away.state_hash(), kept.state_hash(), "tick {number}");
        slept += u32::from(report.substeps == 0);
    }
    assert!(slept > 100, "only {slept} ticks asleep");
}

#[test]
fn a_snapshot_goes_on_as_the_liquid_did() {
    let (mut world, tick) = world_of(SCENES[1].1, FluidSolver::DoubleDensity);
    for _ in 0..20 {
        world.step(tick, &SerialExecutor).expect("valid");
    }
    let snapshot = world.liquid().clone();
    let mut hashes = Vec::new();
    for _ in 0..20 {
        world.step(tick, &SerialExecutor).expect("valid");
        hashes.push(world.state_hash());
    }
    // Back to it, in a world that has gone on meanwhile.
    *world.liquid_mut() = snapshot;
    for hash in hashes {
        world.step(tick, &SerialExecutor).expect("valid");
        assert_eq!(world.state_hash(), hash);
    }
}
