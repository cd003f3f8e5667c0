//! What some bytes became: which of them are kept, in their order, and which are new.

use std::cmp::Ordering;

use crate::stored::arrays::{load_array, store_array};
use crate::stored::error::{SnapshotError, ensure};
use crate::stored::reader::Reader;
use crate::stored::writer::{Stored, Writer};

/// A difference of bytes. Its steps go through the old bytes once, so that what comes out is never longer
/// than the old bytes and the change together, whatever a file says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Change {
    steps: Vec<u8>,
}

/// A step: so many old bytes are kept, so many left out, and so many follow that are new.
type Step = (u64, u64, u64);

/// Number of bytes that must agree until both are said to go on alike.
const WINDOW: usize = 16;

/// Number of bytes, of the old and the new ones together, among which all places are tried.
const NEAR: usize = 64;

impl Change {
    /// How old bytes became new ones.
    pub(super) fn between(old: &[u8], new: &[u8]) -> Self {
        let mut to = Writer::default();
        let mut blocks = None;
        let (mut at, mut place) = (0, 0);
        while at < old.len() || place < new.len() {
            let kept = common(&old[at..], &new[place..]);
            at += kept;
            place += kept;
            let (left_out, added) =
                meeting_nearby(&old[at..], &new[place..]).unwrap_or_else(|| {
                    blocks.get_or_insert_with(|| Blocks::of(old)).meeting(old, at, &new[place..])
                });
            let step: Step = (kept as u64, left_out as u64, added as u64);
            to.settings(&step);
            to.bytes.extend_from_slice(&new[place..place + added]);
            at += left_out;
            place += added;
        }
        Self { steps: to.bytes }
    }

    /// The new bytes.
    pub(super) fn apply(&self, mut old: &[u8]) -> Result<Vec<u8>, SnapshotError> {
        let mut from = Reader::new(&self.steps);
        let mut new = Vec::new();
        while !from.is_finished() {
            let (kept, left_out, added): Step = from.settings()?;
            let size = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
            let (kept, rest) = old.split_at_checked(size(kept)).ok_or_else(other_bytes)?;
            new.extend_from_slice(kept);
            old = rest.get(size(left_out)..).ok_or_else(other_bytes)?;
            new.extend_from_slice(from.take(size(added))?);
        }
        ensure(old.is_empty(), "a change of other bytes")?;
        Ok(new)
    }
}

impl Stored for Change {
    fn store(&self, to: &mut Writer) {
        store_array(&self.steps, to);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, SnapshotError> {
        load_array(from).map(|steps| Self { steps })
    }
}

fn other_bytes() -> SnapshotError {
    SnapshotError::invalid("a change of other bytes")
}

/// Number of bytes with which both begin.
fn common(one: &[u8], other: &[u8]) -> usize {
    let (ones, others) = (one.as_chunks::<WINDOW>().0, other.as_chunks::<WINDOW>().0);
    let whole = WINDOW * ones.iter().zip(others).take_while(|(one, other)| one == other).count();
    let rest = one[whole..].iter().zip(&other[whole..]);
    whole + rest.take_while(|(one, other)| one == other).count()
}

/// The nearest place from which both go on alike: how much of the old bytes, and how much of the new ones,
/// comes before it. `None` if there is none nearby.
fn meeting_nearby(old: &[u8], new: &[u8]) -> Option<(usize, usize)> {
    let pairs =
        (0..=NEAR).flat_map(|both| (0..=both).map(move |left_out| (left_out, both - left_out)));
    pairs.filter(|(left_out, added)| *left_out <= old.len() && *added <= new.len()).find(
        |(left_out, added)| {
            let (old, new) = (&old[*left_out..], &new[*added..]);
            match (old.first_chunk::<WINDOW>(), new.first_chunk::<WINDOW>()) {
                (Some(old), Some(new)) => old == new,
                _ => old == new,
            }
        },
    )
}

/// Where the windows of some bytes are: their key and their place, in ascending order.
struct Blocks(Vec<(u64, usize)>);

impl Blocks {
    fn of(bytes: &[u8]) -> Self {
        let windows = bytes.as_chunks::<WINDOW>().0.iter().enumerate();
        let keys = windows.filter_map(|(index, window)| Some((key(window)?, index * WINDOW)));
        let mut blocks: Vec<(u64, usize)> = keys.collect();
        blocks.sort_unstable();
        Self(blocks)
    }

    /// As [`meeting_nearby`], at any distance after a place in the old bytes. If there is none, all bytes
    /// come before it.
    fn meeting(&self, old: &[u8], at: usize, new: &[u8]) -> (usize, usize) {
        for (added, window) in new.windows(WINDOW).enumerate() {
            let Some(key) = window.first_chunk().and_then(key) else { continue };
            let next = self.0.partition_point(|block| block.cmp(&(key, at)) == Ordering::Less);
            let Some((_, place)) = self.0.get(next).filter(|(other, _)| *other == key) else {
                continue;
            };
            if old[*place..].starts_with(window) {
                let (before, added_before) = (&old[at..*place], &new[..added]);
                let earlier = before.iter().rev().zip(added_before.iter().rev());
                let earlier = earlier.take_while(|(one, other)| one == other).count();
                return (before.len() - earlier, added - earlier);
            }
        }
        (old.len() - at, new.len())
    }
}

/// A number for a window; `None` if it repeats one number, and so is found in many places.
fn key(window: &[u8; WINDOW]) -> Option<u64> {
    let [low, high] =
        [0, 8].map(|start| u64::from_le_bytes(std::array::from_fn(|byte| window[start + byte])));
    let differs = low != high || low >> 32 != low & u64::from(u32::MAX);
    // Any odd number would do.
    differs.then(|| low ^ high.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that look random.
    fn numbers(count: usize, seed: u32) -> Vec<u8> {
        let mut state = seed;
        let next = |_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state >> 8
        };
        (0..count).map(next).flat_map(u32::to_le_bytes).collect()
    }

    #[test]
    fn a_change_gives_the_new_bytes_and_takes_little_more_room_than_what_is_new() {
        let old = numbers(20_000, 1);
        let with = |change: &dyn Fn(&mut Vec<u8>)| {
            let mut new = old.clone();
            change(&mut new);
            new
        };
        let changed = [
            (with(&|_| ()), 0),
            (with(&|all| all[4000] ^= 1), 1),
            (with(&|all| all[4000..4040].fill(7)), 40),
            (with(&|all| drop(all.splice(4000..4000, numbers(3, 2)))), 12),
            (with(&|all| drop(all.splice(4000..4000, numbers(3000, 2)))), 12_000),
            (with(&|all| drop(all.drain(4000..4008))), 0),
            (with(&|all| drop(all.drain(4000..30_000))), 0),
            (with(&|all| drop(all.splice(4001..9002, numbers(77, 2)))), 308),
            (with(&|all| all.extend(numbers(2, 3))), 8),
            (with(&|all| all.truncate(100)), 0),
            (numbers(10_000, 4), 40_000),
            (Vec::new(), 0),
        ];
        for (number, (new, added)) in changed.iter().enumerate() {
            let change = Change::between(&old, new);
            assert!(change.apply(&old).as_ref() == Ok(new), "case {number}");
            let room = change.steps.len();
            assert!(room <= added + 40, "case {number} takes {room} bytes for {added}");
        }
        let change = Change::between(&[], &old);
        assert!(change.apply(&[]).as_ref() == Ok(&old));
    }

    #[test]
    fn a_change_of_other_bytes_is_refused() {
        let (old, new) = (numbers(100, 1), numbers(60, 1));
        let change = Change::between(&old, &new);
        assert!(change.apply(&new).is_err() && change.apply(&[]).is_err());
        let longer = [&old[..], &[1]].concat();
        assert!(change.apply(&longer).is_err());
    }
}
