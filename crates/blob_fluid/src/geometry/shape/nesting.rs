//! The nesting of rings: finds the ring around each ring, for any number of rings at any depth.

use glam::Vec2;

use crate::work;

/// The innermost other ring around each ring.
///
/// A ray goes to the right from the rightmost corner of each ring. The first edge that it meets belongs to a
/// second ring. The first ring lies in the second if one of their rays crosses an odd number of edges and the
/// other an even number. Otherwise the first ring lies beside the second. The second ring reaches farther to
/// the right, so the chain of these rings always ends. All first edges are found together, in about
/// `n (log n)^2` steps for `n` corners.
///
/// For rings that cross, the result is deterministic but has no meaning.
pub(super) struct Nesting {
    /// All rings, each after those that it may lie in.
    order: Vec<usize>,
    around: Vec<Option<usize>>,
}

/// An edge that is not horizontal, from its lower to its upper end.
#[derive(Clone, Copy)]
struct Edge {
    low: Vec2,
    high: Vec2,
    rank: usize,
}

impl Edge {
    fn x_at(&self, y: f64) -> f64 {
        let [low, high] = [self.low, self.high].map(Vec2::as_dvec2);
        let along = (y - low.y) / (high.y - low.y);
        let x = low.x + (high.x - low.x) * along;
        x.clamp(low.x.min(high.x), low.x.max(high.x))
    }
}

/// The ray of a ring, and its intersections with edges.
#[derive(Clone, Copy)]
struct Ray {
    start: Vec2,
    rank: usize,
    /// Whether it crosses an odd number of edges.
    odd: bool,
    /// X coordinate at which it meets the first edge, and the rank of that edge's ring.
    first: Option<(f64, usize)>,
}

impl Nesting {
    /// Finds the nesting of rings. Each ring needs a corner, and all corners must be finite.
    pub(super) fn of(rings: &[impl AsRef<[Vec2]>]) -> Self {
        let mut around = vec![None; rings.len()];
        let mut order: Vec<usize> = (0..rings.len()).collect();
        if rings.len() < 2 {
            return Self { order, around };
        }
        // A ring around another one has the greater key.
        let key = |ring: &[Vec2]| {
            let (low, high) =
                ring.iter().fold((Vec2::INFINITY, Vec2::NEG_INFINITY), |(low, high), corner| {
                    (low.min(*corner), high.max(*corner))
                });
            [high.x, -low.x, high.y, -low.y]
        };
        let keys: Vec<[f32; 4]> = rings.iter().map(|ring| key(ring.as_ref())).collect();
        let compare = |one: &[f32; 4], other: &[f32; 4]| {
            let pairs = one.iter().zip(other).map(|(one, other)| one.total_cmp(other));
            pairs.fold(std::cmp::Ordering::Equal, |all, pair| all.then(pair))
        };
        order.sort_by(|one, other| compare(&keys[*one], &keys[*other]).then(one.cmp(other)));

        let (mut edges, mut rays, mut heights) = (Vec::new(), Vec::new(), Vec::new());
        for (rank, index) in order.iter().enumerate() {
            let ring: &[Vec2] = rings[*index].as_ref();
            let sides = ring.iter().zip(ring.iter().cycle().skip(1));
            edges.extend(sides.filter_map(|(start, end)| {
                let (low, high) = if start.y < end.y { (*start, *end) } else { (*end, *start) };
                (low.y < high.y).then_some(Edge { low, high, rank })
            }));
            heights.extend(ring.iter().map(|corner| corner.y));
            // The lowest of the rightmost corners: edges that another ring may share begin there.
            let start = ring.iter().copied().reduce(|one, other| {
                let farther = other.x > one.x || other.x == one.x && other.y < one.y;
                if farther { other } else { one }
            });
            let start = start.unwrap_or_default();
            rays.push(Ray { start, rank, odd: false, first: None });
        }
        heights.sort_unstable_by(f32::total_cmp);
        heights.dedup();
        rays.sort_by(|one, other| one.start.y.total_cmp(&other.start.y));
        cross(&heights, edges, &mut rays);
        rays.sort_unstable_by_key(|ray| ray.rank);

        order.reverse();
        let rank_of = |index: usize| rays.len() - 1 - index;
        for (place, index) in order.iter().enumerate() {
            let ray = rays[rank_of(place)];
            let first = ray.first.map(|(_, rank)| rank);
            around[*index] = first.and_then(|rank| {
                let beside = order[rank_of(rank)];
                if rays[rank].odd == ray.odd { around[beside] } else { Some(beside) }
            });
        }
        Self { order, around }
    }

    /// The innermost other ring around a ring.
    pub(super) fn around(&self, index: usize) -> Option<usize> {
        self.around[index]
    }

    /// A value for each ring: `outside` for a ring that lies in no other ring. For any other ring, it is the result
    /// of `inside` for the value and the index of the innermost ring around it.
    pub(super) fn values<T: Copy>(&self, outside: T, inside: impl Fn(T, usize) -> T) -> Vec<T> {
        let mut values = vec![outside; self.around.len()];
        for index in &self.order {
            if let Some(around) = self.around[*index] {
                values[*index] = inside(values[around], around);
            }
        }
        values
    }
}

/// Counts the edges that rays cross between the first and the last of `heights`, and finds the first one for
/// each ray. `heights` holds, in order, all heights in this range at which an edge ends or a ray starts. Edges
/// that span the whole range do not cross each other and are sorted. The other edges are divided at the middle
/// height.
fn cross(heights: &[f32], edges: Vec<Edge>, rays: &mut [Ray]) {
    let (Some(bottom), Some(top)) = (heights.first(), heights.last()) else { return };
    if rays.is_empty() || heights.len() < 2 {
        return;
    }
    work::count(edges.len());
    let middle = 0.5 * (f64::from(*bottom) + f64::from(*top));
    let is_whole = |edge: &Edge| edge.low.y <= *bottom && edge.high.y >= *top;
    let (whole, others): (Vec<Edge>, Vec<Edge>) = edges.into_iter().partition(is_whole);
    let mut whole: Vec<(f64, Edge)> =
        whole.into_iter().map(|edge| (edge.x_at(middle), edge)).collect();
    whole.sort_unstable_by(|(one_x, one), (other_x, other)| {
        work::count(1);
        one_x.total_cmp(other_x).then(one.rank.cmp(&other.rank))
    });
    for ray in &mut *rays {
        let (x, y) = (f64::from(ray.start.x), f64::from(ray.start.y));
        let passed = whole.partition_point(|(_, edge)| {
            work::count(1);
            (edge.x_at(y), edge.rank) <= (x, ray.rank)
        });
        ray.odd ^= (whole.len() - passed) % 2 == 1;
        if let Some((_, edge)) = whole.get(passed) {
            let met = (edge.x_at(y), edge.rank);
            ray.first = Some(ray.first.filter(|first| *first < met).unwrap_or(met));
        }
    }
    drop(whole);
    if others.is_empty() {
        return;
    }
    let half = heights.len() / 2;
    let height = heights[half];
    let below = others.iter().filter(|edge| edge.low.y < height).copied().collect();
    let above = others.iter().filter(|edge| edge.high.y > height).copied().collect();
    drop(others);
    let (rays_below, rays_above) =
        rays.split_at_mut(rays.partition_point(|ray| ray.start.y < height));
    cross(&heights[..=half], below, rays_below);
    cross(&heights[half..], above, rays_above);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::shape::edges::Edges;
    use crate::geometry::shape::scatter;

    fn rectangle(centre: Vec2, half: Vec2) -> Vec<Vec2> {
        let signs = [Vec2::ONE, Vec2::new(-1.0, 1.0), -Vec2::ONE, Vec2::new(1.0, -1.0)];
        signs.map(|sign| centre + sign * half).to_vec()
    }

    fn diamond(centre: Vec2, half: f32) -> Vec<Vec2> {
        [Vec2::X, Vec2::Y, Vec2::NEG_X, Vec2::NEG_Y].map(|way| centre + way * half).to_vec()
    }

    /// Rings in a square, which divide it recursively.
    fn divided(centre: Vec2, half: f32, seed: u32, rings: &mut Vec<Vec<Vec2>>) {
        if half < 1.0 {
            return;
        }
        let ring = if seed.is_multiple_of(3) {
            diamond(centre, half)
        } else {
            rectangle(centre, Vec2::splat(half * if seed.is_multiple_of(2) { 0.7 } else { 0.6 }))
        };
        rings.push(ring);
        if seed % 5 == 4 {
            divided(centre, 0.45 * half, seed * 7 + 1, rings);
        } else {
            for (number, way) in
                [Vec2::X, Vec2::Y, Vec2::NEG_X, Vec2::NEG_Y].into_iter().enumerate()
            {
                let place = centre + way * (0.28 * half) + scatter(seed) * (0.01 * half);
                divided(place, 0.15 * half, seed * 5 + number as u32, rings);
            }
        }
    }

    /// For each ring, the rings around its first corner.
    fn by_all_pairs(rings: &[Vec<Vec2>]) -> Vec<Vec<usize>> {
        let edges = |ring: &Vec<Vec2>| {
            let sides = ring.iter().zip(ring.iter().cycle().skip(1));
            Edges::new(sides.map(|(start, end)| [*start, *end]).collect())
        };
        let edges: Vec<Edges> = rings.iter().map(edges).collect();
        let around = |index: usize| {
            let others = (0..rings.len()).filter(|other| *other != index);
            others.filter(|other| edges[*other].enclose(rings[index][0])).collect()
        };
        (0..rings.len()).map(around).collect()
    }

    #[test]
    fn rings_lie_in_those_that_enclose_their_corners() {
        for seed in 0..40 {
            let mut rings = Vec::new();
            divided(scatter(900 + seed) * 1e3, 200.0, seed, &mut rings);
            // Their order does not matter.
            for index in 1..rings.len() {
                let other = (scatter(index as u32 + seed).x.abs() * index as f32) as usize;
                rings.swap(index, other);
            }
            let expected = by_all_pairs(&rings);
            let nesting = Nesting::of(&rings);
            let depths = nesting.values(0, |depth, _| depth + 1);
            for (index, around) in expected.iter().enumerate() {
                assert_eq!(depths[index], around.len(), "{seed}: ring {index}");
                let innermost = around.iter().max_by_key(|other| expected[**other].len());
                assert_eq!(nesting.around(index), innermost.copied(), "{seed}: ring {index}");
            }
            assert!(depths.iter().max() > Some(&1), "{seed}: {depths:?}");
        }
    }

    #[test]
    fn rings_that_touch_lie_in_each_other() {
        let outer = rectangle(Vec2::ZERO, Vec2::splat(4.0));
        for (way, half) in [
            (Vec2::X, Vec2::splat(2.0)),
            (Vec2::NEG_X, Vec2::splat(2.0)),
            (Vec2::Y, Vec2::splat(2.0)),
            (Vec2::NEG_Y, Vec2::splat(2.0)),
            (Vec2::X, Vec2::new(2.0, 4.0)),
            (Vec2::NEG_Y, Vec2::new(4.0, 2.0)),
        ] {
            let inner = rectangle(way * 2.0, half);
            for rings in [[outer.clone(), inner.clone()], [inner.clone(), outer.clone()]] {
                let nesting = Nesting::of(&rings);
                let inner = rings.iter().position(|ring| *ring != outer).expect("one of both");
                assert_eq!(nesting.around(inner), Some(1 - inner), "{way}");
                assert_eq!(nesting.around(1 - inner), None, "{way}");
            }
        }
        // Side by side they share an edge too.
        let rings = [-2.0, 2.0].map(|x| rectangle(Vec2::new(x, 0.0), Vec2::splat(2.0)));
        let nesting = Nesting::of(&rings);
        assert_eq!((nesting.around(0), nesting.around(1)), (None, None));
    }

    /// Rings that cross have no right answer, but the search ends, and so does every chain of rings
    /// around a ring.
    #[test]
    fn rings_that_cross_have_an_answer() {
        let mut rings = Vec::new();
        for number in 0..300 {
            let corners = 3 + number % 5;
            rings.push((0..corners).map(|corner| scatter(9 * number + corner) * 50.0).collect());
        }
        rings.push(vec![Vec2::splat(1e9), Vec2::splat(-1e9), Vec2::ZERO]);
        rings.push(vec![Vec2::ONE; 3]);
        let depths = Nesting::of(&rings).values(0, |depth: usize, _| depth + 1);
        assert!(depths.iter().all(|depth| *depth < rings.len()), "{depths:?}");
    }
}
