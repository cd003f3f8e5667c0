//! Where the bins of columns of liquid are.

use blob_fluid::Liquid;
use glam::{IVec2, UVec2, Vec2};

use crate::grid::Grid;

/// Number of bins that may always be used, however few the particles.
const FEW_BINS: u64 = 1 << 14;

/// Where the bins are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Frame {
    pub origin: Vec2,
    pub down: Vec2,
    /// Column and row of the first bin, and their numbers. If the grid has far more bins than there are particles,
    /// bins that are far apart share an entry, which may make the liquid seem deeper.
    pub first: IVec2,
    pub size: UVec2,
    pub fullest: u32,
}

impl Frame {
    /// The bins over a grid with so many places of particles. There are none without gravity.
    pub(crate) fn over(grid: &Grid, liquid: &Liquid, count: u32) -> Self {
        let Some(columns) = liquid.device_columns() else { return Self::default() };
        let (radius, down) = (liquid.parameters().interaction_radius(), columns.down);
        let origin = columns.origin.unwrap_or(grid.low);
        let corners = [grid.low, grid.high, Vec2::new(grid.low.x, grid.high.y)];
        let corners = corners.into_iter().chain([Vec2::new(grid.high.x, grid.low.y)]);
        let bins = corners.map(|corner| {
            let offset = (corner - origin) / radius;
            Vec2::new(offset.dot(down.perp()), offset.dot(down))
        });
        let (low, high) = bins.fold((Vec2::INFINITY, Vec2::NEG_INFINITY), |(low, high), bin| {
            (low.min(bin), high.max(bin))
        });
        let far = Vec2::splat(1e9);
        let first = low.floor().clamp(-far, far).as_ivec2();
        let mut size = (high - low + 2.0).clamp(Vec2::ONE, far).as_uvec2();
        let most = u64::from(count).max(FEW_BINS);
        while u64::from(size.x) * u64::from(size.y) > most {
            let longer = if size.x > size.y { &mut size.x } else { &mut size.y };
            *longer = longer.div_ceil(2);
        }
        Self { origin, down, first, size, fullest: columns.fullest }
    }

    /// Number of bins, with the one for the sums over all.
    pub(crate) fn bins(&self) -> u32 {
        self.size.element_product() + 1
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.size == UVec2::ZERO
    }
}
