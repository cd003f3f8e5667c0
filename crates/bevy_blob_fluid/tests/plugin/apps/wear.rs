//! Liquid that wears tiles and colliders, in a headless app.

use std::process::Command;

use bevy::tasks::{ComputeTaskPool, TaskPoolBuilder};
#[cfg(feature = "snapshot")]
use bevy_blob_fluid::FluidSnapshot;

use crate::app::*;
use crate::warnings::{keep_warnings, take_warnings};

const TILE: f32 = 24.0;
const SPACING: f32 = 6.0;
/// Length of a tick, in seconds: exact in binary, as the rates below are.
const TICK: f64 = 1.0 / 64.0;

/// A basin of 12 by 8 tiles, around the origin. Its floor has two layers.
fn basin() -> FluidTiles {
    let solid = |tile: UVec2| tile.x == 0 || tile.x == 11 || tile.y < 2;
    FluidTiles::from_fn(UVec2::new(12, 8), Vec2::splat(TILE), solid)
}

/// An app with a pool of medium liquid in a basin that wears.
fn pool(wear: Option<FluidWear>) -> (App, Entity) {
    let mut app = headless(FluidSettings::new(SPACING, Vec2::NEG_Y * 200.0));
    let level = app.spawn((Name::new("basin"), basin()));
    if let Some(wear) = wear {
        app.insert(level, wear);
    }
    app.spawn((FluidBlob::from(Rectangle::new(230.0, 70.0)), FluidClass::MEDIUM, xy(0.0, -10.0)));
    (app, level)
}

fn acid(rate: f32) -> FluidWearRate {
    FluidWearRate::by_contact(ClassId::MEDIUM, rate)
}

fn strength(app: &App, level: Entity) -> &FluidStrength {
    app.component(level)
}

/// Number of particles within 1.25 spacings of a solid tile, from the definition.
fn touching(app: &App, level: Entity) -> usize {
    let tiles = app.component::<FluidTiles>(level);
    let solid: Vec<Vec2> = (0..tiles.size.y)
        .flat_map(|y| (0..tiles.size.x).map(move |x| UVec2::new(x, y)))
        .filter(|tile| tiles.is_solid(*tile))
        .map(|tile| tiles.middle_of(tile))
        .collect();
    let reach = 1.25 * SPACING;
    let touches = |position: &&Vec2| {
        solid.iter().any(|middle| {
            let outside = (**position - middle).abs() - 0.5 * TILE;
            outside.max(Vec2::ZERO).length() <= reach
        })
    };
    app.positions().iter().filter(touches).count()
}

#[test]
fn touching_particles_take_strength_at_the_rate() {
    let (mut app, level) = pool(Some(FluidWear::new(1024.0, [acid(0.125)])));
    app.update();
    let mut expected = strength(&app, level).removed[0];
    for _ in 0..200 {
        expected += touching(&app, level) as f64 * 0.125 * TICK;
        app.update();
        assert_eq!(strength(&app, level).removed, [expected]);
    }
    // The outermost layer has a particle per spacing along the floor and up both walls.
    let layer = (10.0 * TILE + 2.0 * 70.0) / SPACING;
    let count = touching(&app, level) as f32;
    assert!(count > 0.6 * layer && count < 1.6 * layer, "{count} of {layer} touch");
    let FluidStrength { remaining, removed, .. } = strength(&app, level);
    let solid = basin().solid.iter().filter(|solid| **solid).count();
    assert_eq!(remaining.iter().sum::<f64>() + removed[0], 1024.0 * solid as f64);
}

#[test]
fn acid_eats_through_a_floor_in_the_time_of_its_rate() {
    // Four particles touch a tile, so each of two layers lasts 2 / (4 · 0.5) seconds.
    let (mut app, level) = pool(Some(FluidWear::new(2.0, [acid(0.5)])));
    app.update();
    let count = app.particles();
    let open = |app: &App| {
        let tiles = app.component::<FluidTiles>(level);
        (1..11).filter(|x| !tiles.is_solid(UVec2::new(*x, 1))).count()
    };
    let mut until = |done: &dyn Fn(&App) -> bool| {
        let begin = app.fluid().ticks();
        while !done(&app) {
            app.update();
            assert!(app.fluid().ticks() < 64 * 8, "it is still there");
        }
        (app.fluid().ticks() - begin) as f64 * TICK
    };
    let half_of_a_layer = until(&|app| open(app) >= 5);
    let through = until(&|app| app.positions().iter().any(|position| position.y < -4.0 * TILE));
    println!("{half_of_a_layer} s, {through} s");
    assert!((0.7..1.4).contains(&half_of_a_layer), "{half_of_a_layer} s");
    // It falls into the gap meanwhile.
    assert!((0.6..2.0).contains(&through), "{through} s");
    assert_eq!(app.particles(), count, "it is not used up");
}

#[test]
fn acid_is_used_up_by_exactly_the_strength_that_it_takes() {
    let spent = acid(0.25).with_particle_strength(0.0625).becoming("light");
    for becomes in [None, Some("light".to_owned())] {
        let rate = FluidWearRate { becomes: becomes.clone(), ..spent.clone() };
        let (mut app, level) = pool(Some(FluidWear::new(1.0, [rate])));
        app.update();
        let count = app.particles() as u64 + strength(&app, level).used_up[0];
        app.updates(150);
        let FluidStrength { remaining, removed, used_up, worn_out, .. } = strength(&app, level);
        let solid = basin().solid.iter().filter(|solid| **solid).count() as f64;
        assert_eq!(removed[0], solid - remaining.iter().sum::<f64>());
        assert_eq!(used_up[0] as f64, (removed[0] / 0.0625).floor());
        assert!(used_up[0] > 100 && *worn_out > 0, "{used_up:?} {worn_out}");
        let light = app.fluid().particles().classes().iter().filter(|c| **c == ClassId::LIGHT);
        let light = light.count() as u64;
        let gone = count - app.particles() as u64;
        if becomes.is_some() {
            assert_eq!(light, used_up[0]);
        } else {
            assert_eq!(gone, used_up[0]);
        }
    }
}

#[test]
fn water_does_nothing_to_stone() {
    let wear = FluidWear::new(1.0, [FluidWearRate::by_contact("light", 1e6)]);
    let (mut stone, level) = pool(Some(wear));
    let (mut plain, _) = pool(None);
    stone.updates(200);
    plain.updates(200);
    assert_eq!(stone.fluid().state_hash(), plain.fluid().state_hash());
    assert_eq!(strength(&stone, level).removed, [0.0]);
    assert_eq!(*stone.component::<FluidTiles>(level), basin());
    let world = plain.world_mut();
    assert_eq!(world.query::<&FluidStrength>().iter(world).count(), 0);
}

/// A jet along a bank of sand, whose tiles become heavy grains.
fn stream() -> (App, Entity) {
    let mut app = headless(FluidSettings::new(SPACING, Vec2::NEG_Y * 200.0));
    let wear = FluidWear::new(1.0, [FluidWearRate::by_flow("medium", 0.00390625)]);
    let level = app.spawn((Name::new("bank"), basin(), wear.loosening("heavy")));
    app.spawn((
        FluidEmitter::jet(24.0, 200.0),
        FluidClass::MEDIUM,
        xy(-80.0, -20.0).with_rotation(Quat::from_rotation_z(-2.07)),
    ));
    (app, level)
}

#[test]
fn a_stream_cuts_a_bank_into_grains() {
    let (mut app, level) = stream();
    app.updates(64 * 5);
    let tiles = app.component::<FluidTiles>(level);
    // The jet hits the floor 4.8 tiles from the left.
    assert!((4..7).any(|x| !tiles.is_solid(UVec2::new(x, 1))), "{:?}", tiles.solid);
    // The last tiles disappear and turn into grains.
    app.component_mut::<FluidWear>(level).rates.clear();
    app.updates(2);
    let FluidStrength { worn_out, loosened, .. } = *strength(&app, level);
    let solid = |tiles: &FluidTiles| tiles.solid.iter().filter(|solid| **solid).count() as u64;
    assert_eq!(worn_out, solid(&basin()) - solid(app.component::<FluidTiles>(level)));
    // A tile holds 4 by 4 particles.
    assert_eq!(loosened, worn_out * 16);
    assert!(worn_out > 3, "{worn_out} tiles");
    let heavy = app.fluid().particles().classes().iter().filter(|c| **c == ClassId::HEAVY);
    assert_eq!(heavy.count() as u64, loosened);
}

#[test]
fn grains_wait_for_room() {
    let (mut app, level) = stream();
    app.settings().capacity = 100;
    app.updates(64 * 4);
    let FluidStrength { worn_out, loosened, .. } = *strength(&app, level);
    assert!(worn_out > 1 && app.particles() <= 100, "{worn_out}");
    app.settings().capacity = 10_000;
    app.updates(2);
    assert!(strength(&app, level).loosened >= loosened + 16);
}

#[test]
fn heat_melts_above_its_temperature_only() {
    let mut app = headless(FluidSettings::new(8.0, Vec2::ZERO));
    let heat = FluidWearRate::by_heat(ClassId::MEDIUM, 0.125, 50.0);
    let post =
        app.spawn((FluidCollider::from(Rectangle::new(20.0, 20.0)), FluidWear::new(4.0, [heat])));
    app.update();
    let mut drop_at = |x: f32, temperature: f32| {
        app.add_particle(ParticleSpawn {
            position: Vec2::new(x, 0.0),
            class: ClassId::MEDIUM,
            temperature: Some(temperature),
            ..default()
        })
    };
    drop_at(-11.0, 20.0);
    drop_at(11.0, 58.0);
    // Eight degrees above it take 1 a second.
    app.update();
    assert_eq!(strength(&app, post).remaining, [4.0 - TICK]);
}

/// Posts that were reported as worn out.
#[derive(Resource, Default)]
struct Reported(Vec<FluidWornOut>);

#[test]
fn a_collider_reports_that_it_is_worn_out() {
    let mut app = headless(FluidSettings::new(8.0, Vec2::ZERO));
    app.init_resource::<Reported>();
    app.add_observer(|worn: On<FluidWornOut>, mut all: ResMut<Reported>| all.0.push(*worn));
    let wear = FluidWear::new(0.25, [FluidWearRate::by_contact(ClassId::MEDIUM, 1.0)]);
    let post = app.spawn((FluidCollider::from(Circle::new(20.0)), wear.clone()));
    app.update();
    app.add_particle(ParticleSpawn {
        position: Vec2::new(22.0, 0.0),
        class: ClassId::MEDIUM,
        ..default()
    });
    app.updates(30);
    let worn = FluidWornOut { entity: post, tile: None };
    let touched = 0.25 - strength(&app, post).remaining[0];
    assert_eq!(touched, 0.25);
    assert_eq!(app.resource::<Reported>().0, [worn]);
    assert_eq!(app.colliders(), 1, "the game decides");
    app.insert(post, wear);
    app.update();
    assert_eq!(strength(&app, post).worn_out, 0);
}

#[test]
fn tiles_that_the_game_adds_and_removes_gain_and_lose_their_strength() {
    let (mut app, level) = pool(Some(FluidWear::new(8.0, [acid(0.5)])));
    app.updates(30);
    let mut tiles = app.component_mut::<FluidTiles>(level);
    tiles.set(UVec2::new(0, 0), false);
    tiles.set(UVec2::new(5, 7), true);
    app.update();
    let FluidStrength { remaining, worn_out, .. } = strength(&app, level);
    assert_eq!((remaining[0], remaining[7 * 12 + 5]), (0.0, 8.0));
    assert!(remaining[12 + 5] < 8.0 && *worn_out == 0);
}

#[test]
fn impossible_wear_is_left_out_with_one_warning() {
    keep_warnings();
    let good = || FluidWear::new(1.0, [acid(1.0)]);
    let rate = |rate: FluidWearRate| FluidWear::new(1.0, [rate]);
    let bad = [
        FluidWear { strength: 0.0, ..good() },
        FluidWear { strength: f32::NAN, ..good() },
        FluidWear { loosened_share: 1.5, ..good() },
        rate(acid(-1.0)),
        rate(FluidWearRate { flow: f32::INFINITY, ..acid(1.0) }),
        rate(FluidWearRate { heat: f32::NAN, ..acid(1.0) }),
        rate(FluidWearRate { heat_above: 1e7, ..acid(1.0) }),
        rate(acid(1.0).with_particle_strength(0.0)),
        rate(acid(1.0).with_particle_strength(0.5).becoming("nothing")),
        rate(FluidWearRate::by_contact("nothing", 1.0)),
    ];
    for (number, wear) in bad.into_iter().enumerate() {
        let (mut app, level) = pool(Some(wear.clone()));
        let name = format!("bad wear {number}");
        app.insert(level, Name::new(name.clone()));
        app.updates(40);
        assert_eq!(strength(&app, level).removed.iter().sum::<f64>(), 0.0, "{wear:?}");
        let warnings = take_warnings(&name);
        assert_eq!(warnings.len(), 1, "{wear:?}: {warnings:?}");
        *app.component_mut::<FluidWear>(level) = good();
        app.updates(20);
        assert!(strength(&app, level).removed[0] > 0.0, "{wear:?}");
    }
}

#[cfg(feature = "snapshot")]
#[test]
fn a_saved_app_goes_on_with_the_same_bits() {
    let (mut app, level) = stream();
    app.updates(200);
    let kept = FluidSnapshot::take(app.world_mut()).expect("between two ticks");
    let bytes = kept.to_bytes().expect("no images");
    let (before, at_first) = (strength(&app, level).clone(), app.fluid().deep_hash());
    assert!(before.worn_out > 0, "{before:?}");
    app.updates(100);
    let tiles = app.component::<FluidTiles>(level).clone();
    assert!(strength(&app, level).worn_out > before.worn_out);
    let hash = app.fluid().deep_hash();
    for _ in 0..2 {
        assert!(kept.restore(app.world_mut()).expect("a snapshot").is_complete());
        assert_eq!(*strength(&app, level), before);
        assert_eq!(app.fluid().deep_hash(), at_first);
        app.updates(100);
        let differences: Vec<_> = app.fluid().deep_hash().differences(&hash).collect();
        assert!(differences.is_empty(), "{differences:?}");
        assert_eq!(*app.component::<FluidTiles>(level), tiles);
    }
    for ticks in [0, 60, 250] {
        let (mut other, level) = stream();
        other.updates(ticks);
        let restored = FluidSnapshot::load(other.world_mut(), &bytes).expect("a snapshot");
        assert!(restored.is_complete(), "{:?}", restored.missing);
        other.updates(100);
        let differences: Vec<_> = other.fluid().deep_hash().differences(&hash).collect();
        assert!(differences.is_empty(), "after {ticks} ticks: {differences:?}");
        assert_eq!(*other.component::<FluidTiles>(level), tiles);
    }
}

/// The environment variable with the number of compute threads of a child.
const THREADS: &str = "WEAR_THREADS";

/// The test calls itself.
#[test]
fn any_number_of_threads_gives_the_same_bits() {
    if let Ok(threads) = std::env::var(THREADS) {
        let threads = threads.parse().expect("a number");
        let pool =
            || ComputeTaskPool::get_or_init(|| TaskPoolBuilder::new().num_threads(threads).build());
        assert_eq!(pool().thread_num(), threads);
        let (mut app, level) = stream();
        app.updates(200);
        println!("\nbits {:x} {:?}", app.fluid().state_hash(), strength(&app, level));
        return;
    }
    let outputs = [1, 4].map(|threads: u32| {
        let mut child = Command::new(std::env::current_exe().expect("it runs"));
        let name = "apps::wear::any_number_of_threads_gives_the_same_bits";
        child.args(["--exact", name, "--nocapture"]).env(THREADS, threads.to_string());
        let output = child.output().expect("it starts");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let bits = text.lines().find(|line| line.starts_with("bits "));
        bits.unwrap_or_else(|| panic!("no bits in {text}")).to_owned()
    });
    assert_eq!(outputs[0], outputs[1]);
}
