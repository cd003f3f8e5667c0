//! A coarse grid of square tiles, which shows where something moves. Sleeping uses it.

use glam::Vec2;

use crate::geometry::bounds::FluidBounds;
use crate::parallel::lanes::floor;

/// Mark of a tile in which something moves. Marks decrease by 1 per tile of distance.
pub(crate) const MOVING_MARK: u8 = 4;

/// A tile is unsettled if at least one in this many of its particles is restless.
pub(crate) const UNSETTLED_DIVISOR: u32 = 4;

/// Square tiles of the plane. Each tile has a mark, which says whether something moves near it. The
/// table has a limited size and wraps around like a torus: in a very large world, tiles far apart
/// share an entry. A shared entry may wake more liquid than necessary.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tiles {
    marks: Vec<u8>,
    scratch: Vec<u8>,
    counts: Vec<TileCount>,
    /// A box around each chunk of particles.
    pub chunks: Vec<FluidBounds>,
    /// Indices of the bodies that are awake in this tick.
    pub awake_bodies: Vec<usize>,
    /// Tiles in a row; a power of two.
    columns: usize,
    /// Rows of tiles; a power of two.
    rows: usize,
    inverse_size: f32,
    /// Corners of the box in which tiles can be marked: the box around the particles, with a
    /// margin.
    low: Vec2,
    high: Vec2,
}

/// Counts of the particles in a tile.
#[derive(Clone, Copy, Debug, Default)]
struct TileCount {
    all: u32,
    restless: u32,
    /// The restless particles that are not stuck.
    free_restless: u32,
    /// The moving particles that are not stuck.
    moving: u32,
}

/// The state of a particle that its tile counts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ParticleUnrest {
    /// Whether it has not settled, or is faster than a particle at rest.
    pub restless: bool,
    /// Whether something has disturbed it, or it is fast enough to count as moving on its own.
    pub is_moving: bool,
    /// Whether it does not move in spite of its velocity, because it is wedged between walls.
    pub is_stuck: bool,
}

/// Number of entries that may always be used. They cost almost nothing, even for few particles.
const MIN_ENTRY_LIMIT: usize = 1 << 14;

/// Smallest number of columns and of rows.
const MIN_SIDE: usize = 16;

/// Margin around the particles, in tiles, in which tiles can be marked.
const MARGIN: f32 = 4.0;

impl Tiles {
    /// Removes all marks, and sets the size of the tiles and of the table for `particles` particles
    /// within `bounds`. Each tile there has its own entry, unless there are many more tiles than
    /// particles.
    pub(crate) fn clear(&mut self, size: f32, particles: usize, bounds: FluidBounds) {
        self.inverse_size = 1.0 / size;
        FluidBounds { low: self.low, high: self.high } = bounds.inflated(MARGIN * size);
        let side = ((particles as f32).sqrt() as usize).next_power_of_two();
        let max_entries = (side * side).max(MIN_ENTRY_LIMIT);
        let extent = (self.high - self.low) * self.inverse_size;
        let count = |tiles: f32| {
            (tiles.min(MIN_ENTRY_LIMIT as f32) as usize).max(MIN_SIDE).next_power_of_two()
        };
        (self.columns, self.rows) = (count(extent.x), count(extent.y));
        while self.columns * self.rows > max_entries {
            let larger = if self.columns > self.rows { &mut self.columns } else { &mut self.rows };
            *larger /= 2;
        }
        let entries = self.columns * self.rows;
        self.marks.clear();
        self.marks.resize(entries, 0);
        self.counts.clear();
        self.counts.resize(entries, TileCount::default());
    }

    /// Counts a particle in its tile.
    pub(crate) fn count(&mut self, point: Vec2, unrest: ParticleUnrest) {
        let entry = self.entry(self.tile(point));
        let ParticleUnrest { restless, is_moving, is_stuck } = unrest;
        let tile_count = &mut self.counts[entry];
        tile_count.all += 1;
        tile_count.restless += u32::from(restless);
        tile_count.free_restless += u32::from(restless && !is_stuck);
        tile_count.moving += u32::from(is_moving && !is_stuck);
    }

    /// Marks the tiles in which at least one particle in `divisor` is restless.
    pub(crate) fn mark_unsettled(&mut self, divisor: u32, mark: u8) {
        for (tile_mark, tile_count) in self.marks.iter_mut().zip(&self.counts) {
            if tile_count.restless > 0 && tile_count.restless * divisor >= tile_count.all {
                *tile_mark = mark;
            }
        }
    }

    /// Whether in the tiles that a box touches any particle moves, or at least one in `divisor` is
    /// restless. Particles that are stuck do not count.
    pub(crate) fn is_unsettled(&self, bounds: FluidBounds, divisor: u32) -> bool {
        let (mut all, mut free_restless) = (0, 0);
        for entry in self.entries_in(bounds) {
            let tile_count = self.counts[entry];
            if tile_count.moving > 0 {
                return true;
            }
            all += tile_count.all;
            free_restless += tile_count.free_restless;
        }
        free_restless > 0 && free_restless * divisor >= all
    }

    fn tile(&self, point: Vec2) -> (i64, i64) {
        let scaled = point * self.inverse_size;
        (i64::from(floor(scaled.x)), i64::from(floor(scaled.y)))
    }

    fn entry(&self, tile: (i64, i64)) -> usize {
        entry(self.columns, self.rows, tile.0, tile.1)
    }

    /// The mark of the tile that contains a point.
    pub(crate) fn mark_at(&self, point: Vec2) -> u8 {
        self.marks[self.entry(self.tile(point))]
    }

    /// Whether a box touches any marked tile.
    pub(crate) fn any_marked(&self, bounds: FluidBounds) -> bool {
        let (low, high) = (self.tile(bounds.low), self.tile(bounds.high));
        if high.0 - low.0 >= self.columns as i64 || high.1 - low.1 >= self.rows as i64 {
            return true;
        }
        (low.1..=high.1).any(|y| (low.0..=high.0).any(|x| self.marks[self.entry((x, y))] != 0))
    }

    /// The entries of the tiles that a box touches, limited to tiles near the particles.
    fn entries_in(&self, bounds: FluidBounds) -> impl Iterator<Item = usize> + use<> {
        let Self { columns, rows, .. } = *self;
        let intersects = bounds.intersects(FluidBounds { low: self.low, high: self.high });
        let low = self.tile(bounds.low.max(self.low));
        let high = self.tile(bounds.high.min(self.high));
        // Limits the range to one turn around the torus.
        let last_x = high.0.min(low.0.saturating_add(columns as i64 - 1));
        let last_y = high.1.min(low.1.saturating_add(rows as i64 - 1));
        let entry = move |x, y| entry(columns, rows, x, y);
        let row = move |y| (low.0..=last_x).map(move |x| entry(x, y));
        (low.1..=last_y).filter(move |_| intersects).flat_map(row)
    }

    /// Marks the tiles that a box touches, limited to tiles near the particles.
    pub(crate) fn mark(&mut self, bounds: FluidBounds, mark: u8) {
        for entry in self.entries_in(bounds) {
            self.marks[entry] = mark;
        }
    }

    /// Spreads every mark to all neighbouring tiles, `rounds` times. A mark loses 1 in each round.
    pub(crate) fn spread(&mut self, rounds: u32) {
        let Self { columns, rows, .. } = *self;
        let row_maximum = |row: &[u8], into: &mut [u8]| {
            for ((into, before), after) in into[1..].iter_mut().zip(row).zip(&row[2..]) {
                *into = (*before).max(*after);
            }
            into[0] = row[columns - 1].max(row[1]);
            into[columns - 1] = row[columns - 2].max(row[0]);
            for (into, middle) in into.iter_mut().zip(row) {
                *into = (*into).max(*middle);
            }
        };
        for _ in 0..rounds {
            self.scratch.resize(self.marks.len(), 0);
            for (row, into) in self.marks.chunks(columns).zip(self.scratch.chunks_mut(columns)) {
                row_maximum(row, into);
            }
            for y in 0..rows {
                let row = |y: usize| &self.scratch[(y % rows) * columns..][..columns];
                let (below, middle, above) = (row(y + rows - 1), row(y), row(y + 1));
                let marks = &mut self.marks[y * columns..][..columns];
                for (x, mark) in marks.iter_mut().enumerate() {
                    let highest = below[x].max(middle[x]).max(above[x]);
                    *mark = (*mark).max(highest.saturating_sub(1));
                }
            }
        }
    }
}

/// The entry of a tile in a table of this size.
fn entry(columns: usize, rows: usize, x: i64, y: i64) -> usize {
    (y as usize & (rows - 1)) * columns + (x as usize & (columns - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_spread_in_rings_and_wrap_around() {
        let mut tiles = Tiles::default();
        let point = Vec2::new(5.0, -5.0);
        tiles.clear(10.0, 1, FluidBounds { low: point, high: point });
        tiles.mark(FluidBounds { low: point, high: point }, 4);
        tiles.spread(3);
        for (x, y) in (-7..=8).flat_map(|x| (-7..=8).map(move |y| (x, y))) {
            let away = i32::abs(x).max(i32::abs(y)) as u8;
            let position = point + 10.0 * Vec2::new(x as f32, y as f32);
            let expected = 4_u8.saturating_sub(away);
            assert_eq!(tiles.mark_at(position), expected, "{x} {y}");
            assert_eq!(tiles.mark_at(position + 160.0), expected, "a torus of 16 tiles");
            assert_eq!(
                tiles.any_marked(FluidBounds { low: position, high: position }),
                expected > 0
            );
        }
    }

    #[test]
    fn a_box_beyond_all_bounds_marks_each_tile_once() {
        let mut tiles = Tiles::default();
        let all = FluidBounds { low: Vec2::splat(-1e30), high: Vec2::splat(1e30) };
        tiles.clear(1.0, 100, all);
        tiles.mark(all, 1);
        assert!(tiles.marks.iter().all(|mark| *mark == 1));
        tiles.clear(1.0, 100, all);
        assert!(tiles.any_marked(all), "the box may be larger than the table");
    }

    #[test]
    fn far_apart_in_a_long_world_is_not_the_same_tile() {
        let point = |x: f32| FluidBounds { low: Vec2::new(x, 3.0), high: Vec2::new(x, 3.0) };
        let mut tiles = Tiles::default();
        tiles.clear(20.0, 1000, point(-5000.0).union(point(5000.0)));
        tiles.mark(point(-5000.0), 4);
        tiles.spread(3);
        let marked = (0..500).filter(|step| tiles.any_marked(point(20.0 * *step as f32 - 5000.0)));
        assert_eq!(marked.collect::<Vec<_>>(), [0, 1, 2, 3]);
        // A tile beyond all particles does not share an entry with them either.
        tiles.clear(20.0, 1000, point(0.0));
        tiles.mark(point(20.0 * 16.0), 4);
        assert!(!tiles.any_marked(point(0.0)));
        // There are many more tiles than particles, so entries are shared.
        tiles.clear(20.0, 1000, point(-5e6).union(point(5e6)));
        assert_eq!(tiles.marks.len(), MIN_ENTRY_LIMIT);
    }
}
