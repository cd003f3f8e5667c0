//! A hash table of points, which finds new particles that are near to each other.

use glam::Vec2;

use crate::parallel::lanes::floor;

/// Index that marks the end of a chain.
const NONE: u32 = u32::MAX;

/// Points in square cells; a hash of the cell chooses the bucket.
#[derive(Clone, Debug, Default)]
pub(crate) struct PointHash {
    points: Vec<Vec2>,
    /// For each bucket, the last point in it.
    last: Vec<u32>,
    /// For each point, the previous point in its bucket.
    before: Vec<u32>,
    cell: f32,
}

impl PointHash {
    /// Removes all points, and sets the radius for the next calls of
    /// [`for_each_around`](Self::for_each_around) and [`is_free`](Self::is_free).
    pub(crate) fn clear(&mut self, radius: f32) {
        self.points.clear();
        self.before.clear();
        self.last.fill(NONE);
        self.cell = radius;
    }

    fn cell_of(&self, point: Vec2) -> (i32, i32) {
        (floor(point.x / self.cell), floor(point.y / self.cell))
    }

    fn bucket(&self, (x, y): (i32, i32)) -> usize {
        let hash = (x as u32).wrapping_mul(0x9e37_79b9) ^ (y as u32).wrapping_mul(0x85eb_ca6b);
        (hash ^ (hash >> 15)) as usize & (self.last.len() - 1)
    }

    /// Adds a point.
    pub(crate) fn add(&mut self, point: Vec2) {
        if self.points.len() >= self.last.len() {
            let buckets = (2 * self.last.len()).max(64);
            self.last.clear();
            self.last.resize(buckets, NONE);
            self.before.clear();
            for index in 0..self.points.len() {
                self.link(index);
            }
        }
        self.points.push(point);
        self.link(self.points.len() - 1);
    }

    fn link(&mut self, index: usize) {
        let bucket = self.bucket(self.cell_of(self.points[index]));
        self.before.push(self.last[bucket]);
        self.last[bucket] = index as u32;
    }

    /// Whether no point lies within the radius of a position.
    pub(crate) fn is_free(&self, position: Vec2) -> bool {
        let squared = self.cell * self.cell;
        !self.any_around(position, |_, point| point.distance_squared(position) < squared)
    }

    /// Calls `visit` with the index, in the order of adding, and the position of all points within
    /// the radius of a position, and of some others.
    pub(super) fn for_each_around(&self, position: Vec2, mut visit: impl FnMut(usize, Vec2)) {
        self.any_around(position, |index, point| {
            visit(index, point);
            false
        });
    }

    /// As [`for_each_around`](Self::for_each_around), but ends when `visit` returns `true`, and
    /// returns whether it did.
    fn any_around(&self, position: Vec2, mut visit: impl FnMut(usize, Vec2) -> bool) -> bool {
        if self.points.is_empty() {
            return false;
        }
        let (x, y) = self.cell_of(position);
        for (dx, dy) in (-1..=1).flat_map(|dx| (-1..=1).map(move |dy| (dx, dy))) {
            let cell = (x.saturating_add(dx), y.saturating_add(dy));
            let mut next = self.last[self.bucket(cell)];
            while let Some(point) = self.points.get(next as usize) {
                if self.cell_of(*point) == cell && visit(next as usize, *point) {
                    return true;
                }
                next = self.before[next as usize];
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::shape::scatter;

    #[test]
    fn it_finds_what_comparing_with_all_finds() {
        let mut taken = PointHash::default();
        for round in 0..2 {
            taken.clear(3.0);
            let mut points: Vec<Vec2> = Vec::new();
            for index in 0..2000 {
                let point = scatter(index + 5000 * round) * 80.0;
                let free = points.iter().all(|other| other.distance(point) >= 3.0);
                assert_eq!(taken.is_free(point), free);
                taken.add(point);
                points.push(point);
            }
        }
    }
}
