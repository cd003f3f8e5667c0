//! Bins: which pieces are near a place.

use blob_fluid::FluidBounds;
use glam::{UVec2, Vec2};

use crate::solids::pieces::distance_to_line;

/// Where a piece is, or passes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed {
    /// Number of the piece. Pieces come in the order of their numbers.
    pub piece: u32,
    pub ends: [Vec2; 2],
    /// How far from the line between the ends it is felt.
    pub margin: f32,
}

impl Placed {
    fn bounds(&self) -> FluidBounds {
        FluidBounds::of(&self.ends).inflated(self.margin)
    }

    fn is_felt(&self, point: Vec2, distance: f32) -> bool {
        distance_to_line(self.ends, point) <= self.margin + distance
    }
}

/// A body in which liquid may be deeper than its pieces are felt.
pub(crate) struct Deep<'a> {
    /// Where that may be.
    pub bounds: FluidBounds,
    /// The piece through which liquid at a point is to leave, if it is so deep there.
    pub way_out: Box<dyn Fn(Vec2) -> Option<u32> + 'a>,
}

/// For each bin of a grid, the pieces that are felt in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bins {
    pub low: Vec2,
    pub per_bin: f32,
    pub columns: u32,
    pub rows: u32,
    /// Where each bin's entries begin, and one more.
    pub starts: Vec<u32>,
    /// Numbers of pieces, ascending in each bin.
    pub entries: Vec<u32>,
}

impl Bins {
    /// The pieces that are felt at a point.
    pub(crate) fn at(&self, point: Vec2) -> &[u32] {
        let at = (point - self.low) * self.per_bin;
        let count = UVec2::new(self.columns, self.rows);
        if !(at.cmpge(Vec2::ZERO).all() && at.cmplt(count.as_vec2()).all()) {
            return &[];
        }
        let at = at.as_uvec2().min(count - 1);
        let bin = (at.y * count.x + at.x) as usize;
        &self.entries[self.starts[bin] as usize..self.starts[bin + 1] as usize]
    }

    /// Bins of at least this `size` for the pieces, as far as they are felt in `domain`.
    ///
    /// `deep` is asked for the middle of each bin in which no piece of a body is felt, for a piece that
    /// liquid deep in the body there is to leave through.
    pub(crate) fn over(
        placed: &[Placed],
        size: f32,
        most: f32,
        domain: FluidBounds,
        deep: &[Deep<'_>],
    ) -> Self {
        let felt = placed.iter().map(Placed::bounds).filter(|bounds| bounds.low.is_finite());
        let all = felt.fold(FluidBounds::NONE, FluidBounds::union).intersection(domain);
        if !(all.low.cmple(all.high).all() && all.low.is_finite() && all.high.is_finite()) {
            return Self::default();
        }
        let mut size = size;
        let bins = |size: f32| ((all.high - all.low) / size).ceil().max(Vec2::ONE);
        while bins(size).element_product() > most {
            size *= 2.0;
        }
        let count = bins(size).as_uvec2();
        let low = all.low;
        // Half of a bin's diagonal, and rounding.
        let half = 0.708 * size;
        let middle = |column: u32, row: u32| low + (UVec2::new(column, row).as_vec2() + 0.5) * size;
        let mut found = Vec::new();
        let mut last = vec![u32::MAX; (count.x * count.y) as usize];
        let range = |bounds: FluidBounds| {
            let first = ((bounds.low - low) / size).floor().max(Vec2::ZERO).as_uvec2();
            let end = ((bounds.high - low) / size).floor().max(-Vec2::ONE) + 1.0;
            (first, end.as_uvec2().min(count))
        };
        for place in placed {
            let (first, end) = range(place.bounds());
            for row in first.y..end.y {
                for column in first.x..end.x {
                    let bin = row * count.x + column;
                    let felt = || place.is_felt(middle(column, row), half);
                    if last[bin as usize] != place.piece && felt() {
                        last[bin as usize] = place.piece;
                        found.push((bin, place.piece));
                    }
                }
            }
        }
        let of_pieces = found.len();
        for body in deep {
            let (first, end) = range(body.bounds);
            for row in first.y..end.y {
                for column in first.x..end.x {
                    if let Some(piece) = (body.way_out)(middle(column, row)) {
                        found.push((row * count.x + column, piece));
                    }
                }
            }
        }
        if found.len() > of_pieces {
            found.sort_by_key(|(_, piece)| *piece);
        }
        let mut starts = vec![0; last.len() + 1];
        for (bin, _) in &found {
            starts[*bin as usize + 1] += 1;
        }
        for bin in 1..starts.len() {
            starts[bin] += starts[bin - 1];
        }
        let mut next = starts.clone();
        let mut entries = vec![0; found.len()];
        for (bin, piece) in found {
            let place = &mut next[bin as usize];
            entries[*place as usize] = piece;
            *place += 1;
        }
        Self { low, per_bin: 1.0 / size, columns: count.x, rows: count.y, starts, entries }
    }
}
