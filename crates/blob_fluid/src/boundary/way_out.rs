//! The way out of colliders that touch or overlap.
//!
//! A particle inside a collider leaves by the shortest way. Where that ends in another collider, a
//! particle between two tiles would go back and forth forever. Then it takes the shortest way out of all
//! of them, of those in eight directions.

use std::f32::consts::FRAC_1_SQRT_2;

use glam::Vec2;

use crate::boundary::container::container_of;
use crate::boundary::solids::Solids;
use crate::geometry::bounds::FluidBounds;
use crate::settings::class::ClassId;

const DIRECTIONS: [Vec2; 8] = [
    Vec2::Y,
    Vec2::X,
    Vec2::NEG_X,
    Vec2::NEG_Y,
    Vec2::new(FRAC_1_SQRT_2, FRAC_1_SQRT_2),
    Vec2::new(-FRAC_1_SQRT_2, FRAC_1_SQRT_2),
    Vec2::new(FRAC_1_SQRT_2, -FRAC_1_SQRT_2),
    Vec2::new(-FRAC_1_SQRT_2, -FRAC_1_SQRT_2),
];

/// Most steps of a search in one direction. A step reaches at least the nearest edge.
const STEPS: u32 = 64;

impl Solids {
    /// Unit direction and length, in world units, of the shortest way from a point to where no
    /// collider covers it for a class. Returns `None` if no direction leads there.
    pub(crate) fn way_out(&self, point: Vec2, class: ClassId) -> Option<(Vec2, f32)> {
        let container = container_of(&self.containers, point);
        let ways = DIRECTIONS.into_iter().filter_map(|direction| {
            let mut way = 0.0;
            for _ in 0..STEPS {
                let reached = point + way * direction;
                if container.is_some_and(|container| container.depth(reached) < 0.0) {
                    return None;
                }
                let depth = self.depth(reached, class);
                if depth <= 0.0 {
                    return Some((direction, way));
                }
                way += depth.max(self.seam_gap);
            }
            None
        });
        ways.min_by(|one, other| one.1.total_cmp(&other.1))
    }

    /// How far a point is inside colliders that stop a class; 0 outside. Points within the seam gap
    /// count as inside, so that seams between colliders do.
    fn depth(&self, point: Vec2, class: ClassId) -> f32 {
        let around = FluidBounds { low: point, high: point }.inflated(self.seam_gap);
        let mut deepest = 0.0_f32;
        self.boxes.visit(around, |index| {
            let index = index as usize;
            let collider = &self.colliders[index];
            if collider.stops(class) && !collider.options.one_way {
                deepest = deepest.max(self.seam_gap - collider.distance(point));
            }
            false
        });
        deepest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boundary::collider::Collider;
    use crate::boundary::container::Container;
    use crate::settings::class_table::ClassTable;

    /// Rectangles, by their lower left and upper right corners.
    fn solids(rectangles: &[[f32; 4]]) -> Solids {
        let mut solids = Solids { seam_gap: 0.2, ..Solids::default() };
        for [left, bottom, right, top] in rectangles {
            let (low, high) = (Vec2::new(*left, *bottom), Vec2::new(*right, *top));
            let collider = Collider::rectangle(0.5 * (low + high), 0.5 * (high - low));
            solids.insert_collider(collider.expect("valid"), 1.0, &ClassTable::default());
        }
        solids
    }

    #[test]
    fn the_way_out_of_a_wall_of_tiles_is_to_its_side() {
        let wall =
            solids(&[[0.0, 0.0, 20.0, 20.0], [0.0, 20.0, 20.0, 40.0], [0.0, 40.0, 20.0, 60.0]]);
        let point = Vec2::new(8.0, 20.5);
        let (direction, way) = wall.way_out(point, ClassId(0)).expect("one leads out");
        assert_eq!(direction, Vec2::NEG_X);
        assert!((8.0..9.0).contains(&way), "{way}");
        assert_eq!(wall.way_out(Vec2::new(-1.0, 30.0), ClassId(0)).expect("outside").1, 0.0);
    }

    #[test]
    fn there_may_be_no_way_out() {
        let mut rock = solids(&[[-50.0, -50.0, 50.0, 50.0]]);
        assert!(rock.way_out(Vec2::ZERO, ClassId(0)).is_some());
        let container = Container::rectangle(Vec2::ZERO, Vec2::splat(40.0)).expect("valid");
        rock.containers.insert(container);
        assert_eq!(rock.way_out(Vec2::ZERO, ClassId(0)), None);
    }
}
