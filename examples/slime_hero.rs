//! A game: a hero of slime that squeezes through bars, comes apart, and grows together again.

use bevy::camera::ScalingMode;
use bevy::prelude::*;
use bevy::sprite::Anchor;
use bevy_blob_fluid::prelude::*;
use example_support::DefaultPlugins; // Adds a command line. Delete this line in your own game.
use example_support::art::{self, Hud, Painter, ShadedWalls, Silhouette};

/// Size of the view, in world units.
const VIEW: Vec2 = Vec2::new(680.0, 382.0);
/// Height of the view's centre, in world units.
const CENTRE: f32 = -125.0;
/// How far the view moves to each side.
const REACH: f32 = 180.0;
const SLIME: FluidClass = FluidClass::new(0);
const HELP: &str = "arrows or A D  move     up or W  jump     R  start again";
/// Fraction of the drops that must arrive.
const ENOUGH: f32 = 0.75;
/// Acceleration by the keys, in world units/s^2, and the largest speed, in world units/s.
const PUSH: f32 = 320.0;
const RUN: f32 = 110.0;
const JUMP: Vec2 = Vec2::new(0.0, 230.0);
/// Shortest time between two jumps, in seconds.
const REST: f32 = 1.4;

fn main() {
    App::new()
        .add_plugins((
            DefaultPlugins,
            BlobFluidPlugins::default(),
            ShadedWalls { radius: 9.0, ..default() },
            game,
        ))
        .insert_resource(ClearColor(Color::srgb(0.27, 0.12, 0.16)))
        .insert_resource(FluidSolidStyle {
            wall: Color::srgb(0.46, 0.25, 0.20),
            interior: None,
            ..default()
        })
        .add_systems(PostStartup, scenery)
        .add_systems(Startup, draw)
        .add_systems(Update, (look, follow))
        .run();
}

/// Spawns the decoration.
fn draw(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<ColorMaterial>>,
) {
    commands.spawn(camera()).with_children(|camera| {
        camera.spawn((text(HELP, Anchor::TOP_LEFT), Hud));
        camera.spawn((text("", Anchor::TOP_RIGHT), Score, Hud));
    });
    let shiny = FluidSurfaceLook {
        opacity: 0.82,
        rim_light: 0.9,
        depth_color: Color::srgba(0.0, 0.42, 0.16, 0.9),
        depth: 12.0,
        specular: 1.5,
        refraction: 1.0,
        ..FluidSurfaceLook::SLIME
    };
    commands.spawn(FluidSurface::from(shiny));
    let mut part = |mesh: Mesh, color, x: f32, y: f32, depth: f32, goes: f32| {
        let eye = Eye { offset: Vec2::new(x, y), goes };
        let drawn = (Mesh2d(meshes.add(mesh)), MeshMaterial2d(materials.add(color)));
        commands.spawn((eye, drawn, Transform::from_xyz(0.0, 0.0, depth)));
    };
    for x in [-14.0, 14.0] {
        part(Circle::new(12.5).into(), Color::WHITE, x, 12.0, 6.0, 0.3);
        part(Circle::new(7.0).into(), Color::BLACK, x, 12.0, 7.0, 1.0);
        part(Circle::new(2.4).into(), Color::WHITE, x + 2.5, 15.0, 7.5, 1.0);
    }
    // A smile.
    let mouth = Mesh::from(CircularSegment::from_degrees(13.0, 150.0));
    let mouth = mouth.rotated_by(Quat::from_rotation_z(std::f32::consts::PI));
    part(mouth, Color::srgb(0.05, 0.20, 0.08), 0.0, -1.0, 6.0, 0.5);
}

/// A camera that shows the whole view in a window of any shape.
fn camera() -> impl Bundle {
    let scaling_mode = ScalingMode::AutoMin { min_width: VIEW.x, min_height: VIEW.y };
    let projection =
        OrthographicProjection { scaling_mode, ..OrthographicProjection::default_2d() };
    (Camera2d, Projection::Orthographic(projection), Transform::from_xyz(0.0, CENTRE, 0.0))
}

/// Text in a corner of the view.
fn text(content: &str, corner: Anchor) -> impl Bundle {
    let position = corner.as_vec() * (VIEW - 40.0);
    let justify = if corner == Anchor::TOP_LEFT { Justify::Left } else { Justify::Right };
    (
        art::text(content, 10.0, Color::srgb(0.27, 0.12, 0.16), position.extend(10.0), corner),
        TextLayout::justify(justify),
    )
}

/// The game without its window.
pub fn game(app: &mut App) {
    app.add_plugins(FluidBlobsPlugin::default())
        .insert_resource(FluidClasses::from(vec![slime()]))
        .init_resource::<Game>()
        .add_systems(Startup, (setup, begin))
        .add_systems(Update, (restart, steer, show).chain())
        .add_observer(|_: On<FluidBlobSplit>, mut game: ResMut<Game>| game.say("apart!"))
        .add_observer(|_: On<FluidBlobsMerged>, mut game: ResMut<Game>| game.say("one again!"))
        .add_observer(|_: On<FluidFilled>, mut game: ResMut<Game>| game.won = true);
}

/// State of the game.
#[derive(Resource, Default)]
pub struct Game {
    /// Whether enough of the hero has arrived.
    pub won: bool,
    said: &'static str,
    /// Seconds for which the message is still shown.
    shown: f32,
}

impl Game {
    fn say(&mut self, word: &'static str) {
        (self.said, self.shown) = (word, 1.0);
    }
}

/// Marks the force that moves the hero.
#[derive(Component)]
struct Muscle;

/// A part of the face: its offset, and how far it moves ahead.
#[derive(Component)]
struct Eye {
    offset: Vec2,
    goes: f32,
}

#[derive(Component)]
struct Score;

/// The slime is cohesive, and creeps rather than splashes.
fn slime() -> DensityClass {
    DensityClass {
        name: "slime".into(),
        surface_tension: 1.4,
        viscosity: Some(ClassViscosity { linear: 2.5, ..default() }),
        elasticity: Some(FluidElasticity {
            stiffness: 10.0,
            yield_ratio: 0.1,
            plasticity: 2.0,
            ..default()
        }),
        color: [0.22, 0.83, 0.19, 1.0],
        ..default()
    }
}

fn setup(mut commands: Commands) {
    let at = |x, y| Transform::from_xyz(x, y, 0.0);
    let rough = WallProperties { friction: Some(0.25), wetting: 0.3, ..default() };
    let block = |width, height| FluidCollider::from(Rectangle::new(width, height)).with_wall(rough);
    commands.spawn((
        FluidContainer::from(Rectangle::new(1000.0, 560.0)).with_wall(rough),
        at(0.0, -20.0),
    ));
    // A step to jump onto, and a pit to climb out of.
    commands.spawn((block(170.0, 60.0), at(-170.0, -270.0)));
    commands.spawn((block(90.0, 60.0), at(45.0, -270.0)));
    // Bars to squeeze through.
    for bar in 0..4 {
        let round = FluidCollider::from(Circle::new(9.0)).with_wall(rough);
        commands.spawn((round, at(190.0, -275.0 + 52.0 * bar as f32)));
    }
    // The cup at the end.
    commands.spawn((block(14.0, 40.0), at(330.0, -280.0)));
    commands.spawn((Muscle, FluidForce::uniform(&Rectangle::new(1e4, 1e4), Vec2::ZERO)));
}

/// The hero, and the cup's sensor, which knows how much of it is enough.
fn begin(mut commands: Commands, settings: Res<FluidSettings>) {
    let body = Circle::new(62.0);
    let cup = Rectangle::new(165.0, 200.0);
    commands.spawn((FluidBlob::from(body), SLIME, Transform::from_xyz(-410.0, -230.0, 0.0)));
    let spacing = 1.03 * settings.parameters.particle_spacing;
    let drops = body.area() / (spacing * spacing);
    let full = ENOUGH * drops * settings.parameters.particle_spacing.powi(2) / cup.area();
    commands.spawn((
        FluidSensor::from(cup).with_levels(full, 0.5 * full),
        Transform::from_xyz(418.0, -200.0, 0.0),
    ));
}

fn restart(
    keys: Res<ButtonInput<KeyCode>>,
    mut commands: Commands,
    mut game: ResMut<Game>,
    mut fluid: ResMut<FluidSimulation>,
    parts: Query<Entity, Or<(With<FluidBlob>, With<FluidSensor>)>>,
) {
    if keys.just_pressed(KeyCode::KeyR) {
        parts.iter().for_each(|part| commands.entity(part).despawn());
        fluid.clear();
        *game = Game::default();
        commands.run_system_cached(begin);
    }
}

fn steer(
    mut commands: Commands,
    keys: Res<ButtonInput<KeyCode>>,
    blobs: Res<FluidBlobs>,
    fluid: Res<FluidSimulation>,
    mut muscles: Query<(Entity, &mut FluidForce), With<Muscle>>,
    mut jumped: Local<f32>,
) {
    let pressed = |any: [KeyCode; 2]| f32::from(keys.any_pressed(any));
    let way = pressed([KeyCode::ArrowRight, KeyCode::KeyD])
        - pressed([KeyCode::ArrowLeft, KeyCode::KeyA]);
    let Some((_, velocity)) = hero(&blobs) else { return };
    // The push decreases as the hero approaches its target speed.
    let wanted = (way * RUN - velocity.x) / RUN;
    for (_, mut muscle) in &mut muscles {
        let push = if way == 0.0 { 0.0 } else { PUSH * wanted.clamp(-1.0, 1.0) };
        muscle.set_if_neq(FluidForce { acceleration: Vec2::new(push, 0.0), ..muscle.clone() });
    }
    let now = fluid.time() as f32;
    let rested = !(*jumped..*jumped + REST).contains(&now);
    if velocity.y.abs() < 25.0 && rested && keys.any_pressed([KeyCode::ArrowUp, KeyCode::KeyW]) {
        *jumped = now;
        for (muscle, _) in &muscles {
            let jump = FluidImpulse::push(&Rectangle::new(1e4, 1e4), JUMP);
            commands.entity(muscle).insert(jump);
        }
    }
}

/// Position and velocity of the largest part of the hero.
fn hero(blobs: &FluidBlobs) -> Option<(Vec2, Vec2)> {
    let hero = blobs.blobs().iter().max_by_key(|blob| blob.count)?;
    Some((hero.centre, hero.velocity))
}

/// Moves the eyes in the direction of motion.
fn look(blobs: Res<FluidBlobs>, mut eyes: Query<(&Eye, &mut Transform)>) {
    let Some((centre, velocity)) = hero(&blobs) else { return };
    for (Eye { offset, goes }, mut transform) in &mut eyes {
        let ahead = (velocity * 0.03).clamp_length_max(4.0) * *goes;
        transform.translation = (centre + *offset + ahead).extend(transform.translation.z);
    }
}

/// Moves the view with the hero.
fn follow(blobs: Res<FluidBlobs>, mut cameras: Query<&mut Transform, With<Camera2d>>) {
    let Some((centre, _)) = hero(&blobs) else { return };
    for mut camera in &mut cameras {
        camera.translation.x = (centre.x + 40.0).clamp(-REACH, REACH);
    }
}

fn show(
    time: Res<Time>,
    mut game: ResMut<Game>,
    blobs: Res<FluidBlobs>,
    fluid: Res<FluidSimulation>,
    cups: Query<&FluidSensorReading>,
    mut texts: Query<&mut Text2d, With<Score>>,
) {
    game.shown = (game.shown - time.delta_secs()).max(0.0);
    let arrived: usize = cups.iter().map(|cup| cup.count).sum();
    for mut text in &mut texts {
        text.0 = if game.won {
            "all of you is there: you won!".into()
        } else {
            let (parts, word) =
                (blobs.blobs().len(), if game.shown > 0.0 { game.said } else { "" });
            format!(
                "{word}\nin {parts} parts\n{arrived} of {} drops arrived",
                fluid.particles().len()
            )
        };
    }
}

/// A forest of sweets, framed with chocolate.
fn scenery(mut painter: Painter) {
    use Silhouette::Hills;
    let (rgb, rgba) = (Color::srgb, Color::srgba);
    let (low, high) = (rgb(1.0, 0.93, 0.80), rgb(0.62, 0.66, 0.95));
    painter.panel((0.0, -20.0), (1000.0, 560.0), [high, low]);
    painter.glow((-250.0, 130.0), 260.0, rgba(1.0, 0.97, 0.85, 0.9));
    for (foot, top, colors) in [
        (-300.0, 10.0, [rgb(0.80, 0.68, 0.92), rgb(0.99, 0.86, 0.86)]),
        (-300.0, -90.0, [rgb(0.90, 0.66, 0.80), rgb(1.0, 0.84, 0.82)]),
    ] {
        painter.ridge(Hills, [foot, top], colors);
    }
    // Lollipops: a stick, and rings.
    for (x, y, radius, color) in [
        (-420.0, -20.0, 52.0, rgb(0.95, 0.32, 0.48)),
        (-290.0, -110.0, 34.0, rgb(0.98, 0.66, 0.26)),
        (-60.0, -10.0, 60.0, rgb(0.55, 0.42, 0.88)),
        (70.0, -120.0, 36.0, rgb(0.95, 0.36, 0.56)),
        (285.0, -40.0, 48.0, rgb(0.26, 0.68, 0.80)),
        (450.0, -10.0, 56.0, rgb(0.96, 0.54, 0.34)),
    ] {
        painter.board((x, 0.5 * (y - 300.0)), (9.0, y + 300.0), rgb(0.99, 0.96, 0.93));
        for (ring, part) in [1.0, 0.78, 0.56, 0.34].into_iter().enumerate() {
            let color = if ring % 2 == 0 { color } else { color.mix(&Color::WHITE, 0.75) };
            painter.disc((x, y), part * radius, color);
        }
        let shine = Vec2::new(x - 0.4 * radius, y + 0.45 * radius);
        painter.glow(shine, 0.5 * radius, rgba(1.0, 1.0, 1.0, 0.7));
    }
    painter.scatter(Rect::new(-490.0, -298.0, 490.0, -250.0), 90, 12.0, rgb(1.0, 0.99, 0.96));
    // The goal's light.
    painter.glow((418.0, -270.0), 190.0, rgba(1.0, 0.93, 0.35, 0.9));
    // The chocolate around it.
    let dark = [rgb(0.27, 0.12, 0.16); 2];
    for side in [-1.0, 1.0] {
        painter.panel((1005.0 * side, 0.0), (1000.0, 2000.0), dark);
        painter.panel((0.0, 785.0 * side - 20.0), (3200.0, 1000.0), dark);
    }
    painter.in_front();
    // Frosting on the chocolate.
    for (x, y, width) in [(-170.0, -240.0, 174.0), (45.0, -240.0, 94.0), (330.0, -260.0, 20.0)] {
        painter.board((x, y - 5.0), (width, 14.0), rgb(0.99, 0.72, 0.82));
    }
    painter.vignette(Vec2::new(1040.0, 600.0), 0.35);
}
