//! How high the liquid stands, and how deep a point lies in it.

use glam::Vec2;

use crate::liquid::state::Liquid;
use crate::settings::class_filter::ClassFilter;

impl Liquid {
    /// Height of the highest surface of the liquid (see [`density_at`](Self::density_at)) at a place
    /// across, both in world units; `None` where there is no liquid, or `across` is not finite.
    ///
    /// Heights are measured against gravity from the origin, and places across to the right of
    /// that: y and x where gravity points downwards, or is zero.
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

    /// How far it is, in world units, from a point in liquid up to where that liquid ends; 0 outside
    /// the liquid, or where the point is not finite.
    ///
    /// Up is against gravity, or the y axis where there is none.
    pub fn depth_at(&self, point: Vec2) -> f32 {
        self.way_out_of_liquid(point, self.up())
    }

    fn up(&self) -> Vec2 {
        (-self.parameters().gravity).normalize_or(Vec2::Y)
    }
}
