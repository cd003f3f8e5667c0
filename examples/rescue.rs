//! A game: four levels in which water, oil, fire and a pump bring a duck to its nest. Click the wheels.

use bevy::prelude::*;
use bevy_blob_fluid::prelude::*;
use example_support::DefaultPlugins; // Adds a command line. Delete this line in your own game.
use example_support::art::ShadedWalls;

use rescue::controls::{self, Wish};
use rescue::levels::{Duck, Flame, Gate, LEVELS, Lever, Nest, OfLevel, Stage};
use rescue::progress;
pub use rescue::progress::Progress;
use rescue::{scenery, screens};

mod rescue {
    pub mod controls;
    pub mod levels;
    pub mod progress;
    pub mod scenery;
    pub mod screens;
    #[cfg(feature = "sound")]
    pub mod sound;
}

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
        .insert_resource(FluidSolidStyle { wall: Color::srgb(0.42, 0.31, 0.37), ..default() })
        .add_plugins((progress::plugin, screens::plugin, controls::plugin))
        .add_systems(PreUpdate, scenery::paint)
        .add_systems(Update, (scenery::dress, scenery::follow_duck))
        .add_plugins(sounds)
        .run();
}

/// Sounds, where the program can play some.
fn sounds(_app: &mut App) {
    #[cfg(feature = "sound")]
    _app.add_plugins(rescue::sound::plugin);
}

/// The game without its window.
pub fn game(app: &mut App) {
    // Oil has the colour of oil, and water is bluer than any sky.
    let mut classes = FluidClasses::default();
    classes[ClassId::LIGHT].color = [0.96, 0.74, 0.22, 1.0];
    classes[ClassId::MEDIUM].color = [0.10, 0.50, 0.86, 1.0];
    app.insert_resource(FluidSettings::new(8.0, Vec2::new(0.0, -520.0)))
        .insert_resource(classes)
        .init_resource::<Game>()
        .init_resource::<Progress>()
        .add_observer(obey)
        .add_systems(Startup, begin)
        .add_systems(FixedUpdate, (play_by_itself, work, judge).chain())
        .add_systems(Update, controls::press_keys);
}

/// How it stands.
#[derive(Resource, Default)]
pub struct Game {
    /// The level's number, from 0; as large as there are levels when all are won.
    pub level: usize,
    /// Seconds since the level began.
    time: f32,
    outcome: Option<Outcome>,
    /// Whether somebody plays. Until then the title is shown, and levels play themselves.
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
    mut progress: ResMut<Progress>,
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
            if won {
                game.level += 1;
                info!("level {} is won", game.level);
            }
            game.time = 0.0;
            if game.is_played && game.level > progress.levels {
                progress.levels = game.level;
            }
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

/// Does what a player wants.
fn obey(
    wish: On<Wish>,
    mut commands: Commands,
    mut game: ResMut<Game>,
    progress: Res<Progress>,
    mut levers: Query<&mut Lever>,
    old: Query<Entity, With<OfLevel>>,
) {
    let goes_on = game.is_played && !game.is_won();
    let level = match *wish {
        Wish::Wheel(number) if game.is_played => {
            levers.iter_mut().filter(|lever| lever.number == number).for_each(flip);
            return;
        }
        // On the title numbers are those of levels.
        Wish::Wheel(number) if number <= progress.levels + 1 => number - 1,
        Wish::Wheel(_) => return,
        Wish::Begin if goes_on => return,
        Wish::Begin => progress.levels,
        Wish::Again | Wish::Next if game.is_won() => 0,
        Wish::Again => game.level,
        Wish::Next => game.level + 1,
        Wish::Title => 0,
    };
    let level = level % LEVELS.len();
    *game = Game { level, is_played: *wish != Wish::Title, ..default() };
    build(&mut commands, &game, &old);
}
