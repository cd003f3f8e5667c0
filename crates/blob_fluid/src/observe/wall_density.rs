//! Densities of walls and classes that measures need between ticks.

use crate::geometry::bounds::Bounds;
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
        let behind = self.parameters.ghost_walls.density
            * GHOST_DENSITY_PER_EQUILIBRIUM
            * self.equilibrium_density(self.particles.class[index]);
        let position = self.particles.position[index];
        let radius = self.parameters.interaction_radius();
        let mut total = 0.0;
        if let Some(near) = self.boundary.around(Bounds { low: position, high: position }, radius) {
            let particle = (position, position, self.particles.class[index]);
            self.boundary.visit(&near, particle, radius, |near| {
                total += behind * ghost_wall(near.distance / radius).density;
            });
        }
        total
    }
}
