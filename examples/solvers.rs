//! The same dam breaks in four tanks, each simulated by another solver. The mouse reaches into all
//! of them.

use bevy::camera::ScalingMode;
use bevy::input::common_conditions::input_just_pressed;
use bevy::platform::time::Instant;
use bevy::prelude::*;
use bevy::sprite::Anchor;
use bevy::window::PrimaryWindow;
use bevy_blob_fluid::blob_fluid::{Container, FluidWorld, Force, SerialExecutor};
use bevy_blob_fluid::prelude::*;
use bevy_blob_fluid::render::raw::{FluidInstance, FluidInstances};
use example_support::DefaultPlugins; // Adds a command line. Delete this line in your own game.
use example_support::art::{self, Hud, Painter, ShadedWalls};

/// Size of the view, in world units.
const VIEW: Vec2 = Vec2::new(1180.0, 880.0);
/// Size of the inside of a tank, and the distance of the tanks' centres.
const TANK: Vec2 = Vec2::new(270.0, 680.0);
const APART: f32 = 290.0;
/// Height of the tanks' centres.
const HEIGHT: f32 = 16.0;
const SPACING: f32 = 5.0;
/// Columns and rows of particles behind the dam.
const COLUMNS: u32 = 22;
const ROWS: u32 = 80;

/// The solvers, what they are, and the colours of their liquids.
const SOLVERS: [(FluidSolver, &str, [f32; 3]); 4] = [
    (FluidSolver::DoubleDensity, "double density", [0.20, 0.58, 0.86]),
    (FluidSolver::Sph, "SPH", [0.25, 0.72, 0.56]),
    (FluidSolver::SharedPressure, "shared pressure", [0.93, 0.62, 0.28]),
    (FluidSolver::Incompressible, "incompressible", [0.80, 0.42, 0.66]),
];

const HELP: &str = "left drag  attract      right drag  repel      R  restart      Space  pause      N  single step";

fn main() {
    App::new()
        .add_plugins((
            DefaultPlugins,
            BlobFluidPlugins::default(),
            ShadedWalls { radius: 8.0, ..default() },
        ))
        .insert_resource(ClearColor(Color::srgb(0.10, 0.13, 0.13)))
        .insert_resource(FluidSolidStyle {
            wall: Color::srgb(0.25, 0.27, 0.30),
            interior: None,
            ..default()
        })
        .add_systems(PostStartup, scenery)
        .init_resource::<Tanks>()
        .add_systems(Startup, (setup, fill))
        // The plugin's own liquid is empty; its clock drives the tanks.
        .add_systems(FluidSchedule, step.in_set(FluidTickSystems::Sense))
        .add_systems(
            Update,
            (fill.run_if(input_just_pressed(KeyCode::KeyR)), steer_time, reach_in, show_numbers),
        )
        // After the plugin has published its own liquid.
        .add_systems(Last, draw)
        .run();
}

/// A liquid of its own in each tank.
#[derive(Resource, Default)]
struct Tanks(Vec<Tank>);

struct Tank {
    world: FluidWorld,
    /// Milliseconds that a tick takes, averaged over about a second.
    milliseconds: f64,
    substeps: u32,
}

/// The text below a tank.
#[derive(Component)]
struct Numbers(usize);

/// Centre of a tank in the view. Its liquid has its origin there.
fn centre_of(tank: usize) -> Vec2 {
    Vec2::new((tank as f32 - 1.5) * APART, HEIGHT)
}

fn setup(mut commands: Commands, mut classes: ResMut<FluidClasses>) {
    let scaling_mode = ScalingMode::AutoMin { min_width: VIEW.x, min_height: VIEW.y };
    let projection =
        OrthographicProjection { scaling_mode, ..OrthographicProjection::default_2d() };
    commands.spawn((Camera2d, Projection::Orthographic(projection)));
    commands.spawn(FluidSurface::from(FluidSurfaceLook::WATER));
    *classes = SOLVERS
        .map(|(_, name, [red, green, blue])| DensityClass {
            name: name.into(),
            color: [red, green, blue, 1.0],
            ..default()
        })
        .to_vec()
        .into();
    for tank in 0..SOLVERS.len() {
        let centre = centre_of(tank);
        let container = FluidContainer::from(Rectangle::from_size(TANK));
        commands.spawn((container, Transform::from_translation(centre.extend(0.0))));
        let below = centre - Vec2::new(0.0, 0.5 * TANK.y + 14.0);
        commands.spawn((Numbers(tank), text("", Anchor::TOP_CENTER, below)));
    }
    commands.spawn((Hud, text(HELP, Anchor::TOP_CENTER, Vec2::new(0.0, 0.5 * VIEW.y - 14.0))));
}

fn text(content: &str, anchor: Anchor, position: Vec2) -> impl Bundle {
    (
        art::text(content, 14.0, Color::srgb(0.72, 0.77, 0.88), position.extend(10.0), anchor),
        TextLayout::justify(Justify::Center),
    )
}

/// Puts the same block of liquid into every tank.
fn fill(mut tanks: ResMut<Tanks>) -> Result {
    tanks.0.clear();
    for (solver, _, _) in SOLVERS {
        let settings = FluidParameters::new(SPACING, Vec2::new(0.0, -600.0));
        let mut world = FluidWorld::new(FluidParameters { solver, ..settings })?;
        world.insert_container(Container::rectangle(Vec2::ZERO, 0.5 * TANK)?);
        for number in 0..COLUMNS * ROWS {
            let cell = Vec2::new((number % COLUMNS) as f32, (number / COLUMNS) as f32);
            let position = (cell + 0.5) * SPACING - 0.5 * TANK;
            world.spawn(ParticleSpawn { position, ..default() })?;
        }
        tanks.0.push(Tank { world, milliseconds: 0.0, substeps: 0 });
    }
    Ok(())
}

/// Steps all tanks, each on one thread, so that their times can be compared.
fn step(mut tanks: ResMut<Tanks>, time: Res<Time>) -> Result {
    for tank in &mut tanks.0 {
        let begin = Instant::now();
        tank.substeps = tank.world.step(time.delta_secs(), &SerialExecutor)?.substeps;
        let taken = 1e3 * begin.elapsed().as_secs_f64();
        let part = if tank.milliseconds == 0.0 { 1.0 } else { 0.02 };
        tank.milliseconds += part * (taken - tank.milliseconds);
    }
    Ok(())
}

fn steer_time(keys: Res<ButtonInput<KeyCode>>, mut time: ResMut<Time<Fluid>>) {
    if keys.just_pressed(KeyCode::Space) {
        if time.is_paused() {
            time.unpause();
        } else {
            time.pause();
        }
    }
    if keys.just_pressed(KeyCode::KeyN) {
        time.pause();
        time.step_once();
    }
}

/// Attracts or repels the liquid of every tank around the point that corresponds to the mouse's in
/// the tank below it.
fn reach_in(
    window: Option<Single<&Window, With<PrimaryWindow>>>,
    camera: Single<(&Camera, &GlobalTransform)>,
    buttons: Res<ButtonInput<MouseButton>>,
    mut tanks: ResMut<Tanks>,
) -> Result {
    let (camera, transform) = *camera;
    let cursor = window.and_then(|window| window.cursor_position());
    let point = cursor.and_then(|cursor| camera.viewport_to_world_2d(transform, cursor).ok());
    let strength = if buttons.pressed(MouseButton::Left) {
        3000.0
    } else if buttons.pressed(MouseButton::Right) {
        -4000.0
    } else {
        0.0
    };
    let nearest = |point: Vec2| {
        let tank = (point.x / APART + 1.5).round().clamp(0.0, 3.0);
        point - centre_of(tank as usize)
    };
    let forces = match point.filter(|_| strength != 0.0) {
        Some(point) => vec![Force::attract(nearest(point), 90.0, strength)?],
        None => vec![],
    };
    for tank in &mut tanks.0 {
        if tank.world.forces() != forces {
            tank.world.set_forces(&forces)?;
        }
    }
    Ok(())
}

/// Draws the liquid of all tanks at once.
fn draw(tanks: Res<Tanks>, mut instances: ResMut<FluidInstances>) {
    let tank_instances = |(tank, Tank { world, .. }): (usize, &Tank)| {
        let (particles, centre) = (world.particles(), centre_of(tank));
        let (before, now) = (particles.tick_start_positions(), particles.positions());
        let instance = move |index: usize| {
            let [before, now] = [before[index], now[index]].map(|position| position + centre);
            FluidInstance::new(before, now, tank as u8, index as u8)
        };
        // Sorting does not change this order, so that overlapping particles do not flicker.
        particles.indices_by_slot().map(instance).collect::<Vec<_>>()
    };
    instances.set(tanks.0.iter().enumerate().flat_map(tank_instances), SPACING);
}

fn show_numbers(
    tanks: Res<Tanks>,
    time: Res<Time<Real>>,
    mut next: Local<f32>,
    mut texts: Query<(&Numbers, &mut Text2d)>,
) {
    // The text changes twice a second, so that it can be read.
    if time.elapsed_secs() < *next {
        return;
    }
    *next = time.elapsed_secs() + 0.5;
    for (Numbers(tank), mut text) in &mut texts {
        let (Some(shown), (_, name, _)) = (tanks.0.get(*tank), SOLVERS[*tank]) else { continue };
        let particles = shown.world.particles();
        let mut densities = particles.relative_densities().to_vec();
        densities.sort_by(f32::total_cmp);
        let dense = densities.get(densities.len() * 99 / 100).copied().unwrap_or(1.0);
        let energy: f32 =
            particles.velocities().iter().map(|velocity| velocity.length_squared()).sum();
        let speed = (energy / particles.len().max(1) as f32).sqrt();
        text.0 = format!(
            "{name}\n{:.1} ms per tick, {} substeps\ndensest {:+.0} %, speed {speed:.0}",
            shown.milliseconds,
            shown.substeps,
            100.0 * (dense - 1.0),
        );
    }
}

/// Four lit aquaria on a shelf.
fn scenery(mut painter: Painter) {
    let (rgb, rgba) = (Color::srgb, Color::srgba);
    painter.sky(&[(-400.0, rgb(0.10, 0.16, 0.16)), (440.0, rgb(0.16, 0.26, 0.25))]);
    for number in -20..20 {
        let at = Vec2::new(60.0 * number as f32, 0.0);
        painter.panel(at, (26.0, 1400.0), [rgba(0.6, 0.9, 0.8, 0.05); 2]);
    }
    for (tank, (.., [red, green, blue])) in SOLVERS.into_iter().enumerate() {
        let centre = centre_of(tank);
        let tint = rgb(red, green, blue);
        let back = [tint.mix(&rgb(0.10, 0.20, 0.27), 0.8), tint.mix(&rgb(0.02, 0.05, 0.09), 0.85)];
        painter.panel(centre, TANK, back);
        let lamp = centre + Vec2::new(0.0, 0.5 * TANK.y);
        let beam = [(90.0, 0.0), (-90.0, 0.0), (-150.0, -640.0), (150.0, -640.0)];
        let beam = beam.map(|(x, y)| (lamp.x + x, lamp.y + y));
        painter.beam(beam, rgba(1.0, 1.0, 0.9, 0.14));
    }
    painter.in_front();
    for tank in 0..SOLVERS.len() {
        let lamp = centre_of(tank) + Vec2::new(0.0, 0.5 * TANK.y);
        painter.board(lamp + Vec2::new(0.0, 14.0), Vec2::new(190.0, 26.0), rgb(0.16, 0.17, 0.19));
        painter.board(lamp - Vec2::new(0.0, 2.0), Vec2::new(150.0, 6.0), rgb(1.0, 0.98, 0.86));
    }
    painter.board((0.0, -334.0), (3200.0, 12.0), rgb(0.48, 0.31, 0.20));
    painter.panel((0.0, -439.0), (3200.0, 200.0), [rgb(0.20, 0.12, 0.08), rgb(0.30, 0.19, 0.12)]);
    painter.vignette(VIEW, 0.5);
}
