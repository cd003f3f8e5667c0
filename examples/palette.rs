//! A painter's dish: six paints, and a brush to mix them with.

use std::f32::consts::{FRAC_PI_2, PI, TAU};

use bevy::camera::ScalingMode;
use bevy::prelude::*;
use bevy::sprite::Anchor;
use bevy::window::PrimaryWindow;
use bevy_blob_fluid::prelude::*;
use example_support::DefaultPlugins; // Adds a command line. Delete this line in your own game.
use example_support::art::{self, Hud, Painter, slab};

/// Size of the view, in world units.
const VIEW: Vec2 = Vec2::new(1000.0, 750.0);
const HELP: &str = "click  a pot or 1 to 6: its paint     drag  paints     right drag  stirs     \
                    Space  a clean dish";
/// Distance of the particles, in world units.
const SPACING: f32 = 6.0;
/// Radius of the dish, of a pot, and of the brush, in world units.
const DISH: f32 = 296.0;
const POT: f32 = 66.0;
const BRUSH: f32 = 25.0;
/// The paints in their pots, in sRGB.
const PAINTS: [[f32; 3]; 6] = [
    [0.07, 0.20, 0.72],
    [0.03, 0.52, 0.60],
    [0.98, 0.95, 0.88],
    [1.00, 0.80, 0.05],
    [0.90, 0.15, 0.10],
    [0.62, 0.06, 0.36],
];
/// Of the clean dish, in sRGB.
const GROUND: [f32; 3] = [0.97, 0.95, 0.91];

fn main() {
    let paint = DensityClass {
        name: "paint".into(),
        viscosity: Some(ClassViscosity { linear: 2.5, ..default() }),
        paint: Some(FluidPaint { color: linear(GROUND), diffusion: 0.004 }),
        ..default()
    };
    App::new()
        .add_plugins((DefaultPlugins, BlobFluidPlugins::default()))
        .insert_resource(ClearColor(Color::srgb(0.30, 0.19, 0.13)))
        .insert_resource(FluidSettings { parameters: thick(), ..default() })
        .insert_resource(FluidClasses::from(vec![paint]))
        .add_systems(Startup, setup)
        .add_systems(PostStartup, scenery)
        .add_systems(Update, (choose, clean, hold, show).chain())
        .run();
}

/// Settings of a stiff liquid, which closes behind the brush.
fn thick() -> FluidParameters {
    let weightless = FluidParameters::new(SPACING, Vec2::ZERO);
    FluidParameters { reference_acceleration: 900.0, ..weightless }
}

fn color([red, green, blue]: [f32; 3]) -> Color {
    Color::srgb(red, green, blue)
}

fn linear(srgb: [f32; 3]) -> [f32; 3] {
    let LinearRgba { red, green, blue, .. } = color(srgb).to_linear();
    [red, green, blue]
}

/// Where a pot stands: three to either side of the dish.
fn pot(number: usize) -> Vec2 {
    let side = if number < 3 { -1.0 } else { 1.0 };
    let row = 1.0 - (number % 3) as f32;
    Vec2::new(side * (408.0 - 10.0 * row * row), 214.0 * row)
}

/// The brush: the paint that it has, and where it was in the frame before.
#[derive(Component)]
struct Hand {
    paint: usize,
    before: Option<Vec2>,
    /// Whether a player has taken it. Until then it paints by itself.
    taken: bool,
}

/// Marks the hairs of the brush, which show its paint.
#[derive(Component)]
struct Hairs;

/// Marks the ring around the chosen pot.
#[derive(Component)]
struct Chosen;

fn setup(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<ColorMaterial>>,
) {
    let scaling_mode = ScalingMode::AutoMin { min_width: VIEW.x, min_height: VIEW.y };
    let projection =
        OrthographicProjection { scaling_mode, ..OrthographicProjection::default_2d() };
    commands.spawn((Camera2d, Projection::Orthographic(projection)));
    let gloss = FluidSurfaceLook {
        opacity: 1.0,
        outline_width: 0.0,
        depth_color: Color::NONE,
        foam_color: Color::NONE,
        specular: 0.5,
        ..default()
    };
    commands.spawn(FluidSurface {
        quality: FluidSurfaceQuality::High,
        smoothing: 1.9,
        ..FluidSurface::from(gloss)
    });
    commands.spawn(FluidContainer::from(Circle::new(DISH)));
    // A little too full, so that the paint closes behind the brush.
    commands.spawn(FluidBlob { spacing: 1.0, ..FluidBlob::from(Circle::new(DISH)) });
    // The brush paints and takes the paint along.
    let nothing = FluidBrush::new(&Circle::new(BRUSH), Color::WHITE);
    commands
        .spawn((
            Hand { paint: 0, before: None, taken: false },
            FluidBrush { painting: false, ..nothing.with_rate(30.0) },
            FluidForce::wind(&Circle::new(1.7 * BRUSH), Vec2::ZERO, 0.0)
                .with_falloff(FluidFalloff::Smooth),
            Visibility::default(),
        ))
        .with_children(|brush| {
            let lean = -0.7_f32;
            let along = Vec2::from_angle(FRAC_PI_2 + lean);
            let part = |mesh: Mesh, far: f32, depth: f32| {
                let at = (far * along).extend(depth);
                let turn = Quat::from_rotation_z(lean);
                (mesh, Transform::from_translation(at).with_rotation(turn))
            };
            let white = materials.add(Color::WHITE);
            let hairs = materials.add(Color::WHITE);
            let shade = materials.add(Color::srgba(0.1, 0.05, 0.02, 0.22));
            let shadow = part(Capsule2d::new(9.0, 290.0).into(), 178.0, 5.8);
            let place = Transform {
                translation: shadow.1.translation + Vec3::new(26.0, -30.0, 0.0),
                ..shadow.1
            };
            brush.spawn((Mesh2d(meshes.add(shadow.0)), MeshMaterial2d(shade), place));
            let (mesh, place) = part(Ellipse::new(12.0, 25.0).into(), 15.0, 6.0);
            brush.spawn((Mesh2d(meshes.add(mesh)), MeshMaterial2d(hairs), place, Hairs));
            for (size, far, depth, tone) in [
                (Vec2::new(21.0, 46.0), 50.0, 6.1, Color::srgb(0.78, 0.76, 0.72)),
                (Vec2::new(17.0, 250.0), 190.0, 6.2, Color::srgb(0.42, 0.10, 0.09)),
            ] {
                let (mesh, place) = part(slab(size, tone, lean), far, depth);
                brush.spawn((Mesh2d(meshes.add(mesh)), MeshMaterial2d(white.clone()), place));
            }
        });
    commands.spawn((
        Chosen,
        Mesh2d(meshes.add(Annulus::new(POT + 7.0, POT + 12.0))),
        MeshMaterial2d(materials.add(Color::srgba(1.0, 0.93, 0.75, 0.9))),
        Transform::from_translation(pot(0).extend(-20.0)),
    ));
    commands.spawn((
        art::text(
            HELP,
            14.0,
            Color::srgb(0.97, 0.90, 0.78),
            Vec3::new(0.0, 12.0 - 0.5 * VIEW.y, 10.0),
            Anchor::BOTTOM_CENTER,
        ),
        Hud,
    ));
}

/// A table of planks in the light of a window, a dish of porcelain, and six pots.
fn scenery(mut painter: Painter) {
    let rgb = Color::srgb;
    painter.sky(&[(-375.0, rgb(0.40, 0.26, 0.17)), (375.0, rgb(0.52, 0.35, 0.23))]);
    for row in -4..=4_i16 {
        let shade = [0.0, 0.03, 0.012][usize::from(row.unsigned_abs() % 3)];
        let plank = rgb(0.55 - shade, 0.37 - shade, 0.245 - shade);
        painter.board((0.0, 96.0 * f32::from(row)), (3200.0, 93.0), plank);
    }
    painter.glow((-380.0, 330.0), 900.0, Color::srgba(1.0, 0.90, 0.70, 0.55));
    for part in 0..9 {
        let radius = DISH + 22.0 + 6.0 * part as f32;
        painter.disc((16.0, -22.0), radius, Color::srgba(0.10, 0.04, 0.02, 0.065));
    }
    let rim = [rgb(0.80, 0.80, 0.79), rgb(0.96, 0.96, 0.94), rgb(0.88, 0.88, 0.86)];
    for (tone, radius) in rim.into_iter().zip([DISH + 30.0, DISH + 27.0, DISH + 9.0]) {
        painter.disc((0.0, 0.0), radius, tone);
    }
    painter.disc((0.0, 0.0), DISH + 3.0, rgb(0.72, 0.71, 0.69));
    for (number, paint) in PAINTS.into_iter().enumerate() {
        let (at, paint) = (pot(number), color(paint));
        for part in 0..6 {
            let radius = POT + 2.0 + 5.0 * part as f32;
            painter.disc(at + Vec2::new(9.0, -13.0), radius, Color::srgba(0.10, 0.04, 0.02, 0.075));
        }
        painter.disc(at, POT, rgb(0.82, 0.81, 0.79));
        painter.disc(at, POT - 3.0, rgb(0.97, 0.96, 0.94));
        painter.disc(at, POT - 12.0, rgb(0.70, 0.69, 0.67));
        painter.disc(at + Vec2::new(1.5, -2.0), POT - 14.0, paint.darker(0.05));
        painter.disc(at + Vec2::new(-1.0, -3.5), POT - 19.0, paint);
        painter.glow(at + Vec2::new(-16.0, 18.0), 26.0, Color::srgba(1.0, 1.0, 1.0, 0.55));
    }
    painter.vignette(VIEW, 0.45);
}

/// Chooses a paint by a click on its pot or by its number.
fn choose(
    keys: Res<ButtonInput<KeyCode>>,
    buttons: Res<ButtonInput<MouseButton>>,
    pointer: Pointer,
    mut hand: Single<&mut Hand>,
) {
    const DIGITS: [KeyCode; 6] = [
        KeyCode::Digit1,
        KeyCode::Digit2,
        KeyCode::Digit3,
        KeyCode::Digit4,
        KeyCode::Digit5,
        KeyCode::Digit6,
    ];
    let typed = DIGITS.into_iter().position(|key| keys.just_pressed(key));
    let point = pointer.position().filter(|_| buttons.just_pressed(MouseButton::Left));
    let clicked =
        point.and_then(|point| (0..PAINTS.len()).find(|number| pot(*number).distance(point) < POT));
    if let Some(paint) = clicked.or(typed) {
        (hand.paint, hand.taken) = (paint, true);
    }
}

/// Paints the whole dish as it was at first.
fn clean(keys: Res<ButtonInput<KeyCode>>, mut fluid: ResMut<FluidSimulation>) {
    if keys.just_pressed(KeyCode::Space)
        && let Ok(dish) = FluidRegion::circle(Vec2::ZERO, 2.0 * DISH)
    {
        _ = fluid.paint_in(&dish, ClassFilter::ALL, linear(GROUND), 1.0);
    }
}

/// The pointer in the world.
#[derive(bevy::ecs::system::SystemParam)]
struct Pointer<'w, 's> {
    // Pictures are drawn without a window.
    window: Query<'w, 's, &'static Window, With<PrimaryWindow>>,
    camera: Single<'w, 's, (&'static Camera, &'static GlobalTransform)>,
}

impl Pointer<'_, '_> {
    fn position(&self) -> Option<Vec2> {
        let (camera, transform) = *self.camera;
        let cursor = self.window.single().ok()?.cursor_position()?;
        camera.viewport_to_world_2d(transform, cursor).ok()
    }
}

/// Where a brush goes that nobody holds, and with which paint: a loop in each paint, one after the other.
fn by_itself(seconds: f32) -> (Vec2, usize, bool) {
    /// Seconds with one paint.
    const STROKE: f32 = 0.85;
    let number = (seconds / STROKE) as usize;
    let part = seconds / STROKE - number as f32;
    let paint = [0, 3, 4, 1, 3, 5][number % 6];
    let turn = TAU * (number as f32 * 0.382 + 0.09);
    let loops = 0.16 + 0.80 * (PI * part).sin();
    let at = Vec2::from_angle(turn + 2.3 * part) * (loops * (DISH - 52.0));
    (at, paint, part < 0.66)
}

/// Moves the brush with the pointer, or by itself as long as nobody has taken it.
fn hold(
    (time, fluid_time): (Res<Time>, Res<Time<Fluid>>),
    buttons: Res<ButtonInput<MouseButton>>,
    pointer: Pointer,
    brush: Single<(&mut Hand, &mut Transform, &mut FluidBrush, &mut FluidForce)>,
) {
    let (mut hand, mut transform, mut brush, mut force) = brush.into_inner();
    let pressed = buttons.any_pressed([MouseButton::Left, MouseButton::Right]);
    let position = pointer.position();
    hand.taken |= pressed && position.is_some();
    let (at, painting, moving) = if hand.taken {
        let at = position.unwrap_or(transform.translation.truncate());
        (at, buttons.pressed(MouseButton::Left), pressed)
    } else {
        let (at, paint, painting) = by_itself(fluid_time.elapsed_secs());
        hand.paint = paint;
        (at, painting, true)
    };
    let seconds = time.delta_secs();
    let way = hand.before.filter(|_| moving).map_or(Vec2::ZERO, |before| at - before);
    let velocity = if seconds > 0.0 { (way / seconds).clamp_length_max(420.0) } else { force.wind };
    force.wind = velocity;
    force.drag = if moving { 16.0 } else { 0.0 };
    brush.painting = painting;
    brush.color = color(PAINTS[hand.paint]);
    hand.before = Some(at);
    transform.translation = at.extend(0.0);
}

/// Shows the paint on the brush, and the pot that it is from.
fn show(
    hand: Single<&Hand>,
    hairs: Single<&MeshMaterial2d<ColorMaterial>, With<Hairs>>,
    mut chosen: Single<&mut Transform, With<Chosen>>,
    mut materials: ResMut<Assets<ColorMaterial>>,
) {
    let wanted = color(PAINTS[hand.paint]);
    let at = pot(hand.paint).extend(chosen.translation.z);
    if chosen.translation != at {
        chosen.translation = at;
    }
    if materials.get(&hairs.0).is_some_and(|material| material.color != wanted)
        && let Some(mut material) = materials.get_mut(&hairs.0)
    {
        material.color = wanted;
    }
}
