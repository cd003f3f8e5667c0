//! A wind tunnel: smoke shows how air flows around an obstacle that you drag.

use bevy::camera::ScalingMode;
use bevy::prelude::*;
use bevy::sprite::Anchor;
use bevy::window::PrimaryWindow;
use bevy_blob_fluid::prelude::*;
use example_support::DefaultPlugins; // Adds a command line. Delete this line in your own game.
use example_support::art::{self, Hud, Painter};

/// Size of the view, and of the tunnel in it, in world units.
const VIEW: Vec2 = Vec2::new(1180.0, 640.0);
const TUNNEL: Vec2 = Vec2::new(1200.0, 560.0);
/// Speed of the wind, in world units/s.
const WIND: f32 = 260.0;
const HELP: &str = "drag  move the obstacle     1 2 3  disc, plate, wing     \
                    P  pressure     V  vorticity     B  speed     S  streamlines     R  restart";

fn main() {
    App::new()
        .add_plugins((DefaultPlugins, BlobFluidPlugins::default(), FluidSolidDrawingPlugin))
        .insert_resource(ClearColor(Color::srgb(0.02, 0.025, 0.045)))
        .insert_resource(FluidSolidStyle { wall: Color::srgb(0.62, 0.66, 0.74), ..default() })
        .add_systems(Startup, setup)
        .add_systems(PostStartup, paint_tunnel)
        .add_systems(Update, (drag, choose_obstacle, choose_picture, restart))
        .run();
}

/// Marks what the pointer drags.
#[derive(Component)]
struct Obstacle;

fn setup(mut commands: Commands) {
    let scaling_mode = ScalingMode::AutoMin { min_width: VIEW.x, min_height: VIEW.y };
    let projection =
        OrthographicProjection { scaling_mode, ..OrthographicProjection::default_2d() };
    commands.spawn((Camera2d, Projection::Orthographic(projection)));
    commands.spawn((
        Hud,
        art::text(
            HELP,
            14.0,
            Color::srgb(0.72, 0.77, 0.88),
            Vec3::new(0.0, -314.0, 10.0),
            Anchor::BOTTOM_CENTER,
        ),
    ));

    let mut air = FluidAir::new(TUNNEL.x, TUNNEL.y).with_cell_size(5.0).with_wind_from_left(WIND);
    air.settings.viscosity = 40.0;
    air.settings.solids_no_slip = true;
    air.settings.smoke_dissipation = 0.03;
    air.settings.vorticity_confinement = 0.0;
    let look = FluidAirLook {
        thickness: 1.6,
        shadow: 0.35,
        ambient: Color::srgb(0.75, 0.77, 0.82),
        ..default()
    };
    commands.spawn((air, look));

    for side in [-1.0, 1.0] {
        commands.spawn((
            FluidCollider::from(Rectangle::new(TUNNEL.x, 24.0)),
            FluidSolidColor(Color::srgb(0.20, 0.22, 0.28)),
            Transform::from_xyz(0.0, side * (0.5 * TUNNEL.y + 2.0), 1.0),
        ));
    }
    // Threads of smoke, whose colours run from blue over white to red.
    const THREADS: i32 = 15;
    for thread in 0..THREADS {
        let along = thread as f32 / (THREADS - 1) as f32;
        let color = if along < 0.5 {
            Color::srgb(0.2, 0.5, 1.0).mix(&Color::srgb(0.95, 0.95, 1.0), 2.0 * along)
        } else {
            Color::srgb(0.95, 0.95, 1.0).mix(&Color::srgb(1.0, 0.42, 0.2), 2.0 * along - 1.0)
        };
        let nozzle = Rectangle::new(12.0, 9.0);
        commands.spawn((
            FluidAirSource::smoke(&nozzle, 45.0).with_color(color),
            Transform::from_xyz(-0.5 * TUNNEL.x + 8.0, (along - 0.5) * 330.0 + 3.0, 0.0),
        ));
    }
    commands.spawn((
        Obstacle,
        FluidCollider::from(Circle::new(42.0)),
        // A little off the middle: behind a perfect mirror image no eddies would part.
        Transform::from_xyz(-350.0, 8.0, 1.0),
    ));
}

/// Walls of metal with rivets, and light on the back of the tunnel.
fn paint_tunnel(mut painter: Painter) {
    let (rgb, rgba) = (Color::srgb, Color::srgba);
    painter.sky(&[
        (-270.0, rgb(0.035, 0.042, 0.075)),
        (0.0, rgb(0.060, 0.072, 0.125)),
        (270.0, rgb(0.035, 0.042, 0.075)),
    ]);
    for number in -12..=12 {
        let at = Vec2::new(50.0 * f32::from(number as i8), 0.0);
        painter.panel(at, (1.5, 560.0), [rgba(0.6, 0.7, 1.0, 0.05); 2]);
    }
    painter.in_front();
    let metal = [rgb(0.30, 0.33, 0.41), rgb(0.13, 0.15, 0.20)];
    for side in [-1.0, 1.0] {
        let y = side * (0.5 * TUNNEL.y + 2.0);
        painter.panel((0.0, y + side * 40.0), (3000.0, 104.0), metal);
        painter.panel((0.0, y - side * 11.0), (3000.0, 2.5), [rgb(0.56, 0.62, 0.76); 2]);
        for number in -15..=15 {
            let x = 80.0 * f32::from(number as i8);
            painter.disc((x + 1.0, y + side * 4.0 - 1.5), 4.0, rgba(0.0, 0.0, 0.0, 0.4));
            painter.disc((x, y + side * 4.0), 3.5, rgb(0.42, 0.46, 0.56));
        }
    }
    painter.vignette(VIEW, 0.45);
}

fn drag(
    window: Single<&Window, With<PrimaryWindow>>,
    camera: Single<(&Camera, &GlobalTransform)>,
    buttons: Res<ButtonInput<MouseButton>>,
    touches: Res<Touches>,
    mut obstacle: Single<&mut Transform, With<Obstacle>>,
    time: Res<Time>,
) {
    let touched = touches.first_pressed_position();
    let held = buttons.pressed(MouseButton::Left).then(|| window.cursor_position()).flatten();
    let (camera, transform) = *camera;
    let point = touched.or(held).and_then(|at| camera.viewport_to_world_2d(transform, at).ok());
    let Some(point) = point else { return };
    let most = 0.5 * TUNNEL - 60.0;
    // It follows with a lag, so that it pushes the air and does not jump through it.
    let way = point.clamp(-most, most) - obstacle.translation.truncate();
    let step = way * (12.0 * time.delta_secs()).min(1.0);
    obstacle.translation += step.clamp_length_max(900.0 * time.delta_secs()).extend(0.0);
}

fn choose_obstacle(
    keys: Res<ButtonInput<KeyCode>>,
    obstacle: Single<(&mut FluidCollider, &mut Transform), With<Obstacle>>,
) {
    let (mut collider, mut transform) = obstacle.into_inner();
    let (shape, angle) = if keys.just_pressed(KeyCode::Digit1) {
        (FluidCollider::from(Circle::new(42.0)), 0.0)
    } else if keys.just_pressed(KeyCode::Digit2) {
        (FluidCollider::from(Rectangle::new(12.0, 110.0)), 0.0)
    } else if keys.just_pressed(KeyCode::Digit3) {
        (FluidCollider::from(Ellipse::new(110.0, 17.0)), -0.2)
    } else {
        return;
    };
    *collider = shape;
    transform.rotation = Quat::from_rotation_z(angle);
}

fn choose_picture(keys: Res<ButtonInput<KeyCode>>, mut look: Single<&mut FluidAirLook>) {
    for (key, show) in [
        (KeyCode::KeyP, FluidAirShow::Pressure),
        (KeyCode::KeyV, FluidAirShow::Vorticity),
        (KeyCode::KeyB, FluidAirShow::Speed),
    ] {
        if keys.just_pressed(key) {
            look.show = if look.show == show { FluidAirShow::Smoke } else { show };
        }
    }
    if keys.just_pressed(KeyCode::KeyS) {
        look.streamlines = match look.streamlines {
            Some(_) => None,
            None => Some(FluidStreamlines::default()),
        };
    }
}

fn restart(keys: Res<ButtonInput<KeyCode>>, mut commands: Commands) {
    if keys.just_pressed(KeyCode::KeyR) {
        commands.queue(FluidSimulation::restart);
    }
}
