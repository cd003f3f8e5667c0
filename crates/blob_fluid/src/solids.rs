//! Containers and colliders together: all that the liquid cannot pass.

use glam::Vec2;

use crate::bounds::Bounds;
use crate::collider::Collider;
use crate::container::{Container, container_of};
use crate::surface::NearSurface;

/// All containers and colliders.
#[derive(Clone, Debug, Default)]
pub(crate) struct Solids {
    pub containers: Vec<Container>,
    pub colliders: Vec<Collider>,
}

impl Solids {
    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.containers.is_empty() && self.colliders.is_empty()
    }

    /// Whether any surface gives heat.
    pub(crate) fn any_heats(&self) -> bool {
        let of_containers = self.containers.iter().map(Container::surface);
        let mut surfaces = of_containers.chain(self.colliders.iter().map(Collider::surface));
        surfaces.any(|surface| surface.temperature.is_some())
    }

    /// Whether anything moves.
    pub(crate) fn any_moves(&self) -> bool {
        self.containers.iter().any(Container::moves) || self.colliders.iter().any(Collider::moves)
    }

    /// Moves everything on by `time` seconds.
    pub(crate) fn advance(&mut self, time: f32) {
        self.containers.iter_mut().for_each(|container| container.advance(time));
        self.colliders.iter_mut().for_each(|collider| collider.advance(time));
    }

    /// Whether any surface may be within `reach` of a particle in a box, or such a particle beyond
    /// it, or have passed through a collider within `time` seconds. `false` is certain.
    pub(crate) fn may_meet(&self, bounds: Bounds, reach: f32, time: f32) -> bool {
        let by_containers = match &self.containers[..] {
            [] => false,
            [only] => only.may_meet(bounds, reach),
            // Which one a particle belongs to depends on where it came from.
            _ => true,
        };
        by_containers || self.colliders.iter().any(|own| own.may_meet(bounds, reach, time))
    }

    /// Calls `visit` for every surface within `reach` of a point, or that the point is beyond: the
    /// walls of the container that `home` belongs to, and all colliders.
    #[inline]
    pub(crate) fn near(
        &self,
        home: Vec2,
        point: Vec2,
        reach: f32,
        mut visit: impl FnMut(NearSurface),
    ) {
        if let Some(container) = container_of(&self.containers, home) {
            container.near_walls(point, reach, &mut visit);
        }
        for collider in &self.colliders {
            collider.near_surface(point, reach, &mut visit);
        }
    }
}
