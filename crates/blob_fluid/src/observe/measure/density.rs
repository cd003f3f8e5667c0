//! Densities and neighbour counts of the particles.

use glam::Vec2;

use crate::liquid::state::Liquid;
use crate::parallel::executor::SerialExecutor;
use crate::solver::kernel::weight;
use crate::solver::neighbours::grid::Grid;

/// Density relative to the density at rest (the equilibrium density of each particle's class).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct DensityRatio {
    /// Mean over all particles.
    pub mean: f64,
    /// Value that one particle in a hundred exceeds.
    pub p99: f64,
    /// Largest value.
    pub max: f64,
}

/// Densities and neighbour counts of all particles.
pub(super) struct Neighbourhood {
    /// Density (`sum q^2`) of each particle, walls included.
    densities: Vec<f64>,
    /// Number of neighbours of each particle.
    pub neighbours: Vec<u32>,
    /// Smallest distance between two particles, in world units.
    pub min_distance: f64,
    /// Mean share of neighbours of the same class.
    pub purity: f64,
}

impl Neighbourhood {
    pub(super) fn of(world: &Liquid) -> Self {
        let radius = world.parameters().interaction_radius();
        let positions = &world.particles().position;
        // Particles that a host has just made invalid do not fit into the grid. The next tick
        // quarantines them.
        let indices: Vec<usize> =
            (0..positions.len()).filter(|index| world.keeps(*index)).collect();
        let points: Vec<Vec2> = indices.iter().map(|index| positions[*index]).collect();
        let mut grid = Grid::default();
        let order = grid.sort(&points, radius, &SerialExecutor);
        let order: Vec<usize> = order.iter().map(|old| indices[*old as usize]).collect();
        let mut densities = vec![0.0; positions.len()];
        let mut neighbours = vec![0; positions.len()];
        let classes = &world.particles().class;
        let mut alike = vec![0_u32; positions.len()];
        let mut min_distance = radius;
        let mut blocks = grid.blocks(0..points.len());
        while let Some(block) = blocks.next() {
            for sorted in block.particles.clone() {
                let index = order[sorted];
                for other in block.spans().flatten() {
                    let other = order[other];
                    let distance = positions[index].distance(positions[other]);
                    if other != index && distance < radius {
                        let q = f64::from(weight(distance, radius));
                        densities[index] += q * q;
                        neighbours[index] += 1;
                        alike[index] += u32::from(classes[index] == classes[other]);
                        min_distance = min_distance.min(distance);
                    }
                }
            }
        }
        for (index, density) in densities.iter_mut().enumerate() {
            *density += f64::from(world.wall_density(index));
        }
        let purity = alike.iter().zip(&neighbours).map(|(alike, all)| match all {
            0 => 1.0,
            all => f64::from(*alike) / f64::from(*all),
        });
        // The sum of no numbers is -0.
        let purity = purity.fold(0.0, |sum, share| sum + share) / positions.len().max(1) as f64;
        Self { densities, neighbours, min_distance: f64::from(min_distance), purity }
    }

    /// Densities relative to rest.
    pub(super) fn density_ratios(&self, world: &Liquid) -> Vec<f64> {
        let densities = self.densities.iter().zip(&world.particles().class);
        densities.map(|(rho, class)| rho / f64::from(world.equilibrium_density(*class))).collect()
    }
}

/// Mean, 99th percentile and maximum of densities relative to rest.
pub(super) fn density_ratio(ratios: &[f64]) -> DensityRatio {
    let mut sorted = ratios.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let Some(max) = sorted.last().copied() else {
        return DensityRatio::default();
    };
    DensityRatio {
        mean: sorted.iter().sum::<f64>() / sorted.len() as f64,
        p99: sorted[(sorted.len() - 1) * 99 / 100],
        max,
    }
}

/// Density near the bottom divided by the density near the liquid's surface; 1 if one of the two
/// has no particles.
pub(super) fn bottom_top_density(world: &Liquid, ratios: &[f64], heights: &[f64]) -> f64 {
    let radius = f64::from(world.parameters().interaction_radius());
    let mut sorted = heights.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let (Some(bottom), Some(surface)) = (sorted.first(), sorted.get(sorted.len() * 199 / 200))
    else {
        return 1.0;
    };
    let mean_between = |low: f64, high: f64| {
        let inside = heights.iter().zip(ratios).filter(|(h, _)| **h > low && **h < high);
        let (count, sum) = inside.fold((0.0, 0.0), |(n, sum), (_, ratio)| (n + 1.0, sum + ratio));
        (count > 0.0).then_some(sum / count)
    };
    let at_bottom = mean_between(bottom + radius, bottom + 2.0 * radius);
    let at_top = mean_between(surface - 2.5 * radius, surface - 1.5 * radius);
    match (at_bottom, at_top) {
        (Some(bottom), Some(top)) if top > 0.0 => bottom / top,
        _ => 1.0,
    }
}
