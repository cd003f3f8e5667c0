//! Rock and walls: a grid of tiles, which the brush builds and breaks.

use bevy::asset::RenderAssetUsages;
use bevy::image::ImageSampler;
use bevy::prelude::*;
use bevy::render::render_resource::{Extent3d, TextureDimension, TextureFormat};
use bevy::sprite_render::{TileData, TilemapChunk, TilemapChunkTileData};
use bevy_blob_fluid::prelude::*;

use super::super::{BOX, brush, landscape, shelf};

/// Number of columns and rows, and the side of a tile in world units.
const SIZE: UVec2 = UVec2::new(124, 61);
const TILE: f32 = 10.0;
/// Pictures in the tileset, and the side of a picture in pixels.
const PICTURES: u32 = 4;
const PIXELS: u32 = 10;

/// A grid with the tiles for whose middles, in the world, a function holds.
pub fn grid(is_solid: impl Fn(Vec2) -> bool) -> FluidTiles {
    let middle = |tile: UVec2| BOX.min + (tile.as_vec2() + 0.5) * TILE;
    // Rough, so that powder stays on it.
    let rough = WallProperties { friction: Some(0.4), ..default() };
    FluidTiles::from_fn(SIZE, Vec2::splat(TILE), |tile| is_solid(middle(tile))).with_wall(rough)
}

pub fn spawn(mut commands: Commands, mut images: ResMut<Assets<Image>>) {
    commands.spawn((
        grid(landscape::is_rock),
        TilemapChunkTileData(vec![None; SIZE.element_product() as usize]),
        TilemapChunk {
            chunk_size: SIZE,
            tile_display_size: UVec2::splat(TILE as u32),
            tileset: images.add(tileset()),
            ..default()
        },
        // In front of liquid, grains and smoke.
        Transform::from_translation(BOX.center().extend(1.5)),
    ));
}

/// Builds or breaks tiles along the way of the brush.
pub fn build(hand: Single<&brush::Hand>, level: Single<(&mut FluidTiles, &Transform)>) {
    let (mut tiles, transform) = level.into_inner();
    let Some([last, now]) = hand.way.map(|way| way.map(|at| at - transform.translation.truncate()))
    else {
        return;
    };
    let builds = match hand.stroke {
        Some(brush::Stroke::Erase) => false,
        Some(brush::Stroke::Use) if shelf::CHIPS[hand.chosen].0 == shelf::WALL => true,
        _ => return,
    };
    // The mouse may have passed many tiles since the last frame.
    let nearest = |middle: Vec2| {
        let way = now - last;
        let along = (middle - last).dot(way) / way.length_squared().max(1e-6);
        last + way * along.clamp(0.0, 1.0)
    };
    let reach = hand.radius.max(TILE);
    let changed: Vec<UVec2> = (0..SIZE.element_product())
        .map(|index| UVec2::new(index % SIZE.x, index / SIZE.x))
        .filter(|tile| tiles.is_solid(*tile) != builds)
        .filter(|tile| {
            let middle = tiles.middle_of(*tile);
            middle.distance(nearest(middle)) < reach
        })
        .collect();
    for tile in changed {
        tiles.set(tile, builds);
    }
}

/// Shows which tiles are solid: lit at the top, and the deeper in the rock the darker.
pub fn paint(level: Option<Single<(&FluidTiles, &mut TilemapChunkTileData), Changed<FluidTiles>>>) {
    let Some(level) = level else { return };
    let (tiles, mut shown) = level.into_inner();
    let is_solid = |x: i32, y: i32| {
        let inside = y < SIZE.y as i32 && x >= 0 && x < SIZE.x as i32;
        y < 0
            || (!inside && y < SIZE.y as i32)
            || (inside && tiles.is_solid(UVec2::new(x as u32, y as u32)))
    };
    for (index, shown) in shown.iter_mut().enumerate() {
        let (x, y) = (index as i32 % SIZE.x as i32, index as i32 / SIZE.x as i32);
        if !is_solid(x, y) {
            *shown = None;
            continue;
        }
        // Distance to the next tile that is free, in tiles.
        let around = (-5..=5_i32).flat_map(|dy| (-5..=5_i32).map(move |dx| (dx, dy)));
        let free = around.filter(|(dx, dy)| !is_solid(x + dx, y + dy));
        let deep = free.map(|(dx, dy)| ((dx * dx + dy * dy) as f32).sqrt()).fold(6.0, f32::min);
        let light = 1.18 - 0.12 * deep + if is_solid(x, y + 1) { 0.0 } else { 0.28 }
            - if is_solid(x, y - 1) { 0.0 } else { 0.22 };
        let tileset_index = (x * 7 + y * 13 + x * y) as u16 % PICTURES as u16;
        // Layers, as rock has.
        let layer = 0.5 + 0.5 * (0.55 * y as f32 + 1.6 * (0.09 * x as f32).sin()).sin();
        let warm = Color::srgb(1.10, 0.92, 0.80).mix(&Color::srgb(0.86, 0.90, 1.06), layer);
        // Opaque however dark: pages show through what is not.
        let color = (warm.to_linear() * light).with_alpha(1.0).into();
        *shown = Some(TileData { tileset_index, color, ..default() });
    }
}

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
                let grain = 0.80 + 0.2 * noise(x / 4, y / 3, picture) + 0.12 * noise(x, y, picture);
                let byte = |part: f32| (255.0 * (part * grain).min(1.0)) as u8;
                data.extend([byte(0.44), byte(0.37), byte(0.37), 255]);
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
