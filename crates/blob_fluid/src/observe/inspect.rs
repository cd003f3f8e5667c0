//! Inspection: values of single particles and cells, for colours and debug drawings.

use std::f32::consts::PI;

use glam::Vec2;

use crate::boundary::near::{NearWalls, WallCandidates, WallProbe};
use crate::parallel::instructions::floor;
use crate::particles::arrays::Activity;
use crate::solver::equation_of_state::{
    EquationOfState, granular_pressures, near_density_at_rest, pressures,
};
use crate::solver::kernel::{GHOST_DENSITY_PER_EQUILIBRIUM, ghost_wall};
use crate::{ClassId, FluidBounds, Liquid, ParticleId, Particles};

/// A square cell of the plane that holds particles, as wide as the interaction radius. All
/// neighbours of a particle are in its cell or in the eight cells around that cell.
///
/// The solver's own grid has rows of the same height and narrower columns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// Position and size of the cell, in world units.
    pub bounds: FluidBounds,
    /// Number of particles in the cell; at least 1.
    pub particles: usize,
    /// Number of sleeping particles in the cell.
    pub asleep: usize,
}

impl Particles {
    /// Whether the particle at an index slept in the last tick.
    ///
    /// # Panics
    ///
    /// Panics if `index` is not below [`Particles::len`].
    pub fn is_asleep(&self, index: usize) -> bool {
        self.activity[index] < Activity::Awake
    }
}

impl Liquid {
    /// All cells that hold particles, row by row from the bottom, and from left to right in each
    /// row.
    ///
    /// ```
    /// use blob_fluid::{FluidWorld, ParticleSpawn};
    /// use glam::Vec2;
    /// let mut world = FluidWorld::default();
    /// for x in [-1.0, 1.0, 2.0] {
    ///     world.spawn(ParticleSpawn { position: Vec2::new(x, 1.0), ..Default::default() })?;
    /// }
    /// let cells = world.occupied_cells();
    /// assert_eq!(cells.iter().map(|cell| cell.particles).collect::<Vec<_>>(), [1, 2]);
    /// assert_eq!(cells[1].bounds.low, Vec2::ZERO);
    /// # Ok::<(), blob_fluid::SpawnError>(())
    /// ```
    pub fn occupied_cells(&self) -> Vec<Cell> {
        let size = self.parameters().interaction_radius();
        let inverse = 1.0 / size;
        let positions = self.particles.positions().iter().enumerate();
        // The particles are already in almost this order, because they are sorted.
        let mut keys: Vec<(i32, i32, bool)> = positions
            .filter(|(_, position)| position.is_finite())
            .map(|(index, position)| {
                let scaled = *position * inverse;
                (floor(scaled.y), floor(scaled.x), self.particles.is_asleep(index))
            })
            .collect();
        keys.sort_unstable();
        let same = |a: &(i32, i32, bool), b: &(i32, i32, bool)| (a.0, a.1) == (b.0, b.1);
        keys.chunk_by(same)
            .map(|particles| {
                let (row, column, _) = particles[0];
                let low = size * Vec2::new(column as f32, row as f32);
                Cell {
                    bounds: FluidBounds { low, high: low + size },
                    particles: particles.len(),
                    asleep: particles.iter().filter(|(_, _, asleep)| *asleep).count(),
                }
            })
            .collect()
    }

    /// The neighbours of a particle: all particles within the interaction radius, in the order of
    /// their indices. Empty for a dead particle.
    ///
    /// ```
    /// use blob_fluid::{FluidWorld, ParticleSpawn};
    /// use glam::Vec2;
    /// let mut world = FluidWorld::default();
    /// let mut spawn = |x| {
    ///     world.spawn(ParticleSpawn { position: Vec2::new(x, 0.0), ..Default::default() })
    /// };
    /// let (a, b, _far) = (spawn(0.0)?, spawn(20.0)?, spawn(31.0)?);
    /// assert_eq!(world.neighbours(a), [b]);
    /// # Ok::<(), blob_fluid::SpawnError>(())
    /// ```
    pub fn neighbours(&self, id: ParticleId) -> Vec<ParticleId> {
        let mut neighbours = Vec::new();
        let Some(centre) = self.particles.index_of(id) else { return neighbours };
        let positions = self.particles.positions();
        let radius = self.parameters().interaction_radius();
        let around = FluidBounds::at(positions[centre]).inflated(radius);
        self.particles.index().visit(
            |bounds| bounds.intersects(around),
            |run| {
                let near = run.filter(|index| {
                    let squared = positions[*index].distance_squared(positions[centre]);
                    squared < radius * radius && *index != centre
                });
                neighbours.extend(near.map(|index| self.particles.ids()[index]));
            },
        );
        neighbours
    }

    /// Pressure on the particle at an index, divided by the rest density of the medium class, in
    /// (world units/s)². In liquid at rest, it is about gravity times depth times the relative mass
    /// of the liquid above. The pressure is below 0 where particles are sparse and attract each
    /// other.
    ///
    /// The formula is `(pi h^3/24 d^2) m (P + 0.4 P_near)`. This formula is the virial of the
    /// forces between evenly spread particles. The formula uses the
    /// [density](crate::Particles::relative_densities) `rho` of the last substep and the near
    /// density `0.6 rho - 0.4`.
    ///
    /// # Panics
    ///
    /// Panics if `index` is not below [`Particles::len`](crate::Particles::len).
    ///
    /// ```
    /// use blob_fluid::{FluidWorld, ParticleSpawn, SerialExecutor};
    /// let mut world = FluidWorld::default();
    /// world.spawn(ParticleSpawn::default())?;
    /// world.step(1.0 / 60.0, &SerialExecutor)?;
    /// assert!(world.pressure(0) < 0.0, "a drop alone");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pressure(&self, index: usize) -> f32 {
        let class = &self.classes[self.particles.class[index]];
        let state = EquationOfState::of(&self.parameters, class);
        let density = self.particles.relative_density[index] * state.equilibrium_density;
        let radius = self.parameters.interaction_radius();
        let resistance = self.parameters.solver.resistance(self, self.clock.substep);
        let near_density = near_density_at_rest(density);
        let found = if class.powder.is_some() {
            granular_pressures(&state, resistance, density, near_density)
        } else {
            // In liquid at rest, the previous substep left the same pressure as this one.
            let kept =
                resistance.memory_fraction * self.particles.kept_pressure(index) / class.mass;
            pressures(&state, resistance, kept, density, near_density)
        };
        let spacing = self.parameters.particle_spacing;
        let spread = PI / 24.0 * radius * (radius / spacing) * (radius / spacing);
        spread * class.mass * (found.pressure + 0.4 * found.near_pressure)
    }
}

// Densities of walls and classes that measures need between ticks.

impl Liquid {
    /// Density at which particles of a class rest (`rho_eq`).
    pub(crate) fn equilibrium_density(&self, class: ClassId) -> f32 {
        self.parameters.equilibrium_density() * self.classes[class].relative_rest_density
    }

    /// Density that walls near a particle add to the particle's density.
    pub(crate) fn wall_density(&self, index: usize) -> f32 {
        let position = self.particles.position[index];
        let radius = self.parameters.interaction_radius();
        let candidates = self.boundary.find_candidates(FluidBounds::at(position), radius);
        candidates.map_or(0.0, |candidates| {
            self.wall_density_at(&candidates, position, self.particles.class[index])
        })
    }

    /// Density that walls add at a position. `candidates` holds the walls within an interaction
    /// radius.
    pub(crate) fn wall_density_at(
        &self,
        candidates: &WallCandidates,
        position: Vec2,
        class: ClassId,
    ) -> f32 {
        let behind = self.parameters.ghost_walls.density
            * GHOST_DENSITY_PER_EQUILIBRIUM
            * self.equilibrium_density(class);
        let radius = self.parameters.interaction_radius();
        let mut total = 0.0;
        let probe = WallProbe { container_point: position, point: position, class };
        let mut buffer = NearWalls::NONE;
        self.boundary.for_each_pressure_wall(candidates, probe, radius, &mut buffer, |wall| {
            total += wall.fade_in * behind * ghost_wall(wall.distance / radius).density;
        });
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SerialExecutor;
    use crate::{Container, FluidParameters, FluidShape, FluidWorld, ParticleSpawn};

    /// A pool with the given width and height in particle spacings, after some seconds.
    fn pool(columns: f32, rows: f32, seconds: f32) -> FluidWorld {
        let mut world = FluidWorld::default();
        let FluidParameters { particle_spacing: spacing, .. } = *world.parameters();
        let half_size = 0.5 * spacing * Vec2::new(columns, rows);
        let container =
            Container::rectangle(Vec2::Y * half_size.y, half_size * Vec2::new(1.0, 2.0));
        world.insert_container(container.expect("valid"));
        let liquid = FluidShape::Rectangle { half_size };
        for position in liquid.fill(Vec2::Y * half_size.y, spacing) {
            let position = position - Vec2::Y * half_size.y;
            world.spawn(ParticleSpawn { position, ..Default::default() }).expect("room for all");
        }
        for _ in 0..(60.0 * seconds) as u32 {
            world.step(1.0 / 60.0, &SerialExecutor).expect("valid");
        }
        world
    }

    #[test]
    fn cells_hold_every_particle_where_it_is() {
        let world = pool(30.0, 6.0, 15.0);
        assert!(world.asleep() > 0, "a shallow pool calms down");
        let cells = world.occupied_cells();
        let particles = world.particles();
        for cell in &cells {
            let inside = |index: &usize| {
                let FluidBounds { low, high } = cell.bounds;
                let position = particles.positions()[*index];
                position.cmpge(low).all() && position.cmplt(high).all()
            };
            let indices: Vec<usize> = (0..particles.len()).filter(inside).collect();
            assert_eq!(indices.len(), cell.particles);
            let asleep = indices.iter().filter(|index| particles.is_asleep(**index));
            assert_eq!(asleep.count(), cell.asleep);
        }
        assert_eq!(cells.iter().map(|cell| cell.particles).sum::<usize>(), particles.len());
        assert_eq!(cells.iter().map(|cell| cell.asleep).sum::<usize>(), world.asleep());
        let corners: Vec<(f32, f32)> =
            cells.iter().map(|cell| (cell.bounds.low.y, cell.bounds.low.x)).collect();
        assert!(corners.is_sorted());
    }

    #[test]
    fn neighbours_are_all_within_the_interaction_radius() {
        let world = pool(20.0, 20.0, 0.5);
        let particles = world.particles();
        let radius = world.parameters().interaction_radius();
        for centre in (0..particles.len()).step_by(17) {
            let near = |index: &usize| {
                let distance =
                    particles.positions()[*index].distance(particles.positions()[centre]);
                distance < radius && *index != centre
            };
            let expected: Vec<_> =
                (0..particles.len()).filter(near).map(|index| particles.ids()[index]).collect();
            assert!(expected.len() > 5);
            assert_eq!(world.neighbours(particles.ids()[centre]), expected);
        }
        let mut world = world;
        let dead = world.particles().ids()[0];
        world.despawn(dead);
        assert_eq!(world.neighbours(dead), []);
    }

    #[test]
    fn what_is_heavier_presses_more() {
        let mut world = FluidWorld::default();
        for (x, class) in [(0.0, ClassId::HEAVY), (500.0, ClassId::LIGHT)] {
            let position = Vec2::X * x;
            world.spawn(ParticleSpawn { position, class, ..Default::default() }).expect("room");
        }
        // A single particle is below the rest density, so its pressure is negative.
        world.step(1.0 / 60.0, &SerialExecutor).expect("valid");
        let classes = world.classes().clone();
        let [heavy, light] = [0, 1].map(|index| {
            let class = &classes[world.particles().classes()[index]];
            world.pressure(index) / (class.mass * class.relative_rest_density)
        });
        assert!(heavy < 0.0 && (heavy / light - 1.0).abs() < 1e-4, "{heavy} {light}");
    }

    #[test]
    fn pressure_grows_with_the_depth_as_hydrostatics_has_it() {
        let world = pool(20.0, 40.0, 12.0);
        let positions = world.particles().positions();
        let heights = || positions.iter().map(|position| position.y);
        let (top, bottom) =
            (heights().fold(f32::MIN, f32::max), heights().fold(f32::MAX, f32::min));
        let mean = |share: f32| {
            let level = top + share * (bottom - top);
            let near = |index: &usize| (positions[*index].y - level).abs() < 12.0;
            let pressures: Vec<f32> =
                (0..positions.len()).filter(near).map(|index| world.pressure(index)).collect();
            pressures.iter().sum::<f32>() / pressures.len() as f32
        };
        let gravity = world.parameters().gravity.length();
        for share in [0.25, 0.5, 0.75] {
            let expected = gravity * share * (top - bottom);
            let found = mean(share);
            assert!(
                (found / expected - 1.0).abs() < 0.25,
                "{share}: {found} instead of {expected}"
            );
        }
    }
}
