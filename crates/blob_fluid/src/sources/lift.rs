//! How high liquid has to be lifted from one place to another.

use glam::Vec2;

use crate::geometry::region::FluidRegion;
use crate::liquid::state::Liquid;
use crate::settings::class::ClassId;

impl Liquid {
    /// Height, in world units against gravity, to which liquid is lifted that goes from one region to
    /// another: from the surface over the middle of the one to the surface over the middle of the
    /// other, or to that middle if it is dry. Negative if it goes down, and 0 without gravity.
    pub(super) fn lift(&self, from: &FluidRegion, to: &FluidRegion) -> f32 {
        let up = (-self.parameters().gravity).normalize_or(Vec2::ZERO);
        let level = |region: &FluidRegion| {
            let middle = middle(region);
            middle.dot(up) + self.column_over(middle, up)
        };
        level(to) - level(from)
    }

    /// Height of the liquid that stands over a point, up to the surface or to the first wall.
    pub(super) fn column_over(&self, point: Vec2, up: Vec2) -> f32 {
        let height = self.depth_at(point);
        let step = self.parameters().particle_spacing;
        let class = self.classes().default_class();
        let mut clear = 0.0;
        // The surface is found by density, which is smooth across thin walls.
        while clear < height && self.goes_on(point + up * clear, up * step, class) {
            clear += step;
        }
        clear.min(height)
    }

    fn goes_on(&self, point: Vec2, way: Vec2, class: ClassId) -> bool {
        // Where numbers are so large that a step is none, there is no end.
        point + way != point && self.is_open(point, point + way, class)
    }
}

/// The middle of a region.
pub(super) fn middle(region: &FluidRegion) -> Vec2 {
    region.to_world(region.shape().bounds().centre())
}
