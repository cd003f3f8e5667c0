//! A lake in a cave of tiles: dig with the mouse, and it runs out. Acid digs by itself, and bombs blast.

use bevy::asset::RenderAssetUsages;
use bevy::camera::ScalingMode;
use bevy::ecs::system::SystemParam;
use bevy::image::ImageSampler;
use bevy::prelude::*;
use bevy::render::render_resource::{Extent3d, TextureDimension, TextureFormat};
use bevy::sprite::Anchor;
use bevy::sprite_render::{TileData, TilemapChunk, TilemapChunkTileData};
use bevy::window::PrimaryWindow;
use bevy_blob_fluid::prelude::*;
use example_support::DefaultPlugins; // Adds a command line. Delete this line in your own game.
use example_support::art::{self, Hud, Painter, Silhouette};

const WATER: FluidClass = FluidClass::new(0);
const ACID: FluidClass = FluidClass::new(1);
/// Number of columns and rows, and the side of a tile in world units.
const SIZE: UVec2 = UVec2::new(50, 38);
const TILE: f32 = 20.0;
const HELP: &str =
    "left drag  dig     right drag  build     Space  acid     B  bomb     R  restart";
/// Radius in which tiles are dug, in tiles.
const SPADE: f32 = 1.7;
/// Pressure that breaks rock, and the energy and the radius of a bomb.
const ROCK: f32 = 15_000.0;
const BOMB: FluidBlast = FluidBlast::new(3e8, 260.0);
/// Place of a bomb without a mouse, in tiles: above the bed of the lake.
const LAKE_BED: Vec2 = Vec2::new(12.0, 23.5);
/// Middles and half sizes of caves, in tiles. The first two hold the lake, and the last one acid.
const CAVES: [[f32; 4]; 6] = [
    [13.0, 27.0, 10.0, 4.6],
    [21.0, 25.5, 6.5, 3.8],
    [37.0, 18.0, 9.0, 4.4],
    [10.0, 14.0, 7.5, 3.4],
    [26.0, 6.0, 19.0, 3.9],
    [41.5, 28.5, 6.2, 4.2],
];
/// Ends of a tunnel from the lake to the next cave, in tiles.
const TUNNEL: [Vec2; 2] = [Vec2::new(24.0, 23.0), Vec2::new(30.0, 19.0)];

fn main() {
    App::new()
        .add_plugins((DefaultPlugins, BlobFluidPlugins::default()))
        .insert_resource(ClearColor(Color::srgb(0.10, 0.15, 0.30)))
        .insert_resource(FluidClasses::from(vec![
            DensityClass { name: "water".into(), color: [0.10, 0.52, 0.70, 1.0], ..default() },
            DensityClass { name: "acid".into(), color: [0.62, 0.95, 0.12, 1.0], ..default() },
        ]))
        .add_systems(Startup, setup)
        .add_systems(PostStartup, scenery)
        .add_systems(Update, (dig, pour_acid, put_bomb, explode, paint, restart).chain())
        .run();
}

/// The height of the ground above a column, in tiles.
fn ground(column: f32) -> f32 {
    34.5 + 1.4 * (0.23 * column).sin() + 0.7 * (0.61 * column + 1.0).sin()
}

/// Whether a tile is solid at the beginning.
fn is_rock(tile: UVec2) -> bool {
    let at = tile.as_vec2() + 0.5;
    let in_cave = CAVES.iter().any(|&[x, y, width, height]| {
        let uneven = 0.2 * (0.9 * at.x + 0.3 * at.y).sin() * (1.1 * at.y + x).sin();
        ((at - Vec2::new(x, y)) / Vec2::new(width, height)).length() < 1.0 + uneven
    });
    let [start, end] = TUNNEL;
    let along = ((at - start).dot(end - start) / start.distance_squared(end)).clamp(0.0, 1.0);
    let in_tunnel = at.distance(start.lerp(end, along)) < 1.3;
    at.y < ground(at.x) && !in_cave && !in_tunnel
}

fn setup(
    mut commands: Commands,
    mut settings: ResMut<FluidSettings>,
    mut images: ResMut<Assets<Image>>,
) {
    settings.parameters.particle_spacing = 5.0;
    // The outer tiles are out of sight.
    let world = SIZE.as_vec2() * TILE;
    let view = world - 2.0 * TILE;
    let scaling_mode = ScalingMode::AutoMin { min_width: view.x, min_height: view.y };
    let projection =
        OrthographicProjection { scaling_mode, ..OrthographicProjection::default_2d() };
    commands.spawn((Camera2d, Projection::Orthographic(projection)));
    commands.spawn((
        Hud,
        art::text(
            HELP,
            13.0,
            Color::srgb(0.75, 0.72, 0.70),
            Vec3::new(0.0, 8.0 - 0.5 * view.y, 10.0),
            Anchor::BOTTOM_CENTER,
        ),
    ));
    let acid = FluidSurfaceLook { opacity: 0.9, specular: 1.2, ..FluidSurfaceLook::SLIME };
    commands.spawn(FluidSurface::from(FluidSurfaceLook::WATER).with_look("acid", acid));
    // What leaves the view must not fall for ever.
    commands.spawn(FluidContainer::from(Rectangle::from_size(world)));

    // The same entity is the picture of the tiles and their colliders.
    let tiles = FluidTiles::from_fn(SIZE, Vec2::splat(TILE), is_rock);
    // Four particles of acid touch the top of a tile and dissolve it in four seconds; two of them are used up.
    let acid = FluidWearRate::by_contact("acid", 0.06).with_particle_strength(0.5);
    let lakes = [(0, WATER), (1, WATER), (5, ACID)];
    for ([x, y, width, height], class) in lakes.map(|(cave, class)| (CAVES[cave], class)) {
        let middle = (Vec2::new(x, y - 0.5) - 0.5 * SIZE.as_vec2()) * TILE;
        commands.spawn((
            FluidBlob::from(Ellipse::new((width - 2.2) * TILE, (height - 1.6) * TILE)),
            class,
            Transform::from_translation(middle.extend(0.0)),
        ));
    }
    commands.spawn((
        tiles,
        FluidWear::new(1.0, [acid]).breaking_at(ROCK),
        TilemapChunkTileData(vec![None; SIZE.element_product() as usize]),
        TilemapChunk {
            chunk_size: SIZE,
            tile_display_size: UVec2::splat(TILE as u32),
            tileset: images.add(tileset()),
            ..default()
        },
        Transform::from_xyz(0.0, 0.0, -5.0),
    ));
    let bottle = FluidEmitter::rain(Circle::new(TILE), 0.0).with_speed(60.0).stopped();
    commands.spawn((bottle, ACID));
}

/// The mouse.
#[derive(SystemParam)]
struct Pointer<'w, 's> {
    window: Option<Single<'w, 's, &'static Window, With<PrimaryWindow>>>,
    camera: Single<'w, 's, (&'static Camera, &'static GlobalTransform)>,
}

impl Pointer<'_, '_> {
    /// Position in the world; `None` outside of the window.
    fn position(&self) -> Option<Vec2> {
        let (camera, transform) = *self.camera;
        let cursor = self.window.as_ref()?.cursor_position()?;
        camera.viewport_to_world_2d(transform, cursor).ok()
    }
}

/// A bomb with its fuse.
#[derive(Component)]
struct Bomb(Timer);

/// Lights a bomb at the mouse.
fn put_bomb(pointer: Pointer, keys: Res<ButtonInput<KeyCode>>, mut commands: Commands) {
    if keys.just_pressed(KeyCode::KeyB) {
        let lake_bed = (LAKE_BED - 0.5 * SIZE.as_vec2()) * TILE;
        let place = pointer.position().unwrap_or(lake_bed).extend(1.0);
        let body = Sprite::from_color(Color::srgb(0.9, 0.2, 0.1), Vec2::splat(0.6 * TILE));
        let fuse = Timer::from_seconds(1.0, TimerMode::Once);
        commands.spawn((Bomb(fuse), body, Transform::from_translation(place)));
    }
}

/// Ends the fuses. The plugin removes the blast when it has acted.
fn explode(
    mut bombs: Query<(Entity, &mut Bomb, Has<FluidBlast>)>,
    time: Res<Time<Fluid>>,
    mut commands: Commands,
) {
    for (entity, mut bomb, explodes) in &mut bombs {
        if bomb.0.tick(time.delta()).just_finished() {
            commands.entity(entity).remove::<Sprite>().insert(BOMB);
        } else if bomb.0.is_finished() && !explodes {
            commands.entity(entity).despawn();
        }
    }
}

/// Pours acid at the mouse.
fn pour_acid(
    pointer: Pointer,
    keys: Res<ButtonInput<KeyCode>>,
    bottle: Single<(&mut FluidEmitter, &mut Transform)>,
) {
    let at = pointer.position();
    let (mut bottle, mut place) = bottle.into_inner();
    let pours = keys.pressed(KeyCode::Space) && at.is_some();
    if bottle.running != pours {
        bottle.running = pours;
    }
    if let Some(at) = at {
        place.translation = at.extend(0.0);
    }
}

/// Digs where the mouse is dragged, or builds.
fn dig(
    pointer: Pointer,
    buttons: Res<ButtonInput<MouseButton>>,
    mut tiles: Single<&mut FluidTiles>,
    mut before: Local<Option<Vec2>>,
) {
    let now = pointer.position();
    let last = std::mem::replace(&mut *before, now).or(now);
    let builds = buttons.pressed(MouseButton::Right);
    let (Some(last), Some(now)) = (last, now) else { return };
    if !builds && !buttons.pressed(MouseButton::Left) {
        return;
    }
    // The mouse may have passed many tiles since the last frame.
    let nearest = |middle: Vec2| {
        let way = now - last;
        let along = (middle - last).dot(way) / way.length_squared().max(1e-6);
        last + way * along.clamp(0.0, 1.0)
    };
    for y in 0..SIZE.y {
        for x in 0..SIZE.x {
            let tile = UVec2::new(x, y);
            let middle = tiles.middle_of(tile);
            let touched = middle.distance(nearest(middle)) < SPADE * TILE;
            if touched && tiles.is_solid(tile) != builds {
                tiles.set(tile, builds);
            }
        }
    }
}

/// Shows which tiles are solid: the deeper in the rock the darker.
fn paint(level: Option<Single<(&FluidTiles, &mut TilemapChunkTileData), Changed<FluidTiles>>>) {
    let Some(level) = level else { return };
    let (tiles, mut shown) = level.into_inner();
    let is_solid = |x: i32, y: i32| {
        let outside = x < 0 || x >= SIZE.x as i32 || y < 0;
        outside || tiles.is_solid(UVec2::new(x as u32, y as u32))
    };
    for (index, shown) in shown.iter_mut().enumerate() {
        let (x, y) = (index as i32 % SIZE.x as i32, index as i32 / SIZE.x as i32);
        let solid = is_solid(x, y);
        // Distance to what is not like the tile, in tiles.
        let around = (-4..=4_i32).flat_map(|dy| (-4..=4_i32).map(move |dx| (dx, dy)));
        let other = around.filter(|(dx, dy)| is_solid(x + dx, y + dy) != solid);
        let way = other.map(|(dx, dy)| ((dx * dx + dy * dy) as f32).sqrt()).fold(5.0, f32::min);
        let variant = (x * 7 + y * 13 + x * y) as u16 % 3;
        let (tileset_index, light) = match solid {
            true if !is_solid(x, y + 1) && !is_below_ground(x, y + 1) => (GRASS, 1.0),
            true if !is_solid(x, y + 1) => (MOSS, 1.0),
            true => (variant, 1.15 - 0.17 * way),
            false => (BACKGROUND + variant, 1.0 - 0.10 * way),
        };
        let color = Color::srgb(light, light, light);
        let tile = TileData { tileset_index, color, ..default() };
        *shown = (solid || is_below_ground(x, y)).then_some(tile);
    }
}

/// Whether there was rock or a cave at a tile at the beginning.
fn is_below_ground(x: i32, y: i32) -> bool {
    y as f32 + 0.5 < ground(x as f32 + 0.5)
}

/// Pictures in the tileset: three of rock, one with grass, one with moss, and three of the wall behind. With WebGL2
/// six pictures would be taken for the sides of a cube.
const GRASS: u16 = 3;
const MOSS: u16 = 4;
const BACKGROUND: u16 = 5;
const PICTURES: u32 = 8;
/// Side of a picture, in pixels.
const PIXELS: u32 = 16;

/// Draws the tileset. A game of your own would load an image.
fn tileset() -> Image {
    let noise = |x: u32, y: u32, seed: u32| {
        let mixed = (x * 374_761 + y * 668_265 + seed * 951_274).wrapping_mul(2_654_435_769);
        (mixed >> 16 & 0xff) as f32 / 255.0
    };
    let mut data = Vec::new();
    for picture in 0..PICTURES {
        for y in 0..PIXELS {
            for x in 0..PIXELS {
                let grain = 0.75 + 0.3 * noise(x / 4, y / 3, picture) + 0.2 * noise(x, y, picture);
                let blade = 4.0 + 3.0 * noise(x, 0, 9);
                let [red, green, blue] = match picture as u16 {
                    GRASS if (y as f32) < blade => [0.34, 0.62, 0.22],
                    MOSS if (y as f32) < 0.6 * blade => [0.34, 0.46, 0.26],
                    BACKGROUND.. => [0.21, 0.19, 0.28],
                    _ => [0.56, 0.41, 0.31],
                };
                let byte = |part: f32| (255.0 * (part * grain).min(1.0)) as u8;
                data.extend([byte(red), byte(green), byte(blue), 255]);
            }
        }
    }
    let size = Extent3d { width: PIXELS, height: PIXELS, depth_or_array_layers: PICTURES };
    let format = TextureFormat::Rgba8UnormSrgb;
    let usage = RenderAssetUsages::RENDER_WORLD;
    let mut image = Image::new(size, TextureDimension::D2, data, format, usage);
    image.sampler = ImageSampler::nearest();
    image
}

/// Evening above the ground, and lamps and crystals in the caves.
fn scenery(mut painter: Painter) {
    let (rgb, rgba) = (Color::srgb, Color::srgba);
    painter.sky(&[(260.0, rgb(1.0, 0.72, 0.46)), (380.0, rgb(0.36, 0.42, 0.66))]);
    painter.ridge(Silhouette::Firs, [270.0, 360.0], [rgb(0.16, 0.26, 0.24), rgb(0.30, 0.32, 0.30)]);
    let middle = |x: f32, y: f32| (Vec2::new(x, y) - 0.5 * SIZE.as_vec2()) * TILE;
    painter.in_front();
    for (x, y) in [(9.0, 30.6), (33.5, 21.5), (43.0, 31.6), (11.0, 16.8), (18.0, 9.0), (37.0, 8.6)]
    {
        let lamp = middle(x, y);
        painter.glow(lamp, 210.0, rgba(1.0, 0.62, 0.25, 0.34));
        painter.panel(lamp + Vec2::Y * 16.0, (2.0, 22.0), [rgb(0.12, 0.09, 0.08); 2]);
        painter.board(lamp, (11.0, 15.0), rgb(1.0, 0.88, 0.55));
        painter.board(lamp + Vec2::Y * 8.0, (15.0, 4.0), rgb(0.25, 0.18, 0.14));
        painter.glow(lamp, 26.0, rgba(1.0, 0.95, 0.75, 0.8));
    }
    for (x, y, color) in [
        (5.0, 12.0, rgb(0.45, 0.80, 1.0)),
        (15.5, 12.3, rgb(0.85, 0.50, 1.0)),
        (10.5, 4.2, rgb(0.45, 0.95, 0.80)),
        (24.0, 2.7, rgb(0.55, 0.70, 1.0)),
        (33.0, 2.9, rgb(1.0, 0.55, 0.85)),
        (41.5, 4.6, rgb(0.50, 0.85, 1.0)),
    ] {
        let foot = middle(x, y);
        painter.glow(foot + Vec2::Y * 14.0, 85.0, color.with_alpha(0.35));
        for (lean, high) in [(-13.0, 26.0), (12.0, 30.0), (-2.0, 44.0)] {
            let corners = [
                (5.0, 0.0),
                (lean + 4.0, 0.8 * high),
                (lean, high),
                (lean - 5.0, 0.75 * high),
                (-5.0, 0.0),
            ];
            let corners = corners.map(|(right, up)| (foot.x + right + 0.4 * lean, foot.y + up));
            painter.shape(&corners, 0.0, [color.mix(&Color::WHITE, 0.5), color.darker(0.3)]);
        }
    }
    painter.vignette(SIZE.as_vec2() * TILE, 0.4);
}

fn restart(
    keys: Res<ButtonInput<KeyCode>>,
    mut tiles: Single<&mut FluidTiles>,
    mut commands: Commands,
) {
    if keys.just_pressed(KeyCode::KeyR) {
        **tiles = FluidTiles::from_fn(SIZE, Vec2::splat(TILE), is_rock);
        commands.queue(FluidSimulation::restart);
    }
}
