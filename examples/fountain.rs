//! A game: find the pressure at which all three bowls of a fountain are full at once, in gusts of
//! wind.

use bevy::camera::ScalingMode;
use bevy::prelude::*;
use bevy::sprite::Anchor;
use bevy_blob_fluid::blob_fluid::shape::Polyline;
use bevy_blob_fluid::prelude::*;
use example_support::DefaultPlugins; // Adds a command line. Delete this line in your own game.
use example_support::art::{self, Hud, Painter, ShadedWalls, Silhouette};

/// Size of the view, in world units.
const VIEW: Vec2 = Vec2::new(1000.0, 750.0);
const HELP: &str = "up down  pressure     left right  aim";

fn main() {
    App::new()
        .add_plugins((DefaultPlugins, BlobFluidPlugins::default(), ShadedWalls::default(), game))
        .insert_resource(ClearColor(Color::srgb(0.10, 0.08, 0.20)))
        .insert_resource(FluidSolidStyle { wall: Color::srgb(0.66, 0.60, 0.64), ..default() })
        .insert_resource(FluidSettings::new(5.5, Vec2::new(0.0, -200.0)))
        .add_systems(PostStartup, scenery)
        .add_systems(Startup, |mut commands: Commands, mut classes: ResMut<FluidClasses>| {
            commands.spawn(camera());
            commands.spawn(FluidSurface::from(FluidSurfaceLook {
                opacity: 0.8,
                depth_color: Color::srgba(0.03, 0.22, 0.50, 0.9),
                sky_color: Color::srgba(0.86, 0.97, 1.00, 0.9),
                ..FluidSurfaceLook::WATER
            }));
            classes[ClassId::MEDIUM].color = [0.36, 0.76, 0.96, 1.0];
            commands.spawn((text(HELP, Anchor::TOP_LEFT), Hud));
            commands.spawn((text("", Anchor::TOP_RIGHT), Score, Hud));
        })
        .run();
}

/// A camera that shows the whole view in a window of any shape.
fn camera() -> impl Bundle {
    let scaling_mode = ScalingMode::AutoMin { min_width: VIEW.x, min_height: VIEW.y };
    let projection =
        OrthographicProjection { scaling_mode, ..OrthographicProjection::default_2d() };
    (Camera2d, Projection::Orthographic(projection))
}

/// Text in a corner of the view.
fn text(content: &str, corner: Anchor) -> impl Bundle {
    let position = corner.as_vec() * (VIEW - 20.0);
    let justify = if corner == Anchor::TOP_LEFT { Justify::Left } else { Justify::Right };
    (
        art::text(content, 14.0, Color::srgb(0.72, 0.77, 0.88), position.extend(10.0), corner),
        TextLayout::justify(justify),
    )
}

/// The game without its window.
pub fn game(app: &mut App) {
    app.init_resource::<Game>();
    app.add_systems(Startup, setup);
    app.add_systems(Update, (aim, blow, win, show).chain());
}

/// State of the game.
#[derive(Resource)]
pub struct Game {
    /// Speed of the water, in world units/s.
    pub pressure: f32,
    /// Angle of the nozzle, in radians to the left.
    pub aim: f32,
    /// Whether all bowls were full at the same time.
    pub won: bool,
}

impl Default for Game {
    fn default() -> Self {
        Self { pressure: 0.0, aim: 0.0, won: false }
    }
}

#[derive(Component)]
struct NozzleOfFountain;

#[derive(Component)]
struct Wind;

#[derive(Component)]
struct Score;

/// Half the width, the depth, and the height of the bottom of each bowl.
const BOWLS: [(f32, f32, f32); 3] =
    [(70.0, 26.0, 60.0), (170.0, 32.0, -80.0), (320.0, 60.0, -270.0)];

fn setup(mut commands: Commands) {
    let at = |x, y| Transform::from_xyz(x, y, 0.0);
    for (half, depth, bottom) in BOWLS {
        let rim = [(-half, depth), (18.0 - half, 0.0), (half - 18.0, 0.0), (half, depth)];
        let line = Polyline::new(rim.map(Vec2::from), 8.0).expect("a line");
        let inside = Rectangle::new(2.0 * half - 40.0, depth - 6.0);
        commands.spawn((FluidCollider::from(FluidShape::Polyline(line)), at(0.0, bottom)));
        let transform = at(0.0, bottom + 3.0 + 0.5 * depth);
        commands.spawn((FluidSensor::from(inside).with_levels(0.7, 0.5), transform));
    }
    // The columns under the bowls.
    commands.spawn((FluidCollider::from(Rectangle::new(26.0, 130.0)), at(0.0, -9.0)));
    commands.spawn((FluidCollider::from(Rectangle::new(40.0, 180.0)), at(0.0, -174.0)));
    commands.spawn((
        NozzleOfFountain,
        FluidEmitter::jet(18.0, 0.0).with_spread(0.1),
        FluidClass::MEDIUM,
        at(0.0, 92.0),
    ));
    commands.spawn((FluidDrain::from(Rectangle::new(3000.0, 60.0)), at(0.0, -420.0)));
    commands.spawn((
        Wind,
        FluidForce::wind(&Rectangle::new(2000.0, 700.0), Vec2::ZERO, 0.4),
        at(0.0, 500.0),
    ));
}

fn aim(
    keys: Res<ButtonInput<KeyCode>>,
    time: Res<Time>,
    mut game: ResMut<Game>,
    mut nozzles: Query<(&mut FluidEmitter, &mut Transform), With<NozzleOfFountain>>,
) {
    let pressed = |key| f32::from(keys.pressed(key));
    let up = pressed(KeyCode::ArrowUp) - pressed(KeyCode::ArrowDown);
    let left = pressed(KeyCode::ArrowLeft) - pressed(KeyCode::ArrowRight);
    game.pressure = (game.pressure + 80.0 * up * time.delta_secs()).clamp(0.0, 290.0);
    game.aim = (game.aim + 0.5 * left * time.delta_secs()).clamp(-0.4, 0.4);
    for (mut nozzle, mut transform) in &mut nozzles {
        nozzle.speed = Some(game.pressure.max(1.0));
        nozzle.running = game.pressure > 20.0;
        transform.rotation = Quat::from_rotation_z(game.aim);
    }
}

/// The wind comes and goes, from either side.
fn blow(time: Res<Time<Fluid>>, mut winds: Query<&mut FluidForce, With<Wind>>) {
    let now = time.elapsed_secs();
    for mut wind in &mut winds {
        wind.wind.x = 130.0 * (0.7 * now).sin() * (0.19 * now).sin();
    }
}

fn win(mut commands: Commands, mut game: ResMut<Game>, bowls: Query<&FluidSensorReading>) {
    if game.won || bowls.is_empty() || !bowls.iter().all(|bowl| bowl.full) {
        return;
    }
    game.won = true;
    // Fireworks, which fade away.
    for (x, class) in [
        (-400.0, FluidClass::HEAVY),
        (-330.0, FluidClass::LIGHT),
        (330.0, FluidClass::LIGHT),
        (400.0, FluidClass::HEAVY),
    ] {
        commands.spawn((
            FluidEmitter::jet(20.0, 480.0)
                .with_rate(140.0)
                .with_spread(0.35)
                .with_lifetime(FluidLifetime::new(2.6).fading(1.6)),
            class,
            Transform::from_xyz(x, -340.0, 0.0),
        ));
    }
}

fn show(
    game: Res<Game>,
    bowls: Query<&FluidSensorReading>,
    mut texts: Query<&mut Text2d, With<Score>>,
) {
    for mut text in &mut texts {
        text.0 = if game.won {
            "all three are full: you won!".into()
        } else {
            let full = bowls.iter().filter(|bowl| bowl.full).count();
            format!("pressure {:.0}\n{full} of 3 bowls full", game.pressure)
        };
    }
}

/// A park at dusk, in front of the city's roofs.
fn scenery(mut painter: Painter) {
    use Silhouette::{Leaves, Roofs};
    let (rgb, rgba) = (Color::srgb, Color::srgba);
    painter.sky(&[
        (-240.0, rgb(1.0, 0.66, 0.45)),
        (-60.0, rgb(0.86, 0.42, 0.46)),
        (130.0, rgb(0.42, 0.25, 0.50)),
        (375.0, rgb(0.11, 0.10, 0.30)),
    ]);
    painter.scatter(Rect::new(-700.0, 170.0, 700.0, 420.0), 60, 4.0, rgb(0.9, 0.85, 0.9));
    painter.glow((-250.0, -190.0), 420.0, rgba(1.0, 0.85, 0.55, 0.8));
    painter.ridge(Roofs, [-260.0, -20.0], [rgb(0.36, 0.20, 0.40), rgb(0.62, 0.34, 0.45)]);
    painter.ridge(Roofs, [-280.0, -100.0], [rgb(0.20, 0.12, 0.29), rgb(0.36, 0.20, 0.36)]);
    painter.scatter(Rect::new(-700.0, -240.0, 700.0, -150.0), 110, 9.0, rgb(1.0, 0.80, 0.42));
    painter.ridge(Leaves, [-330.0, -180.0], [rgb(0.07, 0.10, 0.17), rgb(0.10, 0.15, 0.17)]);
    let lawn = [rgb(0.16, 0.23, 0.20), rgb(0.06, 0.08, 0.11)];
    painter.panel((0.0, -360.0), (3200.0, 120.0), lawn);
    painter.board((0.0, -318.0), (470.0, 74.0), rgb(0.40, 0.35, 0.42));
    painter.board((0.0, -347.0), (720.0, 34.0), rgb(0.48, 0.42, 0.48));
    for x in [-435.0, 435.0] {
        painter.glow((x, -40.0), 190.0, rgba(1.0, 0.80, 0.48, 0.75));
        painter.board((x, -200.0), (9.0, 300.0), rgb(0.10, 0.09, 0.14));
        painter.board((x, -346.0), (34.0, 18.0), rgb(0.10, 0.09, 0.14));
        painter.board((x, -14.0), (46.0, 9.0), rgb(0.10, 0.09, 0.14));
        painter.disc((x, -38.0), 18.0, rgb(1.0, 0.94, 0.76));
    }
    painter.vignette(VIEW, 0.55);
}
