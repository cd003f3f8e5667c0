//! Cameras that always show the whole scene.

use bevy::camera::ScalingMode;
use bevy::prelude::*;

/// A 2D camera that shows at least `width` by `height` world units around its position, whatever
/// the shape of the window.
pub fn fit_camera(width: f32, height: f32) -> impl Bundle {
    let scaling_mode = ScalingMode::AutoMin { min_width: width, min_height: height };
    let projection =
        OrthographicProjection { scaling_mode, ..OrthographicProjection::default_2d() };
    (Camera2d, Projection::Orthographic(projection))
}
