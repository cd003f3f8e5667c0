//! Tiles of the plane, to find what moves nearby.

use glam::Vec2;

use crate::geometry::bounds::Bounds;
use crate::parallel::lanes::floor;

/// Square tiles of the plane, wrapped around a torus of a fixed size: tiles far apart may share an
/// entry, which then wakes more than it must.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tiles {
    marks: Vec<u8>,
    scratch: Vec<u8>,
    crowds: Vec<Crowd>,
    /// Tiles in a row, and rows; a power of two.
    side: usize,
    inverse_size: f32,
}

/// Particles in a tile.
#[derive(Clone, Copy, Debug, Default)]
struct Crowd {
    all: u32,
    restless: u32,
}

impl Tiles {
    /// Unmarked tiles of a size, of which about as many as there are particles have an entry of
    /// their own.
    pub(crate) fn clear(&mut self, size: f32, particles: usize) {
        self.side = (particles as f32).sqrt().max(16.0) as usize;
        self.side = self.side.next_power_of_two();
        self.inverse_size = 1.0 / size;
        self.marks.clear();
        self.marks.resize(self.side * self.side, 0);
        self.crowds.clear();
        self.crowds.resize(self.side * self.side, Crowd::default());
    }

    /// Counts a particle, which may be restless.
    pub(crate) fn count(&mut self, point: Vec2, restless: bool) {
        let entry = self.entry(self.tile(point));
        let crowd = &mut self.crowds[entry];
        crowd.all += 1;
        crowd.restless += u32::from(restless);
    }

    /// Marks the tiles of whose particles at least one in `share` is restless.
    pub(crate) fn mark_restless(&mut self, share: u32, mark: u8) {
        for (own, crowd) in self.marks.iter_mut().zip(&self.crowds) {
            if crowd.restless > 0 && crowd.restless * share >= crowd.all {
                *own = mark;
            }
        }
    }

    fn tile(&self, point: Vec2) -> (i64, i64) {
        let scaled = point * self.inverse_size;
        (i64::from(floor(scaled.x)), i64::from(floor(scaled.y)))
    }

    fn entry(&self, (x, y): (i64, i64)) -> usize {
        let wrapped = |x: i64| x as usize & (self.side - 1);
        wrapped(y) * self.side + wrapped(x)
    }

    /// The mark of the tile a point lies in.
    pub(crate) fn mark_at(&self, point: Vec2) -> u8 {
        self.marks[self.entry(self.tile(point))]
    }

    /// Whether any tile is marked that a box touches.
    pub(crate) fn any_marked(&self, bounds: Bounds) -> bool {
        let (low, high) = (self.tile(bounds.low), self.tile(bounds.high));
        let side = self.side as i64;
        if high.0 - low.0 >= side || high.1 - low.1 >= side {
            return true;
        }
        (low.1..=high.1).any(|y| (low.0..=high.0).any(|x| self.marks[self.entry((x, y))] != 0))
    }

    /// Marks the tiles that a box touches.
    pub(crate) fn mark(&mut self, bounds: Bounds, mark: u8) {
        let (low, high) = (self.tile(bounds.low), self.tile(bounds.high));
        let side = self.side as i64;
        // Once around the torus is everywhere.
        for y in low.1..=high.1.min(low.1.saturating_add(side - 1)) {
            for x in low.0..=high.0.min(low.0.saturating_add(side - 1)) {
                let entry = self.entry((x, y));
                self.marks[entry] = mark;
            }
        }
    }

    /// Lets marks spread to all neighbouring tiles, each time losing 1, `rounds` times.
    pub(crate) fn spread(&mut self, rounds: u32) {
        let side = self.side;
        let largest = |row: &[u8], into: &mut [u8]| {
            for ((into, before), after) in into[1..].iter_mut().zip(row).zip(&row[2..]) {
                *into = (*before).max(*after);
            }
            into[0] = row[side - 1].max(row[1]);
            into[side - 1] = row[side - 2].max(row[0]);
            for (into, own) in into.iter_mut().zip(row) {
                *into = (*into).max(*own);
            }
        };
        for _ in 0..rounds {
            self.scratch.resize(self.marks.len(), 0);
            for (row, into) in self.marks.chunks(side).zip(self.scratch.chunks_mut(side)) {
                largest(row, into);
            }
            for y in 0..side {
                let row = |y: usize| &self.scratch[(y % side) * side..][..side];
                let (below, own, above) = (row(y + side - 1), row(y), row(y + 1));
                let marks = &mut self.marks[y * side..][..side];
                for (x, mark) in marks.iter_mut().enumerate() {
                    let around = below[x].max(own[x]).max(above[x]);
                    *mark = (*mark).max(around.saturating_sub(1));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_spread_in_rings_and_wrap_around() {
        let mut tiles = Tiles::default();
        tiles.clear(10.0, 1);
        let point = Vec2::new(5.0, -5.0);
        tiles.mark(Bounds { low: point, high: point }, 4);
        tiles.spread(3);
        for (x, y) in (-7..=8).flat_map(|x| (-7..=8).map(move |y| (x, y))) {
            let away = i32::abs(x).max(i32::abs(y)) as u8;
            let there = point + 10.0 * Vec2::new(x as f32, y as f32);
            let expected = 4_u8.saturating_sub(away);
            assert_eq!(tiles.mark_at(there), expected, "{x} {y}");
            assert_eq!(tiles.mark_at(there + 160.0), expected, "a torus of 16 tiles");
            assert_eq!(tiles.any_marked(Bounds { low: there, high: there }), expected > 0);
        }
    }

    #[test]
    fn a_box_beyond_all_bounds_marks_each_tile_once() {
        let mut tiles = Tiles::default();
        tiles.clear(1.0, 100);
        let all = Bounds { low: Vec2::splat(-1e30), high: Vec2::splat(1e30) };
        tiles.mark(all, 1);
        assert!(tiles.marks.iter().all(|mark| *mark == 1));
        tiles.clear(1.0, 100);
        assert!(tiles.any_marked(all), "who knows");
    }
}
