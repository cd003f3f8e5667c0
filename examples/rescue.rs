//! A game: four levels in which water, oil, fire and a pump bring a duck to its nest. Click the wheels.

use bevy::camera::ScalingMode;
use bevy::prelude::*;
use bevy::sprite::Anchor;
use bevy::window::PrimaryWindow;
use bevy_blob_fluid::prelude::*;
use example_support::DefaultPlugins; // Adds a command line. Delete this line in your own game.
use example_support::art::{Hud, ShadedWalls};

use rescue::levels::LEVELS;
use rescue::scenery;
use rescue::stage::{Duck, Flame, Gate, Lever, Nest, OfLevel, Stage};

mod rescue {
    pub mod levels;
    pub mod scenery;
    pub mod stage;
}

/// Size of the view, in world units.
const VIEW: Vec2 = Vec2::new(1000.0, 700.0);
const HELP: &str = "click a wheel or press its number     R  again     N  next";
/// Speed of a gate, in world units/s.
const SPEED: f32 = 130.0;
/// How far from its nest a duck is home, sidewards and upwards, and how far from a flame it is singed, in world units.
const HOME: Vec2 = Vec2::new(56.0, 150.0);
const HOT: f32 = 66.0;
/// Seconds until the next level begins.
const PAUSE: f32 = 2.5;

fn main() {
    App::new()
        .add_plugins((DefaultPlugins, BlobFluidPlugins::default(), ShadedWalls::default(), game))
        .insert_resource(FluidSolidStyle { wall: Color::srgb(0.40, 0.42, 0.50), ..default() })
        .add_systems(Startup, set_up_view)
        .add_systems(PreUpdate, scenery::paint)
        .add_systems(Update, (point, scenery::dress, scenery::follow_duck, show))
        .run();
}

/// The game without its window.
pub fn game(app: &mut App) {
    // Oil has the colour of oil.
    let mut classes = FluidClasses::default();
    classes[ClassId::LIGHT].color = [0.96, 0.74, 0.22, 1.0];
    app.insert_resource(FluidSettings::new(8.0, Vec2::new(0.0, -520.0)))
        .insert_resource(classes)
        .init_resource::<Game>()
        .add_systems(Startup, begin)
        .add_systems(FixedUpdate, (play_by_itself, work, judge).chain())
        .add_systems(Update, choose);
}

/// How it stands.
#[derive(Resource, Default)]
pub struct Game {
    /// The level's number, from 0; as large as there are levels when all are won.
    pub level: usize,
    /// Seconds since the level began.
    time: f32,
    outcome: Option<Outcome>,
    /// Whether somebody plays. Until then levels play themselves.
    is_played: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Outcome {
    Rescued(f32),
    Singed(f32),
}

impl Game {
    /// Whether all levels are won.
    pub fn is_won(&self) -> bool {
        self.level >= LEVELS.len()
    }
}

fn begin(mut commands: Commands, game: Res<Game>, old: Query<Entity, With<OfLevel>>) {
    build(&mut commands, &game, &old);
}

/// Makes room, and builds the level.
fn build(commands: &mut Commands, game: &Game, old: &Query<Entity, With<OfLevel>>) {
    for entity in old {
        commands.entity(entity).despawn();
    }
    commands.queue(FluidSimulation::restart);
    // After the last level its scene stays, with the end above it.
    let level = &LEVELS[game.level.min(LEVELS.len() - 1)];
    (level.build)(&mut Stage::new(commands));
}

/// Works levers as the solution says, as long as nobody plays.
fn play_by_itself(time: Res<Time>, mut game: ResMut<Game>, mut levers: Query<&mut Lever>) {
    let before = game.time;
    game.time += time.delta_secs();
    if game.is_played || game.is_won() {
        return;
    }
    for (moment, number) in LEVELS[game.level].solution {
        if before < *moment && game.time >= *moment {
            levers.iter_mut().filter(|lever| lever.number == *number).for_each(flip);
        }
    }
}

fn flip(mut lever: Mut<Lever>) {
    lever.is_on = !lever.is_on;
}

/// Gates move, and taps and pumps run as their levers say.
fn work(
    time: Res<Time>,
    mut gates: Query<(&Lever, &Gate, &mut Transform)>,
    mut taps: Query<(&Lever, &mut FluidEmitter)>,
    mut pumps: Query<(&Lever, &mut FluidPump)>,
) {
    for (lever, gate, mut place) in &mut gates {
        let goal = if lever.is_on { gate.open } else { gate.shut };
        let at = place.translation.truncate().move_towards(goal, SPEED * time.delta_secs());
        if at != place.translation.truncate() {
            place.translation = at.extend(0.0);
        }
    }
    for (lever, mut tap) in &mut taps {
        if tap.running != lever.is_on {
            tap.running = lever.is_on;
        }
    }
    for (lever, mut pump) in &mut pumps {
        if pump.running != lever.is_on {
            pump.running = lever.is_on;
        }
    }
}

/// The duck is safe in its nest, and in danger near a flame.
fn judge(
    mut commands: Commands,
    time: Res<Time>,
    mut game: ResMut<Game>,
    duck: Query<&Transform, With<Duck>>,
    nest: Query<&Transform, With<Nest>>,
    flames: Query<(&Transform, &FluidAirSource), With<Flame>>,
    old: Query<Entity, With<OfLevel>>,
) {
    let (Ok(duck), Ok(nest)) = (duck.single(), nest.single()) else { return };
    // It may swim above its nest.
    let way = (duck.translation - nest.translation).truncate();
    let is_home = way.x.abs() < HOME.x && (-30.0..HOME.y).contains(&way.y);
    let is_near = |at: &Transform| at.translation.distance(duck.translation) < HOT;
    let is_in_flames = || flames.iter().any(|(at, flame)| flame.is_lit() && is_near(at));
    game.outcome = match game.outcome {
        None if is_home => Some(Outcome::Rescued(PAUSE)),
        None if is_in_flames() => Some(Outcome::Singed(PAUSE)),
        None => None,
        Some(Outcome::Rescued(left)) if left > 0.0 => {
            Some(Outcome::Rescued(left - time.delta_secs()))
        }
        Some(Outcome::Singed(left)) if left > 0.0 => {
            Some(Outcome::Singed(left - time.delta_secs()))
        }
        Some(outcome) => {
            let won = matches!(outcome, Outcome::Rescued(_)) && !game.is_won();
            game.level += usize::from(won);
            game.time = 0.0;
            if game.is_won() {
                // Safe for ever.
                Some(Outcome::Rescued(f32::MAX))
            } else {
                build(&mut commands, &game, &old);
                None
            }
        }
    };
}

/// Number keys work levers, R begins the level again, and N goes to the next.
fn choose(
    mut commands: Commands,
    keys: Res<ButtonInput<KeyCode>>,
    mut game: ResMut<Game>,
    mut levers: Query<&mut Lever>,
    old: Query<Entity, With<OfLevel>>,
) {
    let numbers = [KeyCode::Digit1, KeyCode::Digit2, KeyCode::Digit3];
    for (number, key) in (1..).zip(numbers) {
        if keys.just_pressed(key) {
            game.is_played = true;
            levers.iter_mut().filter(|lever| lever.number == number).for_each(flip);
        }
    }
    let goes_on = keys.just_pressed(KeyCode::KeyN);
    if goes_on || keys.just_pressed(KeyCode::KeyR) {
        let level = if game.is_won() { 0 } else { game.level + usize::from(goes_on) };
        *game = Game { level: level % LEVELS.len(), is_played: true, ..default() };
        build(&mut commands, &game, &old);
    }
}

/// A click or a touch works the lever whose wheel is there.
fn point(
    buttons: Res<ButtonInput<MouseButton>>,
    window: Single<&Window, With<PrimaryWindow>>,
    camera: Single<(&Camera, &GlobalTransform)>,
    mut game: ResMut<Game>,
    mut levers: Query<(&mut Lever, &GlobalTransform)>,
) {
    let (camera, view) = *camera;
    let clicked = window.cursor_position().filter(|_| buttons.just_pressed(MouseButton::Left));
    let Some(at) = clicked.and_then(|at| camera.viewport_to_world_2d(view, at).ok()) else {
        return;
    };
    let nearest = levers
        .iter_mut()
        .map(|(lever, place)| (place.translation().truncate().distance(at), lever))
        .filter(|(distance, _)| *distance < 50.0)
        .min_by(|(one, _), (other, _)| one.total_cmp(other));
    if let Some((_, lever)) = nearest {
        game.is_played = true;
        flip(lever);
    }
}

/// Marks the text with the level's name.
#[derive(Component)]
struct Title;

/// Marks the text that says how it went.
#[derive(Component)]
struct Verdict;

fn show(
    game: Res<Game>,
    mut title: Single<&mut Text2d, (With<Title>, Without<Verdict>)>,
    mut verdict: Single<&mut Text2d, With<Verdict>>,
) {
    let (name, said) = match (LEVELS.get(game.level), game.outcome) {
        (None, _) => (String::new(), "All ducks are home."),
        (Some(level), outcome) => {
            let said = match outcome {
                Some(Outcome::Rescued(_)) => "home!",
                Some(Outcome::Singed(_)) => "too hot for a duck",
                None => "",
            };
            (format!("{}. {}: {}", game.level + 1, level.name, level.hint), said)
        }
    };
    if title.0 != name {
        title.0 = name;
    }
    if verdict.0 != said {
        verdict.0 = said.into();
    }
}

fn set_up_view(mut commands: Commands) {
    let scaling_mode = ScalingMode::AutoMin { min_width: VIEW.x, min_height: VIEW.y };
    let projection =
        OrthographicProjection { scaling_mode, ..OrthographicProjection::default_2d() };
    commands.spawn((Camera2d, Projection::Orthographic(projection)));
    let text = |content: &str, corner: Anchor, at: Vec2, size: f32| {
        (
            Text2d::new(content),
            corner,
            // Letters of twice the size, made smaller, are sharp in large windows as well.
            TextFont::from_font_size(FontSize::Px(2.0 * size)),
            TextColor(Color::srgb(0.98, 0.96, 0.90)),
            Transform::from_translation(at.extend(12.0)).with_scale(Vec3::splat(0.5)),
        )
    };
    commands.spawn((text(HELP, Anchor::CENTER_RIGHT, Vec2::new(484.0, -326.0), 13.0), Hud));
    commands.spawn((Title, text("", Anchor::CENTER_LEFT, Vec2::new(-484.0, -326.0), 17.0)));
    commands.spawn((Verdict, text("", Anchor::CENTER, Vec2::new(120.0, 150.0), 48.0)));
}
