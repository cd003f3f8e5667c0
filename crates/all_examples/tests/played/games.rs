//! The example games, played to their win by a script, without a window.

use std::collections::HashMap;

use bevy::asset::AssetPlugin;
use bevy::camera::{CameraProjection, ComputedCameraValues, RenderTargetInfo};
use bevy::scene::ScenePlugin;
use bevy::window::PrimaryWindow;
use bevy_blob_fluid::blob_fluid::shape::Polygon;

use crate::app::*;

// Of each only the game itself is played, without its window.
#[allow(dead_code)]
#[path = "../../../../examples/fill_the_bucket.rs"]
mod fill_the_bucket;
#[allow(dead_code)]
#[path = "../../../../examples/fountain.rs"]
mod fountain;
#[allow(dead_code)]
#[path = "../../../../examples/potions.rs"]
mod potions_game;
#[allow(dead_code)]
#[path = "../../../../examples/rescue.rs"]
mod rescue_game;
#[allow(dead_code)]
#[path = "../../../../examples/slime_hero.rs"]
mod slime_hero;
#[allow(dead_code)]
#[path = "../../../../examples/time_rewind.rs"]
mod time_rewind;
#[allow(dead_code)]
#[path = "../../../../examples/water_wheel.rs"]
mod water_wheel;

/// A game without anything to see or hear.
fn headless(game: fn(&mut App)) -> App {
    let plugins = (AssetPlugin::default(), ScenePlugin, BlobFluidPlugins::default(), game);
    let mut app = app_of(plugins);
    app.init_resource::<ButtonInput<KeyCode>>().init_resource::<ButtonInput<MouseButton>>().start();
    app
}

fn keys(app: &mut App) -> Mut<'_, ButtonInput<KeyCode>> {
    app.resource_mut::<ButtonInput<KeyCode>>()
}

/// Plays for at most so many seconds, or until the game is won; says whether it was.
fn play(
    app: &mut App,
    seconds: f32,
    is_won: impl Fn(&World) -> bool,
    mut script: impl FnMut(&mut App, f32),
) -> bool {
    for tick in 0..(64.0 * seconds) as u32 {
        script(app, tick as f32 / 64.0);
        app.update();
        keys(app).clear();
        if is_won(app.world()) {
            return true;
        }
    }
    false
}

#[test]
fn water_turns_the_wheel_until_the_sack_is_up() {
    let mut app = headless(water_wheel::game);
    let is_won = |world: &World| world.resource::<water_wheel::Game>().is_won();
    // Who never opens the sluice waits for nothing.
    assert!(!play(&mut app, 10.0, is_won, |_, _| {}));
    assert!(app.resource::<water_wheel::Game>().lifted < 10.0);
    assert!(play(&mut app, 90.0, is_won, |app, _| keys(app).press(KeyCode::Space)));
}

#[test]
fn the_right_pressure_fills_all_bowls() {
    let mut app = headless(fountain::game);
    let is_won = |world: &World| world.resource::<fountain::Game>().won;
    let keep = |pressure: f32| {
        move |app: &mut App, _: f32| {
            let now = app.resource::<fountain::Game>().pressure;
            let mut keys = keys(app);
            keys.release_all();
            if now < pressure - 2.0 {
                keys.press(KeyCode::ArrowUp);
            } else if now > pressure + 2.0 {
                keys.press(KeyCode::ArrowDown);
            }
        }
    };
    assert!(!play(&mut app, 10.0, is_won, keep(0.0)), "without water");
    assert!(play(&mut app, 120.0, is_won, keep(170.0)));
}

#[test]
fn time_runs_back_and_the_same_future_comes_again() {
    let mut app = headless(time_rewind::game);
    let now = |app: &App| app.resource::<Time<Fluid>>().elapsed();
    let hash = |app: &App| app.resource::<FluidSimulation>().deep_hash().all();
    let mut hashes = HashMap::new();
    for _ in 0..192 {
        app.update();
        hashes.insert(now(&app), hash(&app));
    }
    let end = now(&app);
    // Back through the flood to before the gate opened, twice as fast as it came, and on again.
    keys(&mut app).press(KeyCode::Space);
    for _ in 0..80 {
        app.update();
        assert_eq!(hash(&app), hashes[&now(&app)]);
    }
    let back = now(&app).as_secs_f32();
    assert!((end.as_secs_f32() - back - 2.5).abs() < 0.1, "{back} of {end:?}");
    keys(&mut app).release(KeyCode::Space);
    while now(&app) < end {
        app.update();
        assert_eq!(hash(&app), hashes[&now(&app)]);
    }
}

#[test]
fn the_hero_arrives() {
    let mut app = headless(slime_hero::game);
    let is_won = |world: &World| world.resource::<slime_hero::Game>().won;
    assert!(!play(&mut app, 5.0, is_won, |_, _| {}), "who stands does not arrive");
    let mut split = false;
    let won = play(&mut app, 90.0, is_won, |app, time| {
        split |= app.resource::<FluidBlobs>().blobs().len() > 1;
        let mut keys = keys(app);
        keys.press(KeyCode::ArrowRight);
        // Again and again.
        if time % 2.0 < 0.5 {
            keys.press(KeyCode::ArrowUp);
        } else {
            keys.release(KeyCode::ArrowUp);
        }
    });
    assert!(won && split);
}

#[test]
fn potions_are_brewed_by_colour_warmth_and_amount() {
    let mut app = headless(potions_game::game);
    let is_brewed = |world: &World| world.resource::<potions_game::Game>().brewed > 0;
    // Pure blue in the flask is no potion, however warm it is.
    let wrong = |app: &mut App, time: f32| {
        let mut keys = keys(app);
        keys.release_all();
        keys.press(if time < 6.0 { KeyCode::Digit1 } else { KeyCode::KeyF });
        keys.press(KeyCode::KeyH);
    };
    assert!(!play(&mut app, 14.0, is_brewed, wrong));
    assert!(app.resource::<potions_game::Game>().flask.drops > 200);
    // The plug empties cauldron and flask.
    let empty = |app: &mut App, _: f32| {
        let mut keys = keys(app);
        keys.release_all();
        keys.press(KeyCode::KeyE);
    };
    assert!(!play(&mut app, 6.0, is_brewed, empty));
    let game = app.resource::<potions_game::Game>();
    assert!(game.flask.drops < 10 && game.mixture.drops < 10);
    let apprentice = |app: &mut App, _: f32| {
        let mut keys = keys(app);
        keys.release_all();
        keys.press(KeyCode::KeyP);
    };
    assert!(play(&mut app, 60.0, is_brewed, apprentice));
}

#[test]
fn the_buckets_can_be_filled() {
    let mut app = headless(fill_the_bucket::game);
    spawn_window(&mut app);
    let is_won = |world: &World| world.resource::<fill_the_bucket::Game>().is_won();
    // Where planks are to be, and how they are turned, in each level.
    assert!(!play(&mut app, 6.0, is_won, |_, _| {}), "it does not fill of itself");
    assert_eq!(app.resource::<fill_the_bucket::Game>().level, 0);
    let mut holding = None;
    let won = play(&mut app, 240.0, is_won, |app, _| {
        let level = app.resource::<fill_the_bucket::Game>().level;
        let wanted: &[(f32, f32, f32)] = match level {
            0 => &[(-190.0, 60.0, -0.5), (10.0, -70.0, -0.5)],
            1 => &[(230.0, 120.0, 0.5), (30.0, 0.0, 0.5), (-150.0, -110.0, 0.5)],
            2 => &[(165.0, -85.0, 0.5), (-165.0, -85.0, -0.5), (-330.0, 260.0, 0.0)],
            _ => &[],
        };
        if level < 3 {
            drag(app, wanted, &mut holding);
        } else {
            carry(app);
        }
    });
    assert!(won, "level {}", app.resource::<fill_the_bucket::Game>().level);
}

/// Fills the jug below the tap, carries it above the bucket, tilts it, and returns.
fn carry(app: &mut App) {
    let jug = jug_of(app);
    let transform = *app.component::<Transform>(jug);
    let angle = transform.rotation.to_euler(EulerRot::XYZ).2;
    let at = transform.translation.truncate();
    let [below_tap, above_bucket] = [Vec2::new(-330.0, 100.0), Vec2::new(240.0, -50.0)];
    let is_above_bucket = at.distance(above_bucket) < 20.0;
    let full = in_jug(app).0 > if at.x > -250.0 { 20 } else { 150 };
    let goal = if full { above_bucket } else { below_tap };
    // It is tilted above the bucket, until it is empty, and upright everywhere else.
    let turn = if full && is_above_bucket { -2.2 } else { 0.0 };
    let may_move = full || angle.abs() < 0.2;
    let goal = if may_move { goal } else { at };
    let held = app.resource::<ButtonInput<MouseButton>>().pressed(MouseButton::Left);
    // The jug is taken at its centre.
    let hand = if held { at + (goal - at).clamp_length_max(25.0) } else { at };
    point(app, Some(hand), true);
    turn_towards(app, turn - angle);
}

fn jug_of(app: &mut App) -> Entity {
    let world = app.world_mut();
    let mut jugs = world.query_filtered::<Entity, With<fill_the_bucket::Jug>>();
    jugs.single(world).expect("a jug")
}

/// The number of particles in the jug, and of those beside and below its walls.
fn in_jug(app: &mut App) -> (usize, usize) {
    let jug = jug_of(app);
    let to_jug = app.component::<Transform>(jug).to_matrix().inverse();
    let positions = app.fluid().particles().positions();
    let places = positions.iter().map(|at| to_jug.transform_point3(at.extend(0.0)).truncate());
    let outline = Polygon::new(fill_the_bucket::JUG.map(Vec2::from)).expect("an outline");
    let outline = FluidShape::Polygon(outline);
    let near = places.filter(|place| place.x.abs() < 90.0 && (-100.0..66.0).contains(&place.y));
    let (inside, outside): (Vec<_>, Vec<_>) = near.partition(|place| outline.contains(*place));
    let leaked = outside.into_iter().filter(|place| place.y < 30.0);
    (inside.len(), leaked.count())
}

#[test]
fn a_jug_that_is_thrown_keeps_its_water_until_it_lands() {
    for (aside, up) in [(12.0, 40.0), (18.0, 28.0)] {
        let mut app = headless(fill_the_bucket::game);
        spawn_window(&mut app);
        app.resource_mut::<fill_the_bucket::Game>().level = 3;
        keys(&mut app).press(KeyCode::KeyR);
        app.update();
        keys(&mut app).reset_all();
        let jug = jug_of(&mut app);
        let place = |app: &App| app.component::<Transform>(jug).translation.truncate();
        let pull = |app: &mut App, way: Vec2| {
            let at = place(app);
            point(app, Some(at + way), true);
            app.update();
        };
        // It is filled, carried away from the tap, and held until its water is calm.
        pull(&mut app, Vec2::ZERO);
        for (goal, ticks) in [(Vec2::new(-330.0, 100.0), 240), (Vec2::new(-150.0, -200.0), 320)] {
            for _ in 0..ticks {
                let way = goal - place(&app);
                pull(&mut app, way.clamp_length_max(15.0));
            }
        }
        // It is swung, and released.
        for tick in 0..32 {
            pull(&mut app, Vec2::new(aside, up) * (tick as f32 / 16.0).min(1.0));
        }
        point(&mut app, None, false);
        app.updates(2);
        let (released, (full, spilled)) = (place(&app), in_jug(&mut app));
        // In free fall, the water has no weight. The swing compressed it, so it expands slowly and some of it leaves the jug
        // through the mouth.
        let (mut highest, mut in_a_second, mut most_leaked, mut ticks) = (released.y, full, 0, 0);
        while place(&app).y > -250.0 && ticks < 640 {
            highest = highest.max(place(&app).y);
            let (inside, leaked) = in_jug(&mut app);
            most_leaked = most_leaked.max(leaked.saturating_sub(spilled));
            in_a_second = if ticks <= 64 { inside } else { in_a_second };
            app.update();
            ticks += 1;
        }
        let (flown, landed) = (place(&app) - released, in_jug(&mut app).0);
        println!(
            "{full} particles flew {flown} in {ticks} ticks, {highest} high: {in_a_second} after a second, \
             {landed} landed, {most_leaked} leaked"
        );
        assert!(full > 100 && flown.x > 50.0 && highest > released.y + 50.0);
        assert_eq!(most_leaked, 0, "through the walls");
        assert!(4 * in_a_second > 3 * full && 2 * landed > full);
    }
}

/// Size of the window, in pixels, each of which shows a world unit.
const WINDOW: Vec2 = Vec2::new(1000.0, 750.0);

/// Spawns a window that nobody sees, and its camera as the renderer would set it up.
fn spawn_window(app: &mut App) {
    let size = WINDOW.as_uvec2();
    app.spawn((Window { resolution: size.into(), ..default() }, PrimaryWindow));
    let mut projection = OrthographicProjection::default_2d();
    projection.update(WINDOW.x, WINDOW.y);
    let computed = ComputedCameraValues {
        clip_from_view: projection.get_clip_from_view(),
        target_info: Some(RenderTargetInfo { physical_size: size, scale_factor: 1.0 }),
        ..default()
    };
    app.spawn((Camera2d, Camera { computed, ..default() }));
}

/// Points the mouse at a position in the world, with its left button held or not.
fn point(app: &mut App, position: Option<Vec2>, pressed: bool) {
    let cursor = position.map(|position| 0.5 * WINDOW + position * Vec2::new(1.0, -1.0));
    let world = app.world_mut();
    let mut windows = world.query::<&mut Window>();
    windows.single_mut(world).expect("a window").set_cursor_position(cursor);
    let mut buttons = world.resource_mut::<ButtonInput<MouseButton>>();
    if pressed {
        buttons.press(MouseButton::Left);
    } else {
        buttons.release(MouseButton::Left);
    }
}

/// Takes the first plank that is not where it is wanted by the mouse, and turns it by the keys.
fn drag(app: &mut App, wanted: &[(f32, f32, f32)], holding: &mut Option<Entity>) {
    let mut query = app.world_mut().query_filtered::<Entity, With<fill_the_bucket::Plank>>();
    let mut planks: Vec<_> = query.iter(app.world()).collect();
    planks.sort();
    let (mut position, mut pressed, mut turning) = (None, false, 0.0);
    let held = app.resource::<ButtonInput<MouseButton>>().pressed(MouseButton::Left);
    for (plank, (x, y, turn)) in planks.into_iter().zip(wanted) {
        let transform = *app.component::<Transform>(plank);
        let now = transform.translation.truncate();
        let angle = transform.rotation.to_euler(EulerRot::XYZ).2;
        let (way, turning_left) = (Vec2::new(*x, *y) - now, turn - angle);
        if way.length() > 3.0 || turning_left.abs() > 0.03 {
            // First it is let go of the last one, then taken at its centre, then moved, no faster than
            // a hand does.
            pressed = *holding == Some(plank);
            let step = if held && pressed { way.clamp_length_max(12.0) } else { Vec2::ZERO };
            position = Some(now + step);
            turning = if way.length() > 3.0 { 0.0 } else { turning_left };
            *holding = Some(plank);
            break;
        }
    }
    point(app, position, pressed);
    turn_towards(app, turning);
}

/// Presses the key that turns the held thing by an angle.
fn turn_towards(app: &mut App, angle: f32) {
    let mut keys = keys(app);
    keys.release_all();
    if angle > 0.03 {
        keys.press(KeyCode::KeyQ);
    } else if angle < -0.03 {
        keys.press(KeyCode::KeyE);
    }
}

#[test]
fn ducks_that_nobody_plays_with_come_home_by_themselves() {
    let mut app = headless(rescue_game::game);
    let is_won = |world: &World| world.resource::<rescue_game::Game>().is_won();
    let won = play(&mut app, 150.0, is_won, |_, _| {});
    assert!(won, "level {}", app.resource::<rescue_game::Game>().level);
}

#[test]
fn a_duck_that_goes_before_the_rain_is_singed_and_one_that_follows_it_comes_home() {
    let mut app = headless(rescue_game::game);
    let level = |world: &World| world.resource::<rescue_game::Game>().level;
    use KeyCode::{Digit1, Digit2, KeyN, KeyR};
    assert!(!play(&mut app, 0.2, |_| false, press([(0.0, KeyN), (0.1, KeyN)])));
    assert_eq!(level(app.world()), 2);
    assert!(!play(&mut app, 14.0, |world| level(world) > 2, press([(0.1, Digit2)])));
    let script = press([(0.0, KeyR), (0.5, Digit1), (6.0, Digit2)]);
    assert!(play(&mut app, 25.0, |world| level(world) > 2, script));
}

/// Keys that are pressed at these moments, in seconds.
fn press(moments: impl IntoIterator<Item = (f32, KeyCode)>) -> impl FnMut(&mut App, f32) {
    let mut next = moments.into_iter().peekable();
    move |app: &mut App, time: f32| {
        keys(app).release_all();
        if let Some((_, key)) = next.next_if(|(moment, _)| time >= *moment) {
            keys(app).press(key);
        }
    }
}

#[test]
fn every_level_of_rescue_is_won_whenever_its_wheels_are_worked() {
    use KeyCode::{Digit1, Digit2, Enter, KeyN};
    let level = |world: &World| world.resource::<rescue_game::Game>().level;
    // The second wheel so many seconds after the first: the rain needs a while.
    let second = [None, None, Some(6.0), Some(1.0)];
    for (number, second) in second.into_iter().enumerate() {
        for delay in [0.2, 2.6] {
            let mut app = headless(rescue_game::game);
            let begin = (0..number).map(|before| (0.1 + 0.1 * before as f32, KeyN));
            let first = 0.5 + delay;
            let wheels = [Some((first, Digit1)), second.map(|later| (first + later, Digit2))];
            let moments =
                [(0.0, Enter)].into_iter().chain(begin).chain(wheels.into_iter().flatten());
            let script = press(moments.collect::<Vec<_>>());
            let won = play(&mut app, 40.0, |world| level(world) > number, script);
            assert!(won, "level {} after {delay} s", number + 1);
            let progress = app.resource::<rescue_game::Progress>().levels;
            assert_eq!(progress, number + 1, "what was won is remembered");
        }
    }
}
