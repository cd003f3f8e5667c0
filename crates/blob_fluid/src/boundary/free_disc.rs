//! Discs around particles that no wall reaches. While a particle keeps inside its disc, no pass
//! needs to search for walls near it.

use std::ops::Range;

use glam::Vec2;

use crate::boundary::container::Container;
use crate::boundary::solids::Solids;
use crate::geometry::bounds::FluidBounds;
use crate::parallel::chunks::{CHUNK, GROUP, parts};

/// A disc that no wall of a standing solid that acts on the particle reaches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FreeDisc {
    pub centre: Vec2,
    /// In world units; 0 if nothing is known.
    pub radius: f32,
}

impl FreeDisc {
    /// Nothing is known.
    pub(crate) const UNKNOWN: Self = Self { centre: Vec2::ZERO, radius: 0.0 };
}

/// The free disc of each particle, found with the densities. They serve until the particles are
/// sorted again.
#[derive(Clone, Debug, Default)]
pub(crate) struct FreeDiscs {
    discs: Vec<FreeDisc>,
    known: bool,
    /// Distance from a wall, in world units, within which rounding may put a particle beyond it.
    slack: f32,
}

impl FreeDiscs {
    /// Must be called when walls or the classes of particles change, or the order of particles.
    pub(crate) fn forget(&mut self) {
        self.known = false;
    }

    /// Begins to find the discs. They are worth it where there are colliders, and are not found
    /// where a particle may change to another container. Returns one disc for each particle, and
    /// whether they are to be found.
    pub(crate) fn begin(&mut self, particles: usize, solids: &Solids) -> (&mut [FreeDisc], bool) {
        let slacks = solids.containers.iter().map(Container::slack);
        let slacks = slacks.chain(solids.colliders.iter().map(|collider| collider.slack()));
        self.slack = 2.0 * slacks.fold(0.0, f32::max);
        self.discs.resize(particles, FreeDisc::UNKNOWN);
        self.known = !solids.colliders.is_empty() && solids.containers.len() <= 1;
        (&mut self.discs, self.known)
    }

    /// The discs of some of `count` particles, if they are known and containers stand still.
    fn of(&self, some: Range<usize>, count: usize, solids: &Solids) -> Option<&[FreeDisc]> {
        let stand =
            solids.containers.iter().all(|container| container.previous_pose == container.pose);
        (self.known && self.discs.len() == count && stand).then(|| &self.discs[some])
    }

    /// Which particles of a chunk may come within `reach` of a wall, on ways that are given by
    /// their ends. `count` is the number of all particles.
    #[inline]
    pub(crate) fn exposed(
        &self,
        chunk: Range<usize>,
        count: usize,
        solids: &Solids,
        reach: f32,
        ends: [&[Vec2]; 2],
    ) -> Exposed {
        let Some(discs) = self.of(chunk, count, solids) else { return Exposed::ALL };
        let is_mover_near = |part: Range<usize>| {
            let [one, other] = ends.map(|end| FluidBounds::of(&end[part.clone()]));
            solids.is_mover_near(one.union(other), reach)
        };
        let movers = solids.boxes.any_mover() && is_mover_near(0..discs.len());
        let margin = reach + self.slack;
        let mut exposed = Exposed { groups: [0; CHUNK / GROUP] };
        for (group, range) in exposed.groups.iter_mut().zip(parts(0..discs.len(), GROUP)) {
            if movers && is_mover_near(range.clone()) {
                *group = u16::MAX;
                continue;
            }
            let mut keep = [0; GROUP];
            let ends = ends[0][range.clone()].iter().zip(&ends[1][range.clone()]);
            for ((keep, disc), (one, other)) in keep.iter_mut().zip(&discs[range]).zip(ends) {
                let free = (disc.radius - margin).max(0.0);
                let keeps = |end: &Vec2| (*end - disc.centre).length_squared() < free * free;
                *keep = u16::from(keeps(one) & keeps(other));
            }
            let kept = keep.iter().enumerate().fold(0, |all, (bit, keep)| all | keep << bit);
            *group = !kept;
        }
        exposed
    }
}

/// Which particles of a chunk may be near a wall: for each group, one bit for each particle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exposed {
    groups: [u16; CHUNK / GROUP],
}

impl Exposed {
    /// All particles.
    pub(crate) const ALL: Self = Self { groups: [u16::MAX; CHUNK / GROUP] };

    /// Whether any particle of the group that begins at this offset in the chunk is exposed.
    #[inline]
    pub(crate) fn any_of_group(&self, start: usize) -> bool {
        self.groups[start / GROUP] != 0
    }

    /// Whether the particle at this offset in the chunk is exposed.
    #[inline]
    pub(crate) fn is(&self, offset: usize) -> bool {
        self.groups[offset / GROUP] >> (offset % GROUP) & 1 != 0
    }
}

impl Solids {
    /// Whether a collider that has ever moved may be within `reach` of paths inside a box.
    fn is_mover_near(&self, bounds: FluidBounds, reach: f32) -> bool {
        let grown = self.around_paths(bounds).inflated(reach + bounds.rounding(Vec2::ZERO));
        self.boxes.any_mover_meets(grown)
    }
}
