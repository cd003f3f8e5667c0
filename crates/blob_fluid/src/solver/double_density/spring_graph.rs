//! The spring graph: which particles the springs connect.

use crate::particles::spring::{Spring, Springs};

/// Which particles the springs connect. It is built again in every substep.
#[derive(Clone, Debug, Default)]
pub(crate) struct SpringGraph {
    /// Indices of both ends of each spring, valid until particles are sorted again.
    pub indices: Vec<[u32; 2]>,
    /// Where each particle's springs begin in `springs_by_particle`; then the end of the last.
    starts: Vec<u32>,
    springs_by_particle: Vec<u32>,
    cursors: Vec<u32>,
}

/// Buffers for making springs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bonds {
    /// For each index, the particle whose springs were last found to lead there.
    pub connected_to: Vec<u32>,
    /// New springs, and the indices of both ends.
    pub made: Vec<(Spring, [u32; 2])>,
}

impl SpringGraph {
    /// Finds each particle's springs from the indices of their ends.
    pub(crate) fn connect(&mut self, particles: usize) {
        self.starts.clear();
        self.starts.resize(particles + 1, 0);
        for index in self.indices.iter().flatten() {
            self.starts[*index as usize + 1] += 1;
        }
        let mut total = 0;
        for start in &mut self.starts {
            total += *start;
            *start = total;
        }
        self.cursors.clear();
        self.cursors.extend_from_slice(&self.starts[..particles]);
        self.springs_by_particle.clear();
        self.springs_by_particle.resize(2 * self.indices.len(), 0);
        for (spring, ends) in self.indices.iter().enumerate() {
            for index in ends {
                let cursor = &mut self.cursors[*index as usize];
                self.springs_by_particle[*cursor as usize] = spring as u32;
                *cursor += 1;
            }
        }
    }

    /// The springs of the particle at an index, and the indices of their other ends, as they were
    /// at the last call of [`connect`](Self::connect).
    pub(crate) fn of<'a>(
        &'a self,
        springs: &'a Springs,
        index: usize,
    ) -> impl Iterator<Item = (&'a Spring, usize)> {
        let range = self.starts[index] as usize..self.starts[index + 1] as usize;
        self.springs_by_particle[range].iter().map(move |spring| {
            let [a, b] = self.indices[*spring as usize];
            let other = if a as usize == index { b } else { a };
            (&springs.list[*spring as usize], other as usize)
        })
    }
}
