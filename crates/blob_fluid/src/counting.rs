//! Counts that end.

/// The largest count. No game reaches it, and a sum of some hundreds of such fits into 64 bits.
pub(crate) const MOST_COUNTED: u64 = 1 << 48;

/// Adds to a count, which stays at the largest one.
pub(crate) fn count_more(count: &mut u64, more: u64) {
    *count = count.saturating_add(more).min(MOST_COUNTED);
}
