//! Poses of entities in the plane.

use bevy::prelude::*;
use bevy::transform::helper::TransformHelper;

/// A pose and a scale in the plane: a `Transform` without depth and tilt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Placement {
    pub position: Vec2,
    /// Cosine and sine of the angle, counter-clockwise.
    pub rotation: Vec2,
    /// Scale along the entity's own axes, neither 0; the first is negative where it is mirrored.
    pub scale: Vec2,
}

/// Why an entity has no valid placement in the plane.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub(crate) enum PlacementError {
    #[error("its transform or an ancestor's is missing")]
    Missing,
    #[error("its transform is not finite")]
    NotFinite,
    #[error("its scale is zero, or it is turned out of the plane")]
    Degenerate,
}

impl Placement {
    /// A direction of the entity in the world.
    pub(crate) fn direction(&self, local: Vec2) -> Vec2 {
        self.rotation.rotate(local * self.scale.signum())
    }

    /// The present placement of an entity, including its ancestors' transforms. Unlike
    /// `GlobalTransform` it is valid already in the frame in which the entity was spawned.
    pub(crate) fn of(entity: Entity, transforms: &TransformHelper) -> Result<Self, PlacementError> {
        let global =
            transforms.compute_global_transform(entity).map_err(|_| PlacementError::Missing)?;
        Self::from_global(&global)
    }

    /// The placement of a transform.
    pub(crate) fn from_global(global: &GlobalTransform) -> Result<Self, PlacementError> {
        let affine = global.affine();
        if !affine.is_finite() {
            return Err(PlacementError::NotFinite);
        }
        let axes = [affine.matrix3.x_axis, affine.matrix3.y_axis];
        let [x, y] = axes.map(|axis| axis.truncate());
        let scale = Vec2::new(x.length(), y.length());
        let area = x.perp_dot(y);
        // Of a right angle, rounding leaves a little in the plane.
        let is_tilted = axes.iter().any(|axis| axis.truncate().length() < 1e-6 * axis.length());
        if scale.min_element() < 1e-9 || area == 0.0 || is_tilted {
            return Err(PlacementError::Degenerate);
        }
        let position = affine.translation.truncate();
        // A negative scale on both axes is a half turn; on one of them, the other axis defines the
        // rotation.
        Ok(if area > 0.0 {
            Self { position, rotation: x / scale.x, scale }
        } else {
            let scale = Vec2::new(-scale.x, scale.y);
            Self { position, rotation: -y.perp() / scale.y, scale }
        })
    }
}
