//! Bins: which pieces are near a place.

use blob_fluid::FluidBounds;
use glam::Vec2;

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
        let [start, end] = self.ends;
        let way = end - start;
        let along = (point - start).dot(way) / way.length_squared();
        // Ends at the same point give no number.
        let along = if along.is_finite() { along.clamp(0.0, 1.0) } else { 0.0 };
        point.distance(start + way * along) <= self.margin + distance
    }
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
    /// Bins of at least this `size` for the pieces, as far as they are felt in `domain`.
    pub(crate) fn over(placed: &[Placed], size: f32, most: f32, domain: FluidBounds) -> Self {
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
        let mut found = Vec::new();
        let mut last = vec![u32::MAX; (count.x * count.y) as usize];
        for place in placed {
            let bounds = place.bounds();
            let first = ((bounds.low - low) / size).floor().max(Vec2::ZERO).as_uvec2();
            let end = ((bounds.high - low) / size).floor().max(-Vec2::ONE) + 1.0;
            let end = end.as_uvec2().min(count);
            for row in first.y..end.y {
                for column in first.x..end.x {
                    let bin = row * count.x + column;
                    let centre = low + (Vec2::new(column as f32, row as f32) + 0.5) * size;
                    if last[bin as usize] != place.piece && place.is_felt(centre, half) {
                        last[bin as usize] = place.piece;
                        found.push((bin, place.piece));
                    }
                }
            }
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
