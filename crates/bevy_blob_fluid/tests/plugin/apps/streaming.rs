//! Worlds of which only the regions around cameras are simulated.

use bevy_blob_fluid::{FluidBlobFilled, FluidColliders, FluidRegionsError, FluidSnapshot};

use crate::app::*;
use crate::warnings::{keep_warnings, take_warnings};

/// Width of a region, of which all are in one row.
const WIDTH: f32 = 200.0;

/// Height of a region.
const HEIGHT: f32 = 1000.0;

#[derive(Component)]
struct Land(IVec2);

/// How many regions entered for the first time, entered, and left.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq)]
struct Seen {
    first: usize,
    entered: usize,
    left: usize,
}

fn spawn_land(entered: On<FluidRegionEntered>, mut seen: ResMut<Seen>, mut commands: Commands) {
    seen.entered += 1;
    let middle = Transform::from_translation(entered.bounds.centre().extend(0.0));
    let name = Name::new(format!("land {}", entered.region));
    let bowl = FluidContainer::from(Rectangle::new(160.0, 160.0));
    commands.spawn((Land(entered.region), name, bowl, middle));
    if entered.first {
        seen.first += 1;
        commands.spawn((FluidBlob::from(Rectangle::new(100.0, 60.0)), middle));
    }
}

fn despawn_land(
    left: On<FluidRegionLeft>,
    lands: Query<(Entity, &Land)>,
    mut seen: ResMut<Seen>,
    mut commands: Commands,
) {
    seen.left += 1;
    for (entity, _) in lands.iter().filter(|(_, land)| land.0 == left.region) {
        commands.entity(entity).despawn();
    }
}

/// A saved app has no blobs, so another one need not spawn them.
fn despawn_filled(filled: Query<Entity, With<FluidBlobFilled>>, mut commands: Commands) {
    filled.iter().for_each(|entity| commands.entity(entity).despawn());
}

/// An app with regions in a row, whose land comes and goes with them.
fn row() -> App {
    let mut app = app_of(BlobFluidPlugins::default());
    app.init_resource::<Seen>()
        .add_observer(spawn_land)
        .add_observer(despawn_land)
        .add_systems(Update, despawn_filled);
    app.insert_resource(FluidSettings::new(8.0, Vec2::new(0.0, -400.0))).start();
    let size = Vec2::new(WIDTH, HEIGHT);
    app.resource_mut::<FluidRegions>().set_size(size).expect("not in use");
    app
}

/// Spawns a centre in the middle of a region, whose box touches the next region on each side.
fn spawn_centre(app: &mut App, region: i32) -> Entity {
    let streaming = FluidStreaming { reach: Vec2::new(0.6 * WIDTH, 0.0), margin: 0.5 * WIDTH };
    app.spawn((streaming, xy(middle(region), 0.0)))
}

fn middle(region: i32) -> f32 {
    region as f32 * WIDTH
}

fn go(app: &mut App, centre: Entity, region: i32) {
    app.transform(centre).translation.x = middle(region);
}

fn stored(app: &App) -> usize {
    app.resource::<FluidRegions>().stored_particles()
}

fn present(app: &App) -> Vec<i32> {
    app.resource::<FluidRegions>().present().map(|region| region.x).collect()
}

/// All particles, in the world and stored.
fn all(app: &App) -> usize {
    app.particles() + stored(app)
}

/// Bits of the positions and velocities of all particles in the first three regions, in ascending order.
fn bits(app: &App) -> Vec<[u32; 4]> {
    let particles = app.positions().iter().zip(app.velocities());
    let particles = particles.filter(|(at, _)| at.x.abs() < 1.5 * WIDTH);
    let bits = |(at, v): (&Vec2, &Vec2)| [at.x, at.y, v.x, v.y].map(f32::to_bits);
    let mut all: Vec<[u32; 4]> = particles.map(bits).collect();
    all.sort_unstable();
    all
}

/// Number of particles in each of these regions.
fn counts(app: &App, regions: std::ops::RangeInclusive<i32>) -> Vec<usize> {
    let within = |region: i32| move |at: &&Vec2| (at.x / WIDTH + 0.5).floor() as i32 == region;
    regions.map(|region| app.positions().iter().filter(within(region)).count()).collect()
}

#[test]
fn a_minute_of_scrolling_has_few_particles_and_loses_none() {
    scroll(60);
}

#[test]
#[ignore = "long: .ci/run"]
fn ten_minutes_of_scrolling_have_few_particles_and_lose_none() {
    scroll(600);
}

/// Moves the camera to and fro, a second for each region.
fn scroll(seconds: i32) {
    let mut app = row();
    app.insert_resource(Time::<Fixed>::from_hz(32.0));
    let camera = spawn_centre(&mut app, 0);
    app.updates(1);
    let of_a_region = app.particles() / 3;
    assert_eq!((app.particles(), present(&app)), (3 * of_a_region, vec![-1, 0, 1]));
    assert!(of_a_region > 60, "{of_a_region}");
    let (mut most, turn) = (0, seconds / 2);
    for second in 1..=seconds {
        go(&mut app, camera, if second <= turn { second } else { seconds - second });
        for _ in 0..32 {
            app.updates(1);
            most = most.max(app.particles());
        }
        assert_eq!(all(&app), of_a_region * app.resource::<Seen>().first, "in second {second}");
    }
    assert!(app.fluid().time() >= f64::from(seconds) && most <= 6 * of_a_region, "{most}");
    app.updates(200);
    let turn = turn as usize;
    let seen = Seen { first: turn + 3, entered: 2 * turn + 2, left: 2 * turn - 1 };
    assert_eq!((*app.resource(), present(&app)), (seen, vec![-1, 0, 1]));
    assert_eq!((counts(&app, -1..=1), stored(&app)), (vec![of_a_region; 3], turn * of_a_region));
    let bytes = app.resource::<FluidRegions>().stored_bytes() / (turn * of_a_region);
    assert!(bytes < 100, "{bytes} bytes a particle");
}

#[test]
fn liquid_returns_with_the_same_bits() {
    for sleeps in [true, false] {
        let mut app = row();
        let patience = if sleeps { 2.0 } else { 0.0 };
        app.resource_mut::<FluidRegions>().set_patience(patience).expect("valid");
        let camera = spawn_centre(&mut app, 0);
        app.updates(if sleeps { 600 } else { 8 });
        // Cameras also move in a paused app.
        app.clock().pause();
        let (count, before) = (app.particles(), bits(&app));
        assert_eq!((before.len(), app.fluid().asleep()), (count, if sleeps { count } else { 0 }));
        go(&mut app, camera, 20);
        app.updates(1);
        assert_eq!((stored(&app), present(&app)), (count, vec![19, 20, 21]));
        assert_eq!(app.particles(), count, "the liquid of the other place");
        go(&mut app, camera, 0);
        app.updates(1);
        assert!(bits(&app) == before, "it returned otherwise, {sleeps}");
        // Liquid that moves waits for its time, which does not pass.
        assert_eq!((all(&app), stored(&app)), (2 * count, if sleeps { 0 } else { count }));
    }
}

#[test]
fn moving_liquid_leaves_when_its_time_is_over_and_moves_on() {
    let mut app = row();
    app.resource_mut::<FluidRegions>().set_patience(0.5).expect("valid");
    let camera = spawn_centre(&mut app, 0);
    app.updates(1);
    let count = app.particles();
    go(&mut app, camera, 20);
    // While the liquid is paused its time does not pass.
    app.clock().pause();
    app.updates(100);
    assert_eq!((present(&app).len(), stored(&app)), (6, 0));
    app.clock().unpause();
    app.updates(32);
    assert_eq!((present(&app).len(), stored(&app)), (6, 0));
    app.updates(1);
    assert_eq!((present(&app).len(), stored(&app)), (3, count));
    go(&mut app, camera, 0);
    app.updates(1);
    let (low, high) = (-80.0, 80.0);
    assert!(app.velocities().iter().any(|velocity| velocity.length() > 1.0), "it moves");
    app.updates(600);
    assert!(app.positions().iter().all(|at| (low..=high).contains(&at.y)), "nothing leaks");
    assert_eq!((app.fluid().asleep(), stored(&app)), (count, count));
}

#[test]
fn a_region_between_box_and_margin_stays_as_it_is() {
    let mut app = row();
    let camera = spawn_centre(&mut app, 0);
    app.updates(600);
    for step in 0..100 {
        app.transform(camera).translation.x =
            middle(0) + if step % 2 == 0 { 100.0 } else { -100.0 };
        app.updates(1);
    }
    // The box is 120 units wide to either side, and regions stay up to 220 units.
    assert_eq!(
        (present(&app), *app.resource()),
        (vec![-1, 0, 1], Seen { first: 3, entered: 3, left: 0 })
    );
}

#[test]
fn two_players_have_their_own_regions() {
    let mut app = row();
    let [first, second] = [0, 40].map(|region| spawn_centre(&mut app, region));
    app.updates(600);
    assert_eq!(present(&app), [-1, 0, 1, 39, 40, 41]);
    let total = all(&app);
    go(&mut app, first, 40);
    app.updates(2);
    assert_eq!((present(&app), stored(&app)), (vec![39, 40, 41], total / 2));
    go(&mut app, second, 0);
    app.updates(2);
    assert_eq!((present(&app), all(&app)), (vec![-1, 0, 1, 39, 40, 41], total));
    // Without centres nothing changes.
    app.despawn(first);
    app.despawn(second);
    app.updates(200);
    assert_eq!((present(&app).len(), app.particles()), (6, total));
}

/// A lake from region -3 to 3, of which the camera sees region 0 and its neighbours.
fn lake() -> App {
    let mut app = app_of(BlobFluidPlugins::default());
    app.insert_resource(FluidSettings::new(8.0, Vec2::new(0.0, -400.0))).start();
    let size = Vec2::new(WIDTH, HEIGHT);
    app.resource_mut::<FluidRegions>().set_size(size).expect("not in use");
    app.spawn(FluidContainer::from(Rectangle::new(7.0 * WIDTH - 20.0, 160.0)));
    app.spawn((FluidBlob::from(Rectangle::new(7.0 * WIDTH - 20.0, 60.0)), xy(0.0, -50.0)));
    app
}

#[test]
fn liquid_beside_stored_liquid_stays() {
    let mut app = lake();
    app.updates(1);
    let total = app.particles();
    app.updates(400);
    let counts_before = counts(&app, -3..=3);
    let camera = spawn_centre(&mut app, 0);
    app.updates(1);
    assert_eq!((all(&app), counts(&app, -1..=1)), (total, counts_before[2..5].to_vec()));
    app.updates(400);
    assert_eq!(all(&app), total);
    assert_eq!(app.resource::<FluidColliders>().iter().count(), 12, "around three regions");
    // Particles rest at a border up to a spacing beyond it.
    let here = counts(&app, -1..=1).iter().sum::<usize>();
    assert!(app.particles() - here <= 20, "{here} of {}", app.particles());
    for region in [2, 4, -2, 0, 30, 0] {
        go(&mut app, camera, region);
        app.updates(150);
        assert_eq!(all(&app), total, "at region {region}");
        let speeds = app.velocities().iter().map(|velocity| velocity.length());
        assert!(speeds.fold(0.0, f32::max) < 300.0, "nothing bursts at region {region}");
    }
}

#[test]
fn held_liquid_waits_behind_closed_borders() {
    let mut app = lake();
    app.updates(400);
    let total = app.particles();
    let camera = spawn_centre(&mut app, 0);
    app.updates(100);
    let (here, away) = (app.particles(), stored(&app));
    let held = [IVec2::new(2, 0), IVec2::new(3, 0)];
    held.iter().for_each(|region| app.resource_mut::<FluidRegions>().hold(*region));
    go(&mut app, camera, 2);
    app.updates(100);
    let regions = app.resource::<FluidRegions>();
    assert!(held.iter().all(|region| regions.is_present(*region)));
    assert!(counts(&app, 2..=3).iter().sum::<usize>() < 20, "{:?}", counts(&app, 2..=3));
    held.iter().for_each(|region| app.resource_mut::<FluidRegions>().release(*region));
    app.updates(1);
    assert!(counts(&app, 2..=3).iter().all(|count| *count > 100), "{:?}", counts(&app, 2..=3));
    assert_eq!((all(&app), here + away), (total, total));
}

#[test]
fn a_full_world_keeps_liquid_stored() {
    let mut app = row();
    let camera = spawn_centre(&mut app, 0);
    app.updates(600);
    let count = app.particles();
    go(&mut app, camera, 20);
    app.updates(600);
    assert_eq!((stored(&app), app.particles()), (count, count));
    go(&mut app, camera, 0);
    app.settings().capacity = count + count / 3;
    app.updates(1);
    // Before the other regions leave there is room for one.
    assert_eq!((all(&app), stored(&app)), (2 * count, count + count / 3 * 2));
    app.updates(2);
    assert_eq!(
        (all(&app), app.particles(), counts(&app, -1..=1)),
        (2 * count, count, vec![count / 3; 3])
    );
}

#[test]
fn a_restored_app_goes_on_with_the_same_bits() {
    let scroll = |app: &mut App, centre: Entity, from: i32| {
        let mut hashes = Vec::new();
        for step in 0..8 {
            go(app, centre, from - step);
            app.updates(20);
            hashes.push(app.fluid().deep_hash());
        }
        hashes.push(app.fluid().deep_hash());
        (hashes, all(app), present(app))
    };
    let mut app = row();
    let camera = spawn_centre(&mut app, 0);
    for region in 0..7 {
        go(&mut app, camera, region);
        app.updates(30);
    }
    let bytes = FluidSnapshot::save(app.world_mut()).expect("between two ticks");
    let (regions, count) = (present(&app), stored(&app));
    assert!(count > 0 && regions.len() > 3, "{count} stored, {regions:?}");
    let mut kept = FluidSnapshot::default();
    kept.take_again(app.world_mut()).expect("between two ticks");
    let once = scroll(&mut app, camera, 6);

    go(&mut app, camera, 6);
    let restored = kept.restore_by_order(app.world_mut()).expect("valid");
    assert!(restored.is_complete(), "{:?}", restored.missing);
    assert_eq!((present(&app), stored(&app)), (regions.clone(), count));
    assert!(scroll(&mut app, camera, 6) == once, "it went on otherwise in the same app");

    let mut other = row();
    let camera = spawn_centre(&mut other, 0);
    other.updates(50);
    let restored = FluidSnapshot::load(other.world_mut(), &bytes).expect("valid");
    assert!(restored.is_complete(), "{:?}", restored.missing);
    assert_eq!((present(&other), stored(&other)), (regions, count));
    assert!(scroll(&mut other, camera, 6) == once, "it went on otherwise in another app");

    // A save of the time before the first region forgets all.
    let empty = FluidSnapshot::save(row().world_mut()).expect("between two ticks");
    let restored = FluidSnapshot::load(other.world_mut(), &empty).expect("valid");
    assert!(restored.is_complete(), "{:?}", restored.missing);
    assert_eq!((present(&other), all(&other)), (vec![], 0));
}

#[test]
fn a_restart_forgets_all_regions() {
    let mut app = row();
    let camera = spawn_centre(&mut app, 0);
    app.updates(600);
    go(&mut app, camera, 20);
    app.updates(600);
    let hash = app.fluid().deep_hash();
    FluidSimulation::restart(app.world_mut());
    assert_eq!((all(&app), *app.resource()), (0, Seen { first: 6, entered: 6, left: 6 }));
    go(&mut app, camera, 0);
    app.updates(600);
    go(&mut app, camera, 20);
    app.updates(600);
    let differences: Vec<_> = app.fluid().deep_hash().differences(&hash).collect();
    assert!(differences.is_empty(), "{differences:?}");
}

#[test]
fn bad_values_are_refused() {
    keep_warnings();
    let mut app = row();
    let mut regions = app.resource_mut::<FluidRegions>();
    for size in [Vec2::ZERO, Vec2::NAN, Vec2::new(100.0, -1.0), Vec2::splat(1e6)] {
        let refused = regions.set_size(size).expect_err("out of range");
        assert!(matches!(refused, FluidRegionsError::OutOfRange(_)), "{refused}");
    }
    let error = regions.set_patience(f32::INFINITY).expect_err("out of range").to_string();
    assert_eq!(error, "fluid regions: patience is inf, and must be between 0 and 1000");
    assert_eq!((regions.size(), regions.patience()), (Vec2::new(WIDTH, HEIGHT), 2.0));
    let good = spawn_centre(&mut app, 0);
    let bad = FluidStreaming { margin: f32::NAN, ..FluidStreaming::default() };
    let bad = app.spawn((bad, Name::new("bad streaming")));
    app.updates(600);
    assert_eq!(
        app.resource_mut::<FluidRegions>().set_size(Vec2::ONE),
        Err(FluidRegionsError::InUse)
    );
    // No region leaves while one of the values is bad.
    go(&mut app, good, 20);
    app.updates(300);
    assert_eq!(present(&app), [-1, 0, 1, 19, 20, 21]);
    let warnings = take_warnings("bad streaming");
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(
        warnings[0].contains("margin is NaN, and must be between 0 and 100000"),
        "{warnings:?}"
    );
    app.insert(bad, FluidStreaming::new(Vec2::splat(100_000.0)));
    app.updates(3);
    app.insert(bad, xy(f32::NAN, 0.0));
    app.updates(3);
    app.despawn(bad);
    app.updates(2);
    assert_eq!(present(&app), [19, 20, 21]);
    // Far from the origin the last region has no end.
    app.transform(good).translation.x = 1e30;
    app.updates(300);
    assert_eq!(present(&app), [32_767]);
}

#[test]
fn an_app_without_the_component_stores_nothing() {
    let mut app = lake();
    app.updates(300);
    assert_eq!((stored(&app), present(&app).len(), app.colliders()), (0, 0, 0));
}
