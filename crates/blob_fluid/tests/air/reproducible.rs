//! The same bits on any number of threads, with all vector instructions, and in a mirror.

use blob_fluid::air::{Air, AirChannel, AirSettings, AirSide, AirSides, AirSource, AirWorkspace};
use blob_fluid::{Collider, Executor, FluidRegion, RayonExecutor, SerialExecutor};
use glam::Vec2;

use crate::ticks::TICK;
use crate::{gravity, room};

/// Fire, smoke of a colour, sticky solids, viscosity and confinement.
fn everything() -> Air {
    let settings = AirSettings {
        viscosity: 0.4,
        vorticity_confinement: 0.2,
        cooling: 0.3,
        smoke_weight: 0.2,
        solids_no_slip: true,
        ..gravity()
    };
    let mut air = room(75, 90, settings, AirSides { top: AirSide::Open, ..AirSides::default() });
    let region = FluidRegion::circle(Vec2::new(30.0, 12.0), 6.0).expect("valid");
    let colour = Some([1.0, 0.5, 0.25]);
    let source = AirSource { smoke: 1.0, heat: 2.0, fuel: 1.0, colour, ..AirSource::new(region) };
    air.set_sources(vec![source]).expect("valid");
    air.set_solids([], &[Collider::circle(Vec2::new(34.0, 45.0), 8.3).expect("valid")]);
    air
}

fn hash_after(executor: &dyn Executor) -> u64 {
    let mut air = everything();
    let mut work = AirWorkspace::default();
    for step in 0..60 {
        if step % 7 == 0 {
            // The workspace holds nothing that a result depends on.
            work = AirWorkspace::default();
        }
        air.step(TICK, &mut work, executor).expect("valid");
    }
    assert!(air.amount(AirChannel::Red) > 0.0);
    air.state_hash()
}

#[test]
fn threads_change_no_bit() {
    let serial = hash_after(&SerialExecutor);
    for threads in [1, 2, 4] {
        let executor = RayonExecutor::new(threads).expect("threads");
        assert_eq!(hash_after(&executor), serial, "{threads} threads");
    }
}

#[test]
fn workspaces_may_be_kept_or_shared() {
    let (mut kept, mut other) = (AirWorkspace::default(), everything());
    let mut air = everything();
    for _ in 0..60 {
        air.step(TICK, &mut kept, &SerialExecutor).expect("valid");
        other.set_solids([], []);
        other.step(TICK, &mut kept, &SerialExecutor).expect("valid");
    }
    assert_eq!(air.state_hash(), hash_after(&SerialExecutor));
}

#[test]
fn a_workspace_does_not_take_one_air_for_another() {
    let disc = |x: f32| Collider::circle(Vec2::new(x, 45.0), 8.3).expect("valid");
    let snapshot = everything();
    let mut work = AirWorkspace::default();
    // As many changes of the solids in each, but other ones, and one is smaller.
    let mut other = snapshot.clone();
    other.set_solids([], [&disc(50.0)]);
    let mut small = room(20, 30, gravity(), AirSides::default());
    small.set_solids([], [&disc(34.0)]);
    small.set_solids([], [&disc(50.0)]);
    for air in [&mut other, &mut small] {
        air.step(TICK, &mut work, &SerialExecutor).expect("valid");
    }
    for x in [20.0, 50.0] {
        let mut air = snapshot.clone();
        air.set_solids([], [&disc(x)]);
        let mut fresh = air.clone();
        air.step(TICK, &mut work, &SerialExecutor).expect("valid");
        fresh.step(TICK, &mut AirWorkspace::default(), &SerialExecutor).expect("valid");
        assert_eq!(air.state_hash(), fresh.state_hash(), "{x}");
    }
}

/// Run again without AVX2 by the test below.
#[test]
fn vector_instructions_change_no_bit() {
    let hash = hash_after(&SerialExecutor);
    if std::env::var_os("BLOB_FLUID_INSTRUCTIONS").is_some() {
        println!("hash {hash:016x}");
        return;
    }
    let program = std::env::current_exe().expect("a path");
    let again = std::process::Command::new(program)
        .args(["--exact", "reproducible::vector_instructions_change_no_bit", "--nocapture"])
        .env("BLOB_FLUID_INSTRUCTIONS", "baseline")
        .output()
        .expect("runs");
    let text = String::from_utf8_lossy(&again.stdout);
    assert!(text.contains(&format!("hash {hash:016x}")), "{hash:016x}, without AVX2: {text}");
}

#[test]
fn a_hot_blob_is_its_own_mirror_image() {
    for (columns, solid) in [(64, false), (64, true), (50, true), (36, false)] {
        let mut air = room(
            columns,
            56,
            AirSettings { vorticity_confinement: 0.1, viscosity: 0.1, ..gravity() },
            AirSides::default(),
        );
        let middle = columns as f32 / 2.0;
        let region = FluidRegion::circle(Vec2::new(middle, 12.0), 6.0).expect("valid");
        let source = AirSource { smoke: 1.0, heat: 1.0, burst: true, ..AirSource::new(region) };
        air.set_sources(vec![source]).expect("valid");
        if solid {
            air.set_solids([], &[Collider::circle(Vec2::new(middle, 36.0), 5.2).expect("valid")]);
        }
        let mut work = AirWorkspace::default();
        for step in 0..180 {
            air.step(TICK, &mut work, &SerialExecutor).expect("valid");
            let smoke = air.channel(AirChannel::Smoke);
            for row in smoke.chunks(columns).chain(air.pressures().chunks(columns)) {
                assert!(row.iter().eq(row.iter().rev()), "{columns} {solid}, step {step}: {row:?}");
            }
            for row in air.velocities_x().chunks(columns + 1) {
                let mirrored = row.iter().rev().map(|u| -u);
                assert!(
                    row.iter().copied().eq(mirrored),
                    "{columns} {solid}, step {step}: {row:?}"
                );
            }
            for row in air.velocities_y().chunks(columns) {
                assert!(row.iter().eq(row.iter().rev()), "{columns} {solid}, step {step}");
            }
        }
        let (mut height, mut sum) = (0.0, 0.0);
        for (index, smoke) in air.channel(AirChannel::Smoke).iter().enumerate() {
            height += smoke * air.cell_centre(index).y;
            sum += smoke;
        }
        assert!(height / sum > 16.0, "{columns} {solid}: it rises to {}", height / sum);
    }
}
