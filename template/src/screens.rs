//! Texts, keys of the screens, and the look.

use bevy::camera::ScalingMode;
use bevy::prelude::*;
use bevy::sprite::Anchor;
use bevy_blob_fluid::prelude::*;

use crate::level::{ENOUGH, TOO_MANY};
use crate::settings::Settings;
use crate::{Play, Screen};

/// Size of the view, in world units.
const VIEW: Vec2 = Vec2::new(1000.0, 750.0);
const INK: Color = Color::srgb(0.93, 0.95, 0.98);

/// Marks the text that counts.
#[derive(Component)]
struct Score;

/// Marks the text that says what can be chosen.
#[derive(Component)]
struct Choice;

pub(crate) fn plugin(app: &mut App) {
    app.insert_resource(ClearColor(Color::srgb(0.16, 0.24, 0.34)))
        .insert_resource(FluidSolidStyle { wall: Color::srgb(0.30, 0.36, 0.44), ..default() })
        .add_systems(Startup, set_up)
        .add_systems(OnEnter(Screen::Title), title)
        .add_systems(OnEnter(Screen::Level), count)
        .add_systems(OnEnter(Play::Paused), |commands: Commands| {
            say(commands, Play::Paused, "paused", "Esc  goes on");
        })
        .add_systems(OnEnter(Play::Won), |commands: Commands| {
            say(commands, Play::Won, "caught!", "Enter  to the title");
        })
        .add_systems(OnEnter(Play::Lost), |commands: Commands| {
            say(commands, Play::Lost, "too much was lost", "Enter  to the title");
        })
        .add_systems(Update, (choose, show_choice))
        .add_systems(Update, show_score.run_if(in_state(Screen::Level)));
}

/// A text of this size, in world units.
fn text(content: impl Into<String>, size: f32, anchor: Anchor, at: Vec2) -> impl Bundle {
    (
        Text2d::new(content),
        anchor,
        // Letters of twice the size, made smaller, are sharp in large windows as well.
        TextFont::from_font_size(FontSize::Px(2.0 * size)),
        TextColor(INK),
        Transform::from_translation(at.extend(20.0)).with_scale(Vec3::splat(0.5)),
    )
}

fn set_up(mut commands: Commands) {
    let scaling_mode = ScalingMode::AutoMin { min_width: VIEW.x, min_height: VIEW.y };
    let projection =
        OrthographicProjection { scaling_mode, ..OrthographicProjection::default_2d() };
    commands.spawn((Camera2d, Projection::Orthographic(projection)));
    let corner = 0.5 * VIEW - 20.0;
    commands.spawn((Choice, text("", 14.0, Anchor::TOP_RIGHT, corner)));
}

fn title(mut commands: Commands) {
    let here = DespawnOnExit(Screen::Title);
    commands.spawn((here.clone(), text("Catch", 80.0, Anchor::CENTER, Vec2::new(0.0, 90.0))));
    let help = "Enter or a click  begins\narrow keys, mouse or a finger  move the bucket";
    commands.spawn((here, text(help, 18.0, Anchor::CENTER, Vec2::new(0.0, -40.0))));
}

fn count(mut commands: Commands) {
    let here = DespawnOnExit(Screen::Level);
    let corner = Vec2::new(20.0 - 0.5 * VIEW.x, 0.5 * VIEW.y - 20.0);
    commands.spawn((here, Score, text("", 16.0, Anchor::TOP_LEFT, corner)));
}

/// Says how it stands while the level is in this state.
fn say(mut commands: Commands, state: Play, what: &str, help: &str) {
    let here = DespawnOnExit(state);
    let veil = Sprite::from_color(Color::srgba(0.05, 0.08, 0.13, 0.6), 4.0 * VIEW);
    commands.spawn((here.clone(), veil, Transform::from_xyz(0.0, 0.0, 15.0)));
    commands.spawn((here.clone(), text(what, 54.0, Anchor::CENTER, Vec2::new(0.0, 60.0))));
    commands.spawn((here, text(help, 18.0, Anchor::CENTER, Vec2::new(0.0, -30.0))));
}

/// Enter, a click or a touch goes on, and Esc pauses.
fn choose(
    keys: Res<ButtonInput<KeyCode>>,
    buttons: Res<ButtonInput<MouseButton>>,
    touches: Res<Touches>,
    screen: Res<State<Screen>>,
    play: Option<Res<State<Play>>>,
    mut next_screen: ResMut<NextState<Screen>>,
    mut next_play: ResMut<NextState<Play>>,
) {
    let goes_on = keys.just_pressed(KeyCode::Enter)
        || buttons.just_pressed(MouseButton::Left)
        || touches.any_just_pressed();
    let pauses = keys.just_pressed(KeyCode::Escape);
    match (screen.get(), play.map(|play| *play.get())) {
        (Screen::Title, _) if goes_on => next_screen.set(Screen::Level),
        (Screen::Level, Some(Play::Running)) if pauses => next_play.set(Play::Paused),
        (Screen::Level, Some(Play::Paused)) if pauses => next_play.set(Play::Running),
        (Screen::Level, Some(Play::Won | Play::Lost)) if goes_on => next_screen.set(Screen::Title),
        _ => {}
    }
}

fn show_score(
    caught: Single<&FluidSensorReading>,
    lost: Single<&FluidDrainTotals>,
    mut text: Single<&mut Text2d, With<Score>>,
) {
    text.0 = format!("caught {} of {ENOUGH}\nlost {} of {TOO_MANY}", caught.count, lost.total);
}

fn show_choice(settings: Res<Settings>, mut text: Single<&mut Text2d, With<Choice>>) {
    if settings.is_changed() {
        text.0 = format!("- +  volume {}\nEsc  pauses", settings.volume);
    }
}
