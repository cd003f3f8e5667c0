//! Densities of walls and classes that measures need between ticks.

use glam::Vec2;

use crate::boundary::near::Near;
use crate::boundary::near_walls::NearWalls;
use crate::geometry::bounds::FluidBounds;
use crate::liquid::state::Liquid;
use crate::settings::class::ClassId;
use crate::solver::kernel::{GHOST_DENSITY_PER_EQUILIBRIUM, ghost_wall};

impl Liquid {
    /// Density at which particles of a class rest (`rho_eq`).
    pub(crate) fn equilibrium_density(&self, class: ClassId) -> f32 {
        self.parameters.equilibrium_density() * self.classes[class].relative_rest_density
    }

    /// Density that walls near a particle add to the particle's density.
    pub(crate) fn wall_density(&self, index: usize) -> f32 {
        let position = self.particles.position[index];
        let radius = self.parameters.interaction_radius();
        let near = self.boundary.around(FluidBounds { low: position, high: position }, radius);
        near.map_or(0.0, |near| self.wall_density_at(&near, position, self.particles.class[index]))
    }

    /// Density that walls add at a position. `near` holds the walls within an interaction radius.
    pub(crate) fn wall_density_at(&self, near: &Near, position: Vec2, class: ClassId) -> f32 {
        let behind = self.parameters.ghost_walls.density
            * GHOST_DENSITY_PER_EQUILIBRIUM
            * self.equilibrium_density(class);
        let radius = self.parameters.interaction_radius();
        let mut total = 0.0;
        let (particle, mut buffer) = ((position, position, class), NearWalls::NONE);
        self.boundary.visit_pressing(near, particle, radius, &mut buffer, |near| {
            total += near.fade_in * behind * ghost_wall(near.distance / radius).density;
        });
        total
    }
}
