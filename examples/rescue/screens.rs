//! The view, the title, and what is said.

use bevy::camera::ScalingMode;
use bevy::prelude::*;
use bevy::sprite::{Anchor, Text2dShadow};
use bevy_blob_fluid::prelude::*;
use example_support::art::{self, Hud};

use super::super::{Game, Outcome};
use super::levels::LEVELS;
use super::progress::Progress;

/// Size of the view, in world units.
const VIEW: Vec2 = Vec2::new(1000.0, 700.0);
const HELP: &str = if cfg!(feature = "sound") {
    "click a wheel or press its number     R  again     N  next     M  mutes     Esc  title"
} else {
    "click a wheel or press its number     R  again     N  next     Esc  title"
};
/// Where the level's name and the help begin: lines in the floor.
const NAME_AT: Vec2 = Vec2::new(-484.0, -315.0);
const HELP_AT: Vec2 = Vec2::new(-484.0, -336.0);

/// Marks the text with the level's name.
#[derive(Component)]
struct Level;

/// Marks the text that says how it went.
#[derive(Component)]
struct Verdict;

/// Marks what belongs to the title.
#[derive(Component)]
struct Title;

/// Marks the text that says how to begin.
#[derive(Component)]
struct Beginning;

/// Marks the text that says what keys do.
#[derive(Component)]
struct Help;

pub(crate) fn plugin(app: &mut App) {
    app.add_systems(Startup, set_up).add_systems(Update, (tell, show_title));
}

fn set_up(mut commands: Commands) {
    let scaling_mode = ScalingMode::AutoMin { min_width: VIEW.x, min_height: VIEW.y };
    let projection =
        OrthographicProjection { scaling_mode, ..OrthographicProjection::default_2d() };
    commands.spawn((Camera2d, Projection::Orthographic(projection)));
    commands.spawn(FluidSurface::from(FluidSurfaceLook {
        opacity: 0.82,
        depth_color: Color::srgba(0.03, 0.16, 0.42, 0.9),
        sky_color: Color::srgba(0.90, 0.97, 1.00, 0.8),
        depth: 16.0,
        ..FluidSurfaceLook::WATER
    }));
    let text = |content: &str, anchor: Anchor, at: Vec2, size: f32| {
        (art::text(content, size, Color::srgb(0.98, 0.96, 0.90), at.extend(12.0), anchor),)
    };
    let help = text(HELP, Anchor::CENTER_LEFT, HELP_AT, 12.0);
    commands.spawn((Help, Hud, help, Visibility::Hidden));
    commands.spawn((Level, Hud, text("", Anchor::CENTER_LEFT, NAME_AT, 17.0)));
    commands.spawn((Verdict, text("", Anchor::CENTER, Vec2::new(120.0, 150.0), 48.0)));
    let shadow =
        Text2dShadow { offset: Vec2::new(5.0, -5.0), color: Color::srgba(0.10, 0.06, 0.16, 0.55) };
    let title = text("Rescue", Anchor::CENTER, Vec2::new(0.0, 200.0), 120.0);
    commands.spawn((Title, Hud, title, shadow));
    let beginning = text("", Anchor::CENTER, Vec2::new(0.0, 60.0), 22.0);
    commands.spawn((Title, Hud, Beginning, beginning, shadow));
}

/// Says the level's name, and how it went.
fn tell(
    game: Res<Game>,
    mut level: Single<&mut Text2d, (With<Level>, Without<Verdict>)>,
    mut verdict: Single<&mut Text2d, With<Verdict>>,
) {
    let (name, said) = match (LEVELS.get(game.level), game.outcome) {
        (None, _) if game.is_played => (String::new(), "All ducks are home."),
        (None, _) => (String::new(), ""),
        (Some(level), outcome) => {
            let said = match outcome {
                _ if !game.is_played => "",
                Some(Outcome::Rescued(_)) => "home!",
                Some(Outcome::Singed(_)) => "too hot for a duck",
                None => "",
            };
            (format!("{}. {}: {}", game.level + 1, level.name, level.hint), said)
        }
    };
    if level.0 != name {
        level.0 = name;
    }
    if verdict.0 != said {
        verdict.0 = said.into();
    }
}

/// Shows the title until somebody plays, and then what keys do.
fn show_title(
    game: Res<Game>,
    progress: Res<Progress>,
    mut shown: Query<&mut Visibility, Or<(With<Title>, With<Help>)>>,
    titles: Query<Entity, With<Title>>,
    help: Single<Entity, With<Help>>,
    mut beginning: Single<&mut Text2d, With<Beginning>>,
    mut was_played: Local<bool>,
) {
    if progress.is_changed() {
        let next = &LEVELS[progress.levels % LEVELS.len()];
        beginning.0 = match progress.levels {
            0 => "Enter or a click  begins".into(),
            won if won < LEVELS.len() => format!(
                "Enter or a click  goes on with level {}, {}\n1 to {}  begins another one",
                won + 1,
                next.name,
                won + 1,
            ),
            won => format!("All ducks are home.\n1 to {won} or a click  begins again"),
        };
    }
    // It begins as it was spawned.
    if *was_played == game.is_played {
        return;
    }
    *was_played = game.is_played;
    let mut show = |entity: Entity, is_shown: bool| {
        if let Ok(mut visibility) = shown.get_mut(entity) {
            *visibility = if is_shown { Visibility::Inherited } else { Visibility::Hidden };
        }
    };
    titles.iter().for_each(|title| show(title, !game.is_played));
    show(*help, game.is_played);
}
