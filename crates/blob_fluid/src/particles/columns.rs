//! Ages, lifetimes, tags, paint and order of birth of particles.

use std::collections::VecDeque;

use crate::particles::clone_in_place;
use crate::particles::life::Life;
use crate::revision::Revision;
use crate::settings::range::count_more;
#[cfg(feature = "snapshot")]
use crate::stored::bytes::{SnapshotError, ensure};
use crate::stored::stored;
use crate::{ClassTable, FluidLifetime, Grain, ParticleId, ParticleTag, Particles};

impl Particles {
    fn life(&self, id: ParticleId) -> Option<&Life> {
        self.index_of(id).map(|_| &self.lives.by_slot[id.slot() as usize])
    }

    /// Age of a particle, in seconds; `None` if it is dead.
    pub fn age(&self, id: ParticleId) -> Option<f32> {
        self.life(id).map(|life| (self.lives.now - life.born) as f32)
    }

    /// Handles of all particles, the oldest first. Particles of the same tick are in the order of spawning.
    ///
    /// ```
    /// use blob_fluid::{FluidWorld, ParticleSpawn};
    /// let mut world = FluidWorld::default();
    /// let first = world.spawn(ParticleSpawn::default())?;
    /// let second = world.spawn(ParticleSpawn::default())?;
    /// assert_eq!(world.particles().oldest_first(), [first, second]);
    /// # Ok::<(), blob_fluid::SpawnError>(())
    /// ```
    pub fn oldest_first(&self) -> Vec<ParticleId> {
        let mut ids = self.id.clone();
        ids.sort_unstable_by_key(|id| (self.lives.by_slot[id.slot() as usize].order, id.slot()));
        ids
    }

    /// Remaining lifetime of a particle, in seconds. The lifetime is infinite without a
    /// [`FluidLifetime`](crate::FluidLifetime), and `None` if the particle is dead.
    pub fn remaining_lifetime(&self, id: ParticleId) -> Option<f32> {
        self.life(id).map(|life| (life.dies - self.lives.now).max(0.0) as f32)
    }

    /// The remaining lifetime of a particle; `None` without a lifetime, or if it is dead.
    pub(crate) fn lifetime_left(&self, id: ParticleId) -> Option<FluidLifetime> {
        let life = self.life(id).filter(|life| life.dies < f64::INFINITY)?;
        Some(FluidLifetime { seconds: self.remaining_lifetime(id)?, fade: life.fade })
    }

    /// Restores the saved age, exposure, density, kept pressure and grain state of a new particle.
    /// The caller restores its springs as well. So the springs pass must not connect the particle
    /// as a new one, unless it was `new` when it was saved.
    pub(crate) fn bring_back(
        &mut self,
        id: ParticleId,
        age: f32,
        exposure: f32,
        relative_density: f32,
        pressure: f32,
        grain: Option<Grain>,
        new: bool,
    ) {
        let Some(index) = self.index_of(id) else { return };
        self.exposure[index] = exposure;
        self.relative_density[index] = relative_density;
        if pressure != 0.0 {
            self.pressure.resize(self.len(), 0.0);
            self.pressure[index] = pressure;
        }
        if let Some(grain) = grain {
            self.remember_grains(true);
            self.grains[index] = grain;
        }
        self.lives.by_slot[id.slot() as usize].born = self.lives.now - f64::from(age);
        self.slots[id.slot() as usize].new = new;
    }

    /// Opacity of the particle at an index: 1, decreasing to 0 while it fades
    /// ([`FluidLifetime::fade`](crate::FluidLifetime::fade)) before its death.
    ///
    /// # Panics
    ///
    /// Panics if `index` is not below [`Particles::len`].
    pub fn opacity(&self, index: usize) -> f32 {
        let id = self.ids()[index];
        if self.lives.mortal == 0 {
            return 1.0;
        }
        let life = &self.lives.by_slot[id.slot() as usize];
        let remaining = (life.dies - self.lives.now).max(0.0) as f32;
        if remaining < life.fade { remaining / life.fade } else { 1.0 }
    }

    /// The tag of a particle; `None` if it is dead.
    pub fn tag(&self, id: ParticleId) -> Option<ParticleTag> {
        self.life(id).map(|life| life.tag)
    }

    /// Number of particles with a lifetime.
    pub fn lifetime_count(&self) -> usize {
        self.lives.mortal
    }

    /// The tag of the particle at an index.
    pub(crate) fn tag_at(&self, index: usize) -> ParticleTag {
        self.lives.by_slot[self.id[index].slot() as usize].tag
    }

    /// Changes the tag of a particle; returns `false` if it is dead.
    pub(crate) fn set_tag(&mut self, id: ParticleId, tag: ParticleTag) -> bool {
        let alive = self.index_of(id).is_some();
        if alive {
            self.lives.by_slot[id.slot() as usize].tag = tag;
        }
        alive
    }

    /// Calls `dies` with the index of every particle whose lifetime is over, and removes the
    /// particle. Returns the number of removed particles.
    pub(crate) fn expire(&mut self, mut dies: impl FnMut(&Self, usize)) -> usize {
        let due = self.lives.find_due();
        for slot in &due {
            let index = self.index_of_slot(*slot);
            dies(self, index);
            self.swap_remove(index);
        }
        let expired = due.len();
        self.lives.due = due;
        expired
    }

    /// Starts or stops recording the order of birth.
    pub(crate) fn track_age_order(&mut self, keep: bool) {
        if keep == self.lives.by_birth.is_some() {
            return;
        }
        self.lives.by_birth = keep.then(|| self.oldest_first().into());
    }

    /// Removes the oldest living particle from the recorded order of birth and returns it; `None`
    /// if no order is recorded.
    pub(crate) fn take_oldest(&mut self) -> Option<ParticleId> {
        let mut by_birth = self.lives.by_birth.take()?;
        let mut oldest = None;
        while let Some(id) = by_birth.pop_front() {
            if self.index_of(id).is_some() {
                oldest = Some(id);
                break;
            }
        }
        self.lives.by_birth = Some(by_birth);
        oldest
    }

    /// Removes dead particles from the recorded order of birth if most of its entries are dead.
    pub(crate) fn forget_dead(&mut self) {
        let held = self.lives.by_birth.as_ref().map_or(0, VecDeque::len);
        if held > 2 * self.len() + 64
            && let Some(mut by_birth) = self.lives.by_birth.take()
        {
            by_birth.retain(|id| self.index_of(*id).is_some());
            self.lives.by_birth = Some(by_birth);
        }
    }
}

// Reading and changing the paint of particles.

impl Particles {
    /// The paint of the particle at an index: red, green and blue, linear, 0 to 1. Returns `None`
    /// if no class takes [paint](crate::FluidPaint), and for an index without a particle.
    pub fn paint(&self, index: usize) -> Option<[f32; 3]> {
        self.paints.amounts.get(index).map(|amounts| self.paints.mixing.color_of(*amounts))
    }

    /// The paint amounts of each particle, which mix linearly; empty if no class takes
    /// [paint](crate::FluidPaint). An exchange between neighbours keeps their sum. With
    /// [light](crate::PaintMixing::Light) an amount is the linear colour. With
    /// [pigments](crate::PaintMixing::Pigments) it is the ratio of absorption to scattering in each
    /// of three bands of light.
    pub fn paint_amounts(&self) -> &[[f32; 3]] {
        &self.paints.amounts
    }

    /// Paints the particle at an index: red, green and blue, linear. Numbers are clamped to 0 to 1.
    /// A NaN quarantines the particle. The call has no effect if no class takes
    /// [paint](crate::FluidPaint), and for an index without a particle.
    pub fn set_paint(&mut self, index: usize, color: [f32; 3]) {
        self.paints.mix_in(index, color, 1.0);
    }

    /// Restores the saved paint of a new particle, bit-identical.
    pub(crate) fn bring_back_paint(&mut self, id: ParticleId, saved: Option<[f32; 3]>) {
        let Some(index) = self.index_of(id) else { return };
        if let (Some(amounts), Some(saved)) = (self.paints.amounts.get_mut(index), saved) {
            *amounts = saved;
        }
    }

    /// Gives the particles without paint the paint of their class. Removes all paint if no class takes any.
    pub(crate) fn follow_paint_of(&mut self, classes: &ClassTable) {
        if !classes.take_paint() {
            self.paints.amounts.clear();
            return;
        }
        self.paints.rests = false;
        self.paints.begin();
        for class in &self.class[self.paints.amounts.len()..] {
            let amounts = self.paints.mixing.amounts_of(classes.paint_of_new(*class));
            self.paints.amounts.push(amounts);
        }
    }

    /// Whether all particles have paint if these classes take paint, and no particle has paint otherwise.
    #[cfg(feature = "snapshot")]
    pub(crate) fn has_paint_for(&self, classes: &ClassTable) -> bool {
        self.paints.amounts.len() == if classes.take_paint() { self.len() } else { 0 }
    }
}

// Springs between particles, which make a liquid elastic.

/// A spring between two particles.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct Spring {
    /// The particles it connects.
    pub ends: [ParticleId; 2],
    /// `L`: the length at which the spring exerts no force, in world units.
    pub rest_length: f32,
}

stored!(Spring { ends, rest_length in Limits::NOT_NEGATIVE });

/// Fails if two springs connect the same particles.
#[cfg(feature = "snapshot")]
pub(crate) fn check_once(springs: &[Spring]) -> Result<(), SnapshotError> {
    let twice = first_twice(springs.iter().map(|spring| spring.ends));
    ensure(twice.is_none(), "a spring twice")
}

clone_in_place! {
    /// All springs, in the order of creation.
    #[derive(Debug)]
    pub(crate) struct Springs {
        list: Vec<Spring>,
        /// Revision of the list.
        revision: Revision,
        /// Largest number of springs.
        pub capacity: usize,
        /// Number of springs that were not created because the capacity was reached.
        pub refused: u64,
    }
}

stored!(Springs {
    list,
    capacity,
    refused,
} derived {
    revision = Revision::default(),
} check |all: &Self| {
    crate::stored::bytes::countable([all.refused])?;
    check_once(&all.list)
});

impl Springs {
    /// Default capacity, enough for 100,000 particles.
    pub(crate) const DEFAULT_CAPACITY: usize = 3_000_000;

    pub(crate) fn list(&self) -> &[Spring] {
        &self.list
    }

    /// The list, to be changed.
    pub(crate) fn list_mut(&mut self) -> &mut Vec<Spring> {
        self.revision.renew();
        &mut self.list
    }

    /// The revision of the list.
    pub(crate) fn revision(&self) -> Revision {
        self.revision
    }

    /// Returns the number of springs, up to `wanted`, that fit into the capacity. If room is short,
    /// it first removes the springs of dead particles. Refused springs are counted.
    pub(crate) fn make_room(&mut self, wanted: usize, particles: &Particles) -> usize {
        if self.list.len() + wanted > self.capacity {
            let lives = |end: &ParticleId| particles.index_of(*end).is_some();
            self.list_mut().retain(|spring| spring.ends.iter().all(lives));
        }
        let room = self.capacity.saturating_sub(self.list.len()).min(wanted);
        count_more(&mut self.refused, (wanted - room) as u64);
        room
    }
}

/// The ends of a spring whose ends another spring connects as well, in either order.
pub(crate) fn first_twice<T: Copy + Ord>(ends: impl Iterator<Item = [T; 2]>) -> Option<[T; 2]> {
    let mut all: Vec<[T; 2]> = ends.map(|[one, other]| [one.min(other), one.max(other)]).collect();
    all.sort_unstable();
    all.windows(2).find(|next| next[0] == next[1]).map(|next| next[0])
}

impl Default for Springs {
    fn default() -> Self {
        let revision = Revision::default();
        Self { list: Vec::new(), revision, capacity: Self::DEFAULT_CAPACITY, refused: 0 }
    }
}
