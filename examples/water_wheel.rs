//! A game: open the sluice and let the wheel lift the sack before the pond is dry.

use bevy::camera::ScalingMode;
use bevy::prelude::*;
use bevy::sprite::Anchor;
use bevy_blob_fluid::blob_fluid::shape::Polyline;
use bevy_blob_fluid::prelude::*;
use example_support::DefaultPlugins; // Adds a command line. Delete this line in your own game.
use example_support::art::{self, Hud, Painter, ShadedWalls, slab};

/// Size of the view, in world units.
const VIEW: Vec2 = Vec2::new(1000.0, 750.0);
/// Height to which the sack has to rise, in world units.
const LIFT: f32 = 380.0;
/// Length of rope that is wound up per radian, in world units.
const ROPE: f32 = 24.0;

fn main() {
    App::new()
        .add_plugins((
            DefaultPlugins,
            BlobFluidPlugins::default(),
            ShadedWalls { shadow: 0.35, ..default() },
            game,
        ))
        .insert_resource(FluidSettings::new(5.5, Vec2::new(0.0, -200.0)))
        .insert_resource(ClearColor(Color::srgb(0.16, 0.10, 0.07)))
        .insert_resource(FluidSolidStyle {
            wall: Color::srgb(0.50, 0.44, 0.42),
            body: Color::srgb(0.76, 0.52, 0.28),
            ..default()
        })
        .add_systems(PostStartup, scenery)
        .add_systems(Startup, |mut commands: Commands, mut classes: ResMut<FluidClasses>| {
            commands.spawn(camera());
            commands.spawn(FluidSurface::from(FluidSurfaceLook {
                opacity: 0.5,
                depth_color: Color::srgba(0.07, 0.19, 0.18, 0.85),
                sky_color: Color::srgba(1.00, 0.89, 0.66, 0.75),
                ..FluidSurfaceLook::WATER
            }));
            classes[ClassId::MEDIUM].color = [0.31, 0.55, 0.54, 1.0];
            commands.spawn((text("hold SPACE  open the sluice", Anchor::TOP_LEFT), Hud));
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
    (art::text(content, 14.0, Color::srgb(0.72, 0.77, 0.88), position.extend(10.0), corner),)
}

/// The game without its window.
pub fn game(app: &mut App) {
    app.init_resource::<Game>();
    app.add_systems(Startup, setup);
    app.add_systems(Update, (open_sluice, lift, show).chain());
}

/// State of the game.
#[derive(Resource, Default)]
pub struct Game {
    /// Height of the sack, in world units.
    pub lifted: f32,
}

impl Game {
    /// Whether the sack has reached the top.
    pub fn is_won(&self) -> bool {
        self.lifted >= LIFT
    }
}

#[derive(Component)]
struct Sluice;

/// Marks the wheel.
#[derive(Component)]
pub struct Wheel;

#[derive(Component)]
struct Sack;

#[derive(Component)]
struct Score;

/// Position of the sack at the beginning.
const FLOOR: Vec2 = Vec2::new(390.0, -250.0);

fn setup(mut commands: Commands) {
    let at = |x, y| Transform::from_xyz(x, y, 0.0);
    let line = |points: &[(f32, f32)], thickness| {
        let line = Polyline::new(points.iter().copied().map(Vec2::from), thickness);
        FluidCollider::from(FluidShape::Polyline(line.expect("a line")))
    };
    // The pond, with a sluice in its right wall, and a chute below that.
    commands.spawn(line(&[(-480.0, 340.0), (-480.0, 70.0), (-190.0, 55.0)], 12.0));
    commands.spawn((FluidCollider::from(Rectangle::new(12.0, 220.0)), at(-190.0, 210.0)));
    commands.spawn((Sluice, FluidCollider::from(Rectangle::new(10.0, 60.0)), at(-202.0, 85.0)));
    commands.spawn(line(&[(-190.0, 55.0), (-90.0, 35.0)], 12.0));
    commands.spawn((FluidBlob::from(Rectangle::new(255.0, 230.0)), at(-338.0, 200.0)));
    commands.spawn((FluidBlob::from(Rectangle::new(255.0, 20.0)), at(-338.0, 340.0)));
    // The wheel: eight paddles around a hub, on an axle.
    let paddles = (0..8).flat_map(|paddle| {
        let direction = Vec2::from_angle(std::f32::consts::FRAC_PI_4 * paddle as f32);
        let tip = direction * 130.0 + direction.perp() * 34.0;
        [Vec2::ZERO, direction * 120.0, tip, direction * 120.0]
    });
    let paddles = Polyline::new(paddles, 7.0).expect("a line");
    commands.spawn((
        Wheel,
        FluidCollider::from(FluidShape::Polyline(paddles)),
        FluidBuoyant::of_density(3.0).pinned().ignore_contacts().with_drag(0.25),
        at(-10.0, -105.0),
    ));
    commands.spawn((Sack, FluidCollider::from(RegularPolygon::new(30.0, 6)), at(FLOOR.x, FLOOR.y)));
    commands.spawn((FluidCollider::from(Rectangle::new(120.0, 12.0)), at(FLOOR.x, FLOOR.y - 32.0)));
    // Liquid drains away below the wheel.
    commands.spawn((FluidDrain::from(Rectangle::new(3000.0, 60.0)), at(0.0, -420.0)));
}

/// The sluice opens while its key is held, and closes otherwise.
fn open_sluice(
    keys: Res<ButtonInput<KeyCode>>,
    time: Res<Time>,
    mut sluices: Query<&mut Transform, With<Sluice>>,
) {
    let speed = if keys.pressed(KeyCode::Space) { 60.0 } else { -90.0 };
    for mut sluice in &mut sluices {
        let height = sluice.translation.y + speed * time.delta_secs();
        sluice.translation.y = height.clamp(85.0, 130.0);
    }
}

/// Winds up the rope as the wheel turns; the sack never falls back.
fn lift(
    time: Res<Time>,
    mut game: ResMut<Game>,
    wheels: Query<&FluidMotion, With<Wheel>>,
    mut sacks: Query<&mut Transform, With<Sack>>,
) {
    for wheel in &wheels {
        let turned = wheel.angular_velocity.abs() * time.delta_secs();
        game.lifted = (game.lifted + ROPE * turned).min(LIFT);
    }
    for mut sack in &mut sacks {
        sack.translation.y = FLOOR.y + game.lifted;
    }
}

fn show(game: Res<Game>, fluid: Res<FluidSimulation>, mut texts: Query<&mut Text2d, With<Score>>) {
    for mut text in &mut texts {
        text.0 = if game.is_won() {
            "it is up: you won!".into()
        } else {
            let left = fluid.particles().len();
            format!("{:.0} of {LIFT:.0} up     {left} drops left", game.lifted)
        };
    }
}

/// A workshop of planks, with a window to the wood outside.
fn scenery(
    mut painter: Painter,
    sacks: Query<Entity, With<Sack>>,
    wheels: Query<Entity, With<Wheel>>,
) {
    let (rgb, rgba) = (Color::srgb, Color::srgba);
    painter.sky(&[
        (-380.0, rgb(0.20, 0.12, 0.08)),
        (100.0, rgb(0.46, 0.30, 0.19)),
        (375.0, rgb(0.26, 0.16, 0.11)),
    ]);
    for number in -14..14 {
        let x = 80.0 * number as f32 + 40.0;
        painter.panel((x, 0.0), (4.0, 900.0), [rgba(0.08, 0.04, 0.02, 0.55); 2]);
        painter.panel((x + 4.0, 0.0), (3.0, 900.0), [rgba(1.0, 0.8, 0.55, 0.09); 2]);
    }
    // The window, its view and its light.
    let (middle, size) = (Vec2::new(150.0, 200.0), Vec2::new(250.0, 210.0));
    painter.panel(middle, size, [rgb(0.55, 0.80, 0.95), rgb(1.0, 0.95, 0.80)]);
    let hills = [
        (275.0, 95.0),
        (275.0, 165.0),
        (210.0, 190.0),
        (120.0, 150.0),
        (25.0, 170.0),
        (25.0, 95.0),
    ];
    painter.shape(&hills, 0.0, [rgb(0.46, 0.62, 0.48), rgb(0.72, 0.80, 0.62)]);
    for x in [25.0, 150.0, 275.0] {
        painter.board((x, middle.y), (14.0, size.y + 14.0), rgb(0.40, 0.25, 0.15));
    }
    for y in [95.0, 205.0, 305.0] {
        painter.board((middle.x, y), (size.x + 14.0, 13.0), rgb(0.40, 0.25, 0.15));
    }
    painter.board((150.0, 84.0), (300.0, 14.0), rgb(0.50, 0.32, 0.19));
    let beam = [(275.0, 300.0), (25.0, 300.0), (-170.0, -340.0), (150.0, -340.0)];
    painter.beam(beam, rgba(1.0, 0.92, 0.68, 0.5));
    painter.glow(middle, 330.0, rgba(1.0, 0.92, 0.70, 0.35));
    // Beams, the floor, and the posts of the pond and of the wheel.
    let beam = rgb(0.34, 0.21, 0.13);
    painter.board((0.0, 362.0), (3200.0, 34.0), beam);
    painter.board((0.0, -362.0), (3200.0, 44.0), rgb(0.36, 0.23, 0.15));
    for x in [-440.0, -230.0] {
        painter.board((x, -140.0), (26.0, 400.0), beam);
    }
    painter.board((-10.0, -225.0), (24.0, 250.0), beam);
    painter.board((-10.0, -336.0), (150.0, 18.0), beam);
    painter.board((390.0, -312.0), (70.0, 60.0), beam);
    // The rope, which goes up with the sack.
    for sack in &sacks {
        let rope = slab(Vec2::new(5.0, 900.0), rgb(0.78, 0.66, 0.44), 0.0);
        painter.paint(rope, (0.0, 470.0)).insert(ChildOf(sack));
    }
    painter.in_front();
    // The rim of the wheel.
    for wheel in &wheels {
        let wood = |x: f32, light: f32| (x, rgb(0.54 * light, 0.35 * light, 0.18 * light));
        let rim = [wood(111.0, 0.6), wood(113.0, 1.15), wood(119.0, 0.95), wood(121.0, 0.5)];
        painter.halo(Vec2::ZERO, &rim).insert(ChildOf(wheel));
    }
    painter.disc((-10.0, -105.0), 18.0, rgb(0.24, 0.22, 0.24));
    painter.disc((-12.0, -102.0), 10.0, rgb(0.62, 0.60, 0.60));
    painter.vignette(VIEW, 0.6);
}
