//! Colours as paint.

use bevy::prelude::*;

/// The paint of a colour: red, green and blue, linear, 0 to 1. What is brighter or darker is cut.
pub(crate) fn paint_of(color: Color) -> [f32; 3] {
    let LinearRgba { red, green, blue, .. } = color.to_linear();
    [red, green, blue].map(|value| value.clamp(0.0, 1.0))
}
