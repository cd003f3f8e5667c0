//! A sound where water splashes: the harder it hits, the louder.

use bevy::audio::Volume;
use bevy::prelude::*;
use bevy_blob_fluid::prelude::*;

use crate::settings::Settings;

/// Seconds between two sounds.
const PAUSE: f32 = 0.09;
/// The strength of a splash that is as loud as it gets.
const LOUDEST: f32 = 40.0;

#[derive(Resource)]
struct Sounds {
    splash: Handle<AudioSource>,
    /// When the last one began, in seconds.
    last: f32,
}

pub(crate) fn plugin(app: &mut App) {
    app.add_plugins(FluidSplashPlugin::default()).add_systems(Startup, load).add_observer(play);
}

fn load(mut commands: Commands, assets: Res<AssetServer>) {
    commands.insert_resource(Sounds { splash: assets.load("sounds/splash.wav"), last: 0.0 });
}

fn play(
    splash: On<FluidSplash>,
    mut commands: Commands,
    mut sounds: ResMut<Sounds>,
    settings: Res<Settings>,
    time: Res<Time<Real>>,
) {
    if settings.volume == 0 || time.elapsed_secs() < sounds.last + PAUSE {
        return;
    }
    sounds.last = time.elapsed_secs();
    let loud = (splash.strength / LOUDEST).min(1.0).sqrt() * f32::from(settings.volume) / 10.0;
    // No two splashes sound quite the same.
    let speed = 0.85 + 0.3 * (splash.position.x * 0.013).fract().abs();
    commands.spawn((
        AudioPlayer::new(sounds.splash.clone()),
        PlaybackSettings::DESPAWN.with_volume(Volume::Linear(loud)).with_speed(speed),
    ));
}
