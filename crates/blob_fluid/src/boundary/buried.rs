//! Buried colliders: tiles of a level that other tiles surround on all sides.
//!
//! For a particle outside, a buried collider always lies behind another one, so it never acts. To
//! leave it out saves the search for walls that would be hidden anyway.

use glam::Vec2;

use crate::boundary::collider_boxes::ColliderBoxes;
use crate::boundary::collider_record::ColliderRecord;
use crate::geometry::shape::FluidShape;

/// Depth of the solid that must lie beyond each side of a buried collider, as a part of half its
/// width or height.
const COVER: f32 = 0.5;

/// Finds for each collider whether it is a rectangle, each of whose sides lies within another
/// rectangle that stops the same classes and reaches beyond the side. Gaps up to `seam_gap` do not
/// count.
pub(crate) fn find_buried(
    colliders: &[ColliderRecord],
    boxes: &ColliderBoxes,
    seam_gap: f32,
) -> Vec<bool> {
    (0..colliders.len()).map(|index| is_buried(index, colliders, boxes, seam_gap)).collect()
}

fn is_buried(
    index: usize,
    colliders: &[ColliderRecord],
    boxes: &ColliderBoxes,
    seam_gap: f32,
) -> bool {
    let rectangle = |index| standing_rectangle(index, colliders, boxes);
    let Some(half_size) = rectangle(index) else { return false };
    let (tile, slack) = (&colliders[index], colliders[index].slack());
    if slack > seam_gap {
        return false;
    }
    [Vec2::X, Vec2::NEG_X, Vec2::Y, Vec2::NEG_Y].into_iter().all(|outward| {
        let along = outward.perp() * half_size;
        let depths = [1.0, 1.0 + COVER].map(|depth| outward * half_size * depth);
        let cover = depths.map(|side| [side - along, side + along]);
        let corners = cover.map(|side| side.map(|corner| tile.pose.to_world(corner)));
        let mut covered = false;
        boxes.visit(boxes[index], |other| {
            let other = other as usize;
            covered = other != index
                && colliders[other].stopped_classes() == tile.stopped_classes()
                && rectangle(other).is_some_and(|half_size| {
                    let within = |corner: &Vec2| {
                        let local = colliders[other].pose.to_local(*corner);
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
fn standing_rectangle(
    index: usize,
    colliders: &[ColliderRecord],
    boxes: &ColliderBoxes,
) -> Option<Vec2> {
    let collider = &colliders[index];
    let options = &collider.options;
    let solid = !(options.inside_out || options.one_way || boxes.is_mover(index));
    match collider.shape {
        FluidShape::Rectangle { half_size } if solid => Some(half_size),
        _ => None,
    }
}
