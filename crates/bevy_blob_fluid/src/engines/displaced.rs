//! How much liquid a body displaces.

use std::sync::Arc;

use bevy::prelude::*;
use blob_fluid::FluidBounds;

use super::pieces::Piece;

/// Number of sample points along each axis.
const SAMPLES: u32 = 80;

/// Areas of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Areas {
    /// Sum of the areas of its pieces, as engines compute masses from densities.
    pub summed: f32,
    /// Area of the liquid that it displaces when it is sunk.
    pub displaced: f32,
}

/// A collider's pieces and its pose on its body.
pub(super) type Part = (Arc<[Piece]>, Vec2, Vec2);

/// The areas of a body's parts.
pub(super) fn areas(parts: &[Part]) -> Areas {
    let placed = |(pieces, centre, rotation): &Part| -> Vec<Piece> {
        pieces.iter().cloned().map(|piece| piece.placed(*centre, *rotation)).collect()
    };
    let mut pieces: Vec<Piece> = parts.iter().flat_map(placed).collect();
    pieces.retain(|piece| piece.bounds().half_size().is_finite());
    let summed: f32 = pieces.iter().map(|piece| piece.shape.area()).sum();
    let around = pieces.iter().map(Piece::bounds).fold(FluidBounds::NONE, FluidBounds::union);
    let step = (around.high - around.low) / SAMPLES as f32;
    // Where pieces overlap, liquid is displaced once.
    let (mut once, mut each) = (0_usize, 0_usize);
    if pieces.len() > 1 && step.is_finite() && step.min_element() > 0.0 {
        for index in 0..SAMPLES * SAMPLES {
            let cell = Vec2::new((index % SAMPLES) as f32, (index / SAMPLES) as f32) + 0.5;
            let point = around.low + step * cell;
            let covering = pieces.iter().filter(|piece| piece.distance(point) <= 0.0).count();
            once += covering.min(1);
            each += covering;
        }
    }
    let share = if each > 0 { once as f32 / each as f32 } else { 1.0 };
    Areas { summed, displaced: share * summed }
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
        let Areas { summed, displaced } = areas(&[square(-10.0), square(10.0)]);
        assert_eq!(summed, 3200.0);
        assert!((displaced / 2400.0 - 1.0).abs() < 0.01, "{displaced}");
        assert_eq!(areas(&[square(5.0)]), Areas { summed: 1600.0, displaced: 1600.0 });
    }
}
