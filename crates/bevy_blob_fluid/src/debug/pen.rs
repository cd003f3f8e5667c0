//! Shapes, crosses and arrows.

use bevy::prelude::*;
use blob_fluid::shape::iso_lines;
use blob_fluid::{FluidBounds, FluidRegion, FluidShape};

use super::gizmos::FluidGizmos;

/// Number of steps along the longer side of a round shape from which its outline is found.
const STEPS: f32 = 96.0;

/// Draws the outline of a shape at a position, turned by the angle whose cosine and sine are
/// `rotation`.
pub(super) fn outline(
    gizmos: &mut Gizmos<FluidGizmos>,
    shape: &FluidShape,
    (centre, rotation): (Vec2, Vec2),
    color: Color,
) {
    let position = |corner: Vec2| centre + rotation.rotate(corner);
    if let FluidShape::Field(_) = shape {
        let FluidBounds { low, high } = shape.bounds();
        let step = (high - low).max_element() / STEPS;
        let around = shape.bounds().inflated(step);
        iso_lines(
            around,
            step,
            &[0.0],
            |point| shape.distance(point),
            |_, [start, end]| {
                gizmos.line_2d(position(start), position(end), color);
            },
        );
        return;
    }
    for ring in shape.outlines().into_iter().flatten() {
        gizmos.lineloop_2d(ring.into_iter().map(position), color);
    }
}

/// Draws the outline of a region.
pub(super) fn outline_of(gizmos: &mut Gizmos<FluidGizmos>, region: &FluidRegion, color: Color) {
    outline(gizmos, region.shape(), (region.centre(), region.rotation()), color);
}

/// Draws a cross.
pub(super) fn cross(gizmos: &mut Gizmos<FluidGizmos>, centre: Vec2, size: f32, color: Color) {
    for arm in [Vec2::ONE, Vec2::new(1.0, -1.0)] {
        gizmos.line_2d(centre - arm * size, centre + arm * size, color);
    }
}

/// Draws an arrow, unless it has no length.
pub(super) fn arrow(gizmos: &mut Gizmos<FluidGizmos>, start: Vec2, way: Vec2, color: Color) {
    let length = way.length();
    if length.is_finite() && length > 0.0 {
        gizmos.arrow_2d(start, start + way, color).with_tip_length(0.3 * length);
    }
}

/// Mixes two colours in Oklab; `share` is 0 to 1.
pub(super) fn mixed(from: Color, to: Color, share: f32) -> Color {
    Oklaba::from(from).mix(&to.into(), share.clamp(0.0, 1.0)).into()
}
