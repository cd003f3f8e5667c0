//! Whether a particle can come out of an opening: of a nozzle or of the outlet of a pump.

use glam::Vec2;

use crate::boundary::container::Container;
use crate::geometry::bounds::FluidBounds;
use crate::geometry::region::FluidRegion;
use crate::liquid::state::Liquid;
use crate::settings::class::ClassId;
use crate::settings::class_filter::ClassFilter;

/// Smallest distance between a particle that comes out of an opening and other particles, in particle
/// spacings. It is below the spacing at rest, because liquid at an opening is compressed.
pub(super) const OPENING_CLEARANCE: f32 = 0.6;

/// Depth inside a solid, in particle spacings, up to which a position counts as on its wall.
const TOUCHING: f32 = 0.05;

/// Depth inside a collider, in particle spacings, from which a nozzle is blocked.
const STOPPED_UP: f32 = 0.5;

impl Liquid {
    /// Whether no particle lies within `clearance` of a point.
    pub(super) fn is_free(&self, point: Vec2, clearance: f32) -> bool {
        let mut free = true;
        if let Ok(around) = FluidRegion::circle(point, clearance) {
            self.for_each_in(&around, ClassFilter::ALL, |_| free = false);
        }
        free
    }

    /// Whether a particle can get from the mouth of a nozzle to a point: both are in one container,
    /// if there are any containers, and no collider lies between them.
    pub(super) fn is_open(&self, mouth: Vec2, point: Vec2, class: ClassId) -> bool {
        let solids = &self.boundary;
        let spacing = self.parameters().particle_spacing;
        let (touching, stopped_up) = (TOUCHING * spacing, STOPPED_UP * spacing);
        let holds = |container: &Container| {
            container.depth(point) >= -touching && container.depth(mouth) >= -stopped_up
        };
        if !solids.containers.is_empty() && !solids.containers.iter().any(holds) {
            return false;
        }
        let Some(near) = solids.around(FluidBounds::of(&[mouth, point]), 0.0) else { return true };
        solids.stopping(&near, class).all(|(_, collider)| {
            let membrane = collider.options().one_way;
            let stopped_up = !membrane && collider.distance(mouth) < -stopped_up;
            let stopped = collider.stop(mouth, point, f32::INFINITY, collider.slack());
            !stopped_up && stopped.is_none_or(|(_, surface)| surface.distance > -touching)
        })
    }
}
