//! Blasts as entities, in a headless app: craters, closed rooms, reports, and saved games.

use std::f32::consts::PI;

#[cfg(feature = "snapshot")]
use bevy_blob_fluid::FluidSnapshot;

use crate::app::*;
use crate::warnings::{keep_warnings, take_warnings};

const TILE: f32 = 16.0;

/// The messages of an app.
#[derive(Resource, Default)]
struct Reported(Vec<FluidBlasted>, Vec<FluidWornOut>);

fn app_without_gravity() -> App {
    let mut app = headless(FluidSettings::new(4.0, Vec2::ZERO));
    app.init_resource::<Reported>();
    app.add_observer(|blasted: On<FluidBlasted>, mut all: ResMut<Reported>| all.0.push(*blasted));
    app.add_observer(|worn: On<FluidWornOut>, mut all: ResMut<Reported>| all.1.push(*worn));
    app
}

/// A square of tiles around the origin, `side` tiles wide, that break at a pressure.
fn level(app: &mut App, side: u32, pressure: f32, solid: impl FnMut(UVec2) -> bool) -> Entity {
    let tiles = FluidTiles::from_fn(UVec2::splat(side), Vec2::splat(TILE), solid);
    app.spawn((Name::new("level"), tiles, FluidWear::default().breaking_at(pressure)))
}

fn solid(app: &App, level: Entity) -> Vec<Vec2> {
    let tiles = app.component::<FluidTiles>(level);
    let all = (0..tiles.size.y).flat_map(|y| (0..tiles.size.x).map(move |x| UVec2::new(x, y)));
    all.filter(|tile| tiles.is_solid(*tile)).map(|tile| tiles.middle_of(tile)).collect()
}

/// Updates until all blasts have acted, and returns the last report.
fn until_over(app: &mut App) -> FluidBlasted {
    app.update_until("the blasts are over", |app| {
        app.world().iter_entities().all(|entity| !entity.contains::<FluidBlast>())
    });
    *app.resource::<Reported>().0.last().expect("a report")
}

#[test]
fn a_crater_takes_the_energy_of_its_tiles() {
    let (pressure, energy, radius) = (100.0, 4e6, 400.0);
    let mut app = app_without_gravity();
    let level = level(&mut app, 31, pressure, |tile| tile != UVec2::splat(15));
    app.updates(2);
    let before = solid(&app, level);
    app.spawn(FluidBlast::new(energy, radius));
    let report = until_over(&mut app);
    app.updates(2);
    let after = solid(&app, level);
    assert_eq!(before.len() - after.len(), report.broken as usize);
    assert_eq!(app.resource::<Reported>().1.len(), report.broken as usize);
    let of_tiles = report.broken as f32 * pressure * TILE * TILE;
    assert!((report.energy_of_walls / of_tiles - 1.0).abs() < 1e-4, "{report:?}");
    assert!(report.energy_of_walls + report.report.energy <= energy, "{report:?}");
    // The crater grows until `(E - A s)/A = s`.
    let expected = (0.5 * energy / (PI * pressure)).sqrt();
    let inner = after.iter().map(|at| at.length()).fold(f32::MAX, f32::min);
    let gone = before.iter().filter(|at| !after.contains(at));
    let outer = gone.map(|at| at.length()).fold(0.0, f32::max);
    println!("a crater of {inner} to {outer}, expected {expected}: {report:?}");
    assert!(inner > expected - 1.5 * TILE && outer < expected + 1.5 * TILE, "{inner} to {outer}");
}

#[test]
fn below_the_pressure_nothing_breaks_however_often() {
    let mut app = app_without_gravity();
    let level = level(&mut app, 9, 100.0, |tile| tile.x == 0);
    app.updates(2);
    // The inner faces are 3.5 tiles away.
    let pressure = 95.0 * PI * (3.5 * TILE).powi(2);
    for _ in 0..5 {
        app.spawn(FluidBlast::new(pressure, 100.0));
        assert_eq!(until_over(&mut app).broken, 0);
    }
    app.spawn(FluidBlast::new(pressure * 1.1, 100.0));
    assert!(until_over(&mut app).broken > 0);
    // A worn tile breaks at its share.
    let highest = UVec2::new(0, 4);
    app.component_mut::<FluidTiles>(level).set(highest, true);
    app.updates(2);
    app.component_mut::<FluidStrength>(level).remaining[4 * 9] = 0.5;
    app.spawn(FluidBlast::new(0.6 * pressure, 100.0));
    assert_eq!(until_over(&mut app).broken, 1);
}

/// A closed room of strong tiles with one weak tile on the right, and liquid inside and outside.
fn closed_room() -> (App, Entity, Entity) {
    let mut app = app_without_gravity();
    let hole = UVec2::new(6, 3);
    let strong =
        level(&mut app, 7, 3000.0, |tile| tile != hole && (tile.x % 6 == 0 || tile.y % 6 == 0));
    let weak = level(&mut app, 7, 90.0, |tile| tile == hole);
    for x in [-30.0, 60.0] {
        app.spawn((FluidBlob::from(Rectangle::new(16.0, 120.0)), FluidClass::MEDIUM, xy(x, 0.0)));
    }
    app.updates(4);
    (app, strong, weak)
}

#[test]
fn a_closed_room_bursts_at_its_weakest_tile_and_blows_through_the_gap() {
    let (mut app, strong, weak) = closed_room();
    let area = (5.0 * TILE).powi(2);
    let strength = solid(&app, strong).len();
    // The pulse alone does not break the weak tile; the gas in the room does.
    let place = || xy(-24.0, 0.0);
    app.spawn((FluidBlast::new(85.0 * area, 200.0), place()));
    let report = until_over(&mut app);
    assert_eq!((report.broken, solid(&app, strong).len()), (0, strength));
    let outside = |app: &App| {
        let all = app.positions().iter().zip(app.velocities()).filter(|(at, _)| at.x > 3.6 * TILE);
        all.map(|(at, velocity)| (*at, *velocity)).collect::<Vec<_>>()
    };
    assert!(outside(&app).len() > 50);
    let before = outside(&app);
    app.spawn((FluidBlast::new(130.0 * area, 200.0), place()));
    let report = until_over(&mut app);
    assert_eq!((report.broken, solid(&app, weak).len()), (1, 0));
    assert_eq!(solid(&app, strong).len(), strength);
    let fastest = |all: &[(Vec2, Vec2)], in_front: bool| {
        let chosen = all.iter().filter(|(at, _)| (at.y.abs() < 0.3 * TILE) == in_front);
        chosen.map(|(_, velocity)| velocity.x).fold(0.0, f32::max)
    };
    let after = outside(&app);
    let jet = fastest(&after, true);
    println!("a jet of {jet}, {report:?}");
    // The nearest particles outside are 78 away; see `Liquid::apply_blast`.
    let (energy, distance, radius) = (130.0 * area - report.energy_of_walls, 78.0, 200.0);
    let share = 2.0 * energy * (1.0 - distance / radius) / (PI * radius * distance);
    assert!((0.8..1.2).contains(&(jet / (4.0 * share.sqrt()))), "{jet}");
    assert!(fastest(&before, true) < 0.1 * jet, "{before:?}");
    assert!(report.report.escaped.x > 0.0, "{report:?}");
    assert!(report.report.impulse_on_walls.x < 0.0, "the recoil");
}

#[test]
fn bodies_fly_and_colliders_only_report() {
    let mut app = app_without_gravity();
    let square = FluidCollider::from(Rectangle::new(20.0, 20.0));
    let crate_ = (square.clone(), FluidBuoyant::of_density(0.5), FluidLoad::default());
    let crate_ = app.spawn((crate_, xy(40.0, 0.0)));
    let post = app.spawn((square, FluidWear::default().breaking_at(50.0), xy(-40.0, 0.0)));
    app.updates(2);
    app.spawn(FluidBlast::new(1e6, 100.0));
    app.updates(1);
    let motion = app.component::<FluidMotion>(crate_).velocity;
    assert!(motion.x > 10.0 && app.component::<FluidLoad>(crate_).force.x > 0.0, "{motion}");
    let report = app.resource::<Reported>().0[0];
    assert_eq!((report.broken, report.energy_of_walls, report.report.bodies), (1, 0.0, 1));
    assert_eq!(app.resource::<Reported>().1, [FluidWornOut { entity: post, tile: None }]);
    assert_eq!(app.colliders(), 2, "the game decides");
}

#[test]
fn an_invalid_blast_waits_with_one_warning() {
    keep_warnings();
    let mut app = app_without_gravity();
    let bomb = app.spawn((Name::new("bad bomb"), FluidBlast::new(f32::NAN, 10.0)));
    app.updates(10);
    assert_eq!(take_warnings("bad bomb").len(), 1);
    assert!(app.resource::<Reported>().0.is_empty());
    app.insert(bomb, FluidBlast::default());
    app.updates(2);
    assert_eq!(app.resource::<Reported>().0.len(), 1);
    assert!(app.world().get::<FluidBlast>(bomb).is_none());
}

/// A crater that is still growing, and a pool.
#[cfg(feature = "snapshot")]
fn growing_crater() -> (App, Entity) {
    let mut app = app_without_gravity();
    let level = level(&mut app, 15, 100.0, |tile| tile.x > 9);
    app.component_mut::<FluidWear>(level).loosens = Some("heavy".into());
    app.spawn((FluidBlob::from(Rectangle::new(60.0, 60.0)), FluidClass::MEDIUM, xy(-40.0, 0.0)));
    app.updates(2);
    let bomb = app.spawn((Name::new("bomb"), FluidBlast::new(4e6, 150.0), xy(20.0, 0.0)));
    app.updates(3);
    assert!(app.world().get::<FluidBlast>(bomb).is_some(), "it digs");
    (app, level)
}

#[cfg(feature = "snapshot")]
#[test]
fn a_saved_blast_goes_on_with_the_same_bits() {
    let (mut app, level) = growing_crater();
    let kept = FluidSnapshot::take(app.world_mut()).expect("between two ticks");
    let bytes = kept.to_bytes().expect("no images");
    let until_the_end = |app: &mut App| {
        app.updates(60);
        (app.fluid().deep_hash(), *app.resource::<Reported>().0.last().expect("a report"))
    };
    let (hash, report) = until_the_end(&mut app);
    let tiles = app.component::<FluidTiles>(level).clone();
    assert!(report.broken > 4 && app.component::<FluidStrength>(level).loosened > 0, "{report:?}");
    assert!(kept.restore(app.world_mut()).expect("a snapshot").is_complete());
    assert_eq!(until_the_end(&mut app), (hash, report));
    assert_eq!(*app.component::<FluidTiles>(level), tiles);
    let (mut other, level) = growing_crater();
    other.updates(9);
    let restored = FluidSnapshot::load(other.world_mut(), &bytes).expect("a snapshot");
    assert!(restored.is_complete(), "{:?}", restored.missing);
    let (other_hash, other_report) = until_the_end(&mut other);
    assert_eq!((other_hash, other_report.report), (hash, report.report));
    assert_eq!(*other.component::<FluidTiles>(level), tiles);
}
