//! Two players splash each other, at one keyboard or over the net: `duel left 7000 192.168.0.7:7000 SECRET` on one
//! machine, and `duel right 7000 192.168.0.5:7000 SECRET` on the other.

use bevy::camera::ScalingMode;
use bevy::prelude::*;
use bevy::sprite::Anchor;
use bevy_blob_fluid::FluidFoamSettings;
use bevy_blob_fluid::prelude::*;
use example_support::DefaultPlugins; // Adds a command line. Delete this line in your own game.
use example_support::art::{self, Hud, Painter, ShadedWalls, Silhouette};

use duel::game::{self, Duel, Hands, PIER, SOAKED, Side, bot, sign};

mod duel {
    pub mod game;
    // A browser has no such sockets: there both play at one keyboard.
    #[cfg(not(target_arch = "wasm32"))]
    pub mod net;
}

/// Size of the view, in world units.
const VIEW: Vec2 = Vec2::new(1000.0, 750.0);
const HELP: &str = "left: A D go, W S aim, Space sprays          right: arrows, Enter sprays";

/// What a player holds, as bits.
pub(crate) const LEFT: u8 = 1;
pub(crate) const RIGHT: u8 = 2;
pub(crate) const UP: u8 = 4;
pub(crate) const DOWN: u8 = 8;
pub(crate) const PUMP: u8 = 16;

fn main() {
    let mut app = App::new();
    app.add_plugins((DefaultPlugins, ShadedWalls::default()))
        .insert_resource(ClearColor(Color::srgb(0.52, 0.74, 0.90)))
        .insert_resource(FluidSolidStyle { wall: Color::srgb(0.55, 0.60, 0.66), ..default() })
        .insert_resource(FluidFoamSettings {
            speed: 900.0,
            impact: 6.0,
            half_life: 0.8,
            ..default()
        })
        .add_systems(Startup, set_up_view)
        .add_systems(PostStartup, (scenery, dress))
        .add_systems(Update, show);
    #[cfg(not(target_arch = "wasm32"))]
    if let Some(game) = duel::net::Match::of(&std::env::args().collect::<Vec<_>>()) {
        match game {
            Ok(game) => app.add_plugins(game).run(),
            Err(usage) => {
                eprintln!("{usage}");
                AppExit::error()
            }
        };
        return;
    }
    app.add_plugins(BlobFluidPlugins::default())
        .insert_resource(Time::<Fixed>::from_hz(60.0))
        .add_systems(FixedPreUpdate, hold);
    game::add(&mut app, FixedUpdate);
    app.run();
}

/// What the keys of the left or the right player say.
pub(crate) fn keys_of(side: usize, keys: &ButtonInput<KeyCode>) -> u8 {
    use KeyCode::{
        ArrowDown, ArrowLeft, ArrowRight, ArrowUp, Enter, KeyA, KeyD, KeyS, KeyW, Space,
    };
    let own =
        [[KeyA, KeyD, KeyW, KeyS, Space], [ArrowLeft, ArrowRight, ArrowUp, ArrowDown, Enter]][side];
    let bits = own.into_iter().zip([LEFT, RIGHT, UP, DOWN, PUMP]);
    bits.filter(|(key, _)| keys.pressed(*key)).fold(0, |held, (_, bit)| held | bit)
}

/// Bots play until somebody comes.
fn hold(
    keys: Res<ButtonInput<KeyCode>>,
    duel: Res<Duel>,
    mut hands: ResMut<Hands>,
    mut has_come: Local<[bool; 2]>,
) {
    for side in 0..2 {
        let held = keys_of(side, &keys);
        has_come[side] |= held != 0;
        hands.0[side] = if has_come[side] { held } else { bot(side, &duel) };
    }
}

/// Marks the text that says how it stands.
#[derive(Component)]
struct Standing;

/// Marks the text for what the net says.
#[derive(Component)]
pub(crate) struct Score;

/// Marks what grows as a player gets wet.
#[derive(Component)]
struct Wet(usize);

/// Marks the hose of a player.
#[derive(Component)]
struct Hose(usize);

fn show(
    duel: Res<Duel>,
    mut texts: Query<&mut Text2d, With<Standing>>,
    mut bars: Query<(&Wet, &mut Transform), Without<Hose>>,
    mut hoses: Query<(&Hose, &mut Transform)>,
) {
    let [left, right] = duel.players;
    let shown = match (duel.pause > 0, left.wet == SOAKED, right.wet == SOAKED) {
        (true, true, true) => "both are soaked!".into(),
        (true, true, _) => "soaked: a point for the right".into(),
        (true, _, true) => "soaked: a point for the left".into(),
        _ => format!("{} : {}", left.points, right.points),
    };
    for mut text in &mut texts {
        if text.0 != shown {
            text.0.clone_from(&shown);
        }
    }
    for (wet, mut bar) in &mut bars {
        let part = duel.players[wet.0].wet as f32 / SOAKED as f32;
        bar.scale.x = part.max(0.001);
        bar.translation.x = 0.5 * (part - 1.0) * BAR;
    }
    for (hose, mut place) in &mut hoses {
        let player = &duel.players[hose.0];
        let aim = player.aim(hose.0);
        place.translation = (player.hand(hose.0) + 16.0 * aim).extend(7.0);
        place.rotation = Quat::from_rotation_arc_2d(Vec2::X, aim);
    }
}

/// Length of the bars above the players.
const BAR: f32 = 64.0;

fn set_up_view(mut commands: Commands, mut classes: ResMut<FluidClasses>) {
    let scaling_mode = ScalingMode::AutoMin { min_width: VIEW.x, min_height: VIEW.y };
    let projection =
        OrthographicProjection { scaling_mode, ..OrthographicProjection::default_2d() };
    commands.spawn((Camera2d, Projection::Orthographic(projection)));
    commands.spawn(FluidSurface::from(FluidSurfaceLook {
        opacity: 0.5,
        depth_color: Color::srgba(0.02, 0.27, 0.43, 0.85),
        sky_color: Color::srgba(0.95, 0.99, 1.00, 0.8),
        ..FluidSurfaceLook::WATER
    }));
    classes[ClassId::MEDIUM].color = [0.18, 0.66, 0.79, 1.0];
    let ink = Color::srgb(0.10, 0.17, 0.30);
    let text = |content: &str, corner: Anchor, size: f32, color: Color| {
        (art::text(content, size, color, (corner.as_vec() * (VIEW - 24.0)).extend(10.0), corner),)
    };
    commands.spawn((text(HELP, Anchor::BOTTOM_CENTER, 15.0, Color::WHITE), Hud));
    commands.spawn((text("", Anchor::TOP_RIGHT, 14.0, ink), Hud, Score));
    commands.spawn((text("", Anchor::TOP_CENTER, 34.0, ink), Standing));
}

/// Faces, hats, hoses and bars for the figures.
fn dress(
    mut commands: Commands,
    figures: Query<(Entity, &Side), With<FluidCollider>>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<ColorMaterial>>,
) {
    let skin = materials.add(Color::srgb(0.96, 0.80, 0.66));
    let dark = materials.add(Color::srgb(0.16, 0.17, 0.22));
    let brass = materials.add(Color::srgb(0.80, 0.58, 0.27));
    for (figure, &Side(side)) in &figures {
        let coat =
            materials.add([Color::srgb(0.86, 0.62, 0.10), Color::srgb(0.72, 0.17, 0.23)][side]);
        let towards = -sign(side);
        let mut part =
            |mesh: Mesh, material: &Handle<ColorMaterial>, x: f32, y: f32, depth: f32| {
                let drawn = (Mesh2d(meshes.add(mesh)), MeshMaterial2d(material.clone()));
                (drawn, Transform::from_xyz(x, y, depth))
            };
        let parts = [
            part(Rectangle::new(12.0, 9.0).into(), &dark, -7.0, -27.0, 6.0),
            part(Rectangle::new(12.0, 9.0).into(), &dark, 7.0, -27.0, 6.0),
            part(Circle::new(13.0).into(), &skin, 2.0 * towards, 24.0, 6.1),
            part(Ellipse::new(17.0, 4.5).into(), &coat, 2.0 * towards, 31.0, 6.2),
            part(CircularSector::new(14.0, 1.45).into(), &coat, 2.0 * towards, 30.0, 6.3),
            part(Circle::new(2.0).into(), &dark, 8.0 * towards, 24.0, 6.4),
        ];
        commands.entity(figure).with_children(|figure| {
            for part in parts {
                figure.spawn(part);
            }
            let back = Sprite::from_color(
                Color::srgba(0.08, 0.14, 0.25, 0.55),
                Vec2::new(BAR + 6.0, 12.0),
            );
            let bar = Sprite::from_color(Color::srgb(0.25, 0.62, 0.98), Vec2::new(BAR, 7.0));
            figure.spawn((back, Transform::from_xyz(0.0, 66.0, 8.0))).with_child((
                Wet(side),
                bar,
                Transform::from_xyz(0.0, 0.0, 0.1),
            ));
        });
        for (mesh, material, x, depth) in [
            (Rectangle::new(42.0, 9.0), &dark, 0.0, 0.0),
            (Rectangle::new(12.0, 13.0), &brass, 17.0, 0.1),
        ] {
            let (drawn, place) = part(mesh.into(), material, x, 0.0, depth);
            commands
                .spawn((Hose(side), Transform::default(), Visibility::default()))
                .with_child((drawn, place));
        }
    }
}

/// A lake in the mountains, on a fine day.
fn scenery(mut painter: Painter) {
    use Silhouette::{Hills, Leaves};
    let (rgb, rgba) = (Color::srgb, Color::srgba);
    painter.sky(&[
        (-200.0, rgb(0.86, 0.93, 0.95)),
        (60.0, rgb(0.70, 0.86, 0.96)),
        (375.0, rgb(0.36, 0.62, 0.88)),
    ]);
    painter.glow((-330.0, 265.0), 260.0, rgba(1.0, 0.97, 0.80, 0.9));
    painter.disc((-330.0, 265.0), 38.0, rgb(1.0, 0.97, 0.84));
    painter.ridge(Hills, [-140.0, 150.0], [rgb(0.62, 0.75, 0.86), rgb(0.76, 0.86, 0.92)]);
    painter.ridge(Hills, [-140.0, 60.0], [rgb(0.45, 0.62, 0.66), rgb(0.62, 0.76, 0.76)]);
    painter.ridge(Leaves, [-140.0, -10.0], [rgb(0.27, 0.46, 0.40), rgb(0.40, 0.58, 0.48)]);
    painter.panel((0.0, -240.0), (3200.0, 260.0), [rgb(0.30, 0.46, 0.52), rgb(0.12, 0.22, 0.30)]);
    for side in [-1.0, 1.0] {
        for x in [225.0, 330.0, 435.0] {
            painter.board((side * x, -195.0), (16.0, 250.0), rgb(0.40, 0.28, 0.20));
        }
        painter.board((side * 340.0, PIER - 20.0), (280.0, 12.0), rgb(0.44, 0.31, 0.21));
    }
    painter.vignette(VIEW, 0.3);
}
