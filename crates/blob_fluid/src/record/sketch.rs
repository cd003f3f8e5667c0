//! A sketch of the particles: a few numbers, from which a particle is found in which two worlds differ.

use crate::particles::arrays::Particles;
use crate::stored::arrays::{load_elements, store_elements};
use crate::stored::error::SnapshotError;
use crate::stored::reader::Reader;
use crate::stored::writer::{Stored, Writer};

/// Number of levels: half of all particles belong to the first, a quarter to the second, and so on.
const LEVELS: usize = 16;

/// Number of cells of a level, among which its particles are distributed: more where a few are, so that two
/// that differ seldom share one.
const fn cells(level: usize) -> usize {
    if level < 3 { 32 >> level } else { 4 }
}

/// Where the cells of each level begin, and where the last ones end.
const STARTS: [usize; LEVELS + 1] = {
    let mut starts = [0; LEVELS + 1];
    let mut level = 0;
    while level < LEVELS {
        starts[level + 1] = starts[level] + cells(level);
        level += 1;
    }
    starts
};

/// Number of all cells.
const ALL_CELLS: usize = STARTS[LEVELS];

/// For each cell the sum of its particles' hashes, and the sum of the same hashes times their slots.
///
/// If the particles of a cell differ in a single one, the two differences of its sums have that particle's
/// slot as their quotient. However many particles differ, there is a level of which about one differs in a
/// cell: the strata of Eppstein, Goodrich, Uyeda and Varghese 2011, "What's the Difference? Efficient Set
/// Reconciliation without Prior Context". If two particles differ they share a cell one time in seventy, and if
/// more do there is no such cell one time in some hundreds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sketch {
    sums: Box<[[u32; 2]; ALL_CELLS]>,
}

impl Sketch {
    pub(super) fn of(particles: &Particles) -> Self {
        let mut sums = Box::new([[0_u32; 2]; ALL_CELLS]);
        for (index, id) in particles.ids().iter().enumerate() {
            let hash = particles.deep_hash_of(index);
            let hash = (hash ^ hash >> 32) as u32;
            let [sum, by_slot] = &mut sums[cell_of(id.slot())];
            *sum = sum.wrapping_add(hash);
            *by_slot = by_slot.wrapping_add(hash.wrapping_mul(weight(id.slot())));
        }
        Self { sums }
    }

    /// The lowest slot below `slots` of which it is certain that the particles differ; `None` if there is
    /// none.
    pub(super) fn differing_slot(&self, other: &Self, slots: u32) -> Option<u32> {
        let differences: Vec<[u32; 2]> = self
            .sums
            .iter()
            .zip(&*other.sums)
            .map(|(one, other)| [0, 1].map(|sum| one[sum].wrapping_sub(other[sum])))
            .collect();
        let mut found = [None; ALL_CELLS];
        for slot in 0..slots {
            let cell = cell_of(slot);
            let [sum, by_slot] = differences[cell];
            if sum != 0 && sum.wrapping_mul(weight(slot)) == by_slot {
                // Two that explain a cell explain nothing.
                found[cell] = Some(if found[cell].is_none() { Some(slot) } else { None });
            }
        }
        found.into_iter().flatten().flatten().min()
    }
}

fn weight(slot: u32) -> u32 {
    slot.wrapping_add(1)
}

/// The cell of a slot. Neighbours, which often differ together, are spread (splitmix64).
fn cell_of(slot: u32) -> usize {
    let mut bits = u64::from(slot).wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^= bits >> 31;
    let level = (bits.trailing_zeros() as usize).min(LEVELS - 1);
    STARTS[level] + (bits >> 32) as usize % cells(level)
}

impl Stored for Sketch {
    fn store(&self, to: &mut Writer) {
        store_elements(self.sums.as_flattened(), to);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, SnapshotError> {
        let sums: Vec<u32> = load_elements(2 * ALL_CELLS, from)?;
        let mut sketch = Box::new([[0; 2]; ALL_CELLS]);
        sketch.as_flattened_mut().copy_from_slice(&sums);
        Ok(Self { sums: sketch })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::particles::spawn::ParticleSpawn;
    use crate::shape::scatter;

    fn particles(count: u32) -> Particles {
        let mut particles = Particles::default();
        for number in 0..count {
            let position = 100.0 * scatter(number);
            particles.push(ParticleSpawn { position, ..Default::default() });
        }
        particles
    }

    #[test]
    fn a_particle_that_differs_is_found_however_many_do() {
        let whole = particles(5000);
        let sketch = Sketch::of(&whole);
        assert_eq!(sketch.differing_slot(&sketch, 5000), None);
        let (mut found, mut tries) = (0, 0);
        for differing in [1, 2, 7, 50, 400, 5000] {
            for seed in 0..60 {
                let mut other = particles(5000);
                let mut changed = Vec::new();
                for number in 0..differing {
                    let slot = (number * 5000 / differing + 83 * seed) % 5000;
                    let velocity = scatter(number + seed * 7919);
                    other.velocity[slot as usize] += velocity;
                    changed.push(slot);
                }
                let slot = sketch.differing_slot(&Sketch::of(&other), 5000);
                assert!(
                    slot.is_none_or(|slot| changed.contains(&slot)),
                    "{slot:?} does not differ"
                );
                assert!(slot.is_some() || differing > 2, "{differing} differ");
                found += usize::from(slot.is_some());
                tries += 1;
            }
        }
        assert!(found * 100 >= tries * 98, "{found} of {tries}");
    }

    #[test]
    fn a_particle_that_is_missing_is_found() {
        let whole = particles(100);
        let mut other = particles(100);
        other.swap_remove(40);
        assert_eq!(Sketch::of(&whole).differing_slot(&Sketch::of(&other), 100), Some(40));
    }
}
