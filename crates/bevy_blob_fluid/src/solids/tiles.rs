//! Levels of square or oblong tiles.

use bevy::ecs::schedule::InternedScheduleLabel;
use bevy::prelude::*;
use blob_fluid::WallProperties;
use blob_fluid::shape::{TileBlock, merge_tiles};

use super::collider::FluidCollider;
use crate::schedule::FluidEntitySystems;
use crate::warnings::Warnings;

/// Adds the types and systems below.
pub(super) fn add_tiles(app: &mut App, schedule: InternedScheduleLabel) {
    app.register_type::<FluidTiles>()
        .add_systems(schedule, merge_tiles_of_levels.in_set(FluidEntitySystems::Tiles));
}

/// Largest number of tiles.
const MOST_TILES: u64 = 1 << 24;

/// The solid tiles of a level or of a part of it, as colliders. The entity's [`Transform`] is the middle of the grid,
/// as for Bevy's `TilemapChunk`, unless the grid has [another origin](Self::origin).
///
/// Tiles are merged into a few rectangular colliders, on child entities that the plugin spawns and
/// despawns. Touching tiles, even those of different `FluidTiles`, have no gaps and no inner walls
/// between them. When tiles change, unaffected colliders stay, so liquid that rests on them is not
/// disturbed. Liquid flows through removed tiles in the next tick. Divide large levels into chunks of
/// about 32 × 32 tiles, so that a change merges only a few tiles again.
///
/// Draw the tiles with a tilemap, or add the `FluidSolidDrawingPlugin`. A component with invalid
/// numbers has no colliders, and there is a warning.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// const LEVEL: [&str; 3] = ["#......#", "#..##..#", "########"];
///
/// fn setup(mut commands: Commands) {
///     let solid = |tile: UVec2| LEVEL[2 - tile.y as usize].as_bytes()[tile.x as usize] == b'#';
///     commands.spawn(FluidTiles::from_fn(UVec2::new(8, 3), Vec2::splat(32.0), solid));
/// }
///
/// /// Digs where the game says so.
/// fn dig(at: Vec2, level: Single<(&mut FluidTiles, &GlobalTransform)>) {
///     let (mut tiles, transform) = level.into_inner();
///     let local = transform.affine().inverse().transform_point3(at.extend(0.0)).truncate();
///     if let Some(tile) = tiles.tile_at(local) {
///         tiles.set(tile, false);
///     }
/// }
/// # let _ = dig;
/// # App::new().add_systems(Startup, setup);
/// ```
#[doc = guide!("tiles")]
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(Transform)]
#[cfg_attr(feature = "render", require(Visibility))]
pub struct FluidTiles {
    /// Number of columns and of rows; at most 16777216 tiles.
    pub size: UVec2,
    /// Width and height of a tile, in the entity's own units; above 0, up to 1e9.
    pub tile_size: Vec2,
    /// Whether each tile is solid, with one value per tile: rows from the lowest to the highest, each
    /// row from left to right.
    pub solid: Vec<bool>,
    /// The lower left corner of the grid, in the entity's own units; within ±1e9.
    pub origin: Vec2,
    /// Friction, stickiness, wetting and temperature of the walls.
    pub wall: WallProperties,
}

impl FluidTiles {
    /// A grid without solid tiles.
    pub fn new(size: UVec2, tile_size: Vec2) -> Self {
        Self::from_fn(size, tile_size, |_| false)
    }

    /// A grid in which a tile is solid if `solid` returns true for its column and row, from 0. A grid with too many
    /// tiles has no colliders, and there is a warning.
    pub fn from_fn(size: UVec2, tile_size: Vec2, mut solid: impl FnMut(UVec2) -> bool) -> Self {
        let rows = if count(size) > MOST_TILES { 0 } else { size.y };
        let tiles = (0..rows).flat_map(|y| (0..size.x).map(move |x| UVec2::new(x, y)));
        let solid = tiles.map(&mut solid).collect();
        let origin = -0.5 * size.as_vec2() * tile_size;
        Self { size, tile_size, solid, origin, wall: WallProperties::default() }
    }

    /// The same tiles with another lower left corner, in the entity's own units.
    pub const fn with_origin(mut self, origin: Vec2) -> Self {
        self.origin = origin;
        self
    }

    /// The same tiles with other properties of the walls.
    pub const fn with_wall(mut self, wall: WallProperties) -> Self {
        self.wall = wall;
        self
    }

    /// Whether a tile is solid; `false` outside of the grid.
    pub fn is_solid(&self, tile: UVec2) -> bool {
        self.index(tile).and_then(|index| self.solid.get(index)).is_some_and(|solid| *solid)
    }

    /// Makes a tile solid or not, and returns its previous value. Outside of the grid, it does
    /// nothing and returns `false`.
    pub fn set(&mut self, tile: UVec2, solid: bool) -> bool {
        let present = self.index(tile).and_then(|index| self.solid.get_mut(index));
        present.is_some_and(|present| std::mem::replace(present, solid))
    }

    /// The tile at a point in the entity's own units; `None` outside of the grid.
    pub fn tile_at(&self, point: Vec2) -> Option<UVec2> {
        let tile = ((point - self.origin) / self.tile_size).floor();
        let inside = tile.cmpge(Vec2::ZERO).all() && tile.cmplt(self.size.as_vec2()).all();
        inside.then(|| tile.as_uvec2())
    }

    /// The middle of a tile, in the entity's own units.
    pub fn middle_of(&self, tile: UVec2) -> Vec2 {
        self.corner(tile) + 0.5 * self.tile_size
    }

    /// The tile of an index into [`solid`](Self::solid).
    pub(super) fn tile(&self, index: usize) -> UVec2 {
        let (index, columns) = (index as u64, u64::from(self.size.x.max(1)));
        UVec2::new((index % columns) as u32, (index / columns) as u32)
    }

    /// The index of the tile nearest to a point, among the tiles within `reach` of it along each axis for which
    /// `is_solid` returns true. The point and `reach` are in the entity's own units; `scale` is that of the
    /// distances.
    pub(super) fn nearest(
        &self,
        point: Vec2,
        reach: Vec2,
        scale: Vec2,
        is_solid: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let place = (point - self.origin) / self.tile_size;
        // Of tiles much smaller than `reach`, only the nearest few are looked at.
        let reach = (reach / self.tile_size).min(Vec2::splat(8.0));
        let low = (place - reach).floor().max(Vec2::ZERO).as_uvec2();
        let high = (place + reach).floor() + 1.0;
        let high = high.clamp(Vec2::ZERO, self.size.as_vec2()).as_uvec2();
        let mut nearest = None;
        let mut least = (reach * self.tile_size * scale).max_element().powi(2);
        for tile in (low.y..high.y).flat_map(|y| (low.x..high.x).map(move |x| UVec2::new(x, y))) {
            let edge = place.clamp(tile.as_vec2(), tile.as_vec2() + 1.0);
            let distance = ((place - edge) * self.tile_size * scale).length_squared();
            let index = self.index(tile).filter(|index| is_solid(*index));
            if index.is_some() && (distance < least || nearest.is_none() && distance == least) {
                (nearest, least) = (index, distance);
            }
        }
        nearest
    }

    /// The lower left corner of a tile.
    pub(super) fn corner(&self, tile: UVec2) -> Vec2 {
        self.origin + tile.as_vec2() * self.tile_size
    }

    fn index(&self, tile: UVec2) -> Option<usize> {
        let inside = tile.cmplt(self.size).all();
        let index = u64::from(tile.y) * u64::from(self.size.x) + u64::from(tile.x);
        usize::try_from(index).ok().filter(|_| inside)
    }

    fn validate(&self) -> Result<(), String> {
        let (tiles, Vec2 { x, y }) = (count(self.size), self.tile_size);
        if tiles > MOST_TILES {
            return Err(format!("there are {tiles} tiles, and at most {MOST_TILES} are possible"));
        }
        if tiles != self.solid.len() as u64 {
            return Err(format!("`solid` is for {} of {tiles} tiles", self.solid.len()));
        }
        if !(x > 0.0 && x <= 1e9 && y > 0.0 && y <= 1e9) {
            return Err(format!("`tile_size` is {x} by {y}, and must be above 0 and at most 1e9"));
        }
        let within = |place: f32| place.abs() <= 1e9;
        if !within(self.origin.x) || !within(self.origin.y) {
            return Err(format!("`origin` is {}, and must be within ±1e9", self.origin));
        }
        Ok(())
    }

    pub(crate) fn collider(&self, block: TileBlock) -> (FluidCollider, Transform) {
        let (low, high) = (self.corner(block.low), self.corner(block.high));
        let collider = FluidCollider::from(Rectangle::from_corners(low, high)).with_wall(self.wall);
        (collider, Transform::from_translation((0.5 * (low + high)).extend(0.0)))
    }
}

fn count(size: UVec2) -> u64 {
    u64::from(size.x) * u64::from(size.y)
}

/// Marks the child with the collider of merged tiles.
#[derive(Component, Clone, Copy, PartialEq)]
pub(crate) struct MergedTiles(pub TileBlock);

/// Updates the colliders of new and changed tiles.
pub(super) fn merge_tiles_of_levels(
    mut commands: Commands,
    tiles: Query<(Entity, &FluidTiles, Option<&Children>), Changed<FluidTiles>>,
    all: Query<&FluidTiles>,
    merged: Query<(&MergedTiles, &FluidCollider, &Transform)>,
    parents: Query<(Entity, &ChildOf), With<MergedTiles>>,
    mut warnings: Warnings,
) {
    let of = |children: Option<&Children>| -> Vec<Entity> {
        children.into_iter().flatten().copied().filter(|child| merged.contains(*child)).collect()
    };
    warnings.retain(|entity| all.contains(entity));
    for (child, _) in parents.iter().filter(|(_, child_of)| !all.contains(child_of.parent())) {
        commands.entity(child).try_despawn();
    }
    for (entity, tiles, children) in &tiles {
        let valid = warnings.check(entity, "fluid tiles", tiles.validate());
        let merge = |()| merge_tiles(tiles.size, |tile| tiles.is_solid(tile));
        let blocks = valid.map(merge).unwrap_or_default();
        let mut missing: bevy::platform::collections::HashSet<TileBlock> =
            blocks.iter().copied().collect();
        for child in of(children) {
            let Ok((MergedTiles(block), collider, transform)) = merged.get(child) else { continue };
            let stays = missing.contains(block)
                && tiles.collider(*block) == (collider.clone(), *transform)
                && missing.remove(block);
            if !stays {
                commands.entity(child).try_despawn();
            }
        }
        for block in blocks.into_iter().filter(|block| missing.contains(block)) {
            commands.spawn((MergedTiles(block), tiles.collider(block), ChildOf(entity)));
        }
    }
}
