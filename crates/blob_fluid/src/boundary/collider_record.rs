//! What a world keeps of one collider.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use glam::{DVec2, Vec2};

use crate::boundary::collider::Collider;
use crate::boundary::load::{Load, LoadSums};
use crate::geometry::pose::{Motion, Pose};
use crate::geometry::shape::FluidShape;
use crate::settings::class::{ClassFilter, ClassId, DensityClass};
use crate::settings::class_table::ClassTable;
#[cfg(feature = "snapshot")]
use crate::stored::bytes::{Reader, SnapshotError, Stored, Writer, ensure};
#[cfg(feature = "snapshot")]
use crate::stored::kinds::{load_array, load_elements, store_array};
use crate::stored::stored;

/// A collider of a world, and all that belongs to it. It can be read like the [`Collider`].
///
/// Passes change how it moves and rests. Every other change goes through
/// [`Solids`](crate::boundary::solids::Solids), which keeps its box.
#[derive(Clone, Debug)]
pub(crate) struct ColliderRecord {
    collider: Collider,
    /// The classes that it stops.
    stops: ClassFilter,
    /// At most [`MAX_CORNERS`] corners of its outlines.
    corners: Arc<[Vec2]>,
    /// Fraction of the liquid's pressure that it bears, 0 to 1.
    fade_in: f32,
    /// The liquid's load on it; `None` from its insertion to the next tick.
    load: Option<LoadSums>,
}

stored!(ColliderRecord { collider, fade_in in Limits::SHARE, load } derived {
    // The classes are not known yet; `Solids::set_classes` finds it.
    stops = ClassFilter::ALL,
    corners = Collider::shape(&collider).some_corners(MAX_CORNERS).into(),
});

/// Largest number of corners of a collider that are tested for contacts between bodies.
const MAX_CORNERS: usize = 48;

/// Time, in T0, during which a collider that has jumped into liquid bears only a part of its
/// pressure.
const FADE_IN_TIME: f32 = 3.0;

impl Deref for ColliderRecord {
    type Target = Collider;

    #[inline]
    fn deref(&self) -> &Collider {
        &self.collider
    }
}

impl ColliderRecord {
    /// Creates the record of a collider, which at first bears the fraction `fade_in` of the liquid's
    /// pressure.
    pub(crate) fn new(mut collider: Collider, fade_in: f32, classes: &ClassTable) -> Self {
        collider.rest = Rest::restless(collider.pose);
        let stops = stopped_by(&collider, classes);
        let corners = collider.shape.some_corners(MAX_CORNERS).into();
        Self { collider, stops, corners, fade_in, load: None }
    }

    /// Puts another collider in the place of this one. The load on it remains.
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
        self.stops = stopped_by(&self.collider, classes);
    }

    /// Changes its motion. If it is a body, it has to rest anew.
    pub(crate) fn set_motion(&mut self, motion: Motion) {
        self.collider.motion = motion;
        self.wake();
    }

    /// Lets a body sleep where it is.
    pub(crate) fn put_to_sleep(&mut self) {
        let collider = &mut self.collider;
        collider.rest.asleep = true;
        (collider.motion, collider.shift) = (Motion::STILL, Motion::STILL);
        collider.nudged_from = None;
        collider.previous_pose = collider.pose;
    }

    /// Whether it stops a class.
    #[inline]
    pub(crate) fn stops(&self, class: ClassId) -> bool {
        self.stops.contains(class)
    }

    /// The classes that it stops.
    pub(crate) fn stopped_classes(&self) -> ClassFilter {
        self.stops
    }

    /// Corners of its outlines, relative to its centre and rotation.
    pub(crate) fn corners(&self) -> &[Vec2] {
        &self.corners
    }

    /// A point at most about a `depth` below the edge at a corner, relative to its centre and
    /// rotation. From there the faces that the corner touches are nearer than the faces beside it.
    pub(crate) fn below(&self, corner: Vec2, depth: f32) -> Vec2 {
        let towards_centre = corner - corner.clamp_length_max(depth);
        match &self.shape {
            FluidShape::Rectangle { half_size } => {
                let inner = (*half_size - depth).max(Vec2::ZERO);
                corner.clamp(-inner, inner)
            }
            FluidShape::Polygon(_) => {
                // A corner of a flat plate lies about as deep as the centre.
                let Some(edge) = self.shape.nearest(towards_centre, f32::INFINITY) else {
                    return towards_centre;
                };
                let missing = (0.5 * depth + edge.distance).max(0.0);
                let deeper = towards_centre - edge.normal * missing;
                if self.shape.contains(deeper) { deeper } else { towards_centre }
            }
            _ => towards_centre,
        }
    }

    /// Whether bodies meet it.
    pub(crate) fn stops_bodies(&self) -> bool {
        let passes = self.options.body.is_some_and(|body| body.ignore_contacts);
        !passes && !self.options.one_way
    }

    /// Puts it back on the way of this substep, so that it only goes a `fraction` of it.
    pub(crate) fn go_only(&mut self, fraction: f32) {
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

    /// The motion of a body, which the liquid and contacts change.
    pub(crate) fn motion_mut(&mut self) -> &mut Motion {
        &mut self.collider.motion
    }

    /// The additional motion of a body at the next advance, which contacts change.
    pub(crate) fn shift_mut(&mut self) -> &mut Motion {
        &mut self.collider.shift
    }

    /// How long a body has been at rest, and whether it sleeps.
    pub(crate) fn rest_mut(&mut self) -> &mut Rest {
        &mut self.collider.rest
    }

    /// Lets a body rest anew.
    pub(crate) fn wake(&mut self) {
        self.collider.rest = Rest::restless(self.pose);
    }

    /// Gives it the motion that leads to a `target` pose in `time` seconds.
    pub(crate) fn head_for(&mut self, target: Pose, time: f32) {
        self.collider.motion = self.pose.motion_to(target, time);
    }

    /// Limits the speed of its walls to how far they can come in a substep of `time` seconds.
    pub(crate) fn limit_turn(&mut self, time: f32) {
        self.collider.limit_turn(time);
    }

    /// Moves it by `time` seconds of its motion.
    pub(crate) fn advance(&mut self, time: f32) {
        self.collider.advance(time);
    }

    /// Moves it to a `target` pose in `time` seconds.
    pub(crate) fn advance_to(&mut self, target: Pose, time: f32) {
        self.head_for(target, time);
        self.advance(time);
        // Rounding must not move the colliders of a body apart.
        self.collider.pose = target;
    }

    /// Sets the load to 0 before a tick. A sleeping body keeps the load of its last tick.
    pub(crate) fn begin_load(&mut self) {
        let kept = self.load.filter(|_| self.is_sleeping()).unwrap_or_default();
        self.load = Some(kept.without_substep());
    }

    /// Adds an impulse of the liquid in the present substep, if it was there when the tick began.
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

    /// Ends the substep and returns the load in it.
    pub(crate) fn end_substep(&mut self) -> Load {
        self.load.as_mut().map(LoadSums::end_substep).unwrap_or_default()
    }

    /// The liquid's load on it in the last tick.
    pub(crate) fn load(&self) -> Load {
        self.load.as_ref().map(LoadSums::load).unwrap_or_default()
    }

    /// The collider without what belongs to it.
    pub(crate) fn into_collider(self) -> Collider {
        self.collider
    }
}

/// The classes that a collider stops.
fn stopped_by(collider: &Collider, classes: &ClassTable) -> ClassFilter {
    let options = collider.options();
    let passes = |class: &DensityClass| class.collision_layers & options.layers == 0;
    let passing = classes.iter().enumerate().filter(|(_, class)| passes(class));
    passing.fold(options.classes, |stops, (index, _)| stops.without(ClassId(index as u8)))
}

// How long a body has been at rest, and whether it sleeps.

/// How long a body has stayed at a place, and whether it sleeps. It means nothing for a solid that is
/// no body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rest {
    /// Where it has stayed.
    pub pose: Pose,
    /// For how long, in seconds. It does not grow beyond the time after which a body may sleep.
    pub time: f32,
    /// Whether it sleeps.
    pub asleep: bool,
}

stored!(Rest { pose, time in Limits::NOT_NEGATIVE, asleep });

impl Rest {
    /// A body that has only just come to a pose.
    pub(crate) const fn restless(pose: Pose) -> Self {
        Self { pose, time: 0.0, asleep: false }
    }
}

// Contacts of bodies, as remembered from one substep to the next.

/// What tells a contact from others: the body, the other side, and the corner that touches.
///
/// The fields are in the order in which contacts are found, so that lists of contacts are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ContactKey {
    /// Index of the body.
    pub body: usize,
    /// Index of the other collider plus 1; 0 for the container.
    pub other: usize,
    /// Whether the corner is one of the other collider, and not of the body.
    pub is_of_other: bool,
    /// Number of the corner.
    pub corner: usize,
    /// Number of the container's wall.
    pub wall: usize,
}

stored!(ContactKey { body, other, is_of_other, corner, wall });

/// Impulses at a contact in the last substep. The next one starts with them, so that a stack of bodies
/// comes to rest however few the iterations of a substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeldContact {
    pub key: ContactKey,
    /// Impulse along the normal.
    pub pushed: f32,
    /// Impulse along the tangent.
    pub rubbed: f32,
}

impl HeldContact {
    pub(crate) fn is_finite(&self) -> bool {
        self.pushed.is_finite() && self.rubbed.is_finite()
    }
}

stored!(HeldContact { key, pushed in Limits::FINITE, rubbed in Limits::FINITE });

// A list of items in the order of insertion. Their handles stay valid when other items are
// inserted or removed.

/// A handle of an item in [`Slots`]: the slot, and the number of times that it had been reused.
pub(crate) trait Handle: Copy {
    /// Creates the handle of a slot and a generation.
    fn new(slot: u32, generation: u32) -> Self;

    /// The slot.
    fn slot(self) -> u32;

    /// Number of times that the slot had been reused.
    fn generation(self) -> u32;
}

/// Declares a public handle of an item in [`Slots`].
macro_rules! declare_handle {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
        pub struct $name {
            slot: u32,
            generation: u32,
        }

        impl $name {
            /// The slot: a small number, unique among those that are present, and reused after a
            /// removal.
            pub fn slot(self) -> u32 {
                self.slot
            }

            /// Number of times that the slot had been reused.
            pub fn generation(self) -> u32 {
                self.generation
            }
        }

        $crate::stored::stored!($name { slot, generation });

        impl $crate::boundary::collider_record::Handle for $name {
            fn new(slot: u32, generation: u32) -> Self {
                Self { slot, generation }
            }

            fn slot(self) -> u32 {
                self.slot
            }

            fn generation(self) -> u32 {
                self.generation
            }
        }
    };
}
pub(crate) use declare_handle;

/// Index in a slot that holds no item.
const VACANT: u32 = u32::MAX;

/// Items as a slice in the order of insertion. When an item is removed, the others keep their order
/// and their handles, but the indices of the items after it decrease by 1.
#[derive(Clone, Debug)]
pub(crate) struct Slots<Id, T> {
    items: Vec<T>,
    /// Handle of each item.
    ids: Vec<Id>,
    slots: Vec<Slot>,
    vacant: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    generation: u32,
    /// Index of the item, or [`VACANT`].
    index: u32,
}

impl<Id, T> Default for Slots<Id, T> {
    fn default() -> Self {
        Self { items: Vec::new(), ids: Vec::new(), slots: Vec::new(), vacant: Vec::new() }
    }
}

impl<Id: Handle, T> Slots<Id, T> {
    /// Adds an item after all others.
    pub(crate) fn insert(&mut self, item: T) -> Id {
        let slot = self.vacant.pop().unwrap_or_else(|| {
            self.slots.push(Slot { generation: 0, index: VACANT });
            self.slots.len() as u32 - 1
        });
        let place = &mut self.slots[slot as usize];
        place.index = self.items.len() as u32;
        let id = Id::new(slot, place.generation);
        self.items.push(item);
        self.ids.push(id);
        id
    }

    /// Index of an item in the slice; `None` if it was removed.
    pub(crate) fn index_of(&self, id: Id) -> Option<usize> {
        let slot = self.slots.get(id.slot() as usize)?;
        let present = slot.index != VACANT && slot.generation == id.generation();
        present.then_some(slot.index as usize)
    }

    /// The item of a handle; `None` if it was removed.
    pub(crate) fn find(&self, id: Id) -> Option<&T> {
        self.index_of(id).map(|index| &self.items[index])
    }

    /// Removes the item at an index of the slice.
    pub(crate) fn remove(&mut self, index: usize) -> T {
        let id = self.ids.remove(index);
        self.vacate(id);
        for id in &self.ids[index..] {
            self.slots[id.slot() as usize].index -= 1;
        }
        self.items.remove(index)
    }

    /// Slots that are never used again.
    #[cfg(feature = "snapshot")]
    fn retired(&self) -> Vec<u32> {
        let all = 0..self.slots.len() as u32;
        let is_retired =
            |slot: &u32| self.slots[*slot as usize].index == VACANT && !self.vacant.contains(slot);
        all.filter(is_retired).collect()
    }

    /// Removes all items.
    pub(crate) fn clear(&mut self) {
        self.items.clear();
        for id in std::mem::take(&mut self.ids) {
            self.vacate(id);
        }
    }

    /// Removes the items that `keep` refuses.
    pub(crate) fn retain(&mut self, keep: impl Fn(&T) -> bool) {
        let mut kept = 0;
        for index in 0..self.items.len() {
            let id = self.ids[index];
            if keep(&self.items[index]) {
                self.slots[id.slot() as usize].index = kept as u32;
                self.items.swap(kept, index);
                self.ids.swap(kept, index);
                kept += 1;
            } else {
                self.vacate(id);
            }
        }
        self.items.truncate(kept);
        self.ids.truncate(kept);
    }

    fn vacate(&mut self, id: Id) {
        let slot = &mut self.slots[id.slot() as usize];
        slot.index = VACANT;
        // A slot whose generations are used up is not used again, so that no handle ever refers to
        // another item.
        if let Some(next) = slot.generation.checked_add(1) {
            slot.generation = next;
            self.vacant.push(id.slot());
        }
    }

    /// All items and their handles, in the order of the slice.
    pub(crate) fn entries(
        &self,
    ) -> impl ExactSizeIterator<Item = (Id, &T)> + DoubleEndedIterator + Clone {
        self.ids.iter().copied().zip(&self.items)
    }
}

impl<Id, T> Deref for Slots<Id, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.items
    }
}

impl<Id, T> DerefMut for Slots<Id, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.items
    }
}

#[cfg(feature = "snapshot")]
impl<Id: Handle, T: Stored> Stored for Slots<Id, T> {
    fn store(&self, to: &mut Writer) {
        let Self { items, ids, slots, vacant } = self;
        items.store(to);
        ids.iter().for_each(|id| id.slot().store(to));
        store_array(vacant, to);
        store_array(&self.retired(), to);
        for Slot { generation, index: _ } in slots {
            generation.store(to);
        }
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, SnapshotError> {
        let items: Vec<T> = Stored::load(from)?;
        let held = load_elements::<u32>(items.len(), from)?;
        let (vacant, retired) = (load_array::<u32>(from)?, load_array::<u32>(from)?);
        let count = held.len() + vacant.len() + retired.len();
        let generations = load_elements::<u32>(count, from)?;
        let free = |generation| Slot { generation, index: VACANT };
        let mut slots: Vec<Slot> = generations.into_iter().map(free).collect();
        let mut taken = vec![false; count];
        for slot in held.iter().chain(&vacant).chain(&retired) {
            let place = taken.get_mut(*slot as usize);
            let free = place.is_some_and(|taken| !std::mem::replace(taken, true));
            ensure(free, "a slot is not that of one item")?;
        }
        for (index, slot) in held.iter().enumerate() {
            slots[*slot as usize].index = index as u32;
        }
        let ids = held.iter().map(|slot| Id::new(*slot, slots[*slot as usize].generation));
        Ok(Self { ids: ids.collect(), items, slots, vacant })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Id = (u32, u32);

    impl Handle for Id {
        fn new(slot: u32, generation: u32) -> Self {
            (slot, generation)
        }

        fn slot(self) -> u32 {
            self.0
        }

        fn generation(self) -> u32 {
            self.1
        }
    }

    #[test]
    fn handles_find_their_own_items_and_never_others() {
        let mut slots = Slots::<Id, u32>::default();
        // The expected items in order, and the handles of removed items.
        let (mut expected, mut stale) = (Vec::<(Id, u32)>::new(), Vec::new());
        for step in 0..500_u32 {
            if step % 101 == 100 {
                slots.clear();
                stale.extend(expected.drain(..).map(|(id, _)| id));
            } else if step % 29 == 28 {
                let (keep, gone): (Vec<_>, Vec<_>) =
                    expected.into_iter().partition(|(_, item)| item % 3 > 0);
                slots.retain(|item| item % 3 > 0);
                stale.extend(gone.into_iter().map(|(id, _)| id));
                expected = keep;
            } else if step * 7919 % 5 < 2 && !expected.is_empty() {
                let (id, item) = expected.remove(step as usize * 31 % expected.len());
                let index = slots.index_of(id).expect("still there");
                assert_eq!(slots.remove(index), item);
                stale.push(id);
            } else {
                expected.push((slots.insert(step), step));
            }
            assert!(slots.entries().map(|(id, item)| (id, *item)).eq(expected.iter().copied()));
            for (index, (id, item)) in expected.iter().enumerate() {
                assert_eq!((slots.index_of(*id), slots.find(*id)), (Some(index), Some(item)));
            }
            assert!(stale.iter().all(|id| slots.index_of(*id).is_none()));
        }
        assert!(slots.slots.len() < 200, "slots are reused");
    }

    #[test]
    fn a_slot_whose_generations_are_used_up_is_not_used_again() {
        let mut slots = Slots::<Id, ()>::default();
        slots.insert(());
        slots.slots[0].generation = u32::MAX;
        slots.remove(0);
        assert_eq!(slots.insert(()), (1, 0));
        assert_eq!(slots.index_of((0, u32::MAX)), None);
    }
}
