//! Sounds: splashes, wheels, and how it went. They were made for this game.

use bevy::audio::{AudioPlugin, PlaybackMode, Volume};
use bevy::prelude::*;
use bevy_blob_fluid::prelude::*;

use super::super::{Game, Outcome};
use super::controls::Wish;

/// Seconds between two splashes that are heard.
const PAUSE: f32 = 0.12;
/// The strength of a splash that is as loud as it gets.
const LOUDEST: f32 = 40.0;

#[derive(Resource)]
struct Sounds {
    splash: Handle<AudioSource>,
    wheel: Handle<AudioSource>,
    home: Handle<AudioSource>,
    singed: Handle<AudioSource>,
    /// When the last splash was heard, in seconds.
    last: f32,
    is_muted: bool,
}

pub(crate) fn plugin(app: &mut App) {
    if !app.is_plugin_added::<AudioPlugin>() {
        app.add_plugins(AudioPlugin::default());
    }
    app.add_plugins(FluidSplashPlugin::default())
        .add_systems(Startup, load)
        .add_systems(Update, (mute, cheer))
        .add_observer(splash)
        .add_observer(work);
}

fn load(mut commands: Commands, assets: Res<AssetServer>) {
    let sound = |name: &str| assets.load(format!("sounds/{name}.wav"));
    commands.insert_resource(Sounds {
        splash: sound("splash"),
        wheel: sound("wheel"),
        home: sound("home"),
        singed: sound("singed"),
        last: 0.0,
        is_muted: false,
    });
}

fn mute(keys: Res<ButtonInput<KeyCode>>, mut sounds: ResMut<Sounds>) {
    if keys.just_pressed(KeyCode::KeyM) {
        sounds.is_muted = !sounds.is_muted;
    }
}

fn play(commands: &mut Commands, sound: &Handle<AudioSource>, volume: f32, speed: f32) {
    let settings = PlaybackSettings {
        mode: PlaybackMode::Despawn,
        volume: Volume::Linear(volume),
        speed,
        ..default()
    };
    commands.spawn((AudioPlayer::new(sound.clone()), settings));
}

/// The title is quiet.
fn are_heard(game: &Game, sounds: &Sounds) -> bool {
    game.is_played && !sounds.is_muted
}

fn splash(
    splash: On<FluidSplash>,
    mut commands: Commands,
    mut sounds: ResMut<Sounds>,
    game: Res<Game>,
    time: Res<Time<Real>>,
) {
    if !are_heard(&game, &sounds) || time.elapsed_secs() < sounds.last + PAUSE {
        return;
    }
    sounds.last = time.elapsed_secs();
    let volume = 0.5 * (splash.strength / LOUDEST).min(1.0).sqrt();
    // No two splashes sound quite the same.
    let speed = 0.85 + 0.3 * (splash.position.x * 0.013).fract().abs();
    play(&mut commands, &sounds.splash, volume, speed);
}

fn work(wish: On<Wish>, mut commands: Commands, game: Res<Game>, sounds: Res<Sounds>) {
    if let Wish::Wheel(number) = *wish
        && are_heard(&game, &sounds)
    {
        play(&mut commands, &sounds.wheel, 0.6, 1.0 + 0.08 * number as f32);
    }
}

fn cheer(
    mut commands: Commands,
    game: Res<Game>,
    sounds: Res<Sounds>,
    mut had_outcome: Local<bool>,
) {
    let sound = match game.outcome {
        Some(Outcome::Rescued(_)) => Some(&sounds.home),
        Some(Outcome::Singed(_)) => Some(&sounds.singed),
        None => None,
    };
    if let Some(sound) = sound.filter(|_| !*had_outcome && are_heard(&game, &sounds)) {
        play(&mut commands, sound, 0.8, 1.0);
    }
    *had_outcome = game.outcome.is_some();
}
