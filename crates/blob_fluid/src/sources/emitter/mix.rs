//! Chooses the classes of a mix in turn, by their shares.

use crate::counting::MOST_COUNTED;
use crate::settings::class::ClassId;
#[cfg(feature = "snapshot")]
use crate::stored::error::{SnapshotError, countable, ensure};
use crate::stored::stored;

/// Chooses classes so that after every particle the counts differ from the shares by less than one.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Dealer {
    /// How often each entry of the mix was chosen.
    dealt: Vec<u64>,
    all: u64,
}

stored!(Dealer { dealt, all } check check_counts);

/// The entries' counts add up to that of all.
#[cfg(feature = "snapshot")]
fn check_counts(dealer: &Dealer) -> Result<(), SnapshotError> {
    let sum = dealer.dealt.iter().try_fold(0_u64, |sum, dealt| sum.checked_add(*dealt));
    ensure(sum == Some(dealer.all), "a mix that was dealt otherwise")?;
    countable([dealer.all])
}

impl Dealer {
    /// Index of the next entry of a mix: the entry farthest behind its share, or the first of
    /// several.
    pub(super) fn next(&self, mix: &[(ClassId, f32)]) -> usize {
        let whole: f64 = mix.iter().map(|(_, weight)| f64::from(*weight)).sum();
        let (mut next, mut farthest) = (0, f64::NEG_INFINITY);
        for (index, (_, weight)) in mix.iter().enumerate() {
            let due = f64::from(*weight) / whole * (self.all + 1) as f64;
            let behind = due - self.dealt.get(index).copied().unwrap_or(0) as f64;
            if *weight > 0.0 && behind > farthest {
                (next, farthest) = (index, behind);
            }
        }
        next
    }

    /// Records that an entry was chosen.
    pub(super) fn deal(&mut self, entry: usize) {
        if self.all >= MOST_COUNTED {
            // The shares begin anew.
            self.clear();
        }
        if self.dealt.len() <= entry {
            self.dealt.resize(entry + 1, 0);
        }
        self.dealt[entry] += 1;
        self.all += 1;
    }

    /// Undoes one choice of an entry.
    pub(super) fn take_back(&mut self, entry: usize) {
        if let Some(dealt) = self.dealt.get_mut(entry).filter(|dealt| **dealt > 0) {
            *dealt -= 1;
            self.all -= 1;
        }
    }

    /// Resets all counts.
    pub(super) fn clear(&mut self) {
        self.dealt.clear();
        self.all = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_its_share_at_any_time() {
        let mix = [(ClassId(0), 5.0), (ClassId(1), 0.0), (ClassId(2), 2.0), (ClassId(3), 1.0)];
        let mut dealer = Dealer::default();
        let mut dealt = [0.0_f64; 4];
        for number in 1..=4000 {
            let entry = dealer.next(&mix);
            dealer.deal(entry);
            dealt[entry] += 1.0;
            for (dealt, (_, weight)) in dealt.iter().zip(mix) {
                let share = f64::from(weight) / 8.0 * f64::from(number);
                assert!((dealt - share).abs() <= 1.0, "{dealt} against {share}");
            }
        }
        assert_eq!(dealt, [2500.0, 0.0, 1000.0, 500.0]);
    }
}
