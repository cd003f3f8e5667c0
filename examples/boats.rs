//! Boats, crates, barrels and a beach ball of a physics engine on the waves. Tab changes the engine:
//! avian2d or bevy_rapier2d. Clicks drop crates.

use avian2d::prelude as avian;
use bevy::camera::ScalingMode;
use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_blob_fluid::prelude::*;
use bevy_blob_fluid_panel::FluidPanelScenes;
use bevy_rapier2d::prelude as rapier;
use example_support::DefaultPlugins; // Adds a command line. Delete this line in your own game.
use example_support::art::Painter;

/// Size of the view, in world units.
const VIEW: Vec2 = Vec2::new(1000.0, 750.0);
/// Height of the sea's floor.
const FLOOR: f32 = -330.0;
/// Units in a metre, for the engines.
const METRE: f32 = 60.0;

/// The engines, by their index.
const ENGINES: [&str; 2] = ["avian", "rapier"];

fn main() {
    App::new()
        .add_plugins((DefaultPlugins, BlobFluidPlugins::default()))
        .add_plugins(avian::PhysicsPlugins::default().with_length_unit(METRE))
        .add_plugins(
            rapier::RapierPhysicsPlugin::<rapier::NoUserData>::pixels_per_meter(METRE)
                .in_fixed_schedule(),
        )
        // One step of rapier for each of the liquid's ticks.
        .insert_resource(rapier::TimestepMode::Fixed { dt: 1.0 / 64.0, substeps: 1 })
        .insert_resource(FluidPanelScenes {
            names: ENGINES.map(String::from).into(),
            current: Some(0),
        })
        .insert_resource(ClearColor(Color::srgb(0.98, 0.78, 0.60)))
        .add_systems(Startup, (set_gravity, make_ready, launch))
        .add_systems(PostStartup, paint_sky)
        .add_systems(FixedUpdate, make_waves)
        .add_systems(Update, (change_engine, drop_crates))
        .run();
}

/// Both engines have the liquid's gravity.
fn set_gravity(
    settings: Res<FluidSettings>,
    mut avian_gravity: ResMut<avian::Gravity>,
    mut rapier_configurations: Query<&mut rapier::RapierConfiguration>,
) {
    avian_gravity.0 = settings.parameters.gravity;
    for mut configuration in &mut rapier_configurations {
        configuration.gravity = settings.parameters.gravity;
    }
}

/// What floats or stands in the sea, and goes when the engine changes.
#[derive(Component)]
struct Afloat;

/// The outline of a body.
#[derive(Clone)]
enum Form {
    Box(Vec2),
    Ball(f32),
    /// Corners of a convex polygon.
    Hull(Vec<Vec2>),
}

/// Spawns bodies of the chosen engine.
struct Shipyard<'a, 'w, 's> {
    commands: &'a mut Commands<'w, 's>,
    meshes: &'a mut Assets<Mesh>,
    materials: &'a mut Assets<ColorMaterial>,
    rapier: bool,
}

impl Shipyard<'_, '_, '_> {
    /// A body that floats by its density, or stands still without one.
    fn build(&mut self, form: Form, density: Option<f32>, color: Color, at: Transform) -> Entity {
        let mesh = match &form {
            Form::Box(size) => Mesh::from(Rectangle::from_size(*size)),
            Form::Ball(radius) => Mesh::from(Circle::new(*radius)),
            Form::Hull(corners) => {
                Mesh::from(ConvexPolygon::new(corners.clone()).expect("convex corners"))
            }
        };
        let drawn = (Mesh2d(self.meshes.add(mesh)), MeshMaterial2d(self.materials.add(color)));
        let mut body = self.commands.spawn((Afloat, FluidCoupled::default(), drawn, at));
        if self.rapier {
            let collider = match form {
                Form::Box(size) => rapier::Collider::cuboid(0.5 * size.x, 0.5 * size.y),
                Form::Ball(radius) => rapier::Collider::ball(radius),
                Form::Hull(corners) => {
                    rapier::Collider::convex_hull(&corners).expect("convex corners")
                }
            };
            let moves = density.map_or(rapier::RigidBody::Fixed, |_| rapier::RigidBody::Dynamic);
            let density = rapier::ColliderMassProperties::Density(density.unwrap_or(1.0));
            body.insert((moves, collider, density));
        } else {
            let collider = match form {
                Form::Box(size) => avian::Collider::rectangle(size.x, size.y),
                Form::Ball(radius) => avian::Collider::circle(radius),
                Form::Hull(corners) => {
                    avian::Collider::convex_hull(corners).expect("convex corners")
                }
            };
            let moves = density.map_or(avian::RigidBody::Static, |_| avian::RigidBody::Dynamic);
            body.insert((moves, collider, avian::ColliderDensity(density.unwrap_or(1.0))));
        }
        body.id()
    }

    /// Paints a polygon onto a body.
    fn paint(&mut self, body: Entity, corners: &[(f32, f32)], color: Color, depth: f32) {
        let corners = corners.iter().copied().map(Vec2::from);
        let polygon = ConvexPolygon::new(corners).expect("convex corners");
        let (mesh, material) = (self.meshes.add(polygon), self.materials.add(color));
        self.commands.spawn((
            ChildOf(body),
            Mesh2d(mesh),
            MeshMaterial2d(material),
            Transform::from_xyz(0.0, 0.0, depth),
        ));
    }

    fn boat(&mut self, at: Vec2, size: f32, hull: Color, sail: Color) {
        let corners = [(-70.0, 22.0), (-54.0, -14.0), (-38.0, -22.0), (44.0, -22.0), (84.0, 22.0)];
        let corners = corners.map(|corner| Vec2::from(corner) * size);
        let at = Transform::from_translation(at.extend(1.0));
        let boat = self.build(Form::Hull(corners.to_vec()), Some(0.42), hull, at);
        let sized = |corners: &[(f32, f32)]| -> Vec<(f32, f32)> {
            corners.iter().map(|(x, y)| (x * size, y * size)).collect()
        };
        let stripe = sized(&[(-69.0, 21.0), (-66.0, 13.0), (75.0, 13.0), (83.0, 21.0)]);
        self.paint(boat, &stripe, Color::srgb(0.97, 0.95, 0.90), 0.1);
        let mast = sized(&[(-2.0, 20.0), (2.0, 20.0), (2.0, 150.0), (-2.0, 150.0)]);
        self.paint(boat, &mast, Color::srgb(0.36, 0.24, 0.16), -0.2);
        self.paint(boat, &sized(&[(5.0, 34.0), (66.0, 38.0), (5.0, 146.0)]), sail, -0.1);
        let jib = sized(&[(-5.0, 40.0), (-5.0, 128.0), (-52.0, 34.0)]);
        self.paint(boat, &jib, sail.mix(&Color::WHITE, 0.35), -0.1);
    }

    fn wooden_crate(&mut self, at: Vec2, side: f32, density: f32) {
        let (wood, edge) = (Color::srgb(0.74, 0.52, 0.30), Color::srgb(0.52, 0.34, 0.19));
        let place = Transform::from_translation(at.extend(1.0));
        let body = self.build(Form::Box(Vec2::splat(side)), Some(density), edge, place);
        let (out, slit) = (0.40 * side, 0.03 * side);
        for y in [-0.27, 0.0, 0.27].map(|y| y * side) {
            let (low, high) = (y - 0.135 * side + slit, y + 0.135 * side - slit);
            self.paint(body, &[(-out, low), (out, low), (out, high), (-out, high)], wood, 0.1);
        }
    }
}

fn launch(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<ColorMaterial>>,
    scenes: Res<FluidPanelScenes>,
) {
    let rapier = scenes.current == Some(1);
    let (meshes, materials) = (&mut *meshes, &mut *materials);
    let mut yard = Shipyard { commands: &mut commands, meshes, materials, rapier };
    let sand = Color::srgb(0.80, 0.64, 0.44);
    let rock = Color::srgb(0.34, 0.33, 0.40);
    let at = |x: f32, y: f32| Transform::from_xyz(x, y, 0.5);
    // The sea's floor and walls, an island and rocks.
    yard.build(Form::Box(Vec2::new(1200.0, 60.0)), None, sand, at(0.0, FLOOR - 30.0));
    yard.build(Form::Box(Vec2::new(200.0, 460.0)), None, rock, at(-592.0, -175.0));
    let island = [(180.0, FLOOR), (520.0, FLOOR), (520.0, 20.0), (452.0, 16.0), (380.0, -60.0)];
    yard.build(Form::Hull(island.map(Vec2::from).to_vec()), None, sand, at(0.0, 0.0));
    for (x, size) in [(-250.0, 1.0), (-165.0, 0.6), (30.0, 0.8)] {
        let corners = [(-60.0, 0.0), (60.0, 0.0), (34.0, 46.0), (-8.0, 70.0), (-44.0, 38.0)];
        let corners = corners.map(|corner| Vec2::from(corner) * size);
        yard.build(Form::Hull(corners.to_vec()), None, rock, at(x, FLOOR - 2.0));
    }
    yard.boat(
        Vec2::new(-215.0, 70.0),
        1.0,
        Color::srgb(0.70, 0.20, 0.20),
        Color::srgb(0.98, 0.93, 0.84),
    );
    yard.boat(
        Vec2::new(75.0, 60.0),
        0.7,
        Color::srgb(0.14, 0.30, 0.46),
        Color::srgb(0.95, 0.62, 0.30),
    );
    for (x, y, side) in [(-60.0, 80.0, 38.0), (-66.0, 130.0, 30.0), (205.0, 70.0, 34.0)] {
        yard.wooden_crate(Vec2::new(x, y), side, 0.5);
    }
    let ball =
        yard.build(Form::Ball(26.0), Some(0.1), Color::srgb(0.93, 0.30, 0.26), at(-370.0, 120.0));
    for turn in 0..3 {
        let way = |angle: f32| (26.0 * angle.cos(), 26.0 * angle.sin());
        let first = std::f32::consts::TAU * turn as f32 / 3.0;
        let slice =
            [(0.0, 0.0), way(first), way(first + 0.35), way(first + 0.7), way(first + 1.04)];
        yard.paint(ball, &slice, Color::srgb(0.98, 0.95, 0.90), 0.1);
    }
    // A chest that sinks.
    let gold = Color::srgb(0.93, 0.74, 0.28);
    let chest = yard.build(Form::Box(Vec2::new(44.0, 30.0)), Some(2.5), gold, at(-90.0, -40.0));
    yard.paint(chest, &[(-20.0, -13.0), (20.0, -13.0), (20.0, 4.0), (-20.0, 4.0)], rock, 0.1);
    commands.spawn((
        Afloat,
        FluidBlob::from(Rectangle::new(960.0, -FLOOR)),
        Transform::from_xyz(-10.0, 0.5 * FLOOR, 0.0),
    ));
}

/// A board that makes waves. The engines do not know it.
#[derive(Component)]
struct WaveMaker;

fn make_waves(mut boards: Query<&mut Transform, With<WaveMaker>>, time: Res<Time>) {
    for mut board in &mut boards {
        let phase = std::f32::consts::TAU * time.elapsed_secs() / 2.1;
        board.translation.x = -478.0 + 12.0 * (1.0 - phase.cos());
    }
}

/// The camera, and the board that makes waves.
fn make_ready(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<ColorMaterial>>,
) {
    let scaling_mode = ScalingMode::AutoMin { min_width: VIEW.x, min_height: VIEW.y };
    let projection =
        OrthographicProjection { scaling_mode, ..OrthographicProjection::default_2d() };
    commands.spawn((Camera2d, Projection::Orthographic(projection)));
    commands.spawn(FluidSurface::from(FluidSurfaceLook {
        opacity: 0.6,
        sky_color: Color::srgba(1.0, 0.90, 0.74, 0.75),
        depth_color: Color::srgba(0.02, 0.10, 0.28, 0.85),
        refraction: 0.5,
        ..FluidSurfaceLook::WATER
    }));
    let (board, wood) = (Rectangle::new(24.0, 420.0), Color::srgb(0.42, 0.28, 0.18));
    commands.spawn((
        WaveMaker,
        FluidCollider::from(board),
        Mesh2d(meshes.add(board)),
        MeshMaterial2d(materials.add(wood)),
        Transform::from_xyz(-478.0, -160.0, 0.4),
    ));
}

/// The evening sky, hills, and the open sea.
fn paint_sky(mut painter: Painter) {
    let (high, low) = (Color::srgb(0.24, 0.46, 0.80), Color::srgb(1.0, 0.80, 0.58));
    painter.sky(&[(-60.0, low), (200.0, low.mix(&high, 0.33)), (735.0, high)]);
    painter.glow((250.0, 150.0), 300.0, Color::srgba(1.0, 0.93, 0.76, 0.7));
    painter.sun((250.0, 150.0), 62.0, Color::srgb(1.0, 0.90, 0.66));
    for (x, y, width) in [(-250.0, 290.0, 360.0), (40.0, 210.0, 240.0), (420.0, 280.0, 220.0)] {
        painter.cloud((x, y), width, Color::srgba(1.0, 0.88, 0.76, 0.8));
    }
    for (x, width, height, shade) in
        [(-330.0, 420.0, 120.0, 0.62), (-120.0, 300.0, 70.0, 0.70), (160.0, 460.0, 90.0, 0.66)]
    {
        let corners = [(-0.5, 0.0), (0.5, 0.0), (0.22, 0.62), (-0.06, 1.0), (-0.28, 0.7)];
        let corners = corners.map(|(right, up)| (x + right * width, -30.0 + up * height));
        let color = Color::srgb(0.60 * shade, 0.52 * shade, 0.82 * shade).mix(&low, 0.3);
        painter.shape(&corners, 0.0, [color; 2]);
    }
    // Deep water behind the liquid, in front of the hills, and the path of the sun on it.
    let deep = [Color::srgb(0.30, 0.50, 0.60), Color::srgb(0.04, 0.12, 0.28)];
    painter.panel((0.0, -414.0), (3000.0, 800.0), deep);
    painter.glow((250.0, 150.0), 420.0, Color::srgba(1.0, 0.84, 0.55, 0.55));
    for step in 0..9_u8 {
        let down = f32::from(step);
        let width = 150.0 - 9.0 * down + 26.0 * (2.3 * down).sin();
        let light = Color::srgba(1.0, 0.86, 0.62, 0.34 - 0.03 * down);
        let at = (250.0 + 14.0 * (1.7 * down).sin(), -20.0 - (13.0 + down) * down);
        painter.panel(at, (width, 5.0), [light; 2]);
    }
    painter.in_front();
    painter.vignette(VIEW, 0.3);
}

/// Changes the engine, and launches everything again.
fn change_engine(
    mut commands: Commands,
    keys: Res<ButtonInput<KeyCode>>,
    mut scenes: ResMut<FluidPanelScenes>,
    mut fluid: ResMut<FluidSimulation>,
    afloat: Query<Entity, With<Afloat>>,
) {
    if keys.just_pressed(KeyCode::Tab) {
        scenes.current = scenes.current.map(|current| 1 - current);
        afloat.iter().for_each(|entity| commands.entity(entity).despawn());
        fluid.clear();
        commands.run_system_cached(launch);
    }
}

/// A click drops a crate.
fn drop_crates(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<ColorMaterial>>,
    buttons: Option<Res<ButtonInput<MouseButton>>>,
    scenes: Res<FluidPanelScenes>,
    windows: Query<&Window, With<PrimaryWindow>>,
    cameras: Query<(&Camera, &GlobalTransform)>,
) {
    let pressed = buttons.is_some_and(|buttons| buttons.just_pressed(MouseButton::Left));
    let cursor = windows.single().ok().and_then(Window::cursor_position);
    let (Some(cursor), Ok((camera, eye)), true) = (cursor, cameras.single(), pressed) else {
        return;
    };
    if let Ok(at) = camera.viewport_to_world_2d(eye, cursor) {
        let (meshes, materials) = (&mut *meshes, &mut *materials);
        let rapier = scenes.current == Some(1);
        let mut yard = Shipyard { commands: &mut commands, meshes, materials, rapier };
        yard.wooden_crate(at, 34.0, 0.5);
    }
}
