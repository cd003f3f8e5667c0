//! Connected components of points: two points are connected if they are closer than a reach, or if a chain of such pairs
//! links them.

use glam::Vec2;

use crate::SerialExecutor;
use crate::solver::neighbours::grid::Grid;

/// Particles closer than this many particle spacings are connected. In liquid at rest the nearest
/// neighbours of a particle are one spacing away, and the next ones 1.7.
pub(crate) const LINK: f32 = 1.5;

/// Finds connected components. Keeps its buffers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Connection {
    grid: Grid,
    parents: Vec<u32>,
}

impl Connection {
    /// For each point, the index of the first point of its component. All points must be finite.
    pub(crate) fn find_roots(&mut self, points: &[Vec2], reach: f32) -> &[u32] {
        let Self { grid, parents } = self;
        grid.sort(points, reach, &SerialExecutor);
        let order = grid.order();
        parents.clear();
        parents.extend(0..points.len() as u32);
        let mut blocks = grid.blocks(0..points.len());
        while let Some(block) = blocks.next() {
            for sorted in block.particles.clone() {
                let index = order[sorted];
                let point = points[index as usize];
                // Visits each pair once.
                for other in block.spans().flat_map(|span| span.start.max(sorted + 1)..span.end) {
                    let other = order[other];
                    if point.distance(points[other as usize]) <= reach {
                        let (a, b) = (root(parents, index), root(parents, other));
                        parents[a.max(b) as usize] = a.min(b);
                    }
                }
            }
        }
        for index in 0..parents.len() {
            // Earlier points already refer to their roots directly.
            parents[index] = parents[parents[index] as usize];
        }
        parents
    }

    /// The result of the last call.
    pub(crate) fn roots(&self) -> &[u32] {
        &self.parents
    }
}

fn root(parents: &mut [u32], mut index: u32) -> u32 {
    while parents[index as usize] != index {
        let parent = parents[index as usize];
        parents[index as usize] = parents[parent as usize];
        index = parents[index as usize];
    }
    index
}

#[cfg(test)]
mod tests {
    use glam::Vec2;

    use super::Connection;
    use crate::geometry::shape::scatter;

    #[test]
    fn any_order_finds_what_all_pairs_find() {
        let positions: Vec<Vec2> = (0..300).map(|index| scatter(index) * 60.0).collect();
        let reach = 7.0;
        let found = Connection::default().find_roots(&positions, reach).to_vec();
        // By repeated relabelling over all pairs.
        let mut labels: Vec<u32> = (0..positions.len() as u32).collect();
        loop {
            let before = labels.clone();
            for a in 0..positions.len() {
                for b in 0..positions.len() {
                    if positions[a].distance(positions[b]) <= reach {
                        labels[a] = labels[a].min(labels[b]);
                    }
                }
            }
            if labels == before {
                break;
            }
        }
        assert_eq!(found, labels);
        let is_root = |(index, label): &(usize, &u32)| *index == **label as usize;
        let distinct = labels.iter().enumerate().filter(is_root).count();
        assert!(distinct > 5 && distinct < 200, "{distinct}");
    }
}
