//! How much liquid a body displaces.

use std::sync::Arc;

use bevy::prelude::*;
use blob_fluid::{Body, FluidBounds};

use super::pieces::Piece;

/// Number of sample points along each axis.
const SAMPLES: u32 = 80;

/// Areas of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Areas {
    /// Sum of the areas of its pieces, as engines compute masses from densities.
    pub summed: f32,
    /// Area of the liquid that it displaces when it is sunk, with a [gap](Body::GAP).
    pub displaced: f32,
}

/// A collider's pieces and its pose on its body.
pub(super) type Part = (Arc<[Piece]>, Vec2, Vec2);

/// The areas of a body's parts for a particle spacing in world units.
pub(super) fn areas(parts: &[Part], particle_spacing: f32) -> Areas {
    let placed = |(pieces, centre, rotation): &Part| -> Vec<Piece> {
        pieces.iter().cloned().map(|piece| piece.placed(*centre, *rotation)).collect()
    };
    let mut pieces: Vec<Piece> = parts.iter().flat_map(placed).collect();
    pieces.retain(|piece| piece.bounds().half_size().is_finite());
    let summed: f32 = pieces.iter().map(|piece| piece.shape.area()).sum();
    let gap = Body::GAP * particle_spacing;
    let around =
        pieces.iter().map(Piece::bounds).fold(FluidBounds::NONE, FluidBounds::union).inflated(gap);
    let step = (around.high - around.low) / SAMPLES as f32;
    let mut count = 0_u32;
    if step.is_finite() && step.min_element() > 0.0 {
        for index in 0..SAMPLES * SAMPLES {
            let cell = Vec2::new((index % SAMPLES) as f32, (index / SAMPLES) as f32) + 0.5;
            let point = around.low + step * cell;
            let covered = |piece: &Piece| piece.distance(point) <= gap;
            count += u32::from(pieces.iter().any(covered));
        }
    }
    Areas { summed, displaced: count as f32 * step.x * step.y }
}

#[cfg(test)]
mod tests {
    use super::*;
    use blob_fluid::FluidShape;

    #[test]
    fn overlapping_parts_displace_their_liquid_once() {
        let square = |x: f32| {
            let shape = FluidShape::Rectangle { half_size: Vec2::splat(20.0) };
            (Arc::from([Piece::new(shape)]), Vec2::new(x, 0.0), Vec2::X)
        };
        let Areas { summed, displaced } = areas(&[square(-10.0), square(10.0)], 8.0);
        assert_eq!(summed, 3200.0);
        // 60 by 40 with a gap, and round corners.
        let gap = Body::GAP * 8.0;
        let expected = 2400.0 + 200.0 * gap + std::f32::consts::PI * gap * gap;
        assert!((displaced / expected - 1.0).abs() < 0.01, "{displaced} of {expected}");
    }
}
