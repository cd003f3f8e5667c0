//! Buried colliders: tiles of a level that other tiles surround on all sides.
//!
//! For a particle outside, a buried collider always lies behind another one, so it never acts. To
//! leave it out saves the search for walls that would be hidden anyway.

use std::sync::OnceLock;

use glam::Vec2;

use crate::boundary::collider::Collider;
use crate::boundary::solids::Solids;
use crate::geometry::shape::Shape;

/// For each collider, whether it is buried. It is found when it is first needed after a change of
/// the colliders that stand still.
#[derive(Clone, Debug, Default)]
pub(crate) struct Buried {
    found: OnceLock<Vec<bool>>,
}

/// Depth of the solid that must lie beyond each side of a buried collider, as a part of half its
/// width or height.
const COVER: f32 = 0.5;

impl Buried {
    /// Forgets all, because a collider that stands still was added, changed or removed.
    pub(crate) fn forget(&mut self) {
        self.found.take();
    }

    /// Removes the entry of a collider that has moved. Such colliders neither are buried nor bury
    /// others.
    pub(crate) fn remove_mover(&mut self, index: usize) {
        if let Some(found) = self.found.get_mut().filter(|found| index < found.len()) {
            found.remove(index);
        }
    }
}

impl Solids {
    /// Whether only particles inside a collider can meet it.
    #[inline]
    pub(crate) fn is_buried(&self, index: usize) -> bool {
        let all = 0..self.colliders.len();
        let found = self.buried.found.get_or_init(|| all.map(|own| self.bury(own)).collect());
        // Colliders that were added since then move.
        found.get(index).is_some_and(|buried| *buried)
    }

    /// Finds whether a collider is a rectangle, each of whose sides lies within another rectangle
    /// that stops the same classes and reaches beyond the side.
    fn bury(&self, index: usize) -> bool {
        let Some(half_size) = self.standing_rectangle(index) else { return false };
        let (pose, slack) = (self.colliders[index].pose, self.colliders[index].slack());
        if slack > self.seam_gap {
            return false;
        }
        [Vec2::X, Vec2::NEG_X, Vec2::Y, Vec2::NEG_Y].into_iter().all(|outward| {
            let along = outward.perp() * half_size;
            let depths = [1.0, 1.0 + COVER].map(|depth| outward * half_size * depth);
            let cover = depths.map(|side| [side - along, side + along]);
            let corners = cover.map(|side| side.map(|corner| pose.to_world(corner)));
            let mut covered = false;
            self.boxes.visit(self.boxes[index], |other| {
                let other = other as usize;
                covered = other != index
                    && self.stops[other] == self.stops[index]
                    && self.standing_rectangle(other).is_some_and(|half_size| {
                        let within = |corner: &Vec2| {
                            let local = self.colliders[other].pose.to_local(*corner);
                            local.abs().cmple(half_size + slack).all()
                        };
                        corners.as_flattened().iter().all(within)
                    });
                covered
            });
            covered
        })
    }

    /// Half of the width and height of a collider that is a solid rectangle and has never moved.
    fn standing_rectangle(&self, index: usize) -> Option<Vec2> {
        let collider: &Collider = &self.colliders[index];
        let options = &collider.options;
        let solid = !(options.inside_out || options.one_way || self.boxes.is_mover(index));
        match collider.shape {
            Shape::Rectangle { half_size } if solid => Some(half_size),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boundary::collider::ColliderOptions;
    use crate::geometry::motion::Motion;
    use crate::settings::class::ClassId;
    use crate::settings::class_filter::ClassFilter;
    use crate::settings::class_table::ClassTable;

    const SIDE: u32 = 5;

    fn tile(column: u32, row: u32) -> Collider {
        let centre = Vec2::new(column as f32, row as f32) * 8.0 + 1000.0;
        Collider::rectangle(centre, Vec2::splat(4.0)).expect("valid")
    }

    fn square() -> Solids {
        let mut solids = Solids::default();
        solids.set_scale(30.0, 8.0);
        for number in 0..SIDE * SIDE {
            let tile = tile(number % SIDE, number / SIDE);
            solids.insert_collider(tile, 1.0, &ClassTable::default());
        }
        solids
    }

    fn buried(solids: &Solids) -> Vec<usize> {
        (0..solids.colliders.len()).filter(|index| solids.is_buried(*index)).collect()
    }

    #[test]
    fn tiles_with_tiles_on_all_sides_are_buried() {
        let mut solids = square();
        assert_eq!(buried(&solids), [6, 7, 8, 11, 12, 13, 16, 17, 18]);
        // A tile that moves, goes or lets a class pass covers nothing.
        solids.set_motion(2, Motion { velocity: Vec2::X, ..Motion::STILL });
        assert_eq!(buried(&solids), [6, 8, 11, 12, 13, 16, 17, 18]);
        let options =
            ColliderOptions { classes: ClassFilter::ALL.without(ClassId(0)), ..Default::default() };
        let membrane = tile(4, 3).with_options(options).expect("valid");
        solids.replace_collider(19, membrane, &ClassTable::default());
        assert_eq!(buried(&solids), [6, 8, 11, 12, 13, 16, 17]);
        solids.remove_collider(2);
        assert_eq!(buried(&solids), [5, 7, 10, 11, 12, 15, 16]);
        solids.remove_collider(8);
        assert_eq!(buried(&solids), [5, 9, 10, 11, 14, 15]);
        solids.clear_colliders();
        assert!(buried(&solids).is_empty());
    }

    #[test]
    fn tiles_in_the_same_place_do_not_bury_each_other() {
        let mut solids = Solids::default();
        solids.set_scale(30.0, 8.0);
        for _ in 0..3 {
            solids.insert_collider(tile(0, 0), 1.0, &ClassTable::default());
        }
        assert!(buried(&solids).is_empty());
    }
}
