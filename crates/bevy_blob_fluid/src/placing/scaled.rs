//! Shapes at the scale of their entities. They are scaled only when one of both changes: shapes of
//! many corners or pixels take a while.

use bevy::prelude::*;
use blob_fluid::{FluidRegion, FluidShape, OutOfRange};

use super::placement::Placement;

/// A shape at the scale of its entity: the shape, the scale, and the result.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scaled(Option<(FluidShape, Vec2, FluidShape)>);

impl Scaled {
    /// The shape at a scale: the earlier result, or a new one.
    pub(crate) fn get(&mut self, shape: &FluidShape, scale: Vec2) -> FluidShape {
        if let Some((scaled_from, at_scale, scaled)) = &self.0
            && scaled_from == shape
            && *at_scale == scale
        {
            return scaled.clone();
        }
        let scaled = shape.scaled(scale);
        self.0 = Some((shape.clone(), scale, scaled.clone()));
        scaled
    }

    /// The region of a shape at a placement.
    pub(crate) fn region(
        &mut self,
        shape: &FluidShape,
        placement: &Placement,
    ) -> Result<FluidRegion, OutOfRange> {
        FluidRegion::new(self.get(shape, placement.scale), placement.position, placement.rotation)
    }
}
