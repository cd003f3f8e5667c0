//! The spring graph: which particles the springs connect.

use crate::particles::spring::Spring;

/// Which particles the springs connect. It is built again in every substep.
#[derive(Clone, Debug, Default)]
pub(crate) struct SpringGraph {
    /// Indices of both ends of each spring, valid until particles are sorted again.
    pub indices: Vec<[u32; 2]>,
    /// Where each particle's springs begin in `by_particle`; then the end of the last.
    starts: Vec<u32>,
    by_particle: Vec<SpringEnd>,
    cursors: Vec<u32>,
    /// Springs that were added since: a particle, the spring's place among them, and what it is for the
    /// particle. They are sorted.
    added: Vec<(u32, u32, SpringEnd)>,
}

/// A spring as one of its particles sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct SpringEnd {
    /// Index of the particle at the other end.
    pub other: u32,
    pub rest_length: f32,
}

/// If more than one in so many springs is new, all are connected again, which then costs less.
const FEW: usize = 16;

impl SpringGraph {
    /// Finds the springs of each of so many particles from the indices of their ends.
    pub(super) fn connect(&mut self, springs: &[Spring], particles: usize) {
        let Self { indices, starts, by_particle, cursors, added } = self;
        added.clear();
        starts.clear();
        starts.resize(particles + 1, 0);
        for index in indices.iter().flatten() {
            starts[*index as usize + 1] += 1;
        }
        let mut total = 0;
        for start in &mut *starts {
            total += *start;
            *start = total;
        }
        cursors.clear();
        cursors.extend_from_slice(&starts[..particles]);
        by_particle.resize(2 * indices.len(), SpringEnd::default());
        for (index, end) in ends(springs, indices) {
            let cursor = &mut cursors[index as usize];
            by_particle[*cursor as usize] = end;
            *cursor += 1;
        }
    }

    /// Adds the springs from index `first` on, which are new at the end of the list and of `indices`.
    pub(super) fn add(&mut self, springs: &[Spring], first: usize, particles: usize) {
        if springs.len() - first > springs.len() / FEW {
            return self.connect(springs, particles);
        }
        let ends = ends(&springs[first..], &self.indices[first..]);
        self.added.extend((0..).zip(ends).map(|(place, (index, end))| (index, place, end)));
        self.added.sort_unstable_by_key(|(index, place, _)| (*index, *place));
    }

    /// A particle's springs, in the order of their list.
    pub(super) fn of(&self, index: usize) -> impl Iterator<Item = &SpringEnd> {
        let range = self.starts[index] as usize..self.starts[index + 1] as usize;
        let from =
            |index: usize| self.added.partition_point(|(other, ..)| (*other as usize) < index);
        let added = if self.added.is_empty() { 0..0 } else { from(index)..from(index + 1) };
        self.by_particle[range].iter().chain(self.added[added].iter().map(|(.., end)| end))
    }
}

/// Both ends of each spring: the index of a particle, and what the spring is for it.
fn ends<'a>(
    springs: &'a [Spring],
    indices: &'a [[u32; 2]],
) -> impl Iterator<Item = (u32, SpringEnd)> {
    springs.iter().zip(indices).flat_map(|(Spring { rest_length, .. }, [a, b])| {
        let end = |other| SpringEnd { other, rest_length: *rest_length };
        [(*a, end(*b)), (*b, end(*a))]
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::particles::id::ParticleId;

    #[test]
    fn a_graph_that_grew_is_the_graph_of_all() {
        let particles = 40;
        let mut numbers = (0..).map(|number: u32| number.wrapping_mul(2_654_435_769) >> 16);
        let mut next = |below: u32| numbers.next().map_or(0, |number| number % below);
        let indices: Vec<[u32; 2]> = (0..600).map(|_| [next(20), 20 + next(20)]).collect();
        let springs: Vec<Spring> = (0..600)
            .map(|number| Spring {
                ends: [ParticleId { slot: 0, generation: 0 }; 2],
                rest_length: number as f32,
            })
            .collect();
        let of_all = |graph: &SpringGraph| -> Vec<Vec<SpringEnd>> {
            (0..particles).map(|index| graph.of(index).copied().collect()).collect()
        };
        let mut whole = SpringGraph { indices: indices.clone(), ..SpringGraph::default() };
        whole.connect(&springs, particles);
        for first in [0, 300, 590, 600] {
            let mut grown = SpringGraph::default();
            grown.indices.extend_from_slice(&indices[..first]);
            grown.connect(&springs[..first], particles);
            grown.indices.extend_from_slice(&indices[first..]);
            grown.add(&springs, first, particles);
            assert_eq!(of_all(&grown), of_all(&whole), "from {first} on");
            assert_eq!(grown.added.len(), if first == 590 { 20 } else { 0 });
        }
    }
}
