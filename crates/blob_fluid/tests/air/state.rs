//! Air is saved, restored and filled.

use std::collections::BTreeSet;

use blob_fluid::air::*;
use blob_fluid::*;
use glam::Vec2;

use crate::ticks::{TICK, run, same_on_threads};
use crate::{burst, gravity, noise, room};

/// Air around a post, with coloured smoke and fire.
fn smoky() -> Air {
    let sides = AirSides { top: AirSide::Open, ..AirSides::default() };
    let settings = AirSettings { vorticity_confinement: 0.2, cooling: 0.3, ..gravity() };
    let mut air = room(24, 30, settings, sides);
    air.set_solids([], &[Collider::circle(Vec2::new(13.0, 16.0), 4.0).expect("valid")]);
    let place = FluidRegion::circle(Vec2::new(11.0, 5.0), 3.0).expect("valid");
    let colour = Some([0.9, 0.4, 0.1]);
    let fire = AirSource { smoke: 1.0, fuel: 4.0, heat: 5.0, colour, ..AirSource::new(place) };
    air.set_sources(vec![fire]).expect("valid");
    air
}

fn step(air: &mut Air, steps: usize) {
    crate::run(air, steps);
}

#[test]
fn restored_air_goes_on_with_the_same_bits() {
    let mut air = smoky();
    step(&mut air, 40);
    let saved = air.save();
    let mut later = smoky();
    later.restore(&saved).expect("valid");
    assert_eq!(later.save(), saved);
    assert_eq!(later.time(), air.time());
    for _ in 0..60 {
        step(&mut air, 1);
        step(&mut later, 1);
        assert_eq!(later.state_hash(), air.state_hash());
    }
}

#[test]
fn saved_air_is_text_and_comes_back() {
    let mut air = smoky();
    step(&mut air, 20);
    let text = serde_json::to_string(&air.save()).expect("it is data");
    let read: SavedAir = serde_json::from_str(&text).expect("it was written so");
    assert_eq!(read, air.save());
    assert!(serde_json::from_str::<SavedAir>(r#"{"columns": 3}"#).is_err());
}

/// A world in which liquid falls into a pool and exchanges heat with the air.
fn wet_world(columns: f32) -> (FluidWorld, AirId) {
    let parameters = FluidParameters::default();
    let mut world = FluidWorld::new(parameters).expect("valid");
    let half_size = Vec2::new(columns * 4.0, 80.0);
    world.insert_container(Container::rectangle(half_size, half_size).expect("valid"));
    let spacing = world.parameters().particle_spacing;
    let settings = AirSettings {
        density: 0.02 / (spacing * spacing),
        ..AirSettings::new(world.parameters().gravity)
    };
    let bounds = FluidBounds { low: Vec2::ZERO, high: Vec2::new(columns * 8.0, 160.0) };
    let air = Air::new(bounds, 8.0, settings, AirSides::default()).expect("valid");
    let id = world.insert_air(air);
    (world, id)
}

#[test]
fn a_restored_world_of_air_and_liquid_goes_on_with_the_same_bits() {
    let (mut world, air) = wet_world(20.0);
    for number in 0..60_u32 {
        let cell = Vec2::new((number % 10) as f32, (number / 10) as f32);
        let position = Vec2::new(30.0, 40.0) + cell * 8.0;
        world.spawn(ParticleSpawn { position, ..Default::default() }).expect("valid");
    }
    run(&mut world, 30);
    let saved = world.save_air(air).expect("there");
    let mut later = world.clone();
    later.air_mut(air).expect("there").clear();
    assert_eq!(later.restore_air(air, &saved), Ok(true));
    for _ in 0..30 {
        run(&mut world, 1);
        run(&mut later, 1);
        let hash = |world: &FluidWorld| world.air(air).map(Air::state_hash);
        assert_eq!(hash(&later), hash(&world));
        assert_eq!(later.state_hash(), world.state_hash());
    }
}

#[test]
fn what_does_not_fit_is_refused_and_changes_nothing() {
    let mut air = smoky();
    step(&mut air, 5);
    let (saved, before) = (air.save(), air.state_hash());
    let mut other = room(24, 31, gravity(), AirSides::default());
    let error = other.restore(&saved).expect_err("another grid");
    assert_eq!(error, AirError::OtherGrid { found: [24, 30], expected: [24, 31] });
    assert_eq!(error.to_string(), "the saved air has 24 x 30 cells, and must have 24 x 31");
    type Spoil = fn(&mut SavedAir);
    let spoilt: [(&str, Spoil); 9] = [
        ("velocity_x has 3 numbers, and must have 750", |saved| saved.velocity_x.truncate(3)),
        ("velocity_y is NaN", |saved| saved.velocity_y[7] = f32::NAN),
        ("pressure is inf, and must be within", |saved| saved.pressure[0] = f32::INFINITY),
        ("smoke is 20000000000", |saved| saved.channels[0].values[9] = 2e10),
        ("the channel smoke is there twice", |saved| {
            saved.channels.push(saved.channels[0].clone())
        }),
        ("blue has 0 numbers", |saved| {
            saved.channels.retain(|saved| saved.channel != AirChannel::Blue);
        }),
        ("time is -1, and must be finite and at least 0", |saved| saved.time = -1.0),
        ("condensate is NaN", |saved| saved.condensate = f64::NAN),
        ("liquid.share_x has 0 numbers", |saved| saved.liquid = Some(Default::default())),
    ];
    for (named, spoil) in spoilt {
        let mut bad = saved.clone();
        spoil(&mut bad);
        let error = air.restore(&bad).expect_err(named).to_string();
        assert!(error.contains(named), "{error}, not {named}");
        assert_eq!(air.state_hash(), before);
    }
    let (mut world, id) = wet_world(8.0);
    world.remove_air(id);
    assert_eq!((world.save_air(id), world.restore_air(id, &saved)), (None, Ok(false)));
}

#[test]
fn a_region_is_filled() {
    let mut air = smoky();
    step(&mut air, 5);
    // Half of it is over the post, in whose middle there is no air.
    let low = FluidRegion::rectangle(Vec2::new(12.0, 15.0), Vec2::new(12.0, 15.0)).expect("valid");
    let filled = air.fill_channel(AirChannel::Smoke, &low, 0.5).expect("valid");
    assert!(filled > 24 * 30 - 50 && filled < 24 * 30, "{filled}");
    let with_air = |channel: AirChannel| air.channel(channel).iter().filter(|value| **value == 0.5);
    for channel in [AirChannel::Smoke, AirChannel::Red, AirChannel::Blue] {
        assert_eq!(with_air(channel).count(), filled, "it is white");
    }
    let outside = FluidRegion::circle(Vec2::splat(-50.0), 3.0).expect("valid");
    assert_eq!(air.fill_channel(AirChannel::Heat, &outside, 1.0), Ok(0));
    let error = air.fill_channel(AirChannel::Fuel, &low, 1e7).expect_err("too much");
    assert_eq!(error.to_string(), "air: amount is 10000000, and must be within ±1000000");
    let mut work = AirWorkspace::default();
    air.step(TICK, &mut work, &SerialExecutor).expect("valid");
}

// Bad input is refused with a typed error, and large numbers stay finite.

fn new(high: Vec2, cell: f32) -> Result<Air, AirError> {
    let bounds = FluidBounds { low: Vec2::ZERO, high };
    Air::new(bounds, cell, AirSettings::default(), AirSides::default())
}

#[test]
fn impossible_grids_are_refused() {
    let square = Vec2::splat(100.0);
    for cell in [0.0, -1.0, f32::NAN, f32::INFINITY, 1e-30] {
        assert!(matches!(new(square, cell), Err(AirError::OutOfRange(_))), "{cell}");
    }
    for (high, cell) in
        [(Vec2::new(1e6, 1e6), 1.0), (square, 1e-5), (Vec2::ZERO, 1.0), (-square, 1.0)]
    {
        assert!(matches!(new(high, cell), Err(AirError::Cells { .. })), "{high} {cell}");
    }
    for high in [Vec2::NAN, Vec2::INFINITY] {
        assert!(matches!(new(high, 1.0), Err(AirError::OutOfRange(_))), "{high}");
    }
    let air = new(Vec2::new(10.2, 0.3), 1.0).expect("valid");
    assert_eq!((air.columns(), air.rows()), (11, 1));
}

// Row 3 of docs/reliability.md.
#[test]
fn settings_sides_and_sources_are_checked() {
    let mut air = room(8, 8, gravity(), AirSides::default());
    let before = air.state_hash();
    let bad = [
        AirSettings { density: 0.0, ..gravity() },
        AirSettings { viscosity: -1.0, ..gravity() },
        AirSettings { gravity: Vec2::NAN, ..gravity() },
        AirSettings { cooling: f32::INFINITY, ..gravity() },
        AirSettings {
            projection: AirProjection::Multigrid { residual: 0.0, max_cycles: 9 },
            ..gravity()
        },
        AirSettings {
            projection: AirProjection::GaussSeidel { iterations: 0, over_relaxation: 1.0 },
            ..gravity()
        },
        AirSettings {
            projection: AirProjection::GaussSeidel { iterations: 9, over_relaxation: 2.0 },
            ..gravity()
        },
    ];
    for settings in bad {
        assert!(matches!(air.set_settings(settings), Err(AirError::OutOfRange(_))), "{settings:?}");
    }
    let inflow = AirSide::Inflow { velocity: Vec2::new(f32::NAN, 0.0), smoke: 0.0, heat: 0.0 };
    assert!(air.set_sides(AirSides { left: inflow, ..AirSides::default() }).is_err());
    let periodic = AirSides { left: AirSide::Periodic, ..AirSides::default() };
    assert_eq!(air.set_sides(periodic), Err(AirError::Periodic("left and right")));
    let region = FluidRegion::circle(Vec2::splat(4.0), 2.0).expect("valid");
    let source = AirSource::new(region);
    let wind = |velocity, strength| Some(Wind { velocity, strength });
    for bad in [
        AirSource { smoke: f32::NAN, ..source.clone() },
        AirSource { heat: f32::INFINITY, ..source.clone() },
        AirSource { colour: Some([0.0, f32::NAN, 0.0]), ..source.clone() },
        AirSource { wind: wind(Vec2::splat(1e30), None), ..source.clone() },
        AirSource { wind: wind(Vec2::X, Some(-1.0)), ..source.clone() },
    ] {
        assert!(matches!(air.set_sources(vec![bad]), Err(AirError::OutOfRange(_))));
    }
    assert!(matches!(
        air.set_channel(AirChannel::Smoke, &[f32::NAN; 64]),
        Err(AirError::OutOfRange(_))
    ));
    let length = AirError::Length { found: 3, expected: 64 };
    assert_eq!(air.set_channel(AirChannel::Smoke, &[0.0; 3]), Err(length));
    assert!(air.set_velocities(&[f32::INFINITY; 72], &[0.0; 72]).is_err());
    assert_eq!(air.state_hash(), before);
}

// Rows 4 and 5 of docs/reliability.md.
#[test]
fn time_steps_are_checked_and_no_time_changes_nothing() {
    let mut air = room(16, 16, gravity(), AirSides::default());
    air.set_sources(vec![burst(Vec2::splat(8.0), 3.0)]).expect("valid");
    let mut work = AirWorkspace::default();
    air.step(TICK, &mut work, &SerialExecutor).expect("valid");
    let before = air.state_hash();
    air.step(0.0, &mut work, &SerialExecutor).expect("valid");
    for bad in [-1.0, f32::NAN, f32::INFINITY] {
        let refused = air.step(bad, &mut work, &SerialExecutor);
        assert!(matches!(refused, Err(AirError::TimeStep(_))), "{bad}");
    }
    assert_eq!(air.state_hash(), before);
}

#[test]
fn extremes_stay_finite() {
    let extremes = [
        (AirSettings { viscosity: 1e12, ..gravity() }, 1.0, TICK),
        (AirSettings { gravity: Vec2::new(1e6, -1e6), ..gravity() }, 1e12, TICK),
        (AirSettings { vorticity_confinement: 100.0, ..gravity() }, 1e3, 1.0),
        (gravity(), 1e12, 1e9),
        (gravity(), 1e12, 1e-30),
        (AirSettings { density: 1e-6, ..gravity() }, 1e-12, 3e38),
        (AirSettings { density: 1e6, ..gravity() }, 1e12, f32::MIN_POSITIVE),
    ];
    for (settings, speed, time_step) in extremes {
        for sides in
            [AirSides::default(), AirSides::all(AirSide::Open), AirSides::all(AirSide::Periodic)]
        {
            let mut air = room(24, 20, settings, sides);
            air.set_solids([], &[Collider::circle(Vec2::new(12.0, 9.0), 3.0).expect("valid")]);
            let x: Vec<f32> = noise(25 * 20, 1).iter().map(|v| v * speed).collect();
            let y: Vec<f32> = noise(24 * 21, 2).iter().map(|v| v * speed).collect();
            air.set_velocities(&x, &y).expect("valid");
            let source = AirSource { heat: 1e6, smoke: 1e6, ..burst(Vec2::splat(8.0), 3.0) };
            air.set_sources(vec![AirSource { burst: false, ..source }]).expect("valid");
            let mut work = AirWorkspace::default();
            for _ in 0..4 {
                let report = air.step(time_step, &mut work, &SerialExecutor).expect("valid");
                assert!(
                    report.max_speed.is_finite(),
                    "{settings:?} {speed} {time_step}: {report:?}"
                );
            }
            let lists = [air.velocities_x(), air.velocities_y(), air.pressures()];
            let channels = AirChannel::ALL.map(|channel| air.channel(channel));
            for value in lists.into_iter().chain(channels).flatten() {
                assert!(value.is_finite(), "{settings:?} {speed} {time_step}");
            }
        }
    }
}

#[test]
fn sources_outside_do_nothing() {
    let mut air = room(16, 16, gravity(), AirSides::default());
    let outside = burst(Vec2::new(40.0, 8.0), 3.0);
    let wind = Some(Wind { velocity: Vec2::X, strength: None });
    let windy = AirSource { wind, burst: false, ..outside.clone() };
    air.set_sources(vec![outside, windy]).expect("valid");
    air.step(TICK, &mut AirWorkspace::default(), &SerialExecutor).expect("valid");
    assert_eq!(air.amount(AirChannel::Smoke), 0.0);
    assert_eq!(air.sources().len(), 1, "a burst is over after a step");
}

// The same bits on any number of threads, with all vector instructions, and in a mirror.

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
    same_on_threads([1, 2, 4], hash_after);
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

/// Runs itself again with each set of instructions. One that the processor does not have is ignored.
#[test]
fn vector_instructions_change_no_bit() {
    let hash = hash_after(&SerialExecutor);
    if std::env::var_os("BLOB_FLUID_INSTRUCTIONS").is_some() {
        println!("hash {hash:016x}");
        return;
    }
    for set in ["baseline", "avx2", "avx512"] {
        let program = std::env::current_exe().expect("a path");
        let again = std::process::Command::new(program)
            .args(["--exact", "state::vector_instructions_change_no_bit", "--nocapture"])
            .env("BLOB_FLUID_INSTRUCTIONS", set)
            .output()
            .expect("runs");
        let text = String::from_utf8_lossy(&again.stdout);
        assert!(text.contains(&format!("hash {hash:016x}")), "{hash:016x}, with {set}: {text}");
    }
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

// Sources are inserted, changed and removed one by one, without any effect on others.

fn still() -> Air {
    room(16, 16, AirSettings::default(), AirSides::default())
}

/// Smoke in a disc around the middle of a row.
fn nozzle(x: f32, smoke: f32) -> AirSource {
    let region = FluidRegion::circle(Vec2::new(x, 8.0), 2.0).expect("valid");
    AirSource { smoke, ..AirSource::new(region) }
}

#[test]
fn handles_stay_valid_until_removed_and_are_never_anothers() {
    let mut air = still();
    let mut all = BTreeSet::new();
    let mut present = Vec::new();
    for number in 0..20 {
        let smoke = number as f32;
        let id = air.insert_source(nozzle(4.0, smoke)).expect("valid");
        assert!(all.insert(id), "{id:?} was another's");
        if number % 3 == 0 {
            assert_eq!(air.remove_source(id), Some(nozzle(4.0, smoke)));
        } else {
            present.push((id, smoke));
        }
        assert!(air.source_ids().eq(present.iter().map(|(id, _)| *id)), "the order of insertion");
        assert!(
            air.sources().iter().map(|source| source.smoke).eq(present.iter().map(|entry| entry.1))
        );
        assert!(
            present
                .iter()
                .all(|(id, smoke)| air.source(*id).map(|source| source.smoke) == Some(*smoke))
        );
    }
    air.set_sources(vec![nozzle(9.0, 7.0)]).expect("valid");
    let new = air.source_ids().next().expect("one");
    for id in all {
        assert!(id != new && air.source(id).is_none() && air.remove_source(id).is_none());
        assert_eq!(air.set_source(id, nozzle(1.0, 1.0)), Ok(false));
    }
    assert_eq!(air.source(new), Some(&nozzle(9.0, 7.0)), "untouched by all that");
}

#[test]
fn a_burst_is_gone_after_the_step_and_the_others_stay() {
    let mut air = still();
    let first = air.insert_source(nozzle(4.0, 1.0)).expect("valid");
    let puff = air.insert_source(burst(Vec2::splat(8.0), 2.0)).expect("valid");
    let last = air.insert_source(nozzle(12.0, 2.0)).expect("valid");
    let changed = AirSource { smoke: 3.0, ..burst(Vec2::splat(8.0), 2.0) };
    assert_eq!(air.set_source(puff, changed.clone()), Ok(true));
    assert_eq!(air.source(puff), Some(&changed), "it waits for the step");
    crate::run(&mut air, 1);
    assert_eq!(air.source(puff), None);
    assert_eq!(air.set_source(puff, nozzle(8.0, 1.0)), Ok(false));
    assert_eq!(air.remove_source(puff), None);
    assert!(air.source_ids().eq([first, last]));
    assert_eq!(air.source(last), Some(&nozzle(12.0, 2.0)));
    let next = air.insert_source(burst(Vec2::splat(8.0), 2.0)).expect("valid");
    assert_ne!(next, puff);
}

#[test]
fn sources_one_by_one_are_those_of_a_list_to_the_bit() {
    let sources = [nozzle(4.0, 1.0), burst(Vec2::splat(8.0), 3.0), nozzle(11.0, -2.0)];
    let (mut one_by_one, mut listed) = (still(), still());
    listed.set_sources(sources.to_vec()).expect("valid");
    let wrong = one_by_one.insert_source(nozzle(8.0, 5.0)).expect("valid");
    for source in sources {
        one_by_one.insert_source(source).expect("valid");
    }
    one_by_one.remove_source(wrong);
    assert_eq!(one_by_one.sources(), listed.sources());
    crate::run(&mut one_by_one, 9);
    crate::run(&mut listed, 9);
    assert_eq!(one_by_one.state_hash(), listed.state_hash());
    assert!(listed.amount(AirChannel::Smoke) > 0.0);
}

#[test]
fn bad_sources_are_refused_and_change_nothing() {
    let mut air = still();
    let id = air.insert_source(nozzle(4.0, 1.0)).expect("valid");
    let bad = nozzle(4.0, f32::NAN);
    assert!(matches!(air.insert_source(bad.clone()), Err(AirError::OutOfRange(_))));
    assert!(matches!(air.set_source(id, bad), Err(AirError::OutOfRange(_))));
    assert_eq!(air.sources(), [nozzle(4.0, 1.0)]);
    assert_eq!(air.source_ids().len(), 1);
}
