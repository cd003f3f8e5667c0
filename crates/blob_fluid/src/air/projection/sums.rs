//! Sums with a fixed order, which is its own mirror image.
//!
//! Every band of rows adds up each column on its own, a number in each lane. Then the columns are
//! added in pairs from both ends. So the bits depend neither on threads nor on lanes, and a mirrored
//! list has the same sum.

use crate::air::projection::level::with_lanes;

/// Adds up the sums of the columns of all bands.
pub(crate) fn mirrored_sum(partial: &[f32], columns: usize) -> f64 {
    let column =
        |i: usize| partial[i..].iter().step_by(columns).map(|sum| f64::from(*sum)).sum::<f64>();
    let pairs = (0..columns / 2).map(|i| column(i) + column(columns - 1 - i)).sum::<f64>();
    if columns % 2 == 1 { pairs + column(columns / 2) } else { pairs }
}

/// Adds the products of two rows to the sums of their columns.
#[inline(always)]
pub(crate) fn add_products(sums: &mut [f32], a: &[f32], b: &[f32]) {
    with_lanes(
        #[inline(always)]
        || {
            for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
                *sum += a * b;
            }
        },
    );
}

/// The largest size of the numbers of a list. NaN counts as 0.
pub(crate) fn largest(list: &[f32]) -> f32 {
    let larger = |most: f32, value: f32| if value.abs() > most { value.abs() } else { most };
    with_lanes(
        #[inline(always)]
        || {
            let mut most = [0.0; 16];
            let (chunks, rest) = list.as_chunks::<16>();
            for chunk in chunks {
                for (most, value) in most.iter_mut().zip(chunk) {
                    *most = larger(*most, *value);
                }
            }
            most.iter().chain(rest).copied().fold(0.0, larger)
        },
    )
}

/// A sum that is exact for numbers of the size of the largest, whatever their order.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ExactSum(i64);

impl ExactSum {
    /// A factor that makes numbers whole, given the size of the largest: a power of two with which
    /// no sum of [`MAX_CELLS`](crate::air::MAX_CELLS) of them overflows.
    pub(crate) fn scale(largest: f32) -> f64 {
        let mut scale = 1.0;
        let largest = f64::from(largest);
        if largest <= 0.0 || !largest.is_finite() {
            return 1.0;
        }
        const MOST: f64 = (1_u64 << 40) as f64;
        while largest * scale > MOST {
            scale *= 0.5;
        }
        while largest * scale < 0.5 * MOST {
            scale *= 2.0;
        }
        scale
    }

    #[inline]
    pub(crate) fn add(&mut self, value: f32, scale: f64) {
        // Only numbers that are infinite reach the end.
        self.0 = self.0.saturating_add((f64::from(value) * scale) as i64);
    }

    pub(crate) fn value(self, scale: f64) -> f64 {
        self.0 as f64 / scale
    }
}
