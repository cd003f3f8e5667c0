//! Six showpieces: keys 1 to 6 choose one, R starts it again.
//!
//! The liquid of each is a scene file, `assets/scenes/showcase_NAME.scene.ron`. A row of the table has the drawing settings:
//! looks, light, and colours of solids. A game copies the file and the row.
//!
//! It needs the folder `assets/scenes` beside it.

use bevy::camera::{Hdr, ScalingMode};
use bevy::core_pipeline::tonemapping::DebandDither;
use bevy::post_process::bloom::Bloom;
use bevy::prelude::*;
use bevy::sprite_render::AlphaMode2d;
use bevy_blob_fluid::FluidFoamSettings;
use bevy_blob_fluid::prelude::*;
use bevy_blob_fluid_panel::FluidPanelScenes;
use example_support::DefaultPlugins; // Adds a command line. Delete this line in your own game.
use example_support::art::{Painted, Painter, Silhouette, plate, rock};

/// The rows of the table, one file each.
mod showcase {
    pub mod castle;
    pub mod crown;
    pub mod harbour;
    pub mod lava;
    pub mod potions;
    pub mod ship;
}

/// The largest view, in world units. Each scene is painted at least as wide and high.
const VIEW: Rect = Rect { min: Vec2::new(-800.0, -450.0), max: Vec2::new(800.0, 450.0) };

/// The drawing settings of a scene.
struct Showpiece {
    /// Name of the scene; its file is `showcase_NAME.scene.ron`.
    name: &'static str,
    /// The part of the scene that is seen.
    view: Rect,
    /// How much the corners of the view are darkened, 0 to 1.
    vignette: f32,
    /// Looks of the liquid.
    surface: fn() -> FluidSurface,
    /// Look of the air, if the scene has any.
    air: fn() -> FluidAirLook,
    /// When torn liquid foams.
    foam: FluidFoamSettings,
    /// Colours of the colliders, in the order of the file.
    solids: &'static [Color],
    /// What is drawn on each floating body, in the order of the file: convex corners relative to it, and a colour.
    bodies: &'static [&'static [Part]],
    /// Paints the backdrop and the light.
    backdrop: fn(&mut Painter),
}

/// Corners and colour of a part of a body.
type Part = (&'static [(f32, f32)], Color);

impl Showpiece {
    /// A scene of clear liquid in which nothing floats.
    const PLAIN: Self = Self {
        name: "",
        view: VIEW,
        vignette: 0.5,
        surface: || FluidSurfaceLook::WATER.into(),
        air: FluidAirLook::default,
        foam: FluidFoamSettings { speed: 45.0, impact: 3.0, half_life: 1.2, bubbles: 0.2 },
        solids: &[],
        bodies: &[],
        backdrop: |_| (),
    };
}

const PIECES: [Showpiece; 6] = [
    showcase::crown::PIECE,
    showcase::lava::PIECE,
    showcase::harbour::PIECE,
    showcase::castle::PIECE,
    showcase::potions::PIECE,
    showcase::ship::PIECE,
];

fn main() {
    let names = PIECES.iter().map(|piece| piece.name.into()).collect();
    App::new()
        .add_plugins((DefaultPlugins, BlobFluidPlugins::default(), FluidSolidDrawingPlugin))
        .insert_resource(FluidSolidStyle {
            interior: None,
            wall: Color::NONE,
            body: Color::NONE,
            ..default()
        })
        // There is no panel, but this list has what the showcase needs.
        .insert_resource(FluidPanelScenes { names, current: Some(0) })
        .add_systems(Startup, show)
        .add_systems(Update, choose)
        .add_observer(dress)
        .run();
}

/// Marks what is removed with a scene.
#[derive(Component)]
struct OnShow;

/// Shows another scene when its key is pressed, and the same one again when R is.
fn choose(
    mut commands: Commands,
    keys: Res<ButtonInput<KeyCode>>,
    mut scenes: ResMut<FluidPanelScenes>,
    shown: Query<Entity, Or<(With<OnShow>, With<Painted>)>>,
) {
    use KeyCode::{Digit1, Digit2, Digit3, Digit4, Digit5, Digit6};
    let digits = [Digit1, Digit2, Digit3, Digit4, Digit5, Digit6];
    if let Some(number) = digits.into_iter().position(|key| keys.just_pressed(key)) {
        scenes.current = Some(number);
    } else if !keys.just_pressed(KeyCode::KeyR) {
        return;
    }
    // Parts of bodies go with their bodies.
    shown.iter().for_each(|entity| commands.entity(entity).try_despawn());
    commands.run_system_cached(show);
}

/// Shows the chosen scene: its file, its looks, its light and its backdrop.
fn show(
    mut commands: Commands,
    assets: Res<AssetServer>,
    scenes: Res<FluidPanelScenes>,
    mut foam: ResMut<FluidFoamSettings>,
    mut painter: Painter,
) {
    let piece = &PIECES[scenes.current.unwrap_or(0)];
    let (middle, size) = (piece.view.center(), piece.view.size());
    let scaling_mode = ScalingMode::AutoMin { min_width: size.x, min_height: size.y };
    let projection =
        OrthographicProjection { scaling_mode, ..OrthographicProjection::default_2d() };
    commands.spawn((
        OnShow,
        Camera2d,
        (Hdr, Bloom::NATURAL, DebandDither::Enabled),
        Projection::Orthographic(projection),
        Transform::from_translation(middle.extend(0.0)),
    ));
    commands.spawn((OnShow, (piece.surface)(), Transform::from_xyz(0.0, 0.0, 3.0)));
    *foam = piece.foam;
    painter.begin();
    (piece.backdrop)(&mut painter);
    painter.vignette_at(middle, size, piece.vignette);
    let file = assets.load(format!("scenes/showcase_{}.scene.ron", piece.name));
    commands.spawn((OnShow, FluidSceneRoot(file)));
}

/// Colours the solids of a scene, draws its bodies and its air.
fn dress(
    shown: On<FluidSceneShown>,
    mut commands: Commands,
    scenes: Res<FluidPanelScenes>,
    parts: Query<&Children>,
    solids: Query<(&FluidCollider, Has<FluidBuoyant>)>,
    airs: Query<(), With<FluidAir>>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<ColorMaterial>>,
) {
    let piece = &PIECES[scenes.current.unwrap_or(0)];
    let (mut colors, mut bodies) = (piece.solids.iter(), piece.bodies.iter());
    let white = materials.add(ColorMaterial { alpha_mode: AlphaMode2d::Blend, ..default() });
    let mut drawn = |mesh: Mesh, depth: f32| {
        (
            Mesh2d(meshes.add(mesh)),
            MeshMaterial2d(white.clone()),
            Transform::from_xyz(0.0, 0.0, depth),
        )
    };
    for child in parts.iter_descendants(shown.entity) {
        if airs.contains(child) {
            commands.entity(child).insert((piece.air)());
        }
        let Ok((collider, floats)) = solids.get(child) else { continue };
        match (colors.next(), &collider.shape) {
            // Glass.
            (Some(color), FluidShape::Polyline(_)) => {
                commands.entity(child).insert(FluidSolidColor(*color));
            }
            (Some(color), shape) => {
                for outline in shape.outlines() {
                    let corners = outline.into_iter().flatten().collect();
                    let paint = if floats { plate } else { rock };
                    commands.spawn((ChildOf(child), drawn(paint(corners, *color), 5.0)));
                }
            }
            (None, _) => {}
        }
        let parts = if floats { bodies.next() } else { None };
        for (number, (corners, color)) in parts.copied().unwrap_or_default().iter().enumerate() {
            let corners = corners.iter().copied().map(Vec2::from).collect();
            let depth = 5.05 + 0.01 * number as f32;
            commands.spawn((ChildOf(child), drawn(plate(corners, *color), depth)));
        }
    }
}
