//! Solids in the air. A stub: every face is open.

use crate::air::grid::Grid;
use crate::air::sides::Sides;
use crate::boundary::collider::Collider;
use crate::boundary::container::Container;

/// What is solid.
#[derive(Clone, Debug)]
pub(crate) struct AirSolids {
    share: Vec<f32>,
}

impl AirSolids {
    pub(crate) fn new(grid: &Grid, _sides: &Sides) -> Self {
        Self { share: vec![1.0; grid.cells()] }
    }

    pub(crate) fn set_sides(&mut self, _grid: &Grid, _sides: &Sides) {}

    pub(crate) fn set<'a>(
        &mut self,
        _grid: &Grid,
        _sides: &Sides,
        _containers: impl IntoIterator<Item = &'a Container>,
        _colliders: impl IntoIterator<Item = &'a Collider>,
    ) {
    }

    pub(crate) fn empty_solid_cells(&self, _values: &mut [f32]) {}

    pub(crate) fn air_shares(&self) -> &[f32] {
        &self.share
    }
}
