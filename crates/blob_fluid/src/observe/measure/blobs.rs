//! Blobs: the connected components of the particles.

use glam::{DVec2, Vec2};

use crate::solver::kernel::weight;
use crate::solver::neighbours::connection::{Connection, LINK};
use crate::solver::neighbours::grid::Grid;
use crate::{ClassId, Liquid, SerialExecutor};

/// A blob: a group of connected particles.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Blob {
    /// Number of particles.
    pub count: usize,
    /// Area of the blob when uncompressed, in square world units: one square of the particle
    /// spacing for each particle.
    pub area: f64,
    /// Mean position, in world units.
    pub centre: [f64; 2],
}

/// The blobs of a class, or of the whole liquid if `class` is `None`. The blob with the most
/// particles comes first. Among blobs with equal counts, the lower one comes first, then the one
/// farther to the left.
///
/// Two particles are connected if they are within one and a half particle spacings of each other,
/// or if a chain of such pairs links them.
///
/// ```
/// use blob_fluid::{FluidWorld, ParticleSpawn, measure::blobs};
/// use glam::Vec2;
/// let mut world = FluidWorld::default();
/// for x in [0.0, 8.0, 16.0, 100.0] {
///     world.spawn(ParticleSpawn { position: Vec2::new(x, 0.0), ..Default::default() })?;
/// }
/// let blobs = blobs(&world, None);
/// assert_eq!((blobs.len(), blobs[0].count, blobs[0].centre), (2, 3, [8.0, 0.0]));
/// # Ok::<(), blob_fluid::SpawnError>(())
/// ```
pub fn blobs(world: &Liquid, class: Option<ClassId>) -> Vec<Blob> {
    let particles = world.particles();
    let chosen = |index: &usize| class.is_none_or(|class| class == particles.class[*index]);
    // Particles that the next tick will quarantine belong to no blob.
    let indices = (0..particles.len()).filter(|index| chosen(index) && world.keeps(*index));
    let positions: Vec<Vec2> = indices.map(|index| particles.position[index]).collect();
    let spacing = world.parameters().particle_spacing;
    let mut connection = Connection::default();
    let roots = connection.find_roots(&positions, LINK * spacing);
    let mut blobs = vec![(0_usize, DVec2::ZERO); positions.len()];
    for (root, position) in roots.iter().zip(&positions) {
        let (count, sum) = &mut blobs[*root as usize];
        *count += 1;
        *sum += position.as_dvec2();
    }
    let square = f64::from(spacing) * f64::from(spacing);
    let blob = |(count, sum): (usize, DVec2)| Blob {
        count,
        area: count as f64 * square,
        centre: (sum / count as f64).to_array(),
    };
    let mut blobs: Vec<Blob> =
        blobs.into_iter().filter(|(count, _)| *count > 0).map(blob).collect();
    blobs.sort_by(|a, b| {
        let point = |blob: &Blob| [blob.centre[1], blob.centre[0]];
        let by_position = point(a)[0].total_cmp(&point(b)[0]);
        b.count.cmp(&a.count).then(by_position).then(point(a)[1].total_cmp(&point(b)[1]))
    });
    blobs
}

// Densities and neighbour counts of the particles.

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

// Roundness of the liquid's outline.

/// Largest number of grid points of the field. Liquid that needs more is too scattered to have one
/// outline.
const MAX_POINTS: usize = 4_000_000;

/// `4 pi area / perimeter^2` of the liquid's outline: 1 for a circle, pi/4 for a square, less for
/// several separate parts. It is 0 without particles, or if they are too scattered.
///
/// The outline is a contour of the field `sum (1 - r^2/R^2)^2` with `R = 0.6 h`, at half of the
/// value that a quarter of the particles exceed.
pub(super) fn roundness(world: &Liquid) -> f64 {
    let radius = world.parameters().interaction_radius();
    let positions = world.particles().positions().iter().copied();
    let positions: Vec<Vec2> = positions.filter(|position| world.has_within(*position)).collect();
    let Some(field) = Field::of(&positions, 0.6 * radius, radius / 12.0) else {
        return 0.0;
    };
    let (area, perimeter) = field.outline();
    if perimeter > 0.0 { 4.0 * std::f64::consts::PI * area / (perimeter * perimeter) } else { 0.0 }
}

/// A smooth field around the particles on a square grid.
struct Field {
    values: Vec<f32>,
    columns: usize,
    step: f32,
    level: f32,
}

impl Field {
    fn of(positions: &[Vec2], reach: f32, step: f32) -> Option<Self> {
        let low = positions.iter().copied().reduce(Vec2::min)? - Vec2::splat(1.5 * reach);
        let high = positions.iter().copied().reduce(Vec2::max)? + Vec2::splat(1.5 * reach);
        let size = (high - low) / step;
        if !size.is_finite() || size.x * size.y > MAX_POINTS as f32 {
            return None;
        }
        let (columns, rows) = (size.x as usize + 2, size.y as usize + 2);
        let mut values = vec![0.0; columns * rows];
        let cells = (reach / step) as i64 + 1;
        for position in positions {
            let centre = (*position - low) / step;
            for row in (centre.y as i64 - cells)..=(centre.y as i64 + cells) {
                for column in (centre.x as i64 - cells)..=(centre.x as i64 + cells) {
                    let offset = Vec2::new(column as f32, row as f32) * step - (*position - low);
                    let q = 1.0 - offset.length_squared() / (reach * reach);
                    if q > 0.0 {
                        // This index is inside the grid, because the margin around the particles
                        // exceeds the reach.
                        values[row as usize * columns + column as usize] += q * q;
                    }
                }
            }
        }
        let at = |position: &Vec2| {
            let centre = (*position - low) / step + Vec2::splat(0.5);
            values[centre.y as usize * columns + centre.x as usize]
        };
        let mut inside: Vec<f32> = positions.iter().map(at).collect();
        inside.sort_unstable_by(f32::total_cmp);
        let level = 0.5 * inside[inside.len() * 3 / 4];
        Some(Self { values, columns, step, level })
    }

    /// Area and length of the contour, by marching squares with linear interpolation.
    fn outline(&self) -> (f64, f64) {
        const CORNERS: [Vec2; 4] = [Vec2::ZERO, Vec2::X, Vec2::ONE, Vec2::Y];
        let (mut area, mut perimeter) = (0.0, 0.0);
        let rows = self.values.len() / self.columns;
        for row in 0..rows - 1 {
            for column in 0..self.columns - 1 {
                let at = |corner: Vec2| {
                    let (x, y) = (column + corner.x as usize, row + corner.y as usize);
                    self.values[y * self.columns + x]
                };
                let heights = CORNERS.map(at);
                let mut polygon: Vec<Vec2> = Vec::with_capacity(8);
                let mut crossings: Vec<Vec2> = Vec::with_capacity(4);
                for edge in 0..4 {
                    let next = (edge + 1) % 4;
                    let (here, there) = (heights[edge], heights[next]);
                    if here >= self.level {
                        polygon.push(CORNERS[edge]);
                    }
                    if (here >= self.level) != (there >= self.level) {
                        let part = (self.level - here) / (there - here);
                        let crossing = CORNERS[edge].lerp(CORNERS[next], part);
                        polygon.push(crossing);
                        crossings.push(crossing);
                    }
                }
                for (index, point) in polygon.iter().enumerate() {
                    area += f64::from(0.5 * point.perp_dot(polygon[(index + 1) % polygon.len()]));
                }
                for pair in crossings.chunks_exact(2) {
                    perimeter += f64::from(pair[0].distance(pair[1]));
                }
            }
        }
        let step = f64::from(self.step);
        (area * step * step, perimeter * step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FluidShape, FluidWorld, ParticleSpawn};

    #[test]
    fn blobs_are_told_apart_by_what_touches() {
        let mut world = FluidWorld::default();
        let mut add = |position, class| {
            world.spawn(ParticleSpawn { position, class, ..Default::default() }).expect("valid");
        };
        let disc = FluidShape::Circle { radius: 60.0 };
        for position in disc.fill(Vec2::new(-200.0, 0.0), 8.0) {
            add(position, ClassId::HEAVY);
        }
        for position in disc.fill(Vec2::new(200.0, 50.0), 8.0) {
            // The blob has two classes.
            add(position, if position.x < 200.0 { ClassId::LIGHT } else { ClassId::HEAVY });
        }
        add(Vec2::new(0.0, 400.0), ClassId::MEDIUM);
        let all = blobs(&world, None);
        assert_eq!(all.len(), 3);
        assert!((all[0].area / (std::f64::consts::PI * 3600.0) - 1.0).abs() < 0.1, "{:?}", all[0]);
        let centre = DVec2::from_array(all[0].centre);
        assert!(centre.distance(DVec2::new(-200.0, 0.0)) < 2.0, "{centre}");
        assert_eq!(all[2], Blob { count: 1, area: all[2].area, centre: [0.0, 400.0] });
        assert_eq!(blobs(&world, Some(ClassId::HEAVY)).len(), 2);
        assert_eq!(blobs(&world, Some(ClassId(9))), vec![]);
        assert_eq!(blobs(&FluidWorld::default(), None), vec![]);
    }

    fn roundness_of(shape: FluidShape) -> f64 {
        let mut world = FluidWorld::default();
        for position in shape.fill(Vec2::new(500.0, -200.0), 8.0) {
            world.spawn(ParticleSpawn { position, ..Default::default() }).expect("valid");
        }
        roundness(&world)
    }

    #[test]
    fn a_disc_is_round_and_a_bar_is_not() {
        let disc = roundness_of(FluidShape::Circle { radius: 150.0 });
        assert!(disc > 0.97 && disc <= 1.0, "{disc}");
        let square = roundness_of(FluidShape::Rectangle { half_size: Vec2::splat(150.0) });
        assert!((square - std::f64::consts::FRAC_PI_4).abs() < 0.05, "{square}");
        let bar = roundness_of(FluidShape::Rectangle { half_size: Vec2::new(300.0, 50.0) });
        assert!(bar < 0.55, "{bar}");
        assert_eq!(roundness(&FluidWorld::default()), 0.0);
    }
}
