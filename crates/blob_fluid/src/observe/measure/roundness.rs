//! Roundness of the liquid's outline.

use glam::Vec2;

use crate::liquid::state::Liquid;

/// Largest number of grid points of the field. Liquid that needs more is too scattered to have one
/// outline.
const MAX_POINTS: usize = 4_000_000;

/// `4 pi area / perimeter^2` of the liquid's outline: 1 for a circle, pi/4 for a square, less for
/// several separate parts. 0 without particles or if they are too scattered.
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
    use crate::geometry::shape::FluidShape;
    use crate::particles::spawn::ParticleSpawn;
    use crate::world::FluidWorld;

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
