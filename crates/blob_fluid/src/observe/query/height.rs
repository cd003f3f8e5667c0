//! Height of the liquid's surface, and depth of a point in the liquid.

use glam::Vec2;

use crate::liquid::state::Liquid;
use crate::settings::class_filter::ClassFilter;

impl Liquid {
    /// Height of the highest surface of the liquid (see [`density_at`](Self::density_at)) at the
    /// horizontal position `across`, both in world units; `None` if there is no liquid there, or
    /// `across` is not finite.
    ///
    /// Heights are measured from the origin against gravity, and horizontal positions to the right
    /// of that. These are y and x if gravity points downwards or is zero.
    pub fn surface_height(&self, across: f32) -> Option<f32> {
        if !across.is_finite() {
            return None;
        }
        let up = self.up();
        let radius = self.parameters().interaction_radius();
        let around = self.particles.index().bounds().inflated(radius);
        let (centre, half_size) = (around.centre(), around.half_size());
        let half_height = half_size.dot(up.abs());
        let top = centre.dot(up) + half_height;
        let origin = -up.perp() * across + up * top;
        if !origin.is_finite() {
            return None;
        }
        let way = self.way_to_liquid(origin, -up, 2.0 * half_height, ClassFilter::ALL)?;
        Some(top - way)
    }

    /// Distance, in world units, from a point in liquid upwards to where the liquid ends; 0 outside
    /// the liquid, or if the point is not finite.
    ///
    /// Upwards means against gravity, or along the y axis if there is no gravity.
    pub fn depth_at(&self, point: Vec2) -> f32 {
        self.way_out_of_liquid(point, self.up())
    }

    /// Depth of the liquid below a point, in world units: from the point, or from the first surface
    /// below it, down to where that liquid ends; 0 if there is no liquid below, or the point is not
    /// finite. A boat knows from it whether it runs aground.
    ///
    /// Below means along gravity, or against the y axis if there is no gravity.
    pub fn depth_below(&self, point: Vec2) -> f32 {
        let Some((down, end)) = self.way(point, -self.up(), f32::MAX) else { return 0.0 };
        let way = self.way_to_liquid(point, down, end, ClassFilter::ALL);
        way.map_or(0.0, |way| self.way_out_of_liquid(point + down * way, down))
    }

    fn up(&self) -> Vec2 {
        (-self.parameters().gravity).normalize_or(Vec2::Y)
    }
}
