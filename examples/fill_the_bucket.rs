//! A game: drag the planks so that the water flows into the bucket. It has four levels. In the last one, a jug is carried,
//! tilted and thrown.

use bevy::camera::ScalingMode;
use bevy::prelude::*;
use bevy::sprite::Anchor;
use bevy::window::PrimaryWindow;
use bevy_blob_fluid::blob_fluid::shape::Polyline;
use bevy_blob_fluid::prelude::*;
use example_support::DefaultPlugins; // Adds a command line. Delete this line in your own game.
use example_support::art::{self, Hud, Painter, ShadedWalls, Silhouette};

/// Size of the view, in world units.
const VIEW: Vec2 = Vec2::new(1000.0, 750.0);
const HELP: &str = "drag planks and jug     Q E, or a second finger  turn them     R  start again";

fn main() {
    App::new()
        .add_plugins((DefaultPlugins, BlobFluidPlugins::default(), ShadedWalls::default(), game))
        .insert_resource(ClearColor(Color::srgb(0.45, 0.66, 0.86)))
        .insert_resource(FluidSolidStyle { wall: Color::srgb(0.52, 0.56, 0.62), ..default() })
        .add_systems(PostStartup, scenery)
        .add_systems(Startup, |mut commands: Commands| {
            commands.spawn(camera());
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
    (art::text(content, 14.0, Color::srgb(0.98, 0.97, 0.92), position.extend(10.0), corner),)
}

/// The game without its window.
pub fn game(app: &mut App) {
    app.init_resource::<Game>().init_resource::<Held>();
    app.add_systems(Startup, start);
    app.add_systems(Update, (drag, show, go_on).chain()).add_systems(FixedUpdate, carry);
    app.add_observer(|_: On<FluidFilled>, mut game: ResMut<Game>| game.pause = Some(2.0));
}

/// Index of the present level, from 0; one past the last when all are won.
#[derive(Resource, Default)]
pub struct Game {
    /// The level's number.
    pub level: usize,
    /// Seconds until the next level, once this one is won.
    pause: Option<f32>,
}

impl Game {
    /// Whether all levels are won.
    pub fn is_won(&self) -> bool {
        self.level >= LEVELS
    }
}

/// The plank or jug that is held, and the offset of the grip from its centre.
#[derive(Resource, Default)]
struct Held(Option<(Entity, Vec2)>);

/// Where a point that the hand holds is to be, and how fast it turns, in radians per second.
#[derive(Clone, Copy)]
struct Hand {
    at: Vec2,
    turn: f32,
}

/// A vessel that can be carried, tilted and thrown.
#[derive(Component, Default)]
pub struct Jug {
    /// The hand that carries it.
    hand: Option<Hand>,
    /// In world units per second.
    velocity: Vec2,
}

/// Marks parts of a level, which are removed with it.
#[derive(Component)]
struct Part;

/// Marks planks and jugs, which can be dragged and turned.
#[derive(Component)]
pub struct Plank;

#[derive(Component)]
struct Score;

const LEVELS: usize = 4;

fn first_level(commands: &mut Commands) {
    commands.spawn(tap(-260.0, 330.0));
    commands.spawn(bucket(140.0, -240.0));
    commands.spawn(plank(-400.0, -120.0, 0.4));
    commands.spawn(plank(120.0, 200.0, 0.0));
}

fn second_level(commands: &mut Commands) {
    commands.spawn(tap(320.0, 330.0));
    commands.spawn(bucket(-300.0, -250.0));
    commands.spawn(plank(330.0, -60.0, -0.3));
    commands.spawn(plank(60.0, 230.0, 0.2));
    commands.spawn(plank(-120.0, -120.0, -0.4));
}

fn third_level(commands: &mut Commands) {
    commands.spawn(tap(0.0, 330.0));
    commands.spawn(bucket(0.0, -260.0));
    // This plank is right above the bucket and cannot be moved.
    commands.spawn(roof(0.0, 30.0));
    commands.spawn(plank(-330.0, -100.0, 0.3));
    commands.spawn(plank(330.0, -100.0, -0.3));
    commands.spawn(plank(-330.0, 230.0, 0.0));
}

fn fourth_level(commands: &mut Commands) {
    commands.spawn(tap(-330.0, 330.0));
    commands.spawn(bucket(320.0, GROUND));
    commands.spawn(jug(-180.0, GROUND));
}

fn tap(x: f32, y: f32) -> impl Bundle {
    let downwards = Quat::from_rotation_z(std::f32::consts::PI);
    let place = Transform::from_xyz(x, y, 0.0).with_rotation(downwards);
    (Part, FluidEmitter::jet(34.0, 220.0), FluidClass::MEDIUM, place)
}

/// A thin-walled bucket, and a sensor of its contents.
fn bucket(x: f32, y: f32) -> impl Bundle {
    let outline = [(-75.0, 60.0), (-60.0, -60.0), (60.0, -60.0), (75.0, 60.0)].map(Vec2::from);
    let walls = FluidShape::Polyline(Polyline::new(outline, 6.0).expect("a line"));
    let inside = FluidSensor::from(Rectangle::new(114.0, 112.0)).with_levels(0.8, 0.5);
    (Part, FluidCollider::from(walls), inside, Transform::from_xyz(x, y, 0.0))
}

/// Height of jugs and buckets that stand on the ground.
const GROUND: f32 = -250.0;

/// The outline of the jug, from brim to brim. It is narrower at the top, and so spills less.
pub const JUG: [(f32, f32); 4] = [(-42.0, 65.0), (-54.0, -60.0), (54.0, -60.0), (42.0, 65.0)];

fn jug(x: f32, y: f32) -> impl Bundle {
    let walls = FluidShape::Polyline(Polyline::new(JUG.map(Vec2::from), 6.0).expect("a line"));
    let color = FluidSolidColor(Color::srgb(0.80, 0.52, 0.28));
    (Part, Plank, Jug::default(), color, FluidCollider::from(walls), Transform::from_xyz(x, y, 0.0))
}

fn plank(x: f32, y: f32, turn: f32) -> impl Bundle {
    (
        Part,
        Plank,
        FluidSolidColor(Color::srgb(0.62, 0.45, 0.30)),
        FluidCollider::from(Rectangle::new(230.0, 14.0)),
        Transform::from_xyz(x, y, 0.0).with_rotation(Quat::from_rotation_z(turn)),
    )
}

fn roof(x: f32, y: f32) -> impl Bundle {
    let corners = [Vec2::new(-110.0, -30.0), Vec2::new(110.0, -30.0), Vec2::new(0.0, 40.0)];
    let walls = FluidCollider::from(Triangle2d { vertices: corners });
    (Part, walls, Transform::from_xyz(x, y, 0.0))
}

/// Builds the present level. Liquid that falls past everything drains away below.
fn start(mut commands: Commands, game: Res<Game>) {
    match game.level {
        0 => first_level(&mut commands),
        1 => second_level(&mut commands),
        2 => third_level(&mut commands),
        _ => fourth_level(&mut commands),
    }
    let drain = FluidDrain::from(Rectangle::new(3000.0, 60.0));
    commands.spawn((Part, drain, Transform::from_xyz(0.0, -420.0, 0.0)));
}

/// Lets the mouse or a finger drag the nearest plank or jug. Keys or a second finger turn it.
fn drag(
    window: Single<&Window, With<PrimaryWindow>>,
    camera: Single<(&Camera, &GlobalTransform)>,
    buttons: Res<ButtonInput<MouseButton>>,
    keys: Res<ButtonInput<KeyCode>>,
    touches: Option<Res<Touches>>,
    time: Res<Time>,
    mut held: ResMut<Held>,
    mut planks: Query<(Entity, &mut Transform, Option<&mut Jug>), With<Plank>>,
) {
    let (camera, transform) = *camera;
    let mut fingers: Vec<_> = touches.iter().flat_map(|touches| touches.iter()).collect();
    fingers.sort_by_key(|finger| finger.id());
    let finger = |index: usize| fingers.get(index).map(|finger| finger.position());
    let mouse = window.cursor_position().filter(|_| buttons.pressed(MouseButton::Left));
    let point = finger(0).or(mouse);
    let point = point.and_then(|point| camera.viewport_to_world_2d(transform, point).ok());
    for (_, _, jug) in &mut planks {
        // A jug that nobody holds flies on.
        jug.into_iter().for_each(|mut jug| jug.hand = None);
    }
    let Some(point) = point else {
        held.0 = None;
        return;
    };
    if held.0.is_none_or(|(plank, _)| !planks.contains(plank)) {
        let offset = |transform: &Transform| transform.translation.truncate() - point;
        let near = planks.iter().map(|(entity, transform, _)| (entity, offset(transform)));
        let near = near.filter(|(_, offset)| offset.length() < 120.0);
        held.0 = near.min_by(|a, b| a.1.length().total_cmp(&b.1.length()));
    }
    let pressed = |key| f32::from(keys.pressed(key));
    // A second finger to the left of the first turns to the left.
    let second = finger(0).zip(finger(1)).map_or(0.0, |(one, other)| (one.x - other.x).signum());
    let turn = pressed(KeyCode::KeyQ) - pressed(KeyCode::KeyE) + second;
    if let Some((entity, offset)) = held.0
        && let Ok((_, mut transform, jug)) = planks.get_mut(entity)
    {
        let at = point + offset;
        if let Some(mut jug) = jug {
            jug.hand = Some(Hand { at, turn });
        } else {
            transform.translation = at.extend(0.0);
            transform.rotate_z(turn * time.delta_secs());
        }
    }
}

/// Moves the jug in the ticks of the liquid, so that its water comes along: after the hand, but not as fast as a
/// mouse jumps, or as a stone flies until it lands.
fn carry(
    mut jugs: Query<(&mut Jug, &mut Transform)>,
    settings: Res<FluidSettings>,
    time: Res<Time>,
) {
    let tick = time.delta_secs();
    for (mut jug, mut transform) in &mut jugs {
        let at = transform.translation.truncate();
        let velocity = match jug.hand {
            Some(hand) => {
                let wanted = ((hand.at - at) / 0.15).clamp_length_max(400.0);
                jug.velocity.move_towards(wanted, 800.0 * tick)
            }
            None if at.y <= GROUND => Vec2::ZERO,
            None => jug.velocity + settings.parameters.gravity * tick,
        };
        let turn = jug.hand.map_or(0.0, |hand| hand.turn);
        jug.velocity = velocity;
        if velocity != Vec2::ZERO || turn != 0.0 {
            let next = at + velocity * tick;
            transform.translation = next.with_y(next.y.max(GROUND)).extend(0.0);
            transform.rotate_z(turn * tick);
        }
    }
}

fn show(
    game: Res<Game>,
    buckets: Query<&FluidSensorReading>,
    mut texts: Query<&mut Text2d, With<Score>>,
) {
    let fill = buckets.iter().map(|reading| reading.fill).fold(0.0, f32::max);
    for mut text in &mut texts {
        text.0 = match (game.is_won(), game.pause) {
            (true, _) => "all buckets filled: you won!".into(),
            (_, Some(_)) => "filled!".into(),
            _ => format!("level {}: {:.0} % of 80 %", game.level + 1, 100.0 * fill),
        };
    }
}

/// Builds the next level a while after this one is won, or restarts this one.
fn go_on(
    keys: Res<ButtonInput<KeyCode>>,
    time: Res<Time>,
    mut commands: Commands,
    mut game: ResMut<Game>,
    parts: Query<Entity, With<Part>>,
    mut fluid: ResMut<FluidSimulation>,
) {
    let pause = game.pause.map(|pause| pause - time.delta_secs());
    let over = pause.is_some_and(|pause| pause <= 0.0);
    let again = keys.just_pressed(KeyCode::KeyR);
    game.pause = pause.filter(|_| !over && !again);
    game.level += usize::from(over);
    if (over || again) && !game.is_won() {
        parts.iter().for_each(|part| commands.entity(part).despawn());
        fluid.clear();
        commands.run_system_cached(start);
    }
}

/// A farmyard in the morning.
fn scenery(mut painter: Painter) {
    use Silhouette::{Hills, Leaves};
    let (rgb, rgba) = (Color::srgb, Color::srgba);
    painter.sky(&[
        (-180.0, rgb(1.0, 0.93, 0.74)),
        (80.0, rgb(0.66, 0.83, 0.90)),
        (375.0, rgb(0.16, 0.42, 0.70)),
    ]);
    painter.glow((-330.0, 60.0), 360.0, rgba(1.0, 0.95, 0.72, 0.95));
    painter.disc((-330.0, 60.0), 44.0, rgb(1.0, 0.97, 0.84));
    painter.ridge(Hills, [-260.0, 20.0], [rgb(0.58, 0.70, 0.62), rgb(0.90, 0.88, 0.68)]);
    painter.ridge(Leaves, [-280.0, -120.0], [rgb(0.36, 0.52, 0.34), rgb(0.62, 0.68, 0.42)]);
    painter.panel((0.0, -330.0), (3200.0, 200.0), [rgb(0.66, 0.70, 0.36), rgb(0.34, 0.36, 0.18)]);
    // The barn.
    let (red, trim) = (rgb(0.68, 0.22, 0.17), rgb(0.95, 0.90, 0.82));
    let roof = [(504.0, -58.0), (464.0, 60.0), (360.0, 122.0), (256.0, 60.0), (216.0, -58.0)];
    painter.shape(&roof, 4.0, [rgb(0.46, 0.38, 0.38), rgb(0.28, 0.22, 0.24)]);
    painter.panel((360.0, -150.0), (240.0, 230.0), [red, rgb(0.46, 0.14, 0.12)]);
    let gable = [(480.0, -36.0), (450.0, 48.0), (360.0, 103.0), (270.0, 48.0), (240.0, -36.0)];
    painter.shape(&gable, 0.0, [red; 2]);
    painter.panel((360.0, 22.0), (54.0, 54.0), [trim; 2]);
    painter.panel((360.0, 22.0), (42.0, 42.0), [rgb(0.22, 0.12, 0.12); 2]);
    painter.panel((360.0, -195.0), (120.0, 140.0), [trim; 2]);
    painter.panel((360.0, -200.0), (106.0, 136.0), [rgb(0.34, 0.13, 0.12), rgb(0.24, 0.09, 0.09)]);
    // A fence, and bales of straw.
    for y in [-225.0, -255.0] {
        painter.board((-560.0, y), (1500.0, 11.0), rgb(0.93, 0.90, 0.83));
    }
    for x in (-13..3).map(|number| 78.0 * number as f32 - 10.0) {
        painter.board((x, -248.0), (14.0, 90.0), rgb(0.93, 0.90, 0.83));
    }
    for (x, y) in [(-420.0, -300.0), (-356.0, -312.0), (-400.0, -262.0)] {
        painter.disc((x, y), 40.0, rgb(0.72, 0.54, 0.22));
        painter.disc((x - 3.0, y + 4.0), 34.0, rgb(0.88, 0.70, 0.34));
        painter.disc((x - 2.0, y + 2.0), 16.0, rgb(0.76, 0.57, 0.25));
    }
    painter.scatter(
        Rect::new(-700.0, -375.0, 700.0, -290.0),
        140,
        10.0,
        rgba(0.85, 0.86, 0.45, 0.6),
    );
    painter.vignette(VIEW, 0.3);
}
