//! Random shades that distinguish neighbouring particles.

/// One of eight shades: a hash of a particle's number. It has no regularity, because the mean of many shades is a
/// pattern too.
pub(super) fn shade(number: u32) -> u8 {
    // The finaliser `lowbias32` of Wellons' "Prospecting for Hash Functions".
    let mut hash = number;
    hash = (hash ^ (hash >> 16)).wrapping_mul(0x7feb_352d);
    hash = (hash ^ (hash >> 15)).wrapping_mul(0x846c_a68b);
    ((hash ^ (hash >> 16)) >> 29) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_shades_are_as_frequent_whatever_the_number_before_was() {
        let mut pairs = [0; 64];
        for number in 0..64_000 {
            pairs[usize::from(shade(number) * 8 + shade(number + 1))] += 1;
        }
        // About 1000 of each pair are expected; the limits are six standard deviations.
        assert!(pairs.iter().all(|count| (810..1190).contains(count)), "{pairs:?}");
    }
}
