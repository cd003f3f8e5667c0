//! The particles at a frame, in whole steps.

use crate::settings::class::ClassId;

/// The numbers of a particle that are baked. Paint is baked only if a class takes it.
pub(super) mod column {
    pub const X: usize = 0;
    pub const Y: usize = 1;
    pub const DENSITY: usize = 2;
    pub const OPACITY: usize = 3;
    pub const TEMPERATURE: usize = 4;
    /// Red, and after it green and blue.
    pub const PAINT: usize = 5;
    /// Number of columns without and with paint.
    pub const COUNT: usize = 5;
    pub const COUNT_WITH_PAINT: usize = 8;
    /// Columns of positions: they come first, and particles go on in them as fast as before.
    pub const POSITIONS: usize = 2;
}

/// The particles at a frame, the oldest first. All numbers are whole steps, so that they are the same on every
/// platform, and the same whether they were reached from one key frame or another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Moment {
    /// Number of particles that came before each one.
    pub ids: Vec<u32>,
    pub classes: Vec<ClassId>,
    pub columns: Vec<Vec<i32>>,
    /// How far each particle came since the frame before, along each axis.
    pub ways: [Vec<i32>; column::POSITIONS],
    /// The id of the next particle that comes.
    pub next_id: u32,
}

impl Moment {
    pub(super) fn with_columns(count: usize) -> Self {
        Self { columns: vec![Vec::new(); count], ..Self::default() }
    }

    /// Number of particles.
    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    /// Removes all particles, and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.ids.clear();
        self.classes.clear();
        self.columns.iter_mut().for_each(Vec::clear);
        self.ways.iter_mut().for_each(Vec::clear);
    }

    /// Becomes equal to another one, in the memory that it has.
    pub(super) fn copy_from(&mut self, other: &Self) {
        let Self { ids, classes, columns, ways, next_id } = other;
        self.ids.clone_from(ids);
        self.classes.clone_from(classes);
        self.columns.clone_from(columns);
        self.ways.clone_from(ways);
        self.next_id = *next_id;
    }

    /// Removes the particles at these indices, which ascend.
    pub(super) fn remove(&mut self, gone: &[u32]) {
        remove(&mut self.ids, gone);
        remove(&mut self.classes, gone);
        self.columns.iter_mut().for_each(|column| remove(column, gone));
        self.ways.iter_mut().for_each(|ways| remove(ways, gone));
    }
}

/// Removes the items at these indices, which ascend, and keeps the order of the others.
pub(super) fn remove<T: Copy>(items: &mut Vec<T>, gone: &[u32]) {
    let Some(first) = gone.first() else { return };
    let mut to = *first as usize;
    let ends = gone[1..].iter().map(|next| *next as usize).chain([items.len()]);
    for (hole, end) in gone.iter().zip(ends) {
        let kept = *hole as usize + 1..end;
        items.copy_within(kept.clone(), to);
        to += kept.len();
    }
    items.truncate(to);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removal_keeps_the_order_of_the_others() {
        for gone in
            [&[][..], &[0], &[9], &[0, 1, 2], &[3, 5, 8, 9], &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]]
        {
            let mut items: Vec<u32> = (0..10).collect();
            remove(&mut items, gone);
            let kept: Vec<u32> = (0..10).filter(|item| !gone.contains(item)).collect();
            assert_eq!(items, kept);
        }
    }
}
