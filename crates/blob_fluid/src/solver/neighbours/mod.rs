//! Neighbour search: the grid, the sort, and the pairs of neighbours.

pub(crate) mod blocks;
pub(crate) mod connection;
pub(crate) mod grid;
pub(crate) mod hash;

#[cfg(test)]
mod tests {
    //! Tests of the grid.

    use std::ops::Range;

    use glam::Vec2;

    use crate::SerialExecutor;
    use crate::geometry::shape::scatter;
    #[cfg(feature = "rayon")]
    use crate::parallel::executor::RayonExecutor;
    use crate::solver::neighbours::grid::{Grid, MAX_PARTICLES_PER_CELL};

    /// Finds the neighbours of each particle by testing all pairs.
    fn brute_force(positions: &[Vec2], radius: f32) -> Vec<Vec<usize>> {
        let near = |i: usize| {
            let close = |j: &usize| positions[i].distance_squared(positions[*j]) < radius * radius;
            (0..positions.len()).filter(close).collect()
        };
        (0..positions.len()).map(near).collect()
    }

    fn by_grid(positions: &[Vec2], radius: f32) -> Vec<Vec<usize>> {
        let mut grid = Grid::default();
        let order = grid.sort(positions, radius, &SerialExecutor).to_vec();
        let sorted: Vec<_> = order.iter().map(|old| positions[*old as usize]).collect();
        let mut neighbours = vec![Vec::new(); positions.len()];
        let mut visited = 0;
        let mut blocks = grid.blocks(0..positions.len());
        while let Some(block) = blocks.next() {
            for index in block.particles.clone() {
                visited += 1;
                for candidate in block.spans().flatten() {
                    if sorted[index].distance_squared(sorted[candidate]) < radius * radius {
                        neighbours[order[index] as usize].push(order[candidate] as usize);
                    }
                }
            }
        }
        assert_eq!(visited, positions.len(), "blocks cover every particle once");
        for list in &mut neighbours {
            list.sort_unstable();
        }
        neighbours
    }

    #[test]
    fn finds_the_pairs_that_brute_force_finds() {
        let cloud = |count: u32, size: Vec2, centre: Vec2| -> Vec<Vec2> {
            (0..count).map(|i| centre + scatter(i) * size).collect()
        };
        let mut scattered = cloud(300, Vec2::splat(40.0), Vec2::ZERO);
        scattered.extend(cloud(200, Vec2::splat(20.0), Vec2::new(1e6, -3e5)));
        scattered.push(Vec2::new(-9e6, 9e6));
        for positions in [
            cloud(700, Vec2::splat(80.0), Vec2::new(-17.0, 3.0)),
            cloud(500, Vec2::new(4000.0, 2.0), Vec2::ZERO),
            cloud(500, Vec2::new(2.0, 60_000.0), Vec2::ZERO),
            cloud(400, Vec2::splat(1e5), Vec2::ZERO),
            cloud(100, Vec2::splat(0.5), Vec2::splat(-3.0)),
            vec![Vec2::ZERO; 20],
            scattered,
            vec![Vec2::ONE],
            vec![],
        ] {
            assert_eq!(by_grid(&positions, 10.0), brute_force(&positions, 10.0));
        }
    }

    /// Moves, adds and removes particles, and sorts them again each time. The order must be that of a grid without state
    /// from the previous sort.
    #[cfg(feature = "rayon")]
    #[test]
    fn sorting_again_gives_the_order_of_sorting_all() {
        let two = RayonExecutor::new(2).expect("threads");
        let mut seed = 0;
        let mut random = |below: usize| {
            seed += 1;
            let number = 0.5 * (scatter(seed).x + 1.0);
            ((number * below as f32) as usize).min(below - 1)
        };
        for (size, count) in [
            (Vec2::new(400.0, 300.0), 6000),
            (Vec2::new(2000.0, 60.0), 6000),
            (Vec2::new(2e6, 2e6), 3000),
            (Vec2::new(1e7, 20.0), 3000),
            (Vec2::new(300.0, 900.0), 40_000),
            // Crowded cells, in which most particles wait.
            (Vec2::new(3.0, 30.0), 9000),
        ] {
            let crowded = size.x < 10.0;
            let (mut again, mut afresh) = (Grid::default(), Grid::default());
            let place = |number: usize| scatter(number as u32 + 77) * size;
            let mut particles: Vec<_> = (0..count).map(|number| (place(number), number)).collect();
            let (mut sorted, mut all) = (0, 0);
            // The current positions, and the positions after the last sort.
            let (mut places, mut left) = (Vec::new(), Vec::new());
            for round in 0..40 {
                places.clear();
                places.extend(particles.iter().map(|particle| particle.0));
                afresh.cells.clear();
                let short_rows = round % 20 > 10;
                afresh.sort_incrementally(&places, 10.0, short_rows, |_| false, &SerialExecutor);
                let expected = &afresh.order;
                let still = |range: Range<usize>| {
                    round % 3 > 0 && range.clone().all(|index| particles[index].0 == left[index])
                };
                let found = if round % 2 == 0 {
                    again.sort_incrementally(&places, 10.0, short_rows, still, &SerialExecutor)
                } else {
                    again.sort_incrementally(&places, 10.0, short_rows, still, &two)
                };
                let mut order: Vec<u32> = (0..particles.len() as u32).collect();
                for range in found.changed {
                    order[range.clone()].copy_from_slice(&found.old[range.clone()]);
                    sorted += range.len();
                }
                all += particles.len();
                assert_eq!(again.waiting_count(), afresh.waiting_count(), "{size}, round {round}");
                assert_eq!(crowded, again.waiting_count() > 1000, "{size}, round {round}");
                assert_eq!(order, *expected, "{size}, round {round}");
                assert_eq!(again.frame, afresh.frame);
                assert_eq!(again.cells, afresh.cells);
                assert_eq!(again.starts, afresh.starts, "{size}, round {round}");
                particles = order.iter().map(|old| particles[*old as usize]).collect();
                left.clear();
                left.extend(particles.iter().map(|particle| particle.0));
                // In most rounds only particles in a small area move.
                let (first, width) = (random(particles.len()), 1 + random(particles.len() / 8));
                for _ in 0..[0, 1, 20, 400][round % 4] {
                    let index = (first + random(width)) % particles.len();
                    let way = Vec2::new(random(200) as f32, random(200) as f32) - 100.0;
                    particles[index].0 += way * 0.1;
                }
                match round {
                    7 | 23 => particles.push((place(random(count)), round)),
                    11 | 31 => drop(particles.swap_remove(random(particles.len()))),
                    15 => particles.truncate(particles.len() - 300),
                    19 => particles[17].0 = size * 1.3,
                    27 => particles.reverse(),
                    _ => {}
                }
            }
            assert!(crowded || sorted < all * 3 / 4, "{size}: {sorted} of {all} were sorted");
            again.sort_incrementally(&[], 10.0, false, |_| true, &two);
            assert!(again.starts.iter().all(|start| *start == 0), "nothing is left");
        }
    }

    // Row 18 of docs/reliability.md.
    #[test]
    fn a_stray_particle_costs_no_memory() {
        let mut grid = Grid::default();
        grid.sort(&[Vec2::ZERO, Vec2::splat(1e9)], 1.0, &SerialExecutor);
        assert!(grid.starts.len() <= 4097);
    }

    /// In each cell, at most 128 particles touch others. Each of the rest has only itself as a
    /// candidate.
    // Row 8 of docs/reliability.md.
    #[test]
    fn a_crowd_has_no_more_pairs_than_grow_with_its_number() {
        let candidates = |count: usize| {
            let mut positions = vec![Vec2::ONE; count];
            positions.extend((0..2000).map(|number| Vec2::new(4.0 * number as f32, -30.0)));
            let mut grid = Grid::default();
            grid.sort_incrementally(&positions, 10.0, false, |_| false, &SerialExecutor);
            assert_eq!(grid.waiting_count(), count - MAX_PARTICLES_PER_CELL);
            let (mut candidates, mut met) = (0, 0);
            let mut blocks = grid.blocks(0..positions.len());
            while let Some(block) = blocks.next() {
                met += block.particles.len();
                let all: usize = block.spans().map(|span| span.len()).sum();
                candidates += block.particles.len() * all;
                assert!(block.particles.start < positions.len() - grid.waiting_count() || all == 1);
            }
            assert_eq!(met, positions.len(), "blocks cover every particle once");
            candidates
        };
        assert_eq!(candidates(20_000) - candidates(2000), 18_000);
    }
}
