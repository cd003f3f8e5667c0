//! Levels of tiles in a headless app.

use bevy::ecs::entity::EntityHashSet;
use bevy_blob_fluid::blob_fluid::ColliderId;

use crate::app::*;

const TILE: f32 = 20.0;

fn level(app: &mut App, rows: &'static [&str]) -> Entity {
    let size = UVec2::new(rows[0].len() as u32, rows.len() as u32);
    let solid =
        |tile: UVec2| rows[rows.len() - 1 - tile.y as usize].as_bytes()[tile.x as usize] == b'#';
    app.spawn(FluidTiles::from_fn(size, Vec2::splat(TILE), solid))
}

fn set(app: &mut App, level: Entity, x: u32, y: u32, solid: bool) -> bool {
    let mut tiles = app.component_mut::<FluidTiles>(level);
    tiles.set(UVec2::new(x, y), solid)
}

/// The colliders' handles.
fn handles(app: &App) -> Vec<ColliderId> {
    app.fluid().colliders().map(|(id, _)| id).collect()
}

/// A basin of 12 by 8 tiles with steps and an island in it.
const BASIN: [&str; 8] = [
    "#..........#",
    "#..........#",
    "#..........#",
    "##....#....#",
    "###........#",
    "###.......##",
    "####.....###",
    "############",
];

fn pool(app: &mut App) {
    app.spawn((FluidBlob::from(Rectangle::new(190.0, 60.0)), FluidClass::MEDIUM, xy(0.0, 45.0)));
}

/// How many particles are in solid tiles, and how many outside of the grid or lost.
fn astray(app: &App, level: Entity, count: usize) -> (usize, usize) {
    let tiles = app.component::<FluidTiles>(level);
    let positions = app.positions();
    let places = positions.iter().map(|position| tiles.tile_at(*position));
    let inside = places.clone().flatten().filter(|tile| tiles.is_solid(*tile)).count();
    let outside = places.filter(Option::is_none).count();
    (inside, outside + count - positions.len())
}

#[test]
fn tiles_are_merged_and_keep_a_pool() {
    let mut app = headless(FluidSettings::new(6.0, Vec2::NEG_Y * 200.0));
    let basin = level(&mut app, &BASIN);
    pool(&mut app);
    app.update();
    let solid = BASIN.concat().matches('#').count();
    assert!(app.colliders() < solid / 2, "{} for {solid} tiles", app.colliders());
    let count = app.particles();
    assert!(count > 200);
    app.updates(64 * 8);
    assert_eq!(astray(&app, basin, count), (0, 0));
    // It lies in the lower part of the basin, and leaves no room beside seams.
    let highest = app.positions().iter().map(|p| p.y).fold(f32::MIN, f32::max);
    assert!(highest < 30.0, "{highest}");
}

#[test]
fn what_is_dug_away_lets_the_liquid_through_and_the_rest_stays() {
    let mut app = headless(FluidSettings::new(6.0, Vec2::NEG_Y * 200.0));
    let basin = level(&mut app, &BASIN);
    pool(&mut app);
    app.updates(64 * 4);
    let before = handles(&app);
    // The wall to the right.
    assert!(set(&mut app, basin, 11, 3, false), "it was solid");
    app.update();
    let after = handles(&app);
    let kept = before.iter().filter(|id| after.contains(id)).count();
    assert!(kept + 3 >= before.len(), "{kept} of {} stay", before.len());
    let count = app.particles();
    app.updates(64 * 4);
    let (inside, gone) = astray(&app, basin, count);
    assert_eq!(inside, 0);
    assert!(gone > count / 20, "{gone} of {count} ran out");
    // Walls that come back end it.
    assert!(!set(&mut app, basin, 11, 3, true), "it was open");
    app.updates(64);
    let at_wall = astray(&app, basin, count).1;
    app.updates(64 * 2);
    assert_eq!(astray(&app, basin, count), (0, at_wall));
}

#[test]
fn chunks_that_touch_have_no_seams() {
    let mut app = headless(FluidSettings::new(6.0, Vec2::NEG_Y * 200.0));
    // The same basin as four grids.
    let quarter = |x: u32, y: u32| {
        let solid = move |tile: UVec2| {
            let row = BASIN[7 - (y * 4 + tile.y) as usize];
            row.as_bytes()[(x * 6 + tile.x) as usize] == b'#'
        };
        let middle = Vec2::new(x as f32 - 0.5, y as f32 - 0.5) * Vec2::new(6.0, 4.0) * TILE;
        let tiles = FluidTiles::from_fn(UVec2::new(6, 4), Vec2::splat(TILE), solid);
        (tiles, Transform::from_translation(middle.extend(0.0)))
    };
    for (x, y) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
        app.spawn(quarter(x, y));
    }
    pool(&mut app);
    app.update();
    let count = app.particles();
    app.updates(64 * 8);
    let whole = FluidTiles::from_fn(UVec2::new(12, 8), Vec2::splat(TILE), |tile| {
        BASIN[7 - tile.y as usize].as_bytes()[tile.x as usize] == b'#'
    });
    let places = app.positions().iter().map(|at| whole.tile_at(*at));
    let open = places.flatten().filter(|tile| !whole.is_solid(*tile)).count();
    assert_eq!(open, count);
}

#[test]
fn tiles_come_and_go_with_their_entity_and_its_placement() {
    let mut app = headless(default());
    let ground = level(&mut app, &["##", "#."]);
    app.insert(ground, xy(100.0, 50.0));
    app.update();
    let middles: Vec<Vec2> = app.fluid().colliders().map(|(_, tile)| tile.centre()).collect();
    let left_column = Vec2::new(90.0, 50.0);
    assert_eq!(middles.len(), 2);
    assert!(middles.contains(&left_column) && middles.contains(&Vec2::new(110.0, 60.0)));
    app.remove::<FluidTiles>(ground);
    app.update();
    assert_eq!(app.colliders(), 0);
    let all: EntityHashSet =
        app.world().get::<Children>(ground).into_iter().flatten().copied().collect();
    assert!(all.is_empty());
    app.insert(ground, FluidTiles::from_fn(UVec2::new(3, 2), Vec2::new(10.0, 20.0), |_| true));
    app.update();
    assert_eq!(app.colliders(), 1);
    app.despawn(ground);
    app.update();
    assert_eq!(app.colliders(), 0);
}

#[test]
fn places_and_tiles_agree() {
    let tiles = FluidTiles::new(UVec2::new(5, 4), Vec2::new(10.0, 30.0));
    for y in 0..4 {
        for x in 0..5 {
            let tile = UVec2::new(x, y);
            assert_eq!(tiles.tile_at(tiles.middle_of(tile)), Some(tile));
        }
    }
    for outside in [Vec2::new(-25.1, 0.0), Vec2::new(0.0, 60.1), Vec2::NAN, Vec2::INFINITY] {
        assert_eq!(tiles.tile_at(outside), None, "{outside}");
    }
    assert!(!tiles.is_solid(UVec2::new(5, 0)));
    let elsewhere = tiles.with_origin(Vec2::new(-5.0, -15.0));
    assert_eq!(elsewhere.middle_of(UVec2::ZERO), Vec2::ZERO);
    assert_eq!(elsewhere.tile_at(Vec2::new(5.1, 15.1)), Some(UVec2::ONE));
}

#[test]
fn tiles_that_are_removed_between_ticks_or_while_time_stands_take_their_colliders_along() {
    // Three frames a tick.
    let mut app = app_at(BlobFluidPlugins::default(), std::time::Duration::from_micros(5_300));
    for pauses in [false, true] {
        for frames in 0..3 {
            let basin = level(&mut app, &BASIN);
            app.updates(8 + frames);
            assert!(app.colliders() > 0);
            if pauses {
                app.resource_mut::<Time<Virtual>>().pause();
            }
            app.remove::<FluidTiles>(basin);
            app.updates(4);
            app.resource_mut::<Time<Virtual>>().unpause();
            app.updates(8);
            assert_eq!(app.colliders(), 0, "after {frames} frames");
        }
    }
}

#[test]
fn impossible_tiles_have_no_colliders() {
    let mut app = headless(default());
    let good = FluidTiles::from_fn(UVec2::new(2, 2), Vec2::splat(TILE), |_| true);
    let bad = [
        FluidTiles { solid: vec![true], ..good.clone() },
        FluidTiles { tile_size: Vec2::new(f32::NAN, 1.0), ..good.clone() },
        FluidTiles { tile_size: Vec2::ZERO, ..good.clone() },
        FluidTiles { size: UVec2::MAX, ..good.clone() },
        good.clone().with_origin(Vec2::new(0.0, f32::NAN)),
        FluidTiles::from_fn(UVec2::MAX, Vec2::ONE, |_| true),
        FluidTiles::default(),
    ];
    for tiles in bad {
        let mut tiles = tiles;
        tiles.set(UVec2::new(1, 1), false);
        let entity = app.spawn(tiles.clone());
        app.update();
        assert_eq!(app.colliders(), 0, "{tiles:?}");
        // It may be mended.
        *app.component_mut::<FluidTiles>(entity) = good.clone();
        app.update();
        assert_eq!(app.colliders(), 1, "{tiles:?}");
        app.despawn(entity);
    }
}
