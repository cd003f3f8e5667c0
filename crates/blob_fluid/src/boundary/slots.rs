//! A list of items in the order of insertion. Their handles stay valid when other items are
//! inserted or removed.

use std::ops::{Deref, DerefMut};

#[cfg(feature = "snapshot")]
use crate::stored::bytes::{
    Loaded, Reader, SnapshotError, Stored, Writer, ensure, load_array, load_elements, store_array,
};
use crate::work;

/// A handle of an item in [`Slots`]: the slot, and the number of times that it was reused before.
pub(crate) trait Handle: Copy {
    /// Creates the handle of a slot and a generation.
    fn new(slot: u32, generation: u32) -> Self;

    /// The slot.
    fn slot(self) -> u32;

    /// Number of times that the slot was reused before.
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
            /// The slot: a small number, unique among the present items, and reused after a
            /// removal.
            pub fn slot(self) -> u32 {
                self.slot
            }

            /// Number of times that the slot was reused before this item.
            pub fn generation(self) -> u32 {
                self.generation
            }
        }

        $crate::stored::stored!($name { slot, generation });

        impl $crate::boundary::slots::Handle for $name {
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
    /// Appends an item.
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

    /// The handle of the item at an index of the slice.
    pub(crate) fn id_at(&self, index: usize) -> Id {
        self.ids[index]
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
        work::count(self.items.len() - index);
        self.items.remove(index)
    }

    /// Slots that are never used again.
    #[cfg(feature = "snapshot")]
    fn retired(&self) -> Vec<u32> {
        work::count(self.slots.len());
        let indices: Vec<u32> = self.slots.iter().map(|slot| slot.index).collect();
        retired_slots(&indices, self.items.len(), &self.vacant)
    }

    /// Removes all items.
    pub(crate) fn clear(&mut self) {
        self.items.clear();
        for id in std::mem::take(&mut self.ids) {
            self.vacate(id);
        }
    }

    /// Removes the items for whose index and value `keep` returns `false`.
    pub(crate) fn retain(&mut self, keep: impl Fn(usize, &T) -> bool) {
        let mut kept = 0;
        for index in 0..self.items.len() {
            let id = self.ids[index];
            work::count(1);
            if keep(index, &self.items[index]) {
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
        // A slot whose generations are exhausted is not reused, so that no old handle ever refers
        // to a new item.
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

/// The slots that are never used again: neither of an item nor vacant. `indices` are the items' indices by slot.
#[cfg(feature = "snapshot")]
pub(crate) fn retired_slots(indices: &[u32], items: usize, vacant: &[u32]) -> Vec<u32> {
    if indices.len() == items + vacant.len() {
        return Vec::new();
    }
    let mut is_used: Vec<bool> = indices.iter().map(|index| *index != VACANT).collect();
    vacant.iter().for_each(|slot| is_used[*slot as usize] = true);
    (0..indices.len() as u32).filter(|slot| !is_used[*slot as usize]).collect()
}

/// The index of the item in each slot. Each slot must belong to one item, be vacant, or be retired.
#[cfg(feature = "snapshot")]
pub(crate) fn slot_indices(occupied: &[u32], vacant: &[u32], retired: &[u32]) -> Loaded<Vec<u32>> {
    let count = occupied.len() + vacant.len() + retired.len();
    let (mut indices, mut taken) = (vec![VACANT; count], vec![false; count]);
    for slot in occupied.iter().chain(vacant).chain(retired) {
        let place = taken.get_mut(*slot as usize);
        let free = place.is_some_and(|taken| !std::mem::replace(taken, true));
        ensure(free, "a slot is not that of one item")?;
    }
    for (index, slot) in occupied.iter().enumerate() {
        indices[*slot as usize] = index as u32;
    }
    Ok(indices)
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
        let occupied = load_elements::<u32>(items.len(), from)?;
        let (vacant, retired) = (load_array::<u32>(from)?, load_array::<u32>(from)?);
        let count = occupied.len() + vacant.len() + retired.len();
        let generations = load_elements::<u32>(count, from)?;
        let indices = slot_indices(&occupied, &vacant, &retired)?;
        let slots = generations.into_iter().zip(indices);
        let slots: Vec<Slot> =
            slots.map(|(generation, index)| Slot { generation, index }).collect();
        let ids = occupied.iter().map(|slot| Id::new(*slot, slots[*slot as usize].generation));
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
                slots.retain(|_, item| item % 3 > 0);
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
        #[cfg(feature = "snapshot")]
        assert_eq!(slots.retired(), [0]);
    }
}
