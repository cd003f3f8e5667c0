//! The parts of edges that liquid can reach.

/// Calls `visit` for every part of an edge on which `free` is not negative, with the distances of
/// its ends from the edge's start.
///
/// `free` is given a distance from the start, up to `length`, and returns a distance to the next
/// obstacle that never changes faster than its argument; so that the search takes long steps where
/// nothing is near. Before `low` and beyond `high` its sign does not change. Parts shorter than `shortest` may be missed.
pub(super) fn exposed_parts(
    length: f32,
    (low, high): (f32, f32),
    shortest: f32,
    free: impl Fn(f32) -> f32,
    mut visit: impl FnMut(f32, f32),
) {
    let (mut at, mut here) = (0.0, free(0.0));
    let mut start = (here >= 0.0).then_some(0.0);
    while at < length {
        let beyond = if at < low { low - at } else { length - at };
        let step = if (low..high).contains(&at) { shortest } else { beyond };
        let next = (at + here.abs().max(step)).min(length);
        if next <= at {
            break;
        }
        let ahead = free(next);
        if (here >= 0.0) != (ahead >= 0.0) {
            let (mut low, mut high) = (at, next);
            for _ in 0..20 {
                let middle = 0.5 * (low + high);
                let like_before = (free(middle) >= 0.0) == (here >= 0.0);
                *(if like_before { &mut low } else { &mut high }) = middle;
            }
            match start.take() {
                Some(start) => visit(start, low),
                None => start = Some(high),
            }
        }
        (at, here) = (next, ahead);
    }
    if let Some(start) = start {
        visit(start, length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(length: f32, free: impl Fn(f32) -> f32) -> Vec<(f32, f32)> {
        let mut parts = Vec::new();
        exposed_parts(length, (0.0, length), 0.01, free, |start, end| parts.push((start, end)));
        parts
    }

    #[test]
    fn parts_end_where_obstacles_begin() {
        // Obstacles from 2 to 3 and from 7 on.
        let free = |at: f32| ((at - 2.5).abs() - 0.5).min(7.0 - at);
        let found = parts(10.0, free);
        assert_eq!(found.len(), 2);
        for (found, expected) in found.iter().zip([(0.0, 2.0), (3.0, 7.0)]) {
            assert!((found.0 - expected.0).abs() < 1e-3, "{found:?}");
            assert!((found.1 - expected.1).abs() < 1e-3, "{found:?}");
        }
    }

    #[test]
    fn a_long_edge_is_searched_where_something_is() {
        let free = |at: f32| (at - 70_000.0).abs().min((at - 70_004.0).abs()) - 1.9;
        let (mut found, calls) = (Vec::new(), std::cell::Cell::new(0));
        let counted = |at| {
            calls.set(calls.get() + 1);
            free(at)
        };
        let near = (69_990.0, 70_010.0);
        exposed_parts(1e5, near, 0.05, counted, |start, end| found.push((start, end)));
        // Between the two there is a narrow gap.
        assert_eq!(found.len(), 3, "{found:?}");
        assert!((found[1].1 - found[1].0 - 0.2).abs() < 0.05 && calls.get() < 500, "{found:?}");
    }

    #[test]
    fn without_obstacles_all_is_exposed_and_within_one_nothing() {
        assert_eq!(parts(10.0, |_| f32::INFINITY), [(0.0, 10.0)]);
        assert_eq!(parts(10.0, |_| -1.0), []);
        assert_eq!(parts(10.0, |_| 0.0), [(0.0, 10.0)]);
        assert_eq!(parts(0.0, |_| 1.0), [(0.0, 0.0)]);
    }
}
