//! The record of one collider in a world, boxes around colliders, and trees of boxes, which find the colliders near a
//! point quickly.

use std::ops::{Deref, Index};
use std::sync::{Arc, OnceLock};

use glam::{DVec2, Vec2};

use crate::boundary::body::LoadSums;
use crate::boundary::solid::RestState;
use crate::geometry::bounds::BoxTree;
use crate::stored::stored;
use crate::{
    ClassFilter, ClassId, ClassTable, Collider, DensityClass, FluidBounds, FluidShape, Load,
    Motion, Pose,
};

/// A collider of a world and the data that belongs to it. It dereferences to the [`Collider`].
///
/// Passes change its motion and its rest. Every other change goes through
/// [`Solids`](crate::boundary::solids::Solids), which keeps its box.
#[derive(Clone, Debug)]
pub(crate) struct ColliderRecord {
    collider: Collider,
    /// The classes that it stops.
    stopped_classes: ClassFilter,
    /// At most [`MAX_CORNERS`] corners of its outlines.
    corners: Arc<[Vec2]>,
    /// Fraction of the liquid's pressure that it bears, 0 to 1.
    fade_in: f32,
    /// The share of their kept resistance that particles which touch it lose, 0 to 1: 1 for a collider that yields to the
    /// liquid, or did once.
    memory_loss: f32,
    /// The liquid's load on it; `None` from its insertion to the next tick.
    load: Option<LoadSums>,
}

stored!(ColliderRecord {
    collider,
    fade_in in Limits::SHARE,
    memory_loss in Limits::SHARE,
    load,
} derived {
    // `Solids::set_classes` computes it, because the classes are not known yet.
    stopped_classes = ClassFilter::ALL,
    corners = Collider::shape(&collider).some_corners(MAX_CORNERS).into(),
});

/// Largest number of corners of a collider that are tested for contacts between bodies.
const MAX_CORNERS: usize = 48;

/// Time, in T0, in which the pressure on a collider that has jumped into liquid grows to its full
/// value.
const FADE_IN_TIME: f32 = 3.0;

/// Rate at which memory is lost beside a solid that yields to the liquid, per T0. A sudden loss would change the pressure
/// of a lasting compression.
pub(crate) const MEMORY_LOSS_RATE: f32 = 0.2;

impl Deref for ColliderRecord {
    type Target = Collider;

    #[inline]
    fn deref(&self) -> &Collider {
        &self.collider
    }
}

impl ColliderRecord {
    /// Creates the record of a collider, which initially bears the fraction `fade_in` of the
    /// liquid's pressure.
    pub(crate) fn new(mut collider: Collider, fade_in: f32, classes: &ClassTable) -> Self {
        collider.rest = RestState::awake_at(collider.pose);
        let stopped_classes = stopped_classes_of(&collider, classes);
        let corners = collider.shape.some_corners(MAX_CORNERS).into();
        Self { collider, stopped_classes, corners, fade_in, memory_loss: 0.0, load: None }
    }

    /// Replaces the collider and keeps the load on it.
    pub(crate) fn replace(&mut self, collider: Collider, fade_in: f32, classes: &ClassTable) {
        if self.shape != collider.shape {
            self.corners = collider.shape.some_corners(MAX_CORNERS).into();
        }
        self.collider = collider;
        self.wake();
        self.fade_in = fade_in;
        self.set_classes(classes);
    }

    /// Updates the classes that it stops.
    pub(crate) fn set_classes(&mut self, classes: &ClassTable) {
        self.stopped_classes = stopped_classes_of(&self.collider, classes);
    }

    /// Changes its motion. A body wakes.
    pub(crate) fn set_motion(&mut self, motion: Motion) {
        self.collider.motion = motion;
        self.wake();
    }

    /// Puts a body to sleep at its present pose.
    pub(crate) fn put_to_sleep(&mut self) {
        let collider = &mut self.collider;
        collider.rest.asleep = true;
        (collider.motion, collider.shift) = (Motion::STILL, Motion::STILL);
        collider.continued_from = None;
        collider.previous_pose = collider.pose;
    }

    /// Whether it stops a class.
    #[inline]
    pub(crate) fn stops(&self, class: ClassId) -> bool {
        self.stopped_classes.contains(class)
    }

    /// The classes that it stops.
    pub(crate) fn stopped_classes(&self) -> ClassFilter {
        self.stopped_classes
    }

    /// Corners of its outlines, relative to its centre and rotation.
    pub(crate) fn corners(&self) -> &[Vec2] {
        &self.corners
    }

    /// A point at most about a `depth` below the edge at a corner, in local coordinates. The faces
    /// at the corner are nearer to this point than the faces beside them.
    pub(crate) fn core_point(&self, corner: Vec2, depth: f32) -> Vec2 {
        let towards_centre = corner - corner.clamp_length_max(depth);
        match &self.shape {
            FluidShape::Rectangle { half_size } => {
                let inner = (*half_size - depth).max(Vec2::ZERO);
                corner.clamp(-inner, inner)
            }
            FluidShape::Polygon(_) => {
                // At a corner of a flat plate, the direction to the centre runs nearly along the edge.
                let Some(edge) = self.shape.nearest(towards_centre, f32::INFINITY) else {
                    return towards_centre;
                };
                let missing = (0.5 * depth + edge.distance).max(0.0);
                // Through a thin plate, the whole way ends near or beyond the other face.
                let deeper = [missing, 0.5 * missing].map(|way| towards_centre - edge.normal * way);
                let [whole, half] = deeper.map(|point| self.shape.distance(point));
                if whole.min(half) >= 0.0 {
                    return towards_centre;
                }
                deeper[usize::from(half < whole)]
            }
            FluidShape::Capsule { .. } | FluidShape::Polyline(_) => {
                let edge = self.shape.nearest(corner, f32::INFINITY);
                edge.map_or(towards_centre, |edge| {
                    corner - edge.normal * depth.min(self.shape.max_depth())
                })
            }
            _ => towards_centre,
        }
    }

    /// Whether bodies collide with it.
    pub(crate) fn stops_bodies(&self) -> bool {
        let ignores_contacts = self.options.body.is_some_and(|body| body.ignore_contacts);
        !ignores_contacts && !self.options.one_way
    }

    /// Moves it back along the path of this substep, to a `fraction` of the path.
    pub(crate) fn shorten_path(&mut self, fraction: f32) {
        self.collider.pose = self.previous_pose.between(self.pose, fraction);
    }

    /// Fraction of the liquid's pressure that it bears, 0 to 1.
    #[inline]
    pub(crate) fn fade_in(&self) -> f32 {
        self.fade_in
    }

    /// Whether it bears only a part of the liquid's pressure.
    pub(crate) fn is_fading_in(&self) -> bool {
        self.fade_in < 1.0
    }

    /// Raises the fraction of the liquid's pressure that it bears, after a substep of `time_units`
    /// T0.
    pub(crate) fn continue_fade_in(&mut self, time_units: f32) {
        self.fade_in = (self.fade_in + time_units / FADE_IN_TIME).min(1.0);
    }

    /// The share of their kept resistance that particles which touch it lose, 0 to 1.
    #[inline]
    pub(crate) fn memory_loss(&self) -> f32 {
        self.memory_loss
    }

    /// Increases the loss of memory in a substep of `time_units` T0. It never decreases, because a change moves the
    /// liquid beside a body that sleeps and wakes in turn.
    pub(crate) fn lose_memory(&mut self, time_units: f32) {
        self.memory_loss = (self.memory_loss + MEMORY_LOSS_RATE * time_units).min(1.0);
    }

    /// The motion of a body, which the liquid and contacts change.
    pub(crate) fn motion_mut(&mut self) -> &mut Motion {
        &mut self.collider.motion
    }

    /// The additional motion of a body at the next advance, which contacts change.
    pub(crate) fn shift_mut(&mut self) -> &mut Motion {
        &mut self.collider.shift
    }

    /// How long a body has been at rest, and whether it sleeps.
    pub(crate) fn rest_mut(&mut self) -> &mut RestState {
        &mut self.collider.rest
    }

    /// Wakes a body and restarts its rest time.
    pub(crate) fn wake(&mut self) {
        self.collider.rest = RestState::awake_at(self.pose);
    }

    /// Sets the motion that leads to a `target` pose in `time` seconds.
    pub(crate) fn set_motion_towards(&mut self, target: Pose, time: f32) {
        self.collider.motion = self.pose.motion_to(target, time);
    }

    /// Limits the angular velocity that its walls give to the liquid in substeps of `time` seconds.
    pub(crate) fn limit_angular_velocity(&mut self, time: f32) {
        self.collider.limit_angular_velocity(time);
    }

    /// Moves it with its motion for `time` seconds.
    pub(crate) fn advance(&mut self, time: f32) {
        self.collider.advance(time);
    }

    /// Moves it to a `target` pose in `time` seconds.
    pub(crate) fn advance_to(&mut self, target: Pose, time: f32) {
        self.set_motion_towards(target, time);
        self.advance(time);
        // Rounding must not move the colliders of a body apart.
        self.collider.pose = target;
    }

    /// Sets the load to 0 before a tick. A sleeping body keeps the load of its last tick.
    pub(crate) fn reset_load(&mut self) {
        let load = self.load.filter(|_| self.is_sleeping()).unwrap_or_default();
        self.load = Some(load.without_substep());
    }

    /// Adds an impulse of the liquid in the present substep. A collider inserted in this tick ignores it.
    pub(crate) fn add_impulse(&mut self, impulse: DVec2, angular_impulse: f64) {
        if let Some(load) = &mut self.load {
            load.add(impulse, angular_impulse);
        }
    }

    /// Adds an impulse of the liquid that has already changed the motion of the body.
    pub(crate) fn add_reaction(&mut self, impulse: DVec2, angular_impulse: f64) {
        if let Some(load) = &mut self.load {
            load.add_reaction(impulse, angular_impulse);
        }
    }

    /// The impulse of the liquid in the present substep.
    pub(crate) fn substep_impulse(&self) -> DVec2 {
        self.load.as_ref().map_or(DVec2::ZERO, LoadSums::substep_impulse)
    }

    /// Ends the substep and returns the load in it.
    pub(crate) fn end_substep(&mut self) -> Load {
        self.load.as_mut().map(LoadSums::end_substep).unwrap_or_default()
    }

    /// The liquid's load on it in the last tick.
    pub(crate) fn load(&self) -> Load {
        self.load.as_ref().map(LoadSums::load).unwrap_or_default()
    }

    /// Returns the collider alone.
    pub(crate) fn into_collider(self) -> Collider {
        self.collider
    }
}

/// The classes that a collider stops.
fn stopped_classes_of(collider: &Collider, classes: &ClassTable) -> ClassFilter {
    let options = collider.options();
    let ignores = |class: &DensityClass| class.collision_layers & options.layers == 0;
    let passing = classes.iter().enumerate().filter(|(_, class)| ignores(class));
    passing.fold(options.classes, |stops, (index, _)| stops.without(ClassId(index as u8)))
}

// Contacts of bodies that are kept from substep to substep, for warm starting.

/// The key that identifies a contact: the body, the other side, and the corner that touches.
///
/// Lists of contacts are sorted by the fields in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ContactKey {
    /// Index of the body.
    pub body: usize,
    /// Index of the other collider plus 1; 0 for the container.
    pub other: usize,
    /// Whether the corner belongs to the other collider instead of the body.
    pub is_corner_of_other: bool,
    /// Number of the corner.
    pub corner: usize,
    /// Number of the container's wall.
    pub wall: usize,
}

stored!(ContactKey { body, other, is_corner_of_other, corner, wall });

/// Impulses at a contact in the last substep. The next substep starts with them, so that a stack of
/// bodies comes to rest with few iterations per substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CachedContact {
    pub key: ContactKey,
    /// Impulse along the normal.
    pub normal_impulse: f32,
    /// Impulse along the tangent.
    pub tangent_impulse: f32,
}

impl CachedContact {
    pub(crate) fn is_finite(&self) -> bool {
        self.normal_impulse.is_finite() && self.tangent_impulse.is_finite()
    }
}

stored!(CachedContact { key, normal_impulse in Limits::FINITE, tangent_impulse in Limits::FINITE });

// Boxes around colliders.

/// Number of refits after which the tree of the moving colliders is rebuilt. Searches of a tree
/// that is only refitted visit more boxes while its colliders move apart.
const MAX_REFITS: u32 = 60;

/// A box around each collider, at the collider's index.
///
/// Colliders that have ever moved are in a separate tree. A substep updates only that tree, so
/// colliders that stand still add no cost.
#[derive(Clone, Debug, Default)]
pub(crate) struct ColliderBoxes {
    /// Each box contains the region that its collider sweeps over in the present substep.
    boxes: Vec<FluidBounds>,
    /// Sorted indices of the colliders that have ever moved.
    movers: Vec<u32>,
    /// The tree of all other colliders. It is built on first use after a change.
    static_tree: OnceLock<IndexTree>,
    /// The tree of the movers. It is built on first use after a change.
    moving_tree: OnceLock<IndexTree>,
    /// Number of refits since the tree of the movers was built.
    refits: u32,
}

/// A tree that holds some of the boxes.
#[derive(Clone, Debug)]
struct IndexTree {
    tree: BoxTree,
    /// Indices of the colliders, in the tree's order.
    indices: Vec<u32>,
}

impl IndexTree {
    fn new(mut indices: Vec<u32>, boxes: &[FluidBounds]) -> Self {
        let tree = BoxTree::new(&mut indices, |index| boxes[*index as usize]);
        Self { tree, indices }
    }

    /// As [`ColliderBoxes::visit`]; returns whether `visit` returned `true`.
    #[inline]
    fn visit(&self, bounds: FluidBounds, visit: &mut impl FnMut(u32) -> bool) -> bool {
        let mut stopped = false;
        self.tree.visit(
            &self.indices,
            |node| node.intersects(bounds),
            |index| {
                stopped = visit(*index);
                stopped
            },
        );
        stopped
    }
}

impl Index<usize> for ColliderBoxes {
    type Output = FluidBounds;

    fn index(&self, index: usize) -> &FluidBounds {
        &self.boxes[index]
    }
}

impl ColliderBoxes {
    /// Creates the boxes of colliders. `movers` holds the sorted indices of those that have ever moved.
    #[cfg(feature = "snapshot")]
    pub(crate) fn from_colliders(colliders: &[ColliderRecord], movers: Vec<u32>) -> Self {
        let boxes = colliders.iter().map(|record| swept_bounds(record)).collect();
        Self { boxes, movers, ..Self::default() }
    }

    /// Adds the box of a collider that has the next index.
    pub(crate) fn push(&mut self, collider: &Collider) {
        self.boxes.push(swept_bounds(collider));
        if collider.will_change_pose() {
            self.movers.push(self.boxes.len() as u32 - 1);
            self.moving_tree.take();
        } else {
            self.static_tree.take();
        }
    }

    /// Removes the box of a collider.
    pub(crate) fn remove(&mut self, index: usize) {
        self.boxes.remove(index);
        let (changed, other) = if self.is_mover(index) {
            (&mut self.moving_tree, &mut self.static_tree)
        } else {
            (&mut self.static_tree, &mut self.moving_tree)
        };
        changed.take();
        if let Some(other) = other.get_mut() {
            remove_index(&mut other.indices, index);
        }
        remove_index(&mut self.movers, index);
    }

    /// Removes the boxes of the colliders whose entry is true.
    pub(crate) fn remove_all(&mut self, is_removed: &[bool]) {
        let mut kept = 0;
        let new_indices: Vec<u32> = is_removed
            .iter()
            .map(|removed| {
                kept += u32::from(!removed);
                kept.saturating_sub(1)
            })
            .collect();
        let mut removed = is_removed.iter();
        self.boxes.retain(|_| removed.next() == Some(&false));
        self.movers.retain(|index| !is_removed[*index as usize]);
        self.movers.iter_mut().for_each(|index| *index = new_indices[*index as usize]);
        self.static_tree.take();
        self.moving_tree.take();
    }

    /// Removes all boxes.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Updates the box of a collider that was replaced or moved, or whose motion has changed.
    pub(crate) fn update(&mut self, index: usize, collider: &Collider) {
        let bounds = swept_bounds(collider);
        let changed = self.boxes[index] != bounds;
        self.boxes[index] = bounds;
        match self.movers.binary_search(&(index as u32)) {
            Ok(_) if changed => {
                self.moving_tree.take();
            }
            Err(rank) if changed || collider.will_change_pose() => {
                self.movers.insert(rank, index as u32);
                self.static_tree.take();
                self.moving_tree.take();
            }
            _ => {}
        }
    }

    /// Calls `advance` for the colliders whose pose changes, and updates their boxes.
    pub(crate) fn advance(
        &mut self,
        colliders: &mut [ColliderRecord],
        mut advance: impl FnMut(&mut ColliderRecord),
    ) {
        let mut any_moved = false;
        for index in &self.movers {
            let collider = &mut colliders[*index as usize];
            if collider.will_change_pose() {
                advance(collider);
                self.boxes[*index as usize] = swept_bounds(collider);
                any_moved = true;
            }
        }
        if !any_moved {
            return;
        }
        let Some(IndexTree { tree, indices }) = self.moving_tree.get_mut() else { return };
        let bounds_of = |index: &u32| self.boxes[*index as usize];
        self.refits += 1;
        if self.refits > MAX_REFITS {
            self.refits = 0;
            tree.rebuild(indices, bounds_of);
        } else {
            tree.refit(indices, bounds_of);
        }
    }

    /// The sorted indices of the colliders that have ever moved.
    pub(crate) fn movers(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.movers.iter().map(|index| *index as usize)
    }

    /// The index of the collider with this rank among those that have ever moved.
    pub(crate) fn mover(&self, rank: usize) -> usize {
        self.movers[rank] as usize
    }

    /// Calls `visit` with the index of every collider that has ever moved and whose box intersects
    /// `bounds`, in no particular order.
    pub(crate) fn visit_movers(&self, bounds: FluidBounds, mut visit: impl FnMut(u32)) {
        if let Some(moving) = self.moving_tree() {
            moving.visit(bounds, &mut |index| {
                if self.boxes[index as usize].intersects(bounds) {
                    visit(index);
                }
                false
            });
        }
    }

    /// Whether a collider has ever moved.
    pub(crate) fn is_mover(&self, index: usize) -> bool {
        self.movers.binary_search(&(index as u32)).is_ok()
    }

    /// Whether any collider has ever moved.
    pub(crate) fn any_mover(&self) -> bool {
        !self.movers.is_empty()
    }

    /// Whether the box of any collider that has ever moved intersects `bounds`.
    pub(crate) fn any_mover_intersects(&self, bounds: FluidBounds) -> bool {
        let meets = &mut |index: u32| self.boxes[index as usize].intersects(bounds);
        self.moving_tree().is_some_and(|moving| moving.visit(bounds, meets))
    }

    /// Calls `visit` with the index of every collider whose box may intersect `bounds`, in no
    /// particular order, until it returns `true`.
    #[inline]
    pub(crate) fn visit(&self, bounds: FluidBounds, mut visit: impl FnMut(u32) -> bool) {
        let standing = self.static_tree.get_or_init(|| {
            let all = 0..self.boxes.len();
            let indices = all.filter(|index| !self.is_mover(*index)).map(|index| index as u32);
            IndexTree::new(indices.collect(), &self.boxes)
        });
        let stopped = standing.visit(bounds, &mut visit);
        if !stopped && let Some(moving) = self.moving_tree() {
            moving.visit(bounds, &mut visit);
        }
    }

    /// The tree of the movers, if there are any.
    #[inline]
    fn moving_tree(&self) -> Option<&IndexTree> {
        let build = || IndexTree::new(self.movers.clone(), &self.boxes);
        (!self.movers.is_empty()).then(|| self.moving_tree.get_or_init(build))
    }
}

/// Removes an index from a list, and reduces all higher indices by 1.
fn remove_index(indices: &mut Vec<u32>, removed: usize) {
    let removed = removed as u32;
    indices.retain(|index| *index != removed);
    for index in indices {
        *index -= u32::from(*index > removed);
    }
}

/// Returns a box around the region that a collider sweeps over in the present substep.
fn swept_bounds(collider: &Collider) -> FluidBounds {
    if collider.options.inside_out {
        FluidBounds::ALL
    } else {
        collider.swept_bounds().inflated(2.0 * collider.slack())
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec2;

    use super::*;
    use crate::geometry::shape::scatter;
    use crate::{ClassTable, Motion};

    fn collider(number: u32) -> ColliderRecord {
        let size = Vec2::splat(1.0 + (number % 7) as f32);
        let mut collider = Collider::rectangle(scatter(number) * 100.0, size).expect("valid");
        if number.is_multiple_of(3) {
            let velocity = scatter(1000 + number) * 30.0;
            collider = collider.with_motion(Motion { velocity, ..Motion::STILL }).expect("valid");
        }
        ColliderRecord::new(collider, 1.0, &ClassTable::default())
    }

    #[test]
    fn boxes_follow_inserted_removed_and_moved_colliders() {
        let (mut boxes, mut colliders) = (ColliderBoxes::default(), Vec::new());
        for number in 0..400_u32 {
            let index = number as usize * 31 % colliders.len().max(1);
            match number * 7919 % 7 {
                0 if !colliders.is_empty() => {
                    colliders.remove(index);
                    boxes.remove(index);
                }
                1 if !colliders.is_empty() => {
                    colliders[index] = collider(2000 + number);
                    boxes.update(index, &colliders[index]);
                }
                4 if number % 5 == 0 => {
                    let is_removed: Vec<bool> =
                        (0..colliders.len()).map(|index| index % 4 == 1).collect();
                    boxes.remove_all(&is_removed);
                    let mut removed = is_removed.iter();
                    colliders.retain(|_| removed.next() == Some(&false));
                }
                2 if number % 150 == 5 => {
                    colliders.clear();
                    boxes.clear();
                }
                3 => boxes.advance(&mut colliders, |collider| collider.advance(0.5)),
                _ => {
                    colliders.push(collider(number));
                    boxes.push(&colliders[colliders.len() - 1]);
                }
            }
            for point in 0..10 {
                let centre = scatter(100 * number + point) * 130.0;
                let bounds = FluidBounds { low: centre - 4.0, high: centre + 4.0 };
                let mut visited = Vec::new();
                boxes.visit(bounds, |index| {
                    visited
                        .extend(boxes[index as usize].intersects(bounds).then_some(index as usize));
                    false
                });
                visited.sort_unstable();
                let all = colliders.iter().enumerate();
                let expected =
                    all.filter(|(_, collider)| swept_bounds(collider).intersects(bounds));
                assert_eq!(visited, expected.map(|(index, _)| index).collect::<Vec<_>>());
            }
        }
        let mut count = 0;
        boxes.visit(FluidBounds::ALL, |_| {
            count += 1;
            count == 3
        });
        assert_eq!(count, 3, "the visit ends when it returns true");
    }
}
